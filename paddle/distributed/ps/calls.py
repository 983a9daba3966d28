"""Requests on their way: several at a time, repeated while a server is away, by any transport."""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from paddle.core.errors import ExternalError, PermissionDeniedError
from paddle.distributed.ps.messages import UNAVAILABLE, Frame, raise_error, read


class Broken(Exception):
    """A transport could not bring a request or its answer.

    Args:
        state (str): ``away``: the server is not there or the connection broke, so ask again;
            ``late``: the time is over; ``refused``: the token is not the job's; ``failed``: asking
            again would fail again.
        why (str): what the transport says.
    """

    def __init__(self, state: str, why: str) -> None:
        super().__init__(state, why)
        self.state, self.why = state, why


class Call:
    """One message, repeated while its server is away; run by a helping thread or by who waits."""

    __slots__ = ("_answers", "_body", "_done", "_error", "_kind", "_seconds", "_taken", "_wire",
                 "_where")  # fmt: skip

    def __init__(
        self, wire: Any, kind: int, body: bytes, where: Sequence[str], seconds: float
    ) -> None:
        self._wire, self._kind, self._body = wire, kind, body
        self._where, self._seconds = where, seconds
        self._answers: list[Frame] = []
        self._error: BaseException | None = None
        self._taken, self._done = threading.Lock(), threading.Lock()
        self._done.acquire()

    def run(self) -> None:
        """Sends the request and keeps what comes back; does nothing where somebody does already."""
        if not self._taken.acquire(blocking=False):
            return
        try:
            self._answers = self._received()
        except BaseException as error:
            self._error = error
        finally:
            self._body = b""
            self._done.release()

    def answered(self) -> bool:
        """Whether waiting would take no time."""
        return not self._done.locked()

    def wait(self) -> list[Frame]:
        """Returns the answers to the frames of the message.

        Raises:
            ExternalError: there was none in time.
            FrameworkError: the answer is an error.
        """
        self.run()
        with self._done:
            pass
        if self._error is not None:
            raise self._error
        for answer, where in zip(self._answers, self._where):
            raise_error(answer, where)
        if len(self._answers) != len(self._where):
            raise ExternalError(f"{self._where[0]}: the answer is cut short.")
        return self._answers

    def _received(self) -> list[Frame]:
        end, seconds = 0.0, self._seconds
        while True:
            try:
                found = _frames(self._wire.send(self._kind, self._body, seconds))
            except Broken as broken:
                state, why = broken.state, broken.why
            else:
                away = [f.text for f in found if f.status == UNAVAILABLE]
                if not away:
                    return found
                state, why = "away", away[0]
            now = time.monotonic()
            # Time runs from when the server was seen to be away.
            end = end or now + (self._wire.patience or self._seconds)
            self._check(state, why, now >= end)
            time.sleep(0.05)
            seconds = max(end - now, 0.05)

    def _check(self, state: str, why: str, too_late: bool) -> None:
        """Raises unless the request is to be sent again."""
        if self._wire.closed:
            raise ExternalError(f"{self._where[0]}: the connection was closed.")
        if state == "refused":
            raise PermissionDeniedError(
                f"{self._where[0]}: the server refused the job's token.",
                hint="trainers and servers of a job share PADDLE_JOB_TOKEN",
            )
        if state == "failed":
            raise ExternalError(f"{self._where[0]}: the request failed ({why}).")
        if state == "late" or too_late:
            raise ExternalError(
                f"{self._where[0]}: no answer within {self._seconds:g} s ({why}).",
                hint="see the server's log; FLAGS_rpc_deadline (ms) says how long to wait",
            )


def _frames(body: bytes) -> list[Frame]:
    found: list[Frame] = []
    at = 0
    while at < len(body) or not found:
        frame, at = read(body, at)
        found.append(frame)
    return found


class Helpers:
    """Threads that run requests beside the caller's own; made when they are first needed.

    For gRPC a call that waits costs half of one with a callback, so threads wait.
    """

    def __init__(self, most: int) -> None:
        self._most, self._made = most, 0
        self._queue: queue.SimpleQueue[Call | None] = queue.SimpleQueue()

    def run(self, call: Call) -> None:
        """Has a request sent soon."""
        if self._made < self._most:
            self._made += 1
            try:
                threading.Thread(target=self._work, name="ps-client", daemon=True).start()
            except RuntimeError:  # the interpreter is ending: who waits will do it
                return
        self._queue.put(call)

    def _work(self) -> None:
        while (call := self._queue.get()) is not None:
            call.run()

    def close(self) -> None:
        """Ends the threads, behind what they have to do."""
        for _ in range(self._made):
            self._queue.put(None)


def leave(method: Any, *args: Any) -> None:
    """Says good-bye when the interpreter ends; not after an error, so that the others notice.

    Args:
        method (WeakMethod): what says it.
        args: what it is called with.
    """
    call = method()
    if call is not None and getattr(sys, "last_type", None) is None:
        try:
            call(*args)
        except Exception:  # the servers are gone, or soon will be
            pass
