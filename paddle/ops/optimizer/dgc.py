"""Operators of deep gradient compression (DGC): before its ramp-up and after."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op
from paddle.core.rings import rings
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


def _processes(name: str, nranks: torch.Tensor) -> int:
    ranks = int(nranks.reshape(-1)[0])
    if ranks < 1:
        raise InvalidArgumentError(f"{name}: expected nranks of 1 or more, not {ranks}.")
    return ranks


@op(
    "dgc_momentum",
    "Param Grad Velocity LearningRate current_step nranks -> ParamOut=Param VelocityOut=Velocity "
    "Grad_out=Grad",
    infer=lambda inputs, attrs: [inputs[0], inputs[2], inputs[1]],
    differentiable=False,
    dtypes="floats",
)
def dgc_momentum(
    param, grad, velocity, rate, current_step, nranks, *, mu=REQUIRED, use_nesterov=False,
    rampup_begin_step=-1.0
):  # fmt: skip
    """Momentum before step ``rampup_begin_step``, plain descent after, with the mean gradient.

    ``dgc`` has multiplied by the number of processes; here it is divided by it again.
    """
    check_shapes(param, grad=grad, velocity=velocity)
    if param.is_meta:
        return param, velocity, grad
    grad.div_(_processes("dgc_momentum", nranks))
    if int(rampup_begin_step) >= 0 and not _waits(current_step, rampup_begin_step):
        param.sub_(rate * grad)
    else:
        velocity.mul_(mu).add_(grad)
        param.sub_(rate * (grad + mu * velocity if use_nesterov else velocity))
    return param, velocity, grad


def _sent(numel: int, sparsity: float) -> int:
    """How many elements come out: at least one, and a number that float32 has, as ``k`` is."""
    count = max(int(numel * (1.0 - sparsity)), 1)
    return count - count % (1 << max(count.bit_length() - 24, 0))


def _dgc_rule(inputs: list, attrs: dict) -> list:
    u, v, grad = inputs[:3]
    return [u, v, grad, Spec((1,), VarType.FP32)]


@op(
    "dgc",
    "U V Grad Param? current_step nranks -> U_out=U V_out=V Grad_out k?",
    infer=_dgc_rule,
    differentiable=False,
    dtypes="floats",
    proto="PaddlePaddle has it on GPUs only, with buffers for what is sent",
)
def dgc(
    u, v, grad, param, current_step, nranks, *, m=REQUIRED, use_nesterov=False,
    sparsity=(0.999,), rampup_begin_step=0.0, rampup_step=1.0, regular_coeff=0.0, regular_type=0
):  # fmt: skip
    """From step ``rampup_begin_step`` on, the largest part of what has accumulated; the rest waits.

    ``u = m * u + g``; ``v += u`` (Nesterov's form: ``u = m * (u + g)``; ``v += u + g``). Where the
    gradient comes out, both go back to zero. ``g`` is the gradient times ``nranks``, as the loss
    was divided by it, with the penalty of the parameter (``regular_type`` 1: L1, 2: L2). ``k`` is
    how many elements come out; 0 before that step, when all do.
    """
    check_shapes(grad, u=u, v=v)
    if u.is_meta:
        return u, v, grad.clone(), torch.empty(1, device="meta")
    own = grad * _processes("dgc", nranks)
    if regular_type:
        own.add_(param.sign() if regular_type == 1 else param, alpha=regular_coeff)
    if _waits(current_step, rampup_begin_step):
        return u, v, own, torch.zeros(1, device=grad.device)
    if use_nesterov:
        u.add_(own).mul_(m)
        v.add_(u).add_(own)
    else:
        u.mul_(m).add_(own)
        v.add_(u)
    past = float(current_step.reshape(-1)[0]) - rampup_begin_step
    at = min(int(past * len(sparsity) / max(rampup_step, 1.0)), len(sparsity) - 1)
    count = _sent(grad.numel(), sparsity[at])
    flat = v.reshape(-1)
    chosen = torch.zeros_like(flat, dtype=torch.bool)
    chosen[torch.topk(flat.abs(), count).indices] = True
    chosen = chosen.reshape(v.shape)
    sent = torch.where(chosen, v, torch.zeros_like(v))
    u.masked_fill_(chosen, 0)
    v.masked_fill_(chosen, 0)
    return u, v, sent, torch.full((1,), float(count), device=grad.device)


@op(
    "dgc_allreduce",
    "X k -> Out",
    infer=lambda inputs, attrs: [inputs[0]],
    differentiable=False,
    effects=True,
    dtypes="floats",
    proto="PaddlePaddle does this between operators, in its SparseAllReduceOpHandle",
)
def dgc_allreduce(x, k, *, ring_id=0):
    """Adds up over the processes what ``dgc`` lets out: values and positions are gathered.

    ``k`` is how many elements may differ from 0, the same
    in every process; where it is 0, the whole gradient is added up.
    """
    ring = rings.alone if x.is_meta else rings.get(ring_id)
    if ring.size == 1:
        return x.view_as(x)
    count = int(k.reshape(-1)[0])
    if not count:
        return ring.all_reduce(x)
    total = torch.zeros_like(x).reshape(-1)
    for part in ring.all_gather(_packed(x.reshape(-1), count)):
        where = part[: 4 * count].view(torch.int32).to(torch.int64)
        total.index_add_(0, where, part[4 * count :].clone().view(x.dtype))
    return total.reshape(x.shape)


def _packed(x: torch.Tensor, count: int) -> torch.Tensor:
    """Positions and values of what is not 0 as bytes; filled up with zeros at position 0."""
    found = x.nonzero().reshape(-1)
    where = found.new_zeros(count)
    where[: found.numel()] = found
    values = x[where]
    values[found.numel() :] = 0
    return torch.cat([where.to(torch.int32).view(torch.uint8), values.view(torch.uint8)])
