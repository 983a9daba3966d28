"""The operator of ``x[...] = value`` in a Program: slices with steps, numbers or a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch

from paddle.core.dtype import torch_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import op
from paddle.ops.manipulation.attribute_tensors import ints
from paddle.ops.manipulation.joining import in_range


def _taken(size: int, start: int, end: int, step: int) -> range:
    """The positions of a slice; backward, an end of -1 is the place before the first element."""
    if step == 0:
        raise InvalidArgumentError("set_value: steps are expected to differ from 0.")
    start = start + size if start < 0 else start
    if end < 0 and not (end == -1 and step < 0):
        end += size
    if step > 0:
        return range(max(start, 0), min(end, size), step)
    return range(min(start, size - 1), max(end, -1), step)


def _place(
    shape: Sequence[int], axes: list, starts: Sequence, ends: Sequence, steps: Sequence
) -> tuple:
    """Returns a forward index, as ATen needs it, and the dimensions that are walked backward."""
    steps = steps or [1] * len(axes)
    if not len(axes) == len(starts) == len(ends) == len(steps):
        raise InvalidArgumentError(
            "set_value: as many starts, ends and steps are expected as axes, but received "
            f"axes = {list(axes)}, starts = {list(starts)}, ends = {list(ends)} and steps = "
            f"{list(steps)}."
        )
    index, flips = [slice(None)] * len(shape), []
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        axis = in_range(axis, len(shape), "set_value: axes")
        taken = _taken(shape[axis], start, end, step)
        if not len(taken):
            index[axis] = slice(0, 0)
        elif step > 0:
            index[axis] = slice(taken[0], taken[-1] + 1, step)
        else:
            flips.append(axis)
            index[axis] = slice(taken[-1], taken[0] + 1, -step)
    return tuple(index), flips


def _shown(part: Sequence[int], decrease_axes: list, none_axes: list) -> list[int]:
    """The shape that the user sees: without the integers' axes, with those of ``None``."""
    wrong = [a for a in decrease_axes if part[a] != 1]
    if wrong:
        raise InvalidArgumentError(
            f"set_value: axes {list(decrease_axes)} are dropped and expected to have one element, "
            f"but the place has shape {list(part)}."
        )
    left, shape = list(none_axes), []
    for axis, size in enumerate(part):
        while left and left[0] <= axis:
            shape.append(1)
            left.pop(0)
        if axis not in decrease_axes:
            shape.append(size)
    return shape + [1] * len(left)


def _without_leading_ones(value: torch.Tensor, rank: int) -> torch.Tensor:
    while value.dim() > rank and value.shape[0] == 1:
        value = value.squeeze(0)
    return value


def _spread(value: torch.Tensor, part: Sequence[int], shown: list[int]) -> torch.Tensor:
    value = _without_leading_ones(value, len(shown))
    try:
        return value.expand(shown).reshape(part)
    except RuntimeError as error:
        raise InvalidArgumentError(
            f"set_value: a value of shape {list(value.shape)} cannot be broadcast to the place of "
            f"shape {shown}."
        ) from error


def _numbers(lists: tuple, shape: Sequence[int], dtype: int, x: torch.Tensor) -> torch.Tensor:
    """The value that attributes hold, whichever of them does."""
    values = next((v for v in lists if len(v)), None)
    if values is None:
        raise InvalidArgumentError(
            "set_value: expected a value, as ValueTensor or in one of the attributes for numbers, "
            "but received none."
        )
    made = torch.tensor(list(values), dtype=torch_dtype(dtype), device=x.device)
    return made.reshape(list(shape)) if len(shape) and prod(shape) == len(values) else made


@op(
    "set_value",
    "Input ValueTensor? StartsTensorList*?~ EndsTensorList*?~ StepsTensorList*?~ -> Out",
    infer=lambda inputs, attrs: [inputs[0]],
)
def set_value(
    x, value=None, starts_parts=None, ends_parts=None, steps_parts=None, *, axes, starts=(),
    ends=(), steps=(), decrease_axes=(), none_axes=(), dtype=5, shape=(), values=(),
    bool_values=(), int32_values=(), int64_values=(), fp32_values=(), fp64_values=()
):  # fmt: skip
    out = x.clone()
    index, flips = _place(
        x.shape, axes, ints(starts, None, starts_parts), ints(ends, None, ends_parts),
        ints(steps, None, steps_parts),
    )  # fmt: skip
    part = out[index]
    if value is None:
        lists = (values, bool_values, int32_values, int64_values, fp32_values, fp64_values)
        value = _numbers(lists, shape, dtype, x)
    value = _spread(value.to(x.dtype), part.shape, _shown(part.shape, decrease_axes, none_axes))
    part.copy_(torch.flip(value, flips) if flips else value)
    return out


@set_value.grad("ValueTensor.shape StartsTensorList EndsTensorList StepsTensorList")
def _(
    d_out, value_shape, starts_parts, ends_parts, steps_parts, *, axes, starts, ends, steps,
    decrease_axes, none_axes, needs_grad
):  # fmt: skip
    index, flips = _place(
        d_out.shape, axes, ints(starts, None, starts_parts), ints(ends, None, ends_parts),
        ints(steps, None, steps_parts),
    )  # fmt: skip
    d_x = d_value = None
    if needs_grad[0]:
        d_x = d_out.clone()
        d_x[index] = 0
    if needs_grad[1] and value_shape is not None:
        part = d_out[index]
        shown = _shown(part.shape, decrease_axes, none_axes)
        part = (torch.flip(part, flips) if flips else part).reshape(shown)
        kept = list(value_shape)
        while len(kept) > len(shown) and kept[0] == 1:
            kept.pop(0)
        d_value = part.sum_to_size(kept).reshape(value_shape)
    return d_x, d_value, None, None, None
