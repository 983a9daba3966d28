"""The life of a worker process: seed, read tasks, answer with batches, end with the trainer."""

from __future__ import annotations

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
from paddle.io.dataloader import transport
from paddle.io.dataloader.failures import Failure
from paddle.io.dataloader.fetch import END, Recipe
from paddle.io.dataloader.worker_info import WorkerInfo, set_worker_info

BATCH, DONE, FAILED = "batch", "done", "failed"
_CHECK_PARENT_SECONDS = 3.0


@dataclass
class Job:
    """What a worker is told at its start.

    Attributes:
        recipe (Recipe): how batches are made.
        info (WorkerInfo): who the worker is.
        share (bool): whether batches go through shared memory.
        init (callable|None): the user's ``worker_init_fn``.
        follow_paddle_seed (bool): whether ``paddle.seed`` was called in the trainer.
        tells (bool): whether each batch comes with the state of random numbers after it.
        state (dict|None): the state to begin with, in place of what belongs to the seed.
    """

    recipe: Recipe
    info: WorkerInfo
    share: bool
    init: Callable[[int], Any] | None
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
    _become_worker(job)
    tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
    # Tasks are read in a thread so that the trainer never waits in a send for a worker that
    # itself waits in a send.
    reader = threading.Thread(target=_read_tasks, args=(conn, tasks, os.getppid()), daemon=True)
    reader.start()
    answer = _answerer(job)
    while (task := tasks.get()) is not END:
        try:
            _reply(conn, answer(task), job)
        except (BrokenPipeError, ConnectionResetError):
            return


def _become_worker(job: Job) -> None:
    # Ctrl-C goes to all processes of a terminal; the trainer decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # One thread each: workers share the cores, and OpenMP's threads did not survive the fork.
    torch.set_num_threads(1)
    # CUDA cannot be used after a fork; the device's generators must not be touched either.
    core_random._generators.clear()
    place.set_device("cpu")
    seed = job.info.seed
    random.seed(seed)
    np.random.seed(seed % 2**32)
    core_random.seed(seed)
    if not job.follow_paddle_seed:
        core_random._numpy = None
    set_worker_info(job.info)


def _read_tasks(conn: Connection, tasks: queue.SimpleQueue[Any], parent: int) -> None:
    try:
        while True:
            while not conn.poll(_CHECK_PARENT_SECONDS):
                if os.getppid() != parent:
                    os._exit(1)
            tasks.put(conn.recv())
    except (EOFError, OSError):
        tasks.put(END)


def _answerer(job: Job) -> Callable[[Any], tuple[str, Any]]:
    """Returns the function from a task to the reply; errors become replies too."""
    where = f"DataLoader worker {job.info.id} (process id {os.getpid()})"
    try:
        if job.init is not None:
            job.init(job.info.id)
        if job.state is not None:
            random_state.set_host_state(job.state, "DataLoader worker")
        fetch = job.recipe.fetcher()
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
        if not job.tells:
            return BATCH, batch
        state = random_state.host_state()
        if told is not None and random_state.equal(state, told):
            return BATCH, (batch, None)
        told = state
        return BATCH, (batch, state)

    return answer


def _reply(conn: Connection, reply: tuple[str, Any], job: Job) -> None:
    try:
        transport.send(conn, reply, job.share)
    except (BrokenPipeError, ConnectionResetError):
        raise
    except Exception as error:
        # Nothing was sent yet: pickling comes first.
        where = f"DataLoader worker {job.info.id} (process id {os.getpid()}), sending a batch"
        transport.send(conn, (FAILED, Failure(error, where)), share=False)
