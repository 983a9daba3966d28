"""The negatives that a single-shot detector (SSD) is trained with: those it gets most wrong."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.detection.images import joined

_KINDS = ("max_negative", "hard_example")


def _rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec((-1, 1), VarType.INT32), Spec(inputs[2].shape, VarType.INT32)]


@op(
    "mine_hard_examples",
    "ClsLoss LocLoss? MatchIndices MatchDist -> NegIndices UpdatedMatchIndices",
    lod="own",
    infer=_rule,
    differentiable=False,
    dtypes="full",
)
def mine_hard_examples(
    class_loss, box_loss, match, distance, *, neg_pos_ratio=1.0, neg_dist_threshold=0.5,
    sample_size=0, mining_type="max_negative"
):  # fmt: skip
    """Columns of each image that are negatives to learn from, the greatest losses first.

    "max_negative" takes so many for each match among the columns without one; "hard_example" takes
    ``sample_size`` of all columns, and the matches that are not among them are dropped.
    """
    _check(class_loss, box_loss, match, distance, neg_pos_ratio, sample_size, mining_type)
    hard = mining_type == "hard_example"
    loss = class_loss.reshape(match.shape)
    if hard and box_loss is not None:
        loss = loss + box_loss.reshape(match.shape)
    can = torch.ones_like(match, dtype=torch.bool)
    if not hard:
        can = (match == -1) & (distance < neg_dist_threshold)
    updated, found = match.to(torch.int32).clone(), []
    for i in range(len(match)):
        places = torch.nonzero(can[i]).reshape(-1)
        count = int(int((match[i] != -1).sum()) * neg_pos_ratio) if not hard else sample_size
        order = torch.argsort(loss[i][places], descending=True, stable=True)
        chosen = torch.sort(places[order[:count]]).values
        if hard:
            stays = torch.zeros(match.shape[1], dtype=torch.bool, device=match.device)
            stays[chosen] = True
            updated[i] = updated[i].masked_fill((match[i] > -1) & ~stays, -1)
            chosen = chosen[match[i][chosen] == -1]
        found.append(chosen.to(torch.int32).unsqueeze(1))
    return joined(found, updated, 1), updated


def _check(class_loss, box_loss, match, distance, ratio: float, size: int, kind: str) -> None:
    if kind not in _KINDS:
        raise InvalidArgumentError(
            f"mine_hard_examples(mining_type): expected {' or '.join(_KINDS)}, but received {kind}."
        )
    if (kind == "max_negative" and ratio <= 0) or (kind == "hard_example" and size <= 0):
        what = f"neg_pos_ratio {ratio}" if kind == "max_negative" else f"sample_size {size}"
        raise InvalidArgumentError(
            f"mine_hard_examples: expected more than 0, but received {what}."
        )
    given = [class_loss, match, distance, *([] if box_loss is None else [box_loss])]
    if match.dim() != 2 or len({t.numel() for t in given}) != 1:
        raise InvalidArgumentError(
            "mine_hard_examples: expected ClsLoss, LocLoss, MatchIndices and MatchDist of one "
            f"shape [images, columns], but received {[list(t.shape) for t in given]}."
        )
