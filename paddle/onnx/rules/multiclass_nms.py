"""Rules of multiclass NMS: suppression within each class, then the best of all classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.graph import Body, Port
from paddle.onnx.rules.registry import rule


@rule("multiclass_nms", "multiclass_nms2", "multiclass_nms3")
def _(g: Any, op: Any) -> Any:
    if op.shape("BBoxes")[2] != 4:
        raise op.refuse("polygons")
    if float(op.attr("nms_eta")) < 1:
        raise op.refuse("a threshold that is lowered (nms_eta)")
    if op.dtype("BBoxes") != VarType.FP32:
        raise op.refuse("boxes that are not float32")
    own = op.rank("Scores") == 2  # every class has boxes of its own
    scores, images = _by_image(g, op, own)
    masked = _candidates(g, op, scores)
    found = _of_classes(g, op, masked) if own else _suppressed(g, op, op["BBoxes"], masked)
    most = int(op.attr("keep_top_k"))
    if most > -1:  # rows are (image, class, box)
        found = _best(g, scores, found, most, images)
    image, label, place = (g.slice(found, [i], [i + 1], [1]) for i in range(3))
    score = g.unsqueeze(g.GatherND(scores, found), [1])
    box = g.GatherND(op["BBoxes"], g.Concat(place, label, axis=1) if own else g.Concat(
        image, place, axis=1
    ))  # fmt: skip
    rows = g.Concat(g.cast(label, VarType.FP32), score, box, axis=1)
    if op.op.type == "multiclass_nms":
        return _or_nothing(g, rows)
    if own:
        index = g.Add(g.Mul(place, op.sizes("Scores", [1])), label)
    else:
        index = g.Add(g.Mul(image, op.sizes("BBoxes", [1])), place)
    counts = g.cast(_counts(g, images, image), VarType.INT32)
    return {"Out": rows, "Index": g.cast(index, VarType.INT32), "NmsRoisNum": counts}


def _by_image(g: Any, op: Any, own: bool) -> tuple[str, str]:
    """The scores [images, classes, boxes], the lowest of boxes of others; how many images."""
    if not own:
        return op["Scores"], op.sizes("BBoxes", [0])
    turned = g.unsqueeze(g.Transpose(op["Scores"], perm=[1, 0]), [0])
    if not op.has("RoisNum"):
        raise op.refuse("boxes of each class that only their LoD gives to images")
    counts = g.int64(g.Reshape(op["RoisNum"], [-1]), op.dtype("RoisNum"))
    ends = g.unsqueeze(g.CumSum(counts, np.array(0, np.int64)), [1])
    places = g.unsqueeze(
        g.Range(np.array(0, np.int64), g.rank0(op.sizes("Scores", [0])), np.array(1, np.int64)),
        [0],
    )
    starts = g.Sub(ends, g.unsqueeze(counts, [1]))
    inside = g.And(g.Not(g.Less(places, starts)), g.Less(places, ends))
    low = g.constant(float(np.finfo("float32").min), VarType.FP32)
    return g.Where(g.unsqueeze(inside, [1]), turned, low), g.Shape(counts)


def _of_classes(g: Any, op: Any, scores: str) -> str:
    """Suppression where every class has boxes of its own; rows are sorted by box in a class."""
    classes, total = op.sizes("Scores", [1]), op.sizes("Scores", [0])
    images = g.slice(g.Shape(scores), [0], [1], [0])
    boxes = g.unsqueeze(g.Transpose(op["BBoxes"], perm=[1, 0, 2]), [0])
    boxes = g.Tile(boxes, g.Concat(images, [1, 1, 1], axis=0))
    boxes = g.Reshape(boxes, g.Concat([-1], total, [4], axis=0))
    alone = g.Reshape(scores, g.Concat([-1, 1], total, axis=0))
    found = _suppressed(g, op, boxes, alone)
    group, place = (g.slice(found, [i], [i + 1], [1]) for i in (0, 2))
    keys = g.squeeze(g.Add(g.Mul(group, total), place), [1])
    _, order = g.node("TopK", keys, g.Shape(keys), outputs=2, largest=0)
    group, place = g.Gather(group, order, axis=0), g.Gather(place, order, axis=0)
    return g.Concat(g.Div(group, classes), g.Mod(group, classes), place, axis=1)


def _candidates(g: Any, op: Any, scores: str) -> str:
    """The scores; those of the background, and of what is not among the first, are the lowest."""
    low = g.constant(float(np.finfo("float32").min), VarType.FP32)
    background, first = int(op.attr("background_label")), int(op.attr("nms_top_k"))
    if background >= 0:
        classes = np.arange(op.shape("Scores")[1]) if op.shape("Scores")[1] > 0 else None
        if classes is None:
            raise op.refuse("a number of classes that only a run can tell")
        scores = g.Where((classes == background)[:, None], low, scores)
    if first > -1:
        total = g.size(scores, 2)
        count = g.largest(g.value([first]), total, VarType.INT64, "Min")
        best, _ = g.node("TopK", scores, count, outputs=2, axis=2)
        last = g.reduce("ReduceMin", best, [2], keepdims=True)
        scores = g.Where(g.Less(scores, last), low, scores)
    return scores


def _suppressed(g: Any, op: Any, boxes: str, scores: str) -> str:
    if not op.attr("normalized"):  # corners are whole pixels, which reach to the next ones
        boxes = g.Add(boxes, np.array([0, 0, 1, 1], np.float32))
    return g.NonMaxSuppression(
        boxes,
        scores,
        g.size(boxes, 1),
        g.constant([float(op.attr("nms_threshold"))], VarType.FP32),
        g.constant([float(op.attr("score_threshold"))], VarType.FP32),
    )


def _counts(g: Any, images: str, image: str) -> str:
    """How many rows each image has."""
    numbers = g.Range(np.array(0, np.int64), g.rank0(images), np.array(1, np.int64))
    same = g.cast(g.Equal(image, g.unsqueeze(numbers, [0])), VarType.INT64)
    return g.reduce("ReduceSum", same, [0])


def _best(g: Any, scores: str, found: str, most: int, images: str) -> str:
    """The best rows of each image, in the order in which they stood."""
    zero, one = np.array(0, np.int64), np.array(1, np.int64)
    total = g.slice(g.Shape(found), [0], [1], [0])
    score = g.GatherND(scores, found)
    _, by_score = g.node("TopK", score, total, outputs=2)
    image = g.squeeze(g.slice(found, [0], [1], [1]), [1])
    _, by_image = g.node("TopK", g.Gather(image, by_score), total, outputs=2, largest=0)
    order = g.Gather(by_score, by_image)  # by image, then by score
    counts = _counts(g, images, g.unsqueeze(image, [1]))
    starts = g.CumSum(counts, zero, exclusive=1)
    places = g.Sub(g.Range(zero, g.rank0(total), one), g.Gather(starts, g.Gather(image, order)))
    kept = g.Compress(order, g.Less(places, np.array(most, np.int64)), axis=0)
    kept, _ = g.node("TopK", kept, g.Shape(kept), outputs=2, largest=0)
    return g.Gather(found, kept, axis=0)


def _or_nothing(g: Any, rows: str) -> str:
    """The rows, or the one number that says in 1.x that there are none."""
    some = g.Greater(g.Size(rows), np.array(0, np.int64))
    yes, no = g.inner(), g.inner()
    nothing = no.Identity(g.constant([[-1.0]], VarType.FP32))
    return g.If(
        some,
        then_branch=Body(yes, [], [Port(yes.Identity(rows), VarType.FP32, None)]),
        else_branch=Body(no, [], [Port(nothing, VarType.FP32, None)]),
    )
