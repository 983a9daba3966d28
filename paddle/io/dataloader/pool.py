"""Runs worker processes for one pass over a dataset, and puts their batches in order."""

from __future__ import annotations

import collections
import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from multiprocessing import connection
from typing import Any

from paddle.core.errors import ExecutionTimeoutError
from paddle.core.random import get_seed, numpy_rng
from paddle.io.dataloader import transport, worker
from paddle.io.dataloader.fetch import Recipe
from paddle.io.dataloader.reading import Reading
from paddle.io.dataloader.worker_info import WorkerInfo

_GRACE_SECONDS = 0.3


def read_with_workers(
    recipe: Recipe,
    tasks: Iterator[Any],
    num_workers: int,
    *,
    share: bool = True,
    timeout: float = 0,
    init: Callable[[int], Any] | None = None,
    prefetch: int = 2,
    reading: Reading | None = None,
) -> Iterator[Any]:
    """Yields the batches of ``tasks``, in their order, made by worker processes.

    Args:
        recipe (Recipe): how batches are made.
        tasks (iterator): what each batch is made from.
        num_workers (int): number of processes.
        share (bool): whether batches come through shared memory.
        timeout (float): seconds to wait for a batch; 0 waits as long as the worker lives.
        init (callable|None): called in each worker with its number.
        prefetch (int): batches that a worker may make before the trainer asks for them.
        reading (Reading|None): notes where the pass stands, and says where it begins.
    """
    pool = _Pool(recipe, num_workers, share, timeout, init, reading)
    finished = False
    try:
        yield from pool.batches(tasks, prefetch, reading)
        finished = True
    finally:
        # Also when the loop is left early: the generator is closed as soon as nobody holds it.
        pool.shutdown(_GRACE_SECONDS * 10 if finished else _GRACE_SECONDS)


def draw_seed() -> int:
    """Draws the number that the seeds of all workers are made of."""
    return int(numpy_rng().randint(0, 2**31 - 1))


class _Pool:
    def __init__(
        self, recipe: Recipe, size: int, share: bool, timeout: float, init: Any, reading: Any
    ) -> None:
        self._owner = os.getpid()
        self._timeout = timeout
        self._conns: list[Any] = []
        self._processes: list[Any] = []
        method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
        context: Any = multiprocessing.get_context(method)
        base = draw_seed() if reading is None else reading.seed
        states = [None] * size if reading is None else reading.states
        try:
            for i in range(size):
                info = WorkerInfo(i, size, recipe.dataset, base + i)
                follow, tells = get_seed() is not None, reading is not None
                job = worker.Job(recipe, info, share, init, follow, tells, states[i])
                ours, theirs = context.Pipe(duplex=True)
                self._conns.append(ours)
                inherited = list(self._conns) if method == "fork" else []
                process: Any = context.Process(
                    target=worker.main, args=(theirs, inherited, job), daemon=True
                )
                _start(process)
                theirs.close()
                self._processes.append(process)
        except BaseException:
            self.shutdown(0)
            raise

    def batches(self, tasks: Iterator[Any], prefetch: int, reading: Any) -> Iterator[Any]:
        """Yields batches; tasks go round the workers, so the order of replies is known."""
        due: collections.deque[int] = collections.deque()
        trouble: Exception | None = None

        def hand_out(i: int) -> None:
            nonlocal tasks, trouble
            try:
                task = next(tasks)
            except StopIteration:
                return
            except Exception as error:
                # The batches asked for before are still due.
                trouble, tasks = error, iter(())
                return
            try:
                self._conns[i].send(task)
            except (BrokenPipeError, ConnectionResetError):
                pass  # found out, and explained, when its reply is due
            due.append(i)

        size = len(self._conns)
        first = 0 if reading is None else reading.first
        for i in range(first, first + prefetch * size):
            hand_out(i % size)
        while due:
            i = due.popleft()
            kind, content = self._receive(i)
            if kind == worker.FAILED:
                raise content.exception()
            if kind == worker.DONE:
                due = collections.deque(j for j in due if j != i)
                continue
            hand_out(i)
            if reading is not None:
                content, state = content
                reading.arrived.append((i, state))
            yield content
        if trouble is not None:
            raise trouble

    def _receive(self, i: int) -> Any:
        conn, process = self._conns[i], self._processes[i]
        ready = connection.wait([conn, process.sentinel], self._timeout or None)
        if not ready:
            raise ExecutionTimeoutError(
                f"DataLoader: worker {i} (process id {process.pid}) sent no batch within "
                f"timeout={self._timeout} seconds.",
                hint="raise timeout, or look for what blocks in the dataset's __getitem__",
            )
        try:
            if conn.poll(0):
                return transport.receive(conn)
        except (EOFError, OSError, RuntimeError):
            process.join(1)
            if process.exitcode is None:
                raise
        raise RuntimeError(self._obituary(i))

    def _obituary(self, i: int) -> str:
        process = self._processes[i]
        process.join(1)
        code = process.exitcode
        who = f"DataLoader worker {i} (process id {process.pid})"
        if code is not None and code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"number {-code}"
            hint = ""
            if name == "SIGKILL":
                hint = "; the system does that when memory runs out: use fewer workers"
            elif name in ("SIGSEGV", "SIGBUS", "SIGABRT"):
                hint = "; num_workers=0 shows where"
            return f"{who} was killed by signal {name} before it sent its batch{hint}."
        return f"{who} exited with code {code} before it sent its batch."

    def shutdown(self, grace: float) -> None:
        """Ends the workers: lets them go by themselves for ``grace`` seconds, then makes them."""
        if os.getpid() != self._owner:
            return  # a fork of the trainer holds a copy of this pool; it is not its own
        for conn in self._conns:
            conn.close()
        deadline = time.monotonic() + grace
        for process in self._processes:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.exitcode is None:
                process.terminate()
        for process in self._processes:
            process.join(2)
            if process.exitcode is None:
                process.kill()
                process.join()
            process.close()
        self._conns, self._processes = [], []


def _start(process: Any) -> None:
    # Buffered output would be written twice, by the trainer and by the copy of it.
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    with warnings.catch_warnings():
        # torch's own threads make every process "multi-threaded"; workers use none of them.
        warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", append=False)
        process.start()
