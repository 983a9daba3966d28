"""Scaling of losses for training in half precision: finding overflows, adapting the scale."""

from __future__ import annotations

import math

import torch

from paddle.core.dtype import VarType
from paddle.core.infer import Spec
from paddle.core.op import op


def _unscale_rule(inputs: list, attrs: dict) -> list:
    return [inputs[0], Spec((1,), VarType.BOOL)]


@op(
    "check_finite_and_unscale",
    "X* Scale -> Out* FoundInfinite",
    infer=_unscale_rule,
    differentiable=False,
    dtypes="floats",
)
def check_finite_and_unscale(grads, scale):
    """Divides gradients by the scale; says whether any of them was infinite or no number."""
    inverse = torch.reciprocal(scale).reshape(())
    found = torch.zeros([1], dtype=torch.bool, device=scale.device)
    out = []
    for grad in grads:
        found = torch.logical_or(found, torch.logical_not(torch.isfinite(grad).all()))
        out.append(torch.mul(grad, inverse.to(grad.dtype)))
    return out, found


def _scaling_rule(inputs: list, attrs: dict) -> list:
    return [inputs[0], *inputs[2:5]]


@op(
    "update_loss_scaling",
    "X* FoundInfinite PrevLossScaling InGoodSteps InBadSteps StopUpdate? -> Out* LossScaling "
    "OutGoodSteps OutBadSteps",
    infer=_scaling_rule,
    differentiable=False,
)
def update_loss_scaling(
    grads, found, scale, good, bad, stop=None, *, incr_every_n_steps, decr_every_n_nan_or_inf,
    incr_ratio, decr_ratio, stop_update=False
):  # fmt: skip
    """Clears gradients with an overflow; raises the scale after good steps, lowers it after bad."""
    found = found.reshape(())
    out = [torch.where(found, torch.zeros_like(g), g) for g in grads]
    new_good = torch.where(found, 0, good + 1)
    new_bad = torch.where(found, bad + 1, 0)
    lower, higher = new_bad == decr_every_n_nan_or_inf, new_good == incr_every_n_steps
    raised = scale * incr_ratio
    raised = torch.where(raised < math.inf, raised, scale)
    lowered = torch.clamp(scale * decr_ratio, min=1.0)
    new_scale = torch.where(lower, lowered, torch.where(higher, raised, scale))
    new_good = torch.where(higher, 0, new_good).to(good.dtype)
    new_bad = torch.where(lower, 0, new_bad).to(bad.dtype)
    if stop is not None:
        kept = stop.reshape(())
        new_scale, new_good, new_bad = (
            torch.where(kept, old, new)
            for old, new in ((scale, new_scale), (good, new_good), (bad, new_bad))
        )
    elif stop_update:
        return out, scale.clone(), good.clone(), bad.clone()
    return out, new_scale, new_good, new_bad
