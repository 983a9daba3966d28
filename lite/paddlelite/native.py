"""The C kernels: found beside this file, or compiled at first use and kept."""

from __future__ import annotations

from typing import Any


def library() -> Any:
    """Returns the loaded library; None: there is none."""
    return None


def problem() -> str:
    """Says why there is no library."""
    return "not built"


CEngine: Any = None
