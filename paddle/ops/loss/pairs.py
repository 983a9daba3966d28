"""Losses and similarities of pairs: cosine, squared distance, ranking, focal and smooth L1."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.math.half import HALF


def _rows(name: str, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Both operands as matrices, a sample a row; the second may be one row for all."""
    if x.dim() < 2 or x.shape[1:] != y.shape[1:] or y.shape[0] not in (1, x.shape[0]):
        raise InvalidArgumentError(
            f"{name}: expected X and Y of rank >= 2 and one shape (Y may have 1 row), but "
            f"received {list(x.shape)} and {list(y.shape)}."
        )
    return x.flatten(1), y.flatten(1)


def _width(spec: Spec) -> int:
    """Elements of one row; -1 where one of its dimensions is unknown."""
    width = 1
    for n in spec.shape[1:]:
        if n == -1:
            return -1
        width *= n
    return width


def _cos_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y = inputs
    column = Spec((x.shape[0], 1), x.dtype)
    return [column, column, Spec((y.shape[0], 1), x.dtype)]


@op("cos_sim", "X Y -> Out XNorm~ YNorm~", lod="X", infer=_cos_rule, amp="black")
def cos_sim(x, y):
    x, y = _rows("cos_sim", x, y)
    if x.dtype in HALF:  # the bound below is no number of float16
        return tuple(t.to(x.dtype) for t in _cos_sim(x.float(), y.float()))
    return _cos_sim(x, y)


def _cos_sim(x: torch.Tensor, y: torch.Tensor) -> tuple:
    # The bound keeps a row of zeros from dividing by zero: its similarity is 0.
    x_norm = torch.sqrt(torch.sum(x * x, 1, keepdim=True).clamp(min=1e-8))
    y_norm = torch.sqrt(torch.sum(y * y, 1, keepdim=True).clamp(min=1e-8))
    out = torch.sum(x * y, 1, keepdim=True) / (x_norm * y_norm)
    return out, x_norm.detach(), y_norm.detach()


def _squared_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    return [Spec((x.shape[0], _width(x)), x.dtype), Spec((x.shape[0], 1), x.dtype)]


@op("squared_l2_distance", "X Y -> sub_result~ Out", lod="X", infer=_squared_rule)
def squared_l2_distance(x, y):
    x, y = _rows("squared_l2_distance", x, y)
    difference = torch.sub(x, y)
    return difference.detach(), torch.sum(difference * difference, 1, keepdim=True)


def _smooth_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    return [x, Spec((x.shape[0], 1), x.dtype)]


@op(
    "smooth_l1_loss",
    "X Y InsideWeight?~ OutsideWeight?~ -> Diff~ Out",
    infer=_smooth_rule,
)
def smooth_l1_loss(x, y, inside, outside, *, sigma=1.0):
    """Huber's loss of slope 1 with its corner at 1 / sigma**2, summed over each row."""
    if x.dim() < 2 or x.shape != y.shape:
        raise InvalidArgumentError(
            f"smooth_l1_loss: expected X and Y of one shape and rank >= 2, but received "
            f"{list(x.shape)} and {list(y.shape)}."
        )
    difference = torch.sub(x, y)
    if inside is not None:
        difference = difference * inside
    size, square = torch.abs(difference), sigma * sigma
    loss = torch.where(
        size < 1.0 / square, 0.5 * square * difference * difference, size - 0.5 / square
    )
    if outside is not None:
        loss = loss * outside
    return difference.detach(), torch.sum(loss.flatten(1), 1, keepdim=True)


@op("rank_loss", "Label~ Left Right -> Out", infer=lambda inputs, attrs: [inputs[1]])
def rank_loss(label, left, right):
    """RankNet: the cross entropy of ``label`` and sigmoid(left - right)."""
    if not label.shape == left.shape == right.shape:
        raise InvalidArgumentError(
            "rank_loss: expected Label, Left and Right of one shape, but received "
            f"{list(label.shape)}, {list(left.shape)} and {list(right.shape)}."
        )
    ahead = torch.sub(left, right)
    return F.softplus(ahead) - label * ahead


@op("hinge_loss", "Logits Labels~ -> Loss", infer="floating")
def hinge_loss(logits, labels):
    if logits.shape != labels.shape:
        raise InvalidArgumentError(
            "hinge_loss: expected Logits and Labels of one shape, but received "
            f"{list(logits.shape)} and {list(labels.shape)}."
        )
    return torch.relu(1.0 - (2.0 * labels - 1.0) * logits)


def _bpr_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    return [Spec((*x.shape[:-1], 1), x.dtype)]


@op("bpr_loss", "X Label~ -> Y", lod="X", infer=_bpr_rule)
def bpr_loss(x, label):
    """Minus the mean of log sigmoid(score of the label - score of each other class)."""
    classes = x.shape[-1]
    target = label.reshape(*x.shape[:-1], 1).long()
    if not target.is_meta and bool(((target < 0) | (target >= classes)).any()):
        raise OutOfRangeError(
            f"bpr_loss: expected labels in [0, {classes}), but they span "
            f"[{int(target.min())}, {int(target.max())}]."
        )
    loss = F.softplus(x - torch.gather(x, -1, target))
    others = torch.arange(classes, device=x.device) != target
    return torch.sum(loss * others, -1, keepdim=True) / (classes - 1)


@op("sigmoid_focal_loss", "X Label~ FgNum~ -> Out", infer="same")
def sigmoid_focal_loss(x, label, fg_num, *, gamma=2.0, alpha=0.25):
    """Label 0 is the background, k + 1 the class of column k, -1 a sample to leave out."""
    if x.dim() != 2 or label.numel() != x.shape[0]:
        raise InvalidArgumentError(
            "sigmoid_focal_loss: expected X of shape [N, classes] and Label of shape [N, 1], but "
            f"received {list(x.shape)} and {list(label.shape)}."
        )
    label = label.reshape(-1, 1)
    hit = label == torch.arange(1, x.shape[1] + 1, device=x.device)
    miss = torch.logical_and(torch.logical_not(hit), label != -1)
    chance = torch.sigmoid(x)
    count = torch.clamp(fg_num.reshape(()).to(x.dtype), min=1.0)
    positive = alpha * torch.pow(1.0 - chance, gamma) * F.softplus(-x)
    negative = (1.0 - alpha) * torch.pow(chance, gamma) * F.softplus(x)
    return (positive * hit + negative * miss) / count


def _fsp_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y = inputs
    return [Spec((x.shape[0], x.shape[1], y.shape[1]), x.dtype)]


@op("fsp", "X Y -> Out", lod="X", infer=_fsp_rule)
def fsp(x, y):
    """Products of every channel of X with every channel of Y, averaged over the positions."""
    if x.dim() != 4 or y.dim() != 4 or x.shape[0] != y.shape[0] or x.shape[2:] != y.shape[2:]:
        raise InvalidArgumentError(
            "fsp: expected X and Y of shapes [N, C, H, W] that differ in C only, but received "
            f"{list(x.shape)} and {list(y.shape)}."
        )
    return torch.matmul(x.flatten(2), y.flatten(2).transpose(1, 2)) / (x.shape[2] * x.shape[3])
