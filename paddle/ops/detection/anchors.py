"""Anchor boxes and density prior boxes: boxes around every cell of a feature map."""

from __future__ import annotations

import math

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op

# -- density_prior_box ----------------------------------------------------------------------------


def _check_density(feature, image, attrs: dict) -> None:
    if len(feature.shape) != 4 or len(image.shape) != 4:
        raise InvalidArgumentError(
            "density_prior_box: expected Input and Image of shape [N, C, H, W], but received "
            f"{list(feature.shape)} and {list(image.shape)}."
        )
    sizes, densities = attrs.get("fixed_sizes", ()), attrs.get("densities", ())
    if len(sizes) != len(densities) or any(v <= 0 for v in (*sizes, *densities)):
        raise InvalidArgumentError(
            "density_prior_box: expected fixed_sizes > 0 and as many densities > 0, but received "
            f"{list(sizes)} and {list(densities)}."
        )
    if any(r <= 0 for r in attrs.get("fixed_ratios", ())):
        raise InvalidArgumentError(
            "density_prior_box: expected fixed_ratios > 0, but received "
            f"{list(attrs['fixed_ratios'])}."
        )
    _check_spread("density_prior_box", attrs["variances"])


def _check_spread(name: str, variances) -> None:
    if len(variances) != 4 or any(v <= 0 for v in variances):
        raise InvalidArgumentError(
            f"{name}: expected 4 variances > 0, but received {list(variances)}."
        )


def _density_rule(inputs: list, attrs: dict) -> list[Spec]:
    feature, image = inputs
    _check_density(feature, image, attrs)
    cells = feature.shape[2:]
    count = len(attrs.get("fixed_ratios", ())) * sum(d * d for d in attrs.get("densities", ()))
    shape = (*cells, count, 4)
    if attrs.get("flatten_to_2d", False):
        shape = (-1 if -1 in cells else cells[0] * cells[1] * count, 4)
    return [Spec(shape, feature.dtype)] * 2


def _dense(sizes, ratios, densities, step: int) -> list[tuple[float, float, float, float]]:
    """Offset of the centre (x, y) from the cell's and half the size of each box of a cell."""
    found = []
    for size, density in zip(sizes, densities, strict=True):
        shift = step // density
        first = shift / 2.0 - step / 2.0
        for ratio in ratios:
            half = size * math.sqrt(ratio) / 2.0, size / math.sqrt(ratio) / 2.0
            for row in range(density):
                for column in range(density):
                    found.append((first + column * shift, first + row * shift, *half))
    return found


@op(
    "density_prior_box",
    "Input Image -> Boxes Variances",
    infer=_density_rule,
    differentiable=False,
    dtypes="full",
)
def density_prior_box(
    feature, image, *, variances=REQUIRED, clip=True, flatten_to_2d=False, step_w=0.0, step_h=0.0,
    offset=0.5, fixed_sizes=(), fixed_ratios=(), densities=()
):  # fmt: skip
    """``density`` x ``density`` boxes of each size and ratio within a cell, in parts of the image.

    A cell is a square of the mean of both steps in whole pixels.
    """
    attrs = {"fixed_sizes": fixed_sizes, "fixed_ratios": fixed_ratios, "densities": densities}
    _check_density(feature, image, {**attrs, "variances": variances})
    (rows, columns), (height, width) = feature.shape[2:], image.shape[2:]
    if step_w == 0 or step_h == 0:
        step_w, step_h = width / max(columns, 1), height / max(rows, 1)
    kind = {"dtype": feature.dtype, "device": feature.device}
    shapes = _dense(fixed_sizes, fixed_ratios, densities, int((step_w + step_h) * 0.5))
    shift, half = torch.tensor(shapes, **kind).reshape(-1, 4).split(2, 1)
    x = (torch.arange(columns, **kind) + offset) * step_w
    y = (torch.arange(rows, **kind) + offset) * step_h
    middle = torch.stack(torch.meshgrid(x, y, indexing="xy"), -1).unsqueeze(2) + shift
    size = torch.tensor([width, height], **kind)
    # Without clip, too, no box begins before the image or ends behind it.
    low = ((middle - half) / size).clamp(min=0.0)
    high = ((middle + half) / size).clamp(max=1.0)
    boxes = torch.cat([low, high], -1)
    boxes = boxes.clamp(0.0, 1.0) if clip else boxes
    spread = torch.tensor(list(variances), **kind).expand(boxes.shape).contiguous()
    if flatten_to_2d:
        return boxes.reshape(-1, 4), spread.reshape(-1, 4)
    return boxes, spread


# -- anchor_generator -----------------------------------------------------------------------------


def _check_anchors(feature, attrs: dict) -> None:
    if len(feature.shape) != 4:
        raise InvalidArgumentError(
            "anchor_generator: expected Input of shape [N, C, H, W], but received "
            f"{list(feature.shape)}."
        )
    sizes, ratios = attrs["anchor_sizes"], attrs["aspect_ratios"]
    if not sizes or not ratios or any(v <= 0 for v in (*sizes, *ratios)):
        raise InvalidArgumentError(
            "anchor_generator: expected anchor_sizes and aspect_ratios > 0, but received "
            f"{list(sizes)} and {list(ratios)}."
        )
    stride = attrs.get("stride", (16.0, 16.0))
    if len(stride) != 2 or any(v <= 0 for v in stride):
        raise InvalidArgumentError(
            f"anchor_generator: expected 2 numbers > 0 as stride, but received {list(stride)}."
        )
    _check_spread("anchor_generator", attrs["variances"])


def _anchor_rule(inputs: list, attrs: dict) -> list[Spec]:
    _check_anchors(inputs[0], attrs)
    count = len(attrs["anchor_sizes"]) * len(attrs["aspect_ratios"])
    return [Spec((*inputs[0].shape[2:], count, 4), inputs[0].dtype)] * 2


def _half_up(value: float) -> float:
    return math.floor(value + 0.5)


@op(
    "anchor_generator",
    "Input -> Anchors Variances",
    infer=_anchor_rule,
    differentiable=False,
    dtypes="full",
)
def anchor_generator(
    feature, *, anchor_sizes=REQUIRED, aspect_ratios=REQUIRED, variances=REQUIRED,
    stride=(16.0, 16.0), offset=0.5
):  # fmt: skip
    """Left, top, right and bottom in pixels; aspect ratios are height to width, here outermost.

    Shapes are made of a cell's area with sides in whole pixels, then brought to each size.
    """
    attrs = {"anchor_sizes": anchor_sizes, "aspect_ratios": aspect_ratios, "stride": stride}
    _check_anchors(feature, {**attrs, "variances": variances})
    wide, high = stride
    shapes = []
    for ratio in aspect_ratios:
        base_w = _half_up(math.sqrt(wide * high / ratio))
        base_h = _half_up(base_w * ratio)
        shapes += [(size / wide * base_w, size / high * base_h) for size in anchor_sizes]
    kind = {"dtype": feature.dtype, "device": feature.device}
    half = (torch.tensor(shapes, **kind) - 1.0) * 0.5
    rows, columns = feature.shape[2:]
    x = torch.arange(columns, **kind) * wide + offset * (wide - 1.0)
    y = torch.arange(rows, **kind) * high + offset * (high - 1.0)
    middle = torch.stack(torch.meshgrid(x, y, indexing="xy"), -1).unsqueeze(2)
    boxes = torch.cat([middle - half, middle + half], -1)
    return boxes, torch.tensor(list(variances), **kind).expand(boxes.shape).contiguous()
