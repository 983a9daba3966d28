"""Rules of operators that make tensors: filled, counted, copied."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule


@rule("assign", "share_data", "memcpy", "memcpy_d2h", "memcpy_h2d", "rnn_memory_helper")
def _(g: Any, op: Any) -> str:
    return op["X"]


@rule("print")
def _(g: Any, op: Any) -> Any:
    return {"Out": [op["In"]]}


@rule("assert")
def _(g: Any, op: Any) -> Any:
    return {}  # a model checks nothing while it runs


def _filling(op: Any) -> Any:
    text = op.attr("str_value")
    number = float(text) if text else op.attr("value")
    return number if op.is_floating("Out") else int(number)


@rule("fill_constant")
def _(g: Any, op: Any) -> str:
    shape = op.vector("ShapeTensor", "ShapeTensorList", attr="shape")
    given = op.get("ValueTensor")
    if given is not None:
        number = g.Reshape(g.cast(given, op.dtype("Out")), [1])
        return g.Expand(number, shape)
    return g.fill(shape, _filling(op), op.dtype("Out"))


@rule("fill_constant_batch_size_like")
def _(g: Any, op: Any) -> str:
    shape = op.ints("shape")
    at = int(op.attr("output_dim_idx"))
    size = op.sizes("Input", [int(op.attr("input_dim_idx"))])
    parts = [g.value(shape[:at])] if at else []
    parts.append(size)
    if shape[at + 1 :]:
        parts.append(g.value(shape[at + 1 :]))
    return g.fill(g.Concat(*parts, axis=0), _filling(op), op.dtype("Out"))


@rule("fill_any_like")
def _(g: Any, op: Any) -> str:
    return g.fill(op.sizes("X"), _number(op, "value"), op.dtype("Out"))


@rule("fill_any")
def _(g: Any, op: Any) -> str:
    return g.fill(op.sizes("X"), _number(op, "value"), op.dtype("Out"))


@rule("fill_zeros_like", "fill_zeros_like2")
def _(g: Any, op: Any) -> str:
    return g.fill(op.sizes("X"), 0, op.dtype("Out"))


def _number(op: Any, name: str) -> Any:
    value = op.attr(name)
    return float(value) if op.is_floating("Out") else int(value)


@rule("empty")
def _(g: Any, op: Any) -> str:
    shape = op.vector("ShapeTensor", "ShapeTensorList", attr="shape")
    return g.fill(shape, 0, op.dtype("Out"))


@rule("range")
def _(g: Any, op: Any) -> str:
    dtype = op.dtype("Out")
    given = [g.rank0(g.cast(op[s], dtype)) for s in ("Start", "End", "Step")]
    return g.Range(*given)


@rule("linspace")
def _(g: Any, op: Any) -> str:
    dtype = op.dtype("Out")
    wide = dtype if op.is_floating("Out") else VarType.FP64
    start, stop = (g.rank0(g.cast(op[s], wide)) for s in ("Start", "Stop"))
    count = g.rank0(g.int64(op["Num"], op.dtype("Num")))
    zero, one = np.array(0, np.int64), np.array(1, np.int64)
    steps = g.cast(g.Range(zero, count, one), wide)
    gaps = g.cast(g.largest(g.Sub(count, one), one, VarType.INT64), wide)
    made = g.Add(start, g.Mul(steps, g.Div(g.Sub(stop, start), gaps)))
    return made if wide == dtype else g.cast(made, dtype)


@rule("logspace")
def _(g: Any, op: Any) -> str:
    dtype = op.dtype("Out")
    wide = VarType.FP32 if dtype == VarType.FP32 else VarType.FP64
    start, stop, base = (
        g.rank0(g.cast(g.cast(op[s], dtype), wide)) for s in ("Start", "Stop", "Base")
    )
    count = g.rank0(g.int64(op["Num"], op.dtype("Num")))
    zero, one = np.array(0, np.int64), np.array(1, np.int64)
    steps = g.cast(g.Range(zero, count, one), wide)
    gaps = g.cast(g.largest(g.Sub(count, one), one, VarType.INT64), wide)
    exponents = g.Add(start, g.Mul(steps, g.Div(g.Sub(stop, start), gaps)))
    made = g.Pow(base, exponents)
    return made if wide == dtype else g.cast(made, dtype)


@rule("tril_triu")
def _(g: Any, op: Any) -> str:
    rank = op.rank("X")
    rows, columns = op.shape("X")[-2:]
    lower, diagonal = bool(op.attr("lower")), int(op.attr("diagonal"))
    if rows > 0 and columns > 0:
        grid = np.tri(rows, columns, diagonal if lower else diagonal - 1, bool)
        mask = g.value(grid if lower else ~grid)
    else:
        zero, one = np.array(0, np.int64), np.array(1, np.int64)
        height, width = (g.rank0(op.sizes("X", [axis])) for axis in (rank - 2, rank - 1))
        row = g.unsqueeze(g.Range(zero, height, one), [1])
        column = g.unsqueeze(g.Range(zero, width, one), [0])
        edge = g.Add(row, np.array(diagonal, np.int64))
        mask = g.less_equal(column, edge) if lower else g.greater_equal(column, edge)
    if op.dtype("X") == VarType.BOOL:
        return g.And(op["X"], mask)
    return g.where(mask, op["X"], op.number(0), op.dtype("X"))


@rule("diag_v2")
def _(g: Any, op: Any) -> str:
    offset = int(op.attr("offset"))
    shape = op.shape("X")
    if -1 in shape:
        raise op.refuse("a diagonal of unknown sizes")
    if len(shape) == 2:
        rows, columns = shape
        count = min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns)
        at = [(i + max(-offset, 0)) * columns + i + max(offset, 0) for i in range(max(count, 0))]
        return g.Gather(g.Reshape(op["X"], [-1]), np.array(at, np.int64), axis=0)
    return _placed(g, op, op["X"], shape[0], offset, op.attr("padding_value"))


@rule("diag")
def _(g: Any, op: Any) -> str:
    size = op.shape("Diagonal")[0]
    if size < 0:
        raise op.refuse("a diagonal of unknown size")
    return _placed(g, op, op["Diagonal"], size, 0, 0, "Diagonal")


@rule("diag_embed")
def _(g: Any, op: Any) -> str:
    shape, offset = op.shape("Input"), int(op.attr("offset"))
    if shape[-1] < 0:
        raise op.refuse("a diagonal of unknown size")
    made = _placed(g, op, op["Input"], shape[-1], offset, 0, "Input")
    rank = len(shape) + 1
    first, second = (int(op.attr(n)) % rank for n in ("dim1", "dim2"))
    order: list[int] = [-1] * rank
    order[first], order[second] = rank - 2, rank - 1
    rest = iter(range(rank - 2))
    return g.Transpose(made, perm=[next(rest) if o < 0 else o for o in order])


def _placed(g: Any, op: Any, x: str, size: int, offset: int, padding: Any, slot: str = "X") -> str:
    """Lays the last dimension along a diagonal of matrices that are otherwise ``padding``."""
    whole = size + abs(offset)
    pads = [0] * (op.rank(slot) - 1) + [max(offset, 0)]
    behind = [0] * (op.rank(slot) - 1) + [max(-offset, 0)]
    row = g.unsqueeze(g.pad(x, [*pads, *behind]), [op.rank(slot) - 1])
    if offset < 0:  # the values stand by rows then
        row = g.unsqueeze(g.pad(x, [*pads[:-1], 0, *behind]), [op.rank(slot) - 1])
    mask = np.eye(whole, k=offset, dtype=bool)
    padding = float(padding) if op.is_floating(slot) else int(padding)
    return g.Where(mask, row, op.number(padding, slot))
