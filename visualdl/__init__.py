"""VisualDL: logs of training runs, and a board that shows them in the browser.

Write with `LogWriter`, read with `LogReader`, look with the command `visualdl --logdir FOLDER`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from visualdl.reader import LogReader
    from visualdl.watching import log_model
    from visualdl.writer import LogWriter

__version__ = "0.1.0"
__all__ = ["LogReader", "LogWriter", "log_model"]

_HOMES = {
    "LogReader": "visualdl.reader",
    "LogWriter": "visualdl.writer",
    "log_model": "visualdl.watching",
}
_PARTS = ("reader", "server", "writer")
"""Packages that scripts name without importing them, as in `visualdl.server.app.run(...)`."""


def __getattr__(name: str) -> Any:
    """Imports what is asked for: neither NumPy nor protobuf is needed to import the package."""
    if name in _PARTS:
        return importlib.import_module(f"visualdl.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'visualdl' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOMES) | set(_PARTS))
