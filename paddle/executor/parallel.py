"""Data parallel runs: each place takes a part of the batch, and gradients are averaged.

The Program is cut in two: what computes gradients runs once per place, on the place's part of the
feed; what the optimizer adds runs once, on the gradients of all places together. Where there are
several processes, gradients are added up over the places first and then over the processes, in the
second part; with one place the Program is not cut, so that backward goes on meanwhile.

Parameters exist once. Other persistable variables that the first part writes, such as the running
statistics of a batch norm, are each place's own; those of the first place are the scope's.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from paddle.core.dtype import FLOATING
from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.core.lod import LoDTensor
from paddle.core.mode import hooked
from paddle.core.rings import rings
from paddle.core.setting import as_here
from paddle.executor.agreement import ring_with_others
from paddle.executor.int8_choice import int8_plan
from paddle.executor.place_ring import AnotherFailed, Meeting, as_place
from paddle.executor.plan import Plan
from paddle.executor.scope import Scope
from paddle.ir.cloning import clone
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program
from paddle.ir.randomness import random_in
from paddle.ops.collective import WAITS
from paddle.passes import prepare
from paddle.passes.fuse_all_reduce import MEAN


class ParallelPlan:
    """A training or test Program made ready to run on several places.

    Args:
        program (Program): what to run.
        feeds (Sequence[str]): variables that are given.
        fetches (Sequence[str]): variables to return.
        devices (Sequence[torch.device]): the places.
        average (bool): gradients are averaged; False adds them up.
        skipped (Sequence[str]): passes to leave out.
        op_callback (callable, optional): called after every operator, as by :class:`Plan`.
        trainers (int): how many processes add up their gradients, by ring 0.
    """

    def __init__(self, program: Program, feeds: Sequence[str], fetches: Sequence[str],
                 devices: Sequence[Any], average: bool,
                 skipped: Sequence[str] = (), op_callback: Any = None,
                 trainers: int = 1) -> None:  # fmt: skip
        self.devices = list(devices)
        self.average = average
        first, second = clone(program), clone(program)
        whole = len(self.devices) == 1 and (trainers > 1 or any(map(_exchanges, _top(program))))
        _keep(first, lambda op: whole or not _late(op))
        _keep(second, lambda op: not whole and _late(op))
        self.meets = len(self.devices) > 1 and any(op.type in _MEETING for op in _all(_top(first)))
        several = len(self.devices) > 1
        self._at_once = _mixed(first) if several and not self.meets else []
        self._overtaking = _overtaking(program) if several else []
        if trainers > 1 and not any(map(_exchanges, _top(program))):
            _exchange_gradients(first, second, whole, average)
        late = {n for op in _top(second) for n in op.output_arg_names}
        early = {n for op in _top(first) for n in op.output_arg_names}
        self.handed = _handed_over(first, second, early)
        self.early = [n for n in fetches if n not in late]
        self.late = [n for n in fetches if n in late]
        self.fetches = list(fetches)
        top = first.global_block().vars
        self.own = [n for n in early if n in top and top[n].persistable and n not in late]
        computed = [*self.early, *self.handed]
        forward: Plan | None = int8_plan(
            first, feeds, computed, False, op_callback, self.devices[0]
        )
        if forward is None:
            prepared = prepare(first, feeds, computed, fuse=op_callback is None, skipped=skipped)
            forward = Plan(prepared, feeds, computed, op_callback)
        self.forward = forward
        given = [*self.handed, *(n for n in feeds if n in _read(second))]
        self.given = given[len(self.handed) :]
        self.update = None
        if second.global_block().ops:
            prepared = prepare(second, given, self.late, fuse=op_callback is None, skipped=skipped)
            self.update = Plan(prepared, given, self.late, op_callback)
        self._scopes: weakref.WeakKeyDictionary[Scope, list[Scope]] = weakref.WeakKeyDictionary()

    @property
    def plans(self) -> list[Plan]:
        """The parts."""
        return [self.forward] if self.update is None else [self.forward, self.update]

    def scopes(self, scope: Scope) -> list[Scope]:
        """The scope of every place; the first one's is the user's own."""
        known = self._scopes.get(scope)
        if known is None:
            known = [scope]
            for _ in self.devices[1:]:
                inner = Scope(scope)
                for name in self.own:
                    held = scope.find_var(name)
                    if held is not None and held.held.tensor is not None:
                        inner.var(name).held.put(held.held.tensor._buf.clone())
                known.append(inner)
            self._scopes[scope] = known
        return known

    def run(self, scope: Scope, parts: list[list[torch.Tensor]], threads: int) -> list[list[Any]]:
        """Runs one step.

        Args:
            scope (Scope): holds the parameters.
            parts (list): for each place its fed buffers.
            threads (int): how many places compute at the same time.

        Returns:
            list: for each fetched variable the buffers of all places.
        """
        scopes = self.scopes(scope)
        jobs = list(zip(scopes, parts, strict=True))
        drawn = threads > 1 and random_in(self.forward.program)
        _refuse(self._overtaking if threads == 1 or drawn else self._overtaking + self._at_once)
        if self.meets:
            results = self._meeting(jobs, threads < len(jobs) or bool(drawn))
        elif threads > 1 and not drawn:
            with ThreadPoolExecutor(threads) as pool:
                parts_done = [pool.submit(as_here(self._compute), *job) for job in jobs]
                results = [part.result() for part in parts_done]
        else:
            results = [self._compute(*job) for job in jobs]
        count = len(self.early)
        values = {n: [r[i] for r in results] for i, n in enumerate(self.early)}
        if self.update is not None:
            sums = [self._joined([r[count + i] for r in results]) for i in range(len(self.handed))]
            extra = [parts[0][self.forward.feeds.index(n)] for n in self.given]
            with hooked(None):
                updated = self.update.run(scope, [*sums, *extra])
            values |= {n: [b] for n, b in zip(self.late, updated, strict=True)}
        return [values[n] for n in self.fetches]

    def _meeting(self, jobs: list[tuple], in_turn: bool) -> list[tuple]:
        """Runs the first part where places exchange values in it: all have to run at once."""
        meeting = Meeting(len(jobs), in_turn)

        def work(place: int) -> tuple:
            with as_place(meeting, place):
                return self._compute(*jobs[place])

        with ThreadPoolExecutor(len(jobs)) as pool:
            begun = [pool.submit(as_here(work), place) for place in range(len(jobs))]
            failed = [e for part in begun if (e := part.exception()) is not None]
            causes = [e for e in failed if not isinstance(e, AnotherFailed)]
            for error in causes or failed:
                raise error
            return [part.result() for part in begun]

    def _compute(self, scope: Scope, buffers: list[torch.Tensor]) -> tuple:
        with hooked(None):
            return self.forward.run(scope, buffers)

    def _joined(self, grads: list[torch.Tensor]) -> torch.Tensor:
        """The gradient of the whole batch."""
        total = grads[0]
        for grad in grads[1:]:
            total = torch.add(total, grad.to(total.device))
        return torch.div(total, len(grads)) if self.average and len(grads) > 1 else total


_MEETING = ("sync_batch_norm", "sync_batch_norm_grad")


def _top(program: Program) -> list[Operator]:
    return program.global_block().ops


def _exchanges(op: Operator) -> bool:
    """Whether an operator adds up gradients over processes."""
    return op.type.startswith("c_allreduce_") and not op.attrs.get("use_model_parallel")


def _late(op: Operator) -> bool:
    """Whether an operator belongs to the second part, which runs once for all places."""
    return _updates(op) or (
        bool(op.role & Role.BACKWARD)
        and op.role != Role.NOT_SPECIFIED
        and (_exchanges(op) or op.type in WAITS)
    )


def _exchange_gradients(first: Program, second: Program, whole: bool, average: bool) -> None:
    """Adds up over the processes what the optimizer gets of backward, as soon as it is made."""
    program = first if whole else second
    block = program.global_block()
    if whole:
        computing, updating = clone(first), clone(first)
        _keep(computing, lambda op: not _updates(op))
        _keep(updating, _updates)
    else:
        computing, updating = first, second
    made = {n for op in _top(computing) for n in op.output_arg_names}
    for name in _handed_over(computing, updating, made):
        at = 0
        if whole:
            writers = [i for i, op in enumerate(block.ops)
                       if name in op.output_arg_names and not _updates(op)]  # fmt: skip
            at = writers[-1] + 1
        attrs = {"ring_id": 0, "op_role": int(Role.BACKWARD), MEAN: average}
        if block._var_recursive(name).dtype in FLOATING:
            same = {"X": [name]}, {"Out": [name]}
            block.ops.insert(at, Operator(block, "c_allreduce_sum", *same, attrs))
    program.note_change()


def _all(ops: Sequence[Operator]) -> Iterator[Operator]:
    """Operators with those of their blocks."""
    for op in ops:
        yield op
        for block in op.sub_blocks:
            yield from _all(block.ops)


def _mixed(first: Program) -> list[tuple[Operator, int]]:
    """What every place exchanges with other processes, and over which ring."""
    return [(op, r) for op in _all(_top(first)) if (r := ring_with_others(op)) is not None]


def _overtaking(program: Program) -> list[tuple[Operator, int]]:
    """Operators of the first part that need what the second part exchanges, and its ring."""
    found: list[tuple[Operator, int]] = []
    exchanged: dict[str, int] = {}
    for op in _top(program):
        if _late(op):
            if _exchanges(op):
                exchanged |= dict.fromkeys(op.output_arg_names, op.attrs.get("ring_id", 0))
            continue
        found += [(op, exchanged[name]) for name in op.input_arg_names if name in exchanged]
        for name in op.output_arg_names:
            exchanged.pop(name, None)
    return found


def _refuse(exchanging: list[tuple[Operator, int]]) -> None:
    """Raises where the places of one process cannot exchange as the Program says."""
    for op, ring in exchanging:
        if rings.get(ring).size > 1:
            raise UnimplementedError(
                f"operator {op.type} takes part in an exchange with other processes, over ring "
                f"{ring}, in the part of a Program that every place computes: expected one place "
                "in each process, but this process has several, which would mix their values up.",
                hint="start a process for each place by python -m paddle.distributed.launch",
            )


def _updates(op: Operator) -> bool:
    return bool(op.role & (Role.OPTIMIZE | Role.LR_SCHED)) and op.role != Role.NOT_SPECIFIED


def _keep(program: Program, wanted: Any) -> None:
    block = program.global_block()
    block.ops = [op for op in block.ops if wanted(op)]
    program.note_change()


def _read(program: Program) -> set[str]:
    return {n for op in program.global_block().ops for n in op.input_arg_names}


def _handed_over(first: Program, second: Program, early: set[str]) -> list[str]:
    """What the second part needs of the first: gradients."""
    top = first.global_block().vars
    made: set[str] = set()
    found: set[str] = set()
    for op in second.global_block().ops:
        found |= {n for n in op.input_arg_names if n in early and n not in made}
        made.update(op.output_arg_names)
    return sorted(n for n in found if not top[n].persistable)


def split_feed(feed: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Cuts every fed batch into so many parts, the first ones one row longer where need be."""
    parts: list[dict[str, Any]] = [{} for _ in range(count)]
    for name, value in feed.items():
        if isinstance(value, LoDTensor):
            value = value._filled()
        if not hasattr(value, "__len__") or not len(np.shape(value)):
            raise InvalidArgumentError(
                f"the value fed for {name!r} cannot be divided among {count} places: expected a "
                f"batch, but received {type(value).__name__}.",
                hint="feed a list with a dict for each place",
            )
        rows = len(value)
        if rows < count:
            raise InvalidArgumentError(
                f"the batch fed for {name!r} has {rows} rows, but there are {count} places; "
                "expected at least one row for each.",
                hint="use fewer places (CPU_NUM), or drop the last incomplete batch",
            )
        start = 0
        for i in range(count):
            stop = start + rows // count + (i < rows % count)
            parts[i][name] = value[start:stop]
            start = stop
    return parts


def merge(buffers: list[Any], return_numpy: bool, merged: bool) -> Any:
    """What one fetched variable is for several places."""
    from paddle.executor.executor import fetched_array, fetched_tensor

    if len(buffers) > 1 and merged and all(isinstance(b, torch.Tensor) for b in buffers):
        shapes = {tuple(b.shape[1:]) for b in buffers}
        if len(shapes) > 1:
            raise InvalidArgumentError(
                "the places computed values of different shapes, which cannot be joined: "
                f"{[list(b.shape) for b in buffers]}.",
                hint="call Executor.run(..., return_merged=False)",
            )
        buffers = [torch.cat([b.to(buffers[0].device) for b in buffers])]
    convert = fetched_array if return_numpy else fetched_tensor
    made = [convert(b) for b in buffers]
    return made[0] if merged and len(made) == 1 else made
