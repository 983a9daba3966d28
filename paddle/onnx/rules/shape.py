"""Rules of operators that change the shape, order or extent of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule

_END = 2**31 - 1


def with_xshape(g: Any, op: Any, value: str) -> Any:
    """The result, and nothing for XShape, which only gradients read."""
    return {"Out": value}


@rule("shape")
def _(g: Any, op: Any) -> str:
    return g.cast(g.Shape(op["Input"]), op.dtype("Out"))


@rule("size")
def _(g: Any, op: Any) -> str:
    return op.scalar(g.cast(g.Size(op["Input"]), op.dtype("Out")))


@rule("is_empty")
def _(g: Any, op: Any) -> str:
    return op.scalar(g.Equal(g.Size(op["X"]), np.array(0, np.int64)))


@rule("reshape", "reshape2")
def _(g: Any, op: Any) -> Any:
    shape = op.vector("ShapeTensor", "Shape", attr="shape")
    return with_xshape(g, op, reshaped(g, op, op["X"], shape))


def reshaped(g: Any, op: Any, value: str, shape: Any) -> str:
    """Adds a ``Reshape``; where the rank falls short of a 0, its dimension is named."""
    if isinstance(shape, list):
        out = op.shape("Out")
        if len(out) == len(shape) and out.count(-1) == 0 and 0 in out:
            return g.Reshape(value, shape) if g.opset < 14 else g.Reshape(
                value, [n if n != 0 else o for n, o in zip(shape, out)], allowzero=1
            )  # fmt: skip
    return g.Reshape(value, shape)


@rule("squeeze", "squeeze2")
def _(g: Any, op: Any) -> Any:
    shape = op.shape("X")
    axes = [a % max(len(shape), 1) for a in op.ints("axes")]
    if not axes:
        axes = [i for i, n in enumerate(shape) if n == 1]
        if -1 in shape:
            return with_xshape(g, op, g.squeeze(op["X"], None))
    dropped = sorted({a for a in axes if shape[a] == 1})
    unknown = [a for a in axes if shape[a] == -1]
    if unknown and op.rank("Out") == len(shape) - len(set(axes)):
        dropped = sorted(set(axes))  # the Program says that they go
    if not dropped:
        return with_xshape(g, op, op["X"])
    made = g.squeeze(op["X"], dropped)
    return with_xshape(g, op, op.scalar(made) if len(dropped) == len(shape) else made)


@rule("unsqueeze", "unsqueeze2")
def _(g: Any, op: Any) -> Any:
    axes = op.vector("AxesTensorList", "AxesTensor", attr="axes")
    if not isinstance(axes, list):
        raise op.refuse("axes that only a run can tell")
    value, rank = op["X"], op.rank("X")
    for axis in axes:  # one after the other: each counts those before it
        value = g.unsqueeze(value, [axis % (rank + 1)])
        rank += 1
    return with_xshape(g, op, value)


@rule("flatten", "flatten2")
def _(g: Any, op: Any) -> Any:
    return with_xshape(g, op, g.Flatten(op["X"], axis=int(op.attr("axis"))))


@rule("flatten_contiguous_range")
def _(g: Any, op: Any) -> Any:
    rank = op.rank("X")
    first, last = (int(op.attr(n)) % max(rank, 1) for n in ("start_axis", "stop_axis"))
    shape, out = op.shape("X"), op.shape("Out")
    if -1 not in shape and 0 not in shape:
        return with_xshape(g, op, g.Reshape(op["X"], out))
    if 0 not in shape and all(n > 0 for n in shape[last + 1 :]):
        return with_xshape(g, op, g.Reshape(op["X"], [0] * first + [-1] + shape[last + 1 :]))
    parts = []
    if first:
        parts.append(op.sizes("X", range(first)))
    parts.append(g.value([-1]))
    if last + 1 < rank:
        parts.append(op.sizes("X", range(last + 1, rank)))
    return with_xshape(g, op, g.Reshape(op["X"], g.Concat(*parts, axis=0)))


@rule("transpose", "transpose2")
def _(g: Any, op: Any) -> Any:
    rank = op.rank("X")
    order = [a % rank for a in op.ints("axis")]
    return with_xshape(g, op, g.Transpose(op["X"], perm=order) if order else op["X"])


# -- parts ----------------------------------------------------------------------------------------


@rule("slice")
def _(g: Any, op: Any) -> str:
    rank = op.rank("Input")
    axes = [a % rank for a in op.ints("axes")]
    starts = op.vector("StartsTensor", "StartsTensorList", attr="starts")
    ends = op.vector("EndsTensor", "EndsTensorList", attr="ends")
    drop = sorted({a % rank for a in op.ints("decrease_axis")})
    value = g.slice(op["Input"], starts, _to_last(axes, starts, ends, drop), axes)
    return _without(g, op, value, rank, drop)


def _to_last(axes: list[int], starts: Any, ends: Any, drop: list[int]) -> Any:
    """The ends: one of 0 behind a start of -1, the last element of an axis that is dropped."""
    if not isinstance(starts, list) or not isinstance(ends, list):
        return ends
    return [_END if s == -1 and e == 0 and a in drop else e for a, s, e in zip(axes, starts, ends)]


def _without(g: Any, op: Any, value: str, rank: int, drop: list[int]) -> str:
    if not drop:
        return value
    made = g.squeeze(value, drop)
    return op.scalar(made) if len(drop) == rank else made


@rule("strided_slice")
def _(g: Any, op: Any) -> str:
    rank = op.rank("Input")
    axes = [a % rank for a in op.ints("axes")]
    starts = op.vector("StartsTensor", "StartsTensorList", attr="starts")
    ends = op.vector("EndsTensor", "EndsTensorList", attr="ends")
    steps = op.vector("StridesTensor", "StridesTensorList", attr="strides")
    drop = sorted({a % rank for a in op.ints("decrease_axis")})
    ends = _backward(g, op, axes, _to_last(axes, starts, ends, drop), steps)
    value = g.slice(op["Input"], starts, ends, axes, steps)
    return _without(g, op, value, rank, drop)


def _backward(g: Any, op: Any, axes: list[int], ends: Any, steps: Any) -> Any:
    """The ends of what runs backward: -1 is before the first element, and others never are."""
    if not isinstance(ends, list) or not isinstance(steps, list):
        return ends
    made: list[Any] = []
    for axis, end, step in zip(axes, ends, steps):
        size = op.shape("Input")[axis]
        if step < 0 and end == -1:
            end = -_END
        elif step < 0 and end < -1 and size >= 0:
            end = max(end + size, 0)
        elif step < 0 and end < -1:
            end = g.Add(g.size(op["Input"], axis), np.array([end], np.int64))
            end = g.largest(end, np.array([0], np.int64), VarType.INT64)
        made.append(end)
    if all(isinstance(end, int) for end in made):
        return made
    return g.Concat(*[end if isinstance(end, str) else [end] for end in made], axis=0)


@rule("crop_tensor")
def _(g: Any, op: Any) -> str:
    offsets = op.vector("OffsetsTensor", "Offsets", attr="offsets")
    shape = op.vector("ShapeTensor", "Shape", attr="shape")
    return cropped(g, op, offsets, shape)


@rule("crop")
def _(g: Any, op: Any) -> str:
    offsets = op.vector("Offsets", attr="offsets")
    return cropped(g, op, offsets, op.sizes("Y") if op.has("Y") else op.ints("shape"))


def cropped(g: Any, op: Any, offsets: Any, shape: Any) -> str:
    """Cuts a box out of X; a size of -1 reaches to the end."""
    axes = list(range(op.rank("X")))
    if isinstance(offsets, list):
        offsets = offsets or [0] * len(axes)
    if isinstance(shape, list):
        shape = shape or [-1] * len(axes)
    if isinstance(offsets, list) and isinstance(shape, list):
        ends = [_END if n < 0 else o + n for o, n in zip(offsets, shape)]
        return g.slice(op["X"], offsets, ends, axes)
    shape = g.value(shape)
    ends = g.Add(g.value(offsets), shape)
    open_ = g.Less(shape, np.array(0, np.int64))
    return g.slice(op["X"], offsets, g.Where(open_, np.array(_END, np.int64), ends), axes)


@rule("split")
def _(g: Any, op: Any) -> Any:
    given = op.known("AxisTensor")
    if op.has("AxisTensor") and given is None:
        raise op.refuse("an axis that only a run can tell")
    rank, count = op.rank("X"), op.outputs("Out")
    axis = int(op.attr("axis") if given is None else given.reshape(-1)[0]) % rank
    if count == 1:
        return {"Out": [op["X"]]}
    sections = op.vector("SectionsTensorList", attr="sections")
    if not isinstance(sections, list):
        raise op.refuse("sections that only a run can tell")
    if -1 in sections:
        total = op.shape("X")[axis]
        if total < 0:
            return {"Out": _cut(g, op["X"], axis, sections)}
        rest = total - sum(n for n in sections if n >= 0)
        sections = [rest if n == -1 else n for n in sections]
    return {"Out": g.split(op["X"], axis, count, sections or None)}


def _cut(g: Any, x: str, axis: int, sections: list[int]) -> list[str]:
    """Parts of a dimension of unknown size: those behind the open one are counted from the end."""
    at = sections.index(-1)
    made = []
    for i in range(len(sections)):
        before, after = sum(sections[:i]), sum(sections[i + 1 :])
        if sections[i] == 0:
            made.append(g.slice(x, [0], [0], [axis]))
            continue
        start = before if i <= at else -(sections[i] + after)
        end = before + sections[i] if i < at else (-after if after else _END)
        made.append(g.slice(x, [start], [end], [axis]))
    return made


@rule("unbind", "unstack")
def _(g: Any, op: Any) -> Any:
    slot = op.op.declared.outputs[0].name
    axis, count = op.axis("axis"), op.outputs(slot)
    parts = g.split(op["X"], axis, count, [1] * count)
    rank = op.rank("X")
    dropped = [g.squeeze(p, [axis]) for p in parts]
    return {slot: [op.scalar(p, slot) if rank == 1 else p for p in dropped]}


# -- joining --------------------------------------------------------------------------------------


@rule("concat")
def _(g: Any, op: Any) -> str:
    given = op.known("AxisTensor")
    if op.has("AxisTensor") and given is None:
        raise op.refuse("an axis that only a run can tell")
    axis = int(op.attr("axis") if given is None else given.reshape(-1)[0])
    values = op.values("X")
    # 1.x's models join with an empty one of shape [0] now and then.
    rank = op.rank("Out")
    return g.Concat(*values, axis=axis % max(rank, 1))


@rule("stack")
def _(g: Any, op: Any) -> str:
    values, ranks = op.values("X"), op.rank("X")
    axis = int(op.attr("axis")) % (ranks + 1)
    return g.Concat(*[g.unsqueeze(v, [axis]) for v in values], axis=axis)


@rule("tile")
def _(g: Any, op: Any) -> str:
    times = op.vector("RepeatTimes", "repeat_times_tensor", attr="repeat_times")
    return tiled(g, op, times)


@rule("expand")
def _(g: Any, op: Any) -> str:
    times = op.vector("expand_times_tensor", "ExpandTimes", attr="expand_times")
    return tiled(g, op, times)


def tiled(g: Any, op: Any, times: Any) -> str:
    """Repeats X; the shorter of its shape and the counts begins with ones."""
    value, rank = op["X"], op.rank("X")
    count = len(times) if isinstance(times, list) else op.rank("Out")
    if isinstance(times, list) and count < rank:
        times = [1] * (rank - count) + times
    elif count > rank:
        value = g.unsqueeze(value, list(range(count - rank)))
    return g.Tile(value, times)


@rule("expand_v2")
def _(g: Any, op: Any) -> str:
    shape = op.vector("Shape", "expand_shapes_tensor", attr="shape")
    if isinstance(shape, list):
        return g.Expand(op["X"], [1 if n == -1 else n for n in shape])  # -1: as it is
    minus = g.Less(shape, np.array(0, np.int64))
    return g.Expand(op["X"], g.Where(minus, np.array(1, np.int64), shape))


@rule("expand_as_v2", "expand_as")
def _(g: Any, op: Any) -> str:
    slot = "Y" if op.op.type == "expand_as_v2" else "target_tensor"
    if op.has(slot):
        shape: Any = op.sizes(slot)
    else:
        shape = op.ints("target_shape")
    if op.op.type == "expand_as":
        return g.Tile(op["X"], g.Div(g.value(shape), op.sizes("X")))
    return g.Expand(op["X"], shape)


@rule("broadcast_tensors")
def _(g: Any, op: Any) -> Any:
    rank = op.rank("Out")
    shapes = []
    for i, _value in enumerate(op.values("X")):
        own = op.rank("X", i)
        sizes = op.sizes("X", at=i)
        shapes.append(sizes if own == rank else g.Concat([1] * (rank - own), sizes, axis=0))
    shape = shapes[0]
    for other in shapes[1:]:
        shape = g.largest(shape, other, VarType.INT64)
    return {"Out": [g.Expand(v, shape) for v in op.values("X")]}


@rule("meshgrid")
def _(g: Any, op: Any) -> Any:
    values = op.values("X")
    rank = len(values)
    shape = g.Concat(*[op.sizes("X", at=i) for i in range(rank)], axis=0)
    made = []
    for i, value in enumerate(values):
        lying = g.Reshape(value, [1] * i + [-1] + [1] * (rank - 1 - i))
        made.append(g.Expand(lying, shape))
    return {"Out": made}


# -- order ----------------------------------------------------------------------------------------


@rule("flip", "reverse")
def _(g: Any, op: Any) -> str:
    axes = [a % op.rank("X") for a in op.ints("axis")]
    if not axes:
        return op["X"]
    count = len(axes)
    return g.slice(op["X"], [-1] * count, [-(2**63) + 1] * count, axes, [-1] * count)


@rule("roll")
def _(g: Any, op: Any) -> str:
    shifts = op.vector("ShiftsTensor", attr="shifts")
    if not isinstance(shifts, list):
        raise op.refuse("shifts that only a run can tell")
    value, axes = op["X"], op.ints("axis")
    if not axes:
        return g.Reshape(_rolled(g, g.Reshape(value, [-1]), shifts[0], 0, -1), op.sizes("X"))
    for shift, axis in zip(shifts, axes):
        axis %= op.rank("X")
        value = _rolled(g, value, shift, axis, op.shape("X")[axis])
    return value


def _rolled(g: Any, x: str, shift: int, axis: int, size: int) -> str:
    if size > 0:
        shift %= size
    if shift == 0 or size == 0:
        return x
    if size > 0:
        first, rest = g.slice(x, [-shift], [_END], [axis]), g.slice(x, [0], [-shift], [axis])
        return g.Concat(first, rest, axis=axis)
    # Of an unknown size: the place to cut at is what is left of a division.
    some = g.largest(g.size(x, axis), np.array([1], np.int64), VarType.INT64)
    cut = g.Mod(g.constant([-shift], VarType.INT64), some)
    return g.Concat(g.slice(x, cut, [_END], [axis]), g.slice(x, [0], cut, [axis]), axis=axis)


@rule("diagonal")
def _(g: Any, op: Any) -> str:
    first, second = op.axis("axis1", "Input"), op.axis("axis2", "Input")
    shape, offset = op.shape("Input"), int(op.attr("offset"))
    rows, columns = shape[first], shape[second]
    if rows < 0 or columns < 0:
        raise op.refuse("a diagonal of unknown sizes")
    rank = len(shape)
    rest = [a for a in range(rank) if a not in (first, second)]
    x = g.Transpose(op["Input"], perm=[*rest, first, second])
    flat = g.Reshape(x, [*([0] * len(rest)), rows * columns])
    count = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    at = [(i + max(-offset, 0)) * columns + i + max(offset, 0) for i in range(count)]
    return g.Gather(flat, np.array(at, np.int64), axis=len(rest))


@rule("trace")
def _(g: Any, op: Any) -> str:
    first, second = op.axis("axis1", "Input"), op.axis("axis2", "Input")
    shape, offset = op.shape("Input"), int(op.attr("offset"))
    if shape[first] < 0 or shape[second] < 0:
        raise op.refuse("a diagonal of unknown sizes")
    rank = len(shape)
    rest = [a for a in range(rank) if a not in (first, second)]
    x = g.Transpose(op["Input"], perm=[*rest, first, second])
    mask = np.eye(shape[first], shape[second], offset, dtype=np.float32)
    kept = g.Mul(x, g.constant(mask, op.dtype("Input")))
    made = g.reduce("ReduceSum", kept, [rank - 2, rank - 1])
    return op.scalar(made) if rank == 2 else made
