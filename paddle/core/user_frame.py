"""Finds the user's line: where a warning of ours belongs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

PACKAGE = str(Path(__file__).resolve().parent.parent) + os.sep  # where our own code lies


def outside() -> int:
    """The ``stacklevel`` for ``warnings.warn`` that names the first line which is not ours.

    A number would have to count the frames between, those that explain failures among them.
    """
    frame: Any = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
        level += 1
    return level
