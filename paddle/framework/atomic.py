"""Write a file so that readers see either the old content or the whole new content."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO


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
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    os.makedirs(folder, exist_ok=True)
    if os.path.exists(target) and not os.path.isfile(target) and not os.path.isdir(target):
        with open(target, "wb") as file:
            yield file
        return
    # Not built on the target's own name: that may already be as long as a name can be.
    scratch = os.path.join(folder, f".paddle-{os.getpid()}-{secrets.token_hex(6)}.tmp")
    try:
        with open(scratch, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        mode = _earlier_mode(target)
        if mode is not None:
            os.chmod(scratch, mode)
        os.replace(scratch, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(scratch)
        raise
    _flush_folder(folder)
