"""Learning rates as functions of the steps that all trainers have made: servers ask for them."""

from __future__ import annotations

import copy
import threading
from typing import Any

from paddle.core.errors import UnimplementedError
from paddle.executor.executor import Executor
from paddle.executor.scope import Scope
from paddle.ir.cloning import clone
from paddle.ir.operator import Role
from paddle.ir.program import Program
from paddle.optimizer.lr import LRScheduler, NoamDecay, ReduceOnPlateau


class SchedulerRate:
    """The rate of an LRScheduler, which goes on by one epoch every so many steps.

    Args:
        scheduler (LRScheduler): a copy is taken.
        steps (int): steps of all trainers together that make an epoch (``lr_decay_steps``).

    Raises:
        UnimplementedError: the schedule follows losses, which servers do not see.
    """

    def __init__(self, scheduler: LRScheduler, steps: int) -> None:
        if isinstance(scheduler, ReduceOnPlateau):
            raise UnimplementedError(
                "ReduceOnPlateau follows a loss, which parameter servers do not see.",
                hint="take a schedule of the step, such as ExponentialDecay",
            )
        self._first = copy.deepcopy(scheduler)
        # Noam's rate is one of steps, as in 2.0; the others go on by epochs.
        self._steps = 1 if isinstance(scheduler, NoamDecay) else max(1, int(steps))
        self._lock = threading.Lock()
        self._restart()

    def _restart(self) -> None:
        self._now, self._epoch = copy.deepcopy(self._first), 0

    def __call__(self, step: int) -> float:
        """The rate after so many steps of all trainers."""
        epoch = step // self._steps
        with self._lock:
            if epoch < self._epoch:
                self._restart()
            while self._epoch < epoch:
                self._now.step()
                self._epoch += 1
            return float(self._now())


class ProgramRate:
    """The rate that operators of a Program of 1.x compute from a counter of steps.

    Args:
        main (Program): has the operators, with the role ``LR_SCHED``.
        startup (Program): sets what they count with.
        name (str): the variable of the rate.
        trainers (int): how many steps of all trainers are one of the schedule.
        starts (dict, optional): in place of ``startup``: values by name; ``main`` has no other
            operators then.
    """

    def __init__(
        self, main: Program, startup: Program | None, name: str, trainers: int = 1,
        starts: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self._name, self._trainers = name, max(1, trainers)
        self._program = main
        if startup is not None:
            self._program = _only(main, lambda op: op.role == Role.LR_SCHED)
        block = self._program.global_block()
        read = {n for op in block.ops for n in (*op.input_arg_names, *op.output_arg_names)}
        self._scope = Scope()
        self._executor = Executor()
        for key in read.intersection(starts or {}):
            self._scope.var(key).held.put((starts or {})[key].clone())
        if startup is not None:
            first = _only(startup, lambda op: bool(read.intersection(op.output_arg_names)))
            self._executor.run(first, scope=self._scope)
        self._counters = {
            op.output_arg_names[0]: (
                self._scope.var(op.output_arg_names[0]).get_tensor(), op.attrs.get("step", 1.0)
            )
            for op in block.ops
            if op.type == "increment"
        }  # fmt: skip
        self._first = {n: held.numpy().copy() for n, (held, _) in self._counters.items()}
        self._lock = threading.Lock()
        self._known: dict[int, float] = {}

    def __call__(self, step: int) -> float:
        """The rate after so many steps of all trainers."""
        step //= self._trainers
        with self._lock:
            if step not in self._known:
                for name, (held, by) in self._counters.items():
                    start = self._first[name]
                    held.set((start + step * by).astype(start.dtype))
                got = self._executor.run(self._program, fetch_list=[self._name], scope=self._scope)
                self._known = {step: float(got[0].reshape(-1)[0])}
            return self._known[step]


def _only(program: Program, kept: Any) -> Program:
    """A copy of a Program with some of its operators."""
    made = clone(program)
    block = made.global_block()
    block.ops = [op for op in block.ops if kept(op)]
    made.note_change()
    return made
