"""Shared blocks: memory that a worker and the trainer both see, lent to one batch after another."""

from __future__ import annotations

import math
import os
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

ALIGN = 64
AVAILABLE = hasattr(os, "memfd_create")

_blocks: weakref.WeakValueDictionary[int, SharedBlock] = weakref.WeakValueDictionary()


class SharedBlock:
    """A memory file without a name, mapped into this process.

    Whatever happens to the processes that map it, nothing of it is left behind. Its pages cost far
    more when they are first touched than later, so a block serves many batches.

    Args:
        file (int): its descriptor, which may be closed afterwards.
        size (int): bytes.

    Attributes:
        address (int): where it is mapped.
        seen_by_forks (bool): whether a process was forked that may read what was lent last.
    """

    def __init__(self, file: int, size: int) -> None:
        # torch maps the file without keeping a descriptor, which mmap.mmap would: a list of a
        # thousand batches must not use up the process's files.
        path = f"/proc/self/fd/{file}"
        self._whole: Any = torch.from_file(path, True, size, dtype=torch.uint8).numpy()
        self._lent: Any = None
        self.size = size
        self.address = self._whole.ctypes.data
        self.seen_by_forks = False
        _blocks[id(self)] = self

    def lend(self) -> memoryview:
        """Returns the memory; the block is busy until nothing stands on it any more."""
        lent = self._whole[:]
        self._lent = weakref.ref(lent)
        return memoryview(lent)

    @property
    def busy(self) -> bool:
        """Whether somebody may still read what was lent last."""
        return self.seen_by_forks or (self._lent is not None and self._lent() is not None)


def _before_fork() -> None:
    # A fork sees what is written here later: what it reads must stay, whatever this process frees.
    for reference in _blocks.valuerefs():
        block = reference()
        if block is not None:
            block.seen_by_forks = block.busy


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork)


class Arena:
    """Hands out pieces of a block, one after the other.

    Args:
        block (SharedBlock): one that is not busy.
    """

    def __init__(self, block: SharedBlock) -> None:
        self.block = block
        self.used = 0
        self._memory = block.lend()

    def piece(self, size: int) -> memoryview | None:
        """Returns the next ``size`` bytes; None where there is no room."""
        start = self.used
        if start + size > self.block.size:
            return None
        self.used = start + aligned(size)
        return self._memory[start : start + size]

    def empty(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray | None:
        """Returns an array with undefined values; None where there is no room."""
        size = math.prod(shape) * dtype.itemsize
        memory = self.piece(size) if size else None
        return None if memory is None else np.ndarray(shape, dtype, buffer=memory)

    def offset(self, memory: memoryview) -> int | None:
        """Returns where in the block ``memory`` lies, or None where it lies elsewhere."""
        start = np.frombuffer(memory, np.uint8).ctypes.data - self.block.address
        return start if 0 <= start < self.block.size else None


def aligned(size: int) -> int:
    """The next multiple of :data:`ALIGN`."""
    return -(-size // ALIGN) * ALIGN
