"""The update rules of the optimizers: one function over lists each, fused where ATen has a kernel.

:mod:`paddle.ops.optimizer.rules` makes the operators of one parameter of them.
"""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.op import REQUIRED
from paddle.ops.optimizer.lists import Buffers, drop_tiny, in_order, scale_all, shrink_all
from paddle.ops.optimizer.rules import RULES, UpdateRule, update_rule


def rule_of(operator: str) -> UpdateRule | None:
    """The rule behind an operator; None for one that has none."""
    return RULES.get(operator)


@update_rule(
    "sgd",
    "Param LearningRate Grad MasterParam? -> ParamOut=Param MasterParamOut=MasterParam",
    rows="always",
)
def sgd(params, grads, rate, *, l2=0.0):
    """``p -= rate * (g + l2 * p)``."""
    _fused_sgd(params, grads, [], rate, 0.0, False, l2)


@update_rule(
    "momentum",
    "Param Grad Velocity LearningRate MasterParam? -> ParamOut=Param VelocityOut=Velocity "
    "MasterParamOut=MasterParam",
)
def momentum(
    params, grads, velocity, rate, *, mu=REQUIRED, use_nesterov=False, regularization_method="",
    regularization_coeff=0.0, rescale_grad=1.0,
):  # fmt: skip
    """``v = mu * v + g``; ``p -= rate * v``, or ``rate * (g + mu * v)`` for Nesterov's form."""
    if rescale_grad != 1.0:
        grads = scale_all(grads, rescale_grad)
    decay = regularization_coeff if regularization_method == "l2_decay" else 0.0
    if mu == 0:  # torch takes no velocity then
        decayed = torch._foreach_add(grads, params, alpha=decay) if decay else grads
        torch._foreach_copy_(velocity, decayed)
        velocity, use_nesterov = [], False
    _fused_sgd(params, grads, velocity, rate, mu, use_nesterov, decay)
    if velocity:
        drop_tiny(velocity)


def _fused_sgd(
    params: Buffers, grads: Buffers, velocity: Buffers, rate: float, mu: float, nesterov: bool,
    l2: float,
) -> None:  # fmt: skip
    torch._fused_sgd_(
        params,
        in_order(grads),
        velocity,
        weight_decay=l2,
        momentum=mu,
        lr=rate,
        dampening=0.0,
        nesterov=nesterov,
        maximize=False,
        is_first_step=False,
    )


_ADAM = (
    "Param Grad LearningRate Moment1 Moment2 Beta1Pow Beta2Pow {further}-> ParamOut=Param "
    "Moment1Out=Moment1 Moment2Out=Moment2 Beta1PowOut=Beta1Pow Beta2PowOut=Beta2Pow{written}"
)
_MASTERED = " MasterParamOut=MasterParam"
# PaddlePaddle's kernel for sparse gradients (1.8.5 and 2.6.2, measured) multiplies the powers of
# beta before it uses them, so that lazy Adam corrects the bias by the number of the next update.
_LAZY: dict[str, Any] = {"rows": "lazy", "rows_ahead": 1}


@update_rule(
    "adam",
    _ADAM.format(further="MasterParam? EpsilonTensor? ", written=_MASTERED),
    attrs={"lazy_mode": False},
    **_LAZY,
)
def adam(
    params, grads, moment1, moment2, rate, steps, *, beta1=0.9, beta2=0.999, epsilon=1e-8, l2=0.0
):
    """Adam, https://arxiv.org/abs/1412.6980."""
    _fused_adam(torch._fused_adam_, params, grads, moment1, moment2, steps, rate, beta1, beta2,
                epsilon, l2)  # fmt: skip


def _shrink_tables(tables, rate, *, coeff=0.01, with_decay=False, lr_ratio=1.0, **settings):
    """The decay reaches every row, whether it has a gradient or not."""
    if with_decay and coeff:
        shrink_all(tables, 1.0 - rate * lr_ratio * coeff)
    return {**settings, "lr_ratio": lr_ratio, "with_decay": False}


@update_rule(
    "adamw",
    _ADAM.format(further="MasterParam? ", written=_MASTERED),
    over_table=_shrink_tables,
    **_LAZY,
)
def adamw(
    params, grads, moment1, moment2, rate, steps, *, beta1=0.9, beta2=0.999, epsilon=1e-8,
    lr_ratio=1.0, coeff=0.01, with_decay=False,
):  # fmt: skip
    """Adam with decoupled weight decay, https://arxiv.org/abs/1711.05101."""
    _fused_adam(torch._fused_adamw_, params, grads, moment1, moment2, steps, rate * lr_ratio, beta1,
                beta2, epsilon, coeff if with_decay else 0.0)  # fmt: skip


def _fused_adam(
    kernel: Any, params: Buffers, grads: Buffers, moment1: Buffers, moment2: Buffers,
    steps: Buffers, rate: float, beta1: float, beta2: float, epsilon: float, decay: float,
) -> None:  # fmt: skip
    kernel(
        params,
        in_order(grads),
        moment1,
        moment2,
        [],
        steps,
        lr=rate,
        beta1=beta1,
        beta2=beta2,
        weight_decay=decay,
        eps=epsilon,
        amsgrad=False,
        maximize=False,
    )
    drop_tiny(moment1)


@update_rule(
    "adamax",
    "Param Grad LearningRate Moment InfNorm Beta1Pow -> ParamOut=Param MomentOut=Moment "
    "InfNormOut=InfNorm",
)
def adamax(
    params, grads, moment, inf_norm, rate, corrections, *, beta1=0.9, beta2=0.999, epsilon=1e-8
):
    """``m = b1 m + (1 - b1) g``; ``u = max(|g|, b2 u + epsilon)``; ``p -= rate m / u``.

    The rate is divided by ``1 - b1^t``.
    """
    torch._foreach_lerp_(moment, grads, 1.0 - beta1)
    torch._foreach_mul_(inf_norm, beta2)
    torch._foreach_add_(inf_norm, epsilon)
    torch._foreach_maximum_(inf_norm, torch._foreach_abs(grads))
    torch._foreach_addcdiv_(params, moment, inf_norm, -(rate / corrections[0]))
    drop_tiny(moment)


@update_rule(
    "adagrad",
    "Param Grad Moment LearningRate -> ParamOut=Param MomentOut=Moment",
    rows="always",
)
def adagrad(params, grads, moment, rate, *, epsilon=1e-6):
    """``m += g * g``; ``p -= rate * g / (sqrt(m) + epsilon)``."""
    torch._foreach_addcmul_(moment, grads, grads)
    root = torch._foreach_sqrt(moment)
    torch._foreach_add_(root, epsilon)
    torch._foreach_addcdiv_(params, grads, root, -rate)


@update_rule(
    "adadelta",
    "Param Grad AvgSquaredGrad AvgSquaredUpdate LearningRate? -> ParamOut=Param "
    "AvgSquaredGradOut=AvgSquaredGrad AvgSquaredUpdateOut=AvgSquaredUpdate",
    {"AvgSquaredGrad": "_avg_squared_grad", "AvgSquaredUpdate": "_avg_squared_update"},
)
def adadelta(params, grads, squared_grad, squared_update, rate, *, rho=0.95, epsilon=1e-6):
    """Adadelta, https://arxiv.org/abs/1212.5701, the update scaled by ``rate``.

    ``rate`` is None for operators without one, as up to 2.4; 1.8.5 writes the average of updates
    before it makes the update by it.
    """
    torch._foreach_mul_(squared_grad, rho)
    torch._foreach_addcmul_(squared_grad, grads, grads, 1.0 - rho)
    ratio = _ratio(squared_update, squared_grad, grads, epsilon)
    torch._foreach_mul_(squared_update, rho)
    torch._foreach_addcmul_(squared_update, ratio, ratio, 1.0 - rho)
    if rate is None:
        ratio, rate = _ratio(squared_update, squared_grad, grads, epsilon), 1.0
    torch._foreach_add_(params, ratio, alpha=-rate)


def _ratio(updates: Buffers, squares: Buffers, grads: Buffers, epsilon: float) -> Buffers:
    """``g * sqrt((updates + epsilon) / (squares + epsilon))``."""
    ratio = list(torch._foreach_add(updates, epsilon))
    torch._foreach_div_(ratio, torch._foreach_add(squares, epsilon))
    torch._foreach_sqrt_(ratio)
    torch._foreach_mul_(ratio, grads)
    return ratio


@update_rule(
    "rmsprop",
    "Param MeanSquare Grad Moment LearningRate MeanGrad? -> ParamOut=Param MomentOut=Moment "
    "MeanSquareOut=MeanSquare MeanGradOut=MeanGrad",
    {"Moment": "momentum"},
)
def rmsprop(
    params, grads, moment, mean_square, mean_grad, rate, *, epsilon=1e-10, decay=0.9, momentum=0.0,
    centered=False,
):  # fmt: skip
    """``s = decay s + (1 - decay) g^2``; ``m = momentum m + rate g / sqrt(s + eps)``; ``p -= m``.

    Centered, the square of the mean gradient is taken from s under the root.
    """
    torch._foreach_mul_(mean_square, decay)
    torch._foreach_addcmul_(mean_square, grads, grads, 1.0 - decay)
    root = torch._foreach_add(mean_square, epsilon)
    if centered:
        torch._foreach_lerp_(mean_grad, grads, 1.0 - decay)
        torch._foreach_addcmul_(root, mean_grad, mean_grad, -1.0)
    torch._foreach_sqrt_(root)
    torch._foreach_mul_(moment, momentum)
    torch._foreach_addcdiv_(moment, grads, root, rate)
    torch._foreach_sub_(params, moment)


@update_rule("lamb", _ADAM.format(further="", written=""))
def lamb(
    params, grads, moment1, moment2, rate, corrections, *, weight_decay=REQUIRED, beta1=0.9,
    beta2=0.999, epsilon=1e-6,
):  # fmt: skip
    """LAMB, layer-wise adaptive moments for large batches, https://arxiv.org/abs/1904.00962."""
    torch._foreach_lerp_(moment1, grads, 1.0 - beta1)
    torch._foreach_mul_(moment2, beta2)
    torch._foreach_addcmul_(moment2, grads, grads, 1.0 - beta2)
    root = torch._foreach_div(moment2, corrections[1])
    torch._foreach_sqrt_(root)
    torch._foreach_add_(root, epsilon)
    update = torch._foreach_div(moment1, corrections[0])
    torch._foreach_div_(update, root)
    if weight_decay:
        torch._foreach_add_(update, params, alpha=weight_decay)
    for param, change in zip(params, update, strict=True):
        size, length = torch.linalg.vector_norm(param), torch.linalg.vector_norm(change)
        trust = torch.where((size > 0) & (length > 0), size / length, torch.ones_like(size))
        param.sub_(torch.mul(change, trust.mul_(rate)))
    drop_tiny(moment1)
