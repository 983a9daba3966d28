"""Rules of two-stage detectors: proposals of regions, and the levels of a pyramid."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule

_END = 2**31 - 1
_LARGEST = math.log(1000.0 / 16.0)  # of a logarithm of sizes
_LOW = float(np.finfo("float32").min)


def _part(g: Any, boxes: str, start: int, end: int) -> str:
    """Some numbers of each box."""
    return g.slice(boxes, [start], [end], [-1])


@rule("generate_proposals", "generate_proposals_v2")
def _(g: Any, op: Any) -> Any:
    g.need(13, op.op.type)
    after, threshold = int(op.attr("post_nms_topN")), float(op.attr("nms_thresh"))
    if op.dtype("Scores") != VarType.FP32 or (float(op.attr("eta")) < 1 and threshold > 0.5):
        raise op.refuse("scores that are not float32, or a threshold that is lowered (eta)")
    if threshold <= 0 or after <= 0:
        raise op.refuse("all boxes, without suppression")
    first = op.op.type == "generate_proposals"
    extra = 1.0 if first or op.attr("pixel_offset") else 0.0
    info = op["ImInfo" if first else "ImShape"]
    image = g.unsqueeze(g.Gather(info, [1, 0], axis=1), [1])  # width and height
    scale = g.unsqueeze(_part(g, info, 2, 3), [1]) if first else None
    scores, boxes = _candidates(g, op, image, extra)
    scores = g.Where(_large_enough(g, op, boxes, image, scale, extra), scores, _number(g, _LOW))
    # An image in which nothing is large enough has one row of zeros.
    none = g.Equal(g.reduce("ReduceMax", scores, [1], keepdims=True), _number(g, _LOW))
    instead = g.Where(none, _number(g, _LOW / 2), _number(g, _LOW))
    scores = g.Concat(scores, instead, axis=1)
    boxes = g.pad(boxes, [0, 0, 0, 0, 1, 0])
    wide = g.Add(boxes, np.array([0, 0, extra, extra], np.float32))
    found = g.NonMaxSuppression(
        wide, g.unsqueeze(scores, [1]), g.value([after]),
        g.constant([threshold], VarType.FP32), g.constant([_LOW], VarType.FP32),
    )  # fmt: skip
    place = g.Gather(found, [0, 2], axis=1)
    numbers = _line(g, op.sizes("Scores", [0]))
    of_image = g.Equal(g.slice(found, [0], [1], [1]), g.unsqueeze(numbers, [0]))
    counts = g.reduce("ReduceSum", g.cast(of_image, VarType.INT64), [0])
    values, low = g.GatherND(scores, place), _number(g, _LOW / 2)
    return {
        "RpnRois": g.GatherND(boxes, place),
        "RpnRoiProbs": g.unsqueeze(g.Where(g.Equal(values, low), _number(g, 0.0), values), [1]),
        "RpnRoisNum": g.cast(counts, VarType.INT32),
        "RpnRoisLod": g.CumSum(counts, np.array(0, np.int64)),
    }


def _number(g: Any, value: float) -> str:
    return g.constant(value, VarType.FP32)


def _line(g: Any, count: str) -> str:
    return g.Range(np.array(0, np.int64), g.rank0(count), np.array(1, np.int64))


def _candidates(g: Any, op: Any, image: str, extra: float) -> tuple[str, str]:
    """The best scores of each image, and their boxes, which are moved into it."""
    scores = g.Reshape(g.Transpose(op["Scores"], perm=[0, 2, 3, 1]), [0, -1])
    deltas = g.Transpose(op["BboxDeltas"], perm=[0, 2, 3, 1])
    deltas = g.Reshape(deltas, g.Concat(g.Shape(scores), [4], axis=0))
    count, before = g.size(scores, 1), int(op.attr("pre_nms_topN"))
    if before > 0:
        count = g.Min(g.value([before]), count)
    scores, order = g.node("TopK", scores, count, outputs=2, axis=1)
    anchors, spread = (
        g.Gather(g.Reshape(op[slot], [-1, 4]), order, axis=0) for slot in ("Anchors", "Variances")
    )
    moved = g.Mul(spread, g.GatherND(deltas, g.unsqueeze(order, [2]), batch_dims=1))
    more, half = _number(g, extra), _number(g, 0.5)
    low = _part(g, anchors, 0, 2)
    size = g.Add(g.Sub(_part(g, anchors, 2, 4), low), more)
    centre = g.Add(g.Mul(_part(g, moved, 0, 2), size), g.Add(low, g.Mul(size, half)))
    growth = g.Exp(g.Min(_part(g, moved, 2, 4), _number(g, _LARGEST)))
    reach = g.Mul(g.Mul(growth, size), half)
    boxes = g.Concat(g.Sub(centre, reach), g.Sub(g.Add(centre, reach), more), axis=2)
    limit = g.Sub(g.Concat(image, image, axis=2), more)
    return scores, g.Max(g.Min(boxes, limit), _number(g, 0.0))


def _large_enough(
    g: Any, op: Any, boxes: str, image: str, scale: str | None, extra: float
) -> str:  # fmt: skip
    """Whether both sides are long enough, and the centre lies inside."""
    low = _part(g, boxes, 0, 2)
    size, more = g.Sub(_part(g, boxes, 2, 4), low), _number(g, extra)
    real = size if scale is None else g.Div(size, scale)
    least = _number(g, max(float(op.attr("min_size")), 1.0))
    good = g.Not(g.Less(g.Add(real, more), least))
    if extra:
        centre = g.Add(low, g.Div(g.Add(size, more), _number(g, 2.0)))
        good = g.And(good, g.Not(g.Greater(centre, image)))
    every = g.reduce("ReduceMin", g.cast(good, VarType.INT32), [2])
    return g.cast(every, VarType.BOOL)


# -- levels of a pyramid --------------------------------------------------------------------------


def _image_of(g: Any, total: str, counts: str | None) -> str:
    """The image that each row belongs to, by how many rows each has; None: there is one."""
    places = _line(g, total)
    if counts is None:
        return g.Mul(places, np.array(0, np.int64))
    ends = g.CumSum(counts, np.array(0, np.int64))
    after = g.Not(g.Less(g.unsqueeze(places, [1]), g.unsqueeze(ends, [0])))
    return g.reduce("ReduceSum", g.cast(after, VarType.INT64), [1])


def _sorted(g: Any, keys: str) -> str:
    """The places of keys in ascending order; equal ones stay in theirs."""
    _, order = g.node("TopK", keys, g.Shape(keys), outputs=2, largest=0)
    return order


@rule("distribute_fpn_proposals")
def _(g: Any, op: Any) -> Any:
    g.need(13, op.op.type)
    rois, dtype = op["FpnRois"], op.dtype("FpnRois")
    low, high = int(op.attr("min_level")), int(op.attr("max_level"))

    def number(value: float) -> str:
        return g.constant(float(value), dtype)

    sides = g.Sub(_part(g, rois, 2, 4), _part(g, rois, 0, 2))
    extra = number(1.0 if op.attr("pixel_offset") else 0.0)
    area = g.reduce("ReduceProd", g.Add(sides, extra), [1])
    flat = g.Less(g.reduce("ReduceMin", sides, [1]), number(0))
    area = g.Where(flat, number(0), area)
    size = g.Div(g.Sqrt(area), number(op.attr("refer_scale")))
    power = g.Div(g.Log(g.Add(size, number(1e-6))), number(math.log(2)))
    level = g.Floor(g.Add(power, number(op.attr("refer_level"))))
    level = g.cast(g.clip(level, number(low), number(high), dtype), VarType.INT64)
    counts = g.int64(op["RoisNum"], op.dtype("RoisNum")) if op.has("RoisNum") else None
    image = _image_of(g, op.sizes("FpnRois", [0]), counts)
    images = _line(g, g.value([1]) if counts is None else g.Shape(counts))
    own = g.Equal(g.unsqueeze(image, [1]), g.unsqueeze(images, [0]))
    parts, numbers = [], []
    for value in range(low, high + 1):
        here = g.Equal(level, np.array(value, np.int64))
        parts.append(g.Compress(rois, here, axis=0))
        both = g.cast(g.And(own, g.unsqueeze(here, [1])), VarType.INT32)
        numbers.append(g.reduce("ReduceSum", both, [0]))
    restore = g.cast(_sorted(g, _sorted(g, level)), VarType.INT32)
    return {
        "MultiFpnRois": parts,
        "RestoreIndex": g.unsqueeze(restore, [1]),
        "MultiLevelRoIsNum": numbers,
    }


@rule("collect_fpn_proposals")
def _(g: Any, op: Any) -> Any:
    g.need(13, op.op.type)
    boxes = g.Concat(*op.values("MultiLevelRois"), axis=0)
    scores = g.Concat(*[g.Reshape(v, [-1]) for v in op.values("MultiLevelScores")], axis=0)
    counts = [
        g.int64(v, op.dtype("MultiLevelRoIsNum", i))
        for i, v in enumerate(op.values("MultiLevelRoIsNum"))
    ]
    image = [
        _image_of(g, op.sizes("MultiLevelRois", [0], i), counts[i] if counts else None)
        for i in range(len(op.values("MultiLevelRois")))
    ]
    image = g.Concat(*image, axis=0)
    total = g.Shape(scores)
    kept = g.Min(g.value([max(int(op.attr("post_nms_topN")), 0)]), total)
    # Of equal scores the last comes first: they are sorted backwards.
    turned = g.slice(scores, [-1], [-_END], [0], [-1])
    _, places = g.node("TopK", turned, kept, outputs=2)
    order = g.Sub(g.Sub(total, [1]), places)
    order = g.Gather(order, _sorted(g, g.Gather(image, order)))
    images = _line(g, g.Shape(counts[0]) if counts else g.value([1]))
    same = g.Equal(g.unsqueeze(g.Gather(image, order), [1]), g.unsqueeze(images, [0]))
    found = g.reduce("ReduceSum", g.cast(same, VarType.INT32), [0])
    return {"FpnRois": g.Gather(boxes, order, axis=0), "RoisNum": found}
