"""Rules of running sums, products and extremes."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule

_SUMMED = (VarType.FP32, VarType.FP64, VarType.INT32, VarType.INT64)


@rule("cumsum")
def _(g: Any, op: Any) -> str:
    x, dtype, axis = op["X"], op.dtype("X"), int(op.attr("axis"))
    if op.attr("flatten"):
        x, axis = g.Reshape(x, [-1]), 0
    wide = op.dtype("Out") if op.dtype("Out") in _SUMMED else VarType.FP32
    if wide != dtype:
        x = g.cast(x, wide)
    made = g.CumSum(
        x,
        np.array(axis, np.int64),
        exclusive=int(bool(op.attr("exclusive"))),
        reverse=int(bool(op.attr("reverse"))),
    )
    return made if wide == op.dtype("Out") else g.cast(made, op.dtype("Out"))


def _triangles(g: Any, x: str, dims: list[int], axis: int, neutral: str, reverse: bool) -> str:
    """For each element all those up to it, and the neutral element in place of the others.

    They lie along a new last axis; ``axis`` has become the last one but that.
    """
    rank = len(dims)
    order = [a for a in range(rank) if a != axis] + [axis]
    turned = g.unsqueeze(g.Transpose(x, perm=order), [rank - 1])
    size = dims[axis]
    if size >= 0:
        mask = g.value(np.tri(size, dtype=bool).T if reverse else np.tri(size, dtype=bool))
    else:
        zero, one = np.array(0, np.int64), np.array(1, np.int64)
        line = g.Range(zero, g.rank0(g.size(x, axis)), one)
        rows, columns = g.unsqueeze(line, [1]), g.unsqueeze(line, [0])
        mask = g.Not(g.Less(columns, rows)) if reverse else g.Not(g.Greater(columns, rows))
    return g.Where(mask, turned, neutral)


def _back(g: Any, value: str, rank: int, axis: int) -> str:
    order = [a for a in range(rank) if a != axis] + [axis]
    return g.Transpose(value, perm=[order.index(a) for a in range(rank)])


@rule("cumprod")
def _(g: Any, op: Any) -> str:
    axis, dims = op.axis("dim"), op.shape("X")
    parts = _triangles(g, op["X"], dims, axis, op.number(1), False)
    return _back(g, g.reduce("ReduceProd", parts, [len(dims)]), len(dims), axis)


@rule("logcumsumexp")
def _(g: Any, op: Any) -> str:
    x, dims, reverse = op["X"], op.shape("X"), bool(op.attr("reverse"))
    axis = int(op.attr("axis"))
    if op.attr("flatten"):
        whole = 1
        for n in dims:
            whole = -1 if -1 in (n, whole) else whole * n
        x, dims, axis = g.Reshape(x, [-1]), [whole], 0
    axis %= len(dims)
    if op.attr("exclusive"):  # nothing has been added before the first element
        low = op.number(float(np.finfo("float32").min))
        pads, end = [0] * (2 * len(dims)), 2**31 - 1
        if reverse:
            pads[len(dims) + axis] = 1
            x = g.slice(g.pad(x, pads, low), [1], [end], [axis])
        else:
            pads[axis] = 1
            x = g.slice(g.pad(x, pads, low), [0], [-1], [axis])
    parts = _triangles(g, x, dims, axis, op.number(-np.inf), reverse)
    # The largest goes before the exponential: it would overflow.
    rank = len(dims)
    most = g.reduce("ReduceMax", parts, [rank], keepdims=True)
    total = g.reduce("ReduceSum", g.Exp(g.Sub(parts, most)), [rank])
    return _back(g, g.Add(g.Log(total), g.squeeze(most, [rank])), rank, axis)


@rule("cummax", "cummin")
def _(g: Any, op: Any) -> Any:
    g.need(13, op.op.type)
    axis, dims, dtype = op.axis("axis", "x"), op.shape("x"), op.dtype("x")
    largest = op.op.type == "cummax"
    if op.is_floating("x"):
        neutral = -np.inf if largest else np.inf
    else:
        limits = np.iinfo("int32" if dtype == VarType.INT32 else "int64")
        neutral = limits.min if largest else limits.max
    parts = _triangles(g, op["x"], dims, axis, op.number(neutral, "x"), False)
    rank = len(dims)
    values = g.reduce("ReduceMax" if largest else "ReduceMin", parts, [rank])
    type = "ArgMax" if largest else "ArgMin"
    places = g.node(type, parts, axis=rank, keepdims=0, select_last_index=1)
    places = _back(g, places, rank, axis)
    if op.dtype("indices") != VarType.INT64:
        places = g.cast(places, op.dtype("indices"))
    return _back(g, values, rank, axis), places
