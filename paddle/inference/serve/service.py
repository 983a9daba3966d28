"""A model that is served: Predictors in worker threads, behind a queue that joins requests."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from time import monotonic
from typing import Any

from paddle.core.errors import FrameworkError
from paddle.inference.serve.bodies import Values
from paddle.inference.serve.metrics import Metrics
from paddle.inference.serve.queue import Job, JobQueue
from paddle.inference.serve.refusals import (
    FailedRun,
    Overloaded,
    RefusedRequest,
    TookTooLong,
)
from paddle.inference.serve.running import NotByRows, Runner, join, key_of, rows_of, split
from paddle.inference.signature import Signature

_LOCATION = "\n  the operator was added here"


class Service:
    """Answers requests to one model.

    Args:
        predictors (Sequence[Predictor]): one for each worker thread; clones share weights.
        signature (Signature): what the model takes and gives.
        joins (bool): requests may be run together, for each row is computed by itself. Default:
            False.
        max_batch (int): the most rows that are run together. Default: 1.
        patience (float): how many seconds a request waits for others. Default: 0.
        queue_limit (int): how many requests may wait for a worker. Default: 64.
        timeout (float): how many seconds a request waits for its result. Default: 60.
    """

    def __init__(
        self,
        predictors: Sequence[Any],
        signature: Signature,
        joins: bool = False,
        max_batch: int = 1,
        patience: float = 0.0,
        queue_limit: int = 64,
        timeout: float = 60.0,
    ) -> None:
        self.signature = signature
        self.stopping = False
        self._joins = joins and max_batch > 1
        self._timeout = timeout
        self._queue = JobQueue(queue_limit, max_batch, patience)
        self.metrics = Metrics(self._queue.__len__)
        runners = [Runner(predictor) for predictor in predictors]
        self._workers = [
            threading.Thread(target=self._work, args=(run,), name=f"worker {i}", daemon=True)
            for i, run in enumerate(runners)
        ]
        for worker in self._workers:
            worker.start()

    @property
    def joins(self) -> bool:
        """Whether requests may be run together."""
        return self._joins

    def check_room(self) -> None:
        """Raises Overloaded where a request would be refused, before it is read."""
        if self.stopping:
            raise Overloaded("the server is about to stop")
        if self._queue.full:
            raise Overloaded(f"{len(self._queue)} requests are waiting already")

    def predict(self, values: Values) -> Values:
        """Returns what the model gives for one request.

        Args:
            values (dict[str, Value]): its inputs, checked.

        Raises:
            RefusedRequest: the values do not fit, there is no room, or the run failed.
        """
        rows = rows_of(values) if self._joins else 0
        job = Job(values, key_of(values) if rows else None, rows or 1)
        self._queue.put(job)
        if not job.wait(self._timeout):
            job.abandoned = True
            raise TookTooLong(f"there was no result within {self._timeout:g} s")
        if job.error is not None:
            raise _told(job.error) from job.error
        assert job.result is not None
        return job.result

    def close(self, seconds: float | None = None) -> None:
        """Takes no further requests; waits for those that came, which wait for no others.

        Args:
            seconds (float, optional): for so long at most.
        """
        self.stopping = True
        self._queue.close()
        until = None if seconds is None else monotonic() + seconds
        for worker in self._workers:
            worker.join(None if until is None else max(0.0, until - monotonic()))

    # -- worker threads -------------------------------------------------------------------------

    def _work(self, run: Runner) -> None:
        while jobs := self._queue.take():
            jobs = [job for job in jobs if not job.abandoned]
            if jobs:
                self._run_together(run, jobs)

    def _run_together(self, run: Runner, jobs: list[Job]) -> None:
        rows = [job.rows for job in jobs]
        try:
            results = split(run(join([job.values for job in jobs])), rows)
        except Exception as error:  # a worker outlives whatever a request does
            if len(jobs) == 1:
                self.metrics.ran(1, rows[0])
                jobs[0].finish(None, error)
                return
            if isinstance(error, NotByRows):
                self._joins = False
            for job in jobs:  # one of them may be at fault: the others get their results
                self._run_together(run, [job])
            return
        self.metrics.ran(len(jobs), sum(rows))
        for job, result in zip(jobs, results, strict=True):
            job.finish(result)


def _told(error: Exception) -> RefusedRequest:
    """What the sender is told of an error in a run."""
    if isinstance(error, RefusedRequest):
        return error
    if isinstance(error, (FrameworkError, IndexError, ValueError, TypeError)):
        text = str(error).partition(_LOCATION)[0]  # the lines of whoever wrote the model
        return RefusedRequest(f"the model refuses these inputs: {text}")
    return FailedRun(f"the run failed: {type(error).__name__}")
