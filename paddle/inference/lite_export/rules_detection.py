"""Rules of operators on boxes: decoding, suppression, the maps of YOLOv3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paddle.inference.lite_export.rules import (
    Refused,
    activation,
    attrs_of,
    binary,
    input_of,
    output_of,
    rule,
)
from paddle.ir.operator import Operator

if TYPE_CHECKING:
    from paddle.inference.lite_export.lowering import Lowering


@rule("yolo_box")
def _yolo_box(at: Lowering, op: Operator) -> None:
    a = attrs_of(op)
    if a["iou_aware"]:
        raise Refused("it is iou_aware")
    ints = [a["class_num"], a["downsample_ratio"], a["clip_bbox"], *a["anchors"]]
    outs = [output_of(op, "Boxes"), output_of(op, "Scores")]
    at.add("yolo_box", [input_of(op, "X"), input_of(op, "ImgSize")], outs, ints,
           [a["conf_thresh"], a["scale_x_y"]])  # fmt: skip


@rule("multiclass_nms multiclass_nms2 multiclass_nms3")
def _suppression(at: Lowering, op: Operator) -> None:
    a = attrs_of(op)
    if input_of(op, "RoisNum") or len(at.shape(input_of(op, "Scores"))) != 3:
        raise Refused("its boxes are of several images in one list")
    outs = ["Out", "Index", "NmsRoisNum"][: int(op.type[len("multiclass_nms") :] or 1)]
    ints = [a["background_label"], a["nms_top_k"], a["keep_top_k"], a["normalized"]]
    floats = [a["score_threshold"], a["nms_threshold"], a["nms_eta"]]
    at.add("multiclass_nms", [input_of(op, "BBoxes"), input_of(op, "Scores")],
           [next(iter(op.outputs.get(slot, [])), f"{output_of(op)}@{slot}") for slot in outs], ints,
           floats)  # fmt: skip


@rule("box_coder")
def _box_coder(at: Lowering, op: Operator) -> None:
    """Boxes from offsets; the boxes that these are of are constants."""
    a, out, codes = attrs_of(op), output_of(op, "OutputBox"), input_of(op, "TargetBox")
    prior, spread = at.value(input_of(op, "PriorBox")), at.value(input_of(op, "PriorBoxVar"))
    if a["code_type"] != "decode_center_size" or a["axis"] != 0 or len(at.shape(codes)) != 3:
        raise Refused("it encodes boxes, or its axis is not 0")
    if prior is None or (spread is None and input_of(op, "PriorBoxVar")):
        raise Refused("its boxes are computed in each run; give the sizes of the image")
    if spread is None:
        spread = np.array(a["variance"] or [1.0] * 4, "float32")
    spread = np.broadcast_to(spread.reshape(-1, 4), prior.shape).astype("float64")
    extra = 0.0 if a["box_normalized"] else 1.0
    size = prior[:, 2:].astype("float64") - prior[:, :2] + extra

    def put(name: str, value: Any) -> str:
        return at.constant(f"{out}@{name}", np.ascontiguousarray(value, "float32"))

    def step(kind: str, x: str, y: str, name: str) -> str:
        return binary(at, kind, x, y, f"{out}@{name}")

    at.add("slice", [codes], f"{out}@NEAR", [2, 0, 2, 1])
    at.add("slice", [codes], f"{out}@WIDE", [2, 2, 4, 1])
    moved = step("mul", f"{out}@NEAR", put("STEP", spread[:, :2] * size), "MOVED")
    middle = step("add", moved, put("MIDDLE", prior[:, :2] + size / 2), "CENTRE")
    scaled = step("mul", f"{out}@WIDE", put("SPREAD", spread[:, 2:]), "SCALED")
    activation(at, "exp", scaled, f"{out}@RAISED")
    half = step("mul", f"{out}@RAISED", put("HALF", size / 2), "HALVES")
    first, last = step("sub", middle, half, "FIRST"), step("add", middle, half, "LAST")
    if extra:
        last = step("sub", last, put("EXTRA", [extra]), "ENDS")
    at.add("concat", [first, last], out, [2])
