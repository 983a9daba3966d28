"""What has come of a download: a file ``NAME.part`` that can be continued later by any process.

Its writer holds a lock, which ends with the process, however that ends: others wait, and continue
what a killed one has left. Beside it ``NAME.part.json`` says of what address and version the bytes
are. Where there are no locks (Windows, some network drives), each process has a part of its own.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from contextlib import suppress
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__: list[str] = []


class PartFile:
    """The open, locked file that a download goes to, before it gets its name.

    Args:
        path (str): the name it will have.
    """

    def __init__(self, path: str) -> None:
        self.target = path
        self.path, self.file, self._shared = _opened(path)
        self._placed = False

    def size(self) -> int:
        """Returns how many bytes there are."""
        return os.fstat(self.file.fileno()).st_size

    def about(self) -> dict[str, Any]:
        """Returns what was noted about the bytes; empty where nothing is known."""
        try:
            with open(self.path + ".json", encoding="utf-8") as file:
                noted = json.load(file)
        except (OSError, ValueError):
            return {}
        return noted if isinstance(noted, dict) else {}

    def restart(self, about: dict[str, Any] | None = None) -> None:
        """Drops all bytes, and notes of what the next ones are; None: cannot be continued."""
        with suppress(FileNotFoundError):
            os.unlink(self.path + ".json")
        self.file.truncate(0)
        if about is not None:
            with open(self.path + ".json", "w", encoding="utf-8") as file:
                json.dump(about, file)

    def place(self) -> None:
        """Gives the file its name, once its bytes are on the disk."""
        self.file.flush()
        os.fsync(self.file.fileno())
        if not self._shared:  # Windows renames closed files only
            self.file.close()
        os.replace(self.path, self.target)
        self._placed = True

    def __enter__(self) -> PartFile:
        return self

    def __exit__(self, *_: object) -> None:
        keep = not self._placed and self._shared and self.about() and self.size()
        if not self._shared:
            self.file.close()
        # The lock is held until the end: who waits for it finds another file, or none, there.
        for path in [] if keep else [self.path + ".json", *([] if self._placed else [self.path])]:
            with suppress(OSError):
                os.unlink(path)
        if self._shared:
            # Closing is not enough if a child process was forked meanwhile and has the file, too.
            fcntl.flock(self.file.fileno(), fcntl.LOCK_UN)
            self.file.close()


def _opened(path: str) -> tuple[str, BinaryIO, bool]:
    """Opens and locks the part; returns its path, the file, and whether others may find it."""
    part = path + ".part"
    while True:
        file = open(part, "ab")  # noqa: SIM115 - open as long as the download lasts
        try:
            if not _locked(file, path):
                unused = not os.fstat(file.fileno()).st_size
                file.close()
                if unused:
                    with suppress(OSError):
                        os.unlink(part)
                own = f"{path}.{secrets.token_hex(4)}.part"
                return own, open(own, "xb"), False
            with suppress(FileNotFoundError):
                # Whoever held the lock may have renamed or removed the file.
                if os.path.samestat(os.fstat(file.fileno()), os.stat(part)):
                    return part, file, True
        except BaseException:
            file.close()
            raise
        file.close()


def _locked(file: BinaryIO, path: str) -> bool:
    """Waits for the lock; False where there are none."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"Waiting for another process that fetches {path}", file=sys.stderr)
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
    except OSError:
        return False
    return True
