"""Optimizer updates of all parameters in one call, bound to the values of a scope.

A pass joins the update operators of a Program (``sgd``, ``momentum``, ``adam``, ``adamw``) into one
``merged_update``; a plan makes one of the classes here of it, which keeps the lists of buffers from
step to step.
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
from paddle.ops.optimizer import updates as kernels


class Update:
    """Base: takes the buffers of parameters and their state, safe to write.

    Args:
        *slots (list[LoDTensor]): the parameters, then each kind of state, in one order.
        **attrs: attributes of the operators.
    """

    def __init__(self, *slots: Sequence[LoDTensor], **attrs: Any) -> None:
        self.params, *self.states = slots
        self.attrs = attrs
        self._seen_buffers: list[torch.Tensor] = []
        self._buffers: list[list[torch.Tensor]] = []

    def __call__(self, grads: list[torch.Tensor], rate: torch.Tensor) -> None:
        seen = self._seen_buffers
        held = self.held()
        if self._seen_buffers is not seen:
            self._check(held, grads)
        self.update(held, grads, rate.item())

    def held(self) -> list[list[torch.Tensor]]:
        """The buffers of parameters and of each kind of state, safe to write."""
        params = [writable(h.tensor) for h in self.params]
        buffers = [h.tensor._buf for slot in self.states for h in slot]
        if len(buffers) != len(self._seen_buffers) or not all(
            map(is_, buffers, self._seen_buffers)
        ):
            self._buffers = self._taken()
            self._seen_buffers = [b for slot in self._buffers for b in slot]
        return [params, *self._buffers]

    def _taken(self) -> list[list[torch.Tensor]]:
        """The buffers of the state, when there are others than in the step before."""
        return [[writable(h.tensor) for h in slot] for slot in self.states]

    def _check(self, held: list[list[torch.Tensor]], grads: list[torch.Tensor]) -> None:
        """The fused kernels trust their arguments."""
        for param, grad in zip(held[0], grads, strict=True):
            if param.shape != grad.shape:
                raise InvalidArgumentError(
                    f"expected a gradient of the parameter's shape {list(param.shape)}, "
                    f"but received {list(grad.shape)}."
                )
        for slot in held[1 : 1 + self.alike]:
            for param, state in zip(held[0], slot, strict=True):
                if param.shape != state.shape:
                    raise PreconditionNotMetError(
                        f"an optimizer's state has shape {list(state.shape)}, "
                        f"but its parameter {list(param.shape)}."
                    )

    alike = 0  # how many kinds of state have the parameter's shape

    def update(
        self, held: list[list[torch.Tensor]], grads: list[torch.Tensor], rate: float
    ) -> None:
        """Writes the new values."""
        self.count(held)
        self.apply(held[: 1 + self.alike], grads, rate, slice(None))

    def count(self, held: list[list[torch.Tensor]]) -> None:
        """Does what is due once for all parameters."""

    def apply(self, held: list, grads: list[torch.Tensor], rate: float, at: slice) -> None:
        """Computes new values of parameters and of the state that is like them.

        Args:
            held (list): their buffers, written in place.
            grads (list[torch.Tensor]): the gradients.
            rate (float): the learning rate.
            at (slice): which of the parameters these are.
        """
        raise NotImplementedError


class SGD(Update):
    """``p -= rate * g``."""

    def apply(self, held: list, grads: list, rate: float, at: slice) -> None:
        kernels.sgd_all(held[0], grads, rate)


class Momentum(Update):
    """SGD with velocity."""

    alike = 1

    def apply(self, held: list, grads: list, rate: float, at: slice) -> None:
        a = self.attrs
        scale = a.get("rescale_grad", 1.0)
        if scale != 1.0:
            grads = kernels.scale_all(grads, scale)
        decays = a.get("regularization_method") == "l2_decay"
        decay = a.get("regularization_coeff", 0.0) if decays else 0.0
        kernels.momentum_all(
            held[0], grads, held[1], rate, a["mu"], a.get("use_nesterov", False), decay
        )


class Adam(Update):
    """Adam; the number of updates follows from the stored powers of beta."""

    alike = 2
    decoupled = False

    def __init__(self, *slots: Sequence[LoDTensor], **attrs: Any) -> None:
        super().__init__(*slots, **attrs)
        self._steps: list[torch.Tensor] = []
        self._beta1, self._beta2 = attrs.get("beta1", 0.9), attrs.get("beta2", 0.999)
        self._seen_version = -1

    def count(self, held: list) -> None:
        pow1, pow2 = held[-2:]
        if self._powers._version != self._seen_version:
            self._steps = self._numbers(pow1, pow2)
        else:
            for step in {id(s): s for s in self._steps}.values():
                step.add_(1)
        self._epsilon = self._epsilon_after(pow2)
        self._powers.mul_(self._betas)
        self._seen_version = self._powers._version

    def apply(self, held: list, grads: list, rate: float, at: slice) -> None:
        a = self.attrs
        decay = a.get("coeff", 0.01) if self.decoupled and a.get("with_decay") else 0.0
        rate *= a.get("lr_ratio", 1.0) if self.decoupled else 1.0
        params, moment1, moment2 = held
        kernels.adam_all(
            params, grads, moment1, moment2, self._steps[at], rate, self._beta1, self._beta2,
            self._epsilon, decay, self.decoupled,
        )  # fmt: skip

    def _taken(self) -> list[list[torch.Tensor]]:
        """Lets the powers of all parameters share one buffer, which one call multiplies."""
        *moments, pow1, pow2 = super()._taken()
        self._powers = torch.cat([b.reshape(1) for b in (*pow1, *pow2)])
        self._betas = torch.cat(
            [torch.full_like(self._powers[: len(pow1)], b) for b in (self._beta1, self._beta2)]
        )
        self._seen_version = -1
        shared = iter(self._powers.split(1))
        for holder, old in zip(itertools.chain(*self.states[-2:]), (*pow1, *pow2), strict=True):
            holder.put(next(shared).view(old.shape))
        powers = [[h.tensor._buf for h in slot] for slot in self.states[-2:]]
        return [*moments, *powers]

    def _epsilon_after(self, pow2: list) -> float:
        """The epsilon to compute with, when the powers are still those of the update before."""
        return self.attrs.get("epsilon", 1e-8)

    def _numbers(self, pow1: list, pow2: list) -> list[torch.Tensor]:
        """The number of this update for every parameter; usually it is one for all."""
        betas = self._beta1, self._beta2
        steps = [kernels._count(a, betas[0], b, betas[1]) for a, b in zip(pow1, pow2, strict=True)]
        same = all(float(s) == float(steps[0]) for s in steps)
        return [steps[0]] * len(steps) if same else steps


class AdamW(Adam):
    """Adam with decoupled weight decay."""

    decoupled = True


class LazyAdam(Adam):
    """Adam of the rows of tables; :func:`paddle.ops.optimizer.updates.lazy_count` counts."""

    def _epsilon_after(self, pow2: list) -> float:
        epsilon = super()._epsilon_after(pow2)
        if not self.attrs.get("epsilon_outside"):
            return epsilon
        return epsilon / math.sqrt(1.0 - pow2[0].item() * self._beta2)

    def _numbers(self, pow1: list, pow2: list) -> list[torch.Tensor]:
        steps = super()._numbers(pow1, pow2)
        ahead = {id(s): kernels.lazy_count(s) for s in steps}
        return [ahead[id(s)] for s in steps]


class RowsUpdate:
    """The update of tables by the rows that were looked up.

    Args:
        update (Update): does the arithmetic, on the rows.
        look_ups (list[int]): how many look-ups each table had.
        padding (list[int]): for every look-up the row that gets no gradient; -1 for none.
    """

    def __init__(self, update: Update, look_ups: list[int], padding: list[int]) -> None:
        self.update, self.padding = update, padding
        ends = list(itertools.accumulate(look_ups, initial=0))
        self._spans = [slice(a, b) for a, b in itertools.pairwise(ends)]

    def __call__(
        self, ids: list[torch.Tensor], grads: list[torch.Tensor], rate: torch.Tensor
    ) -> None:
        """Sums the gradients of every row up and updates the rows in place."""
        held = self.update.held()
        merges = by_row.all_gathered(
            [(ids[at], grads[at], self.padding[at]) for at in self._spans],
            [table.shape for table in held[0]],
        )
        self.update.count(held)
        alike, number = held[: 1 + self.update.alike], rate.item()
        # One table after the other: its rows are still in the cache when they are written back.
        for i, (rows, values) in enumerate(merges):
            tables = [slot[i] for slot in alike]
            parts = [by_row.rows_of(t, rows) for t in tables]
            self.update.apply([[p] for p in parts], [values], number, slice(i, i + 1))
            by_row.put_back(tables, rows, parts)


# type -> (class, slots of what is updated: the parameter first)
MERGED: dict[str, tuple[type[Update], tuple[str, ...]]] = {
    "sgd": (SGD, ("Param",)),
    "momentum": (Momentum, ("Param", "Velocity")),
    "adam": (Adam, ("Param", "Moment1", "Moment2", "Beta1Pow", "Beta2Pow")),
    "adamw": (AdamW, ("Param", "Moment1", "Moment2", "Beta1Pow", "Beta2Pow")),
}
# The same for tables that are updated by rows.
BY_ROWS: dict[str, type[Update]] = {"sgd": SGD, "adam": LazyAdam}
# Attributes that change what is computed.
ATTRIBUTES = (
    "mu", "use_nesterov", "regularization_method", "regularization_coeff", "rescale_grad", "beta1",
    "beta2", "epsilon", "coeff", "with_decay", "lr_ratio", "epsilon_outside",
)  # fmt: skip


def settings(op: Operator) -> dict[str, Any]:
    """What an update operator says about how it computes, defaults included."""
    defaults = op.definition.attrs if op.definition else {}
    return {a: op.attrs.get(a, defaults.get(a)) for a in ATTRIBUTES if a in defaults}


@emitter("merged_update")
def _emit(e: Emitter, op: Operator) -> None:
    name = e.temporary("update")
    e.before(f"{name} = {_maker(e, op, MERGED[op.attrs['kind']][0])}")
    grads = ", ".join(e.read(n) for n in op.inputs["Grad"])
    e.line(f"{name}([{grads}], {e.read(op.inputs['LearningRate'][0])})")
    for written in _still_read(e, op):
        e.reload(written)


@emitter("rows_update")
def _emit_rows(e: Emitter, op: Operator) -> None:
    kind = BY_ROWS[op.attrs["kind"]]
    update = _maker(e, op, kind)
    name = e.temporary("update_rows")
    counts = f"{op.attrs['look_ups']!r}, {op.attrs['padding']!r}"
    e.before(f"{name} = {e.constant(RowsUpdate, 'RowsUpdate')}({update}, {counts})")
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


def _maker(e: Emitter, op: Operator, kind: type[Update]) -> str:
    """The expression that makes the update of an operator from the scope's holders."""
    slots = MERGED[op.attrs["kind"]][1]
    held = ", ".join(
        "[" + ", ".join(e.scope_slot(n) for n in op.inputs[slot]) + "]" for slot in slots
    )
    e.needed.update(dict.fromkeys(n for slot in slots for n in op.inputs[slot]))
    words = "".join(f", {k}={e.literal(op.attrs[k], k)}" for k in ATTRIBUTES if k in op.attrs)
    return f"{e.constant(kind, kind.__name__)}({held}{words})"


def _still_read(e: Emitter, op: Operator) -> list[str]:
    """Of what is updated, the variables that something after it reads."""
    after = op.block.ops[op.idx + 1 :]
    later = {*e.fetches, *(n for o in after for n in (*o.input_arg_names, *inner_names(o)))}
    return [n for n in op.output_arg_names if n in later]
