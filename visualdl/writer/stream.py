"""The file a writer appends to: records wait in memory, a thread brings them there.

What is written is always a row of whole records, in one call: a reader sees no half ones, and
processes that share a file do not cut into each other's records. What could not be written is kept
and tried again, and the failure is raised at the next call.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import weakref
from time import monotonic
from typing import Any

logger = logging.getLogger("visualdl")

_BINARY = getattr(os, "O_BINARY", 0)
_PAUSE = 1.0
"""No record waits longer than so many seconds, whatever was asked for: the board shows them."""
_MOST = 64 << 20
"""With more bytes waiting, who adds some waits for the file, and is refused where that fails."""

_open: weakref.WeakSet[Stream] = weakref.WeakSet()


class Stream:
    """Appends records to a file, from a thread of its own.

    Args:
        path (str): the file; it is made where there is none.
        max_queue (int): with so many records waiting they are written at once.
        flush_secs (float): the longest a record waits.
    """

    def __init__(self, path: str, max_queue: int, flush_secs: float) -> None:
        self.path = path
        self.failure: OSError | None = None
        self._file = self._opened()
        self._max_queue, self._wait = max_queue, flush_secs
        self._waiting: list[bytes] = []
        self._bytes = 0
        self._unwritten = b""
        self._closed = False
        self.renew_locks()
        _open.add(self)
        _watch_termination()

    def _opened(self) -> int:
        return os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _BINARY, 0o666)

    def _open_again(self) -> None:
        """Goes on in the file that was closed: scripts for VisualDL 2 log after `close`, too."""
        self._file = self._opened()
        self._closed = False
        _open.add(self)

    def renew_locks(self) -> None:
        """Makes what each process needs for itself: locks, and soon a thread."""
        self._lock = threading.RLock()
        self._more = threading.Condition(self._lock)
        self._writing = threading.RLock()
        self._thread: threading.Thread | None = None

    def forget(self) -> None:
        """Starts anew in a process that was forked: what waits is the parent's."""
        self.renew_locks()
        self._waiting, self._bytes, self._unwritten, self.failure = [], 0, b"", None

    def add(self, data: bytes) -> None:
        """Takes records in; raises what went wrong with earlier ones.

        Args:
            data (bytes): whole records.

        Raises:
            OSError: earlier records could not be written yet, or the file cannot be opened again.
        """
        if self._bytes + len(self._unwritten) > _MOST:
            self.flush()
        with self._lock:
            if self._closed:
                self._open_again()
            bad = self.failure is not None
            waiting = self._waiting
            waiting.append(data)
            self._bytes += len(data)
            count = len(waiting)
            if count == 1 or count == self._max_queue:
                if self._thread is None:
                    self._start()
                self._more.notify()
        if _asked:
            _terminate_if_asked()
        if bad:
            self._complain()

    def waiting(self) -> int:
        """Gives the number of bytes that are not in the file yet."""
        return self._bytes + len(self._unwritten)

    def flush(self) -> None:
        """Writes what waits, and raises OSError where that fails."""
        if not self._closed:
            self.drain()
        if self.failure is not None:
            self._complain()

    def close(self) -> None:
        """Writes what waits and closes the file; closing again does nothing."""
        if self._closed:
            return
        self.drain()
        with self._writing, self._lock:
            if not self._closed:
                self._closed = True
                self._more.notify()
                os.close(self._file)
                _open.discard(self)
        _terminate_if_asked()
        if self.failure is not None:
            self._complain()

    def drain(self) -> None:
        """Writes what waits; a failure is kept in `failure`."""
        with self._writing:
            with self._lock:
                self._unwritten += b"".join(self._waiting)
                self._waiting = []
                self._bytes = 0
            try:
                while self._unwritten and not self._closed:
                    done = os.write(self._file, self._unwritten)
                    self._unwritten = self._unwritten[done:]
                self.failure = None
            except OSError as error:
                self.failure = error
        _terminate_if_asked()

    def owned(self) -> bool:
        """Says whether this thread is in the middle of something here."""
        return self._lock._is_owned() or self._writing._is_owned()  # type: ignore[attr-defined]

    def _complain(self) -> None:
        """Raises the failure, once."""
        failure, self.failure = self.failure, None
        if failure is None:  # another thread has told it
            return
        state = "are lost" if self._closed else "wait to be written"
        raise OSError(
            failure.errno,
            f"{failure.strerror}; the log was not written, {self.waiting()} bytes {state}",
            self.path,
        ) from failure

    # -- the thread ------------------------------------------------------------------------------
    def _start(self) -> None:
        """Starts the thread; at the end of the interpreter it cannot be, and is not needed."""
        self._thread = threading.Thread(target=self._work, name="visualdl", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            self._thread = None
        _flush_at_end_of_child()

    def _work(self) -> None:
        """Writes what waits, until the stream is closed."""
        more = self._more
        while True:
            with more:
                while not self._waiting and not self._unwritten and not self._closed:
                    more.wait()
                self._gather()
                if self._closed:
                    self._thread = None
                    return
            self.drain()
            if self.failure is not None:
                with more:
                    more.wait(_PAUSE)

    def _gather(self) -> None:
        """Waits for more records: until there are enough, or the time is up."""
        end = monotonic() + min(self._wait, _PAUSE)
        while not self._closed and len(self._waiting) < self._max_queue:
            left = end - monotonic()
            if left <= 0:
                return
            self._more.wait(left)


# -- the ends of processes -------------------------------------------------------------------------
_asked: list[int] = []
_watched = False
_held = threading.local()  # the signals that a thread did not hear before it forked


def flush_all() -> None:
    """Writes what waits in every stream; failures are logged, nobody is there to be told."""
    for stream in list(_open):
        stream.drain()
        if stream.failure is not None:
            logger.error("%s: records are lost: %s.", stream.path, stream.failure)


def _watch_termination() -> None:
    """Has SIGTERM write what waits, where the program leaves that signal alone."""
    global _watched
    if _watched or threading.current_thread() is not threading.main_thread():
        return
    if sys.platform == "win32" or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        return
    signal.signal(signal.SIGTERM, _terminated)
    _watched = True


def _terminated(number: int, frame: Any) -> None:
    """Ends the process as the signal would have, with the logs written.

    It comes between any two steps of the main thread. In the middle of a stream's work it only
    takes note: to wait for a lock there might be to wait for ever.
    """
    _asked.append(number)
    if not any(stream.owned() for stream in list(_open)):
        _terminate_if_asked()


def _terminate_if_asked() -> None:
    """Ends the process if a signal came; in the main thread, when no stream is at work in it."""
    if not _asked or threading.current_thread() is not threading.main_thread():
        return
    if any(stream.owned() for stream in list(_open)):
        return
    number = _asked[0]
    _asked.clear()
    flush_all()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _hold_termination() -> None:
    """Has SIGTERM wait for the end of a fork.

    Python drops what came to a child before it is set up, so that the child would not end.
    """
    if signal.getsignal(signal.SIGTERM) is _terminated:
        _held.mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})


def _release_termination() -> None:
    mask = getattr(_held, "mask", None)
    if mask is not None:
        _held.mask = None
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _in_child() -> None:
    """Leaves what waits to the parent; the child's own records go to the same file."""
    _asked.clear()
    for stream in list(_open):
        stream.forget()
    _release_termination()


def _flush_at_end_of_child() -> None:
    """Has children that `multiprocessing` forked write what waits: they skip `atexit`."""
    process = sys.modules.get("multiprocessing.process")
    if process is None or process.parent_process() is None:
        return
    from multiprocessing.util import Finalize

    Finalize(None, flush_all, exitpriority=100)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_hold_termination, after_in_parent=_release_termination, after_in_child=_in_child
    )

_watch_termination()  # a writer that another thread makes cannot ask for that
