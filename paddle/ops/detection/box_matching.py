"""Bipartite matching of boxes, IoU similarity, and the targets that follow from a matching."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, OutOfRangeError, UnimplementedError
from paddle.core.infer import Spec
from paddle.core.op import op
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
    columns = inputs[0].shape[1]
    return [Spec((1, columns), VarType.INT32), Spec((1, columns), inputs[0].dtype)]


@op(
    "bipartite_match",
    "DistMat -> ColToRowMatchIndices ColToRowMatchDist",
    infer=_match_rule,
    differentiable=False,
    dtypes="floats",
)
def bipartite_match(distance, *, match_type="bipartite", dist_threshold=0.5):
    """Pairs rows and columns greedily by the greatest value left; one image, a matrix.

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
    if match_type == "per_prediction" and rows:
        value, row = torch.max(distance, 0)
        better = (row_of == -1) & (value >= dist_threshold) & (value >= _EPSILON)
        row_of, value_of = torch.where(better, row, row_of), torch.where(better, value, value_of)
    return row_of.to(torch.int32).unsqueeze(0), value_of.unsqueeze(0)


def _assign_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, match = inputs[:2]
    return [Spec((*match.shape, x.shape[2]), x.dtype), Spec((*match.shape, 1), VarType.FP32)]


@op(
    "target_assign",
    "X MatchIndices NegIndices? -> Out OutWeight",
    infer=_assign_rule,
    differentiable=False,
)
def target_assign(x, match, negative, *, mismatch_value=0):
    """Row ``match[0, j]`` of X as the target of column j; mismatch_value where there is none.

    X is [rows, P, K]; column j takes entry j % P of its row. Negatives get mismatch_value and
    weight 1, other columns without a match weight 0.
    """
    if x.dim() != 3 or match.dim() != 2:
        raise InvalidArgumentError(
            "target_assign: expected X of shape [rows, P, K] and MatchIndices of shape [1, M], but "
            f"received {list(x.shape)} and {list(match.shape)}."
        )
    if match.shape[0] != 1:
        raise UnimplementedError(
            f"target_assign: expected one image, MatchIndices of shape [1, M], but received "
            f"{list(match.shape)}; call it for each image."
        )
    row = match[0].long()
    if not row.is_meta and row.numel() and int(row.max()) >= x.shape[0]:
        raise OutOfRangeError(
            f"target_assign: expected MatchIndices below {x.shape[0]}, the rows of X, but "
            f"received {int(row.max())}."
        )
    matched = row >= 0
    weight = matched.clone()
    if negative is not None:
        place = negative.reshape(-1).long()
        none = torch.zeros_like(place, dtype=torch.bool)
        matched = matched.index_copy(0, place, none)
        weight = weight.index_copy(0, place, torch.logical_not(none))
    column = torch.arange(row.shape[0], device=x.device) % x.shape[1]
    out = x[row.clamp(min=0), column]
    out = torch.where(matched.unsqueeze(1), out, torch.full_like(out, mismatch_value))
    return out.unsqueeze(0), weight.to(torch.float32).reshape(1, -1, 1)
