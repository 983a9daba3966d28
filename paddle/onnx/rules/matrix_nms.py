"""Rule of matrix NMS: all classes of all images at once, without a loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule

_LOW = float(np.finfo("float32").min)


@rule("matrix_nms")
def _(g: Any, op: Any) -> Any:
    g.need(14, op.op.type)
    classes = op.shape("Scores")[1]
    if classes < 0 or op.dtype("BBoxes") != VarType.FP32:
        raise op.refuse("a number of classes that only a run can tell, or boxes not of float32")
    low = g.constant(_LOW, VarType.FP32)
    values, places, count = _candidates(g, op, classes, low)  # [n, classes, count]
    rows = g.Concat([0, -1], [1], axis=0)
    boxes = g.GatherND(op["BBoxes"], g.Reshape(places, rows), batch_dims=1)
    boxes = g.Reshape(boxes, g.Concat([-1, classes], count, [4], axis=0))
    valid = g.Greater(values, g.constant(float(op.attr("score_threshold")), VarType.FP32))
    values = g.Mul(values, _decay(g, op, boxes))
    good = g.And(
        valid, g.Greater(values, g.constant(float(op.attr("post_threshold")), VarType.FP32))
    )
    return _rows(g, op, g.Where(good, values, low), places, boxes, count, classes)


def _candidates(g: Any, op: Any, classes: int, low: str) -> tuple[str, str, str]:
    """The best scores of each class, their places, and how many there are of a class."""
    scores, background = op["Scores"], int(op.attr("background_label"))
    if 0 <= background < classes:
        scores = g.Where((np.arange(classes) == background)[:, None], low, scores)
    count, first = op.sizes("Scores", [2]), int(op.attr("nms_top_k"))
    if first > -1:
        count = g.Min(g.value([first]), count)
    values, places = g.node("TopK", scores, count, outputs=2, axis=2)
    return values, places, count


def _decay(g: Any, op: Any, boxes: str) -> str:
    """The factor for the score of each box, for the better ones that it overlaps."""
    share = _shares(g, boxes, 0.0 if op.attr("normalized") else 1.0)  # [.., better, worse]
    zero, one = (g.constant(v, VarType.FP32) for v in (0.0, 1.0))
    size = g.squeeze(g.slice(g.Shape(boxes), [2], [3], [0]), [0])
    line = g.Range(np.array(0, np.int64), size, np.array(1, np.int64))
    better = g.Less(g.unsqueeze(line, [1]), g.unsqueeze(line, [0]))
    known = g.Where(g.And(better, g.Not(g.IsNaN(share))), share, zero)
    covered = g.unsqueeze(g.Max(g.reduce("ReduceMax", known, [2]), zero), [3])
    if op.attr("use_gaussian"):
        apart = g.Sub(g.Mul(covered, covered), g.Mul(share, share))
        kept = g.Exp(g.Mul(apart, g.constant(float(op.attr("gaussian_sigma")), VarType.FP32)))
    else:
        kept = g.Div(g.Sub(one, share), g.Sub(one, covered))
    odd = g.Or(g.IsNaN(kept), g.IsInf(kept, detect_negative=0))
    kept = g.Where(g.And(better, g.Not(odd)), kept, one)
    return g.Min(g.reduce("ReduceMin", kept, [2]), one)


def _shares(g: Any, boxes: str, extra: float) -> str:
    """How much of every two boxes of a class is the same."""
    more, zero = g.constant(extra, VarType.FP32), g.constant(0.0, VarType.FP32)
    a, b = g.unsqueeze(boxes, [3]), g.unsqueeze(boxes, [2])

    def part(box: str, start: int) -> str:
        return g.slice(box, [start], [start + 2], [4])

    def product(sizes: str) -> str:
        across, down = (g.squeeze(g.slice(sizes, [i], [i + 1], [4]), [4]) for i in range(2))
        return g.Mul(across, down)

    def area(box: str) -> str:
        # Boxes whose corners are the wrong way round have no area.
        sides = g.Sub(part(box, 2), part(box, 0))
        wrong = g.Less(sides, zero)
        flat = g.cast(g.reduce("ReduceMax", g.cast(wrong, VarType.INT32), [4]), VarType.BOOL)
        return g.Where(flat, zero, product(g.Add(sides, more)))

    sides = g.Sub(g.Min(part(a, 2), part(b, 2)), g.Max(part(a, 0), part(b, 0)))
    shared = product(g.Add(sides, more))
    apart = g.Or(g.Greater(part(b, 0), part(a, 2)), g.Less(part(b, 2), part(a, 0)))
    apart = g.cast(g.reduce("ReduceMax", g.cast(apart, VarType.INT32), [4]), VarType.BOOL)
    union = g.Sub(g.Add(area(a), area(b)), shared)
    return g.Where(apart, zero, g.Div(shared, union))


def _rows(
    g: Any, op: Any, values: str, places: str, boxes: str, count: str, classes: int
) -> dict[str, str]:  # fmt: skip
    """The best rows of each image, best first: label, score and box; where they stood."""
    total = g.Mul(count, [classes])
    most = int(op.attr("keep_top_k"))
    kept = g.Min(g.value([most]), total) if most > -1 else total
    best, order = g.node("TopK", g.Reshape(values, [0, -1]), kept, outputs=2, axis=1)
    label = g.cast(g.Div(order, count), VarType.FP32)
    place = g.GatherElements(g.Reshape(places, [0, -1]), order, axis=1)
    flat = g.Reshape(boxes, g.Concat([0, -1], [4], axis=0))
    box = g.GatherND(flat, g.unsqueeze(order, [2]), batch_dims=1)
    there = g.Greater(best, g.constant(_LOW, VarType.FP32))
    rows = g.Concat(g.unsqueeze(label, [2]), g.unsqueeze(best, [2]), box, axis=2)
    images = g.Range(np.array(0, np.int64), g.rank0(op.sizes("BBoxes", [0])), np.array(1, np.int64))
    number = g.Add(place, g.Mul(g.unsqueeze(images, [1]), op.sizes("BBoxes", [1])))
    mask = g.Reshape(there, [-1])
    index = g.Compress(g.Reshape(number, [-1, 1]), mask, axis=0)
    counts = g.reduce("ReduceSum", g.cast(there, VarType.INT32), [1])
    return {
        "Out": g.Compress(g.Reshape(rows, [-1, 6]), mask, axis=0),
        "Index": g.cast(index, VarType.INT32),
        "RoisNum": counts,
    }
