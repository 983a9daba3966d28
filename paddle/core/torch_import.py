"""Imports torch without Python's collector going over the million objects that it makes.

Each full collection walks over all of them: 0.09 s, several times while torch is imported, and now
and then afterwards. What an import makes stays, so nothing is lost by leaving it out for good.
"""

from __future__ import annotations

import gc
import sys


def load() -> None:
    """Imports torch, unless that was done before; what exists then is not collected later."""
    if "torch" in sys.modules:
        return
    on = gc.isenabled()
    gc.disable()
    try:
        import torch  # noqa: F401

        gc.freeze()
    finally:
        if on:
            gc.enable()
