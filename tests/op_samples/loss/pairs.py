"""Samples of losses and similarities that compare two tensors row by row, and of rankings."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, f64, ints, pos


def _rows(x):
    return x.reshape(x.shape[0], -1)


def cos_sim(x, y):
    x, y = _rows(x), _rows(y)
    a, b = (np.linalg.norm(v, axis=1, keepdims=True) for v in (x, y))
    return (x * y).sum(1, keepdims=True) / (a * b), a, b


def squared_l2_distance(x, y):
    difference = _rows(x) - _rows(y)
    return difference, (difference**2).sum(1, keepdims=True)


def smooth_l1_loss(x, y, inside, outside, sigma=1.0):
    d = (x - y) * (1.0 if inside is None else inside)
    near = np.abs(d) * sigma**2 < 1
    loss = np.where(near, (sigma * d) ** 2 / 2, np.abs(d) - 0.5 / sigma**2)
    loss = loss * (1.0 if outside is None else outside)
    return d, _rows(loss).sum(1, keepdims=True)


def rank_loss(label, left, right):
    chance = 1 / (1 + np.exp(right - left))
    return -label * np.log(chance) - (1 - label) * np.log(1 - chance)


def hinge_loss(logits, labels):
    return np.maximum(0.0, 1 - np.where(labels > 0, 1.0, -1.0) * logits)


def bpr_loss(x, label):
    rows, classes = x.reshape(-1, x.shape[-1]), x.shape[-1]
    out = []
    for row, k in zip(rows, label.reshape(-1), strict=True):
        terms = [np.log(1 / (1 + np.exp(row[j] - row[k]))) for j in range(classes) if j != k]
        out.append(-sum(terms) / (classes - 1))
    return np.array(out, dtype=x.dtype).reshape(*x.shape[:-1], 1)


def sigmoid_focal_loss(x, label, fg_num, gamma=2.0, alpha=0.25):
    out = np.zeros_like(x)
    for i, j in np.ndindex(*x.shape):
        p, k = 1 / (1 + np.exp(-x[i, j])), int(label.reshape(-1)[i])
        if k == j + 1:
            out[i, j] = -alpha * (1 - p) ** gamma * np.log(p)
        elif k != -1:
            out[i, j] = -(1 - alpha) * p**gamma * np.log(1 - p)
    return out / max(int(fg_num[0]), 1)


def fsp(x, y):
    return np.einsum("nchw,ndhw->ncd", x, y) / (x.shape[2] * x.shape[3])


BINARY = np.array([[1.0], [0.0], [1.0]])
FOCAL = {"X": f64(4, 2), "Label": np.array([[1], [0], [-1], [2]], "int32")}

SAMPLES = [
    Sample("cos_sim", {"X": f64(3, 4), "Y": f64(3, 4, key=1)}, ref=cos_sim, orders=3),
    Sample("cos_sim", {"X": f64(3, 2, 2), "Y": f64(1, 2, 2)}, ref=cos_sim, note="one_row"),
    Sample(
        "cos_sim",
        {"X": np.zeros((1, 2)), "Y": pos(1, 2)},
        ref=lambda x, y: (np.zeros((1, 1)), np.full((1, 1), 1e-4), np.linalg.norm(y, axis=1)[None]),
        grad=[],
        note="zeros",
    ),
    Sample(
        "squared_l2_distance",
        {"X": f64(3, 4), "Y": f64(3, 4, key=1)},
        ref=squared_l2_distance,
        orders=3,
    ),
    Sample(
        "squared_l2_distance",
        {"X": f64(3, 2, 2), "Y": f64(1, 2, 2, key=1)},
        ref=squared_l2_distance,
        note="one_row",
    ),
    Sample("smooth_l1_loss", {"X": apart(3, 4), "Y": np.zeros((3, 4))}, ref=smooth_l1_loss),
    Sample(
        "smooth_l1_loss",
        {
            "X": apart(3, 2, 2),
            "Y": np.zeros((3, 2, 2)),
            "InsideWeight": pos(3, 2, 2),
            "OutsideWeight": f64(3, 2, 2, key=2),
        },
        {"sigma": 1.7},
        smooth_l1_loss,
        grad=["X", "Y"],
        note="weights",
    ),
    Sample(
        "rank_loss",
        {"Label": BINARY, "Left": f64(3, 1), "Right": f64(3, 1, key=1)},
        ref=rank_loss,
        grad=["Left", "Right"],
        orders=3,
    ),
    Sample(
        "rank_loss",
        {"Label": BINARY, "Left": f64(3, 1) + 1000, "Right": f64(3, 1, key=1)},
        ref=lambda label, left, right: (1 - label) * (left - right),
        grad=["Left", "Right"],
        note="far_apart",
    ),
    Sample(
        "hinge_loss", {"Logits": f64(3, 1, key=4), "Labels": BINARY}, ref=hinge_loss,
        grad=["Logits"],
    ),
    Sample("bpr_loss", {"X": f64(3, 4), "Label": ints(3, 1, high=4)}, ref=bpr_loss, orders=3),
    Sample("bpr_loss", {"X": f64(2, 3, 4), "Label": ints(2, 3, 1, high=4)}, ref=bpr_loss),
    Sample("sigmoid_focal_loss", {**FOCAL, "FgNum": np.array([2], "int32")},
           ref=sigmoid_focal_loss, orders=3),
    Sample(
        "sigmoid_focal_loss",
        {**FOCAL, "FgNum": np.array([0], "int32")},
        {"gamma": 1.5, "alpha": 0.4},
        sigmoid_focal_loss,
        note="no_foreground",
    ),
    Sample("fsp", {"X": f64(2, 3, 2, 4), "Y": f64(2, 2, 2, 4)}, ref=fsp, orders=3),
]  # fmt: skip


def _bad(op, match, raises=ValueError, attrs=None, **inputs):
    return ErrorSample(op, inputs, attrs or {}, raises, match)


ERRORS = [
    _bad("cos_sim", "rank >= 2 and one shape", X=f64(2, 3), Y=f64(2, 4)),
    _bad("squared_l2_distance", r"received \[4, 3\] and \[2, 3\]", X=f64(4, 3), Y=f64(2, 3)),
    _bad("smooth_l1_loss", "of one shape and rank >= 2", X=f64(3), Y=f64(3)),
    _bad("rank_loss", "of one shape", Label=f64(2, 1), Left=f64(2, 1), Right=f64(3, 1)),
    _bad("hinge_loss", "of one shape", Logits=f64(2, 1), Labels=f64(3, 1)),
    _bad("bpr_loss", r"in \[0, 3\)", IndexError, X=f64(1, 3), Label=np.array([[3]])),
    _bad("sigmoid_focal_loss", r"shape \[N, classes\]", **{**FOCAL, "X": f64(3, 2)},
         FgNum=np.array([1], "int32")),
    _bad("fsp", "differ in C only", X=f64(2, 3, 2, 4), Y=f64(2, 2, 4, 2)),
]  # fmt: skip
