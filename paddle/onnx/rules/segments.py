"""Rules of sums, means and extremes over the rows of a segment, or along the edges of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule


def _collected(
    g: Any, op: Any, x: str, index: str, rows: str, kind: str, rest: str | None
) -> tuple[str, str]:  # fmt: skip
    """Rows of X by the row that they go to, zeros where none does; and how many each time."""
    g.need(16 if kind in ("SUM", "MEAN") else 18, op.op.type)
    dtype, where = op.dtype("X"), g.unsqueeze(index, [1])
    ones = g.fill(g.Shape(index), 1, VarType.INT64)
    counts = g.ScatterND(g.fill(rows, 0, VarType.INT64), where, ones, reduction="add")
    shape = rows if rest is None else g.Concat(rows, rest, axis=0)
    if kind in ("SUM", "MEAN"):
        made = g.ScatterND(g.fill(shape, 0, dtype), where, x, reduction="add")
    else:
        limit = np.finfo("float32") if op.is_floating("X") else np.iinfo("int32")
        first = limit.min if kind == "MAX" else limit.max
        how = "max" if kind == "MAX" else "min"
        made = g.ScatterND(g.fill(shape, first, dtype), where, x, reduction=how)
    rank = op.rank("X")
    along = g.Reshape(counts, [-1] + [1] * (rank - 1))
    if kind == "MEAN":
        many = g.largest(along, np.array(1, np.int64), VarType.INT64)
        return g.Div(made, g.cast(many, dtype)), counts
    if kind == "SUM":
        return made, counts
    none = g.Equal(along, np.array(0, np.int64))
    return g.Where(none, op.number(0), made), counts


def _rest(op: Any) -> str | None:
    rank = op.rank("X")
    return op.sizes("X", range(1, rank)) if rank > 1 else None


@rule("segment_pool")
def _(g: Any, op: Any) -> Any:
    index, kind = g.int64(op["SegmentIds"], op.dtype("SegmentIds")), op.attr("pooltype")
    last = g.slice(index, [-1], [2**31 - 1], [0])
    rows = g.Add(last, g.value([1]))
    made, counts = _collected(g, op, op["X"], index, rows, kind, _rest(op))
    return {"Out": made, "SummedIds": g.unsqueeze(g.cast(counts, op.dtype("X")), [1])}


@rule("graph_send_recv")
def _(g: Any, op: Any) -> Any:
    source = g.int64(op["Src_index"], op.dtype("Src_index"))
    target = g.int64(op["Dst_index"], op.dtype("Dst_index"))
    rows = op.vector("Out_size", attr="out_size")
    if isinstance(rows, list) and (not rows or rows[0] <= 0):
        rows = op.sizes("X", [0])
    sent = g.Gather(op["X"], source, axis=0)
    made, counts = _collected(g, op, sent, target, g.value(rows), op.attr("reduce_op"), _rest(op))
    return {"Out": made, "Dst_count": g.cast(counts, VarType.INT32)}
