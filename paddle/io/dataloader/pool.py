"""Runs worker processes for passes over a dataset, and puts their batches in order."""

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
from paddle.io.dataloader import worker
from paddle.io.dataloader.failures import brief
from paddle.io.dataloader.fetch import Recipe
from paddle.io.dataloader.reading import Reading
from paddle.io.dataloader.transport import TrainerEnd

_GRACE_SECONDS = 0.3


class KeptPool:
    """Workers that wait for the next pass of their loader. A copy of the loader has its own."""

    def __init__(self) -> None:
        self._waiting: list[WorkerPool] = []  # at most one; a list because pop is atomic

    def take(self, recipe: Recipe, size: int, share: bool, init: Any) -> WorkerPool:
        """Returns the workers that wait, or new ones: also where a pass is under way already."""
        try:
            pool = self._waiting.pop()
        except IndexError:
            return WorkerPool(recipe, size, share, init)
        if pool.fits(recipe, size, share, init):
            return pool
        pool.shutdown(_GRACE_SECONDS)
        return WorkerPool(recipe, size, share, init)

    def give(self, pool: WorkerPool) -> None:
        """Lets workers wait; those that waited already end."""
        self.close()
        self._waiting.append(pool)

    def close(self) -> None:
        """Ends the workers that wait."""
        while self._waiting:
            self._waiting.pop().shutdown(_GRACE_SECONDS)

    def __deepcopy__(self, memo: dict) -> KeptPool:
        return KeptPool()

    def __reduce__(self) -> Any:
        return KeptPool, ()

    def __del__(self) -> None:
        self.close()


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
    kept: KeptPool | None = None,
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
        kept (KeptPool|None): where workers come from and go to; None starts and ends them here.
    """
    if kept is None:
        pool = WorkerPool(recipe, num_workers, share, init)
    else:
        pool = kept.take(recipe, num_workers, share, init)
    grace, whole = _GRACE_SECONDS, False
    try:
        pool.begin(reading)
        yield from pool.batches(tasks, prefetch, timeout, reading)
        grace, whole = _GRACE_SECONDS * 10, True
    except GeneratorExit:
        # The loop was left early: the generator is closed as soon as nobody holds it.
        whole = True
        raise
    finally:
        if kept is not None and whole:
            kept.give(pool)
        else:
            pool.shutdown(grace)


def draw_seed() -> int:
    """Draws the number that the seeds of all workers are made of."""
    return int(numpy_rng().randint(0, 2**31 - 1))


class WorkerPool:
    """Worker processes that make batches by one recipe.

    Args:
        recipe (Recipe): how batches are made.
        size (int): number of processes.
        share (bool): whether batches come through shared memory.
        init (callable|None): called in each worker with its number.
    """

    def __init__(self, recipe: Recipe, size: int, share: bool, init: Any) -> None:
        self._owner = os.getpid()
        self._made_for = (recipe, size, share, init)
        self._ends: list[TrainerEnd] = []
        self._processes: list[Any] = []
        self._outdated = [0] * size  # replies that are due from a pass that was left
        method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
        context: Any = multiprocessing.get_context(method)
        try:
            for i in range(size):
                ours, theirs = context.Pipe(duplex=True)
                self._ends.append(TrainerEnd(ours))
                inherited = [end.conn for end in self._ends] if method == "fork" else []
                job = worker.Job(recipe, i, size, share, init)
                process: Any = context.Process(
                    target=worker.main, args=(theirs, inherited, job), daemon=True
                )
                _start(process)
                theirs.close()
                self._processes.append(process)
        except BaseException:
            self.shutdown(0)
            raise

    def fits(self, recipe: Recipe, size: int, share: bool, init: Any) -> bool:
        """Whether these workers live, belong to this process, and do what is asked for."""
        own, own_size, own_share, own_init = self._made_for
        return (
            self._owner == os.getpid()
            and all(process.exitcode is None for process in self._processes)
            and own.same_as(recipe)
            and own_init is init
            and (own_size, own_share) == (size, share)
        )

    def begin(self, reading: Reading | None) -> None:
        """Begins a pass: every worker starts from new random numbers."""
        base = draw_seed() if reading is None else reading.seed
        follow, tells = get_seed() is not None, reading is not None
        for i, end in enumerate(self._ends):
            state = None if reading is None else reading.states[i]
            self._outdated[i] = end.due
            end.tell(worker.Begin(base + i, follow, tells, state))

    def batches(
        self, tasks: Iterator[Any], prefetch: int, timeout: float, reading: Reading | None
    ) -> Iterator[Any]:
        """Yields batches; tasks go round the workers, so the order of replies is known."""
        due: collections.deque[tuple[int, Any]] = collections.deque()
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
            self._ends[i].ask(task)
            due.append((i, task))

        size = len(self._ends)
        first = 0 if reading is None else reading.first
        for i in range(first, first + prefetch * size):
            hand_out(i % size)
        while due:
            i, task = due.popleft()
            kind, content = self._receive(i, task, timeout)
            if kind == worker.FAILED:
                raise content.exception()
            if kind == worker.DONE:
                due = collections.deque(other for other in due if other[0] != i)
                continue
            hand_out(i)
            if reading is not None:
                content, state = content
                reading.arrived.append((i, state))
            yield content
            del content  # as soon as the user lets go of it, its memory may serve another batch
            for end in self._ends:
                end.give_back()
        if trouble is not None:
            raise trouble

    def ask(self, i: int) -> None:
        """Asks one worker for one more batch of its stream; for passes in an order of one's own."""
        self._ends[i].ask(None)

    def reply(self, i: int) -> Any:
        """Waits for what one worker replies next: its kind, and what came."""
        return self._receive(i, None, 0)

    def give_back(self, i: int) -> None:
        """Lets a worker use the memory again on which nothing stands any more."""
        self._ends[i].give_back()

    def _receive(self, i: int, task: Any, timeout: float) -> Any:
        """Waits for the reply to a task, past those of a pass that was left."""
        while self._outdated[i]:
            self._next_reply(i, task, timeout)
            self._outdated[i] -= 1
        return self._next_reply(i, task, timeout)

    def _next_reply(self, i: int, task: Any, timeout: float) -> Any:
        end, process = self._ends[i], self._processes[i]
        ready = connection.wait([end.conn, process.sentinel], timeout or None)
        if not ready:
            raise ExecutionTimeoutError(
                f"DataLoader: worker {i} (process id {process.pid}) sent no batch"
                f"{_of_samples(task)} within timeout={timeout} seconds.",
                hint="raise timeout, or look for what blocks in the dataset's __getitem__",
            )
        try:
            if end.conn.poll(0):
                return end.receive()
        except (EOFError, OSError, RuntimeError):
            process.join(1)
            if process.exitcode is None:
                raise
        raise RuntimeError(self._obituary(i, task))

    def _obituary(self, i: int, task: Any) -> str:
        process = self._processes[i]
        process.join(1)
        code = process.exitcode
        who = f"DataLoader worker {i} (process id {process.pid})"
        when = f"before it sent its batch{_of_samples(task)}"
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
            return f"{who} was killed by signal {name} {when}{hint}."
        return f"{who} exited with code {code} {when}."

    def shutdown(self, grace: float) -> None:
        """Ends the workers: lets them go by themselves for ``grace`` seconds, then makes them."""
        if os.getpid() != self._owner:
            return  # a fork of the trainer holds a copy of this pool; it is not its own
        for end in self._ends:
            end.close()
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
        self._ends, self._processes = [], []


def _of_samples(task: Any) -> str:
    """Which samples a task is about; tasks of streams tell none."""
    if task is None:
        return ""
    several = isinstance(task, (list, tuple, range))
    return f" of samples {brief(task)}" if several else f" of sample {task}"


def _start(process: Any) -> None:
    # Buffered output would be written twice, by the trainer and by the copy of it.
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    with warnings.catch_warnings():
        # torch's own threads make every process "multi-threaded"; workers use none of them.
        warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", append=False)
        process.start()
