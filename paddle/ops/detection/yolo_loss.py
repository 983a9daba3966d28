"""The loss of YOLOv3: location, size, objectness and class of predicted against true boxes."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op

_LEAST_EDGE = 1e-6  # a true box with a smaller edge is padding


def _rule(inputs: list, attrs: dict) -> list[Spec]:
    x, boxes = inputs[:2]
    n, _, h, w = x.shape
    mask = Spec((n, len(attrs["anchor_mask"]), h, w), x.dtype)
    return [Spec((n,), x.dtype), mask, Spec(tuple(boxes.shape[:2]), VarType.INT32)]


def _check(x, boxes, labels, scores, anchors, mask, class_num: int) -> None:
    count = len(anchors) // 2
    if not mask or not all(0 <= m < count for m in mask) or len(anchors) % 2:
        raise InvalidArgumentError(
            f"yolov3_loss: expected anchor_mask to name some of the anchors, 0 to {count - 1}, but "
            f"received {list(mask)} and {len(anchors)} edges of anchors."
        )
    channels = len(mask) * (5 + class_num)
    if x.dim() != 4 or x.shape[1] != channels or x.shape[2] != x.shape[3]:
        raise InvalidArgumentError(
            f"yolov3_loss: expected X [N, {channels}, H, H] for {len(mask)} anchors in anchor_mask "
            f"and {class_num} classes, but received {list(x.shape)}."
        )
    if boxes.dim() != 3 or boxes.shape[0] != x.shape[0] or boxes.shape[2] != 4:
        raise InvalidArgumentError(
            f"yolov3_loss: expected GTBox [{x.shape[0]}, boxes, 4], but received "
            f"{list(boxes.shape)}."
        )
    for slot, value in (("GTLabel", labels), ("GTScore", scores)):
        if value is not None and value.shape != boxes.shape[:2]:
            raise InvalidArgumentError(
                f"yolov3_loss: expected {slot} {list(boxes.shape[:2])}, one for each box, but "
                f"received {list(value.shape)}."
            )


def _overlap(a, b) -> torch.Tensor:
    """Intersection over union of boxes (centre x, centre y, width, height), broadcast."""
    common: Any = 1.0
    for axis in (0, 1):
        size_a, size_b = a[..., 2 + axis], b[..., 2 + axis]
        low = torch.maximum(a[..., axis] - size_a / 2, b[..., axis] - size_b / 2)
        high = torch.minimum(a[..., axis] + size_a / 2, b[..., axis] + size_b / 2)
        common = common * torch.clamp(high - low, min=0)
    return common / (a[..., 2] * a[..., 3] + b[..., 2] * b[..., 3] - common)


def _predicted(values, sizes, scale: float, edge: int) -> torch.Tensor:
    """Predicted boxes as shares of the image: [N, anchors, H, W, 4]."""
    h, w = values.shape[-2:]
    columns = torch.arange(w, dtype=values.dtype, device=values.device)
    rows = torch.arange(h, dtype=values.dtype, device=values.device)[:, None]
    shift = -0.5 * (scale - 1.0)
    x = (columns + torch.sigmoid(values[:, :, 0]) * scale + shift) / w
    y = (rows + torch.sigmoid(values[:, :, 1]) * scale + shift) / h
    wide = torch.exp(values[:, :, 2]) * sizes[:, 0, None, None] / edge
    high = torch.exp(values[:, :, 3]) * sizes[:, 1, None, None] / edge
    return torch.stack([x, y, wide, high], -1)


def _matches(boxes, sizes, mask, edge: int, real) -> tuple[torch.Tensor, torch.Tensor]:
    """Of all anchors the one nearest in shape to each true box, and its place in ``mask`` or -1."""
    at_origin = torch.zeros_like(boxes[..., :2])
    shapes = torch.cat([at_origin, boxes[..., 2:]], -1)[:, :, None]
    anchors = torch.cat([torch.zeros_like(sizes), sizes / edge], -1)
    nearest = torch.argmax(_overlap(shapes, anchors), -1)
    places = torch.full([len(sizes)], -1, dtype=torch.int64)
    for place, anchor in reversed(list(enumerate(mask))):
        places[anchor] = place
    found = places.to(nearest.device)[nearest]
    return nearest, torch.where(real, found, torch.full_like(found, -1))


@op("yolov3_loss", "X GTBox~ GTLabel~ GTScore?~ -> Loss ObjectnessMask~ GTMatchMask~", infer=_rule)
def yolov3_loss(
    x, boxes, labels, scores=None, *, anchors=(), anchor_mask=(), class_num=1, ignore_thresh=0.7,
    downsample_ratio=32, use_label_smooth=True, scale_x_y=1.0
):  # fmt: skip
    """Every true box answers for one cell and one anchor.

    It asks for its place, size and class there. Predictions that overlap a true box by more than
    ignore_thresh and answer for none are left alone; all others shall not be trusted.
    https://arxiv.org/abs/1804.02767
    """
    _check(x, boxes, labels, scores, anchors, anchor_mask, class_num)
    n, _, h, w = x.shape
    values = x.reshape(n, len(anchor_mask), 5 + class_num, h, w)
    if x.is_meta:
        match = torch.empty(boxes.shape[:2], dtype=torch.int32, device="meta")
        return x.new_empty(n), torch.empty_like(values[:, :, 0]), match
    edge = downsample_ratio * h
    sizes = torch.tensor(list(anchors), dtype=x.dtype, device=x.device).reshape(-1, 2)
    boxes = boxes.to(x.dtype)
    scores = torch.ones_like(boxes[..., 0]) if scores is None else scores.to(x.dtype)
    real = torch.logical_and(boxes[..., 2] > _LEAST_EDGE, boxes[..., 3] > _LEAST_EDGE)
    nearest, match = _matches(boxes, sizes, anchor_mask, edge, real)
    cells = [(boxes[..., i] * size).long().clamp(0, size - 1) for i, size in ((0, w), (1, h))]
    trust = _trust(values.detach(), boxes, scores, real, match, cells, sizes[list(anchor_mask)],
                   scale_x_y, edge, ignore_thresh)  # fmt: skip
    wanted = torch.clamp(trust, min=0.0)
    logits = values[:, :, 4]
    doubt = F.binary_cross_entropy_with_logits(
        logits, (wanted > 1e-5).to(x.dtype), reduction="none"
    )
    weight = torch.where(wanted > 1e-5, wanted, (trust > -0.5).to(x.dtype))
    loss = torch.sum(doubt * weight, [1, 2, 3])
    loss = loss + _of_boxes(values, boxes, labels, scores, nearest, match, cells, sizes, edge,
                            use_label_smooth)  # fmt: skip
    return loss, trust, match.to(torch.int32)


def _trust(values, boxes, scores, real, match, cells, sizes, scale, edge, threshold):
    """The score of the true box that a cell and anchor answer for, -1: left alone, else 0."""
    n, count, _, h, w = values.shape
    guessed = _predicted(values, sizes, scale, edge).reshape(n, count * h * w, 1, 4)
    overlap = torch.where(real[:, None], _overlap(guessed, boxes[:, None]), 0.0)
    if overlap.shape[-1]:
        best = overlap.amax(-1).reshape(n, count, h, w)
    else:
        best = torch.zeros_like(values[:, :, 0])
    trust = torch.where(best > threshold, -torch.ones_like(best), torch.zeros_like(best))
    for t in range(boxes.shape[1]):  # one after the other: of two boxes in a cell the last counts
        image = torch.nonzero(match[:, t] >= 0)[:, 0]
        place = (image, match[image, t], cells[1][image, t], cells[0][image, t])
        trust[place] = scores[image, t]
    return trust


def _of_boxes(values, boxes, labels, scores, nearest, match, cells, sizes, edge, smooth):
    """What the cells that answer for true boxes lose by place, size and class, for each image."""
    depth, h, w = values.shape[2:]
    image, t = torch.nonzero(match >= 0, as_tuple=True)
    row, column = cells[1][image, t], cells[0][image, t]
    logits = values[image, match[image, t], :, row, column]
    box, score, anchor = boxes[image, t], scores[image, t], sizes[nearest[image, t]]
    place = torch.stack([box[:, 0] * w - column, box[:, 1] * h - row], 1)
    size = torch.log(box[:, 2:] * edge / anchor)
    off = F.binary_cross_entropy_with_logits(logits[:, :2], place, reduction="none")
    off = torch.sum(off + torch.abs(size - logits[:, 2:4]), 1)
    loss = off * (2.0 - box[:, 2] * box[:, 3]) * score
    classes = depth - 5
    share = min(1.0 / classes, 1.0 / 40.0) if smooth else 0.0
    number = torch.arange(classes, device=values.device)
    target = torch.where(number == labels[image, t].long()[:, None], 1.0 - share, share)
    wrong = F.binary_cross_entropy_with_logits(
        logits[:, 5:], target.to(values.dtype), reduction="none"
    )
    loss = loss + torch.sum(wrong, 1) * score
    return torch.zeros_like(values[:, 0, 0, 0, 0]).index_add(0, image, loss)
