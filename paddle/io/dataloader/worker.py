"""The life of a worker process: read tasks, answer with batches, end with the trainer."""

from __future__ import annotations

import gc
import os
import queue
import random
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import torch

from paddle.core import place, random_state
from paddle.core import random as core_random
from paddle.io.dataloader.convert import without_tensors
from paddle.io.dataloader.failures import Failure
from paddle.io.dataloader.fetch import END, Recipe
from paddle.io.dataloader.transport import WorkerEnd
from paddle.io.dataloader.worker_info import WorkerInfo, set_worker_info

BATCH, DONE, FAILED, SKIPPED = "batch", "done", "failed", "skipped"
_CHECK_PARENT_SECONDS = 3.0


@dataclass
class Job:
    """What a worker is told at its start.

    Attributes:
        recipe (Recipe): how batches are made.
        id (int): number of the worker.
        workers (int): how many there are.
        share (bool): whether batches go through shared memory.
        init (callable|None): the user's ``worker_init_fn``.
    """

    recipe: Recipe
    id: int
    workers: int
    share: bool
    init: Callable[[int], Any] | None


@dataclass
class Begin:
    """What a worker is told at the beginning of a pass.

    Attributes:
        seed (int): what its random generators start from.
        follow_paddle_seed (bool): whether ``paddle.seed`` was called in the trainer.
        tells (bool): whether each batch comes with the state of random numbers after it.
        state (dict|None): the state to begin with, in place of what belongs to the seed.
    """

    seed: int
    follow_paddle_seed: bool
    tells: bool = False
    state: Any = None


def main(conn: Connection, inherited: list[Connection], job: Job) -> None:
    """Runs a worker until the trainer closes the pipe or disappears.

    Args:
        conn (Connection): this worker's end of its pipe.
        inherited (list): ends of other pipes that came along with the fork. Held open here they
            would keep the other workers from noticing that the trainer is gone.
        job (Job): what to do.
    """
    for other in inherited:
        other.close()
    _become_worker()
    end = WorkerEnd(conn, job.share)
    inbox = _Inbox(conn, end)
    answer: Any = None
    began = False
    while (content := inbox.next()) is not END:
        try:
            if isinstance(content, Begin):
                answer = _answerer(job, content, end, first=not began)
                began = True
                continue
            _reply(end, (SKIPPED, None) if inbox.outdated else answer(content), job)
        except (BrokenPipeError, ConnectionResetError):
            return


class _Inbox:
    """Messages of the trainer, read by a thread.

    So the trainer never waits in a send for a worker that itself waits in a send, and a worker
    learns that a pass was left before it has made what the trainer had asked for.
    """

    def __init__(self, conn: Connection, end: WorkerEnd) -> None:
        self._conn = conn
        self._end = end
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._passes = 0
        self._current = 0
        threading.Thread(target=self._read, args=(os.getppid(),), daemon=True).start()

    def _read(self, parent: int) -> None:
        try:
            while True:
                while not self._conn.poll(_CHECK_PARENT_SECONDS):
                    if os.getppid() != parent:
                        os._exit(1)
                *content, back, forget = self._conn.recv()
                self._end.returned(back, forget)
                for message in content:  # one, or none where only blocks come back
                    self._passes += isinstance(message, Begin)
                    self._queue.put(message)
        except (EOFError, OSError):
            self._queue.put(END)

    def next(self) -> Any:
        """Waits for the next message; END where the trainer closed the pipe."""
        content = self._queue.get()
        self._current += isinstance(content, Begin)
        return content

    @property
    def outdated(self) -> bool:
        """Whether a new pass has begun since the one of the message that came last."""
        return self._current < self._passes


def _become_worker() -> None:
    # The collector would write to, and so copy, the memory of all that came along with the fork.
    gc.freeze()
    # Ctrl-C goes to all processes of a terminal; the trainer decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # One thread each: workers share the cores, and OpenMP's threads did not survive the fork.
    torch.set_num_threads(1)
    # CUDA cannot be used after a fork; the device's generators must not be touched either.
    core_random._generators.clear()
    place.set_device("cpu")


def _seed_everything(seed: int, follow_paddle_seed: bool) -> None:
    random.seed(seed)
    np.random.seed(seed % 2**32)
    core_random.seed(seed)
    if not follow_paddle_seed:
        core_random._numpy = None


def _answerer(
    job: Job, begin: Begin, end: WorkerEnd, first: bool
) -> Callable[[Any], tuple[str, Any]]:
    """Returns the function from a task to the reply; errors become replies too."""
    where = f"DataLoader worker {job.id} (process id {os.getpid()})"
    _seed_everything(begin.seed, begin.follow_paddle_seed)
    set_worker_info(WorkerInfo(job.id, job.workers, job.recipe.dataset, begin.seed))
    try:
        if first and job.init is not None:
            job.init(job.id)
        if begin.state is not None:
            random_state.set_host_state(begin.state, "DataLoader worker")
        fetch = job.recipe.fetcher(end.empty)
    except Exception as error:
        failed = (FAILED, Failure(error, where))
        return lambda task: failed

    told: Any = None  # the last state that the trainer knows

    def answer(task: Any) -> tuple[str, Any]:
        nonlocal told
        try:
            batch = fetch(task)
        except Exception as error:
            return FAILED, Failure(error, where)
        if batch is END:
            return DONE, None
        batch = without_tensors(batch)
        if not begin.tells:
            return BATCH, batch
        state = random_state.host_state()
        if told is not None and random_state.equal(state, told):
            return BATCH, (batch, None)
        told = state
        return BATCH, (batch, state)

    return answer


def _reply(end: WorkerEnd, reply: tuple[str, Any], job: Job) -> None:
    try:
        end.send(reply, share=reply[0] == BATCH)
    except (BrokenPipeError, ConnectionResetError):
        raise
    except Exception as error:
        # Nothing was sent yet: pickling comes first.
        where = f"DataLoader worker {job.id} (process id {os.getpid()}), sending a batch"
        end.send((FAILED, Failure(error, where)), share=False)
    end.done()
