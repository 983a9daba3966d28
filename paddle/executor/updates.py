"""Optimizer updates of all parameters in one call, bound to the values of a scope.

A pass joins the update operators of a Program (``sgd``, ``momentum``, ``adam``, ``adamw``) into one
``merged_update``; a plan makes one of the classes here of it, which keeps the lists of buffers from
step to step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import is_
from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.lod import LoDTensor
from paddle.core.tensor import writable
from paddle.executor.codegen import Emitter, emitter
from paddle.executor.liveness import inner_names
from paddle.ir.operator import Operator
from paddle.ops import optimizer as kernels
from paddle.ops import rows as by_row


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
        params = [writable(h.tensor) for h in self.params]
        buffers = [h.tensor._buf for slot in self.states for h in slot]
        held = self._buffers
        if len(buffers) != len(self._seen_buffers) or not all(
            map(is_, buffers, self._seen_buffers)
        ):
            held = self._buffers = [[writable(h.tensor) for h in s] for s in self.states]
            self._seen_buffers = [b for slot in held for b in slot]
            self._check([params, *held], grads)
        self.update([params, *held], grads, rate.item())

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
        raise NotImplementedError


class SGD(Update):
    """``p -= rate * g``."""

    def update(self, held: list, grads: list, rate: float) -> None:
        kernels.sgd_all(held[0], grads, rate)


class Momentum(Update):
    """SGD with velocity."""

    alike = 1

    def update(self, held: list, grads: list, rate: float) -> None:
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
        self._seen: list[Any] = []

    def update(self, held: list, grads: list, rate: float) -> None:
        params, moment1, moment2, pow1, pow2 = held
        a = self.attrs
        beta1, beta2 = a.get("beta1", 0.9), a.get("beta2", 0.999)
        if self._seen != [(id(b), b._version) for b in pow2]:
            self._count(pow1, beta1, pow2, beta2)
        else:
            for step in {id(s): s for s in self._steps}.values():
                step.add_(1)
        decay = a.get("coeff", 0.01) if self.decoupled and a.get("with_decay") else 0.0
        rate *= a.get("lr_ratio", 1.0) if self.decoupled else 1.0
        kernels.adam_all(
            params, grads, moment1, moment2, self._steps, rate, beta1, beta2,
            self._epsilon(pow2), decay, self.decoupled,
        )  # fmt: skip
        torch._foreach_mul_(pow1, beta1)
        torch._foreach_mul_(pow2, beta2)
        self._seen = [(id(b), b._version) for b in pow2]

    def _epsilon(self, pow2: list) -> float:
        return self.attrs.get("epsilon", 1e-8)

    def _count(self, pow1: list, beta1: float, pow2: list, beta2: float) -> None:
        """Finds the number of this update for every parameter; usually it is one for all."""
        steps = [kernels._count(a, beta1, b, beta2) for a, b in zip(pow1, pow2, strict=True)]
        same = all(float(s) == float(steps[0]) for s in steps)
        self._steps = [steps[0]] * len(steps) if same else steps


class AdamW(Adam):
    """Adam with decoupled weight decay."""

    decoupled = True


class LazyAdam(Adam):
    """Adam of the rows of one table; counts as :func:`paddle.ops.optimizer.lazy_count` says."""

    def _epsilon(self, pow2: list) -> float:
        epsilon = super()._epsilon(pow2)
        if not self.attrs.get("epsilon_outside"):
            return epsilon
        return epsilon / math.sqrt(1.0 - pow2[0].item() * self.attrs.get("beta2", 0.999))

    def _count(self, pow1: list, beta1: float, pow2: list, beta2: float) -> None:
        super()._count(pow1, beta1, pow2, beta2)
        self._steps = [kernels.lazy_count(self._steps[0])]


class RowsUpdate:
    """The update of one table by the rows that were looked up.

    Args:
        update (Update): does the arithmetic, on the rows.
        padding (list[int]): for every look-up the row that gets no gradient; -1 for none.
    """

    def __init__(self, update: Update, padding: list[int]) -> None:
        self.update, self.padding = update, padding

    def __call__(
        self, ids: list[torch.Tensor], grads: list[torch.Tensor], rate: torch.Tensor
    ) -> None:
        """Sums the gradients of every row up and updates the rows in place."""
        held = [
            writable(h.tensor) for slot in (self.update.params, *self.update.states) for h in slot
        ]
        rows, values = by_row.gathered(ids, grads, self.padding, held[0].shape)
        count = 1 + self.update.alike
        parts = by_row.taken(held[:count], [rows] * count)
        self.update.update([[b] for b in (*parts, *held[count:])], [values], rate.item())
        by_row.put_back(held[:count], [rows] * count, parts)


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


@emitter("merged_update")
def _emit(e: Emitter, op: Operator) -> None:
    kind, slots = MERGED[op.attrs["kind"]]
    name = e.temporary("update")
    held = ", ".join(
        "[" + ", ".join(e.scope_slot(n) for n in op.inputs[slot]) + "]" for slot in slots
    )
    e.needed.update(dict.fromkeys(n for slot in slots for n in op.inputs[slot]))
    words = "".join(f", {k}={e.literal(op.attrs[k], k)}" for k in ATTRIBUTES if k in op.attrs)
    e.before(f"{name} = {e.constant(kind, kind.__name__)}({held}{words})")
    grads = ", ".join(e.read(n) for n in op.inputs["Grad"])
    e.line(f"{name}([{grads}], {e.read(op.inputs['LearningRate'][0])})")
    for written in _still_read(e, op):
        e.reload(written)


@emitter("rows_update")
def _emit_rows(e: Emitter, op: Operator) -> None:
    kind, slots = BY_ROWS[op.attrs["kind"]], MERGED[op.attrs["kind"]][1]
    name = e.temporary("update_rows")
    names = [op.inputs[slot][0] for slot in slots]
    e.needed.update(dict.fromkeys(names))
    words = "".join(f", {k}={e.literal(op.attrs[k], k)}" for k in ATTRIBUTES if k in op.attrs)
    held = ", ".join(f"[{e.scope_slot(n)}]" for n in names)
    update = f"{e.constant(kind, kind.__name__)}({held}{words})"
    e.before(f"{name} = {e.constant(RowsUpdate, 'RowsUpdate')}({update}, {op.attrs['padding']!r})")
    ids = ", ".join(e.read(n) for n in op.inputs["Ids"])
    grads = ", ".join(e.read(n) for n in op.inputs["OutGrad"])
    e.line(f"{name}([{ids}], [{grads}], {e.read(op.inputs['LearningRate'][0])})")
    for written in _still_read(e, op):
        e.reload(written)


def _still_read(e: Emitter, op: Operator) -> list[str]:
    """Of what is updated, the variables that something after it reads."""
    after = op.block.ops[op.idx + 1 :]
    later = {*e.fetches, *(n for o in after for n in (*o.input_arg_names, *inner_names(o)))}
    return [n for n in op.output_arg_names if n in later]
