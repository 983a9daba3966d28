"""RPN proposals, and their distribution over the levels of a feature pyramid (FPN)."""

from __future__ import annotations

import math
from functools import partial

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op
from paddle.ops.detection.overlap import corner_share
from paddle.ops.detection.suppression import greedy

_LARGEST = math.log(1000.0 / 16.0)  # no box grows more than this, in powers of e
_BLOCK = 256  # boxes that are suppressed at a time: bounds the memory of the overlaps


# -- one box of several that overlap --------------------------------------------------------------


def _survivors(boxes, threshold: float, eta: float, extra: float, most: int) -> torch.Tensor:
    """Places of the boxes, best first, that overlap none before them that stays too much.

    ``most`` is how many are wanted; 0 or less: all.
    """
    most = most if most > 0 else len(boxes)
    if eta < 1.0 and threshold > 0.5:  # every box that stays lowers the threshold
        return greedy(boxes, partial(corner_share, extra=extra), threshold, eta)[:most]
    kept = torch.zeros(0, dtype=torch.int64, device=boxes.device)
    for start in range(0, len(boxes), _BLOCK):
        block = boxes[start : start + _BLOCK]
        free = torch.ones(len(block), dtype=torch.bool, device=boxes.device)
        for before in kept.split(_BLOCK):
            free &= ~torch.any(corner_share(boxes[before], block, extra) > threshold, 0)
        covers = (corner_share(block, block, extra) > threshold).float().triu_(1)
        stays, previous = free, None
        # Each round settles at least one more box, most rounds many; the order of the boxes makes
        # the result the one of going through them one by one.
        while previous is None or not torch.equal(stays, previous):
            previous = stays
            stays = free & torch.eq(stays.float() @ covers, 0)
        kept = torch.cat([kept, torch.nonzero(stays).reshape(-1) + start])
        if len(kept) >= most:
            break
    return kept[:most]


# -- boxes from anchors ---------------------------------------------------------------------------


def _decoded(anchors, deltas, variances, extra: float) -> torch.Tensor:
    """Anchors moved and scaled by what the network says; all of them [count, 4]."""
    size = anchors[:, 2:] - anchors[:, :2] + extra
    moved = variances * deltas
    centre = moved[:, :2] * size + (anchors[:, :2] + 0.5 * size)
    half = torch.exp(moved[:, 2:].clamp(max=_LARGEST)) * size / 2
    return torch.cat([centre - half, centre + half - extra], 1)


def _large_enough(boxes, least: float, image, scale, extra: float) -> torch.Tensor:
    """Whether both sides have ``least`` pixels of the original image, the centre lying inside."""
    size = boxes[:, 2:] - boxes[:, :2]
    found = torch.all(size / scale + extra >= max(least, 1.0), 1)
    if not extra:
        return found
    centre = boxes[:, :2] + (size + extra) / 2
    return found & torch.all(centre <= image, 1)


def _best(scores: torch.Tensor, most: int) -> torch.Tensor:
    """Places of the ``most`` greatest scores in order, those of all if 0 or less."""
    if not 0 < most < len(scores):
        return torch.argsort(scores, descending=True, stable=True)
    chosen = torch.sort(torch.topk(scores, most).indices).values  # sorting all takes far longer
    return chosen[torch.argsort(scores[chosen], descending=True, stable=True)]


def _proposals_of(scores, deltas, image, scale, anchors, variances, chosen: tuple) -> tuple:
    """The boxes and scores of one image; ``image`` is its width and height."""
    before, after, threshold, least, eta, pixel_offset = chosen
    extra = 1.0 if pixel_offset else 0.0
    order = _best(scores, before)
    boxes = _decoded(anchors[order], deltas[order], variances[order], extra)
    boxes = torch.minimum(boxes, (image - extra).repeat(2)).clamp(min=0.0)
    large = torch.nonzero(_large_enough(boxes, least, image, scale, extra)).reshape(-1)
    if not len(large):  # what comes after needs a box of every image
        return boxes.new_zeros(1, 4), scores.new_zeros(1)
    boxes, scores = boxes[large], scores[order][large]
    if threshold <= 0:
        return boxes, scores
    kept = _survivors(boxes, threshold, eta, extra, after)
    return boxes[kept], scores[kept]


def _check_maps(name: str, maps: tuple | list) -> None:
    """``maps`` are the operator's inputs, buffers or Specs."""
    shapes = [list(m.shape) for m in maps]
    if any(-1 in shape for shape in shapes):
        return
    columns = 2 if name.endswith("_v2") else 3
    fits = len(shapes[0]) == 4
    if fits:
        n, a, h, w = shapes[0]
        fits = shapes[1:3] == [[n, 4 * a, h, w], [n, columns]]
        fits = fits and all(math.prod(shape) == a * h * w * 4 for shape in shapes[3:])
    if not fits:
        size = "height and width" if columns == 2 else "height, width and scale"
        raise InvalidArgumentError(
            f"{name}: expected Scores [N, A, H, W], BboxDeltas [N, 4 * A, H, W], {size} of each "
            f"image [N, {columns}], Anchors and Variances [H, W, A, 4], but received {shapes}."
        )


def _proposals(name, scores, deltas, info, anchors, variances, chosen: tuple) -> tuple:
    """Boxes and scores of all images below each other, and how many each image has."""
    _check_maps(name, (scores, deltas, info, anchors, variances))
    anchors, variances = anchors.reshape(-1, 4), variances.reshape(-1, 4)
    scores = scores.permute(0, 2, 3, 1).flatten(1)
    deltas = deltas.permute(0, 2, 3, 1).reshape(*scores.shape, 4)
    found = [
        _proposals_of(
            score, delta, size[:2].flip(0).to(anchors.dtype), size[2] if len(size) > 2 else 1.0,
            anchors, variances, chosen
        )
        for score, delta, size in zip(scores, deltas, info, strict=True)
    ]  # fmt: skip
    if not found:
        return anchors.new_zeros(0, 4), scores.new_zeros(0, 1), []
    boxes = torch.cat([b for b, _ in found])
    values = torch.cat([v for _, v in found]).unsqueeze(1)
    return boxes, values, [len(b) for b, _ in found]


def _proposals_rule(name: str, inputs: list) -> list[Spec]:
    scores, anchors = inputs[0], inputs[3]
    _check_maps(name, inputs)
    boxes, values = Spec((-1, 4), anchors.dtype), Spec((-1, 1), scores.dtype)
    return [boxes, values, Spec((scores.shape[0],), VarType.INT32)]


def _first_rule(inputs: list, attrs: dict) -> list[Spec]:
    ends = Spec((inputs[0].shape[0],), VarType.INT64)
    return [*_proposals_rule("generate_proposals", inputs), ends]


@op(
    "generate_proposals",
    "Scores BboxDeltas ImInfo Anchors Variances -> RpnRois RpnRoiProbs RpnRoisNum? RpnRoisLod?",
    lod="own",
    infer=_first_rule,
    differentiable=False,
    dtypes="full",
)
def generate_proposals(
    scores, deltas, info, anchors, variances, *, pre_nms_topN=REQUIRED, post_nms_topN=REQUIRED,
    nms_thresh=REQUIRED, min_size=REQUIRED, eta=REQUIRED
):  # fmt: skip
    """Boxes of pixels that include their last row and column; sizes are those before scaling."""
    chosen = (pre_nms_topN, post_nms_topN, nms_thresh, min_size, eta, True)
    maps = (scores, deltas, info, anchors, variances)
    boxes, values, counts = _proposals("generate_proposals", *maps, chosen)
    boxes._lod, values._lod = [_offsets(counts)], [_offsets(counts)]
    numbers = torch.tensor(counts, dtype=torch.int32, device=boxes.device)
    return boxes, values, numbers, numbers.long().cumsum(0)  # 1.8: where each image ends


@op(
    "generate_proposals_v2",
    "Scores BboxDeltas ImShape Anchors Variances -> RpnRois RpnRoiProbs RpnRoisNum?",
    lod="own",
    infer=lambda i, a: _proposals_rule("generate_proposals_v2", i),
    differentiable=False,
    dtypes="full",
)
def generate_proposals_v2(
    scores, deltas, shape, anchors, variances, *, pre_nms_topN=REQUIRED, post_nms_topN=REQUIRED,
    nms_thresh=REQUIRED, min_size=REQUIRED, eta=REQUIRED, pixel_offset=True
):  # fmt: skip
    """Boxes in pixels of the scaled image, whose last row and column count with pixel_offset."""
    chosen = (pre_nms_topN, post_nms_topN, nms_thresh, min_size, eta, pixel_offset)
    maps = (scores, deltas, shape, anchors, variances)
    boxes, values, counts = _proposals("generate_proposals_v2", *maps, chosen)
    return boxes, values, torch.tensor(counts, dtype=torch.int32, device=boxes.device)


# -- levels of a pyramid --------------------------------------------------------------------------


def _offsets(counts: list[int]) -> list[int]:
    """Where each image's rows begin, and the end of the last."""
    return [0, *torch.tensor(counts, dtype=torch.int64).cumsum(0).tolist()]


def _counts(name: str, rois: torch.Tensor, numbers) -> list[int]:
    """How many of the boxes belong to each image: as said, by LoD, or one image."""
    if rois.dim() != 2 or rois.shape[1] != 4:
        raise InvalidArgumentError(
            f"{name}: expected boxes of shape [count, 4], but received {list(rois.shape)}."
        )
    if numbers is not None:
        counts = numbers.reshape(-1).tolist()
    else:
        levels = getattr(rois, "_lod", None)
        counts = [b - a for a, b in zip(levels[-1], levels[-1][1:])] if levels else [len(rois)]
    if sum(counts) != len(rois):
        raise InvalidArgumentError(
            f"{name}: expected numbers of boxes that add up to {len(rois)}, but received {counts}."
        )
    return counts


def _distribute_rule(inputs: list, attrs: dict) -> list:
    rois, numbers = inputs
    levels = max(attrs["max_level"] - attrs["min_level"] + 1, 0)
    each = Spec((1,) if numbers is None else (numbers.shape[0],), VarType.INT32)
    return [
        [Spec((-1, 4), rois.dtype)] * levels,
        Spec((rois.shape[0], 1), VarType.INT32),
        [each] * levels,
    ]


@op(
    "distribute_fpn_proposals",
    "FpnRois RoisNum? -> MultiFpnRois* RestoreIndex MultiLevelRoIsNum*?",
    lod="own",
    infer=_distribute_rule,
    differentiable=False,
    dtypes="full",
)
def distribute_fpn_proposals(
    rois, numbers=None, *, min_level=REQUIRED, max_level=REQUIRED, refer_level=REQUIRED,
    refer_scale=REQUIRED, pixel_offset=True
):  # fmt: skip
    """Every box to the level whose cells fit its size, https://arxiv.org/abs/1612.03144."""
    if max_level < min_level or refer_scale <= 0:
        raise InvalidArgumentError(
            "distribute_fpn_proposals: expected min_level <= max_level and refer_scale > 0, but "
            f"received {min_level}, {max_level} and {refer_scale}."
        )
    counts = _counts("distribute_fpn_proposals", rois, numbers)
    extra = 1.0 if pixel_offset else 0.0
    sides = rois[:, 2:] - rois[:, :2]
    area = torch.prod(sides + extra, 1).masked_fill(torch.any(sides < 0, 1), 0.0)
    level = torch.floor(torch.log2(torch.sqrt(area) / refer_scale + 1e-6) + refer_level)
    level = level.clamp(min_level, max_level).long()
    number = torch.arange(len(counts), device=rois.device)
    image = torch.repeat_interleave(number, torch.tensor(counts, device=rois.device))
    order = torch.argsort(level, stable=True)
    restore = torch.argsort(order).to(torch.int32).unsqueeze(1)
    cell = (level - min_level) * len(counts) + image
    table = torch.bincount(cell, minlength=len(counts) * (max_level - min_level + 1))
    table = table.reshape(-1, len(counts))
    parts = [p.clone() for p in rois[order].split(table.sum(1).tolist())]
    for part, row in zip(parts, table.tolist(), strict=True):
        part._lod = [_offsets(row)]
    return parts, restore, [row.clone() for row in table.to(torch.int32)]


@op(
    "collect_fpn_proposals",
    "MultiLevelRois* MultiLevelScores* MultiLevelRoIsNum*? -> FpnRois RoisNum?",
    lod="own",
    infer=lambda i, a: [
        Spec((-1, 4), i[0][0].dtype),
        Spec((i[2][0].shape[0] if i[2] else -1,), VarType.INT32),
    ],
    differentiable=False,
    dtypes="full",
)
def collect_fpn_proposals(rois, scores, numbers=None, *, post_nms_topN=REQUIRED):
    """The best boxes of all levels together, those of an image below each other again."""
    numbers = numbers or [None] * len(rois)
    if not rois or not len(rois) == len(scores) == len(numbers):
        raise InvalidArgumentError(
            "collect_fpn_proposals: expected as many MultiLevelScores as MultiLevelRois, but "
            f"received {len(scores)} and {len(rois)}."
        )
    counts = [_counts("collect_fpn_proposals", r, n) for r, n in zip(rois, numbers, strict=True)]
    _check_levels(rois, scores, counts)
    device = rois[0].device
    number = torch.arange(len(counts[0]), device=device)
    image = torch.cat(
        [torch.repeat_interleave(number, torch.tensor(c, device=device)) for c in counts]
    )
    boxes, values = torch.cat(rois), torch.cat([s.reshape(-1) for s in scores])
    order = torch.argsort(values, stable=True).flip(0)  # of equal ones the last, as PaddlePaddle
    if post_nms_topN < len(order):
        order = order[: max(post_nms_topN, 0)]
    order = order[torch.argsort(image[order], stable=True)]
    found = torch.bincount(image[order], minlength=len(counts[0]))
    out = boxes[order]
    out._lod = [_offsets(found.tolist())]  # type: ignore[attr-defined]
    return out, found.to(torch.int32)


def _check_levels(rois: list, scores: list, counts: list) -> None:
    for boxes, values, count in zip(rois, scores, counts, strict=True):
        if values.numel() != len(boxes) or len(count) != len(counts[0]):
            raise InvalidArgumentError(
                "collect_fpn_proposals: expected a score of every box and the same images in "
                f"every level, but received {list(values.shape)} scores of {len(boxes)} boxes in "
                f"{len(count)} of {len(counts[0])} images."
            )
