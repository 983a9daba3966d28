"""Samples of the targets of proposals, as 1.8.5 computes them."""

import numpy as np

from tests.op_samples.detection.anchor_targets import CROWD, GROUND, INFO, KINDS, _boxes
from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, f64

ROIS = np.concatenate([GROUND[:2] + 0.7, _boxes(9, 5, 14.0), GROUND[3:] * 1.2 + 0.3, _boxes(3, 6)])
ONE = [[0, 3, 5]]
PROPOSALS = {
    "RpnRois": ROIS, "GtClasses": KINDS, "IsCrowd": CROWD, "GtBoxes": GROUND, "ImInfo": INFO,
}  # fmt: skip
LEVELS = {"RpnRois": [[0, 9, 16]], "GtClasses": ONE, "IsCrowd": ONE, "GtBoxes": ONE}
ATTRS = {
    "batch_size_per_im": 8, "fg_fraction": 0.5, "fg_thresh": 0.4, "bg_thresh_hi": 0.4,
    "bg_thresh_lo": 0.0, "bbox_reg_weights": [0.1, 0.1, 0.2, 0.2], "class_nums": 5,
    "use_random": False,
}  # fmt: skip
# Two polygons of the first object, one of each other.
SEGMENTS = np.concatenate([
    np.array([[2.0, 2.0], [14.0, 3.0], [9.0, 15.0]]), np.array([[1.0, 8.0], [5.0, 8.5], [3.0, 16]]),
    f64(5, 2, low=2.0, high=20.0), f64(4, 2, low=0.0, high=20.0, key=1),
    np.array([[4.0, 4.0], [16.0, 4.0], [16.0, 12.0], [4.0, 12.0]]), f64(6, 2, low=3, high=25.0),
])  # fmt: skip
POLYGONS = [[0, 3, 5], [0, 2, 3, 4, 5, 6], [0, 3, 6, 11, 15, 19, 25]]
MASKS = {
    "ImInfo": INFO, "GtClasses": KINDS, "IsCrowd": CROWD, "GtSegms": SEGMENTS,
    "Rois": ROIS[:10],
    "LabelsInt32": np.array([[2], [0], [1], [3], [0], [0], [4], [1], [0], [2]], "int32"),
}  # fmt: skip
MASK_LEVELS = {
    "GtClasses": ONE, "IsCrowd": ONE, "GtSegms": POLYGONS, "Rois": [[0, 6, 10]],
    "LabelsInt32": [[0, 6, 10]],
}  # fmt: skip
SIZE = {"num_classes": 5, "resolution": 8}


def _proposals(note, **attrs):
    return as_185(
        "generate_proposal_labels", PROPOSALS, {**ATTRS, **attrs}, note, levels=LEVELS,
        single=True, static_shape=False, rtol=1e-3,
    )  # fmt: skip


def counts(outs, inputs, attrs):
    """At random there are no more than asked for."""
    rois, label, target, inside, outside, _ = (o.numpy() for o in outs)
    assert len(rois) == len(label) == len(target) == len(inside) == len(outside) <= 16
    assert (label > 0).sum() <= 8


TWICE = np.concatenate([ROIS[:7], GROUND[:1], [[9.0, 9.0, 5.0, 6.0]], ROIS[9:]])  # and no inside


def _random():
    made = _proposals("random", use_random=True)
    made.ref, made.check = None, counts
    return made


EMPTY = {**MASKS, "LabelsInt32": np.array([[2], [0], [1], [3], [0], [0]] + [[0]] * 4, "int32")}
SAMPLES = [
    _proposals("few"),
    _proposals("many", batch_size_per_im=64, bg_thresh_lo=0.1),
    _proposals("agnostic", is_cls_agnostic=True, class_nums=2),
    _proposals("cascade", is_cascade_rcnn=True),
    as_185("generate_proposal_labels", {**PROPOSALS, "RpnRois": TWICE},
           {**ATTRS, "is_cascade_rcnn": True}, "copies", levels=LEVELS, single=True,
           static_shape=False, rtol=1e-3),
    _random(),
    as_185("generate_mask_labels", MASKS, SIZE, levels=MASK_LEVELS, single=True,
           static_shape=False),
    as_185("generate_mask_labels", EMPTY, SIZE, "background", levels=MASK_LEVELS, single=True,
           static_shape=False),
]  # fmt: skip


def _bad(op, match, attrs, levels=None, raises=ValueError, **inputs):
    why = ErrorSample.LEVELS if levels is not None else ""
    return ErrorSample(op, inputs, attrs, raises, match, why, levels or {})


ERRORS = [
    _bad("generate_proposal_labels", r"boxes \[count, 4\]", ATTRS,
         **{**PROPOSALS, "RpnRois": ROIS[:, :3]}),
    _bad("generate_proposal_labels", "RpnRois to have the rows of 2 image", ATTRS, {}, **PROPOSALS),
    _bad("generate_proposal_labels", "below class_nums 2", {**ATTRS, "class_nums": 2}, LEVELS,
         IndexError, **PROPOSALS),
    _bad("generate_mask_labels", r"Rois \[count, 4\]", SIZE, **{**MASKS, "Rois": ROIS[:3]}),
    _bad("generate_mask_labels", "with 3 levels", SIZE, {**MASK_LEVELS, "GtSegms": [[0, 25]]},
         **MASKS),
]  # fmt: skip
