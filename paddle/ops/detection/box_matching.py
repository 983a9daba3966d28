"""Bipartite matching of boxes, IoU similarity, and the targets that follow from a matching."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import Spec
from paddle.core.levels import levels_on
from paddle.core.op import op
from paddle.ops.detection.images import spans
from paddle.ops.math.half import HALF

_EPSILON = 1e-6  # boxes that overlap less are never matched


@op(
    "iou_similarity",
    "X Y -> Out",
    lod="X",
    infer=lambda i, a: [Spec((i[0].shape[0], i[1].shape[0]), i[0].dtype)],
    differentiable=False,
    dtypes="floats",
)
def iou_similarity(x, y, *, box_normalized=True):
    """Intersection over union of every box of X with every box of Y; 0 without any union."""
    if x.dim() != 2 or y.dim() != 2 or x.shape[1] != 4 or y.shape[1] != 4:
        raise InvalidArgumentError(
            "iou_similarity: expected boxes of shapes [N, 4] and [M, 4], but received "
            f"{list(x.shape)} and {list(y.shape)}."
        )
    if x.dtype in HALF:  # the bound below is no number of float16
        return iou_similarity(x.float(), y.float(), box_normalized=box_normalized).to(x.dtype)
    extra = 0.0 if box_normalized else 1.0
    x, y = x.unsqueeze(1), y.unsqueeze(0)
    low = torch.maximum(x[..., :2], y[..., :2])
    high = torch.minimum(x[..., 2:], y[..., 2:])
    shared = torch.prod((high - low + extra).clamp(min=0.0), -1)
    area_x = torch.prod(x[..., 2:] - x[..., :2] + extra, -1)
    area_y = torch.prod(y[..., 2:] - y[..., :2] + extra, -1)
    return shared / (area_x + area_y - shared + 1e-10)


def _match_rule(inputs: list, attrs: dict) -> list[Spec]:
    rows, columns = inputs[0].shape
    shape = (1 if rows >= 0 else -1, columns)
    return [Spec(shape, VarType.INT32), Spec(shape, inputs[0].dtype)]


@op(
    "bipartite_match",
    "DistMat -> ColToRowMatchIndices ColToRowMatchDist",
    infer=_match_rule,
    differentiable=False,
    dtypes="floats",
    lod="",
)
def bipartite_match(distance, *, match_type="bipartite", dist_threshold=0.5):
    """Pairs rows and columns greedily by the greatest value left; the rows of each image alone.

    "per_prediction" then gives every column left over its best row above the threshold.
    """
    if distance.dim() != 2:
        raise InvalidArgumentError(
            f"bipartite_match: expected a matrix, but received {list(distance.shape)}."
        )
    if match_type not in ("bipartite", "per_prediction"):
        raise InvalidArgumentError(
            "bipartite_match(match_type): expected bipartite or per_prediction, but received "
            f"{match_type}."
        )
    best = match_type == "per_prediction"
    threshold = dist_threshold if best else None
    if levels_on(distance) is None or distance.is_meta:
        found = [_matched(distance, threshold)]
    else:
        rows = spans("bipartite_match", "DistMat", distance)
        found = [_matched(distance[at], threshold) for at in rows]
    if not found:
        none = distance.new_zeros(0, distance.shape[1])
        return none.to(torch.int32), none
    index, value = zip(*found, strict=True)
    return torch.stack(index).to(torch.int32), torch.stack(value)


def _matched(distance: torch.Tensor, threshold: float | None) -> tuple:
    """The row of each column of one image and the value there; -1 and 0 where there is none."""
    rows, columns = distance.shape
    left = torch.where(distance >= _EPSILON, distance, torch.full_like(distance, -1.0)).t()
    row_of = torch.full((columns,), -1, dtype=torch.int64, device=distance.device)
    value_of = torch.zeros(columns, dtype=distance.dtype, device=distance.device)
    row_number = torch.arange(rows, device=distance.device)
    column_number = torch.arange(columns, device=distance.device)
    for _ in range(min(rows, columns)):  # rounds that find nothing change nothing
        value, place = torch.max(left.reshape(-1), 0)
        column, row = place // rows, place % rows
        chosen = torch.logical_and(column_number == column, value > 0)
        row_of = torch.where(chosen, row, row_of)
        value_of = torch.where(chosen, value, value_of)
        used = (column_number == column).unsqueeze(1) | (row_number == row)
        left = left.masked_fill(used, -1.0)
    if threshold is not None and rows:
        value, row = torch.max(distance, 0)
        better = (row_of == -1) & (value >= threshold) & (value >= _EPSILON)
        row_of, value_of = torch.where(better, row, row_of), torch.where(better, value, value_of)
    return row_of, value_of


def _assign_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, match = inputs[:2]
    return [Spec((*match.shape, x.shape[2]), x.dtype), Spec((*match.shape, 1), VarType.FP32)]


@op(
    "target_assign",
    "X MatchIndices NegIndices? -> Out OutWeight",
    infer=_assign_rule,
    differentiable=False,
    lod="",
)
def target_assign(x, match, negative, *, mismatch_value=0):
    """Row ``match[i, j]`` of image i in X as the target of its column j, else mismatch_value.

    X is [rows, P, K]; column j takes entry j % P of its row. Negatives get mismatch_value and
    weight 1, other columns without a match weight 0.
    """
    name, images = "target_assign", match.shape[0]
    if x.dim() != 3 or match.dim() != 2:
        raise InvalidArgumentError(
            "target_assign: expected X of shape [rows, P, K] and MatchIndices of shape [images, "
            f"M], but received {list(x.shape)} and {list(match.shape)}."
        )
    if x.is_meta:
        shape = match.shape
        return x.new_empty([*shape, x.shape[2]]), x.new_empty([*shape, 1], dtype=torch.float32)
    parts = [x[at] for at in spans(name, "X", x, images)]
    wrong: list[torch.Tensor | None] = [None] * images
    if negative is not None:
        flat = negative.reshape(-1).long()
        wrong = [flat[at] for at in spans(name, "NegIndices", negative, images)]
    found = [
        _assigned(part, row.long(), none, mismatch_value)
        for part, row, none in zip(parts, match, wrong, strict=True)
    ]
    if not found:
        return x.new_zeros(0, match.shape[1], x.shape[2]), torch.zeros(0, match.shape[1], 1)
    out, weight = zip(*found, strict=True)
    return torch.stack(out), torch.stack(weight).to(torch.float32).unsqueeze(2)


def _assigned(x, row, negative, mismatch_value) -> tuple:
    if row.numel() and int(row.max()) >= x.shape[0]:
        raise OutOfRangeError(
            f"target_assign: expected MatchIndices below {x.shape[0]}, the rows of X, but "
            f"received {int(row.max())}."
        )
    matched = row >= 0
    weight = matched.clone()
    if negative is not None:
        none = torch.zeros_like(negative, dtype=torch.bool)
        matched = matched.index_copy(0, negative, none)
        weight = weight.index_copy(0, negative, torch.logical_not(none))
    column = torch.arange(row.shape[0], device=x.device) % x.shape[1]
    if not x.shape[0]:
        return x.new_full((len(row), x.shape[2]), mismatch_value), weight
    out = x[row.clamp(min=0), column]
    return torch.where(matched.unsqueeze(1), out, torch.full_like(out, mismatch_value)), weight
