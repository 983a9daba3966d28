"""Samples of matching boxes."""

from __future__ import annotations

import numpy as np

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, Sample, apart, f64, pos


def iou_similarity(x, y, box_normalized=True):
    one = 0.0 if box_normalized else 1.0
    out = np.zeros((len(x), len(y)), x.dtype)
    for i, j in np.ndindex(*out.shape):
        a, b = x[i], y[j]
        w = min(a[2], b[2]) - max(a[0], b[0]) + one
        h = min(a[3], b[3]) - max(a[1], b[1]) + one
        shared = max(w, 0.0) * max(h, 0.0)
        areas = sum((c[2] - c[0] + one) * (c[3] - c[1] + one) for c in (a, b))
        out[i, j] = shared / (areas - shared) if areas != shared else 0.0
    return out


def bipartite_match(distance, match_type="bipartite", dist_threshold=0.5):
    rows, columns = distance.shape
    index, value = np.full((1, columns), -1, "int32"), np.zeros((1, columns), distance.dtype)
    left = sorted(
        ((-distance[i, j], j, i) for i in range(rows) for j in range(columns)),
    )
    used = set()
    for negative, j, i in left:
        if -negative >= 1e-6 and index[0, j] == -1 and i not in used:
            index[0, j], value[0, j] = i, -negative
            used.add(i)
    if match_type == "per_prediction":
        for j in range(columns):
            best = int(distance[:, j].argmax())
            if index[0, j] == -1 and distance[best, j] >= max(dist_threshold, 1e-6):
                index[0, j], value[0, j] = best, distance[best, j]
    return index, value


def target_assign(x, match, negative, mismatch_value=0):
    columns = match.shape[1]
    out = np.full((1, columns, x.shape[2]), mismatch_value, x.dtype)
    weight = np.zeros((1, columns, 1), "float32")
    for j, row in enumerate(match[0]):
        if row >= 0:
            out[0, j], weight[0, j] = x[row, j % x.shape[1]], 1
    for j in [] if negative is None else negative.reshape(-1):
        out[0, j], weight[0, j] = mismatch_value, 1
    return out, weight


def _boxes(count, key=0):
    corner = f64(count, 2, low=0.0, high=1.0, key=key)
    return np.concatenate([corner, corner + pos(count, 2, key=key)], 1)


def _match(note, distance, **attrs):
    return Sample("bipartite_match", {"DistMat": distance}, attrs, bipartite_match, note=note)


def _shares(rows, columns):
    """Values in (0, 1) without ties."""
    return apart(rows, columns, gap=0.9 / (rows * columns)) + 0.5


EDGE = np.array([[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 3.0]])
BEST = {"match_type": "per_prediction", "dist_threshold": 0.4}
MATCH = np.array([[0, -1, 1, 2, 0]], "int32")

SAMPLES = [
    Sample("iou_similarity", {"X": _boxes(3), "Y": _boxes(4, key=1)}, ref=iou_similarity),
    Sample(
        "iou_similarity",
        {"X": _boxes(3), "Y": _boxes(2, key=1)},
        {"box_normalized": False},
        iou_similarity,
        note="pixels",
    ),
    Sample("iou_similarity", {"X": EDGE, "Y": EDGE}, ref=iou_similarity, note="points"),
    _match("wide", _shares(4, 6)),
    _match("tall", _shares(6, 3)),
    _match("best", _shares(3, 6), **BEST),
    _match("nothing", np.zeros((2, 3)), **BEST),
    _match("ties", np.full((2, 3), 0.5)),
    Sample("target_assign", {"X": f64(3, 1, 4), "MatchIndices": MATCH}, ref=target_assign),
    Sample(
        "target_assign",
        {"X": f64(3, 5, 2), "MatchIndices": MATCH, "NegIndices": np.array([[1], [3]], "int32")},
        {"mismatch_value": 7},
        target_assign,
        note="negatives",
    ),
    Sample(
        "target_assign",
        {"X": np.arange(12, dtype="int32").reshape(3, 2, 2), "MatchIndices": MATCH},
        {"mismatch_value": -1},
        target_assign,
        note="ints",
    ),
    as_185("bipartite_match", {"DistMat": _shares(7, 5)}, BEST, "images", static_shape=False,
           levels={"DistMat": [[0, 3, 7]]}, single=True),
    as_185(
        "target_assign",
        {"X": f64(5, 1, 1), "MatchIndices": np.array([[0, -1, 1, -1], [2, -1, 1, 0]], "int32"),
         "NegIndices": np.array([[1], [1], [3]], "int32")},
        {"mismatch_value": 3}, "images", single=True,
        levels={"X": [[0, 2, 5]], "NegIndices": [[0, 1, 3]]},
    ),
]  # fmt: skip


def _bad(op, match, raises=ValueError, attrs=None, **inputs):
    return ErrorSample(op, inputs, attrs or {}, raises, match)


ERRORS = [
    _bad("iou_similarity", r"\[N, 4\] and \[M, 4\]", X=f64(2, 4), Y=f64(2, 3)),
    _bad("bipartite_match", "expected a matrix", DistMat=f64(2, 3, 4)),
    _bad("bipartite_match", "bipartite or per_prediction", attrs={"match_type": "x"},
         DistMat=f64(2, 3)),
    _bad("target_assign", r"\[rows, P, K\]", X=f64(3, 4), MatchIndices=MATCH),
    ErrorSample("target_assign", {"X": f64(3, 1, 4), "MatchIndices": MATCH.repeat(2, 0)}, {},
                ValueError, "rows of 2 image", ErrorSample.LEVELS),
    _bad("target_assign", "MatchIndices below 2", IndexError, X=f64(2, 1, 4), MatchIndices=MATCH),
]  # fmt: skip
