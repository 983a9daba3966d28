"""Fused parts of transformers: RMS norm, masked softmax."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.core.infer import in_range
from paddle.core.op import op
from paddle.ops.math.half import in_float32


def _rms_rule(inputs: list, attrs: dict) -> list:
    return [inputs[0], inputs[0]]


def _scaled(x: torch.Tensor, weight, shift, start: int, epsilon: float) -> torch.Tensor:
    axes = list(range(start, x.dim()))
    out = x * torch.rsqrt(torch.mean(torch.square(x), axes, keepdim=True) + epsilon)
    out = out * weight.reshape(x.shape[start:])
    return out if shift is None else out + shift.reshape(x.shape[start:])


_in_float32 = in_float32(_scaled, anywhere=True)


@op("rms_norm", "x bias? residual? norm_weight norm_bias? -> out residual_out?", infer=_rms_rule,
    dtypes="floats")  # fmt: skip
def rms_norm(
    x, bias, residual, norm_weight, norm_bias, *, epsilon, begin_norm_axis, quant_scale,
    quant_round_type, quant_max_bound, quant_min_bound
):  # fmt: skip
    """x over the root of its mean square, https://arxiv.org/abs/1910.07467, of the last axes.

    A residual and a bias are added before; residual_out is that sum.
    """
    if quant_scale > 0:
        raise UnimplementedError(
            f"rms_norm: expected quant_scale <= 0, no quantized result, but received {quant_scale}."
        )
    start = in_range(begin_norm_axis, x.dim(), "begin_norm_axis")
    size = x.shape[start:].numel()
    wrong = [w for w in (norm_weight, norm_bias) if w is not None and w.numel() != size]
    if wrong:
        raise InvalidArgumentError(
            f"rms_norm: expected norm_weight and norm_bias of {size} elements, as x of shape "
            f"{list(x.shape)} has from axis {begin_norm_axis} on, but received {wrong[0].numel()}."
        )
    if residual is not None:
        x = x + residual if bias is None else x + residual + bias
    elif bias is not None:
        x = x + bias
    out = _in_float32(x, norm_weight, norm_bias, start, epsilon)
    return out, x.view(x.shape)


@op("fused_softmax_mask", "X Mask~ -> Out", infer="same", dtypes="floats")
def fused_softmax_mask(x, mask):
    """softmax over the last axis of X [B, heads, S, T] with Mask [B, 1, S, T] added."""
    if x.dim() != 4 or mask.dim() != 4 or mask.shape[1] != 1:
        raise InvalidArgumentError(
            "fused_softmax_mask: expected X [B, heads, S, T] and Mask [B, 1, S, T], but received "
            f"shapes {list(x.shape)} and {list(mask.shape)}."
        )
    return torch.softmax(x + mask.to(x.dtype), -1)


@fused_softmax_mask.grad("Out")
def _(d_out, out):
    return torch._softmax_backward_data(d_out, out, -1, out.dtype), None
