"""Logs of a job's processes: one of them copied to the terminal, the last lines of any."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

_LAST_BYTES = 64 * 1024


def say(text: str) -> None:
    """Tells the user something about the job: on standard error, apart from the scripts' output."""
    print(f"launch: {text}", file=sys.stderr, flush=True)


class Copier:
    """Copies to the terminal what a process writes into its log.

    A thread does it: a terminal that does not take more must not keep the job from being watched.

    Args:
        path (Path): the log.
        target (BinaryIO, optional): where to; None: standard output.
    """

    def __init__(self, path: Path, target: BinaryIO | None = None) -> None:
        self._path = path
        self._target: Any = target or getattr(sys.stdout, "buffer", None) or sys.stdout
        self._text = target is None and not hasattr(sys.stdout, "buffer")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="launch-log")
        self._thread.start()

    def _run(self) -> None:
        try:
            with self._path.open("rb") as log:
                while not self._ended.wait(0.05):
                    self._copy(log)
                self._copy(log)
        except (OSError, ValueError):  # the terminal is gone: the log is still written
            pass

    def _copy(self, log: BinaryIO) -> None:
        while chunk := log.read(1 << 16):
            self._target.write(chunk.decode(errors="replace") if self._text else chunk)
            self._target.flush()

    def finish(self) -> None:
        """Copies what is left; waits a moment, not for ever."""
        self._ended.set()
        self._thread.join(timeout=2)


def last_lines(path: Path, offset: int = 0, count: int = 20) -> list[str]:
    """Returns the last lines of a log.

    Args:
        path (Path): the log.
        offset (int): where the part that counts begins.
        count (int): how many.
    """
    try:
        with path.open("rb") as log:
            log.seek(0, 2)
            log.seek(max(offset, log.tell() - _LAST_BYTES))
            text = log.read()
    except OSError:
        return []
    return text.decode(errors="replace").splitlines()[-count:]
