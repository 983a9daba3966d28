"""Detection outputs of RetinaNet, and locality-aware NMS for text."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op
from paddle.ops.detection.overlap import corner_share, overlaps
from paddle.ops.detection.suppression import (
    SIZES,
    Chosen,
    best_of_classes,
    candidates,
    check,
    greedy,
    joined,
    labelled,
    or_nothing,
    with_levels,
)

# -- retinanet_detection_output -------------------------------------------------------------------


def _check_levels(boxes: list, scores: list, anchors: list, info) -> None:
    if not boxes or not len(boxes) == len(scores) == len(anchors):
        raise InvalidArgumentError(
            "retinanet_detection_output: expected as many Scores and Anchors as BBoxes, but "
            f"received {len(scores)}, {len(anchors)} and {len(boxes)}."
        )
    images = info.shape[0] if info.dim() == 2 and info.shape[1] == 3 else -1
    for box, score, anchor in zip(boxes, scores, anchors, strict=True):
        count = anchor.shape[0]
        fits = tuple(box.shape) == (images, count, 4) and tuple(anchor.shape) == (count, 4)
        if not fits or score.dim() != 3 or tuple(score.shape[:2]) != (images, count):
            raise InvalidArgumentError(
                "retinanet_detection_output: expected BBoxes [N, M, 4], Scores [N, M, C] and "
                f"Anchors [M, 4] of each level, and ImInfo [N, 3], but received {list(box.shape)}, "
                f"{list(score.shape)}, {list(anchor.shape)} and {list(info.shape)}."
            )


def _decoded(codes: torch.Tensor, anchors: torch.Tensor, info: torch.Tensor) -> torch.Tensor:
    """Boxes in pixels of the image before it was scaled, cut to it."""
    size = anchors[:, 2:] - anchors[:, :2] + 1.0
    middle = codes[:, :2] * size + anchors[:, :2] + size * 0.5
    half = torch.exp(codes[:, 2:]) * size * 0.5
    boxes = torch.cat([middle - half, middle + half - 1.0], 1) / info[2]
    limit = torch.floor(info[:2] / info[2] + 0.5).flip(0).repeat(2) - 1.0
    return torch.minimum(boxes, limit).clamp(min=0.0)


def _of_levels(boxes, scores, anchors, info, image: int, threshold: float, most: int) -> tuple:
    """Label, score and box of the best candidates of each level; the last one has no threshold."""
    parts = []
    for level, (codes, score, anchor) in enumerate(zip(boxes, scores, anchors, strict=True)):
        flat = score[image].reshape(1, -1)
        limit = threshold if level < len(boxes) - 1 else 0.0
        for _, value, place in candidates(flat, -1, limit, most):
            number = torch.div(place, score.shape[2], rounding_mode="floor")
            box = _decoded(codes[image][number], anchor[number], info[image])
            parts.append((place % score.shape[2], value, box))
    if not parts:
        none = torch.zeros(0, dtype=torch.int64, device=info.device)
        return none, boxes[0].new_zeros(0), boxes[0].new_zeros(0, 4)
    return tuple(torch.cat(column) for column in zip(*parts, strict=True))


@op(
    "retinanet_detection_output",
    "BBoxes* Scores* Anchors* ImInfo -> Out",
    lod="own",
    infer=lambda i, a: [Spec((-1, 6), i[0][0].dtype)],
    differentiable=False,
    dtypes="full",
)
def retinanet_detection_output(
    boxes, scores, anchors, info, *, score_threshold=REQUIRED, nms_top_k=REQUIRED,
    nms_threshold=REQUIRED, nms_eta=REQUIRED, keep_top_k=REQUIRED
):  # fmt: skip
    """Rows of label (from 1), score and box, best first, https://arxiv.org/abs/1708.02002."""
    _check_levels(boxes, scores, anchors, info)

    def share(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return corner_share(a, b, 1.0)

    outs, counts = [], []
    for image in range(info.shape[0]):
        label, score, box = _of_levels(
            boxes, scores, anchors, info, image, score_threshold, nms_top_k
        )
        parts = []
        for number in torch.unique(label).tolist():
            mine = torch.eq(label, number).nonzero().squeeze(1)
            mine = mine[torch.sort(score[mine], stable=True, descending=True)[1]]
            kept = mine[greedy(box[mine], share, nms_threshold, nms_eta)]
            parts.append(labelled(number, score[kept], kept))
        found = joined(parts, score)
        order = torch.sort(found.score, stable=True, descending=True)[1]
        found = found.take(order[:keep_top_k] if keep_top_k > -1 else order)
        head = torch.stack([found.label.to(box.dtype) + 1.0, found.score], 1)
        outs.append(torch.cat([head, box[found.place]], 1))
        counts.append(len(found.label))
    out = torch.cat(outs) if outs else boxes[0].new_zeros(0, 6)
    return with_levels(out, counts)


# -- locality_aware_nms ---------------------------------------------------------------------------


def _merged(boxes: torch.Tensor, scores: torch.Tensor, threshold: float, extra: float) -> list[int]:
    """Merges runs of boxes that overlap into the first of each, in place; where the runs begin.

    A box is compared with what those before it have become, so one comes after the other.
    """
    first = [0]
    for i in range(1, len(boxes)):
        head = first[-1]
        if not float(overlaps(boxes[i : i + 1], boxes[head : head + 1], extra)) > threshold:
            first.append(i)
            continue
        total = scores[i] + scores[head]
        boxes[head] = (boxes[i] * scores[i] + boxes[head] * scores[head]) / total
        scores[head] = total
    return first if len(boxes) else []


def _check_local(boxes, scores, attrs: dict | None = None) -> None:
    check("locality_aware_nms", boxes, scores, SIZES)
    if len(scores.shape) != 3:
        raise InvalidArgumentError(
            "locality_aware_nms: expected Scores of shape [N, C, M], but received "
            f"{list(scores.shape)}."
        )


def _local_rule(inputs: list, attrs: dict) -> list[Spec]:
    boxes, scores = inputs
    if -1 not in (*boxes.shape, *scores.shape):
        _check_local(boxes, scores)
    return [Spec((-1, -1), boxes.dtype)]  # where nothing is kept it gives one number instead


@op(
    "locality_aware_nms",
    "BBoxes Scores -> Out",
    lod="own",
    infer=_local_rule,
    differentiable=False,
    dtypes="full",
)
def locality_aware_nms(
    boxes, scores, *, background_label=-1, score_threshold=REQUIRED, nms_top_k=REQUIRED,
    nms_threshold=0.3, nms_eta=1.0, keep_top_k=REQUIRED, normalized=True
):  # fmt: skip
    """Neighbours are merged, weighted by their scores, before suppression; as multiclass_nms else.

    As in PaddlePaddle, a class merges what the classes before it have merged already, and rows
    hold what the last one leaves. https://arxiv.org/abs/1704.03155
    """
    _check_local(boxes, scores)
    extra = 0.0 if normalized else 1.0

    def share(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return overlaps(a, b, extra)

    outs, counts = [], []
    for box, score in zip(boxes.to("cpu", copy=True), scores.to("cpu", copy=True), strict=True):
        parts: list[Chosen] = []
        for label in range(len(score)):
            if label == background_label:
                continue
            first = torch.tensor(_merged(box, score[label], nms_threshold, extra)).long()
            runs = score[label][first].unsqueeze(0)
            for _, value, place in candidates(runs, -1, score_threshold, nms_top_k):
                kept = greedy(box[first[place]], share, nms_threshold, nms_eta)
                parts.append(labelled(label, value[kept], first[place][kept]))
        found = best_of_classes(joined(parts, score), keep_top_k, False)
        head = torch.stack([found.label.to(box.dtype), found.score.to(box.dtype)], 1)
        outs.append(torch.cat([head, box[found.place]], 1))
        counts.append(len(found.label))
    out = torch.cat(outs) if outs else boxes.new_zeros(0, boxes.shape[2] + 2)
    return or_nothing(with_levels(out.to(boxes.device), counts))
