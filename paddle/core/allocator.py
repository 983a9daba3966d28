"""CPU memory policy: tell glibc to keep freed memory, so that large buffers are not paged in anew.

By default every buffer above 128 KiB is mapped and unmapped by the kernel, and each operator pays
for the page faults. Keeping the pages makes memory-bound operators several times faster.
"""

from __future__ import annotations

import ctypes
import os
import sys

_M_TRIM_THRESHOLD = -1
_M_TOP_PAD = -2
_M_MMAP_THRESHOLD = -3
_KEEP = 1 << 30  # mallopt takes an int; buffers of more than 1 GiB are still mapped
_TOP_PAD = 64 << 20


def keep_freed_memory() -> bool:
    """Applies the policy unless PADDLE_KEEP_MEMORY=0; says whether it is in force."""
    if not sys.platform.startswith("linux") or os.environ.get("PADDLE_KEEP_MEMORY", "1") == "0":
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(
        mallopt(_M_MMAP_THRESHOLD, _KEEP)
        and mallopt(_M_TRIM_THRESHOLD, _KEEP)
        and mallopt(_M_TOP_PAD, _TOP_PAD)
    )


def trim() -> None:
    """Gives free memory back to the system."""
    if sys.platform.startswith("linux"):
        try:
            ctypes.CDLL(None).malloc_trim(0)
        except (OSError, AttributeError):
            return
