"""How ``x[...] = value`` is recorded: set_value where it can say the place, else scatter.

Both write into the variable itself: the operators behind see the new contents.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddle.core import constants
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.ir.recording.lowering import as_variable, write
from paddle.ir.recording.lowering_indexing import (
    END,
    IndexPart,
    counted,
    cut_of,
    item_of,
    parse,
    read,
)
from paddle.ir.recording.record import lowering
from paddle.ir.variable import Variable

# The attribute of set_value that holds a number of a type.
_VALUES = {
    VarType.BOOL: "bool_values",
    VarType.INT32: "int32_values",
    VarType.INT64: "int64_values",
    VarType.FP32: "fp32_values",
    VarType.FP64: "fp64_values",
}


def assign_item(x: Any, item: Any, value: Any) -> None:
    """Records ``x[item] = value``."""
    x = as_variable(x)
    parts = parse(x, item)
    if all(_by_slices(p) for p in parts):
        _set_value(x, parts, value)
    else:
        _scatter(x, parts, value)


def _by_slices(part: IndexPart) -> bool:
    """Whether set_value can say it: it knows no tensors and, in 2.0, no steps below 0."""
    if part.kind == "slice":
        return not (isinstance(part.value.step, int) and part.value.step < 0)
    return part.kind == "int" or (part.kind == "new" and part.value is None)


def _set_value(x: Variable, parts: list[IndexPart], value: Any) -> None:
    cut = cut_of(x, _counted_ints(x, parts))
    (starts, start_list), (ends, end_list), (steps, step_list) = cut.bounds()
    if not cut.axes:  # x[:] = value
        cut.axes, starts, ends, steps = [0], [0], [END], [1]
    attrs: dict[str, Any] = {
        "axes": cut.axes, "starts": starts, "ends": ends, "dtype": int(x.dtype), "shape": [1],
    }  # fmt: skip
    attrs["steps"] = steps  # 2.6.2 crashes without
    tensor = None
    if _is_number(value) and x.dtype in _VALUES:
        attrs[_VALUES[x.dtype]] = attrs["values"] = [_number(value, x.dtype)]  # 2.0's, 2.6's name
    else:
        tensor = _fitted(x, parts, as_value(value, x))
    write(x, "set_value", [x, tensor, start_list, end_list, step_list], attrs)


def _counted_ints(x: Variable, parts: list[IndexPart]) -> list[IndexPart]:
    """Positions that Variables say, counted from 0: the slice from -1 to 0 would hold nothing."""
    made, axis = [], 0
    for part in parts:
        if part.kind == "int" and isinstance(part.value, Variable):
            part = IndexPart("int", counted(part.value, x, axis))
        made.append(part)
        axis += part.axes
    return made


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating))


def _number(value: Any, kind: VarType) -> Any:
    number = value.item() if isinstance(value, np.generic) else value
    if kind in (VarType.FP32, VarType.FP64):
        return float(number)
    return bool(number) if kind is VarType.BOOL else int(number)


def as_value(value: Any, x: Variable) -> Variable:
    """The value of an assignment as a Variable of the type of ``x``."""
    if isinstance(value, Variable) or hasattr(value, "_buf"):
        made = as_variable(value)
    else:
        array = np.asarray(value)
        if array.dtype.kind not in "biufc":
            raise TypeError(
                "Variable.__setitem__: expected a number, array or Variable as value, "
                f"but received {type(value).__name__}."
            )
        return constants.array(array, x.dtype)
    if made.dtype is x.dtype:
        return made
    return C.cast(made, in_dtype=int(made.dtype), out_dtype=int(x.dtype))


def _fitted(x: Variable, parts: list[IndexPart], value: Variable) -> Variable:
    """Gives a value the axes of the place it goes to: ints keep theirs, new ones are not there."""
    kinds = [p.kind for p in parts]
    rank = len(value.shape)
    room = sum(kind != "int" for kind in kinds)
    if room == 0:
        return value
    gone, added = _axes_to_fit(["new"] * (rank - room) + kinds, rank)
    if any(value.shape[axis] not in (1, -1) for axis in gone):
        raise InvalidArgumentError(
            f"Variable.__setitem__: a value of shape {list(value.shape)} does not fit the indexed "
            f"part of a Variable of shape {list(x.shape)}."
        )
    if gone:
        value = C.squeeze2(value, axes=gone)[0]
    return C.unsqueeze2(value, axes=added)[0] if added else value


def _axes_to_fit(kinds: list[str], rank: int) -> tuple[list[int], list[int]]:
    """Which axes of a value of some rank to squeeze, and where to put new ones afterwards."""
    gone: list[int] = []
    before: list[int] = []  # an axis goes in front of this one of the value as it came
    left = rank
    for kind in reversed(kinds):
        if kind == "int":
            before += [left] if left > 0 else []
            continue
        left -= 1
        if kind == "new" and left >= 0:
            gone.append(left)
    at = sorted(axis - sum(g < axis for g in gone) for axis in before)
    return sorted(gone), [axis + i for i, axis in enumerate(at)]


def _scatter(x: Variable, parts: list[IndexPart], value: Any) -> None:
    """Writes through the flat positions of the indexed elements, whatever the index."""
    dims = x.shape
    places = read(_reshaped(_counting(x), x), tuple(parts))
    value = as_value(value, x)
    if len(value.shape) > len(places.shape):
        value = _reshaped(value, places)
    value = _expanded(value, places)
    changed = C.scatter(_flat(x), _flat(places), _flat(value), overwrite=True)
    write(x, "assign", [_reshaped(changed, x)], {})
    x.shape = dims


def _counting(x: Variable) -> Variable:
    """The numbers from 0, as many as ``x`` has elements."""
    first, step = (constants.number(n, VarType.INT64, True) for n in (0, 1))
    if -1 in x.shape:
        return C.range(first, C.size(x), step)
    return C.range(first, constants.number(math.prod(x.shape), VarType.INT64, True), step)


def _flat(x: Variable) -> Variable:
    return x if len(x.shape) == 1 else C.reshape2(x, shape=[-1])[0]


def _reshaped(x: Variable, like: Variable) -> Variable:
    if -1 in like.shape:
        return C.reshape2(x, C.shape(like), shape=[-1] * len(like.shape))[0]
    return C.reshape2(x, shape=list(like.shape))[0]


def _expanded(x: Variable, like: Variable) -> Variable:
    if -1 in like.shape:
        return C.expand_v2(x, C.shape(like), shape=[-1] * len(like.shape))
    return x if x.shape == like.shape else C.expand_v2(x, shape=list(like.shape))


@lowering("setitem")
def _setitem(args: tuple, attrs: dict[str, Any]) -> Variable:
    """The form that returns a changed copy."""
    x, value, tensors = args
    made = C.assign(x)
    item = item_of(attrs["pattern"], tensors)
    if attrs["flips"]:
        value = C.flip(_expanded(as_variable(value), read(made, item)), axis=list(attrs["flips"]))
    assign_item(made, item, value)
    return made
