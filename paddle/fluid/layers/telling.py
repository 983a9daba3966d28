"""Says once, at the user's line, what 2.0 has in a layer's place."""

from __future__ import annotations

import inspect
import opcode
import warnings
from typing import Any

from paddle.core.user_frame import PACKAGE

# How a name is asked for by who means it; ``getattr`` and star imports ask for all of them.
_ASKING = frozenset(["LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM", "IMPORT_NAME"])


def tell(name: str, new: str) -> None:
    """Warns of a layer, as it is first asked for.

    Args:
        name (str): the layer.
        new (str): what 2.0 has, with commas between several.
    """
    level, frame = _asking()
    if frame is None or opcode.opname[frame.f_code.co_code[frame.f_lasti]] not in _ASKING:
        return
    instead = new.replace(",", " or ")
    warnings.warn(
        f"fluid.layers.{name} is of 1.x; in 2.0 {instead} stands for it, whose arguments and "
        "defaults may be others (docs/migration.md).",
        DeprecationWarning,
        stacklevel=level,
    )


def _asking() -> tuple[int, Any]:
    """The frame of the user's line, and how far up it is; None: nobody asks for one layer."""
    frame: Any = inspect.currentframe()
    level = 0
    while frame is not None:
        path = frame.f_code.co_filename
        importing = path.startswith("<frozen importlib")
        if importing and frame.f_locals.get("recursive"):
            return 0, None  # for a star
        if not importing and not path.startswith(PACKAGE):
            return level, frame
        # warnings.warn does not count the frames of the import system
        level += not importing
        frame = frame.f_back
    return 0, None
