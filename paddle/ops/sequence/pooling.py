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

    Filter is [contextLength * width of X, width of Out]. Rows outside of the sequence are zero, or
    with paddingTrainable those of PaddingData: first the rows before a sequence, then those behind.
    """
    before, behind = max(0, -contextStart), max(0, contextStart + contextLength - 1)
    around = (before + behind, x.shape[-1])
    if paddingTrainable and (padding is None or tuple(padding.shape) != around):
        raise InvalidArgumentError(
            f"sequence_conv(paddingTrainable): expected PaddingData of shape {list(around)}, but "
            f"received {'none' if padding is None else list(padding.shape)}."
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
    seen = windows(x, offsets, contextStart, contextLength)
    if paddingTrainable:
        seen = _surrounded(seen, offsets, contextStart, padding)
    return affine(seen, weight)


def _outside(offsets: list[int], start: int, shift: int, x: torch.Tensor) -> tuple:
    """The rows whose neighbour ``shift`` away is in another sequence, and their padding's."""
    owner = owners(offsets, x)
    first, end = positions(offsets, x)[owner], positions(offsets, x)[owner + 1]
    place = torch.arange(x.shape[0], device=x.device) + shift
    rows = torch.logical_or(place < first, place >= end).nonzero().reshape(-1)
    off = torch.where(place < first, place - first, place - end) + max(0, -start)
    return rows, off[rows]


def _surrounded(
    seen: torch.Tensor, offsets: list[int], start: int, padding: torch.Tensor
) -> torch.Tensor:
    """Windows with rows of padding where there is no neighbour."""
    parts = []
    for shift, part in enumerate(seen.split(padding.shape[1], 1), start):
        rows, of_padding = _outside(offsets, start, shift, seen)
        parts.append(part.index_copy(0, rows, padding[of_padding]))
    return torch.cat(parts, 1)


@sequence_conv.grad("X PaddingData Filter")
def _(d_out, x, padding, weight, *, paddingTrainable, contextLength, contextStart, needs_grad):
    offsets = last_level("sequence_conv", "X", x, 1)
    d_x = d_padding = d_weight = None
    if needs_grad[0]:  # the rows that a row went into, by the filter turned round
        turned = weight.unflatten(0, (contextLength, x.shape[1])).flip(0).transpose(1, 2)
        start = 1 - contextStart - contextLength
        d_x = affine(windows(d_out, offsets, start, contextLength), turned.flatten(0, 1))
    if needs_grad[1] and paddingTrainable:
        d_padding = torch.zeros_like(padding)
        d_seen = torch.mm(d_out, weight.t()).split(x.shape[1], 1)
        for shift, part in enumerate(d_seen, contextStart):
            rows, of_padding = _outside(offsets, contextStart, shift, x)
            d_padding = d_padding.index_add(0, of_padding, part[rows])
    if needs_grad[2]:
        seen = windows(x, offsets, contextStart, contextLength)
        if paddingTrainable:
            seen = _surrounded(seen, offsets, contextStart, padding)
        d_weight = product_of_rows(seen, d_out)
    return d_x, d_padding, d_weight
