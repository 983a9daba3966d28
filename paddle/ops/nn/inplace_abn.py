"""Batch normalization and an activation in one, https://arxiv.org/abs/1712.02616."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import op
from paddle.ops.nn.norm import _batch_norm_rule, _per_channel, batch_norm
from paddle.ops.nn.window import is_channel_last, to_channel_first, to_channel_last

_KINDS = ("", "identity", "leaky_relu", "leakyrelu", "elu")


def _check(activation: str) -> None:
    if activation not in _KINDS:
        raise InvalidArgumentError(
            f"inplace_abn(activation): expected identity, leaky_relu or elu, but received "
            f"{activation!r}."
        )


def _activated(x: torch.Tensor, kind: str, alpha: float) -> torch.Tensor:
    if kind.startswith("leaky"):
        return F.leaky_relu(x, alpha)
    return F.elu(x, alpha) if kind == "elu" else x


def _before(y: torch.Tensor, kind: str, alpha: float) -> tuple[torch.Tensor, Any]:
    """What the activation gave ``y`` for, and its derivative there; None: 1."""
    if kind.startswith("leaky"):
        slope = torch.where(y > 0, 1.0, alpha).to(y.dtype)
        return y / slope, slope
    if kind == "elu":
        low = torch.log1p((y.clamp(max=0.0) / alpha).clamp(min=-1.0 + 1e-7))
        return torch.where(y > 0, y, low), torch.where(y > 0, 1.0, y + alpha)
    return y, None


def _rule(inputs: list, attrs: dict) -> list:
    _check(attrs.get("activation", ""))
    return _batch_norm_rule(inputs, attrs)


@op(
    "inplace_abn",
    "X Scale Bias Mean~ Variance~ MomentumTensor?~ -> "
    "Y MeanOut=Mean VarianceOut=Variance SavedMean~ SavedVariance~ ReserveSpace?~",
    lod="X",
    infer=_rule,
    dtypes="full",
)
def inplace_abn(
    x, scale, bias, mean, variance, momentum_tensor, *, is_test=False, momentum=0.9, epsilon=1e-5,
    data_layout="NCHW", use_global_stats=False, trainable_statistics=False, activation="",
    alpha=0.1
):  # fmt: skip
    """As ``batch_norm``; Y is in memory of its own here, passes make it X's where they can."""
    _check(activation)
    out, *more = batch_norm(
        x, scale, bias, mean, variance, momentum_tensor, is_test=is_test, momentum=momentum,
        epsilon=epsilon, data_layout=data_layout, use_global_stats=use_global_stats,
        trainable_statistics=trainable_statistics,
    )  # fmt: skip
    return _activated(out, activation, alpha), *more


@inplace_abn.grad("Scale Bias Y SavedVariance")
def _(
    dy, scale, bias, y, saved_scale, *, is_test, data_layout, use_global_stats,
    trainable_statistics, activation, alpha, needs_grad,
):  # fmt: skip
    """From the result alone: in a Program it may have taken the place of X."""
    last = y.dim() > 2 and is_channel_last(data_layout)
    if last:
        y, dy = to_channel_first(y), to_channel_first(dy)
    before, slope = _before(y, activation, alpha)
    g = dy if slope is None else dy * slope
    shape, dims = _per_channel(y), [0, *range(2, y.dim())]
    normal = (before - bias.reshape(shape)) / scale.reshape(shape)
    d_bias, d_scale = g.sum(dims), (g * normal).sum(dims)
    dx = g
    if not (use_global_stats or (is_test and not trainable_statistics)):
        count = y.numel() // max(y.shape[1], 1)
        dx = g - (d_bias.reshape(shape) + normal * d_scale.reshape(shape)) / count
    dx = dx * (scale * saved_scale).reshape(shape)
    return to_channel_last(dx) if last else dx, d_scale, d_bias, None, None, None
