"""Prior boxes of the single-shot detector (SSD)."""

from __future__ import annotations

import math

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op


def expand_ratios(ratios: list[float], flip: bool) -> list[float]:
    """The ratios without repetition, 1 first, with their reciprocals where asked for."""
    found = [1.0]
    for ratio in ratios:
        if any(abs(ratio - known) < 1e-6 for known in found):
            continue
        found += [ratio, 1.0 / ratio] if flip else [ratio]
    return found


def _shapes(min_sizes, max_sizes, ratios, order: bool) -> list[tuple[float, float]]:
    """Width and height of the boxes of one cell."""
    shapes = []
    for i, size in enumerate(min_sizes):
        of_ratios = [(size * math.sqrt(r), size / math.sqrt(r)) for r in ratios]
        larger = [(math.sqrt(size * max_sizes[i]),) * 2] if max_sizes else []
        shapes += [*of_ratios[:1], *larger, *of_ratios[1:]] if order else [*of_ratios, *larger]
    return shapes


def _rule(inputs: list, attrs: dict) -> list[Spec]:
    feature = inputs[0]
    _check(inputs[0], inputs[1], attrs)
    ratios = expand_ratios(attrs["aspect_ratios"], attrs["flip"])
    count = len(ratios) * len(attrs["min_sizes"]) + len(attrs["max_sizes"])
    made = Spec((*feature.shape[2:], count, 4), feature.dtype)
    return [made, made]


def _check(feature, image, attrs: dict) -> None:
    if len(feature.shape) != 4 or len(image.shape) != 4:
        raise InvalidArgumentError(
            "prior_box: expected Input and Image of shape [N, C, H, W], but received "
            f"{list(feature.shape)} and {list(image.shape)}."
        )
    smallest, largest = attrs["min_sizes"], attrs["max_sizes"]
    if not smallest or min(smallest) <= 0 or any(r <= 0 for r in attrs["aspect_ratios"]):
        raise InvalidArgumentError(
            "prior_box: expected min_sizes and aspect_ratios > 0, but received "
            f"{list(smallest)} and {list(attrs['aspect_ratios'])}."
        )
    if largest and (
        len(largest) != len(smallest) or any(b <= a for a, b in zip(smallest, largest, strict=True))
    ):
        raise InvalidArgumentError(
            "prior_box: expected a larger one of max_sizes for each of min_sizes "
            f"{list(smallest)}, but received {list(largest)}."
        )
    if len(attrs["variances"]) not in (0, 4) or any(v <= 0 for v in attrs["variances"]):
        raise InvalidArgumentError(
            f"prior_box: expected 4 variances > 0, but received {list(attrs['variances'])}."
        )


@op(
    "prior_box",
    "Input Image -> Boxes Variances",
    infer=_rule,
    differentiable=False,
    dtypes="floats",
)
def prior_box(
    feature, image, *, min_sizes=REQUIRED, max_sizes=(), aspect_ratios=(), variances=(), flip=True,
    clip=True, step_w=0.0, step_h=0.0, offset=0.5, min_max_aspect_ratios_order=False,
):  # fmt: skip
    """Left, top, right and bottom of every box, in parts of the image."""
    attrs = {"min_sizes": min_sizes, "max_sizes": max_sizes, "aspect_ratios": aspect_ratios}
    _check(feature, image, {**attrs, "variances": variances})
    (rows, columns), (height, width) = feature.shape[2:], image.shape[2:]
    if step_w == 0 or step_h == 0:
        step_w, step_h = width / columns, height / rows
    ratios = expand_ratios(aspect_ratios, flip)
    shapes = _shapes(min_sizes, max_sizes, ratios, min_max_aspect_ratios_order)
    kind = {"dtype": feature.dtype, "device": feature.device}
    half = torch.tensor(shapes, **kind) / 2.0
    x = (torch.arange(columns, **kind) + offset) * step_w
    y = (torch.arange(rows, **kind) + offset) * step_h
    centre = torch.stack(torch.meshgrid(x, y, indexing="xy"), -1).unsqueeze(2)
    size = torch.tensor([width, height], **kind)
    boxes = torch.cat([(centre - half) / size, (centre + half) / size], -1)
    if clip:
        boxes = boxes.clamp(0.0, 1.0)
    spread = torch.tensor(list(variances) or [0.1, 0.1, 0.2, 0.2], **kind)
    return boxes, spread.expand(boxes.shape).contiguous()
