"""Arrays in files that are mapped into memory: they grow at the end and outlive the process.

What was written is in the file as soon as the store instruction is done, also if the process is
killed at that moment; only a power cut needs more, and that is what snapshots are for.
"""

from __future__ import annotations

import errno
import mmap
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import torch

from paddle.core.errors import PreconditionNotMetError, ResourceExhaustedError

_PAGE = mmap.PAGESIZE
_LEAST_RESERVED = 64 << 20
_GROWTH = 1 << 20  # files grow by a tenth, and at least by so many bytes


class Mapped:
    """A matrix in a file whose rows are added at the end.

    Address space is reserved beyond the end of the file, so that growing moves nothing; disk space
    is allocated before rows are used, so that a full disk is an error and not a signal.

    Args:
        path (Path): the file; made if it is not there.
        dtype (numpy.dtype): of the numbers.
        width (int): numbers in a row.
        rows (int): rows that have to be there; a shorter file is an error where it existed.
        budget (Budget, optional): is told of the memory.
    """

    def __init__(
        self, path: Path, dtype: Any, width: int, rows: int = 0, budget: Budget | None = None
    ) -> None:
        self.path, self.dtype, self.width = path, np.dtype(dtype), width
        self.row_bytes = self.dtype.itemsize * width
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise failure(path, error)
        self.allocated = os.fstat(self._file).st_size
        if rows * self.row_bytes > self.allocated > 0:
            raise PreconditionNotMetError(
                f"{path}: expected {rows} rows of {self.row_bytes} bytes, but the file has "
                f"{self.allocated} bytes.",
                hint="the file was cut or belongs to another table; remove the folder or give "
                "the server another one",
            )
        self._map: mmap.mmap | None = None
        self._budget = budget
        self._reserve(rows)
        self.need(rows)
        if budget is not None:
            budget.files.append(self)

    def _reserve(self, rows: int) -> None:
        """Maps the file with address space for many more rows."""
        room = max(_LEAST_RESERVED, 8 * max(rows * self.row_bytes, self.allocated))
        room = -(-room // _PAGE) * _PAGE
        try:
            os.ftruncate(self._file, room)
            self._map = mmap.mmap(self._file, room)
            os.ftruncate(self._file, self.allocated)
        except (OSError, ValueError) as error:
            raise failure(self.path, error)
        self.room = room // self.row_bytes
        flat = np.frombuffer(self._map, self.dtype, self.room * self.width)
        self.array = flat.reshape(self.room, self.width)
        self.flat = flat
        self.tensor = torch.from_numpy(self.array)

    def need(self, rows: int) -> None:
        """Makes sure that the file has so many rows."""
        wanted = rows * self.row_bytes
        if wanted <= self.allocated:
            return
        if rows > self.room:
            self._reserve(rows)
        wanted = max(wanted, min(self.allocated + max(_GROWTH, self.allocated // 10), wanted * 2))
        wanted = min(-(-wanted // _PAGE) * _PAGE, self.room * self.row_bytes)
        try:
            _allocate(self._file, self.allocated, wanted)
        except OSError as error:
            os.ftruncate(self._file, self.allocated)
            raise failure(self.path, error)
        self.allocated = wanted

    def drop_pages(self) -> None:
        """Takes the file's pages out of the process; they stay in the file."""
        held = self._map
        if held is not None and hasattr(mmap, "MADV_DONTNEED"):
            held.madvise(mmap.MADV_DONTNEED)

    def sync(self) -> None:
        """Returns when the disk has what was written."""
        os.fsync(self._file)

    def close(self) -> None:
        """Lets go of the file; its arrays must not be used any more."""
        if self._file >= 0:
            self.array = self.flat = self.tensor = None  # type: ignore[assignment]
            self._map = None  # unmapped when the last array is gone
            os.close(self._file)
            self._file = -1
            if self._budget is not None and self in self._budget.files:
                self._budget.files.remove(self)


def _allocate(file: int, size: int, wanted: int) -> None:
    """Takes disk space for a file to grow, where the system can say that there is any."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, size, wanted - size)
    else:
        os.ftruncate(file, wanted)


def failure(path: Any, error: Exception) -> Exception:
    """What a failure of the file system is called here."""
    code = getattr(error, "errno", None)
    if code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.ENOMEM):
        return ResourceExhaustedError(
            f"{path}: no room left for the table ({os.strerror(code)}).",
            hint="free some space, or give the server a folder on a larger disk",
        )
    return PreconditionNotMetError(f"{path}: {error}.")


class Budget:
    """How much of the tables' files may be in the process's memory at a time.

    Args:
        limit (int): bytes; 0 for any number.
    """

    def __init__(self, limit: int = 0) -> None:
        self.limit = limit
        self.files: list[Mapped] = []
        self._lock = threading.Lock()
        self._base = _shared_bytes()
        self._since = 0

    def touched(self, rows: int) -> None:
        """Is told that so many rows were read or written; drops pages when there are too many.

        The kernel maps 16 pages around one that is read, so asking what is resident is due
        whenever that many could have been added.
        """
        if not self.limit:
            return
        self._since += rows * 16 * _PAGE
        if self._since < self.limit // 4:
            return
        with self._lock:
            self._since = 0
            if _shared_bytes() - self._base > self.limit // 2:
                for file in list(self.files):
                    file.drop_pages()


def _shared_bytes() -> int:
    """Bytes of files that are mapped and resident."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[2]) * _PAGE
    except OSError:  # no Linux
        return 0


def write_whole(path: Path, data: bytes) -> None:
    """Writes a small file so that a reader sees all of it or what was there before."""
    part = path.with_name(path.name + ".part")
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
        sync_folder(path.parent)
    except OSError as error:
        raise failure(path, error)


def sync_folder(folder: Path) -> None:
    """Returns when the disk has the folder's list of files."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
