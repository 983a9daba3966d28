"""The queue of a server: bounded, and handing out together what can be run together."""

from __future__ import annotations

import threading
from collections import deque
from time import monotonic

from paddle.inference.serve.bodies import Values
from paddle.inference.serve.refusals import Overloaded

_TRIES = 4


class Job:
    """A request that waits for its result.

    Args:
        values (dict[str, Value]): its inputs.
        key (tuple, optional): equal for jobs that may be run together; None: it runs alone.
        rows (int): how many rows it adds to a run.
    """

    def __init__(self, values: Values, key: tuple | None = None, rows: int = 1) -> None:
        self.values = values
        self.key = key
        self.rows = rows
        self.came = monotonic()
        self.result: Values | None = None
        self.error: Exception | None = None
        self.abandoned = False  # nobody waits any more
        self._done = threading.Event()

    def finish(self, result: Values | None, error: Exception | None = None) -> None:
        """Hands the result, or what went wrong, to whoever waits."""
        self.result, self.error = result, error
        self._done.set()

    def wait(self, seconds: float) -> bool:
        """Waits for the result; says whether it came."""
        return self._done.wait(seconds)


class JobQueue:
    """Jobs that wait for a worker.

    Args:
        limit (int): how many may wait.
        max_rows (int): the most rows of jobs that are handed out together.
        patience (float): how many seconds a job waits for others to be joined with.
    """

    def __init__(self, limit: int, max_rows: int = 1, patience: float = 0.0) -> None:
        self._limit, self._max_rows, self._patience = limit, max_rows, patience
        self._jobs: deque[Job] = deque()
        self._changed = threading.Condition()
        self._gathering: set[tuple] = set()  # keys for which a worker waits for further jobs
        self._closed = False
        self._in_vain = 0  # jobs in a row that waited for others, and none came

    def __len__(self) -> int:
        return len(self._jobs)

    @property
    def full(self) -> bool:
        """Whether no further job may wait."""
        return len(self._jobs) >= self._limit

    def put(self, job: Job) -> None:
        """Adds a job.

        Raises:
            Overloaded: there is no room, or the server stops.
        """
        with self._changed:
            if self._closed:
                raise Overloaded("the server is about to stop")
            if self.full:
                raise Overloaded(f"{len(self._jobs)} requests are waiting already")
            self._jobs.append(job)
            self._changed.notify_all()

    def take(self) -> list[Job]:
        """Waits for jobs and returns those that are to be run together; none: the queue is closed.

        The first one waits for others of its kind until there are ``max_rows`` rows, or until its
        patience is at an end. After some that waited in vain the next ones do not, until jobs are
        found to come together again: where there is one client, it need not wait.
        """
        with self._changed:
            while (first := self._next()) is None:
                if self._closed and not self._jobs:
                    return []
                self._changed.wait()
            if first.key is None:
                return [first]
            self._gathering.add(first.key)
            try:
                return self._gather(first, first.key)
            finally:
                self._gathering.discard(first.key)
                self._changed.notify_all()

    def close(self) -> None:
        """Takes no further jobs; those that wait are still handed out."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _next(self) -> Job | None:
        """Takes out the first job for whose kind no other worker waits."""
        for job in self._jobs:
            if job.key is None or job.key not in self._gathering:
                self._jobs.remove(job)
                return job
        return None

    def _gather(self, first: Job, key: tuple) -> list[Job]:
        gathered, rows = [first], first.rows
        until = first.came + self._patience
        while True:
            for job in [job for job in self._jobs if job.key == key]:
                if rows + job.rows > self._max_rows:
                    return gathered
                self._jobs.remove(job)
                gathered.append(job)
                rows += job.rows
            if len(gathered) > 1:
                self._in_vain = 0
            if rows >= self._max_rows or self._closed or self._in_vain >= _TRIES:
                return gathered
            left = until - monotonic()
            if left <= 0:
                self._in_vain += len(gathered) == 1
                return gathered
            self._changed.wait(left)
