"""The server of the board: `visualdl --logdir FOLDER`, or `visualdl.server.app.run`."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """Imports the module `app` where it is named without being imported."""
    if name == "app":
        return importlib.import_module("visualdl.server.app")
    raise AttributeError(f"module 'visualdl.server' has no attribute {name!r}")
