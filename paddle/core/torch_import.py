"""Imports torch without Python's collector going over the million objects that it makes.

Each full collection walks over all of them: 0.09 s, several times while torch is imported, and now
and then afterwards. What an import makes stays, so nothing is lost by leaving it out for good.
"""

from __future__ import annotations

import gc
import os
import sys

# With these torch computes on the CPU what its own kernels for such devices lack. It reads them
# while it is imported; FLAGS_device_fallback is the switch of all devices.
_SWITCH = "FLAGS_device_fallback"
_FALLBACKS = ("PYTORCH_ENABLE_XPU_FALLBACK", "PYTORCH_ENABLE_MPS_FALLBACK")


def load() -> None:
    """Imports torch, unless that was done before; what exists then is not collected later."""
    if "torch" in sys.modules:
        return
    on = gc.isenabled()
    gc.disable()
    try:
        if os.environ.get(_SWITCH, "1").strip().lower() in ("1", "true", "yes", "on"):
            for name in _FALLBACKS:
                os.environ.setdefault(name, "1")
        import torch  # noqa: F401

        gc.freeze()
    finally:
        if on:
            gc.enable()
