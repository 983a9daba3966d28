"""Parameters that one call of a kernel updates, prepared once and used for many steps.

A step would spend more time on collecting buffers than on arithmetic, so what it needs is kept in
an :class:`UpdatePlan` as long as its signature stays the same: the parameters that have a gradient,
their buffers, and what their ParamAttr says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from paddle.core.tensor import Tensor
from paddle.core.writes import last_write, updatable, writable
from paddle.ops.optimizer import lists as kernels
from paddle.ops.optimizer.counting import UpdateCount
from paddle.ops.optimizer.engine import FusedUpdate


@dataclass(eq=False)
class Batch:
    """Parameters of one precision, with the same settings and number of updates.

    Attributes:
        params: the parameters.
        at: their positions among the parameters of the step; None means all of them, in order.
        penalty: regularizer that is added to the gradients; the update itself may add another.
        factor: factor on the learning rate.
        owners: whose buffers are updated: the parameters themselves or their master copies.
        states: the accumulators, a list for each kind.
        count: the number of updates so far.
        fused: the update, with its settings.
    """

    params: list[Tensor]
    at: list[int] | None
    penalty: Any
    factor: float
    owners: list[Tensor]
    states: list[list[Tensor]]
    count: UpdateCount
    fused: FusedUpdate
    mastered: bool = False
    changed: bool = False  # a buffer was replaced, so the plan's signature is out of date
    names: list[str] = field(init=False)
    weights: list = field(init=False)
    buffers: list[list] = field(init=False)
    _stamps: list = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names = [p.name for p in self.params]
        self.weights = [t._buf for t in self.owners]
        self.unshare_states()

    def unshare_states(self) -> None:
        """Makes the accumulators safe to write: views that a user holds keep their contents."""
        self.buffers = [[writable(t) for t in held] for held in self.states]

    def take_weights(self) -> list:
        """Returns the buffers to update, safe to write."""
        weights = self.weights
        if self.mastered:
            self._follow_parameters()
        for i, owner in enumerate(self.owners):
            buffer = updatable(owner)
            if buffer is not weights[i]:
                weights[i] = buffer
                self.changed = True
        return weights

    def take_gradients(self, grads: list[Tensor]) -> list:
        """Returns the gradients' buffers as the kernels need them: dense, of one precision."""
        chosen = grads if self.at is None else [grads[i] for i in self.at]
        buffers = [g._buf for g in chosen]
        buffers = [b if b.is_contiguous() else b.contiguous() for b in buffers]
        dtype = self.owners[0]._dt
        if any(g._dt is not dtype for g in chosen):
            buffers = kernels.converted(buffers, dtype)
        return buffers

    def _follow_parameters(self) -> None:
        """Takes over what was written to a parameter, say by loading a model, since the last step.

        Where the master copy still rounds to the parameter's value it keeps its precision.
        """
        for i, (param, master) in enumerate(zip(self.params, self.owners, strict=True)):
            if not self._stamps or last_write(param._buf) != self._stamps[i]:
                kernels.follow(writable(master), param._buf)

    def write_back(self) -> None:
        """Copies master copies to the parameters they stand for."""
        targets: list[Any] = []
        for param in self.params:
            before = param._buf
            targets.append(updatable(param))
            self.changed |= targets[-1] is not before
        kernels.copy_all(targets, self.weights)
        self._stamps = [last_write(b) for b in targets]


class UpdatePlan:
    """The batches of one group, and the signature under which they hold."""

    __slots__ = ("batches", "signature")

    def __init__(self, signature: list[tuple], batches: list[Batch]) -> None:
        self.signature = signature
        self.batches = batches


def signature(params: list[Any]) -> list[tuple]:
    """Says what a plan depends on; buffers are alive in the plan, so their ids stay unique."""
    return [
        (id(p), id(p._buf), p.regularizer, p.optimize_attr["learning_rate"])
        if p.is_parameter
        else (id(p), id(p._buf))
        for p in params
    ]
