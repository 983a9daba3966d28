"""Parameter updates of rarer optimizers, merged updates, averages of parameters."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import REQUIRED, op
from paddle.ops.optimizer.counting import steps_of
from paddle.ops.optimizer.lists import Buffers
from paddle.ops.optimizer.one_parameter import check_shapes
from paddle.ops.optimizer.rules import in_place_update
from paddle.ops.optimizer.updates import adam
from paddle.ops.random.draws import generator

# -- one parameter ------------------------------------------------------------------------------


@in_place_update(
    "decayed_adagrad", "Param Grad Moment LearningRate -> ParamOut=Param MomentOut=Moment"
)
def decayed_adagrad(param, grad, moment, lr, *, decay=0.95, epsilon=1e-6):
    check_shapes(param, grad=grad, moment=moment)
    moment.mul_(decay).addcmul_(grad, grad, value=1.0 - decay)
    param.sub_(lr * grad / (torch.sqrt(moment) + epsilon))
    return None, None


@in_place_update("dpsgd", "Param Grad LearningRate -> ParamOut=Param", random=True)
def dpsgd(param, grad, lr, *, clip=10.0, batch_size=16.0, sigma=1.0, seed=0):
    """The clipped gradient plus noise, one number for the whole parameter, as in PaddlePaddle."""
    check_shapes(param, grad=grad)
    factor = torch.clamp(torch.linalg.vector_norm(grad) / clip, min=1.0)
    source = generator(grad.device, seed)
    noise = torch.randn([1], dtype=grad.dtype, device=grad.device, generator=source) * sigma
    param.sub_(lr * (grad / factor + noise / batch_size))


_TINY = 1e-10  # added to both penalties


@in_place_update(
    "ftrl",
    "Param SquaredAccumulator LinearAccumulator Grad LearningRate -> ParamOut=Param "
    "SquaredAccumOut=SquaredAccumulator LinearAccumOut=LinearAccumulator",
)
def ftrl(param, squared, linear, grad, lr, *, l1=0.0, l2=0.0, lr_power=-0.5):
    """Follow the regularized leader, https://research.google/pubs/pub41159/."""
    check_shapes(param, grad=grad, squared=squared, linear=linear)
    l1, l2 = l1 + _TINY, l2 + _TINY
    total = squared + grad * grad
    after, before = torch.pow(total, -lr_power), torch.pow(squared, -lr_power)
    linear.add_(grad - (after - before) / lr * param)
    shrunk = (torch.sign(linear) * l1 - linear) / (after / lr + 2.0 * l2)
    param.copy_(torch.where(torch.abs(linear) > l1, shrunk, torch.zeros_like(param)))
    squared.copy_(total)
    return (None,) * 3


def _proximal(value: torch.Tensor, lr: torch.Tensor, l1: float, l2: float) -> torch.Tensor:
    """The nearest point to ``value`` under both penalties."""
    if l1 > 0:
        value = torch.sign(value) * torch.clamp(torch.abs(value) - lr * l1, min=0.0)
    return value / (1.0 + lr * l2)


@in_place_update("proximal_gd", "Param Grad LearningRate -> ParamOut=Param")
def proximal_gd(param, grad, lr, *, l1=0.0, l2=0.0):
    check_shapes(param, grad=grad)
    param.copy_(_proximal(param - lr * grad, lr, l1, l2))


@in_place_update(
    "proximal_adagrad", "Param Moment Grad LearningRate -> ParamOut=Param MomentOut=Moment"
)
def proximal_adagrad(param, moment, grad, lr, *, l1=0.0, l2=0.0):
    check_shapes(param, grad=grad, moment=moment)
    moment.addcmul_(grad, grad)
    param.copy_(_proximal(param - lr * grad / torch.sqrt(moment), lr, l1, l2))
    return None, None


# -- averages of a parameter over its last values -----------------------------------------------

_MOST_IN_A_SUM = 16384  # so many values are added up before the sum moves on: rounding stays small


@in_place_update(
    "average_accumulates",
    "param in_sum_1 in_sum_2 in_sum_3 in_num_accumulates in_old_num_accumulates in_num_updates -> "
    "out_sum_1=in_sum_1 out_sum_2=in_sum_2 out_sum_3=in_sum_3 "
    "out_num_accumulates=in_num_accumulates out_old_num_accumulates=in_old_num_accumulates "
    "out_num_updates=in_num_updates",
)
def average_accumulates(
    param, sum_1, sum_2, sum_3, count, old_count, updates, *, average_window=0.0,
    max_average_window=2**63 - 1, min_average_window=10000
):  # fmt: skip
    """Sums of the newest values, of those before, and of the last window that was full."""
    check_shapes(param, in_sum_1=sum_1, in_sum_2=sum_2, in_sum_3=sum_3)
    updates.add_(1)
    count.add_(1)
    sum_1.add_(param)
    moves = (updates % _MOST_IN_A_SUM == 0).reshape(()).to(param.device)
    sum_2.add_(torch.where(moves, sum_1, torch.zeros_like(sum_1)))
    sum_1.masked_fill_(moves, 0)
    window = (updates * average_window).clamp(max=max_average_window)
    full = torch.logical_and(count >= min_average_window, count >= window).reshape(())
    here = full.to(param.device)  # the numbers may be in main memory
    sum_3.copy_(torch.where(here, sum_1 + sum_2, sum_3))
    sum_1.masked_fill_(here, 0)
    sum_2.masked_fill_(here, 0)
    old_count.copy_(torch.where(full, count, old_count))
    count.masked_fill_(full, 0)
    return (None,) * 6


# -- lists of parameters ------------------------------------------------------------------------
# These give new values: a list slot cannot be written into. Where there is a master copy of a
# parameter, in float32, that is what is updated; the parameter takes its rounded value.


def _started(params: Buffers, grads: Buffers, masters: Buffers | None) -> tuple[Buffers, Buffers]:
    """Copies of what is to be updated, and the gradients in the same precision."""
    if len(params) != len(grads):
        raise InvalidArgumentError(
            f"as many gradients as parameters are expected, received {len(grads)} for "
            f"{len(params)}."
        )
    for param, grad in zip(params, grads, strict=True):
        check_shapes(param, grad=grad)
    work = [p.clone() for p in (masters or params)]
    return work, [g.to(w.dtype) for g, w in zip(grads, work, strict=True)]


def _finished(work: Buffers, params: Buffers, masters: Buffers | None) -> tuple:
    """The new parameters, and their master copies if there are any."""
    if not masters:
        return work, None
    return [w.to(p.dtype) for w, p in zip(work, params, strict=True)], work


def _listed(value: Any, count: int) -> list:
    """One entry for each parameter; Programs of 1.x hold a single number."""
    entries = list(value) if isinstance(value, (list, tuple)) else [value]
    return entries * count if len(entries) == 1 else entries


def _like(*slots: int | None):
    """A shape rule: each output looks like the input at that position."""
    return lambda inputs, attrs: [inputs[i] for i in slots]


@op(
    "lars_momentum",
    "Param* Grad* Velocity* LearningRate* MasterParam*? -> ParamOut* VelocityOut* MasterParamOut*?",
    differentiable=False,
    infer=_like(0, 2, 4),
)
def lars_momentum(
    params, grads, velocities, rates, masters=None, *, mu=REQUIRED, lars_coeff=0.001,
    lars_weight_decay=0.0005, epsilon=0.0, rescale_grad=1.0
):  # fmt: skip
    """Momentum with a learning rate for each layer, https://arxiv.org/abs/1708.03888."""
    work, grads = _started(params, grads, masters)
    made = []
    for param, grad, velocity, rate, decay in zip(
        work, grads, velocities, rates, _listed(lars_weight_decay, len(params)), strict=True
    ):
        grad = grad * rescale_grad
        size, slope = torch.linalg.vector_norm(param), torch.linalg.vector_norm(grad)
        local = rate * lars_coeff * size / (slope + decay * size + epsilon)
        if decay <= 0:
            local = rate
        else:
            local = torch.where(torch.logical_and(size > 0, slope > 0), local, rate)
        made.append(mu * velocity + local * (grad + decay * param))
        param.sub_(made[-1])
    out, masters = _finished(work, params, masters)
    return out, made, masters


@op(
    "merged_momentum",
    "Param* Grad* Velocity* LearningRate* MasterParam*? -> ParamOut* VelocityOut* MasterParamOut*?",
    differentiable=False,
    infer=_like(0, 2, 4),
)
def merged_momentum(
    params, grads, velocities, rates, masters=None, *, mu=REQUIRED, use_nesterov=False,
    regularization_method=(), regularization_coeff=(), rescale_grad=1.0
):  # fmt: skip
    work, grads = _started(params, grads, masters)
    made = [v.clone() for v in velocities]
    methods = _listed(regularization_method or "", len(params))
    coeffs = _listed(regularization_coeff or 0.0, len(params))
    for param, grad, velocity, rate, method, coeff in zip(
        work, grads, made, _listed(rates, len(params)), methods, coeffs, strict=True
    ):
        grad = grad * rescale_grad
        if method == "l2_decay":
            grad = grad + coeff * param
        velocity.mul_(mu).add_(grad)
        param.sub_(rate * (grad + mu * velocity if use_nesterov else velocity))
    out, masters = _finished(work, params, masters)
    return out, made, masters


@op(
    "merged_adam",
    "Param* Grad* LearningRate* Moment1* Moment2* Beta1Pow* Beta2Pow* MasterParam*? -> ParamOut* "
    "Moment1Out* Moment2Out* Beta1PowOut* Beta2PowOut* MasterParamOut*?",
    differentiable=False,
    infer=_like(0, 3, 4, 5, 6, 7),
)
def merged_adam(
    params, grads, rates, moments1, moments2, pows1, pows2, masters=None, *, beta1=0.9,
    beta2=0.999, epsilon=1e-8, use_global_beta_pow=False
):  # fmt: skip
    """With ``use_global_beta_pow`` another operator keeps the powers up to date."""
    work, grads = _started(params, grads, masters)
    moments1, moments2 = [m.clone() for m in moments1], [m.clone() for m in moments2]
    steps = steps_of([pows1, pows2], [beta1, beta2])
    for i, rate in enumerate(_listed(rates, len(params))):
        lr = 0.5 if rate.is_meta else float(rate)
        lists = ([work[i]], [grads[i]], [moments1[i]], [moments2[i]])
        adam.update(*lists, lr, [steps[i]], beta1=beta1, beta2=beta2, epsilon=epsilon)
    out, masters = _finished(work, params, masters)
    pows1, pows2 = (
        [p.clone() if use_global_beta_pow else p * beta for p in pows]
        for pows, beta in ((pows1, beta1), (pows2, beta2))
    )
    return out, moments1, moments2, pows1, pows2, masters
