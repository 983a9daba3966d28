"""Padding by constants, mirrored, repeated or wrapped values."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.manipulation.attribute_tensors import ints
from paddle.ops.nn.window import is_channel_last, to_channel_first, to_channel_last

_MODES = {"constant", "reflect", "replicate", "circular"}


def _positions(size: int, before: int, after: int, mode: str) -> list[int]:
    """Returns for every position of the padded dimension the one it is taken from."""
    where = range(-before, size + after)
    if mode == "circular":
        return [i % size for i in where]
    if mode == "replicate":
        return [min(max(i, 0), size - 1) for i in where]
    if before >= size or after >= size:
        raise InvalidArgumentError(
            f"expected reflecting padding to be smaller than the dimension of {size} it is for, "
            f"but received {before} in front and {after} behind."
        )
    return [abs(i) if i < size else 2 * (size - 1) - i for i in where]


def pad_last(x: torch.Tensor, pads: list[int], mode: str, value: float) -> torch.Tensor:
    """Pads the last dimensions; ``pads`` holds two numbers each, the last dimension first."""
    if mode not in _MODES:
        raise InvalidArgumentError(
            f"expected mode to be one of {sorted(_MODES)}, but received {mode!r}."
        )
    if mode == "constant" or not any(pads):
        return torch.constant_pad_nd(x, pads, value)
    if (
        mode != "circular"
        and x.is_floating_point()
        and min(pads) >= 0
        and len(pads) == 2 * (x.dim() - 2)
    ):
        for i in range(0, len(pads), 2):
            _positions(x.shape[-1 - i // 2], pads[i], pads[i + 1], mode)
        return torch._C._nn.pad(x, pads, mode)
    for i in range(0, len(pads), 2):
        axis = x.dim() - 1 - i // 2
        if pads[i] or pads[i + 1]:
            index = _positions(x.shape[axis], pads[i], pads[i + 1], mode)
            x = x.index_select(axis, torch.tensor(index, device=x.device))
    return x


def _pad_rule(inputs, attrs):
    x, pads = inputs[0], attrs["paddings"]
    shape = [
        n if n == -1 else n + b + a for n, b, a in zip(x.shape, pads[::2], pads[1::2], strict=True)
    ]
    return [Spec(tuple(shape), x.dtype)]


@op("pad", "X -> Out", lod="X", infer=_pad_rule)
def pad(x, *, paddings, pad_value=0.0):
    if len(paddings) != 2 * x.dim():
        raise InvalidArgumentError(
            f"expected paddings to hold {2 * x.dim()} numbers, two for each dimension of X, "
            f"but received {list(paddings)} for shape {list(x.shape)}."
        )
    pairs = [p for i in reversed(range(x.dim())) for p in paddings[2 * i : 2 * i + 2]]
    return torch.constant_pad_nd(x, pairs, pad_value)


@pad.grad()
def _(dy, *, paddings):
    pairs = [-p for i in reversed(range(dy.dim())) for p in paddings[2 * i : 2 * i + 2]]
    return torch.constant_pad_nd(dy, pairs)


def _formatted(x, pads, rank, mode, value, data_format):
    """Pads the spatial dimensions of a layout."""
    if x.dim() != rank + 2 or len(pads) != 2 * rank:
        raise InvalidArgumentError(
            f"expected X of {rank + 2} dimensions and {2 * rank} paddings, but received shape "
            f"{list(x.shape)} and {list(pads)}."
        )
    last = is_channel_last(data_format)
    if last:
        x = to_channel_first(x)
    out = pad_last(x, list(pads), mode, value)
    return to_channel_last(out) if last else out


def _pad2d_rule(inputs, attrs):
    x, by_tensor = inputs
    top, bottom, left, right = attrs["paddings"] if by_tensor is None else [-1] * 4
    first = 1 if is_channel_last(attrs["data_format"]) else 2
    shape = list(x.shape)
    for axis, more in ((first, top + bottom), (first + 1, left + right)):
        shape[axis] = -1 if by_tensor is not None or shape[axis] == -1 else shape[axis] + more
    return [Spec(tuple(shape), x.dtype)]


@op("pad2d", "X Paddings? -> Out", infer=_pad2d_rule)
def pad2d(x, padding_tensor, *, paddings, pad_value=0.0, mode="constant", data_format="NCHW"):
    top, bottom, left, right = ints(paddings, padding_tensor)
    mode = "replicate" if mode == "edge" else mode
    return _formatted(x, [left, right, top, bottom], 2, mode, pad_value, data_format)


def _pad3d_rule(inputs, attrs):
    x = inputs[0]
    first = 1 if is_channel_last(attrs["data_format"]) else 2
    shape = list(x.shape)
    for i in range(3):
        axis = first + 2 - i
        if inputs[1] is not None:
            shape[axis] = -1
        elif shape[axis] != -1:
            shape[axis] += sum(attrs["paddings"][2 * i : 2 * i + 2])
    return [Spec(tuple(shape), x.dtype)]


def _pad3d_linear(inputs: dict[str, list], attrs: dict) -> str:
    return "" if attrs["mode"] == "constant" and attrs["value"] else "X"


@op("pad3d", "X Paddings? -> Out", infer=_pad3d_rule, linear=_pad3d_linear)
def pad3d(x, padding_tensor, *, paddings, mode="constant", value=0.0, data_format="NCDHW"):
    return _formatted(x, ints(paddings, padding_tensor), 3, mode, value, data_format)


@op("pad_constant_like", "X Y -> Out", lod="X", infer=lambda i, a: [Spec(i[0].shape, i[1].dtype)])
def pad_constant_like(x, y, *, pad_value=0.0):
    more = [m - n for m, n in zip(x.shape, y.shape)]
    if x.dim() != y.dim() or min(more, default=0) < 0:
        raise InvalidArgumentError(
            f"expected no dimension of Y to exceed X's, but received X of shape {list(x.shape)} "
            f"and Y of shape {list(y.shape)}."
        )
    return torch.constant_pad_nd(y, [p for m in reversed(more) for p in (0, m)], pad_value)
