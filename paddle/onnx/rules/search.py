"""Rules of operators that order, find and count: sorts, extremes, classes, distinct values."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule

_SORTED = (VarType.FP16, VarType.FP32, VarType.FP64, VarType.INT32, VarType.INT64)


def top(g: Any, x: str, k: Any, axis: int, dtype: VarType, **attrs: int) -> tuple[str, str]:
    """Adds a ``TopK``; what it does not take is converted before and behind."""
    wide = dtype if dtype in _SORTED else VarType.INT32
    given = x if wide == dtype else g.cast(x, wide)
    values, places = g.node("TopK", given, k, outputs=2, axis=axis, **attrs)
    return values if wide == dtype else g.cast(values, dtype), places


@rule("argsort")
def _(g: Any, op: Any) -> Any:
    axis = op.axis("axis")
    down = int(bool(op.attr("descending")))
    return top(g, op["X"], op.sizes("X", [axis]), axis, op.dtype("X"), largest=down)


@rule("top_k", "top_k_v2")
def _(g: Any, op: Any) -> Any:
    count = op.vector("K", attr="k")
    axis = op.axis("axis") if op.attr("axis") is not None else op.rank("X") - 1
    largest = int(bool(op.attr("largest", True)))
    return top(g, op["X"], count, axis, op.dtype("X"), largest=largest)


@rule("kthvalue")
def _(g: Any, op: Any) -> Any:
    axis, count = op.axis("axis"), int(op.attr("k"))
    found = top(g, op["X"], [count], axis, op.dtype("X"), largest=0)
    last = [g.slice(v, [count - 1], [count], [axis]) for v in found]
    return tuple(_kept(g, op, v, axis) for v in last)


def _kept(g: Any, op: Any, value: str, axis: int) -> str:
    """The result of a reduction that kept its axis, as ``keepdim`` wants it."""
    if op.attr("keepdim"):
        return value
    made = g.squeeze(value, [axis])
    return op.scalar(made) if op.rank("X") == 1 else made


@rule("arg_max", "arg_min")
def _(g: Any, op: Any) -> str:
    x, dtype, rank = op["X"], op.dtype("X"), op.rank("X")
    if dtype not in _SORTED:
        x = g.cast(x, VarType.INT32)
    type, keep = "ArgMax" if op.op.type == "arg_max" else "ArgMin", bool(op.attr("keepdims"))
    if op.attr("flatten"):
        made = g.node(type, g.Reshape(x, [-1]), axis=0, keepdims=1)
        made = g.Reshape(made, [1] * max(op.rank("Out"), 1))
    else:
        made = g.node(type, x, axis=op.axis("axis"), keepdims=int(keep))
        made = op.scalar(made) if rank == 1 and not keep else made
    return made if op.dtype("Out") == VarType.INT64 else g.cast(made, op.dtype("Out"))


@rule("one_hot", "one_hot_v2")
def _(g: Any, op: Any) -> str:
    ids = g.int64(op["X"], op.dtype("X"))
    rank = op.rank("X")
    if op.op.type == "one_hot":
        ids, rank = g.squeeze(ids, [rank - 1]), rank - 1
    depth = op.vector("depth_tensor", attr="depth")
    zero, one = np.array(0, np.int64), np.array(1, np.int64)
    if isinstance(depth, list):
        classes = g.value(list(range(depth[0])))
    else:
        classes = g.Range(zero, g.rank0(depth), one)
    return g.cast(g.Equal(g.unsqueeze(ids, [rank]), classes), op.dtype("Out"))


@rule("mode")
def _(g: Any, op: Any) -> Any:
    # The smallest of the most frequent values, and the last place where it is.
    g.need(13, op.op.type)
    axis, rank = op.axis("axis"), op.rank("X")
    order = [a for a in range(rank) if a != axis] + [axis]
    x = g.Transpose(op["X"], perm=order)
    size = op.sizes("X", [axis])
    ordered, _ = top(g, x, size, rank - 1, op.dtype("X"), largest=0)
    same = g.Equal(g.unsqueeze(ordered, [rank]), g.unsqueeze(ordered, [rank - 1]))
    count = g.reduce("ReduceSum", g.cast(same, VarType.INT32), [rank])
    at = g.ArgMax(count, axis=rank - 1, keepdims=1)
    value = g.GatherElements(ordered, at, axis=rank - 1)
    there = g.cast(g.Equal(x, value), VarType.INT32)
    place = g.ArgMax(there, axis=rank - 1, keepdims=1, select_last_index=1)
    back = [order.index(a) for a in range(rank)]
    return tuple(_kept(g, op, g.Transpose(v, perm=back), axis) for v in (value, place))


@rule("nanmedian")
def _(g: Any, op: Any) -> str:
    if not op.is_floating("X"):
        raise op.refuse("of integers")
    rank = op.rank("X")
    axes = sorted(a % rank for a in op.ints("axis")) or list(range(rank))
    rest = [a for a in range(rank) if a not in axes]
    x = g.Transpose(op["X"], perm=[*rest, *axes])
    shape = g.Concat(*([op.sizes("X", rest)] if rest else []), [-1], axis=0)
    x, last = g.Reshape(x, shape), len(rest)
    nothing = g.IsNaN(x)
    filled = g.Where(nothing, op.number(np.inf), x)
    ordered, _ = top(g, filled, g.size(x, last), last, op.dtype("X"), largest=0)
    count = g.reduce("ReduceSum", g.cast(g.Not(nothing), VarType.INT64), [last], keepdims=True)
    one, two, zero = (np.array(n, np.int64) for n in (1, 2, 0))
    low = g.largest(g.Div(g.Sub(count, one), two), zero, VarType.INT64)
    end = g.Sub(g.size(x, last), one)
    high = g.largest(g.Div(count, two), end, VarType.INT64, "Min")
    a, b = (g.GatherElements(ordered, at, axis=last) for at in (low, high))
    odd = g.Equal(g.Mod(count, two), one)
    middle = g.Where(odd, a, g.Div(g.Add(a, b), op.number(2)))
    middle = g.Where(g.Equal(count, zero), op.number(np.nan), middle)
    if op.attr("keepdim"):
        back = [*rest, *axes]
        wide = g.unsqueeze(g.squeeze(middle, [last]), list(range(last, rank)))
        return g.Transpose(wide, perm=[back.index(a) for a in range(rank)])
    made = g.squeeze(middle, [last])
    return made if rest else op.scalar(made)


# -- distinct values ------------------------------------------------------------------------------


def _distinct(g: Any, op: Any, axis: list[int], ordered: bool) -> list[str]:
    """Distinct values, their first places, what each element became, and how often each occurs."""
    x, dtype = op["X"], op.dtype("X")
    wide = dtype if dtype in (VarType.FP32, VarType.FP64, VarType.INT64) else VarType.INT64
    if wide != dtype:
        x = g.cast(x, wide)
    attrs = {"axis": axis[0] % op.rank("X")} if axis else {}
    values, first, inverse, counts = g.node("Unique", x, outputs=4, sorted=int(ordered), **attrs)
    return [values if wide == dtype else g.cast(values, dtype), first, inverse, counts]


@rule("unique")
def _(g: Any, op: Any) -> Any:
    values, *places = _distinct(g, op, op.ints("axis"), bool(op.attr("is_sorted")))
    kind = VarType(op.attr("dtype"))
    first, inverse, counts = (v if kind == VarType.INT64 else g.cast(v, kind) for v in places)
    return {"Out": values, "Indices": first, "Index": inverse, "Counts": counts}


@rule("unique_with_counts")
def _(g: Any, op: Any) -> Any:
    values, _, inverse, counts = _distinct(g, op, [], False)
    kind = VarType(op.attr("dtype"))
    return {"Out": values, "Index": g.cast(inverse, kind), "Count": g.cast(counts, kind)}


@rule("unique_consecutive")
def _(g: Any, op: Any) -> Any:
    if op.ints("axis"):
        raise op.refuse("along an axis")
    x = g.Reshape(op["X"], [-1])
    kind, one = VarType(op.attr("dtype")), g.value([1])
    differs = g.Not(g.Equal(g.slice(x, [1], [2**31 - 1], [0]), g.slice(x, [0], [-1], [0])))
    size = g.Shape(x)
    some = g.slice(g.fill(size, True, VarType.BOOL), [0], [1], [0])  # none, if there are none
    starts = g.Concat(some, differs, axis=0)
    places = g.squeeze(g.NonZero(starts), [0])
    ends = g.Concat(g.slice(places, [1], [2**31 - 1], [0]), size, axis=0)
    ends = g.slice(ends, [0], g.Shape(places), [0])
    inverse = g.Sub(g.CumSum(g.cast(starts, VarType.INT64), np.array(0, np.int64)), one)
    return {
        "Out": g.Compress(x, starts, axis=0),
        "Index": g.cast(inverse, kind),
        "Counts": g.cast(g.Sub(ends, places), kind),
    }


# -- counting -------------------------------------------------------------------------------------


@rule("searchsorted")
def _(g: Any, op: Any) -> str:
    line, values = op["SortedSequence"], op["Values"]
    if op.rank("SortedSequence") > 1:
        line = g.unsqueeze(line, [op.rank("SortedSequence") - 1])
    one = g.unsqueeze(values, [op.rank("Values")])
    if op.attr("right"):
        before = g.greater_equal(one, line)
    else:
        before = g.Greater(one, line)
    count = g.reduce("ReduceSum", g.cast(before, VarType.INT64), [op.rank("Values")])
    return count if op.dtype("Out") == VarType.INT64 else g.cast(count, op.dtype("Out"))


@rule("bincount")
def _(g: Any, op: Any) -> str:
    x = g.int64(op["X"], op.dtype("X"))
    one = np.array(1, np.int64)
    most = g.Add(g.reduce("ReduceMax", g.Concat(x, [-1], axis=0), None), one)
    least = int(op.attr("minlength"))
    if least and 0 not in op.shape("X"):
        most = g.largest(most, np.array(least, np.int64), VarType.INT64)
    same = g.Equal(g.unsqueeze(x, [0]), g.unsqueeze(g.Range(np.array(0, np.int64), most, one), [1]))
    if not op.has("Weights"):
        return g.reduce("ReduceSum", g.cast(same, VarType.INT64), [1])
    kind = op.dtype("Out")
    weights = g.cast(op["Weights"], kind)
    return g.reduce("ReduceSum", g.Where(same, weights, g.constant(0, kind)), [1])


@rule("histogram")
def _(g: Any, op: Any) -> str:
    bins, low, high = int(op.attr("bins")), float(op.attr("min")), float(op.attr("max"))
    wide = VarType.FP64
    x = g.Reshape(g.cast(op["X"], wide), [-1])
    one = g.constant(1.0, wide)
    if low == high:
        first, last = (g.cast(g.reduce(t, op["X"], None), wide) for t in ("ReduceMin", "ReduceMax"))
        flat = g.Equal(first, last)
        least, most = g.Where(flat, g.Sub(first, one), first), g.Where(flat, g.Add(last, one), last)
    else:
        least, most = g.constant(low, wide), g.constant(high, wide)
    part = g.Div(g.Sub(x, least), g.Sub(most, least))
    place = g.Floor(g.Mul(part, g.constant(float(bins), wide)))
    place = g.Where(g.Equal(x, most), g.constant(float(bins - 1), wide), place)
    inside = g.And(g.Not(g.Less(x, least)), g.Not(g.Greater(x, most)))
    place = g.Where(inside, place, g.constant(-1.0, wide))
    same = g.Equal(
        g.constant(np.arange(bins)[:, None], VarType.INT64), g.cast(place, VarType.INT64)
    )
    return g.reduce("ReduceSum", g.cast(same, VarType.INT64), [1])
