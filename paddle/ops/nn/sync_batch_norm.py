"""Batch normalization by the statistics of the batches of all processes."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.core.infer import Spec
from paddle.core.op import define
from paddle.core.rings import Communicator, rings
from paddle.ops.nn.norm import batch_norm
from paddle.ops.nn.window import is_channel_last, to_channel_first, to_channel_last


def _sync_rule(inputs: list, attrs: dict) -> list:
    x, mean, variance = inputs[0], inputs[3], inputs[4]
    return [x, mean, variance, Spec(mean.shape, mean.dtype), Spec(mean.shape, mean.dtype), None]


def _everybody(
    x: torch.Tensor, is_test: bool, use_global_stats: bool, trainable_statistics: bool
) -> Communicator:
    """Those whose batches count; this process alone where statistics are given, or shapes asked."""
    fixed = use_global_stats or (is_test and not trainable_statistics)
    return rings.alone if fixed or x.is_meta else rings.get(0)


def _forward(
    x, scale, bias, mean, variance, momentum_tensor, *, is_test=False, momentum=0.9, epsilon=1e-5,
    data_layout="NCHW", use_global_stats=False, trainable_statistics=False,
):  # fmt: skip
    group = _everybody(x, is_test, use_global_stats, trainable_statistics)
    if group.size == 1:
        return batch_norm.kernel(
            x, scale, bias, mean, variance, momentum_tensor, is_test=is_test, momentum=momentum,
            epsilon=epsilon, data_layout=data_layout, use_global_stats=use_global_stats,
            trainable_statistics=trainable_statistics,
        )  # fmt: skip
    if momentum_tensor is not None:
        momentum = float(momentum_tensor)
    last = x.dim() > 2 and is_channel_last(data_layout)
    if last:
        x = to_channel_first(x)
    channels = x.shape[1] if x.dim() > 1 else 0
    if any(p.numel() != channels for p in (scale, bias, mean, variance)):
        raise InvalidArgumentError(
            f"sync_batch_norm: expected Scale, Bias, Mean and Variance to have {channels} elements,"
            f" one per channel of X, but X has shape {list(x.shape)} and Scale {list(scale.shape)}."
        )
    own_mean, own_variance = _moments(x, mean.dtype)
    count, found, spread = _joined(x, own_mean, own_variance, group)
    if count <= 1:  # as batch_norm does
        out, saved = x.clone(), (torch.zeros_like(mean), torch.zeros_like(variance))
    else:
        out = torch.native_batch_norm(x, scale, bias, found, spread, False, 0.0, epsilon)[0]
        saved = found, torch.rsqrt(spread + epsilon)
        mean.mul_(momentum).add_(found, alpha=1.0 - momentum)
        variance.mul_(momentum).add_(spread, alpha=1.0 - momentum)
    return (to_channel_last(out) if last else out), mean, variance, *saved, None


def _moments(x: torch.Tensor, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and variance of each channel, in the type of the statistics."""
    if not x.numel():
        zeros = torch.zeros(x.shape[1], dtype=dtype, device=x.device)
        return zeros, zeros
    dims = [0, *range(2, x.dim())]
    variance, mean = torch.var_mean(x.to(dtype), dims, correction=0)
    return mean, variance


def _joined(x, mean, variance, group):
    """The number of values of a channel, their mean and their variance, over all processes.

    The parts are joined by their means and variances: a difference of sums of squares would lose
    digits where the mean is large.
    """
    count = mean.new_full((1,), x.numel() // max(x.shape[1], 1))
    parts = torch.stack(group.all_gather(torch.cat((count, mean, variance))))
    counts, means, variances = parts.split([1, mean.numel(), mean.numel()], 1)
    shares = counts / counts.sum().clamp(min=1)
    joined = (means * shares).sum(0)
    return int(counts.sum()), joined, ((variances + (means - joined) ** 2) * shares).sum(0)


sync_batch_norm = define(
    "sync_batch_norm",
    "X Scale Bias Mean Variance MomentumTensor? -> "
    "Y MeanOut=Mean VarianceOut=Variance SavedMean~ SavedVariance~ ReserveSpace?~",
    _forward,
    infer=_sync_rule,
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
    group = _everybody(x, is_test, use_global_stats, trainable_statistics)
    if group.size == 1:
        assert batch_norm.gradient is not None
        return batch_norm.gradient.kernel(
            dy, x, scale, bias, saved_mean, saved_scale, is_test=is_test, epsilon=epsilon,
            data_layout=data_layout, use_global_stats=use_global_stats,
            trainable_statistics=trainable_statistics, needs_grad=needs_grad,
        )  # fmt: skip
    if any(b is not None and b.requires_grad for b in (dy, x, scale)):
        raise UnimplementedError(
            "sync_batch_norm: there are no derivatives of higher order in several processes.",
            hint="use paddle.nn.BatchNorm2D, which normalizes by each process's own batch",
        )
    last = x.dim() > 2 and is_channel_last(data_layout)
    if last:
        x, dy = to_channel_first(x), to_channel_first(dy)
    shape, dims = [1, -1] + [1] * (x.dim() - 2), [0, *range(2, x.dim())]
    wide = saved_mean.dtype
    normal = (x.to(wide) - saved_mean.reshape(shape)).mul_(saved_scale.reshape(shape))
    given = dy.to(wide)
    db, dw = given.sum(dims), (given * normal).sum(dims)
    dx = None
    if needs_grad[0]:
        count = dw.new_full((1,), x.numel() // max(x.shape[1], 1))
        total = torch.cat((count, db, dw))
        group.all_reduce_async(total).wait()
        means = total[1:] / total[:1].clamp(min=1)
        b, w = (part.reshape(shape) for part in means.split(db.numel()))
        factor = (saved_scale * scale.to(wide)).reshape(shape)
        dx = normal.mul_(-w).add_(given).sub_(b).mul_(factor).to(x.dtype)
        dx = to_channel_last(dx) if last else dx
    dw, db = dw.to(scale.dtype), db.to(bias.dtype)
    return dx, dw if needs_grad[1] else None, db if needs_grad[2] else None, None, None, None
