"""CPU memory: its policy, by which large buffers are not paged in anew, limits, and its figures.

By default every buffer above 128 KiB is mapped and unmapped by the kernel, and each operator pays
for the page faults. So glibc is told to keep freed memory: keeping the pages makes memory-bound
operators several times faster.
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
_KERNELS = "256"


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


def bound_kernel_caches() -> None:
    """Lets oneDNN and what stands before it keep 256 compiled kernels each, not 1024.

    A kernel is compiled for each shape of its input and takes some 0.7 MB: a predictor that meets
    a thousand lengths would hold a gigabyte. Compiling one takes 0.2 to 0.5 ms. Both are asked when
    oneDNN is first used; what the environment says already holds.
    """
    for name in ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY"):
        os.environ.setdefault(name, _KERNELS)


def trim() -> None:
    """Gives free memory back to the system."""
    if sys.platform.startswith("linux"):
        try:
            ctypes.CDLL(None).malloc_trim(0)
        except (OSError, AttributeError):
            return


def resident() -> int:
    """Returns how many bytes of main memory this process takes, at most where it cannot be told."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return most_resident()


def most_resident() -> int:
    """Returns how many bytes of main memory this process took at most; 0 where nobody counts."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
