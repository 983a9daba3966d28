"""What the second stage of a detector is trained for: classes, offsets and masks of proposals."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op
from paddle.core.random import torch_generator
from paddle.ops.detection.images import deltas, joined, sampled, shares, spans

_SAME = 1e-5  # overlaps that differ by less are equal


class _Settings(NamedTuple):
    """The attributes of the operator that the choice among proposals goes by."""

    batch: int
    part: float
    high: float
    above: float
    below: float
    random: bool
    cascade: bool


def _check(name: str, boxes: list, numbers: list, info) -> None:
    fits = all(b.dim() == 2 and b.shape[1] == 4 for b in boxes)
    fits = fits and all(n.numel() == boxes[-1].shape[0] for n in numbers)
    if not fits or info.dim() != 2 or info.shape[1] != 3:
        raise InvalidArgumentError(
            f"{name}: expected boxes [count, 4], a class and a mark for each true box and ImInfo "
            f"[images, 3], but received shapes {[list(t.shape) for t in (*boxes, *numbers, info)]}."
        )


def _chosen(overlaps: torch.Tensor, crowd: torch.Tensor, s: _Settings) -> tuple:
    """Places of the objects and their true boxes, and places of the background."""
    most = overlaps.amax(1)
    crowd = crowd[: len(most)]
    most[: len(crowd)] = torch.where(crowd != 0, -1.0, most[: len(crowd)])
    found = torch.nonzero(most >= s.high).reshape(-1)
    none = torch.nonzero((most >= s.below) & (most < s.above) & (most < s.high)).reshape(-1)
    if not s.cascade:
        source = torch_generator(overlaps.device) if s.random else None
        found = sampled(found, math.floor(s.batch * s.part), s.random, source)
        none = sampled(none, s.batch - len(found), s.random, source)
    near = torch.abs(overlaps[found] - most[found].unsqueeze(1)) < _SAME
    return found, torch.argmax(near.to(torch.uint8), 1), none


def _spread(target, label, classes: int, agnostic: bool, rows: int) -> tuple:
    """Offsets in the columns of their class, and 1 where there are any."""
    out = target.new_zeros(rows, classes, 4)
    weight = torch.zeros_like(out)
    column = torch.ones_like(label) if agnostic else label
    if len(label) and not 0 <= int(column.min()) <= int(column.max()) < classes:
        raise OutOfRangeError(
            f"generate_proposal_labels: expected GtClasses below class_nums {classes}, but "
            f"received {int(column.max())}."
        )
    place = torch.arange(len(label), device=target.device)
    out[place, column] = target
    weight[place, column] = (label > 0).to(target.dtype).unsqueeze(1)
    return (out * weight).flatten(1), weight.flatten(1)


def _proposal_rule(inputs: list, attrs: dict) -> list[Spec]:
    kind = inputs[0].dtype
    wide = Spec((-1, 4 * int(attrs["class_nums"])), kind)
    return [Spec((-1, 4), kind), Spec((-1, 1), VarType.INT32), wide, wide, wide, Spec((-1,), kind)]


@op(
    "generate_proposal_labels",
    "RpnRois GtClasses IsCrowd GtBoxes ImInfo MaxOverlap? -> Rois LabelsInt32 BboxTargets "
    "BboxInsideWeights BboxOutsideWeights MaxOverlapWithGT?",
    lod="own",
    infer=_proposal_rule,
    differentiable=False,
    dtypes="full",
    random=True,
)
def generate_proposal_labels(
    rois, classes, crowd, boxes, info, overlap=None, *, batch_size_per_im=REQUIRED,
    fg_fraction=REQUIRED,
    fg_thresh=REQUIRED, bg_thresh_hi=REQUIRED, bg_thresh_lo=REQUIRED, bbox_reg_weights=REQUIRED,
    class_nums=REQUIRED, use_random=True, is_cascade_rcnn=False, is_cls_agnostic=False
):  # fmt: skip
    """Proposals and true boxes that are trained on, with their classes and offsets.

    In a cascade they are all proposals with an inside. As in 1.8, true boxes are none of them then,
    and marks of crowds count for proposals; not so where MaxOverlap tells which ones are copies.
    """
    name = "generate_proposal_labels"
    _check(name, [rois, boxes], [classes, crowd], info)
    settings = _Settings(
        batch_size_per_im, fg_fraction, fg_thresh, bg_thresh_hi, bg_thresh_lo, use_random,
        is_cascade_rcnn,
    )  # fmt: skip
    found = []
    own, true = spans(name, "RpnRois", rois, len(info)), spans(name, "GtBoxes", boxes, len(info))
    for i, (mine, at) in enumerate(zip(own, true, strict=True)):
        scale, ground = info[i, 2], boxes[at]
        if not len(ground):
            raise InvalidArgumentError(f"{name}: expected GtBoxes in every image, not none in {i}.")
        proposals = rois[mine] / scale
        if is_cascade_rcnn:
            used = torch.all(proposals[:, 2:] - proposals[:, :2] + 1 > 0, 1)
            used = used if overlap is None else used & (overlap.reshape(-1)[mine] < 1)
            proposals = proposals[used]
        alone = is_cascade_rcnn and overlap is None
        both = proposals if alone else torch.cat([ground, proposals])
        common = shares(both, ground)
        objects, matched, none = _chosen(common, crowd.reshape(-1)[at], settings)
        label = classes.reshape(-1)[at][matched].long()
        target = deltas(both[objects], ground[matched], list(bbox_reg_weights))
        rows = torch.cat([objects, none])
        wide, weight = _spread(target, label, class_nums, is_cls_agnostic, len(rows))
        kind = torch.zeros(len(rows), 1, dtype=torch.int32, device=rois.device)
        kind[: len(label), 0] = label.to(torch.int32)
        most, out = common[rows].amax(1), both[rows] * scale
        if alone:  # 1.8 scales the background twice
            out[len(objects) :] *= scale
        found.append((out, kind, wide, weight, weight.clone(), most))
    number = torch.zeros(0, dtype=torch.int32, device=rois.device)
    likes, wide = (rois, number, rois, rois, rois, rois), 4 * class_nums
    widths = (4, 1, wide, wide, wide, None)
    parts = list(zip(*found, strict=True)) or [()] * 6
    return tuple(joined(list(p), k, w) for p, k, w in zip(parts, likes, widths, strict=True))


# -- masks ----------------------------------------------------------------------------------------

_FINE = 5.0  # points of an edge for each cell


def _edge(points: torch.Tensor) -> torch.Tensor:
    """All cells of the fine grid that a closed line runs through, in order, [count, 2]."""
    corner = (_FINE * points + 0.5).trunc().long()
    parts = []
    for start, end in zip(corner.tolist(), corner.roll(-1, 0).tolist(), strict=True):
        (xs, ys), (xe, ye) = start, end
        dx, dy = abs(xe - xs), abs(ye - ys)
        turned = (dx >= dy and xs > xe) or (dx < dy and ys > ye)
        if turned:
            xs, ys, xe, ye = xe, ye, xs, ys
        steps = torch.arange(max(dx, dy) + 1, dtype=torch.float64)
        steps = steps.flip(0) if turned else steps
        if dx >= dy:
            rise = (ye - ys) / dx if dx else 0.0
            part = [steps + xs, (ys + rise * steps + 0.5).trunc()]
        else:
            part = [(xs + (xe - xs) / dy * steps + 0.5).trunc(), steps + ys]
        parts.append(torch.stack(part, 1))
    return torch.cat(parts)


def filled(points: torch.Tensor, size: int) -> torch.Tensor:
    """Which cells of a grid [size, size] lie inside of a polygon [corners, 2], by COCO's rule."""
    line = _edge(points.cpu().double())
    before, after = line[:-1], line[1:]
    crossed = torch.where(after[:, 0] < before[:, 0], after[:, 0], after[:, 0] - 1)
    column = (crossed + 0.5) / _FINE - 0.5
    row = torch.minimum(after[:, 1], before[:, 1])
    row = torch.ceil(((row + 0.5) / _FINE - 0.5).clamp(0, size))
    counted = (after[:, 0] != before[:, 0]) & (column == column.floor())
    counted &= (column >= 0) & (column <= size - 1)
    place = (column * size + row)[counted].long()
    turns = torch.zeros(size * size + 1, dtype=torch.int64).index_add_(
        0, place, torch.ones_like(place)
    )
    inside = turns[:-1].cumsum(0) % 2 == 1
    return inside.reshape(size, size).t()


def _mask(polygons: list, box: torch.Tensor, size: int) -> torch.Tensor:
    """The cells of a box that any of some polygons covers."""
    extent = (box[2:] - box[:2]).clamp(min=1.0)
    found = torch.zeros(size, size, dtype=torch.bool)
    for polygon in polygons:
        found |= filled((polygon - box[:2]) * size / extent, size)
    return found.to(box.device)


def _mask_rule(inputs: list, attrs: dict) -> list[Spec]:
    width = int(attrs["num_classes"]) * int(attrs["resolution"]) ** 2
    number = Spec((-1, 1), VarType.INT32)
    return [Spec((-1, 4), inputs[4].dtype), number, Spec((-1, width), VarType.INT32)]


def _polygons(segments: torch.Tensor, images: int) -> list[list[list[torch.Tensor]]]:
    """The polygons of each object of each image."""
    levels: Any = getattr(segments, "_lod", None)
    if not levels or len(levels) != 3 or len(levels[0]) != images + 1:
        raise InvalidArgumentError(
            f"generate_mask_labels: expected GtSegms of {images} images with 3 levels (LoD): the "
            f"objects of an image, their polygons, the points of these; received {levels or 'none'}"
        )
    of_image, of_object, of_polygon = levels

    def points(k: int) -> torch.Tensor:
        return segments[of_polygon[k] : of_polygon[k + 1]]

    return [
        [[points(k) for k in range(of_object[j], of_object[j + 1])]
         for j in range(of_image[i], of_image[i + 1])]
        for i in range(images)
    ]  # fmt: skip


@op(
    "generate_mask_labels",
    "ImInfo GtClasses IsCrowd GtSegms Rois LabelsInt32 -> MaskRois RoiHasMaskInt32 MaskInt32",
    lod="own",
    infer=_mask_rule,
    differentiable=False,
    dtypes="full",
)
def generate_mask_labels(
    info, classes, crowd, segments, rois, labels, *, num_classes=REQUIRED, resolution=REQUIRED
):
    """Masks of the object that each proposal overlaps most; -1 in the columns of other classes."""
    name, found = "generate_mask_labels", []
    images = info.shape[0]
    if rois.dim() != 2 or rois.shape[1] != 4 or labels.numel() != len(rois):
        raise InvalidArgumentError(
            f"{name}: expected Rois [count, 4] with a class each as LabelsInt32, but received "
            f"{list(rois.shape)} and {list(labels.shape)}."
        )
    true, own = spans(name, "GtClasses", classes, images), spans(name, "Rois", rois, images)
    shapes = _polygons(segments, images)
    for i, (at, mine) in enumerate(zip(true, own, strict=True)):
        used = (classes.reshape(-1)[at] > 0) & (crowd.reshape(-1)[at] == 0)
        polygons = [p for p, u in zip(shapes[i], used.tolist(), strict=True) if u]
        label, scale = labels.reshape(-1)[mine].long(), info[i, 2]
        place = torch.nonzero(label > 0).reshape(-1)
        if len(place) and not polygons:
            raise InvalidArgumentError(
                f"{name}: expected GtSegms of an object in image {i}, whose Rois have classes."
            )
        boxes, kind = rois[mine][place] / scale, label[place]
        if len(place):
            best = torch.argmax(shares(boxes, _around(polygons, rois)), 1).tolist()
            cells = [
                _mask(polygons[b], box, resolution) for b, box in zip(best, boxes, strict=True)
            ]
        else:  # the first of the background stands for none
            place = torch.nonzero(label == 0).reshape(-1)[:1]
            boxes, kind, cells = rois[mine][place] / scale, label[place], []
        mask = torch.full((len(place), num_classes, resolution**2), -1, device=rois.device)
        for row, cell in enumerate(cells):
            mask[row, kind[row]] = cell.reshape(-1).long()
        marks = place.to(torch.int32).unsqueeze(1)
        found.append((boxes * scale, marks, mask.flatten(1).to(torch.int32)))
    number = torch.zeros(0, dtype=torch.int32, device=rois.device)
    widths = (4, 1, num_classes * resolution**2)
    parts = list(zip(*found, strict=True)) or [()] * 3
    likes = (rois, number, number)
    return tuple(joined(list(p), k, w) for p, k, w in zip(parts, likes, widths, strict=True))


def _around(polygons: list, like: torch.Tensor) -> torch.Tensor:
    """The box around all polygons of each object."""
    corners = [torch.cat(p) for p in polygons]
    return torch.stack([torch.cat([c.amin(0), c.amax(0)]) for c in corners]).to(like.dtype)
