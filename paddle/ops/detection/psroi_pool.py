"""PS-RoI pooling, precise RoI pooling and RoI perspective: regions of an image at one size."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.detection.roi_and_yolo import check_regions, region_counts
from paddle.ops.math.half import HALF


def _image_numbers(counts: list[int], device: torch.device) -> torch.Tensor:
    return torch.repeat_interleave(torch.tensor(counts, dtype=torch.int64)).to(device)


def _wide(value: torch.Tensor) -> torch.Tensor:
    """16 bits are too few for places in an image."""
    return value.float() if value.dtype in HALF else value


# -- sensitive positions --------------------------------------------------------------------------


def _psroi_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, rois = inputs[:2]
    bins = (attrs["pooled_height"], attrs["pooled_width"])
    return [Spec((rois.shape[0], attrs["output_channels"], *bins), x.dtype)]


def _edges(low, high, scale: float, size: int, bins: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The first pixel of each bin of each region, and the one behind its last: [count, bins]."""
    start, end = _rounded(low) * scale, (_rounded(high) + 1.0) * scale
    step = (end - start).clamp(min=0.1) / bins
    number = torch.arange(bins, dtype=low.dtype, device=low.device)
    first = torch.floor(number * step[:, None] + start[:, None])
    behind = torch.ceil((number + 1.0) * step[:, None] + start[:, None])
    return first.clamp(0, size).long(), behind.clamp(0, size).long()


def _rounded(value: torch.Tensor) -> torch.Tensor:
    return torch.trunc(value + torch.copysign(torch.full_like(value, 0.5), value))


@op("psroi_pool", "X ROIs~ RoisNum?~ -> Out", infer=_psroi_rule, dtypes="floats")
def psroi_pool(
    x, rois, numbers=None, *, pooled_height=1, pooled_width=1, output_channels=1, spatial_scale=1.0
):
    """Means of the pixels of each bin, each from a channel of its own: arXiv 1605.06409."""
    channels = output_channels * pooled_height * pooled_width
    if x.dim() != 4 or x.shape[1] != channels or channels <= 0:
        raise InvalidArgumentError(
            "psroi_pool: expected X [N, C, H, W] with C = output_channels * pooled_height * "
            f"pooled_width = {channels} > 0, but received {list(x.shape)}."
        )
    if x.is_meta:
        check_regions("psroi_pool", x, rois, numbers)
        return x.new_empty([rois.shape[0], output_channels, pooled_height, pooled_width])
    counts = region_counts("psroi_pool", x, rois, numbers)
    left, top, right, bottom = _wide(rois).unbind(1)
    high, wide = x.shape[2:]
    y0, y1 = (e[:, None, :, None] for e in _edges(top, bottom, spatial_scale, high, pooled_height))
    x0, x1 = (e[:, None, None, :] for e in _edges(left, right, spatial_scale, wide, pooled_width))
    # Sums of all rectangles that begin in the corner: a bin needs four of them, whatever its size.
    # Their differences lose as many digits as the image has pixels, hence float64.
    sums = torch.nn.functional.pad(x.double().cumsum(2).cumsum(3), (1, 0, 1, 0))
    sums = sums.unflatten(1, (output_channels, pooled_height, pooled_width))
    image = _image_numbers(counts, x.device)[:, None, None, None]
    channel, row, column = (
        torch.arange(n, device=x.device).reshape([-1 if i == k else 1 for i in range(3)])
        for k, n in enumerate(sums.shape[1:4])
    )

    def below(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return sums[image, channel, row, column, y, x]

    total = below(y1, x1) - below(y0, x1) - below(y1, x0) + below(y0, x0)
    area = ((y1 - y0) * (x1 - x0)).expand(total.shape)
    empty = torch.logical_or(y1 <= y0, x1 <= x0)
    return (total.masked_fill(empty, 0.0) / area.clamp(min=1)).to(x.dtype)


# -- without rounding -----------------------------------------------------------------------------


def _prroi_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, rois = inputs[:2]
    shape = (rois.shape[0], x.shape[1], attrs["pooled_height"], attrs["pooled_width"])
    return [Spec(shape, x.dtype)]


def _integrals(low, high, size: int, bins: int) -> tuple[torch.Tensor, torch.Tensor]:
    """What a pixel adds to the integral over each bin along one axis [count, bins, size]; the step.

    A pixel stands for a tent of width 2; its integral up to t is 1/2 + t - t|t|/2 within [-1, 1].
    """
    step = (high - low).clamp(min=0.0) / bins
    number = torch.arange(bins + 1, dtype=low.dtype, device=low.device)
    border = low[:, None] + number * step[:, None]
    pixels = torch.arange(size, dtype=low.dtype, device=low.device)
    t = (border[..., None] - pixels).clamp(-1.0, 1.0)
    upto = t - t * torch.abs(t) / 2
    return upto[:, 1:] - upto[:, :-1], step


@op("prroi_pool", "X ROIs BatchRoINums?~ -> Out", infer=_prroi_rule, dtypes="floats")
def prroi_pool(x, rois, numbers=None, *, spatial_scale=1.0, pooled_height=1, pooled_width=1):
    """Means of the interpolated image over each bin, https://arxiv.org/abs/1807.11590."""
    if x.is_meta:
        check_regions("prroi_pool", x, rois, numbers)
        return x.new_empty([rois.shape[0], x.shape[1], pooled_height, pooled_width])
    counts = region_counts("prroi_pool", x, rois, numbers)
    left, top, right, bottom = (_wide(rois) * spatial_scale).unbind(1)
    high, wide = x.shape[2:]
    down, step_down = _integrals(top, bottom, high, pooled_height)
    across, step_across = _integrals(left, right, wide, pooled_width)
    images = _wide(x).to(down.dtype)
    made = [
        torch.einsum("rph,chw,rqw->rcpq", a, image, b)
        for image, a, b in zip(images, down.split(counts), across.split(counts), strict=True)
        if len(a)
    ]
    if not made:
        return x.new_zeros(0, x.shape[1], pooled_height, pooled_width) + 0.0 * torch.sum(rois)
    area = step_down * step_across
    area = torch.where(area > 0, area, torch.ones_like(area))  # what has no area has sums of 0
    return (torch.cat(made) / area[:, None, None, None]).to(x.dtype)


# -- quadrangles ----------------------------------------------------------------------------------


def _matrices(x: torch.Tensor, y: torch.Tensor, high: int, wide: int) -> torch.Tensor:
    """The matrix that takes a place in the result into each quadrangle: [count, 9], row by row.

    Corners come clockwise from the upper left one. The result keeps the quadrangle's proportions
    at its full height, so that only its left part is used where the quadrangle is narrow.
    """
    sides = torch.hypot(x - x.roll(-1, 1), y - y.roll(-1, 1))
    width, height = (sides[:, 0] + sides[:, 2]) / 2, (sides[:, 1] + sides[:, 3]) / 2
    rows = max(2, high)
    columns = _rounded(width * (rows - 1) / height) + 1
    columns = torch.nan_to_num(columns, nan=2.0).clamp(max=float(wide)).clamp(min=2.0)
    (x0, x1, x2, x3), (y0, y1, y2, y3) = x.unbind(1), y.unbind(1)
    dx1, dx2, dx3 = x1 - x2, x3 - x2, x0 - x1 + x2 - x3
    dy1, dy2, dy3 = y1 - y2, y3 - y2, y0 - y1 + y2 - y3
    scale = dx1 * dy2 - dx2 * dy1 + 1e-5
    g = (dx3 * dy2 - dx2 * dy3) / scale / (columns - 1)
    h = (dx1 * dy3 - dx3 * dy1) / scale / (rows - 1)
    last = torch.ones_like(g)
    return torch.stack(
        [
            (x1 - x0) / (columns - 1) + g * x1, (x3 - x0) / (rows - 1) + h * x3, x0,
            (y1 - y0) / (columns - 1) + g * y1, (y3 - y0) / (rows - 1) + h * y3, y0,
            g, h, last,
        ],
        1,
    )  # fmt: skip


def _within(px, py, x, y) -> torch.Tensor:
    """Whether points [count, high, wide] lie in quadrangles [count, 4] or on their borders."""
    px, py = px.unsqueeze(1), py.unsqueeze(1)
    xs, ys = x[..., None, None], y[..., None, None]
    xe, ye = xs.roll(-1, 1), ys.roll(-1, 1)
    near = 1e-4
    left, right = torch.minimum(xs, xe), torch.maximum(xs, xe)
    upper, lower = torch.minimum(ys, ye), torch.maximum(ys, ye)
    flat = torch.abs(ys - ye) < near
    cut = (py - ys) * (xe - xs) / torch.where(flat, torch.ones_like(ys), ye - ys) + xs
    beside = (torch.abs(py - ys) < near) & (px >= left - near) & (px <= right + near)
    across = (torch.abs(cut - px) < near) & (py >= upper - near) & (py <= lower + near)
    border = torch.any(torch.where(flat, beside, across), 1)
    crossed = ~flat & (py > upper + near) & (py <= lower + near) & (cut > px)
    return border | torch.eq(torch.sum(crossed, 1) % 2, 1)


def _interpolated(x, image: torch.Tensor, px, py) -> torch.Tensor:
    """Values of the images between pixels, beyond the border its own: [count, C, high, wide]."""
    high, wide = x.shape[2:]
    px, py = px.clamp(0, wide - 1), py.clamp(0, high - 1)
    left, upper = torch.floor(px), torch.floor(py)
    right_part, lower_part = (px - left).unsqueeze(1), (py - upper).unsqueeze(1)
    left, upper = left.long(), upper.long()
    right, lower = (left + 1).clamp(max=wide - 1), (upper + 1).clamp(max=high - 1)
    flat, image = x.permute(1, 0, 2, 3), image[:, None, None]
    a, b = flat[:, image, upper, left], flat[:, image, upper, right]
    c, d = flat[:, image, lower, left], flat[:, image, lower, right]
    a, b, c, d = (t.transpose(0, 1) for t in (a, b, c, d))
    above, below = a + (b - a) * right_part, c + (d - c) * right_part
    return above + (below - above) * lower_part


def _quadrangle_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, count = inputs[0], inputs[1].shape[0]
    size = (attrs["transformed_height"], attrs["transformed_width"])
    out, mask = Spec((count, x.shape[1], *size), x.dtype), Spec((count, 1, *size), VarType.INT32)
    return [out, mask, Spec((count, 9), x.dtype)]


@op(
    "roi_perspective_transform",
    "X ROIs~ -> Out Mask~ TransformMatrix~",
    lod="own",
    infer=_quadrangle_rule,
    dtypes="full",
)
def roi_perspective_transform(
    x, rois, *, spatial_scale=1.0, transformed_height=1, transformed_width=1
):
    """Quadrangles made upright rectangles, where they lie within the image; 0 elsewhere."""
    size = (transformed_height, transformed_width)
    if x.is_meta:
        check_regions("roi_perspective_transform", x, rois, columns=8)
        mask = x.new_empty([rois.shape[0], 1, *size], dtype=torch.int32)
        out = x.new_empty([rois.shape[0], x.shape[1], *size])
        return out, mask, x.new_empty([rois.shape[0], 9])
    counts = region_counts("roi_perspective_transform", x, rois, None, columns=8)
    qx, qy = (rois * spatial_scale).unflatten(1, (4, 2)).unbind(2)
    matrix = _matrices(qx, qy, *size)
    m = matrix[..., None, None].unbind(1)
    column = torch.arange(size[1], dtype=x.dtype, device=x.device)
    row = torch.arange(size[0], dtype=x.dtype, device=x.device)[:, None]
    below = m[6] * column + m[7] * row + m[8]
    px = (m[0] * column + m[1] * row + m[2]) / below
    py = (m[3] * column + m[4] * row + m[5]) / below
    high, wide = x.shape[2:]
    seen = _within(px, py, qx, qy) & (px > -0.5) & (px < wide - 0.5)
    seen = seen & (py > -0.5) & (py < high - 0.5)
    px, py = (torch.where(seen, p, torch.zeros_like(p)) for p in (px, py))  # NaN no longer
    out = _interpolated(x, _image_numbers(counts, x.device), px, py) * seen.unsqueeze(1)
    levels = getattr(rois, "_lod", None)
    if levels:
        out._lod = [list(level) for level in levels]
    return out, seen.to(torch.int32).unsqueeze(1), matrix
