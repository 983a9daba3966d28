"""The layer functions of 1.x: made from rows of ``_rows.tsv``, or written in the modules here."""

from typing import Any

from paddle._names_told import tell
from paddle.fluid import mode as _mode  # opens the mode
from paddle.fluid.layers import rows

__all__ = rows.names()
_HIDDEN = rows.table()  # a module has the name of a layer here and there


def __getattr__(name: str) -> Any:
    found = rows.find(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    tell(__name__, name)
    return found


def __dir__() -> list[str]:
    return [*globals(), *__all__]
