"""Precision-recall and ROC curves: what a threshold of the prediction makes of two classes."""

from __future__ import annotations

from typing import Any

from visualdl.component import checks
from visualdl.record import Record

_LEAST = 1e-7
"""What is divided by at least: a class may be missing."""


def to_pr_record(
    tag: str,
    labels: Any,
    predictions: Any,
    step: Any = None,
    num_thresholds: Any = 10,
    weights: Any = None,
    walltime: Any = None,
) -> Any:
    """Gives a precision-recall curve as a Record; see `LogWriter.add_pr_curve`."""
    import numpy as np

    tp, fp, tn, fn = counts(labels, predictions, num_thresholds, weights)
    curve = Record.PRCurve(
        precision=(tp / np.maximum(_LEAST, tp + fp)).tolist(),
        recall=(tp / np.maximum(_LEAST, tp + fn)).tolist(),
        **_whole(tp, fp, tn, fn),
    )
    return checks.record(tag, step, walltime, pr_curve=curve)


def to_roc_record(
    tag: str,
    labels: Any,
    predictions: Any,
    step: Any = None,
    num_thresholds: Any = 10,
    weights: Any = None,
    walltime: Any = None,
) -> Any:
    """Gives a ROC curve as a Record; see `LogWriter.add_roc_curve`."""
    import numpy as np

    tp, fp, tn, fn = counts(labels, predictions, num_thresholds, weights)
    curve = Record.ROC_Curve(
        tpr=(tp / np.maximum(_LEAST, tp + fn)).tolist(),
        fpr=(fp / np.maximum(_LEAST, fp + tn)).tolist(),
        **_whole(tp, fp, tn, fn),
    )
    return checks.record(tag, step, walltime, roc_curve=curve)


def counts(labels: Any, predictions: Any, num_thresholds: Any, weights: Any) -> tuple:
    """Counts, for each threshold, what lies on which side.

    With n thresholds, number i takes for true whatever has floor(prediction * (n - 1)) >= i.

    Returns:
        tuple: true positives, false positives, true negatives, false negatives; floats, as
            weights may be.

    Raises:
        ValueError: labels are not 0 or 1, predictions not within 0 and 1, lengths differ.
    """
    import numpy as np

    number = checks.whole(num_thresholds, "num_thresholds", 1, 1 << 20)
    truth = checks.array(labels, "labels").reshape(-1)
    found = checks.array(predictions, "predictions").reshape(-1)
    if not truth.size:
        raise ValueError("labels: expected some, but got none.")
    if len(found) != len(truth):
        raise ValueError(
            f"predictions: expected one for each of {len(truth)} labels, but got {len(found)}."
        )
    if not ((truth == 0) | (truth == 1)).all():
        raise ValueError("labels: expected 0 or 1 everywhere, but got something else.")
    if not ((found >= 0) & (found <= 1)).all():  # false for NaN
        raise ValueError("predictions: expected numbers of 0 to 1, but got something else.")
    if found.dtype not in (np.float32, np.float64):  # 16 bits do not tell many thresholds apart
        found = found.astype(np.float64)
    heavy = 1.0
    if weights is not None:
        heavy = checks.array(weights, "weights").astype(np.float64).reshape(-1)
        if len(heavy) not in (1, len(truth)) or not (np.isfinite(heavy) & (heavy >= 0)).all():
            raise ValueError(
                f"weights: expected one number above 0, or {len(truth)}, but got {weights!r}."
            )
    bucket = np.floor(found * (number - 1)).astype(np.int64)
    right = truth.astype(np.float64)
    hits = np.bincount(bucket, right * heavy, number)[::-1].cumsum()[::-1]
    misses = np.bincount(bucket, (1.0 - right) * heavy, number)[::-1].cumsum()[::-1]
    return hits, misses, misses[0] - misses, hits[0] - hits


def _whole(tp: Any, fp: Any, tn: Any, fn: Any) -> dict[str, list[int]]:
    """Gives counts as whole numbers, which is what records hold."""
    pairs = zip(("TP", "FP", "TN", "FN"), (tp, fp, tn, fn))
    return {name: values.astype("int64").tolist() for name, values in pairs}


def from_record(value: Any) -> dict[str, list]:
    """Gives the lists of a curve by their names; a record of either kind."""
    curve = value.pr_curve if value.HasField("pr_curve") else value.roc_curve
    return {field.name: list(getattr(curve, field.name)) for field in curve.DESCRIPTOR.fields}


def to_json(value: Any) -> list[Any]:
    """Gives `[milliseconds, step, precision, recall, TP, FP, TN, FN, thresholds]`.

    Of a ROC curve `tpr` and `fpr` stand in the places of precision and recall.
    """
    lists = from_record(value)
    first, second = [lists[name] for name in lists if not name.isupper()]
    count = len(first)
    return [
        *to_json_step(value),
        [checks.number_shown(share) for share in first],
        [checks.number_shown(share) for share in second],
        *(lists[name] for name in ("TP", "FP", "TN", "FN")),
        [number / count for number in range(1, count + 1)],
    ]


def to_json_step(value: Any) -> list[int]:
    """Gives `[milliseconds, step]`."""
    return [checks.shown_time(value.timestamp), value.id]
