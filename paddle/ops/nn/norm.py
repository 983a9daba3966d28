"""Normalizations over batches, layers, groups, instances and channels."""

from __future__ import annotations

import math

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, of_dimensions
from paddle.core.op import op
from paddle.ops.nn.window import is_channel_last, to_channel_first, to_channel_last

_aten = torch.ops.aten


def _differentiated(*buffers: torch.Tensor | None) -> bool:
    """Says whether a derivative of higher order is being taken through this call."""
    return any(b is not None and b.requires_grad for b in buffers)


def _formula(dy, x, weight, dims, eps, param_dims, needs_grad):
    """Gradients of ``(x - mean) / sqrt(var + eps) * weight + bias``, statistics over ``dims``.

    Made of differentiable calls on ``x`` alone, for derivatives of higher order; ATen's backward
    kernels take the statistics as constants. ``weight`` broadcasts against ``x``.
    """
    mean = x.mean(dims, keepdim=True)
    centred = x - mean
    scale = torch.rsqrt((centred * centred).mean(dims, keepdim=True) + eps)
    normal = centred * scale
    g = dy if weight is None else dy * weight
    dx = scale * (g - g.mean(dims, keepdim=True) - normal * (g * normal).mean(dims, keepdim=True))
    dw = _sum(dy * normal, param_dims) if needs_grad[1] else None
    db = _sum(dy, param_dims) if needs_grad[2] else None
    return dx, dw, db


def _sum(x: torch.Tensor, dims: list[int]) -> torch.Tensor:
    return x.sum(dims) if dims else x  # torch takes no dimensions for all of them


def _check_parameters(count: int, what: str, **parameters: torch.Tensor | Spec | None) -> None:
    """Refuses scales and biases that are not ``count``; a size of -1 is not known yet."""
    for name, value in parameters.items():
        if value is not None and -1 not in value.shape and math.prod(value.shape) != count:
            raise InvalidArgumentError(
                f"expected {name} to have {count} elements, one per {what}, "
                f"but received shape {list(value.shape)}."
            )


# -- batch ------------------------------------------------------------------------------------


@of_dimensions
def _batch_norm_rule(inputs, attrs):
    x, _, _, mean, variance, _ = inputs
    return [x, mean, variance, Spec(mean.shape, mean.dtype), Spec(mean.shape, mean.dtype), None]


@op(
    "batch_norm",
    "X Scale? Bias? Mean~ Variance~ MomentumTensor?~ -> "
    "Y MeanOut=Mean VarianceOut=Variance SavedMean~ SavedVariance~ ReserveSpace?~",
    lod="X",
    infer=_batch_norm_rule,
    no_alias="Y",
    amp="norm",
    statistics="momentum",
)
def batch_norm(
    x, scale, bias, mean, variance, momentum_tensor, *, is_test=False, momentum=0.9, epsilon=1e-5,
    data_layout="NCHW", use_global_stats=False, trainable_statistics=False,
):  # fmt: skip
    last = x.dim() > 2 and is_channel_last(data_layout)
    if last:
        x = to_channel_first(x)
    channels = x.shape[1] if x.dim() > 1 else 0
    _check_parameters(channels, "channel", Scale=scale, Bias=bias, Mean=mean, Variance=variance)
    if not epsilon >= 0.0:
        raise _negative(epsilon)
    if momentum_tensor is not None:
        momentum = float(momentum_tensor)
    if use_global_stats or (is_test and not trainable_statistics):
        if x.numel():
            out, _, _ = torch.native_batch_norm(x, scale, bias, mean, variance, False, 0.0, epsilon)
        else:
            out = x.clone()
        saved = mean.clone(), torch.rsqrt(variance + epsilon)
    else:
        out, *saved = _train(x, scale, bias, mean, variance, momentum, epsilon)
    return (to_channel_last(out) if last else out), mean, variance, *saved, None


def _train(x, scale, bias, mean, variance, momentum, epsilon):
    """Normalizes by the batch's statistics and moves the running ones towards them.

    ATen moves the variance towards its unbiased form, the formula here takes the population form:
    scaling before and after makes one of the other. One value per channel has no variance: as in
    PaddlePaddle the result is X, and the running statistics stay.
    """
    count = _per_statistic(x)
    if not count:
        raise InvalidArgumentError(
            "batch_norm: expected values of each channel to take the mean of, but received X of "
            f"shape {list(x.shape)}."
        )
    if count == 1:
        return x.clone(), torch.zeros_like(mean), torch.zeros_like(variance)
    share = (count - 1) / count
    variance.div_(share)
    found = torch.native_batch_norm(x, scale, bias, mean, variance, True, 1.0 - momentum, epsilon)
    variance.mul_(share)
    return found


def _per_statistic(x: torch.Tensor) -> int:
    """How many values of a channel the statistics are taken over."""
    return x.numel() // max(x.shape[1], 1)


@batch_norm.grad("X Scale Bias SavedMean SavedVariance", no_alias="X")
def _(
    dy, x, scale, bias, saved_mean, saved_scale, *, is_test, epsilon, data_layout,
    use_global_stats, trainable_statistics, needs_grad,
):  # fmt: skip
    last = x.dim() > 2 and is_channel_last(data_layout)
    if last:
        x, dy = to_channel_first(x), to_channel_first(dy)
    fixed = use_global_stats or (is_test and not trainable_statistics)
    mask = [needs_grad[0], needs_grad[1] and scale is not None, needs_grad[2] and bias is not None]
    if not fixed and _per_statistic(x) == 1:
        dx, dw, db = dy.clone(), _zeros_for(scale, mask[1]), _zeros_for(bias, mask[2])
    elif fixed:
        dx, dw, db = _fixed_gradients(dy, x, scale, saved_mean, saved_scale, mask)
    elif _differentiated(dy, x, scale):
        dims = [0, *range(2, x.dim())]
        weight = None if scale is None else scale.reshape(_per_channel(x))
        dx, dw, db = _formula(dy, x, weight, dims, epsilon, dims, mask)
    else:
        dx, dw, db = _aten.native_batch_norm_backward(
            dy, x, scale, None, None, saved_mean, saved_scale, True, epsilon, mask
        )
    if last and dx is not None:
        dx = to_channel_last(dx)
    return dx, dw if mask[1] else None, db if mask[2] else None, None, None, None


def _zeros_for(parameter: torch.Tensor | None, needs_grad: bool) -> torch.Tensor | None:
    return torch.zeros_like(parameter) if needs_grad and parameter is not None else None


def _per_channel(x: torch.Tensor) -> list[int]:
    return [1, -1] + [1] * (x.dim() - 2)


def _fixed_gradients(dy, x, scale, mean, rstd, mask):
    """Gradients where mean and variance are given numbers."""
    shape, dims = _per_channel(x), [0, *range(2, x.dim())]
    factor = rstd if scale is None else rstd * scale
    dx = dy * factor.reshape(shape) if mask[0] else None
    dw = None
    if mask[1]:
        dw = (dy * ((x - mean.reshape(shape)) * rstd.reshape(shape))).sum(dims)
    return dx, dw, dy.sum(dims) if mask[2] else None


# -- layer ------------------------------------------------------------------------------------


def _rows(shape: tuple, begin: int) -> int:
    """Product of the leading dimensions; -1 where one is unknown."""
    rows = 1
    for n in shape[:begin]:
        if n == -1:
            return -1
        rows *= n
    return rows


def _negative(epsilon):
    return InvalidArgumentError(
        f"epsilon is expected to be a number of at least 0, but received {epsilon}."
    )


@of_dimensions
def _layer_norm_rule(inputs, attrs):
    x = inputs[0]
    normalized = x.shape[attrs["begin_norm_axis"] :]
    if -1 not in normalized:
        _check_parameters(
            math.prod(normalized), "normalized element", Scale=inputs[1], Bias=inputs[2]
        )
    stats = Spec((_rows(x.shape, attrs["begin_norm_axis"]),), x.dtype)
    return [x, stats, stats]


@op(
    "layer_norm",
    "X Scale? Bias? -> Y Mean~ Variance~",
    lod="X",
    infer=_layer_norm_rule,
    no_alias="Y",
    amp="norm",
)
def layer_norm(x, scale, bias, *, epsilon=1e-5, begin_norm_axis=1):
    if not 0 <= begin_norm_axis < x.dim():
        raise InvalidArgumentError(
            f"expected begin_norm_axis in [0, {x.dim()}), but received {begin_norm_axis} for X of "
            f"shape {list(x.shape)}."
        )
    if not epsilon >= 0.0:
        raise _negative(epsilon)
    shape = x.shape[begin_norm_axis:]
    if scale is not None or bias is not None:
        _check_parameters(shape.numel(), "normalized element", Scale=scale, Bias=bias)
    out, mean, rstd = torch.native_layer_norm(
        x, shape, _shaped(scale, shape), _shaped(bias, shape), epsilon
    )
    return out, mean.view(-1), rstd.view(-1).pow(-2).sub_(epsilon)


def _shaped(value: torch.Tensor | None, shape: torch.Size) -> torch.Tensor | None:
    return value if value is None or len(shape) == 1 else value.reshape(shape)


@layer_norm.grad("X Scale Bias Mean Variance", no_alias="X")
def _(dy, x, scale, bias, mean, variance, *, epsilon, begin_norm_axis, needs_grad):
    shape = x.shape[begin_norm_axis:]
    mask = [needs_grad[0], needs_grad[1] and scale is not None, needs_grad[2] and bias is not None]
    weight = _shaped(scale, shape)
    if _differentiated(dy, x, scale):
        inner = list(range(begin_norm_axis, x.dim()))
        dx, dw, db = _formula(dy, x, weight, inner, epsilon, list(range(begin_norm_axis)), mask)
    else:
        stats = [*x.shape[:begin_norm_axis], *[1] * len(shape)]
        rstd = torch.rsqrt(variance + epsilon).reshape(stats)
        shift = _shaped(bias, shape)
        dx, dw, db = _aten.native_layer_norm_backward(
            dy, x, shape, mean.reshape(stats), rstd, weight, shift, mask
        )
    return (
        dx if mask[0] else None,
        dw.reshape(scale.shape) if mask[1] else None,
        db.reshape(bias.shape) if mask[2] else None,
    )


# -- group and instance -----------------------------------------------------------------------


def _check_groups(x: torch.Tensor, groups: int) -> None:
    if x.dim() < 2 or groups < 1 or x.shape[1] % groups:
        raise InvalidArgumentError(
            f"expected groups to divide the number of channels, but received groups = {groups} "
            f"for X with channels first of shape {list(x.shape)}."
        )


@of_dimensions
def _group_norm_rule(inputs, attrs):
    x = inputs[0]
    stats = Spec((x.shape[0], attrs["groups"]), x.dtype)
    return [x, stats, stats]


@op(
    "group_norm",
    "X Scale? Bias? -> Y Mean~ Variance~",
    lod="X",
    infer=_group_norm_rule,
    no_alias="Y",
    amp="norm",
)
def group_norm(x, scale, bias, *, epsilon=1e-5, groups=-1, data_layout="NCHW"):
    last = is_channel_last(data_layout)
    if last:
        x = to_channel_first(x)
    _check_groups(x, groups)
    out, mean, rstd = _grouped(x, scale, bias, groups, epsilon)
    if last:
        out = to_channel_last(out).contiguous()
    return out, mean, rstd.pow(-2) - epsilon


def _grouped(x, scale, bias, groups, epsilon):
    """ATen's group norm of ``[N, C, ...]``."""
    if not epsilon >= 0.0:
        raise _negative(epsilon)
    n, c = x.shape[:2]
    _check_parameters(c, "channel", Scale=scale, Bias=bias)
    return torch.native_group_norm(
        x.contiguous(), scale, bias, n, c, x.shape[2:].numel(), groups, epsilon
    )


def _grouped_gradients(dy, x, scale, bias, mean, rstd, groups, epsilon, needs_grad):
    """Gradients of :func:`_grouped`."""
    mask = [True, needs_grad[1] and scale is not None, needs_grad[2] and bias is not None]
    n, c = x.shape[:2]
    if not _differentiated(dy, x, scale):
        dx, dw, db = _aten.native_group_norm_backward(
            dy.contiguous(), x.contiguous(), mean.reshape(n, groups), rstd.reshape(n, groups),
            scale, n, c, x.shape[2:].numel(), groups, mask,
        )  # fmt: skip
        return dx, dw if mask[1] else None, db if mask[2] else None
    split = [n, groups, c // groups, *x.shape[2:]]
    weight = None
    if scale is not None:
        weight = scale.reshape([1, groups, c // groups] + [1] * (x.dim() - 2))
    dims = list(range(2, x.dim() + 1))
    dx, dw, db = _formula(
        dy.reshape(split), x.reshape(split), weight, dims, epsilon, [0, *dims[1:]], mask
    )
    return (
        dx.reshape(x.shape),
        dw.reshape(c) if mask[1] else None,
        db.reshape(c) if mask[2] else None,
    )


@group_norm.grad("X Scale Bias Mean Variance")
def _(dy, x, scale, bias, mean, variance, *, epsilon, groups, data_layout, needs_grad):
    last = is_channel_last(data_layout)
    if last:
        x, dy = to_channel_first(x), to_channel_first(dy)
    rstd = torch.rsqrt(variance + epsilon)
    dx, dw, db = _grouped_gradients(dy, x, scale, bias, mean, rstd, groups, epsilon, needs_grad)
    return to_channel_last(dx) if last else dx, dw, db


@of_dimensions
def _instance_norm_rule(inputs, attrs):
    x = inputs[0]
    if len(x.shape) > 1 and x.shape[1] != -1:
        _check_parameters(x.shape[1], "channel", Scale=inputs[1], Bias=inputs[2])
    stats = Spec((_rows(x.shape, 2),), x.dtype)
    return [x, stats, stats]


@op(
    "instance_norm",
    "X Scale? Bias? -> Y SavedMean~ SavedVariance~",
    lod="X",
    infer=_instance_norm_rule,
    no_alias="Y",
    amp="norm",
)
def instance_norm(x, scale, bias, *, epsilon=1e-5):
    _check_groups(x, 1)
    out, mean, rstd = _grouped(x, scale, bias, x.shape[1], epsilon)
    return out, mean.reshape(-1), rstd.reshape(-1)


@instance_norm.grad("X Scale Bias SavedMean SavedVariance")
def _(dy, x, scale, bias, mean, rstd, *, epsilon, needs_grad):
    return _grouped_gradients(dy, x, scale, bias, mean, rstd, x.shape[1], epsilon, needs_grad)


# -- others -----------------------------------------------------------------------------------


@op("lrn", "X -> Out MidOut~", infer="floating", dtypes="floats", rank0=False)
def lrn(x, *, n=5, k=2.0, alpha=1e-4, beta=0.75, data_format="AnyLayout"):
    """Divides by ``(k + alpha * sum of squares over n neighbouring channels) ** beta``."""
    axis = x.dim() - 1 if is_channel_last(data_format) else 1
    if n < 1:
        raise InvalidArgumentError(f"expected n to be positive, but received {n}.")
    before = (n - 1) // 2
    pads = [0, 0] * (x.dim() - 1 - axis) + [before, n - 1 - before]
    squares = torch.constant_pad_nd(x * x, pads)
    size = x.shape[axis]
    total = squares.narrow(axis, 0, size)
    for i in range(1, n):
        total = total + squares.narrow(axis, i, size)
    mid = total * alpha + k
    return x * mid.pow(-beta), mid


def _norm_rule(inputs, attrs):
    x = inputs[0]
    axis = attrs["axis"] % len(x.shape)
    return [x, Spec((*x.shape[:axis], 1, *x.shape[axis + 1 :]), x.dtype)]


@op("norm", "X -> Out Norm~", infer=_norm_rule)
def norm(x, *, axis, epsilon=1e-10, is_test=False):
    length = torch.sqrt((x * x).sum(axis, keepdim=True) + epsilon)
    return torch.div(x, length), length


@op("spectral_norm", "Weight U V -> Out", infer="same", dtypes="floats")
def spectral_norm(weight, u, v, *, dim=0, power_iters=1, eps=1e-12):
    """Divides by the largest singular value, as power iteration from ``u`` and ``v`` finds it."""
    matrix = weight.movedim(dim, 0).flatten(1)
    if u.numel() != matrix.shape[0] or v.numel() != matrix.shape[1]:
        raise InvalidArgumentError(
            f"expected U of {matrix.shape[0]} and V of {matrix.shape[1]} elements for Weight of "
            f"shape {list(weight.shape)} and dim = {dim}, but received {list(u.shape)} and "
            f"{list(v.shape)}."
        )
    fixed, u, v = matrix.detach(), u.detach(), v.detach()
    for _ in range(power_iters):
        v = torch.mv(fixed.t(), u)
        v = v / (torch.linalg.vector_norm(v) + eps)
        u = torch.mv(fixed, v)
        u = u / (torch.linalg.vector_norm(u) + eps)
    return torch.div(weight, torch.dot(u, torch.mv(matrix, v)))
