"""Pooling, softmax and convolution within sequences of rows."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.linalg.matrices import affine, product_of_rows
from paddle.ops.sequence.levels import (
    last_level,
    lengths_of,
    levels_of,
    marked,
    owners,
    padded,
    positions,
    unpadded,
    windows,
)


def _sums(x: torch.Tensor, offsets: list[int], kind: str) -> torch.Tensor:
    count = len(offsets) - 1
    total = x.new_zeros([count, *x.shape[1:]]).index_add(0, owners(offsets, x), x)
    if kind == "SUM":
        return total
    share = positions(lengths_of(offsets), x).clamp(min=1).to(x.dtype)
    share = torch.sqrt(share) if kind == "SQRT" else share
    return torch.div(total, share.reshape([-1, *[1] * (x.dim() - 1)]))


def _maximum(x: torch.Tensor, offsets: list[int], kind: str) -> torch.Tensor:
    if x.numel() == 0 or not max(lengths_of(offsets), default=0):
        return x.new_zeros([len(offsets) - 1, *x.shape[1:]])
    lowest = -torch.inf if x.is_floating_point() else torch.iinfo(x.dtype).min
    return torch.max(padded(x, offsets, lowest), 1).values


def _edge(x: torch.Tensor, offsets: list[int], kind: str) -> torch.Tensor:
    if not x.shape[0]:
        return x.new_zeros([len(offsets) - 1, *x.shape[1:]])
    chosen = offsets[:-1] if kind == "FIRST" else [n - 1 for n in offsets[1:]]
    return x[positions(chosen, x).clamp(0, x.shape[0] - 1)]


_POOLS = {
    "SUM": _sums, "AVERAGE": _sums, "SQRT": _sums, "MAX": _maximum, "FIRST": _edge, "LAST": _edge,
}  # fmt: skip


def pooled(x: torch.Tensor, offsets: list[int], kind: str, pad_value: float = 0.0) -> torch.Tensor:
    """A row for each sequence; pad_value for an empty one."""
    out = _POOLS[kind](x, offsets, kind)
    if 0 not in lengths_of(offsets):
        return out
    empty = positions(lengths_of(offsets), x).eq(0).reshape([-1, *[1] * (x.dim() - 1)])
    return torch.where(empty, torch.full_like(out, pad_value), out)


def _pool_rule(inputs: list, attrs: dict) -> list:
    return [Spec((-1, *inputs[0].shape[1:]), inputs[0].dtype), None]


@op("sequence_pool", "X -> Out MaxIndex?~", infer=_pool_rule, lod="", dtypes="floats")
def sequence_pool(x, *, pooltype="AVERAGE", pad_value=0.0):
    """One row for each sequence of the last level, which is gone in the result.

    pooltype is SUM, AVERAGE, SQRT (the sum over the root of the length), MAX, FIRST or LAST; an
    empty sequence gives pad_value. MaxIndex, which only the gradient of PaddlePaddle's kernel
    reads, is not made.
    """
    levels = levels_of("sequence_pool", "X", x)
    if pooltype.upper() not in _POOLS:
        raise InvalidArgumentError(
            f"sequence_pool: expected pooltype to be one of {', '.join(_POOLS)}, but received "
            f"{pooltype!r}."
        )
    out = pooled(x, levels[-1], pooltype.upper(), pad_value)
    return (marked(out, levels[:-1]) if levels[1:] else out), None


@op("sequence_softmax", "X -> Out", infer="same", lod="X", dtypes="floats")
def sequence_softmax(x):
    """Softmax over the rows of each sequence; X is [N] or [N, 1]."""
    offsets = last_level("sequence_softmax", "X", x)
    if x.numel() != x.shape[0]:
        raise InvalidArgumentError(
            f"sequence_softmax: expected X of shape [N] or [N, 1], but received {list(x.shape)}."
        )
    if not x.numel():
        return x.clone()
    table = torch.softmax(padded(x.reshape(-1), offsets, -torch.inf), 1)
    return unpadded(table, offsets).reshape(x.shape)


def _conv_rule(inputs: list, attrs: dict) -> list:
    x, _, weight = inputs
    return [Spec((x.shape[0], weight.shape[1]), x.dtype)]


@op("sequence_conv", "X PaddingData? Filter -> Out", infer=_conv_rule, lod="X", dtypes="floats")
def sequence_conv(x, padding, weight, *, paddingTrainable=False, contextLength, contextStart=0,
                  contextStride=1):  # fmt: skip
    """A row of Out is made of contextLength rows of X, from contextStart away on.

    Filter is [contextLength * width of X, width of Out]. Rows outside of the sequence are zero.
    """
    if paddingTrainable or padding is not None:
        raise UnimplementedError(
            "sequence_conv(paddingTrainable): trained rows around a sequence are not supported; "
            "pad with zeros."
        )
    if contextStride != 1:
        raise UnimplementedError(
            f"sequence_conv: expected contextStride 1, but received {contextStride}."
        )
    if x.dim() != 2 or weight.dim() != 2 or weight.shape[0] != contextLength * x.shape[1]:
        raise InvalidArgumentError(
            "sequence_conv: expected X [N, width] and Filter [contextLength * width, filters], but "
            f"received {list(x.shape)} and {list(weight.shape)} for contextLength {contextLength}."
        )
    offsets = last_level("sequence_conv", "X", x, 1)
    return affine(windows(x, offsets, contextStart, contextLength), weight)


@sequence_conv.grad("X Filter")
def _(d_out, x, weight, *, contextLength, contextStart, needs_grad):  # fmt: skip
    offsets = last_level("sequence_conv", "X", x, 1)
    d_x = d_weight = None
    if needs_grad[0]:  # the rows that a row went into, by the filter turned round
        turned = weight.unflatten(0, (contextLength, x.shape[1])).flip(0).transpose(1, 2)
        start = 1 - contextStart - contextLength
        d_x = affine(windows(d_out, offsets, start, contextLength), turned.flatten(0, 1))
    if needs_grad[2]:
        seen = windows(x, offsets, contextStart, contextLength)
        d_weight = product_of_rows(seen, d_out)
    return d_x, None, d_weight
