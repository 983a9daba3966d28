"""The layer functions of 1.x: made from rows of ``_rows.tsv``, or written in the modules here."""

import sys
from types import ModuleType
from typing import Any

from paddle.fluid import mode as _mode  # opens the mode
from paddle.fluid.layers import rows

__all__ = rows.names()


class _Layers(ModuleType):
    """Keeps a layer's name to the layer where a module beside this one has the same name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in rows.table()):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Layers


def __getattr__(name: str) -> Any:
    found = rows.find(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*globals(), *__all__]
