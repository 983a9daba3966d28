"""Rules of detection: anchors, boxes, regions, suppression."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.folding import called
from paddle.onnx.rules.registry import rule

_END = 2**31 - 1


# -- what depends on sizes alone ------------------------------------------------------------------


@rule("density_prior_box")
def _(g: Any, op: Any) -> Any:
    return op.of_sizes("the anchors depend on sizes that only a run can tell")


@rule("prior_box")
def _(g: Any, op: Any) -> Any:
    if -1 not in [*op.shape("Input"), *op.shape("Image")]:
        return op.of_sizes("")
    # A cell at the corner of an image of one pixel has the halves of the sizes.
    one = np.zeros((1, 1, 1, 1), np.float32)
    attrs = {**_given(op), "step_w": 1.0, "step_h": 1.0, "offset": 0.0, "clip": False}
    halves = called("prior_box", [one, one], attrs)[0][0, 0, :, 2:]
    dtype = op.dtype("Input")
    rows, columns = (g.cast(op.sizes("Input", [a]), dtype) for a in (2, 3))
    height, width = (g.cast(op.sizes("Image", [a]), dtype) for a in (2, 3))
    step_w, step_h = float(op.attr("step_w")), float(op.attr("step_h"))
    steps = [op.number(step_w, "Input"), op.number(step_h, "Input")]
    if step_w == 0 or step_h == 0:
        steps = [g.Div(width, columns), g.Div(height, rows)]
    offset = op.number(float(op.attr("offset")), "Input")
    x, y = (
        g.Mul(g.Add(_line(g, op, count), offset), step)
        for count, step in zip((columns, rows), steps)
    )
    size = g.Concat(width, height, axis=0)
    boxes = _around(g, x, y, g.constant(halves, dtype), size)
    if op.attr("clip"):
        boxes = g.clip(boxes, op.number(0, "Input"), op.number(1, "Input"), dtype)
    spread = [float(v) for v in op.attr("variances") or (0.1, 0.1, 0.2, 0.2)]
    return boxes, g.Expand(g.constant(spread, dtype), g.Shape(boxes))


@rule("anchor_generator")
def _(g: Any, op: Any) -> Any:
    if -1 not in op.shape("Input"):
        return op.of_sizes("")
    attrs, dtype = _given(op), op.dtype("Input")
    first = called("anchor_generator", [np.zeros((1, 1, 1, 1), np.float32)], attrs)[0][0, 0]
    wide, high = (float(v) for v in op.attr("stride"))
    rows, columns = (g.cast(op.sizes("Input", [a]), dtype) for a in (2, 3))
    x = g.Mul(_line(g, op, columns), op.number(wide, "Input"))
    y = g.Mul(_line(g, op, rows), op.number(high, "Input"))
    middle = _grid(g, x, y)
    boxes = g.Add(g.Concat(middle, middle, axis=3), g.constant(first, dtype))
    spread = g.constant([float(v) for v in op.attr("variances")], dtype)
    return boxes, g.Expand(spread, g.Shape(boxes))


def _given(op: Any) -> dict[str, Any]:
    """The attributes of an operator that say what it computes."""
    known = op.op.definition.attrs
    return {k: v for k, v in op.op.attrs.items() if k in known}


def _line(g: Any, op: Any, count: str) -> str:
    """0, 1, 2, ..., as fractions."""
    return g.Range(op.number(0, "Input"), g.rank0(count), op.number(1, "Input"))


def _grid(g: Any, x: str, y: str) -> str:
    """The points of two lines, [rows, columns, 1, 2]."""
    across, down = g.unsqueeze(x, [0]), g.unsqueeze(y, [1])
    shape = g.Concat(g.Shape(y), g.Shape(x), axis=0)
    return g.Concat(*[g.unsqueeze(g.Expand(v, shape), [2, 3]) for v in (across, down)], axis=3)


def _around(g: Any, x: str, y: str, halves: str, size: str) -> str:
    """The boxes of some halves of sizes around the points of two lines, in parts of an image."""
    middle = _grid(g, x, y)
    return g.Concat(g.Div(g.Sub(middle, halves), size), g.Div(g.Add(middle, halves), size), axis=3)


# -- boxes ----------------------------------------------------------------------------------------


def _columns(g: Any, x: str, start: int, end: int, axis: int = -1) -> str:
    return g.slice(x, [start], [end], [axis])


@rule("box_coder")
def _(g: Any, op: Any) -> str:
    prior, target = op["PriorBox"], op["TargetBox"]
    extra = op.number(0.0 if op.attr("box_normalized") else 1.0, "PriorBox")
    low, high = _columns(g, prior, 0, 2), _columns(g, prior, 2, 4)
    size = g.Add(g.Sub(high, low), extra)
    half = op.number(0.5, "PriorBox")
    centre = g.Add(low, g.Mul(size, half))
    spread = op.get("PriorBoxVar")
    if spread is None and op.attr("variance"):
        spread = g.constant([float(v) for v in op.attr("variance")], op.dtype("TargetBox"))
    if op.attr("code_type") == "encode_center_size":
        t_low, t_high = _columns(g, target, 0, 2), _columns(g, target, 2, 4)
        box = g.unsqueeze(g.Add(g.Sub(t_high, t_low), extra), [1])
        middle = g.unsqueeze(g.Mul(g.Add(t_low, t_high), half), [1])
        codes = g.Concat(
            g.Div(g.Sub(middle, centre), size), g.Log(g.Abs(g.Div(box, size))), axis=-1
        )
        return codes if spread is None else g.Div(codes, spread)
    across = [1 if int(op.attr("axis")) else 0]
    if spread is not None:
        by_box = op.has("PriorBoxVar") and op.rank("PriorBoxVar") == 2
        target = g.Mul(target, g.unsqueeze(spread, across) if by_box else spread)
    centre, size = g.unsqueeze(centre, across), g.unsqueeze(size, across)
    middle = g.Add(g.Mul(_columns(g, target, 0, 2), size), centre)
    reach = g.Mul(g.Mul(g.Exp(_columns(g, target, 2, 4)), size), half)
    return g.Concat(g.Sub(middle, reach), g.Sub(g.Add(middle, reach), extra), axis=-1)


@rule("iou_similarity")
def _(g: Any, op: Any) -> str:
    extra = op.number(0.0 if op.attr("box_normalized") else 1.0)
    zero = op.number(0.0)
    x, y = g.unsqueeze(op["X"], [1]), g.unsqueeze(op["Y"], [0])

    def area(box: str) -> str:
        size = g.Add(g.Sub(_columns(g, box, 2, 4), _columns(g, box, 0, 2)), extra)
        return g.Mul(_columns(g, size, 0, 1), _columns(g, size, 1, 2))

    low = g.Max(_columns(g, x, 0, 2), _columns(g, y, 0, 2))
    high = g.Min(_columns(g, x, 2, 4), _columns(g, y, 2, 4))
    size = g.Max(g.Add(g.Sub(high, low), extra), zero)
    shared = g.Mul(_columns(g, size, 0, 1), _columns(g, size, 1, 2))
    whole = g.Sub(g.Add(area(x), area(y)), shared)
    share = g.Where(g.Greater(shared, zero), g.Div(shared, whole), g.Mul(shared, zero))
    return g.squeeze(share, [2])


@rule("box_clip")
def _(g: Any, op: Any) -> str:
    boxes, info = op["Input"], op["ImInfo"]
    if op.shape("ImInfo")[0] != 1 and op.rank("Input") != 3:
        raise op.refuse("boxes of several images in one list")
    sizes = g.Div(_columns(g, info, 0, 2), _columns(g, info, 2, 3))  # [n, height, width]
    half = op.number(0.5, "ImInfo")
    sizes = g.Floor(g.Add(sizes, half))
    most = g.Sub(g.Gather(sizes, [1, 0, 1, 0], axis=1), op.number(1.0, "ImInfo"))
    if op.rank("Input") == 3:
        most = g.unsqueeze(most, [1])
    return g.Max(g.Min(boxes, most), op.number(0.0, "Input"))


@rule("yolo_box")
def _(g: Any, op: Any) -> Any:
    anchors, classes = op.ints("anchors"), int(op.attr("class_num"))
    count, aware = len(anchors) // 2, bool(op.attr("iou_aware"))
    x, ratio, scale = op["X"], float(op.attr("downsample_ratio")), float(op.attr("scale_x_y"))
    one, half = op.number(1.0), op.number(0.5)
    values = g.slice(x, [count], [_END], [1]) if aware else x
    shape = g.Concat([-1, count, 5 + classes], op.sizes("X", [2, 3]), axis=0)
    values = g.Reshape(values, shape)  # [n, anchors, numbers, h, w]

    def number(i: int) -> str:
        return g.squeeze(g.slice(values, [i], [i + 1], [2]), [2])

    trust = g.Sigmoid(number(4))
    if aware:
        factor = float(op.attr("iou_aware_factor"))
        overlap = g.Sigmoid(g.slice(x, [0], [count], [1]))
        trust = g.Mul(g.Pow(trust, op.number(1.0 - factor)), g.Pow(overlap, op.number(factor)))
    kept = g.greater_equal(trust, op.number(float(op.attr("conf_thresh"))))
    size = g.cast(op["ImgSize"], op.dtype("X"))
    high, wide = (g.Reshape(g.slice(size, [i], [i + 1], [1]), [-1, 1, 1, 1]) for i in range(2))
    h, w = (g.cast(g.rank0(op.sizes("X", [a])), op.dtype("X")) for a in (2, 3))
    zero = op.number(0.0)
    rows = g.unsqueeze(g.Range(zero, h, one), [1])
    columns = g.Range(zero, w, one)
    shift = op.number(-0.5 * (scale - 1.0))

    def middle(i: int, line: str, extent: str, cells: str) -> str:
        part = g.Add(g.Mul(g.Sigmoid(number(i)), op.number(scale)), shift)
        return g.Div(g.Mul(g.Add(line, part), extent), cells)

    def reach(i: int, sizes: list[int], extent: str, cells: str) -> str:
        anchor = g.constant(np.reshape(sizes, (-1, 1, 1)), op.dtype("X"))
        whole = g.Div(
            g.Mul(g.Mul(g.Exp(number(i)), anchor), extent), g.Mul(cells, op.number(ratio))
        )
        return g.Mul(whole, half)

    across, down = middle(0, columns, wide, w), middle(1, rows, high, h)
    to_side, to_top = reach(2, anchors[::2], wide, w), reach(3, anchors[1::2], high, h)
    left, top = g.Sub(across, to_side), g.Sub(down, to_top)
    right, bottom = g.Add(across, to_side), g.Add(down, to_top)
    if op.attr("clip_bbox"):
        left, top = g.Max(left, zero), g.Max(top, zero)
        right, bottom = g.Min(right, g.Sub(wide, one)), g.Min(bottom, g.Sub(high, one))
    sides = [g.unsqueeze(g.Where(kept, v, zero), [4]) for v in (left, top, right, bottom)]
    boxes = g.Reshape(g.Concat(*sides, axis=4), [0, -1, 4])
    trust = g.unsqueeze(g.Where(kept, trust, zero), [2])
    scores = g.Mul(g.Sigmoid(g.slice(values, [5], [_END], [2])), trust)
    scores = g.Transpose(scores, perm=[0, 1, 3, 4, 2])
    return boxes, g.Reshape(scores, [0, -1, classes])


# -- regions --------------------------------------------------------------------------------------


def _images(g: Any, op: Any) -> str:
    """The number of the image that each region lies in."""
    places = g.Range(np.array(0, np.int64), g.rank0(op.sizes("ROIs", [0])), np.array(1, np.int64))
    if not op.has("RoisNum"):
        if op.shape("X")[0] != 1:
            raise op.refuse("regions that only their LoD gives to images")
        return g.Mul(places, np.array(0, np.int64))
    ends = g.CumSum(g.int64(op["RoisNum"], op.dtype("RoisNum")), np.array(0, np.int64))
    after = g.Not(g.Less(g.unsqueeze(places, [1]), g.unsqueeze(ends, [0])))
    return g.reduce("ReduceSum", g.cast(after, VarType.INT64), [1])


@rule("roi_align")
def _(g: Any, op: Any) -> str:
    g.need(16, op.op.type)
    return g.RoiAlign(
        op["X"],
        op["ROIs"],
        _images(g, op),
        mode="avg",
        output_height=int(op.attr("pooled_height")),
        output_width=int(op.attr("pooled_width")),
        sampling_ratio=max(int(op.attr("sampling_ratio")), 0),
        spatial_scale=float(op.attr("spatial_scale")),
        coordinate_transformation_mode="half_pixel" if op.attr("aligned") else "output_half_pixel",
    )


@rule("roi_pool")
def _(g: Any, op: Any) -> Any:
    dtype = op.dtype("ROIs")
    images = g.unsqueeze(g.cast(_images(g, op), dtype), [1])
    made = g.MaxRoiPool(
        op["X"],
        g.Concat(images, op["ROIs"], axis=1),
        pooled_shape=[int(op.attr("pooled_height")), int(op.attr("pooled_width"))],
        spatial_scale=float(op.attr("spatial_scale")),
    )
    return {"Out": made}


# -- suppression ----------------------------------------------------------------------------------


@rule("nms")
def _(g: Any, op: Any) -> str:
    # The boxes come best first: scores that fall say so.
    count = op.sizes("Boxes", [0])
    places = g.Range(np.array(0, np.int64), g.rank0(count), np.array(1, np.int64))
    scores = g.unsqueeze(g.cast(g.Neg(places), VarType.FP32), [0, 1])
    boxes = g.unsqueeze(g.cast(op["Boxes"], VarType.FP32), [0])
    limit = g.constant([float(op.attr("iou_threshold"))], VarType.FP32)
    found = g.NonMaxSuppression(boxes, scores, count, limit)
    return g.squeeze(g.slice(found, [2], [3], [1]), [1])
