"""Non-maximum suppression (NMS): plain, per class, and matrix NMS."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op
from paddle.ops.detection.overlap import BLOCK, area_share, overlaps

# -- greedy suppression ---------------------------------------------------------------------------


def greedy(boxes: torch.Tensor, share, threshold: float, eta: float = 1.0) -> torch.Tensor:
    """Positions of the boxes to keep; the boxes come best first.

    A box is kept unless it shares more than the threshold with one that is kept already. With
    ``eta`` below 1 each box that is kept lowers the threshold, down to about a half.

    Args:
        boxes (Tensor): [count, numbers of a box].
        share (callable): ``share(a, b)`` gives a matrix of how much boxes share.
        threshold (float): the largest share that is kept.
        eta (float): the factor for the threshold.
    """
    count = len(boxes)
    block = max(BLOCK // max(count, 1), 1)
    most = torch.full((count,), -torch.inf, dtype=boxes.dtype)  # shared with any one that is kept
    kept: list[int] = []
    at, start, rows = 0, -block, most
    while at < count:
        if at >= start + block:
            start, rows = at, share(boxes[at : at + block], boxes[at:]).cpu()
        kept.append(at)
        most = torch.maximum(most[-(count - at) :], rows[at - start, at - start :])
        if eta < 1 and threshold > 0.5:
            threshold *= eta
        free = torch.le(most[1:], threshold)
        step = int(free.byte().argmax()) if len(free) else 0
        if not len(free) or not free[step]:
            break
        at += 1 + step
    return torch.tensor(kept, dtype=torch.int64, device=boxes.device)


@op(
    "nms",
    "Boxes -> KeepBoxesIdxs",
    infer=lambda i, a: [Spec((-1,), VarType.INT64)],
    differentiable=False,
    dtypes="full",
)
def nms(boxes, *, iou_threshold=1.0):
    """Numbers of the boxes that are kept; they come best first."""
    if boxes.dim() != 2 or boxes.shape[1] != 4:
        raise InvalidArgumentError(
            f"nms: expected Boxes of shape [M, 4], but received {list(boxes.shape)}."
        )
    return greedy(boxes, area_share, iou_threshold)


# -- images and their boxes -----------------------------------------------------------------------


class _Images(NamedTuple):
    """Boxes and scores image by image."""

    boxes: list[torch.Tensor]  # [M, numbers], or [M, C, numbers]: every class has boxes of its own
    scores: list[torch.Tensor]  # [C, M]
    first: list[int]  # the number of the first box of each image
    own: bool  # whether every class has boxes of its own


def check(name: str, boxes, scores, sizes: tuple[int, ...]) -> None:
    shapes = f"{list(boxes.shape)} and {list(scores.shape)}"
    batch = len(scores.shape) == 3
    if len(boxes.shape) != 3 or len(scores.shape) not in (2, 3):
        raise InvalidArgumentError(
            f"{name}: expected BBoxes [N, M, 4] and Scores [N, C, M], or BBoxes [M, C, 4] and "
            f"Scores [M, C], but received {shapes}."
        )
    if boxes.shape[2] not in (sizes if batch else (4,)):
        raise InvalidArgumentError(
            f"{name}: expected boxes of {' or '.join(map(str, sizes if batch else (4,)))} numbers, "
            f"but received BBoxes {list(boxes.shape)}."
        )
    wanted = (boxes.shape[0], boxes.shape[1])
    if wanted != ((scores.shape[0], scores.shape[2]) if batch else tuple(scores.shape)):
        raise InvalidArgumentError(f"{name}: BBoxes and Scores do not fit together: {shapes}.")


def _images(name: str, boxes, scores, numbers) -> _Images:
    if scores.dim() == 3:
        first = [i * boxes.shape[1] for i in range(len(boxes))]
        return _Images(list(boxes), list(scores), first, False)
    lod = getattr(boxes, "_lod", None) or getattr(scores, "_lod", None)
    if numbers is not None:
        counts = numbers.reshape(-1).tolist()
    elif lod:
        counts = torch.diff(torch.tensor(lod[-1])).tolist()
    else:
        counts = [len(boxes)]
    if sum(counts) != len(boxes) or any(c < 0 for c in counts):
        raise InvalidArgumentError(
            f"{name}: expected the boxes of the images to be {len(boxes)} together, but received "
            f"{counts}."
        )
    parts = [part.t() for part in scores.split(counts)]
    first = [sum(counts[:i]) for i in range(len(counts))]
    return _Images(list(boxes.split(counts)), parts, first, True)


class Chosen(NamedTuple):
    """What is kept of one image, a row for each box."""

    label: torch.Tensor
    score: torch.Tensor
    place: torch.Tensor  # the box's number within the image

    def take(self, rows: torch.Tensor) -> Chosen:
        return Chosen(*(part[rows] for part in self))


def candidates(scores: torch.Tensor, background: int, threshold: float, most: int):
    """For each class with scores above the threshold: its number, scores and places, best first."""
    above = torch.gt(scores, threshold)
    for label, count in enumerate(above.sum(1).tolist()):
        if not count or label == background:
            continue
        places = above[label].nonzero().squeeze(1)
        found, order = torch.sort(scores[label][places], stable=True, descending=True)
        if most > -1:
            found, order = found[:most], order[:most]
        if len(order):
            yield label, found, places[order]


def joined(parts: list[Chosen], like: torch.Tensor) -> Chosen:
    if parts:
        return Chosen(*(torch.cat(column) for column in zip(*parts, strict=True)))
    nothing = torch.zeros(0, dtype=torch.int64, device=like.device)
    return Chosen(nothing, like.new_zeros(0), nothing)


def labelled(label: int, score: torch.Tensor, place: torch.Tensor) -> Chosen:
    return Chosen(torch.full_like(place, label), score, place)


class _Rows(NamedTuple):
    """The result of all images."""

    out: torch.Tensor
    numbers: torch.Tensor
    counts: list[int]


def _rows(images: _Images, found: list[Chosen], boxes, scores) -> _Rows:
    """Rows of label, score and box; and the number of each box among those of all images."""
    outs, indices = [], []
    classes = scores.shape[1]
    for part, first, chosen in zip(images.boxes, images.first, found, strict=True):
        box = part[chosen.place, chosen.label] if images.own else part[chosen.place]
        head = torch.stack([chosen.label.to(boxes.dtype), chosen.score.to(boxes.dtype)], 1)
        outs.append(torch.cat([head, box], 1))
        number = chosen.place + first
        indices.append(number * classes + chosen.label if images.own else number)
    counts = [len(chosen.label) for chosen in found]
    if not outs:
        empty = boxes.new_zeros(0, boxes.shape[2] + 2)
        return _Rows(empty, torch.zeros(0, 1, dtype=torch.int32, device=boxes.device), counts)
    index = torch.cat(indices).to(torch.int32).unsqueeze(1)
    return _Rows(torch.cat(outs), index, counts)


def with_levels(out: torch.Tensor, counts: list[int]) -> torch.Tensor:
    """The rows, which then know where each image begins."""
    out._lod = [[0, *itertools.accumulate(counts)]]  # type: ignore[attr-defined]
    return out


def _results(rows: _Rows) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    counts = torch.tensor(rows.counts, dtype=torch.int32, device=rows.out.device)
    return with_levels(rows.out, rows.counts), with_levels(rows.numbers, rows.counts), counts


def or_nothing(out: torch.Tensor) -> torch.Tensor:
    """The rows, or the one row that says in 1.x that there are none."""
    if not len(out):
        out = out.new_full((1, 1), -1.0)
        out._lod = [[0, 1]]  # type: ignore[attr-defined]
    return out


# -- multiclass_nms -------------------------------------------------------------------------------

SIZES = (4, 8, 16, 24, 32)  # two corners, or 4, 8, 12 or 16 corners of a polygon


class _Wanted(NamedTuple):
    """The attributes that the three operators have in common."""

    score_threshold: float
    nms_top_k: int
    keep_top_k: int
    nms_threshold: float
    normalized: bool
    nms_eta: float
    background_label: int


def _of_image(box, scores, own: bool, wanted: _Wanted) -> Chosen:
    """Suppression within each class, then the best of all classes.

    They are sorted by class, then by score, or by number where every class has its own boxes.
    """
    extra = 0.0 if wanted.normalized else 1.0

    def share(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return overlaps(a, b, extra)

    parts = []
    for label, score, place in candidates(
        scores, wanted.background_label, wanted.score_threshold, wanted.nms_top_k
    ):
        mine = box[place, label] if own else box[place]
        kept = greedy(mine, share, wanted.nms_threshold, wanted.nms_eta)
        if own:
            kept = kept[torch.argsort(place[kept])]
        parts.append(labelled(label, score[kept], place[kept]))
    return best_of_classes(joined(parts, scores), wanted.keep_top_k, own)


def best_of_classes(found: Chosen, most: int, own: bool) -> Chosen:
    """The ``most`` best rows (-1: all of them), sorted by class as before."""
    if not -1 < most < len(found.label):
        return found
    best = torch.sort(found.score, stable=True, descending=True)[1][:most]
    found = found.take(best.sort()[0] if own else best)
    return found.take(torch.sort(found.label, stable=True)[1])


def _multiclass(name: str, boxes, scores, numbers, wanted: _Wanted) -> _Rows:
    check(name, boxes, scores, SIZES)
    images = _images(name, boxes, scores, numbers)
    found = [
        _of_image(box, score, images.own, wanted)
        for box, score in zip(images.boxes, images.scores, strict=True)
    ]
    return _rows(images, found, boxes, scores)


def _multiclass_rule(name: str, sizes: tuple[int, ...] = SIZES):
    def rule(inputs: list, attrs: dict) -> list[Spec]:
        boxes, scores = inputs[:2]
        known = -1 not in (*boxes.shape, *scores.shape)
        if known:
            check(name, boxes, scores, sizes)
        width = boxes.shape[-1]
        if name == "multiclass_nms":  # where nothing is kept it gives one number instead
            return [Spec((-1, -1), boxes.dtype)]
        made = [
            Spec((-1, width if width == -1 else width + 2), boxes.dtype),
            Spec((-1, 1), VarType.INT32),
            Spec((-1,), VarType.INT32),
        ]
        return made[: 2 if name == "multiclass_nms2" else 3]

    return rule


@op(
    "multiclass_nms",
    "BBoxes Scores -> Out",
    lod="own",
    infer=_multiclass_rule("multiclass_nms"),
    differentiable=False,
    dtypes="full",
)
def multiclass_nms(
    boxes, scores, *, background_label=0, score_threshold=REQUIRED, nms_top_k=REQUIRED,
    nms_threshold=0.3, nms_eta=1.0, keep_top_k=REQUIRED, normalized=True
):  # fmt: skip
    """Rows of label, score and box, image by image; one row that is only -1 where nothing is."""
    wanted = _Wanted(
        score_threshold, nms_top_k, keep_top_k, nms_threshold, normalized, nms_eta, background_label
    )
    return or_nothing(_results(_multiclass("multiclass_nms", boxes, scores, None, wanted))[0])


@op(
    "multiclass_nms2",
    "BBoxes Scores -> Out Index",
    lod="own",
    infer=_multiclass_rule("multiclass_nms2"),
    differentiable=False,
    dtypes="full",
)
def multiclass_nms2(
    boxes, scores, *, background_label=0, score_threshold=REQUIRED, nms_top_k=REQUIRED,
    nms_threshold=0.3, nms_eta=1.0, keep_top_k=REQUIRED, normalized=True
):  # fmt: skip
    """Like multiclass_nms, no rows where nothing is; with the boxes' numbers among the input's."""
    wanted = _Wanted(
        score_threshold, nms_top_k, keep_top_k, nms_threshold, normalized, nms_eta, background_label
    )
    return _results(_multiclass("multiclass_nms2", boxes, scores, None, wanted))[:2]


@op(
    "multiclass_nms3",
    "BBoxes Scores RoisNum? -> Out Index NmsRoisNum",
    lod="own",
    infer=_multiclass_rule("multiclass_nms3"),
    differentiable=False,
    dtypes="full",
)
def multiclass_nms3(
    boxes, scores, numbers=None, *, score_threshold=REQUIRED, nms_top_k=REQUIRED,
    keep_top_k=REQUIRED, nms_threshold=0.3, normalized=True, nms_eta=1.0, background_label=0
):  # fmt: skip
    """Like multiclass_nms2, with the number of rows of each image."""
    wanted = _Wanted(
        score_threshold, nms_top_k, keep_top_k, nms_threshold, normalized, nms_eta, background_label
    )
    return _results(_multiclass("multiclass_nms3", boxes, scores, numbers, wanted))


# -- matrix_nms -----------------------------------------------------------------------------------


def _decay(boxes: torch.Tensor, extra: float, gaussian: bool, sigma: float) -> torch.Tensor:
    """The factor for the score of each box, for the better ones it overlaps.

    A better box counts the less the more it is itself covered by one that is better still.
    """
    count = len(boxes)
    covered = boxes.new_zeros(count)
    factor = boxes.new_ones(count)
    number = torch.arange(count, device=boxes.device)
    block = max(BLOCK // max(count, 1), 1)
    for start in range(0, count, block):
        end = min(start + block, count)
        share = overlaps(boxes[:end], boxes[start:end], extra)
        worse = number[:end, None] >= number[start:end]
        known = torch.nan_to_num(share, nan=0.0).masked_fill(worse, 0.0)
        covered[start:end] = known.amax(0).clamp(min=0.0)
        of_better = covered[:end, None]
        if gaussian:
            kept = torch.exp((of_better * of_better - share * share) * sigma)
        else:
            kept = (1.0 - share) / (1.0 - of_better)
        kept = torch.nan_to_num(kept, nan=1.0, posinf=1.0).masked_fill(worse, 1.0)
        factor[start:end] = kept.amin(0).clamp(max=1.0)
    return factor


@op(
    "matrix_nms",
    "BBoxes Scores -> Out Index RoisNum",
    lod="own",
    infer=_multiclass_rule("matrix_nms", (4,)),
    differentiable=False,
    dtypes="full",
)
def matrix_nms(
    boxes, scores, *, score_threshold=REQUIRED, nms_top_k=REQUIRED, keep_top_k=REQUIRED,
    post_threshold=0.0, use_gaussian=False, gaussian_sigma=2.0, background_label=0, normalized=True
):  # fmt: skip
    """Scores lowered by how much better boxes overlap, https://arxiv.org/abs/2003.10152.

    The rows of an image come best first, whatever their class.
    """
    check("matrix_nms", boxes, scores, (4,))
    if scores.dim() != 3:
        raise InvalidArgumentError(
            f"matrix_nms: expected Scores of shape [N, C, M], but received {list(scores.shape)}."
        )
    extra = 0.0 if normalized else 1.0
    images, found = _images("matrix_nms", boxes, scores, None), []
    for box, score in zip(images.boxes, images.scores, strict=True):
        parts = []
        for label, value, place in candidates(score, background_label, score_threshold, nms_top_k):
            value = value * _decay(box[place], extra, use_gaussian, gaussian_sigma)
            good = torch.gt(value, post_threshold)
            parts.append(labelled(label, value[good], place[good]))
        chosen = joined(parts, scores)
        order = torch.sort(chosen.score, stable=True, descending=True)[1]
        found.append(chosen.take(order[:keep_top_k] if keep_top_k > -1 else order))
    return _results(_rows(images, found, boxes, scores))
