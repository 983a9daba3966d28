"""From 64-bit ids to row numbers: open addressing, searched for many ids at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from paddle.distributed.ps.files import Budget, Mapped
from paddle.distributed.ps.initial import mixed

_LEAST = 1 << 12
_CHUNK = 1 << 17  # ids that are entered at a time when the index is made again


class Index:
    """Where the row of an id is; rows count from 1, and 0 stands for none.

    A slot holds a row number; the id that it belongs to lies beside the row. So a slot takes four
    bytes, and the whole index is made again from the ids when a server starts.

    Args:
        path (Path): the file for the slots; what was there is forgotten.
        ids (Mapped): the ids of the rows, one a row.
        count (int): rows so far; row 0 counts.
        budget (Budget, optional): of memory.
    """

    def __init__(self, path: Path, ids: Mapped, count: int, budget: Budget | None = None) -> None:
        self._path, self._ids, self._budget = path, ids, budget
        self._file: Mapped | None = None
        self._make(count, count)

    def _make(self, rows: int, count: int) -> None:
        """Enters all rows into new slots, of which at most half will be taken."""
        size = _LEAST
        while size < 3 * count:
            size *= 2
        self._path.unlink(missing_ok=True)
        file, old = Mapped(self._path, np.uint32, 1, size, self._budget), self._file
        self._file, self._slots = file, file.flat[:size]
        self._mask = size - 1
        if old is not None:
            old.close()
        for start in range(1, rows, _CHUNK):
            some = np.arange(start, min(start + _CHUNK, rows), dtype=np.uint32)
            self._enter(self._ids.flat[start : start + len(some)], some)
            if self._budget is not None:
                self._budget.touched(2 * len(some))

    def reserve(self, count: int, rows: int) -> None:
        """Makes room for so many rows, of which ``rows`` are there; this alone may fail."""
        if 2 * count > len(self._slots):
            self._make(rows, count)

    def find(self, ids: np.ndarray) -> np.ndarray:
        """Returns the row of each id, 0 where there is none."""
        keys, slots = self._ids.flat, self._slots
        at = self._places(ids)
        found = slots.take(at).astype(np.int64)
        wrong = keys.take(found) != ids
        wrong &= found != 0
        if not wrong.any():
            return found
        left, step = np.flatnonzero(wrong), 0
        at = at[left]
        while len(left):
            step += 1
            at = at + step & self._mask
            row = slots.take(at).astype(np.int64)
            found[left] = row
            on = np.flatnonzero((keys.take(row) != ids[left]) & (row != 0))
            left, at = left[on], at[on]
        return found

    def _places(self, ids: np.ndarray) -> np.ndarray:
        """Where to look first for each id."""
        at = mixed(ids).view(np.int64)
        at &= self._mask
        return at

    def add(self, ids: np.ndarray, first: int) -> None:
        """Enters new ids, without repetition, whose rows are ``first`` and on.

        The ids have to be in their file already, and the room reserved.
        """
        self._enter(ids, np.arange(first, first + len(ids), dtype=np.uint32))

    def _enter(self, ids: np.ndarray, rows: np.ndarray) -> None:
        slots, at, step = self._slots, self._places(ids), 0
        while len(at):
            free = slots[at] == 0
            slots[at[free]] = rows[free]  # of several that want a slot, the last gets it
            left = np.flatnonzero(slots[at] != rows)
            step += 1
            at, rows = at[left] + step & self._mask, rows[left]

    def close(self) -> None:
        """Lets go of the file."""
        if self._file is not None:
            self._slots = None  # type: ignore[assignment]
            self._file.close()
