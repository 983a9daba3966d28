"""Operators that cut a part out of a tensor: slice, strided_slice, crop."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.manipulation.attribute_tensors import ints, known
from paddle.ops.manipulation.joining import in_range

_ALL = slice(None)
_LAST = 2**31 - 1


def _bounds(size: int, start: int, end: int) -> tuple[int, int]:
    """Returns the first position and the number of elements of a slice with step 1."""
    start = max(start + size, 0) if start < 0 else min(start, size)
    end = max(end + size, 0) if end < 0 else min(end, size)
    return start, max(end - start, 0)


def _check_lengths(name: str, axes: list, **lists: list) -> None:
    for key, values in lists.items():
        if len(values) != len(axes):
            raise InvalidArgumentError(
                f"{name}: {key} is expected to be as long as axes, but received axes = "
                f"{list(axes)} and {key} = {list(values)}."
            )


def _without(shape: list, dropped: list) -> tuple:
    rest = tuple(n for i, n in enumerate(shape) if i not in dropped)
    return rest or (1,)


def _slice_rule(inputs: list, attrs: dict) -> list:
    x, starts_whole, ends_whole, starts_parts, ends_parts = inputs
    shape = list(x.shape)
    axes, flags = attrs["axes"], attrs["infer_flags"]
    by_tensor = any(i is not None for i in inputs[1:]) and not flags
    unsaid = [-1] * len(axes)
    starts = attrs["starts"] if starts_whole is None or starts_parts else unsaid
    ends = attrs["ends"] if ends_whole is None or ends_parts else unsaid
    for i, axis in enumerate(axes):
        axis = in_range(axis, len(shape), "axes")
        unknown = by_tensor or i >= min(len(starts), len(ends)) or (flags and flags[i] == -1)
        size = shape[axis]
        shape[axis] = -1 if unknown or size == -1 else _bounds(size, starts[i], ends[i])[1]
    return [Spec(_without(shape, attrs["decrease_axis"]), x.dtype)]


@op(
    "slice",
    "Input StartsTensor?~ EndsTensor?~ StartsTensorList*?~ EndsTensorList*?~ -> Out",
    infer=_slice_rule,
    linear="Input",
)
def slice_(
    input, starts_whole=None, ends_whole=None, starts_parts=None, ends_parts=None, *, axes,
    starts=(), ends=(), infer_flags=(), decrease_axis=()
):  # fmt: skip
    starts = ints(starts, starts_whole, starts_parts)
    ends = ints(ends, ends_whole, ends_parts)
    if decrease_axis and -1 in starts:
        ends = _to_last(axes, starts, ends, decrease_axis)
    if len(starts) != len(axes) or len(ends) != len(axes):
        _check_lengths("slice", axes, starts=starts, ends=ends)
    if len(axes) == 1 and axes[0] >= 0:
        index = (_ALL,) * axes[0] + (slice(starts[0], ends[0]),)
    else:
        index = [_ALL] * input.dim()
        for axis, start, end in zip(axes, starts, ends):
            index[in_range(axis, len(index), "slice: axes")] = slice(start, end)
        index = tuple(index)
    try:
        out = input[index]
    except IndexError:
        in_range(axes[0], input.dim(), "slice: axes")
        raise
    return _dropped(out, decrease_axis) if decrease_axis else out


def _to_last(axes: list, starts: list, ends: list, decrease_axis: list) -> list:
    """Element -1, whose number came as a tensor, ends at 0: the last one is meant."""
    return [
        _LAST if (start, end) == (-1, 0) and axis in decrease_axis else end
        for axis, start, end in zip(axes, starts, ends)
    ]


def _dropped(out: torch.Tensor, decrease_axis: list) -> torch.Tensor:
    wrong = [a for a in decrease_axis if out.shape[a] != 1]
    if wrong:
        raise InvalidArgumentError(
            f"slice: dimensions {list(decrease_axis)} are dropped and expected to have one element "
            f"left, but the slice has shape {list(out.shape)}."
        )
    return out.reshape([n for i, n in enumerate(out.shape) if i not in decrease_axis])


@slice_.grad("Input.shape StartsTensor EndsTensor StartsTensorList EndsTensorList")
def _(
    d_out, shape, starts_whole, ends_whole, starts_parts, ends_parts, *, axes, starts, ends,
    decrease_axis
):  # fmt: skip
    starts = ints(starts, starts_whole, starts_parts)
    ends = ints(ends, ends_whole, ends_parts)
    if decrease_axis and -1 in starts:
        ends = _to_last(axes, starts, ends, decrease_axis)
    rank = len(shape)
    before, sizes = [0] * rank, list(shape)
    for axis, start, end in zip(axes, starts, ends):
        before[axis], sizes[axis] = _bounds(shape[axis], start, end)
    if decrease_axis:
        d_out = d_out.reshape(sizes)
    pads = []
    for axis in range(rank - 1, -1, -1):
        pads += [before[axis], shape[axis] - sizes[axis] - before[axis]]
    dx = torch.constant_pad_nd(d_out, pads)
    return dx, None, None, None, None


# -- with strides -------------------------------------------------------------------------------


def _positions(size: int, start: int, end: int, stride: int) -> range:
    """Returns the positions that a slice with a stride takes from a dimension."""
    if stride == 0:
        raise InvalidArgumentError("strided_slice: strides are expected to differ from 0.")
    if stride > 0:
        first, count = _bounds(size, start, end)
        return range(first, first + count, stride)
    start = start + size if start < 0 else min(start, size - 1)
    # An end in front of the tensor means position 0, which is not taken: unlike Python's slices.
    # But -1 means that position 0 is taken too; 1.8.5 and 2.6.2 agree on that.
    if end != -1:
        end = max(end + size, 0) if end < 0 else min(end, size - 1)
    return range(start, end, stride)


def _strided_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    shape, flags = list(x.shape), attrs["infer_flags"]
    by_tensor = any(i is not None for i in inputs[1:]) and not flags
    for i, axis in enumerate(attrs["axes"]):
        axis = in_range(axis, len(shape), "axes")
        if by_tensor or (flags and flags[i] == -1) or shape[axis] == -1:
            shape[axis] = -1
            continue
        bounds = (attrs["starts"][i], attrs["ends"][i], attrs["strides"][i])
        shape[axis] = len(_positions(shape[axis], *bounds))
    return [Spec(_without(shape, attrs["decrease_axis"]), x.dtype)]


@op(
    "strided_slice",
    "Input StartsTensor?~ EndsTensor?~ StridesTensor?~ StartsTensorList*?~ EndsTensorList*?~ "
    "StridesTensorList*?~ -> Out",
    infer=_strided_rule,
    linear="Input",
)
def strided_slice(
    input, starts_whole=None, ends_whole=None, strides_whole=None, starts_parts=None,
    ends_parts=None, strides_parts=None, *, axes, starts=(), ends=(), strides=(), infer_flags=(),
    decrease_axis=()
):  # fmt: skip
    starts = ints(starts, starts_whole, starts_parts)
    ends = ints(ends, ends_whole, ends_parts)
    if decrease_axis and -1 in starts:
        ends = _to_last(axes, starts, ends, decrease_axis)
    strides = ints(strides, strides_whole, strides_parts)
    _check_lengths("strided_slice", axes, starts=starts, ends=ends, strides=strides)
    index, flips = _strided_index(input.shape, axes, starts, ends, strides)
    out = input[index]
    out = torch.flip(out, flips) if flips else out
    return _dropped(out, decrease_axis) if decrease_axis else out


def _strided_index(
    shape: tuple, axes: list, starts: list, ends: list, strides: list
) -> tuple[tuple, list]:
    """Returns an index that walks forward, as ATen needs it, and the dimensions to flip then."""
    index, flips = [slice(None)] * len(shape), []
    for axis, start, end, stride in zip(axes, starts, ends, strides):
        axis = in_range(axis, len(shape), "strided_slice: axes")
        taken = _positions(shape[axis], start, end, stride)
        if not len(taken):
            index[axis] = slice(0, 0)
        elif stride > 0:
            index[axis] = slice(taken[0], taken[-1] + 1, stride)
        else:
            flips.append(axis)
            index[axis] = slice(taken[-1], taken[0] + 1, -stride)
    return tuple(index), flips


@strided_slice.grad(
    "Input.shape StartsTensor EndsTensor StridesTensor StartsTensorList EndsTensorList "
    "StridesTensorList"
)
def _(
    d_out, shape, starts_whole, ends_whole, strides_whole, starts_parts, ends_parts, strides_parts,
    *, axes, starts, ends, strides, decrease_axis
):  # fmt: skip
    starts = ints(starts, starts_whole, starts_parts)
    ends = ints(ends, ends_whole, ends_parts)
    if decrease_axis and -1 in starts:
        ends = _to_last(axes, starts, ends, decrease_axis)
    strides = ints(strides, strides_whole, strides_parts)
    index, flips = _strided_index(shape, axes, starts, ends, strides)
    grad = torch.zeros(shape, dtype=d_out.dtype, device=d_out.device)
    part = grad[index]
    d_out = d_out.reshape(part.shape)
    part.copy_(torch.flip(d_out, flips) if flips else d_out)
    return grad, None, None, None, None, None, None


# -- crop ---------------------------------------------------------------------------------------


def _crop_shape(x_shape: tuple, shape: list, offsets: list) -> list:
    """The size of every dimension of a crop; -1 takes what is left behind the offset."""
    return [
        n if n != -1 else (-1 if -1 in (size, at) else size - at)
        for n, size, at in zip(shape, x_shape, offsets)
    ]


def _crop_rule(inputs: list, attrs: dict) -> list:
    x, shape_whole, shape_parts, offsets_whole, offsets_parts = inputs
    shape = list(attrs["shape"])
    if shape_parts or shape_whole is not None:
        said = known(shape, None, shape_parts)
        return [Spec(tuple(said if shape_parts else [-1] * len(x.shape)), x.dtype)]
    if offsets_whole is not None and not offsets_parts:
        offsets = [-1] * len(x.shape)
    else:
        offsets = known(attrs["offsets"], None, offsets_parts) or [0] * len(x.shape)
    return [Spec(tuple(_crop_shape(x.shape, shape or [-1] * len(x.shape), offsets)), x.dtype)]


@op("crop_tensor", "X Shape?~ ShapeTensor*?~ Offsets?~ OffsetsTensor*?~ -> Out", infer=_crop_rule)
def crop_tensor(
    x, shape_whole=None, shape_parts=None, offsets_whole=None, offsets_parts=None, *, shape=(),
    offsets=()
):  # fmt: skip
    offsets = _offsets(x.dim(), offsets, offsets_whole, offsets_parts)
    shape = list(ints(shape, shape_whole, shape_parts)) or [-1] * x.dim()
    if len(shape) != x.dim() or len(offsets) != x.dim():
        raise InvalidArgumentError(
            f"crop: shape and offsets are expected to have {x.dim()} entries, one for each "
            f"dimension of the input, but received {shape} and {offsets}."
        )
    sizes = _crop_shape(x.shape, shape, offsets)
    out = x
    for axis, (at, size) in enumerate(zip(offsets, sizes)):
        if at < 0 or size < 0 or at + size > x.shape[axis]:
            raise InvalidArgumentError(
                f"crop: offset {at} and size {size} in dimension {axis} are expected to lie inside "
                f"the input of shape {list(x.shape)}."
            )
        out = out.narrow(axis, at, size)
    return out


def _offsets(rank: int, offsets: list, whole: torch.Tensor | None, parts: list | None) -> list:
    return list(ints(offsets, whole, parts)) or [0] * rank


@crop_tensor.grad("X.shape Out.shape Offsets OffsetsTensor")
def _(d_out, x_shape, out_shape, offsets_whole, offsets_parts, *, offsets):
    pads = []
    at = _offsets(len(x_shape), offsets, offsets_whole, offsets_parts)
    for axis in range(len(x_shape) - 1, -1, -1):
        pads += [at[axis], x_shape[axis] - out_shape[axis] - at[axis]]
    dx = torch.constant_pad_nd(d_out, pads)
    return dx, None, None, None, None
