"""Samples of metrics that count over batches."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints


def _histogram(score, label, positive, thresholds):
    counts = np.zeros(thresholds + 1, "int64")
    for s, k in zip(score, label.reshape(-1), strict=True):
        if (k > 0 and positive) or (k == 0 and not positive):
            counts[int(s * thresholds)] += 1
    return counts


def _written(predict, label, pos, neg, num_thresholds, slide_steps, curve="ROC"):
    """The buffers after a batch."""
    after = []
    for stat, positive in ((pos, True), (neg, False)):
        shape, stat = stat.shape, stat.reshape(-1).copy()
        counts = _histogram(predict[:, -1], label, positive, num_thresholds)
        bins = num_thresholds + 1
        if slide_steps:
            ring, total = (
                stat[: slide_steps * bins].reshape(slide_steps, bins),
                stat[-1 - bins : -1],
            )
            step = stat[-1] % slide_steps
            total += counts - ring[step]
            ring[step] = counts
            stat[-1] += 1
        else:
            stat += counts
        after.append(stat.reshape(shape))
    return {"StatPos": after[0], "StatNeg": after[1]}


def auc(predict, label, pos, neg, num_thresholds, slide_steps, curve="ROC"):
    """The share of pairs that are in order, ties in a bucket counting half."""
    after = _written(predict, label, pos, neg, num_thresholds, slide_steps)
    bins = num_thresholds + 1
    p, n = (
        after[s].reshape(-1)[-1 - bins : -1] if slide_steps else after[s].reshape(-1)
        for s in ("StatPos", "StatNeg")
    )
    if not p.sum() or not n.sum():
        return np.zeros(1)
    ordered = sum(
        p[i] * n[j] * (1.0 if i > j else 0.5 if i == j else 0.0)
        for i in range(bins)
        for j in range(bins)
    )
    return np.array([ordered / (p.sum() * n.sum())])


def _auc(note, slide_steps, pos, neg, labels=None, thresholds=10):
    score = f64(9, 2, low=0.0, high=1.0, key=note).astype("float32")
    label = ints(9, 1, low=-1, high=3, key=note) if labels is None else labels
    inputs = {"Predict": score, "Label": label, "StatPos": pos, "StatNeg": neg}
    attrs = {"num_thresholds": thresholds, "slide_steps": slide_steps}
    return Sample("auc", inputs, attrs, auc, _written, note=note)


def _none(*shape):
    return np.zeros(shape, "int64")


def _ring(steps, seen, bins=11):
    """Buffers as ``seen`` batches leave them."""
    ring = ints(steps, bins, high=4, key=(steps, seen))
    ring[seen:] = 0
    return np.concatenate([ring.reshape(-1), ring.sum(0), [seen]]).astype("int64")


def mean_iou(predictions, labels, wrongs, corrects, ious, num_classes):
    wrong, correct = np.zeros(num_classes, "int32"), np.zeros(num_classes, "int32")
    for p, k in zip(predictions.reshape(-1), labels.reshape(-1), strict=True):
        if p == k:
            correct[k] += 1
        else:
            wrong[p] += 1
            wrong[k] += 1
    wrong, correct = sum(wrongs or [], wrong), sum(corrects or [], correct)
    shares = [c / (c + w) for c, w in zip(correct, wrong, strict=True) if c + w]
    mean = np.array([np.mean(shares)], "float32")
    return sum(ious or [], mean), wrong, correct


PIXELS = {"Predictions": ints(2, 3, 4, high=4), "Labels": ints(2, 3, 4, high=4, key=1)}
EARLIER = {
    "InWrongs": [ints(6, dtype="int32"), ints(6, dtype="int32", key=1)],
    "InCorrects": [ints(6, dtype="int32", key=2)],
    "InMeanIou": [np.array([0.25], "float32")],
}

SAMPLES = [
    _auc("empty", 0, _none(1, 11), _none(1, 11)),
    _auc("counted", 0, ints(1, 11, high=5), ints(1, 11, high=5, key=1)),
    _auc("first_step", 2, _none(34), _none(34)),
    _auc("ring", 3, _ring(3, 2), _ring(3, 2)),
    _auc("ring_is_full", 1, _ring(1, 1), _ring(1, 1)),
    _auc("one_class", 0, _none(1, 11), _none(1, 11), labels=np.ones((9, 1), "int64")),
    Sample("mean_iou", PIXELS, {"num_classes": 6}, mean_iou, rtol=1e-6),
    Sample("mean_iou", {**PIXELS, **EARLIER}, {"num_classes": 6}, mean_iou, rtol=1e-6),
    Sample(
        "mean_iou",
        {"Predictions": np.array([1, 2], "int32"), "Labels": np.array([1, 1], "int32")},
        {"num_classes": 3},
        lambda p, k, *rest, num_classes: (
            np.array([0.25], "float32"),
            np.array([0, 1, 1], "int32"),
            np.array([0, 1, 0], "int32"),
        ),
        note="int32",
    ),
]


def _bad_auc(raises, match, predict=None, label=None, bins=11, steps=0):
    inputs = {
        "Predict": np.full((4, 2), 0.5) if predict is None else predict,
        "Label": _none(4, 1) if label is None else label,
        "StatPos": _none(bins),
        "StatNeg": _none(11),
    }
    return ErrorSample("auc", inputs, {"num_thresholds": 10, "slide_steps": steps}, raises, match)


ERRORS = [
    _bad_auc(RuntimeError, r"predictions in \[0, 1\]", predict=np.full((4, 2), 1.5)),
    _bad_auc(RuntimeError, r"predictions in \[0, 1\]", predict=np.full((4, 2), np.nan)),
    _bad_auc(ValueError, "StatPos of 11 elements", bins=12),
    _bad_auc(ValueError, "StatPos of 23 elements", steps=1),
    _bad_auc(ValueError, "one Label for each row", label=_none(3, 1)),
    ErrorSample("mean_iou", PIXELS, {"num_classes": 3}, IndexError, r"in \[0, 3\)"),
    ErrorSample(
        "mean_iou", {**PIXELS, "Labels": ints(3)}, {"num_classes": 6}, ValueError, "as many"
    ),
]  # fmt: skip
