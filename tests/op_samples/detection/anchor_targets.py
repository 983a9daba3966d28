"""Samples of the targets of anchors and of hard examples, as 1.8.5 computes them."""

import numpy as np

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, apart, f64


def _boxes(count, key, size=20.0):
    low = f64(count, 2, low=0.0, high=size, key=key)
    return np.round(np.concatenate([low, low + f64(count, 2, low=4.0, high=14.0, key=key)], 1), 1)


ANCHORS = np.concatenate([_boxes(24, 1), [[-3.0, 1.0, 8.0, 9.0], [20.0, 20.0, 33.0, 30.0]]])
GROUND = _boxes(5, 2, 14.0)
CROWD = np.array([[0], [1], [0], [0], [0]], "int32")
KINDS = np.array([[3], [1], [2], [1], [4]], "int32")
INFO = np.array([[32.0, 32.0, 1.0], [30.0, 34.0, 1.2]])
TWO = {"GtBoxes": [[0, 3, 5]], "IsCrowd": [[0, 3, 5]]}
RPN = {"Anchor": ANCHORS, "GtBoxes": GROUND, "IsCrowd": CROWD, "ImInfo": INFO}
RETINA = {"Anchor": ANCHORS, "GtBoxes": GROUND, "GtLabels": KINDS, "IsCrowd": CROWD, "ImInfo": INFO}
FIRST = {"use_random": False, "rpn_straddle_thresh": 0.0}
LOSS = apart(2, 8)
MATCH = np.array([[0, -1, -1, 2, -1, -1, -1, 1], [-1, -1, 0, -1, -1, -1, -1, -1]], "int32")
NEAR = np.abs(f64(2, 8)) / 2.5
MINED = {"ClsLoss": LOSS, "MatchIndices": MATCH, "MatchDist": NEAR}
HARD = {"mining_type": "hard_example", "sample_size": 4}


def _rpn(note, **attrs):
    return as_185(
        "rpn_target_assign", RPN, {**FIRST, **attrs}, note, levels=TWO, single=True,
        static_shape=False,
    )  # fmt: skip


def counts(outs, inputs, attrs):
    """At random there are as many as without, and labels fit."""
    places, scored, target, label, weight = (o.numpy() for o in outs)
    assert len(places) == len(target) == len(weight) and len(scored) == len(label)
    assert len(label) <= 2 * attrs["rpn_batch_size_per_im"]
    assert label.sum() <= 2 * attrs["rpn_batch_size_per_im"] * attrs["rpn_fg_fraction"]


def _random():
    attrs = {"rpn_straddle_thresh": -1.0, "rpn_batch_size_per_im": 6, "rpn_fg_fraction": 0.5}
    sample = as_185("rpn_target_assign", RPN, attrs, "random", levels=TWO, static_shape=False)
    sample.ref, sample.check = None, counts
    return sample


SAMPLES = [
    _rpn("all"),
    _rpn("few", rpn_batch_size_per_im=6, rpn_fg_fraction=0.5),
    _rpn("low", rpn_negative_overlap=0.9, rpn_batch_size_per_im=16),
    _rpn("outside", rpn_straddle_thresh=-1.0, rpn_positive_overlap=0.4),
    _random(),
    as_185("retinanet_target_assign", RETINA, {}, single=True, static_shape=False,
           levels={**TWO, "GtLabels": [[0, 3, 5]]}),
    as_185("retinanet_target_assign", RETINA,
           {"positive_overlap": 0.3, "negative_overlap": 0.3}, "low", single=True,
           static_shape=False, levels={**TWO, "GtLabels": [[0, 3, 5]]}),
    as_185("mine_hard_examples", MINED, {"neg_pos_ratio": 1.5}, single=True, static_shape=False),
    as_185("mine_hard_examples", {**MINED, "LocLoss": apart(2, 8, key=1)}, HARD, "hard",
           single=True, static_shape=False),
]  # fmt: skip


def _bad(op, match, attrs=None, levels=None, **inputs):
    why = ErrorSample.LEVELS if levels is not None else ""
    return ErrorSample(op, inputs, attrs or {}, ValueError, match, why, levels or {})


ERRORS = [
    _bad("rpn_target_assign", r"Anchor \[A, 4\]", FIRST, **{**RPN, "Anchor": ANCHORS[:, :3]}),
    _bad("rpn_target_assign", r"rows of 2 image", FIRST, {}, **RPN),
    _bad("retinanet_target_assign", "a class for each of 5", None, TWO,
         **{**RETINA, "GtLabels": KINDS[1:]}),
    _bad("retinanet_target_assign", "no crowd in every image", None, TWO,
         **{**RETINA, "IsCrowd": np.ones((5, 1), "int32")}),
    _bad("mine_hard_examples", "max_negative or hard_example", {"mining_type": "x"}, **MINED),
    _bad("mine_hard_examples", "more than 0", {"mining_type": "hard_example"}, **MINED),
    _bad("mine_hard_examples", "of one shape", None, **{**MINED, "MatchDist": NEAR[:, 1:]}),
]  # fmt: skip
