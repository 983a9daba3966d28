"""Operators of deep gradient compression (DGC), on one device: before its ramp-up and after."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import REQUIRED, op
from paddle.ops.nn.scaling import clip_by_norm
from paddle.ops.optimizer.one_parameter import check_shapes


def _waits(step: torch.Tensor, begin: float) -> bool:
    return not step.numel() or int(step.reshape(-1)[0]) < int(begin)


@op(
    "dgc_clip_by_norm",
    "current_step X -> Out",
    infer=lambda inputs, attrs: [inputs[1]],
    differentiable=False,
)
def dgc_clip_by_norm(current_step, x, *, rampup_begin_step=-1.0, max_norm=REQUIRED):
    """Scales X down to the L2 norm ``max_norm`` from step ``rampup_begin_step`` on."""
    if max_norm <= 0:
        raise InvalidArgumentError(
            f"dgc_clip_by_norm(max_norm): expected a positive value, but received {max_norm}."
        )
    if x.is_meta or int(rampup_begin_step) < 0 or _waits(current_step, rampup_begin_step):
        return x.clone()
    return clip_by_norm(x, max_norm=max_norm)


@op(
    "dgc_momentum",
    "Param Grad Velocity LearningRate current_step nranks -> ParamOut=Param VelocityOut=Velocity "
    "Grad_out",
    infer=lambda inputs, attrs: [inputs[0], inputs[2], inputs[1]],
    differentiable=False,
    dtypes="floats",
)
def dgc_momentum(
    param, grad, velocity, rate, current_step, nranks, *, mu=REQUIRED, use_nesterov=False,
    rampup_begin_step=-1.0
):  # fmt: skip
    """Momentum before step ``rampup_begin_step``, plain descent after; the mean gradient beside."""
    check_shapes(param, grad=grad, velocity=velocity)
    if param.is_meta:
        return param, velocity, grad.clone()
    ranks = int(nranks.reshape(-1)[0])
    if ranks < 1:
        raise InvalidArgumentError(f"dgc_momentum: expected nranks of 1 or more, not {ranks}.")
    if int(rampup_begin_step) >= 0 and not _waits(current_step, rampup_begin_step):
        param.sub_(rate * grad)
    else:
        velocity.mul_(mu).add_(grad)
        param.sub_(rate * (grad + mu * velocity if use_nesterov else velocity))
    return param, velocity, grad / ranks


@op(
    "dgc",
    "U V Grad current_step nranks -> U_out=U V_out=V Grad_out",
    infer=lambda inputs, attrs: [inputs[0], inputs[1], inputs[2]],
    differentiable=False,
    dtypes="floats",
    proto="PaddlePaddle has it on GPUs only, with buffers for what is sent",
)
def dgc(
    u, v, grad, current_step, nranks, *, m=REQUIRED, use_nesterov=False, sparsity=(0.999,),
    rampup_begin_step=0.0, rampup_step=1.0
):  # fmt: skip
    """From step ``rampup_begin_step`` on, the largest part of what has accumulated; the rest waits.

    ``u = m * u + g``; ``v += u`` (Nesterov's form: ``u = m * (u + g)``; ``v += u + g``). Where the
    gradient comes out, both go back to zero.
    """
    check_shapes(grad, u=u, v=v)
    if u.is_meta or _waits(current_step, rampup_begin_step):
        return u, v, grad.clone()
    if use_nesterov:
        u.add_(grad).mul_(m)
        v.add_(u).add_(grad)
    else:
        u.mul_(m).add_(grad)
        v.add_(u)
    past = float(current_step.reshape(-1)[0]) - rampup_begin_step
    at = min(int(past * len(sparsity) / max(rampup_step, 1.0)), len(sparsity) - 1)
    count = max(int(grad.numel() * (1.0 - sparsity[at])), 1)
    flat = v.reshape(-1)
    chosen = torch.zeros_like(flat, dtype=torch.bool)
    chosen[torch.topk(flat.abs(), count).indices] = True
    chosen = chosen.reshape(v.shape)
    sent = torch.where(chosen, v, torch.zeros_like(v))
    u.masked_fill_(chosen, 0)
    v.masked_fill_(chosen, 0)
    return u, v, sent
