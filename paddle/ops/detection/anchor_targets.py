"""What a network that scores anchors is trained for: RPN and RetinaNet."""

from __future__ import annotations

from typing import NamedTuple

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op
from paddle.core.random import torch_generator
from paddle.ops.detection.images import deltas, joined, sampled, shares, spans

_SAME = 1e-5  # overlaps that differ by less are equal


class _Chosen(NamedTuple):
    """What is learned of the anchors of an image.

    Attributes:
        located: places of the anchors whose offsets count; some may be there for those that lost
            their place to a negative one, with weight 0.
        weights: of the offsets, a number for each of ``located``.
        positive: places of anchors that are objects.
        negative: places of those that are none.
        best: the box that each anchor overlaps most.
    """

    located: torch.Tensor
    weights: torch.Tensor
    positive: torch.Tensor
    negative: torch.Tensor
    best: torch.Tensor


def _choose(overlaps: torch.Tensor, high: float, low: float, batch: int, part: float, random: bool):
    """The anchors of an image by their overlap with its boxes, [anchors, boxes]."""
    count = overlaps.shape[0]
    most, best = torch.max(overlaps, 1)
    nearest = torch.any(torch.abs(overlaps - overlaps.amax(0)) < _SAME, 1)
    positive = torch.nonzero(nearest | (most >= high)).reshape(-1)
    negative = torch.nonzero(most < low).reshape(-1)
    source = torch_generator(overlaps.device) if random else None
    if part > 0 and batch > 0:
        positive = sampled(positive, int(part * batch), random, source)
        negative = sampled(negative, batch - len(positive), random, source)
    label = torch.full((count,), -1, device=overlaps.device)
    label[positive] = 1
    lost = int(torch.eq(label[negative], 1).sum())
    label[negative] = 0
    kept = torch.nonzero(label == 1).reshape(-1)
    located = torch.cat([positive[:1].expand(lost), kept])
    weights = torch.ones(len(located), dtype=overlaps.dtype, device=overlaps.device)
    weights[:lost] = 0
    return _Chosen(located, weights, kept, torch.nonzero(label == 0).reshape(-1), best)


def _check(name: str, anchors, boxes, crowd, info) -> None:
    shapes = [tuple(t.shape) for t in (anchors, boxes, info)]
    fits = all(len(s) == 2 for s in shapes)
    if not fits or [s[1] for s in shapes] != [4, 4, 3] or crowd.numel() != boxes.shape[0]:
        raise InvalidArgumentError(
            f"{name}: expected Anchor [A, 4], GtBoxes [boxes, 4], IsCrowd with a number for each "
            "box and ImInfo [images, 3], but received shapes "
            f"{[list(t.shape) for t in (anchors, boxes, crowd, info)]}."
        )


def _check_specs(name: str, inputs: list) -> None:
    shapes = [inputs[0].shape, inputs[1].shape, inputs[-1].shape]
    widths = [s[-1] if len(s) == 2 else 0 for s in shapes]
    if any(w not in (-1, n) for w, n in zip(widths, (4, 4, 3), strict=True)):
        raise InvalidArgumentError(
            f"{name}: expected Anchor [A, 4], GtBoxes [boxes, 4] and ImInfo [images, 3], but "
            f"received {[list(s) for s in shapes]}."
        )


def _rule(name: str, labels: VarType = VarType.INT32):
    def rule(inputs: list, attrs: dict) -> list[Spec]:
        _check_specs(name, inputs)
        anchors = inputs[0]
        places, label = Spec((-1,), VarType.INT32), Spec((-1, 1), labels)
        boxes = Spec((-1, 4), anchors.dtype)
        found = [places, places, boxes, label, boxes]
        return [*found, Spec((-1, 1), VarType.INT32)] if name.startswith("retina") else found

    return rule


def _of_images(name: str, anchors, boxes, crowd, info):
    """For each image its number, its boxes in the scaled image and which of them count."""
    _check(name, anchors, boxes, crowd, info)
    rows = spans(name, "GtBoxes", boxes, info.shape[0])
    crowd = crowd.reshape(-1)
    for i, at in enumerate(rows):
        single = crowd[at] == 0
        if not bool(single.any()):
            raise InvalidArgumentError(
                f"{name}: expected at least one box of GtBoxes that is no crowd in every image, "
                f"but image {i} has none."
            )
        yield i, boxes[at][single] * info[i, 2], at, single


def _targets(anchors, boxes, chosen: _Chosen) -> tuple:
    matched = boxes[chosen.best[chosen.located]]
    target = deltas(anchors[chosen.located], matched)
    return target, chosen.weights.unsqueeze(1).expand(-1, 4)


@op(
    "rpn_target_assign",
    "Anchor GtBoxes IsCrowd ImInfo -> LocationIndex ScoreIndex TargetBBox TargetLabel "
    "BBoxInsideWeight",
    lod="own",
    infer=_rule("rpn_target_assign"),
    differentiable=False,
    dtypes="full",
    random=True,
)
def rpn_target_assign(
    anchors, boxes, crowd, info, *, rpn_batch_size_per_im=256, rpn_straddle_thresh=REQUIRED,
    rpn_positive_overlap=0.7, rpn_negative_overlap=0.3, rpn_fg_fraction=0.25, use_random=True
):  # fmt: skip
    """Which anchors are scored and moved, and what they have to give, image by image."""
    name, found = "rpn_target_assign", []
    for i, box, _, _ in _of_images(name, anchors, boxes, crowd, info):
        high, wide = info[i, 0], info[i, 1]
        inside = torch.ones(len(anchors), dtype=torch.bool, device=anchors.device)
        if rpn_straddle_thresh >= 0:
            inside = torch.all(anchors[:, :2] >= -rpn_straddle_thresh, 1)
            inside &= anchors[:, 2] < wide + rpn_straddle_thresh
            inside &= anchors[:, 3] < high + rpn_straddle_thresh
        place = torch.nonzero(inside).reshape(-1)
        if not len(place):
            raise InvalidArgumentError(
                f"{name}: expected anchors inside of image {i}, but all {len(anchors)} reach over "
                f"its edge by more than rpn_straddle_thresh {rpn_straddle_thresh}."
            )
        chosen = _choose(
            shares(anchors[place], box), rpn_positive_overlap, rpn_negative_overlap,
            rpn_batch_size_per_im, rpn_fg_fraction, use_random
        )  # fmt: skip
        target, weight = _targets(anchors[place], box, chosen)
        scored = torch.cat([chosen.positive, chosen.negative])
        label = torch.zeros(len(scored), 1, dtype=torch.int32, device=anchors.device)
        label[: len(chosen.positive)] = 1
        start = i * len(anchors)
        located = place[chosen.located] + start, place[scored] + start
        found.append((*(p.to(torch.int32) for p in located), target, label, weight))
    parts = list(zip(*found, strict=True)) or [()] * 5
    number = torch.zeros(0, dtype=torch.int32, device=anchors.device)
    likes = (number, number, anchors, number, anchors)
    widths = (None, None, 4, 1, 4)
    return tuple(joined(list(p), k, w) for p, k, w in zip(parts, likes, widths, strict=True))


@op(
    "retinanet_target_assign",
    "Anchor GtBoxes GtLabels IsCrowd ImInfo -> LocationIndex ScoreIndex TargetBBox TargetLabel "
    "BBoxInsideWeight ForegroundNumber",
    lod="own",
    infer=_rule("retinanet_target_assign"),
    differentiable=False,
    dtypes="full",
)
def retinanet_target_assign(
    anchors, boxes, labels, crowd, info, *, positive_overlap=0.5, negative_overlap=0.4
):
    """As for RPN, with all anchors, the class as label, and one more than the number of objects."""
    name, found = "retinanet_target_assign", []
    if labels.numel() != boxes.shape[0]:
        raise InvalidArgumentError(
            f"{name}: expected GtLabels with a class for each of {boxes.shape[0]} boxes, but "
            f"received {list(labels.shape)}."
        )
    for i, box, at, single in _of_images(name, anchors, boxes, crowd, info):
        chosen = _choose(shares(anchors, box), positive_overlap, negative_overlap, -1, -1.0, False)
        target, weight = _targets(anchors, box, chosen)
        scored = torch.cat([chosen.positive, chosen.negative])
        label = torch.zeros(len(scored), dtype=torch.int32, device=anchors.device)
        kinds = labels.reshape(-1)[at][single].to(torch.int32)
        label[: len(chosen.positive)] = kinds[chosen.best[chosen.positive]]
        start = i * len(anchors)
        number = torch.tensor([[len(chosen.located) + 1]], dtype=torch.int32)
        located = chosen.located + start, scored + start
        places = (p.to(torch.int32) for p in located)
        found.append((*places, target, label.unsqueeze(1), weight, number.to(anchors.device)))
    parts = list(zip(*found, strict=True)) or [()] * 6
    number = torch.zeros(0, dtype=torch.int32, device=anchors.device)
    likes = (number, number, anchors, number, anchors, number)
    widths = (None, None, 4, 1, 4, 1)
    return tuple(joined(list(p), k, w) for p, k, w in zip(parts, likes, widths, strict=True))
