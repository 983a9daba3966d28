"""What the command line asks for, and what every group of benchmarks needs of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from benchmarks.measure import Effort, Result, clock_for, interleave, merged
from benchmarks.worker import KEPT, Worker, WorkerFailed

LAUNCHES = 3
"""Processes per side, one after another: where buffers happen to lie is worth a few per cent."""


@dataclass
class Options:
    """The command line.

    Attributes:
        only: run what has this in its group or name; empty for everything.
        quick: measure roughly.
        threads: numbers of threads to measure at.
        oracle: interpreter of a real PaddlePaddle, or empty.
        jax: interpreter with JAX, or empty.
        predictors: interpreters of further releases of PaddlePaddle, whose Predictors run too.
        oracle185: interpreter of PaddlePaddle 1.8.5, or empty.
        visualdl: interpreter of the real VisualDL, or empty.
    """

    only: str
    quick: bool
    threads: tuple[int, ...]
    oracle: str = ""
    jax: str = ""
    predictors: tuple[str, ...] = ()
    oracle185: str = ""
    visualdl: str = ""

    def wants(self, group: str, name: str) -> bool:
        """Says whether a row is asked for."""
        return self.only.lower() in f"{group}: {name}".lower()

    def effort(self, rounds: int, seconds: float) -> Effort:
        """The effort of a full run, or less with ``--quick``."""
        full = Effort(rounds, seconds)
        return full.quick() if self.quick else full


def skipped(what: str, why: object) -> None:
    """Says on stderr why a row is missing."""
    print(f"-- {what}: left out, {why}", file=sys.stderr)


def compare_processes(
    module: str,
    task: str,
    sides: tuple[str, ...],
    threads: int,
    effort: Effort,
    before: Callable[[dict[str, Worker]], None] = lambda workers: None,
    peer: tuple[str, str, str] | None = None,
) -> Result | None:
    """Measures a workload with every side in a process of its own, in turns.

    Args:
        module, task: see :class:`Worker`.
        sides: of these, at least ``ours``.
        threads: of every process.
        effort: how long.
        before: looks at the workers before time is taken.
        peer: one more side, its module and the interpreter that it needs.

    Returns:
        The result, or None (and a line on stderr) where a side fails.
    """
    results = []
    share = Effort(-(-effort.rounds // LAUNCHES), effort.seconds)
    try:
        for _ in range(LAUNCHES):
            with ExitStack() as stack:
                workers = {
                    side: stack.enter_context(Worker(module, task, side, threads)) for side in sides
                }
                if peer:
                    side, where, python = peer
                    workers[side] = stack.enter_context(
                        Worker(where, task, side, threads, python, preload=side)
                    )
                before(workers)
                timers = {side: worker.time for side, worker in workers.items()}
                results.append(interleave(timers, share, clock_for(threads)))
    except WorkerFailed as error:
        skipped(f"{module} {task}", error)
        return None
    return merged(results)


SIDES = ("ours", "torch", KEPT)
