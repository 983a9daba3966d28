"""Update rules of optimizers whose operator updates one parameter after the other."""

from __future__ import annotations

import inspect
from typing import Any

import torch

from paddle.core.op import REGISTRY, REQUIRED
from paddle.ops.optimizer import rare_updates
from paddle.ops.optimizer.lists import Buffers
from paddle.ops.optimizer.rules import UpdateRule


def _rule_of(name: str, **slots: str) -> UpdateRule:
    """A rule that calls the kernel of an operator for each parameter.

    Args:
        name (str): the operator.
        **slots: accumulator -> slot.
    """
    known = REGISTRY[name]
    taken = [s.name for s in known.inputs]

    def update(params: Buffers, grads: Buffers, *rest: Any, **settings: Any) -> None:
        *states, rate = rest
        for i, (param, grad) in enumerate(zip(params, grads, strict=True)):
            given = {"Param": param, "Grad": grad, "LearningRate": torch.tensor(rate)}
            given |= {slot: held[i] for slot, held in zip(slots.values(), states, strict=True)}
            known.kernel(*(given[slot] for slot in taken), **settings)

    parameters = inspect.signature(known.kernel).parameters.values()
    settings = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    return UpdateRule(known, update, dict(slots), list(slots), {}, settings)


def _lars(params: Buffers, grads: Buffers, velocity: Buffers, rate: float, **settings: Any) -> None:
    """Momentum with a learning rate for each layer."""
    rates = [torch.tensor(rate, dtype=p.dtype, device=p.device) for p in params]
    _, made, _ = rare_updates.lars_momentum.kernel(
        [p.clone() for p in params], grads, velocity, rates, **settings
    )
    for param, held, new in zip(params, velocity, made, strict=True):
        held.copy_(new)
        param.sub_(new)


decayed_adagrad = _rule_of("decayed_adagrad", moment="Moment")
dpsgd = _rule_of("dpsgd")
ftrl = _rule_of("ftrl", squared="SquaredAccumulator", linear="LinearAccumulator")
lars_momentum = UpdateRule(
    REGISTRY["lars_momentum"],
    _lars,
    {"velocity": "Velocity"},
    ["velocity"],
    {},
    {"mu": REQUIRED, "lars_coeff": 0.001, "lars_weight_decay": 0.0005},
)
