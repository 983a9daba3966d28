"""Samples of whole heads, box by box."""

from __future__ import annotations

import numpy as np

from tests.op_samples.detection.box_decoding import boxes, decoded
from tests.op_samples.detection.suppression import (
    ALL,
    BOXES,
    FEW,
    LESS,
    OWN,
    OWN_SCORES,
    ROUND,
    SCORES,
    candidates,
    greedy,
    polygon_share,
    share,
)
from tests.op_samples.sample import ErrorSample, Sample, apart, f64


def retinanet(codes, scores, anchors, info, score_threshold, nms_top_k, nms_threshold, nms_eta,
              keep_top_k):  # fmt: skip
    out = []
    for n, (high, wide, scale) in enumerate(info):
        found = []  # (score, label, box)
        for level, (code, score, anchor) in enumerate(zip(codes, scores, anchors, strict=True)):
            limit = score_threshold if level + 1 < len(codes) else 0.0
            for place in candidates(score[n].ravel(), limit, nms_top_k):
                i, label = divmod(place, score.shape[2])
                box = np.array(decoded(code[n, i], anchor[i], 1.0)) / scale
                most = [int(wide / scale + 0.5) - 1, int(high / scale + 0.5) - 1] * 2
                found.append((score[n, i, label], label + 1, np.clip(box, 0, most)))
        rows = []
        for label in sorted({f[1] for f in found}):
            mine = sorted((f for f in found if f[1] == label), key=lambda f: -f[0])
            kept = greedy(np.array([f[2] for f in mine]), nms_threshold, nms_eta, 1.0)
            rows += [[label, mine[k][0], *mine[k][2]] for k in kept]
        rows.sort(key=lambda r: -r[1])
        out += rows[:keep_top_k] if keep_top_k > -1 else rows
    return np.array(out, codes[0].dtype).reshape(-1, 6)


def locality_aware_nms(box, scores, score_threshold, nms_top_k, keep_top_k, background_label=-1,
                       nms_threshold=0.3, nms_eta=1.0, normalized=True):  # fmt: skip
    one, out = 0.0 if normalized else 1.0, []
    shared = share if box.shape[2] == 4 else polygon_share
    for mine, score in zip(box.copy(), scores.copy(), strict=True):
        found = []
        for label in range(len(score)):
            if label == background_label:
                continue
            value, first = score[label], []
            for i in range(len(mine)):
                if first and shared(mine[i], mine[first[-1]], one) > nms_threshold:
                    k = first[-1]
                    mine[k] = (mine[i] * value[i] + mine[k] * value[k]) / (value[i] + value[k])
                    value[k] += value[i]
                else:
                    first.append(i)
            order = [first[k] for k in candidates(value[first], score_threshold, nms_top_k)]
            found += [(label, order[k]) for k in greedy(mine[order], nms_threshold, nms_eta, one)]
        if -1 < keep_top_k < len(found):
            found.sort(key=lambda f: -score[f])
            found = sorted(found[:keep_top_k], key=lambda f: f[0])
        out += [[label, score[label, i], *mine[i]] for label, i in found]
    if not out:
        return np.full((1, 1), -1.0, box.dtype)
    return np.array(out, box.dtype)


LEVELS = {
    "BBoxes": [f64(2, 9, 4, low=-0.6, high=0.6), f64(2, 4, 4, low=-0.6, high=0.6)],
    "Scores": [apart(2, 9, 3, gap=0.015) + 0.5, apart(2, 4, 3, gap=0.03) + 0.5],
    "Anchors": [boxes(9) * 6, boxes(4) * 10],
    "ImInfo": np.array([[30.0, 41.0, 2.0], [25.0, 50.0, 1.5]]),
}
RETINA = {
    "score_threshold": 0.3, "nms_top_k": 15, "nms_threshold": 0.4, "nms_eta": 1.0, "keep_top_k": 9,
}  # fmt: skip
ZEROS = [np.zeros((2, 9, 3)), np.zeros((2, 4, 3))]


def _retina(note, attrs, **inputs):
    return Sample(
        "retinanet_detection_output", LEVELS | inputs, RETINA | attrs, retinanet,
        static_shape=False, note=note,
    )  # fmt: skip


def _local(note, attrs, box=BOXES, scores=SCORES):
    inputs = {"BBoxes": box, "Scores": scores}
    return Sample(
        "locality_aware_nms", inputs, attrs, locality_aware_nms, static_shape=False, note=note
    )


SAMPLES = [
    _retina("two_levels", {}),
    _retina("all", {"keep_top_k": -1, "nms_top_k": -1, "nms_eta": 0.8, "nms_threshold": 0.7}),
    _retina("last_level_only", {"score_threshold": 2.0}),
    _retina("nothing", {}, Scores=ZEROS),
    _retina("one_level", {}, **{k: LEVELS[k][:1] for k in ("BBoxes", "Scores", "Anchors")}),
    _local("all", ALL), _local("few", FEW), _local("eta", LESS),
    _local("nothing", ALL | {"score_threshold": 99.0}),
    _local("background", ALL | {"background_label": 0}),
    _local("apart", ALL | {"nms_threshold": 0.9}),
    _local("one_box", ALL, BOXES[:, :1], SCORES[:, :, :1]),
    _local("polygons", ALL | {"nms_threshold": 0.25}, ROUND.reshape(1, 8, 8), SCORES[:1, :1, :8]),
]  # fmt: skip


def _bad(op, match, attrs, **inputs):
    return ErrorSample(op, inputs, attrs, ValueError, match)


ERRORS = [
    _bad("retinanet_detection_output", "as many Scores and Anchors as BBoxes.*2, 1 and 2", RETINA,
         **(LEVELS | {"Anchors": [boxes(9)]})),
    _bad("retinanet_detection_output", r"Anchors \[M, 4\] of each level", RETINA,
         **(LEVELS | {"Anchors": [boxes(9), boxes(5)]})),
    _bad("retinanet_detection_output", r"ImInfo \[N, 3\]", RETINA,
         **(LEVELS | {"ImInfo": f64(2, 2)})),
    _bad("locality_aware_nms", r"Scores of shape \[N, C, M\]", ALL, BBoxes=OWN, Scores=OWN_SCORES),
    _bad("locality_aware_nms", "do not fit together", ALL, BBoxes=BOXES[:, :5], Scores=SCORES),
]  # fmt: skip
