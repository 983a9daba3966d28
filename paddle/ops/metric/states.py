"""Metrics that 1.x's Programs carry on as states: precision and recall, and pairs in order."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op

# -- precision and recall -------------------------------------------------------------------------


def _precision_rule(inputs: list, attrs: dict) -> list[Spec]:
    count = int(attrs["class_number"])
    six = Spec((6,), VarType.FP64)
    return [six, six, Spec((count, 4), VarType.FP32)]


def _share(part: torch.Tensor, rest: torch.Tensor) -> torch.Tensor:
    """part / (part + rest), and 1 where there is nothing at all."""
    whole = part + rest
    return torch.where(whole > 0, part / torch.where(whole > 0, whole, 1.0), 1.0)


def _f1(precision: torch.Tensor, recall: torch.Tensor) -> torch.Tensor:
    both = precision + recall
    return torch.where(both > 0, 2 * precision * recall / torch.where(both > 0, both, 1.0), 0.0)


def _six(states: torch.Tensor) -> torch.Tensor:
    """Precision, recall and F1 as means over the classes, then those of all counts together."""
    found = []
    hits, wrong, _, missed = states.double().unbind(1)
    for part, over, under in ((hits, wrong, missed), (hits.sum(), wrong.sum(), missed.sum())):
        precision, recall = _share(part, over).mean(), _share(part, under).mean()
        found += [precision, recall, _f1(precision, recall)]
    return torch.stack(found)


@op(
    "precision_recall",
    "MaxProbs Indices Labels Weights? StatesInfo? -> BatchMetrics AccumMetrics AccumStatesInfo",
    infer=_precision_rule,
    differentiable=False,
)
def precision_recall(best, indices, labels, weights=None, states=None, *, class_number=REQUIRED):
    """Counts hits, false alarms, true rejections and misses of each class, columns of a state."""
    index, label = indices.reshape(-1).long(), labels.reshape(-1).long()
    if index.shape != label.shape or (weights is not None and weights.numel() != len(index)):
        raise InvalidArgumentError(
            "precision_recall: expected a label and a weight for each prediction, but received "
            f"shapes {list(indices.shape)}, {list(labels.shape)} and "
            f"{None if weights is None else list(weights.shape)}."
        )
    if states is not None and tuple(states.shape) != (class_number, 4):
        raise InvalidArgumentError(
            f"precision_recall: expected StatesInfo [{class_number}, 4], but received "
            f"{list(states.shape)}."
        )
    counts = best.new_zeros(class_number, 4, dtype=torch.float32)
    if not best.is_meta and len(index):
        both = torch.stack([index, label])
        if int(both.min()) < 0 or int(both.max()) >= class_number:
            raise OutOfRangeError(
                f"precision_recall: expected classes in [0, {class_number}), but received values "
                f"from {int(both.min())} to {int(both.max())}."
            )
        weight = torch.ones_like(index) if weights is None else weights.reshape(-1)
        weight, right = weight.to(counts.dtype), index == label
        none = torch.zeros_like(weight)
        hits = torch.where(right, weight, none)
        counts[:, 0].index_add_(0, index, hits)
        counts[:, 1].index_add_(0, index, weight - hits)
        counts[:, 3].index_add_(0, label, weight - hits)
        counts[:, 2] = weight.sum() - counts[:, 0] - counts[:, 1] - counts[:, 3]
    total = counts.clone() if states is None else counts + states.to(counts.dtype)
    return _six(counts), _six(total), total


# -- pairs in and out of order --------------------------------------------------------------------


def _pair_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec((1,), inputs[0].dtype)] * 3


@op(
    "positive_negative_pair",
    "Score Label QueryID AccumulatePositivePair? AccumulateNegativePair? AccumulateNeutralPair? "
    "Weight? -> PositivePair NegativePair NeutralPair",
    infer=_pair_rule,
    differentiable=False,
    dtypes="full",
)
def positive_negative_pair(
    score, label, query, positive=None, negative=None, neutral=None, weight=None, *, column=0
):
    """Weights of the pairs of one query that the scores put in the order of the labels, or not.

    As in PaddlePaddle, a pair of equal scores counts as neutral and as negative.
    """
    rows = score.shape[0]
    if score.dim() != 2 or not -score.shape[1] <= column < score.shape[1]:
        raise InvalidArgumentError(
            f"positive_negative_pair: expected Score [N, D] with a column {column}, but received "
            f"{list(score.shape)}."
        )
    others = [t for t in (label, query, weight) if t is not None]
    if any(t.numel() != rows for t in others):
        raise InvalidArgumentError(
            f"positive_negative_pair: expected a number for each of {rows} rows as Label, QueryID "
            f"and Weight, but received shapes {[list(t.shape) for t in others]}."
        )
    given = (positive, negative, neutral)
    if any(t is None for t in given) and any(t is not None for t in given):
        raise InvalidArgumentError(
            "positive_negative_pair: expected all three accumulated counts or none of them."
        )
    value, label = score[:, column], label.reshape(-1).to(score.dtype)
    weight = torch.ones_like(value) if weight is None else weight.reshape(-1).to(score.dtype)
    query = query.reshape(-1)
    gap = value.unsqueeze(1) - value
    order = label.unsqueeze(1) - label
    pairs = torch.ones_like(gap).triu(1) * (query.unsqueeze(1) == query) * (order != 0)
    pairs = pairs * (weight.unsqueeze(1) + weight) * 0.5
    right = (pairs * (gap * order > 0)).sum()
    found = [right, pairs.sum() - right, (pairs * (gap == 0)).sum()]
    if positive is not None:
        found = [f + g.reshape(()).to(f.dtype) for f, g in zip(found, given, strict=True)]
    return tuple(f.reshape(1) for f in found)
