"""Mean average precision (mAP) of detected boxes, carried on from batch to batch."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import NeedsData, Spec
from paddle.core.levels import levels_on, put_levels
from paddle.core.op import REQUIRED, op

_KINDS = ("integral", "11point")
# By class: pairs of a score and 1 where a detection is of that kind, else 0.
_Marks = dict[int, list[list[float]]]


def _rows(slot: str, x: torch.Tensor, images: int | None = None) -> list[list[list[float]]]:
    """The rows of each image."""
    if x.is_meta:
        raise NeedsData(f"detection_map: the levels (LoD) of {slot}, a meta tensor; no data")
    levels = levels_on(x)
    ends = levels[-1] if levels else [0, x.shape[0]]
    if images is not None and len(ends) - 1 != images:
        raise InvalidArgumentError(
            f"detection_map: expected {slot} of as many images as DetectRes, {images}, but "
            f"received {len(ends) - 1}."
        )
    rows = x.tolist()
    return [rows[a:b] for a, b in pairwise(ends)]


def _share(a: list[float], b: list[float]) -> float:
    """Intersection over union."""
    if b[0] > a[2] or b[2] < a[0] or b[1] > a[3] or b[3] < a[1]:
        return 0.0
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    areas = [(c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)]
    return wide * high / (sum(areas) - wide * high)


def _mark(found: list, true: list, least: float, difficult: bool, hits: _Marks, misses: _Marks):
    """Says of every detection of an image whether it is right; both by class, best score first."""
    classes: dict[int, list] = {}
    for row in found:
        classes.setdefault(int(row[0]), []).append(row)
    for kind in sorted(classes):
        wanted = [row for row in true if int(row[0]) == kind]
        taken = [False] * len(wanted)
        rows = sorted(classes[kind], key=lambda r: -r[1]) if wanted else classes[kind]
        for row in rows:
            box = [min(max(v, 0.0), 1.0) for v in row[2:]]
            overlaps = [_share(box, w[-4:]) for w in wanted]
            best = max(overlaps, default=-1.0)
            right = False
            if best > least:
                at = overlaps.index(best)
                if not difficult and len(wanted[at]) == 6 and wanted[at][1]:
                    continue
                right, taken[at] = not taken[at], True
            hits.setdefault(kind, []).append([row[1], float(right)])
            misses.setdefault(kind, []).append([row[1], float(not right)])


def _precision(hits: list, misses: list, count: int, kind: str) -> float:
    """Average precision of a class that has ``count`` boxes."""
    order = [sorted(marks, key=lambda m: -m[0]) for marks in (hits, misses)]
    right = wrong = 0
    curve = []
    for (_, hit), (_, miss) in zip(*order, strict=True):
        right, wrong = right + int(hit), wrong + int(miss)
        curve.append((right / (right + wrong), right / count))
    if kind == "11point":
        return sum(max((p for p, r in curve if r >= i / 10 - 1e-7), default=0.0)
                   for i in range(11)) / 11  # fmt: skip
    total, before = 0.0, 0.0
    for precision, recall in curve:
        if abs(recall - before) > 1e-6:
            total += precision * abs(recall - before)
        before = recall
    return total


def _read(name: str, x: torch.Tensor | None) -> _Marks:
    """The marks so far: rows of each class below each other."""
    if x is None:
        return {}
    found = {i: rows for i, rows in enumerate(_rows(name, x)) if rows}
    return found if levels_on(x) else {}


def _written(marks: _Marks, classes: int, like: torch.Tensor) -> torch.Tensor:
    rows = [row for i in range(classes) for row in marks.get(i, [])]
    out = torch.tensor(rows, dtype=torch.float32, device=like.device).reshape(-1, 2)
    ends = [0]
    for i in range(classes):
        ends.append(ends[-1] + len(marks.get(i, [])))
    put_levels(out, [ends])
    return out


def _rule(inputs: list, attrs: dict) -> list[Spec]:
    marks = Spec((-1, 2), VarType.FP32)
    counts = Spec((int(attrs["class_num"]), 1), VarType.INT32)
    return [counts, marks, marks, Spec((1,), VarType.FP32)]


@op(
    "detection_map",
    "DetectRes Label HasState? PosCount? TruePos? FalsePos? -> AccumPosCount AccumTruePos "
    "AccumFalsePos MAP",
    lod="own",
    no_alias="AccumPosCount AccumTruePos AccumFalsePos MAP",
    infer=_rule,
    differentiable=False,
    dtypes="full",
)
def detection_map(
    found, true, has_state=None, count=None, right=None, wrong=None, *, class_num=REQUIRED,
    background_label=0, overlap_threshold=0.5, evaluate_difficult=True, ap_type="integral"
):  # fmt: skip
    """Detections [M, 6] against boxes [N, 6], or [N, 5] if none are marked as difficult."""
    _check(found, true, ap_type)
    images = _rows("DetectRes", found)
    labels = _rows("Label", true, len(images))
    state = has_state is not None and count is not None and bool(int(has_state.reshape(-1)[0]))
    hits, misses = (_read("TruePos", right), _read("FalsePos", wrong)) if state else ({}, {})
    numbers: dict[int, int] = {}
    if state:
        numbers = {i: int(n) for i, n in enumerate(count.reshape(-1).tolist()) if n}
    for mine, theirs in zip(images, labels, strict=True):
        for row in theirs:
            if evaluate_difficult or len(row) == 5 or not row[1]:
                numbers[int(row[0])] = numbers.get(int(row[0]), 0) + 1
        _mark(mine, theirs, overlap_threshold, evaluate_difficult, hits, misses)
    scores = []
    for kind in sorted(numbers):
        if numbers[kind] == background_label:  # 1.8 compares the number of boxes with it
            continue
        marks: tuple[Any, Any] = (hits.get(kind, []), misses.get(kind, []))
        scores.append(_precision(*marks, numbers[kind], ap_type))
    mean = sum(scores) / len(scores) if scores else 0.0
    counts = torch.zeros(class_num, 1, dtype=torch.int32)
    for kind, n in numbers.items():
        if kind < class_num:
            counts[kind] = n
    return (
        counts.to(found.device), _written(hits, class_num, found),
        _written(misses, class_num, found), torch.tensor([mean], device=found.device),
    )  # fmt: skip


def _check(found, true, kind: str) -> None:
    if kind not in _KINDS:
        raise InvalidArgumentError(
            f"detection_map(ap_type): expected {' or '.join(_KINDS)}, but received {kind}."
        )
    widths = [t.shape[1] if t.dim() == 2 else 0 for t in (found, true)]
    if widths[0] != 6 or widths[1] not in (5, 6):
        raise InvalidArgumentError(
            "detection_map: expected DetectRes [M, 6] and Label [N, 6] or [N, 5], but received "
            f"{list(found.shape)} and {list(true.shape)}."
        )
