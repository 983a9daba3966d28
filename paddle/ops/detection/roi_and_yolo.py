"""RoI align, RoI pooling and the decoding of YOLOv3's boxes."""

from __future__ import annotations

import itertools

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op

# -- regions of interest ------------------------------------------------------------------------


def _roi_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, rois = inputs[:2]
    shape = (rois.shape[0], x.shape[1], attrs["pooled_height"], attrs["pooled_width"])
    return [Spec(shape, x.dtype)]


def _counts(rois: torch.Tensor, numbers, offsets) -> list[int]:
    if numbers is not None:
        return numbers.reshape(-1).tolist()
    if offsets is not None:  # 1.8: where each image's regions begin, and the end of the last
        return torch.diff(offsets.reshape(-1)).tolist()
    levels = getattr(rois, "_lod", None)  # 1.8: what the operator that made them says
    return [b - a for a, b in itertools.pairwise(levels[-1])] if levels else [rois.shape[0]]


def check_regions(name: str, x, rois, numbers=None, offsets=None, columns: int = 4) -> None:
    """What can be said of regions and the numbers of them without looking at the numbers."""
    if x.dim() != 4 or rois.dim() != 2 or rois.shape[1] != columns:
        raise InvalidArgumentError(
            f"{name}: expected X [N, C, H, W] and ROIs [count, {columns}], but received "
            f"{list(x.shape)} and {list(rois.shape)}."
        )
    count = x.shape[0]
    if numbers is not None:
        count = numbers.numel()
    elif offsets is not None:
        count = offsets.numel() - 1
    if count != x.shape[0]:
        raise InvalidArgumentError(
            f"{name}: expected RoisNum to share {rois.shape[0]} regions among {x.shape[0]} images, "
            f"but received {count} numbers.",
            hint="with one image only, RoisNum may be left out",
        )


def region_counts(name: str, x, rois, numbers, offsets=None, columns: int = 4) -> list[int]:
    """How many of the regions belong to each image: as said, by LoD, or one image."""
    check_regions(name, x, rois, numbers, offsets, columns)
    counts = _counts(rois, numbers, offsets)
    if len(counts) != x.shape[0] or sum(counts) != rois.shape[0]:
        raise InvalidArgumentError(
            f"{name}: expected RoisNum to share {rois.shape[0]} regions among {x.shape[0]} images, "
            f"but received {counts}.",
            hint="with one image only, RoisNum may be left out",
        )
    return counts


def _sampling(low, high, size: int, bins: int, ratio: int, aligned: bool) -> torch.Tensor:
    """What every bin of every region takes of every pixel, along one axis: [count, bins, size].

    Bilinear interpolation is a product of one factor for each axis, and so is its mean over the
    points of a bin; a region is two matrix products then.
    """
    length = high - low if aligned else torch.clamp(high - low, min=1.0)
    step = length / bins
    points = torch.full_like(step, ratio) if ratio > 0 else torch.ceil(step)
    most = max(int(points.max()), 1) if points.numel() else 1
    at = torch.arange(most, dtype=low.dtype, device=low.device)
    used = torch.lt(at, points[:, None])
    inside = (at + 0.5) * (step / points.clamp(min=1.0))[:, None]
    starts = torch.arange(bins, dtype=low.dtype, device=low.device) * step[:, None]
    place = low[:, None, None] + starts[:, :, None] + inside[:, None, :]
    counted = torch.logical_and(place >= -1.0, place <= size) & used[:, None, :]
    place = place.clamp(0.0, size - 1.0)
    pixels = torch.arange(size, dtype=low.dtype, device=low.device)
    near = torch.clamp(1.0 - torch.abs(place[..., None] - pixels), min=0.0)
    total = torch.sum(near * counted[..., None], 2)
    return total / points.clamp(min=1.0)[:, None, None]


@op("roi_align", "X ROIs~ RoisNum?~ RoisLod?~ -> Out", infer=_roi_rule, dtypes="floats")
def roi_align(
    x, rois, numbers=None, offsets=None, *, pooled_height=1, pooled_width=1, spatial_scale=1.0,
    sampling_ratio=-1, aligned=False
):  # fmt: skip
    """Means of interpolated points, https://arxiv.org/abs/1703.06870."""
    if x.is_meta:
        check_regions("roi_align", x, rois, numbers, offsets)
        return x.new_empty([rois.shape[0], x.shape[1], pooled_height, pooled_width])
    counts = region_counts("roi_align", x, rois, numbers, offsets)
    left, top, right, bottom = (rois * spatial_scale - (0.5 if aligned else 0.0)).unbind(1)
    high, wide = x.shape[2:]
    down = _sampling(top, bottom, high, pooled_height, sampling_ratio, aligned).to(x.dtype)
    across = _sampling(left, right, wide, pooled_width, sampling_ratio, aligned).to(x.dtype)
    made = [
        torch.einsum("rph,chw,rqw->rcpq", a, image, b)
        for image, a, b in zip(x, down.split(counts), across.split(counts), strict=True)
        if len(a)
    ]
    return torch.cat(made) if made else x.new_zeros(0, x.shape[1], pooled_height, pooled_width)


def _bins(low: torch.Tensor, high: torch.Tensor, size: int, bins: int) -> torch.Tensor:
    """Which pixels each bin of each region covers along one axis: booleans [count, bins, size]."""
    step = torch.clamp(high - low + 1, min=1).to(torch.float32)[:, None] / bins
    number = torch.arange(bins, device=low.device)
    first = torch.floor(number * step) + low[:, None]
    last = torch.ceil((number + 1) * step) + low[:, None]
    pixels = torch.arange(size, device=low.device)
    return torch.logical_and(pixels >= first[..., None], pixels < last[..., None])


def _rounded(value: torch.Tensor) -> torch.Tensor:
    return torch.trunc(value + torch.copysign(torch.full_like(value, 0.5), value))


@op("roi_pool", "X ROIs~ RoisNum?~ RoisLod?~ -> Out Argmax~",
    infer=lambda i, a: [_roi_rule(i, a)[0], _argmax_spec(i, a)], dtypes="floats")  # fmt: skip
def roi_pool(
    x, rois, numbers=None, offsets=None, *, pooled_height=1, pooled_width=1, spatial_scale=1.0
):
    """The largest pixel of each bin, https://arxiv.org/abs/1504.08083, and its place."""
    if x.is_meta:
        check_regions("roi_pool", x, rois, numbers, offsets)
        shape = [rois.shape[0], x.shape[1], pooled_height, pooled_width]
        return x.new_empty(shape), x.new_empty(shape, dtype=torch.int64)
    counts = region_counts("roi_pool", x, rois, numbers, offsets)
    left, top, right, bottom = _rounded(rois * spatial_scale).unbind(1)
    high, wide = x.shape[2:]
    rows = _bins(top, bottom, high, pooled_height)
    columns = _bins(left, right, wide, pooled_width)
    images = torch.repeat_interleave(torch.tensor(counts)).tolist()
    outs, places = [], []
    for i, image in enumerate(images):
        out, place = _pooled(x[image], rows[i], columns[i])
        outs.append(out)
        places.append(place)
    if not outs:
        shape = [0, x.shape[1], pooled_height, pooled_width]
        return x.new_zeros(shape), x.new_zeros(shape, dtype=torch.int64)
    return torch.stack(outs), torch.stack(places)


def _pooled(image: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> tuple:
    """One region: the largest of each row within a column's bin, then of these rows."""
    lowest = -torch.inf
    of_rows = [image.masked_fill(~c, lowest).max(2) for c in columns]
    values = torch.stack([r.values for r in of_rows], 2)
    at = torch.stack([r.indices for r in of_rows], 2)
    of_bins = [values.masked_fill(~r[:, None], lowest).max(1) for r in rows]
    out = torch.stack([b.values for b in of_bins], 1)
    row = torch.stack([b.indices for b in of_bins], 1)
    place = row * image.shape[2] + torch.gather(at, 1, row)
    empty = ~torch.logical_and(rows.any(1)[:, None], columns.any(1))
    return out.masked_fill(empty, 0), place.masked_fill(empty, -1)


def _argmax_spec(inputs: list, attrs: dict) -> Spec:
    return Spec(_roi_rule(inputs, attrs)[0].shape, VarType.INT64)


@roi_pool.grad("X.shape ROIs Argmax RoisNum RoisLod")
def _(d_out, x_shape, rois, places, numbers, offsets):
    counts = torch.tensor(_counts(rois, numbers, offsets))
    images = torch.repeat_interleave(counts).to(d_out.device)
    flat = torch.zeros(x_shape, dtype=d_out.dtype, device=d_out.device).flatten(2)
    empty = torch.eq(places, -1)
    channel = torch.arange(x_shape[1], device=d_out.device)[:, None, None]
    where = (images[:, None, None, None], channel, places.masked_fill(empty, 0))
    grad = flat.index_put(where, d_out.masked_fill(empty, 0), accumulate=True)
    return grad.reshape(x_shape), None, None, None


# -- YOLO ---------------------------------------------------------------------------------------


def _yolo_rule(inputs: list, attrs: dict) -> list[Spec]:
    n, _, h, w = inputs[0].shape
    count = -1 if -1 in (h, w) else len(attrs["anchors"]) // 2 * h * w
    dtype = inputs[0].dtype
    return [Spec((n, count, 4), dtype), Spec((n, count, attrs["class_num"]), dtype)]


@op("yolo_box", "X ImgSize -> Boxes Scores", infer=_yolo_rule, differentiable=False)
def yolo_box(
    x, img_size, *, anchors=(), class_num=1, conf_thresh=0.01, downsample_ratio=32, clip_bbox=True,
    scale_x_y=1.0, iou_aware=False, iou_aware_factor=0.5
):  # fmt: skip
    """Boxes as left, top, right, bottom in pixels of the images, and a score for each class."""
    count = len(anchors) // 2
    channels = count * (6 + class_num if iou_aware else 5 + class_num)
    if x.dim() != 4 or x.shape[1] != channels or not count:
        raise InvalidArgumentError(
            f"yolo_box: expected X [N, {channels}, H, W] for {count} anchors and {class_num} "
            f"classes, but received {list(x.shape)}."
        )
    n, _, h, w = x.shape
    values = x[:, count if iou_aware else 0 :].reshape(n, count, 5 + class_num, h, w)
    trust = torch.sigmoid(values[:, :, 4])
    if iou_aware:
        overlap = torch.sigmoid(x[:, :count])
        trust = torch.pow(trust, 1.0 - iou_aware_factor) * torch.pow(overlap, iou_aware_factor)
    kept = torch.ge(trust, conf_thresh)
    size = img_size.to(x.dtype)
    high, wide = size[:, 0, None, None, None], size[:, 1, None, None, None]
    box = _boxes(values, anchors, downsample_ratio, scale_x_y, high, wide)
    if clip_bbox:  # each side on one side only, as PaddlePaddle does: left may lie beyond the width
        limit = torch.stack([wide, high], -1) - 1
        box = torch.cat([box[..., :2].clamp(min=0), torch.minimum(box[..., 2:], limit)], -1)
    box = torch.where(kept[..., None], box, torch.zeros_like(box))
    scores = torch.sigmoid(values[:, :, 5:]) * trust.masked_fill(~kept, 0)[:, :, None]
    return (
        box.reshape(n, count * h * w, 4),
        scores.permute(0, 1, 3, 4, 2).reshape(n, count * h * w, class_num),
    )


def _boxes(values, anchors, ratio: int, scale: float, high, wide) -> torch.Tensor:
    h, w = values.shape[-2:]
    columns = torch.arange(w, dtype=values.dtype, device=values.device)
    rows = torch.arange(h, dtype=values.dtype, device=values.device)[:, None]
    shift = -0.5 * (scale - 1.0)
    x = (columns + torch.sigmoid(values[:, :, 0]) * scale + shift) * wide / w
    y = (rows + torch.sigmoid(values[:, :, 1]) * scale + shift) * high / h
    sizes = torch.tensor(list(anchors), dtype=values.dtype, device=values.device).reshape(
        -1, 2, 1, 1
    )
    half_w = torch.exp(values[:, :, 2]) * sizes[:, 0] * wide / (ratio * w) / 2
    half_h = torch.exp(values[:, :, 3]) * sizes[:, 1] * high / (ratio * h) / 2
    return torch.stack([x - half_w, y - half_h, x + half_w, y + half_h], -1)
