"""Operators that change how elements are arranged by shape alone; most results are views."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, in_range, of_dimensions
from paddle.core.op import op
from paddle.ops.manipulation.attribute_tensors import ints, known


def alias(x: torch.Tensor) -> torch.Tensor:
    """A new handle on the same elements, for results that equal the input."""
    return x.view_as(x)


# -- reshape ------------------------------------------------------------------------------------


def _fill_zeros(x_shape: tuple, shape: Sequence[int]) -> list:
    """Replaces every 0 of a target shape by the input's dimension at that place."""
    rank = len(x_shape)
    late = next((i for i, n in enumerate(shape) if n == 0 and i >= rank), None)
    if late is not None and 0 not in x_shape:
        raise InvalidArgumentError(
            f"reshape: 0 in shape copies a dimension of the input, but shape[{late}] of "
            f"{list(shape)} lies beyond the input's shape {list(x_shape)}."
        )
    return [x_shape[i] if n == 0 and i < rank else n for i, n in enumerate(shape)]


def _reshape_rule(inputs: list, attrs: dict) -> list:
    x, whole, parts = inputs
    shape = _fill_zeros(x.shape, known(attrs["shape"], whole, parts))
    if shape.count(-1) == 1 and -1 not in x.shape and not parts and whole is None:
        rest = prod(n for n in shape if n != -1)
        shape[shape.index(-1)] = prod(x.shape) // rest if rest else 0
    return [Spec(tuple(shape) or (1,), x.dtype), None]


def _wrong_reshape(x: torch.Tensor, shape: Sequence[int]) -> InvalidArgumentError:
    """Says why a tensor cannot take a shape."""
    if list(shape).count(-1) > 1:
        why = f"at most one dimension of shape may be -1, but received {list(shape)}"
    elif any(n < -1 for n in shape):
        why = (
            f"dimensions of shape are expected to be positive, 0 or -1, but received {list(shape)}"
        )
    else:
        told = [n for n in shape if n != -1]
        verb = "cannot be divided into" if -1 in shape else "do not fill the"
        why = (
            f"the input of shape {list(x.shape)} has {x.numel()} elements, which {verb} "
            f"{prod(told)} of shape {list(shape)}"
        )
    return InvalidArgumentError(f"reshape: {why}.")


def _reshaped(x: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    if 0 in shape:
        shape = _fill_zeros(x.shape, shape)
    try:
        return x.reshape(shape)
    except RuntimeError as error:
        if 0 in shape and -1 in shape and list(shape).count(-1) == 1:
            return x.reshape([0 if n == -1 else n for n in shape])
        raise _wrong_reshape(x, shape) from error


@op(
    "reshape2", "X Shape?~ ShapeTensor*?~ -> Out XShape?~", lod="X", infer=_reshape_rule, linear="X"
)
def reshape2(x, shape_whole=None, shape_parts=None, *, shape=()):
    if shape_whole is not None or shape_parts:
        shape = ints(shape, shape_whole, shape_parts)
    if 0 in shape:
        return _reshaped(x, shape), None
    try:
        return x.reshape(shape), None
    except RuntimeError as error:
        raise _wrong_reshape(x, shape) from error


@reshape2.grad("X.shape")
def _(d_out, x_shape):
    return d_out.reshape(x_shape), None, None


@op(
    "reshape",
    "X Shape?~ ShapeTensor*?~ -> Out",
    lod="X",
    infer=lambda i, a: _reshape_rule(i, a)[:1],
)
def reshape(x, shape_whole=None, shape_parts=None, *, shape=()):
    return _reshaped(x, ints(shape, shape_whole, shape_parts))


@reshape.grad("X.shape")
def _(d_out, x_shape):
    return d_out.reshape(x_shape), None, None


# -- transpose ----------------------------------------------------------------------------------


@of_dimensions
def _transpose_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    return [Spec(tuple(x.shape[a] for a in attrs["axis"]), x.dtype), None]


def _inverse(axis: list) -> list:
    back = [0] * len(axis)
    for i, a in enumerate(axis):
        back[a] = i
    return back


def _wrong_perm(x: torch.Tensor, axis: list) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"transpose: perm is expected to hold every dimension of the input of rank {x.dim()} "
        f"(shape {list(x.shape)}) once, but received {list(axis)}."
    )


@op("transpose2", "X -> Out XShape?~", infer=_transpose_rule, linear="X")
def transpose2(x, *, axis):
    try:
        return torch.permute(x, axis), None
    except RuntimeError as error:
        raise _wrong_perm(x, axis) from error


@transpose2.grad()
def _(d_out, *, axis):
    return torch.permute(d_out, _inverse(axis))


@op("transpose", "X -> Out", infer=lambda i, a: _transpose_rule(i, a)[:1])
def transpose(x, *, axis):
    return transpose2(x, axis=axis)[0]


@transpose.grad()
def _(d_out, *, axis):
    return torch.permute(d_out, _inverse(axis))


# -- squeeze, unsqueeze, flatten ----------------------------------------------------------------


def _squeeze_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    rank = len(x.shape)
    axes = {in_range(a, rank) for a in attrs["axes"]}
    # An axis that is named is taken to have size 1 where its size is unknown.
    gone = [n in (1, -1) and i in axes if axes else n == 1 for i, n in enumerate(x.shape)]
    shape = [n for n, g in zip(x.shape, gone) if not g]
    return [Spec(tuple(shape) or (1,), x.dtype), None]


@op("squeeze2", "X -> Out XShape?~", infer=_squeeze_rule, linear="X")
def squeeze2(x, *, axes=()):
    return (torch.squeeze(x, tuple(axes)) if axes else torch.squeeze(x)), None


@squeeze2.grad("X.shape")
def _(d_out, x_shape):
    return d_out.reshape(x_shape)


@op("squeeze", "X -> Out", lod="X", infer=lambda i, a: _squeeze_rule(i, a)[:1])
def squeeze(x, *, axes=()):
    return torch.squeeze(x, tuple(axes)) if axes else torch.squeeze(x)


@squeeze.grad("X.shape")
def _(d_out, x_shape):
    return d_out.reshape(x_shape)


@of_dimensions
def _unsqueeze_rule(inputs: list, attrs: dict) -> list:
    x, whole, parts = inputs
    shape = list(x.shape)
    if parts or whole is not None:
        count = len(known([], whole, parts))
        return [Spec((-1,) * (len(shape) + count), x.dtype), None]
    for a in attrs["axes"]:
        shape.insert(in_range(a, len(shape) + 1), 1)
    return [Spec(tuple(shape), x.dtype), None]


def _unsqueezed(x: torch.Tensor, axes: Sequence[int]) -> torch.Tensor:
    out = x
    for axis in axes:  # one after the other: each counts the dimensions that are there by then
        out = torch.unsqueeze(out, axis)
    return alias(x) if out is x else out


@op(
    "unsqueeze2",
    "X AxesTensor?~ AxesTensorList*?~ -> Out XShape?~",
    infer=_unsqueeze_rule,
    linear="X",
)
def unsqueeze2(x, axes_whole=None, axes_parts=None, *, axes=()):
    if axes_whole is not None or axes_parts:
        axes = ints(axes, axes_whole, axes_parts)
    return _unsqueezed(x, axes), None


@unsqueeze2.grad("X.shape")
def _(d_out, x_shape):
    return d_out.reshape(x_shape), None, None


@op(
    "unsqueeze",
    "X AxesTensor?~ AxesTensorList*?~ -> Out",
    lod="X",
    infer=lambda i, a: _unsqueeze_rule(i, a)[:1],
)
def unsqueeze(x, axes_whole=None, axes_parts=None, *, axes=()):
    return _unsqueezed(x, ints(axes, axes_whole, axes_parts))


@unsqueeze.grad("X.shape")
def _(d_out, x_shape):
    return d_out.reshape(x_shape), None, None


def merged(shape: tuple, start: int, stop: int) -> tuple:
    """Returns a shape with the dimensions from ``start`` to ``stop``, inclusive, as one."""
    rank = len(shape)
    if not -rank <= start < rank or not -rank <= stop < rank:
        raise InvalidArgumentError(
            f"flatten: start_axis and stop_axis are expected in range of [{-rank}, {rank - 1}] for "
            f"shape {list(shape)}, but received {start} and {stop}."
        )
    start, stop = start % rank, stop % rank
    if stop < start:
        raise InvalidArgumentError(
            f"flatten: stop_axis is expected to be no less than start_axis, but received "
            f"start_axis={start} and stop_axis={stop} for shape {list(shape)}."
        )
    middle = shape[start : stop + 1]
    size = -1 if -1 in middle else prod(middle)
    return (*shape[:start], size, *shape[stop + 1 :])


@of_dimensions
def _flatten_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    return [Spec(merged(x.shape, attrs["start_axis"], attrs["stop_axis"]), x.dtype), None]


@op("flatten_contiguous_range", "X -> Out XShape?~", lod="X", infer=_flatten_rule, linear="X")
def flatten_contiguous_range(x, *, start_axis=1, stop_axis=1):
    try:
        out = torch.flatten(x, start_axis, stop_axis)
    except (IndexError, RuntimeError):  # `merged` says what is wrong
        return x.reshape(merged(x.shape, start_axis, stop_axis)), None
    return (alias(x) if out is x else out), None


@flatten_contiguous_range.grad("X.shape")
def _(d_out, x_shape):
    return d_out.reshape(x_shape)


@of_dimensions
def _flatten2_rule(inputs: list, attrs: dict) -> list:
    shape, axis = inputs[0].shape, attrs["axis"]
    sides = [-1 if -1 in side else prod(side) for side in (shape[:axis], shape[axis:])]
    return [Spec(tuple(sides), inputs[0].dtype), None]


def _two_sides(x: torch.Tensor, axis: int) -> torch.Tensor:
    if not 0 <= axis <= x.dim():
        raise InvalidArgumentError(
            f"flatten: axis is expected in range of [0, {x.dim()}], but received {axis}."
        )
    return x.reshape(prod(x.shape[:axis]), prod(x.shape[axis:]))


@op("flatten2", "X -> Out XShape?~", lod="X", infer=_flatten2_rule)
def flatten2(x, *, axis=1):
    return _two_sides(x, axis), None


@flatten2.grad("X.shape")
def _(d_out, x_shape):
    return d_out.reshape(x_shape)


@op("flatten", "X -> Out", lod="X", infer=lambda i, a: _flatten2_rule(i, a)[:1])
def flatten(x, *, axis=1):
    return _two_sides(x, axis)


@flatten.grad("X.shape")
def _(d_out, x_shape):
    return d_out.reshape(x_shape)


# -- order of elements --------------------------------------------------------------------------


def _axes(axis: int | list) -> list:
    return [axis] if isinstance(axis, int) else list(axis)


@op("flip", "X -> Out", infer="same", linear="X")
def flip(x, *, axis):
    return torch.flip(x, _axes(axis))


@flip.grad()
def _(d_out, *, axis):
    return torch.flip(d_out, _axes(axis))


@op("reverse", "X -> Out", lod="", infer="same")
def reverse(x, *, axis):
    return torch.flip(x, _axes(axis))


@reverse.grad()
def _(d_out, *, axis):
    return torch.flip(d_out, _axes(axis))


@op("roll", "X ShiftsTensor?~ -> Out", infer="same", linear="X", rank0=False)
def roll(x, shifts_whole=None, *, shifts=(), axis=()):
    shifts = list(ints(shifts, shifts_whole))
    if len(axis) != len(shifts) and (axis or len(shifts) != 1):
        raise InvalidArgumentError(
            f"roll: as many shifts as axes are expected, but received shifts {shifts} and "
            f"axis {list(axis)}."
        )
    return torch.roll(x, shifts, list(axis) or ())


@roll.grad("ShiftsTensor")
def _(d_out, shifts_whole, *, shifts, axis):
    back = [-n for n in ints(shifts, shifts_whole)]
    return torch.roll(d_out, back, list(axis) or ()), None


@op("shard_index", "X -> Out", infer="same", differentiable=False)
def shard_index(x, *, index_num, nshards, shard_id, ignore_value=-1):
    if not x.is_meta and x.numel() and not 0 <= int(x.min()) <= int(x.max()) < index_num:
        raise InvalidArgumentError(
            f"shard_index: indices are expected to be in range of [0, {index_num}), the attribute "
            f"index_num, but received values from {int(x.min())} to {int(x.max())}."
        )
    size = (index_num + nshards - 1) // nshards
    inside = torch.div(x, size, rounding_mode="floor") == shard_id
    return torch.where(inside, torch.remainder(x, size), ignore_value)
