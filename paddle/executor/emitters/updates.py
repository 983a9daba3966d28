"""Optimizer updates of all parameters in one call, bound to the values of a scope.

A pass joins the update operators of a Program into one ``merged_update``; a plan makes of it a
:class:`MergedUpdate`, which keeps the lists of buffers from step to step.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from operator import is_
from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.lod import LoDTensor
from paddle.core.writes import writable
from paddle.executor.codegen import Emitter, emitter
from paddle.ir.needs import inner_names
from paddle.ir.operator import Operator
from paddle.ops.optimizer import row_updates as by_row
from paddle.ops.optimizer.counting import PowerCount
from paddle.ops.optimizer.engine import FusedUpdate
from paddle.ops.optimizer.rules import UpdateRule
from paddle.ops.optimizer.updates import rule_of

Buffers = list[torch.Tensor]


class MergedUpdate:
    """Updates what the holders of a scope have, by a rule.

    Args:
        rule (UpdateRule): what is computed.
        *slots (list[LoDTensor]): the parameters, then each accumulator of the rule, in one order.
        ahead (int): how many updates ahead the rule counts.
        epsilon_outside (bool): epsilon is not scaled with the correction of the bias, as in 1.x.
        **settings: of the rule.
    """

    def __init__(
        self,
        rule: UpdateRule,
        *slots: Sequence[LoDTensor],
        ahead: int = 0,
        epsilon_outside: bool = False,
        **settings: Any,
    ) -> None:
        self.params, *self.accumulators = slots
        self._seen_buffers: Buffers = []
        self._buffers: list[Buffers] = []
        self._states = len(rule.states)
        self.count = PowerCount(rule, settings, ahead)
        self.fused = FusedUpdate(rule, settings, self.count)
        self._epsilon = settings["epsilon"] if epsilon_outside else None
        self._ahead = settings["beta2"] if epsilon_outside and ahead else 1.0
        self._alike = True  # whether all parameters had the same number of updates

    def __call__(self, grads: Buffers, rate: torch.Tensor) -> None:
        seen = self._seen_buffers
        params, states = self.held()
        if self._seen_buffers is not seen:
            self._check(params, grads, states)
        if self._epsilon is not None:
            if not self._alike:
                self._update_each(params, grads, states, rate.item())
                return
            self.fused.settings["epsilon"] = self._corrected(0)
        self.fused.update(params, grads, states, rate.item())

    def _corrected(self, at: int) -> float:
        """The epsilon with which this release's rule computes what 1.x does."""
        assert self._epsilon is not None
        return self._epsilon / math.sqrt(1.0 - self.count.powers[-1][at].item() * self._ahead)

    def _update_each(
        self, params: Buffers, grads: Buffers, states: list[Buffers], rate: float
    ) -> None:
        """Updates one parameter after the other, each with its own epsilon."""
        epsilons = [self._corrected(i) for i in range(len(params))]
        ((steps,),) = self.count.advance(params)
        for i, epsilon in enumerate(epsilons):
            at = slice(i, i + 1)
            settings = {**self.fused.settings, "epsilon": epsilon}
            held = (slot[at] for slot in states)
            self.fused.rule.update(params[at], grads[at], *held, rate, steps[at], **settings)

    def held(self) -> tuple[Buffers, list[Buffers]]:
        """The buffers of parameters and of each kind of state, safe to write."""
        params = [writable(h.tensor) for h in self.params]
        buffers = [h.tensor._buf for slot in self.accumulators for h in slot]
        if len(buffers) != len(self._seen_buffers) or not all(
            map(is_, buffers, self._seen_buffers)
        ):
            self._buffers = self._taken()
            self._seen_buffers = [b for slot in self._buffers for b in slot]
        return params, self._buffers[: self._states]

    def _taken(self) -> list[Buffers]:
        """The buffers of the accumulators, when there are others than in the step before."""
        buffers = [[writable(h.tensor) for h in slot] for slot in self.accumulators]
        states, given = buffers[: self._states], buffers[self._states :]
        powers = self.count.take(given)
        if self._epsilon is not None:
            self._alike = len({p.item() for p in powers[-1]}) == 1
        if powers is given:
            return buffers
        holders = itertools.chain(*self.accumulators[self._states :])
        for holder, power in zip(holders, itertools.chain(*powers), strict=True):
            holder.put(power)
        return [*states, *([h.tensor._buf for h in s] for s in self.accumulators[self._states :])]

    def _check(self, params: Buffers, grads: Buffers, states: list[Buffers]) -> None:
        """The fused kernels trust their arguments."""
        for param, grad in zip(params, grads, strict=True):
            if param.shape != grad.shape:
                raise InvalidArgumentError(
                    f"expected a gradient of the parameter's shape {list(param.shape)}, "
                    f"but received {list(grad.shape)}."
                )
        for slot in states:
            for param, state in zip(params, slot, strict=True):
                if param.shape != state.shape:
                    raise PreconditionNotMetError(
                        f"an optimizer's state has shape {list(state.shape)}, "
                        f"but its parameter {list(param.shape)}."
                    )


class RowsUpdate:
    """The update of tables by the rows that were looked up.

    Args:
        update (MergedUpdate): does the arithmetic, on the rows.
        look_ups (list[int]): how many look-ups each table had.
        padding (list[int]): for every look-up the row that gets no gradient; -1 for none.
        epsilon_outside (bool): epsilon is added before the bias is corrected, as up to 1.8.
    """

    def __init__(
        self, update: MergedUpdate, look_ups: list[int], padding: list[int], epsilon_outside: bool
    ) -> None:
        self.update, self.padding = update, padding
        ends = list(itertools.accumulate(look_ups, initial=0))
        self._spans = [slice(a, b) for a, b in itertools.pairwise(ends)]
        self._epsilon = update.fused.settings["epsilon"] if epsilon_outside else None

    def __call__(self, ids: Buffers, grads: Buffers, rate: torch.Tensor) -> None:
        """Sums the gradients of every row up and updates the rows in place."""
        merges = by_row.all_gathered(
            [(ids[at], grads[at], self.padding[at]) for at in self._spans],
            [table.shape for table in self.update.held()[0]],
        )
        self._update(merges, rate)

    def _update(self, merges: list[tuple[torch.Tensor, torch.Tensor]], rate: torch.Tensor) -> None:
        tables, states = self.update.held()
        fused = self.update.fused
        if self._epsilon is not None:
            power, beta2 = self.update.count.powers[-1][0], fused.settings["beta2"]
            fused.settings["epsilon"] = self._epsilon / math.sqrt(1.0 - power.item() * beta2)
        fused.update_rows(tables, merges, states, rate.item())


class WholeRowsUpdate(RowsUpdate):
    """The same where the gradient of the whole table was computed: its rows are taken out."""

    def __call__(self, ids: Buffers, grads: Buffers, rate: torch.Tensor) -> None:
        """Updates the rows that occur in place."""
        self._update([by_row.rows_that_occur(ids, grads[0], self.padding)], rate)


@emitter("merged_update")
def _emit(e: Emitter, op: Operator) -> None:
    name = e.temporary("update")
    e.before(f"{name} = {_maker(e, op)}")
    grads = ", ".join(e.read(n) for n in op.inputs["Grad"])
    e.line(f"{name}([{grads}], {e.read(op.inputs['LearningRate'][0])})")
    for written in _still_read(e, op):
        e.reload(written)


@emitter("rows_update")
def _emit_rows(e: Emitter, op: Operator) -> None:
    update = _maker(e, op, by_rows=True)
    name = e.temporary("update_rows")
    counts = ", ".join(repr(op.attrs[k]) for k in ("look_ups", "padding", "epsilon_outside"))
    made = WholeRowsUpdate if op.attrs.get("whole") else RowsUpdate
    e.before(f"{name} = {e.constant(made, made.__name__)}({update}, {counts})")
    ids = ", ".join(e.read(n) for n in op.inputs["Ids"])
    grads = ", ".join(e.read(n) for n in op.inputs["OutGrad"])
    e.line(f"{name}([{ids}], [{grads}], {e.read(op.inputs['LearningRate'][0])})")
    for written in _still_read(e, op):
        e.reload(written)


@emitter("rows_gradient")
def _emit_rows_gradient(e: Emitter, op: Operator) -> None:
    ids = ", ".join(e.read(n) for n in op.inputs["Ids"])
    grads = ", ".join(e.read(n) for n in op.inputs["OutGrad"])
    function = e.constant(by_row.gradient_of_look_ups, "gradient_of_look_ups")
    shape = e.constant(torch.Size(op.attrs["shape"]), "size")
    made = f"{function}([{ids}], [{grads}], {op.attrs['padding']!r}, {shape})"
    e.line(f"{e.write(op.outputs['Out'][0])} = {made}")


@emitter("rows_of_table")
def _emit_rows_of_table(e: Emitter, op: Operator) -> None:
    ids = ", ".join(e.read(n) for n in op.inputs["Ids"])
    function = e.constant(by_row.rows_of_table, "rows_of_table")
    made = f"{function}([{ids}], {e.read(op.inputs['X'][0])}, {op.attrs['padding']!r})"
    e.line(f"{e.write(op.outputs['Out'][0])} = {made}")


def _maker(e: Emitter, op: Operator, by_rows: bool = False) -> str:
    """The expression that makes the update of an operator from the scope's holders."""
    kind = op.attrs["kind"]
    rule = rule_of(kind)
    assert rule is not None, kind  # what a pass merged has one
    updated = [op.inputs[slot] for slot in rule.updated]
    held = ", ".join("[" + ", ".join(map(e.scope_slot, names)) + "]" for names in updated)
    e.needed.update(dict.fromkeys(n for names in updated for n in names))
    words = {k: op.attrs[k] for k in rule.settings if k in op.attrs}
    if (by_rows or op.attrs.get("ahead")) and rule.rows_ahead:
        words["ahead"] = rule.rows_ahead
    if not by_rows and op.attrs.get("epsilon_outside"):
        words["epsilon_outside"] = True
    listed = "".join(f", {k}={e.literal(v, k)}" for k, v in words.items())
    made = e.constant(MergedUpdate, "MergedUpdate")
    return f"{made}({e.constant(rule, f'rule_{kind}')}, {held}{listed})"


def _still_read(e: Emitter, op: Operator) -> list[str]:
    """Of what is updated, the variables that something after it reads."""
    after = op.block.ops[op.idx + 1 :]
    later = {*e.fetches, *(n for o in after for n in (*o.input_arg_names, *inner_names(o)))}
    return [n for n in op.output_arg_names if n in later]
