"""Write files so that readers see either the old content or the whole new content."""

from __future__ import annotations

import os
import secrets
import socket
import stat
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import BinaryIO, TypeVar

from paddle.core.lazy_pattern import LazyPattern

try:
    import fcntl
except ImportError:  # Windows: no locks, so nothing of others is ever removed
    fcntl = None  # type: ignore[assignment]

# .paddle-<machine>-<process>-<number>.tmp; older names do not tell the machine.
_SCRATCH = LazyPattern(r"\.paddle-(?:([0-9a-f]{8})-)?\d+-[0-9a-f]{12}\.tmp\Z")
# Locks of other machines may not be seen here; what they write is left alone for so long.
_FOREIGN_SECONDS = 24 * 3600


def _machine() -> str:
    return f"{zlib.crc32(socket.gethostname().encode()):08x}"


def _flush_folder(folder: str) -> None:
    """Make a rename durable; systems that cannot open a folder do without."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _earlier_mode(path: str) -> int | None:
    """Permission bits of a regular file that is about to be replaced."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(os.stat(path).st_mode)
    return None


def _lock(file: BinaryIO, wait: bool) -> bool:
    """Locks a scratch file as long as it is open; says whether that worked."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held by its writer, or a file system without locks
        return False
    return True


def remove_abandoned(folder: str) -> None:
    """Removes what processes that died while they saved have left in a folder.

    A writer holds a lock on its scratch file; where nobody holds it, nobody writes any more.
    """
    try:
        names = [name for name in os.listdir(folder) if _SCRATCH.match(name)]
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name)
        with suppress(OSError), open(path, "rb") as file:
            made_by = _SCRATCH.match(name)[1]  # type: ignore[index]
            age = time.time() - os.fstat(file.fileno()).st_mtime
            if (made_by == _machine() or age > _FOREIGN_SECONDS) and _lock(file, wait=False):
                os.unlink(path)


def _new_scratch(folder: str) -> tuple[str, BinaryIO]:
    """Makes a locked scratch file."""
    while True:
        # Not built on the target's own name: that may already be as long as a name can be.
        name = f".paddle-{_machine()}-{os.getpid()}-{secrets.token_hex(6)}.tmp"
        path = os.path.join(folder, name)
        file = open(path, "xb")  # noqa: SIM115  (open, and so locked, until it has its name)
        try:
            _lock(file, wait=True)
            # Another process may have taken it for abandoned before it was locked.
            if os.path.exists(path):
                return path, file
        except BaseException:
            file.close()
            with suppress(OSError):
                os.unlink(path)
            raise
        file.close()


class FileSet:
    """Files that are written together: none takes its name before all are on the disk.

    Used by :func:`atomic_files`. Each stays open to the end; take a few hundred at most.
    """

    def __init__(self) -> None:
        self._open: list[tuple[BinaryIO, str, str]] = []  # file, scratch name, target
        self._direct = ExitStack()  # pipes and devices
        self._folders: dict[str, None] = {}

    def open(self, path: str) -> BinaryIO:
        """Opens a file for writing that takes the place of ``path`` in the end.

        Args:
            path (str): as for :func:`atomic_write`.
        """
        target = os.path.realpath(path)
        folder = os.path.dirname(target)
        os.makedirs(folder, exist_ok=True)
        if os.path.exists(target) and not os.path.isfile(target) and not os.path.isdir(target):
            return self._direct.enter_context(open(target, "wb"))
        if folder not in self._folders:
            self._folders[folder] = None
            remove_abandoned(folder)
        scratch, file = _new_scratch(folder)
        self._open.append((file, scratch, target))
        return file

    def commit(self) -> None:
        """Brings all files to the disk, and then gives them their names in the order of opening."""
        for file, _, _ in self._open:
            file.flush()
            os.fsync(file.fileno())
        for _, scratch, target in self._open:
            mode = _earlier_mode(target)
            if mode is not None:
                os.chmod(scratch, mode)
        while self._open:
            file, scratch, target = self._open[0]
            os.replace(scratch, target)
            del self._open[0]
            file.close()
        for folder in self._folders:
            _flush_folder(folder)
        self._direct.close()

    def discard(self) -> None:
        """Removes what did not get its name."""
        for file, scratch, _ in self._open:
            with suppress(OSError):
                os.unlink(scratch)
            with suppress(OSError):  # what could not be written cannot be flushed either
                file.close()
        self._open.clear()
        self._direct.close()


Files = TypeVar("Files", bound=FileSet)


@contextmanager
def atomic_files(files: Files) -> Iterator[Files]:
    """Files that take their names together when the block succeeds.

    All are complete and flushed to disk before the first one is renamed. Only a crash between two
    renames can leave some old and some new; :mod:`paddle.serialization.files.seals` lets readers
    notice. If the block raises, older files stay as they were and nothing else is left behind.

    Args:
        files (FileSet): none is open yet.

    Returns:
        A context manager giving the set.
    """
    try:
        yield files
        files.commit()
    except BaseException:
        files.discard()
        raise


@contextmanager
def atomic_write(path: str) -> Iterator[BinaryIO]:
    """Open a binary file for writing that takes the place of ``path`` when the block succeeds.

    The bytes go to a temporary name in the same folder, are flushed to disk and renamed over
    ``path``. If the block raises, the temporary file is removed and an older ``path`` stays as
    it was. Missing folders are created. Pipes and devices are written directly: a rename would
    replace them.

    Args:
        path (str): the file to write; a symbolic link is followed, not replaced.

    Returns:
        A context manager giving the open binary file.
    """
    with atomic_files(FileSet()) as files:
        yield files.open(path)
