"""Batch norm whose statistics are those of the batches of all processes together (ring 0)."""

from __future__ import annotations

import torch

from paddle.core.infer import Spec
from paddle.core.op import define
from paddle.core.rings import Communicator, rings
from paddle.ops.nn.norm import batch_norm
from paddle.ops.nn.window import is_channel_last, to_channel_first, to_channel_last


def _rule(inputs: list, attrs: dict) -> list:
    x, mean, variance = inputs[0], inputs[3], inputs[4]
    return [x, mean, variance, Spec(mean.shape, mean.dtype), Spec(mean.shape, mean.dtype), None]


def _ring(x: torch.Tensor) -> Communicator:
    return rings.alone if x.is_meta else rings.get(0)


def _normalize(
    x, scale, bias, mean, variance, momentum_tensor, *, is_test=False, momentum=0.9, epsilon=1e-5,
    data_layout="NCHW", use_global_stats=False, trainable_statistics=False,
):  # fmt: skip
    fixed = use_global_stats or (is_test and not trainable_statistics)
    ring = _ring(x)
    if fixed or ring.size == 1:
        return batch_norm.kernel(
            x, scale, bias, mean, variance, momentum_tensor, is_test=is_test, momentum=momentum,
            epsilon=epsilon, data_layout=data_layout, use_global_stats=use_global_stats,
            trainable_statistics=trainable_statistics,
        )  # fmt: skip
    last = x.dim() > 2 and is_channel_last(data_layout)
    values = to_channel_first(x) if last else x
    if momentum_tensor is not None:
        momentum = float(momentum_tensor)
    batch_mean, batch_variance = _statistics(values, mean.dtype, ring)
    factor = torch.rsqrt(batch_variance + epsilon)
    shape = _per_channel(values)
    wide = values.to(mean.dtype)
    out = (wide - batch_mean.view(shape)) * (factor * scale).view(shape) + bias.view(shape)
    out = out.to(x.dtype)
    mean.mul_(momentum).add_(batch_mean, alpha=1.0 - momentum)
    variance.mul_(momentum).add_(batch_variance, alpha=1.0 - momentum)
    out = to_channel_last(out) if last else out
    return out, mean, variance, batch_mean, factor, None


def _per_channel(x: torch.Tensor) -> list[int]:
    return [1, -1] + [1] * (x.dim() - 2)


def _statistics(
    x: torch.Tensor, dtype: torch.dtype, ring: Communicator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and variance over all processes, by one exchange; parts may differ in size."""
    dims, channels = [0, *range(2, x.dim())], x.shape[1]
    count = x.numel() // max(channels, 1)
    told = torch.zeros(1 + 2 * channels, dtype=dtype, device=x.device)
    if count:
        variance, mean = torch.var_mean(x.to(dtype), dims, correction=0)
        told[0], told[1 : 1 + channels], told[1 + channels :] = count, mean, variance
    parts = torch.stack(ring.all_gather(told))
    weight = parts[:, :1] / parts[:, :1].sum()
    means, variances = parts[:, 1:].split(channels, 1)
    mean = (weight * means).sum(0)
    return mean, (weight * (variances + (means - mean) ** 2)).sum(0)


sync_batch_norm = define(
    "sync_batch_norm",
    "X Scale Bias Mean Variance MomentumTensor? -> "
    "Y MeanOut=Mean VarianceOut=Variance SavedMean~ SavedVariance~ ReserveSpace?~",
    _normalize,
    infer=_rule,
    proto="PaddlePaddle has it in GPU builds alone, which the table of operators leaves out",
    amp="norm",
    statistics="momentum",
    effects=True,
)


@sync_batch_norm.grad("X Scale Bias SavedMean SavedVariance")
def _(
    dy, x, scale, bias, saved_mean, saved_scale, *, is_test, epsilon, data_layout,
    use_global_stats, trainable_statistics, needs_grad,
):  # fmt: skip
    ring = _ring(x)
    if use_global_stats or (is_test and not trainable_statistics) or ring.size == 1:
        return batch_norm.gradient.kernel(
            dy, x, scale, bias, saved_mean, saved_scale, is_test=is_test, epsilon=epsilon,
            data_layout=data_layout, use_global_stats=use_global_stats,
            trainable_statistics=trainable_statistics, needs_grad=needs_grad,
        )  # fmt: skip
    last = x.dim() > 2 and is_channel_last(data_layout)
    given, slope = (to_channel_first(x), to_channel_first(dy)) if last else (x, dy)
    dtype, shape = saved_mean.dtype, _per_channel(given)
    dims, channels = [0, *range(2, given.dim())], given.shape[1]
    unit = (given.to(dtype) - saved_mean.view(shape)) * saved_scale.view(shape)
    slope = slope.to(dtype)
    d_bias, d_scale = slope.sum(dims), (slope * unit).sum(dims)
    count = d_bias.new_tensor([given.numel() // max(channels, 1)])
    total = ring.all_reduce(torch.cat([d_bias, d_scale, count]))
    of_bias, of_scale = (total[:-1] / total[-1]).split(channels)
    dx = slope - of_bias.view(shape) - unit * of_scale.view(shape)
    dx = (dx * (scale * saved_scale).view(shape)).to(x.dtype)
    # Those of the parameters are this process's part: gradients are exchanged afterwards.
    return (to_channel_last(dx) if last else dx), d_scale, d_bias, None, None, None
