"""Parameter updates: kernels over lists of parameters, and the one-parameter operators on them.

The ``*_all`` functions update every parameter of a list in one ATen call where there is a fused
kernel, else in a few calls over the lists. They write into the parameters and their state.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from paddle.core.backends import holds
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import REQUIRED, op

Buffers = list[torch.Tensor]

_updates = [0]  # calls of drop_tiny, in this process and in those whose state was loaded
_DROP_EVERY = 61  # prime: operators that update one parameter each take turns in being looked at
_TINY = 1e-30  # smallest normal float32: 1.2e-38


def decay_l2(params: Buffers, grads: Buffers, coeff: float) -> Buffers:
    """Returns ``grad + coeff * param`` for each parameter."""
    return list(torch._foreach_add(grads, params, alpha=coeff))


def decay_l1(params: Buffers, grads: Buffers, coeff: float) -> Buffers:
    """Returns ``grad + coeff * sign(param)`` for each parameter."""
    return list(torch._foreach_add(grads, torch._foreach_sign(params), alpha=coeff))


def shrink_all(params: Buffers, factor: float) -> None:
    """``p *= factor``."""
    torch._foreach_mul_(params, factor)


def lazy_count(step: torch.Tensor) -> torch.Tensor:
    """The number of the update by which lazy Adam corrects the bias of the moments.

    PaddlePaddle's kernel for sparse gradients (1.8.5 and 2.6.2, measured) multiplies the powers of
    beta before it uses them, so that it is one ahead.
    """
    return step + 1


def updates() -> int:
    """Returns the number that says which update drops what is tiny."""
    return _updates[0]


def set_updates(count: int) -> None:
    """Goes on from a number of :func:`updates`."""
    _updates[0] = count


def drop_tiny(moments: Buffers) -> None:
    """Sets to zero, once in a while, what is too small to move a parameter.

    Where gradients stay zero, as behind a dead ReLU, a running mean decays until it is denormal,
    and stays that: ``beta * m`` rounds to ``m``. Processors compute with such numbers several times
    slower, so that every later update would pay.
    """
    _updates[0] += 1
    if _updates[0] % _DROP_EVERY == 0:
        for moment in moments:
            if holds.slow_denormals(moment) and moment.dtype is torch.float32:
                torch.hardshrink(moment, _TINY, out=moment)


def in_order(grads: Buffers) -> Buffers:
    """The fused kernels walk over memory: a transposed gradient would meet other elements."""
    return [g if g.is_contiguous() else g.contiguous() for g in grads]


def sgd_all(params: Buffers, grads: Buffers, lr: float, weight_decay: float = 0.0) -> None:
    """``p -= lr * (g + weight_decay * p)``."""
    momentum_all(params, grads, [], lr, 0.0, False, weight_decay)


def momentum_all(
    params: Buffers,
    grads: Buffers,
    velocity: Buffers,
    lr: float,
    mu: float,
    nesterov: bool,
    weight_decay: float = 0.0,
) -> None:
    """``v = mu * v + g``; ``p -= lr * v``, or ``lr * (g + mu * v)`` for Nesterov's form."""
    if mu == 0 and velocity:  # torch takes no velocity then
        decayed = torch._foreach_add(grads, params, alpha=weight_decay) if weight_decay else grads
        torch._foreach_copy_(velocity, decayed)
        velocity, nesterov = [], False
    torch._fused_sgd_(
        params,
        in_order(grads),
        velocity,
        weight_decay=weight_decay,
        momentum=mu,
        lr=lr,
        dampening=0.0,
        nesterov=nesterov,
        maximize=False,
        is_first_step=False,
    )
    if velocity:
        drop_tiny(velocity)


def adam_all(
    params: Buffers,
    grads: Buffers,
    moment1: Buffers,
    moment2: Buffers,
    steps: Buffers,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    weight_decay: float = 0.0,
    decoupled: bool = False,
) -> None:
    """Adam, https://arxiv.org/abs/1412.6980; ``decoupled``: AdamW, arxiv 1711.05101.

    ``steps``: for each parameter the number of updates including this one, on its device.
    """
    kernel = torch._fused_adamw_ if decoupled else torch._fused_adam_
    kernel(
        params,
        in_order(grads),
        moment1,
        moment2,
        [],
        steps,
        lr=lr,
        beta1=beta1,
        beta2=beta2,
        weight_decay=weight_decay,
        eps=epsilon,
        amsgrad=False,
        maximize=False,
    )
    drop_tiny(moment1)


def adagrad_all(
    params: Buffers, grads: Buffers, moment: Buffers, lr: float, epsilon: float
) -> None:
    """``m += g * g``; ``p -= lr * g / (sqrt(m) + epsilon)``."""
    torch._foreach_addcmul_(moment, grads, grads)
    root = torch._foreach_sqrt(moment)
    torch._foreach_add_(root, epsilon)
    torch._foreach_addcdiv_(params, grads, root, -lr)


def adamax_all(
    params: Buffers,
    grads: Buffers,
    moment: Buffers,
    inf_norm: Buffers,
    rate: float,
    beta1: float,
    beta2: float,
    epsilon: float,
) -> None:
    """``m = b1 m + (1 - b1) g``; ``u = max(|g|, b2 u + epsilon)``; ``p -= rate m / u``.

    ``rate``: the learning rate over ``1 - b1^t``.
    """
    torch._foreach_lerp_(moment, grads, 1.0 - beta1)
    torch._foreach_mul_(inf_norm, beta2)
    torch._foreach_add_(inf_norm, epsilon)
    torch._foreach_maximum_(inf_norm, torch._foreach_abs(grads))
    torch._foreach_addcdiv_(params, moment, inf_norm, -rate)
    drop_tiny(moment)


def adadelta_all(
    params: Buffers, grads: Buffers, squared_grad: Buffers, squared_update: Buffers,
    lr: float, rho: float, epsilon: float,
) -> None:  # fmt: skip
    """Adadelta, https://arxiv.org/abs/1212.5701, the update scaled by ``lr``."""
    torch._foreach_mul_(squared_grad, rho)
    torch._foreach_addcmul_(squared_grad, grads, grads, 1.0 - rho)
    ratio = torch._foreach_add(squared_update, epsilon)
    torch._foreach_div_(ratio, torch._foreach_add(squared_grad, epsilon))
    torch._foreach_sqrt_(ratio)
    torch._foreach_mul_(ratio, grads)
    torch._foreach_mul_(squared_update, rho)
    torch._foreach_addcmul_(squared_update, ratio, ratio, 1.0 - rho)
    torch._foreach_add_(params, ratio, alpha=-lr)


def rmsprop_all(
    params: Buffers, grads: Buffers, mean_square: Buffers, moment: Buffers,
    mean_grad: Buffers | None, lr: float, rho: float, epsilon: float, momentum: float,
) -> None:  # fmt: skip
    """``s = rho s + (1 - rho) g^2``; ``m = momentum m + lr g / sqrt(s + eps)``; ``p -= m``.

    Centered, with ``mean_grad``: its square is taken from s under the root.
    """
    torch._foreach_mul_(mean_square, rho)
    torch._foreach_addcmul_(mean_square, grads, grads, 1.0 - rho)
    root = torch._foreach_add(mean_square, epsilon)
    if mean_grad is not None:
        torch._foreach_lerp_(mean_grad, grads, 1.0 - rho)
        torch._foreach_addcmul_(root, mean_grad, mean_grad, -1.0)
    torch._foreach_sqrt_(root)
    torch._foreach_mul_(moment, momentum)
    torch._foreach_addcdiv_(moment, grads, root, lr)
    torch._foreach_sub_(params, moment)


def lamb_all(
    params: Buffers, grads: Buffers, moment1: Buffers, moment2: Buffers,
    corrections: tuple[float, float], lr: float, beta1: float, beta2: float, epsilon: float,
    weight_decay: float,
) -> None:  # fmt: skip
    """LAMB, https://arxiv.org/abs/1904.00962; ``corrections``: ``1 - beta^t`` of either moment."""
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
        param.sub_(torch.mul(change, trust.mul_(lr)))
    drop_tiny(moment1)


def filled_like(param: torch.Tensor, value: float, master: bool) -> torch.Tensor:
    """Makes an accumulator filled with ``value``; float32 where the parameter has a master copy."""
    dtype = torch.float32 if master else param.dtype
    return torch.full(param.shape, value, dtype=dtype, device=param.device)


def converted(grads: Buffers, dtype: torch.dtype) -> Buffers:
    """Converts gradients to the precision of what they update."""
    return [g.to(dtype) for g in grads]


def step_counter(number: int, like: torch.Tensor) -> torch.Tensor:
    """The number of an update as the fused kernels take it; on the device, so that none waits."""
    return torch.tensor(float(number), device=like.device)


def advance(step: torch.Tensor) -> None:
    """Counts one update more."""
    step.add_(1)


def follow(master: torch.Tensor, param: torch.Tensor) -> None:
    """Sets a master copy to its parameter, except where it already rounds to that value."""
    agrees = torch.eq(master.to(param.dtype), param)
    master.copy_(torch.where(agrees, master, param.to(master.dtype)))


def is_half(param: torch.Tensor) -> bool:
    """True for the precisions that a float32 master copy helps."""
    return param.dtype in (torch.float16, torch.bfloat16)


def scale_all(grads: Buffers, factor: float) -> Buffers:
    """Multiplies every gradient by a number."""
    return list(torch._foreach_mul(grads, factor))


def copy_all(targets: Buffers, sources: Buffers) -> None:
    """Copies each source into its target, converting the precision."""
    torch._foreach_copy_(targets, sources)


# -- the operators of PaddlePaddle, one parameter each ---------------------------------------------


def _update(name: str, slots: str, random: bool = False) -> Callable:
    """Decorator of an operator whose outputs are written into its inputs."""
    left, _, right = slots.partition("->")
    names = [slot.rstrip("?") for slot in left.split()]
    at = [names.index(slot.partition("=")[2]) for slot in right.split()]
    return op(
        name,
        slots,
        differentiable=False,
        random=random,
        dtypes="floats",
        infer=lambda inputs, attrs: [inputs[i] for i in at],
    )


_ONE = "expected one element where a number is due, but a Tensor of several came."


def _rate(one: torch.Tensor) -> float:
    """The number in a tensor; shapes alone have none."""
    if one.is_meta:
        if one.numel() != 1:
            raise InvalidArgumentError(_ONE)
        return 0.5
    return float(one)


def _check_shapes(param: torch.Tensor, **others: torch.Tensor) -> None:
    """The fused kernels trust their arguments; what is smaller than the parameter is refused."""
    for name, other in others.items():
        if other.shape != param.shape:
            raise InvalidArgumentError(
                f"expected {name} of the parameter's shape {list(param.shape)}, "
                f"but received {list(other.shape)}."
            )


def _exact(
    param: torch.Tensor, grad: torch.Tensor, master: torch.Tensor | None, wanted: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """What is updated, a master copy if there is one, and the gradient in its precision."""
    if master is None or not wanted:
        return param, grad
    _check_shapes(param, master=master)
    follow(master, param)
    return master, grad.to(master.dtype)


def _round(param: torch.Tensor, work: torch.Tensor) -> None:
    """Gives a parameter the value of its updated master copy."""
    if work is not param:
        param.copy_(work)


@_update(
    "sgd",
    "Param LearningRate Grad MasterParam? -> ParamOut=Param MasterParamOut=MasterParam",
)
def sgd(param, lr, grad, master=None, *, multi_precision=False):
    _check_shapes(param, grad=grad)
    work, grad = _exact(param, grad, master, multi_precision)
    sgd_all([work], [grad], _rate(lr))
    _round(param, work)
    return None, None


@_update(
    "momentum",
    "Param Grad Velocity LearningRate MasterParam? -> ParamOut=Param VelocityOut=Velocity "
    "MasterParamOut=MasterParam",
)
def momentum(
    param, grad, velocity, lr, master=None, *, mu=REQUIRED, use_nesterov=False,
    regularization_method="", regularization_coeff=0.0, multi_precision=False, rescale_grad=1.0,
):  # fmt: skip
    _check_shapes(param, grad=grad, velocity=velocity)
    work, grad = _exact(param, grad, master, multi_precision)
    if rescale_grad != 1.0:
        grad = torch.mul(grad, rescale_grad)
    decay = regularization_coeff if regularization_method == "l2_decay" else 0.0
    momentum_all([work], [grad], [velocity], _rate(lr), mu, use_nesterov, decay)
    _round(param, work)
    return None, None, None


def _count(pow1: torch.Tensor, beta1: float, pow2: torch.Tensor, beta2: float) -> torch.Tensor:
    """The number of this update, from the powers of beta that PaddlePaddle stores instead.

    beta2 is the larger one, so its power is the last to vanish; then the number is infinite and
    both bias corrections are 1, as they should be.
    """
    power, beta = (pow2, beta2) if beta2 > 0 else (pow1, beta1)
    if beta == 0:
        return torch.ones((), device=pow1.device)
    number = torch.round(torch.log(power.double()) / math.log(beta))
    return number.reshape(()).float()


@_update(
    "adam",
    "Param Grad LearningRate Moment1 Moment2 Beta1Pow Beta2Pow MasterParam? EpsilonTensor? -> "
    "ParamOut=Param Moment1Out=Moment1 Moment2Out=Moment2 Beta1PowOut=Beta1Pow "
    "Beta2PowOut=Beta2Pow MasterParamOut=MasterParam",
)
def adam(param, grad, lr, moment1, moment2, pow1, pow2, master=None, epsilon_tensor=None, *,
         beta1=0.9, beta2=0.999, epsilon=1e-8, lazy_mode=False,
         multi_precision=False):  # fmt: skip
    _check_shapes(param, grad=grad, moment1=moment1, moment2=moment2)
    if epsilon_tensor is not None:
        epsilon = _rate(epsilon_tensor)
    work, grad = _exact(param, grad, master, multi_precision)
    steps = [_count(pow1, beta1, pow2, beta2)]
    adam_all([work], [grad], [moment1], [moment2], steps, _rate(lr), beta1, beta2, epsilon)
    _round(param, work)
    pow1.mul_(beta1)
    pow2.mul_(beta2)
    return (None,) * 6


@_update(
    "adamw",
    "Param Grad LearningRate Moment1 Moment2 Beta1Pow Beta2Pow MasterParam? -> ParamOut=Param "
    "Moment1Out=Moment1 Moment2Out=Moment2 Beta1PowOut=Beta1Pow Beta2PowOut=Beta2Pow "
    "MasterParamOut=MasterParam",
)
def adamw(param, grad, lr, moment1, moment2, pow1, pow2, master=None, *, beta1=0.9, beta2=0.999,
          epsilon=1e-8, lr_ratio=1.0, coeff=0.01, with_decay=False,
          multi_precision=False):  # fmt: skip
    _check_shapes(param, grad=grad, moment1=moment1, moment2=moment2)
    work, grad = _exact(param, grad, master, multi_precision)
    steps = [_count(pow1, beta1, pow2, beta2)]
    decay = coeff if with_decay else 0.0
    adam_all([work], [grad], [moment1], [moment2], steps, _rate(lr) * lr_ratio, beta1, beta2,
             epsilon, decay, decoupled=True)  # fmt: skip
    _round(param, work)
    pow1.mul_(beta1)
    pow2.mul_(beta2)
    return (None,) * 6


@_update(
    "adamax",
    "Param Grad LearningRate Moment InfNorm Beta1Pow -> ParamOut=Param MomentOut=Moment "
    "InfNormOut=InfNorm",
)
def adamax(param, grad, lr, moment, inf_norm, pow1, *, beta1=0.9, beta2=0.999, epsilon=1e-8):
    rate = _rate(lr) / (1.0 - _rate(pow1))
    adamax_all([param], [grad], [moment], [inf_norm], rate, beta1, beta2, epsilon)
    return (None,) * 3


@_update("adagrad", "Param Grad Moment LearningRate -> ParamOut=Param MomentOut=Moment")
def adagrad(param, grad, moment, lr, *, epsilon=1e-6):
    adagrad_all([param], [grad], [moment], _rate(lr), epsilon)
    return None, None


@_update(
    "adadelta",
    "Param Grad AvgSquaredGrad AvgSquaredUpdate LearningRate -> ParamOut=Param "
    "AvgSquaredGradOut=AvgSquaredGrad AvgSquaredUpdateOut=AvgSquaredUpdate",
)
def adadelta(param, grad, squared_grad, squared_update, lr, *, rho=0.95, epsilon=1e-6):
    adadelta_all([param], [grad], [squared_grad], [squared_update], _rate(lr), rho, epsilon)
    return (None,) * 3


@_update(
    "rmsprop",
    "Param MeanSquare Grad Moment LearningRate MeanGrad? -> ParamOut=Param MomentOut=Moment "
    "MeanSquareOut=MeanSquare MeanGradOut=MeanGrad",
)
def rmsprop(param, mean_square, grad, moment, lr, mean_grad, *, epsilon=1e-10, decay=0.9,
            momentum=0.0, centered=False):  # fmt: skip
    means = [mean_grad] if centered else None
    rmsprop_all(
        [param], [grad], [mean_square], [moment], means, _rate(lr), decay, epsilon, momentum
    )
    return (None,) * 4


@_update(
    "lamb",
    "Param Grad LearningRate Moment1 Moment2 Beta1Pow Beta2Pow -> ParamOut=Param "
    "Moment1Out=Moment1 Moment2Out=Moment2 Beta1PowOut=Beta1Pow Beta2PowOut=Beta2Pow",
)
def lamb(param, grad, lr, moment1, moment2, pow1, pow2, *, weight_decay=REQUIRED, beta1=0.9,
         beta2=0.999, epsilon=1e-6):  # fmt: skip
    corrections = (1.0 - _rate(pow1), 1.0 - _rate(pow2))
    lamb_all([param], [grad], [moment1], [moment2], corrections, _rate(lr), beta1, beta2, epsilon,
             weight_decay)  # fmt: skip
    pow1.mul_(beta1)
    pow2.mul_(beta2)
    return (None,) * 5
