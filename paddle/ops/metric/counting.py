"""Streaming AUC and mean intersection over union (mIoU)."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, OutOfRangeError, PreconditionNotMetError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op
from paddle.ops.linalg.matrices import as_matrix


def _auc_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec((1,), VarType.FP64), inputs[2], inputs[3]]


@op(
    "auc",
    "Predict Label StatPos StatNeg -> AUC StatPosOut=StatPos StatNegOut=StatNeg",
    infer=_auc_rule,
    differentiable=False,
)
def auc(predict, label, positive, negative, *, curve="ROC", num_thresholds=8191, slide_steps=1):
    """Adds a batch to two histograms of scores and measures the area under the ROC curve.

    The last column of Predict is the chance of the positive class. Without slide_steps the buffers
    hold ``num_thresholds + 1`` counts. With it they hold so many histograms of the last batches,
    then their sum, then the number of batches seen. PaddlePaddle takes no notice of ``curve``.
    """
    _check_auc(predict, label, positive, negative, num_thresholds, slide_steps)
    if predict.is_meta:
        return predict.new_empty(1, dtype=torch.float64), positive, negative
    _check_chances(predict)
    score = as_matrix(predict)[:, -1]
    bucket = torch.mul(score, num_thresholds).long()
    label = label.reshape(-1)
    counted = [
        _count(positive, bucket, label > 0, num_thresholds + 1, slide_steps),
        _count(negative, bucket, label == 0, num_thresholds + 1, slide_steps),
    ]
    return _area(*counted), positive, negative


def _check_auc(predict, label, positive, negative, num_thresholds, slide_steps) -> None:
    bins = num_thresholds + 1
    expected = (1 + slide_steps) * bins + 1 if slide_steps else bins
    for name, buffer in (("StatPos", positive), ("StatNeg", negative)):
        if buffer.numel() != expected:
            raise InvalidArgumentError(
                f"auc: expected {name} of {expected} elements for {num_thresholds} thresholds and "
                f"{slide_steps} slide_steps, but received shape {list(buffer.shape)}."
            )
    if label.numel() * predict.shape[-1] != predict.numel():
        raise InvalidArgumentError(
            "auc: expected one Label for each row of Predict, but received "
            f"{list(label.shape)} and {list(predict.shape)}."
        )


def _check_chances(predict: torch.Tensor) -> None:
    if predict.numel():
        low, high = torch.aminmax(predict[..., -1])
        if not (float(low) >= 0.0 and float(high) <= 1.0):
            raise PreconditionNotMetError(
                f"auc: expected predictions in [0, 1], but they span [{low:g}, {high:g}]."
            )


def _count(stat, bucket, chosen, bins: int, steps: int) -> torch.Tensor:
    """Adds the chosen scores to a buffer of counts and returns the histogram to be measured."""
    histogram = torch.zeros(bins, dtype=stat.dtype, device=stat.device)
    histogram.index_add_(0, bucket, chosen.to(stat.dtype))
    flat = stat.view(-1)
    if not steps:
        return flat.add_(histogram)
    oldest = int(flat[-1]) % steps
    place = flat[oldest * bins : (oldest + 1) * bins]
    total = flat[steps * bins : (steps + 1) * bins]
    total.sub_(place).add_(histogram)
    place.copy_(histogram)
    flat[-1].add_(1)
    return total


def _area(positive: torch.Tensor, negative: torch.Tensor) -> torch.Tensor:
    """Area under the curve through (negatives, positives) above each threshold, by trapezoids."""
    positive, negative = positive.to(torch.float64), negative.to(torch.float64)
    above = positive.sum() - torch.cumsum(positive, 0)
    area = torch.sum(negative * (above + positive / 2))
    scale = positive.sum() * negative.sum()
    usable = torch.logical_and(positive.sum() > 0, negative.sum() > 0)
    return torch.where(usable, area / scale, area).reshape(1)


def _iou_rule(inputs: list, attrs: dict) -> list[Spec]:
    counts = Spec((attrs["num_classes"],), VarType.INT32)
    return [Spec((1,), VarType.FP32), counts, counts]


@op(
    "mean_iou",
    "Predictions Labels InWrongs*? InCorrects*? InMeanIou*? -> OutMeanIou OutWrong OutCorrect",
    infer=_iou_rule,
    differentiable=False,
)
def mean_iou(
    predictions, labels, wrongs=None, corrects=None, ious=None, *, num_classes=REQUIRED
):  # fmt: skip
    """Mean over the classes that occur; what earlier batches counted is added."""
    predictions, labels = predictions.reshape(-1).long(), labels.reshape(-1).long()
    if predictions.shape != labels.shape:
        raise InvalidArgumentError(
            "mean_iou: expected as many Predictions as Labels, but received "
            f"{predictions.numel()} and {labels.numel()}."
        )
    if not predictions.is_meta:
        _check_classes(num_classes, Predictions=predictions, Labels=labels)
    hit = torch.eq(predictions, labels)
    miss = torch.logical_not(hit).to(torch.int32)
    zeros = torch.zeros(num_classes, dtype=torch.int32, device=labels.device)
    wrong = zeros.index_add(0, predictions, miss).index_add(0, labels, miss)
    correct = zeros.index_add(0, labels, hit.to(torch.int32))
    wrong = sum(wrongs or [], wrong)
    correct = sum(corrects or [], correct)
    union = wrong + correct
    seen = torch.sum(union > 0)
    share = correct.to(torch.float32) / torch.clamp(union, min=1)
    mean = (torch.sum(share) / torch.clamp(seen, min=1)).reshape(1)
    return sum(ious or [], mean), wrong, correct


def _check_classes(classes: int, **named: torch.Tensor) -> None:
    for name, value in named.items():
        if value.numel() and (int(value.min()) < 0 or int(value.max()) >= classes):
            raise OutOfRangeError(
                f"mean_iou: expected {name} in [0, {classes}), but they span "
                f"[{int(value.min())}, {int(value.max())}]."
            )
