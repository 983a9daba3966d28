"""Position-sensitive pooling of regions whose bins are moved by offsets that are learned."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op
from paddle.ops.detection.roi_and_yolo import _rounded, check_regions, region_counts


def _rule(inputs: list, attrs: dict) -> list[Spec]:
    x, rois = inputs[:2]
    shape = (
        rois.shape[0], int(attrs["output_dim"]), attrs["pooled_height"], attrs["pooled_width"]
    )  # fmt: skip
    return [Spec(shape, x.dtype)] * 2


def _check(x, trans, rois, no_trans: bool, depth: int, group: list, part: list) -> None:
    check_regions("deformable_psroi_pooling", x, rois)
    if len(group) != 2 or x.shape[1] != depth * group[0] * group[1]:
        raise InvalidArgumentError(
            f"deformable_psroi_pooling: expected Input of output_dim * group_size = {depth} * "
            f"{group} channels, but received {x.shape[1]}."
        )
    fits = trans.dim() == 4 and trans.shape[0] == rois.shape[0] and not trans.shape[1] % 2
    if not no_trans and not (fits and list(trans.shape[2:]) == list(part)):
        raise InvalidArgumentError(
            f"deformable_psroi_pooling: expected Trans [{rois.shape[0]}, 2 * classes, {part[0]}, "
            f"{part[1]}] (part_size), but received {list(trans.shape)}."
        )


def _grid(low, length, bins: int, samples: int, moved) -> torch.Tensor:
    """Coordinates of sample points along one axis; ``low`` and ``length`` are of the regions."""
    step = length / bins
    at = torch.arange(bins, dtype=low.dtype, device=low.device)
    inner = torch.arange(samples, dtype=low.dtype, device=low.device)
    start = at[None] * step[:, None] + low[:, None]
    return moved(start)[..., None] + inner * (step / samples)[:, None, None, None, None]


@op(
    "deformable_psroi_pooling",
    "Input ROIs~ Trans -> TopCount~ Output",
    infer=_rule,
    dtypes="floats",
)
def deformable_psroi_pooling(
    x, rois, trans, *, no_trans=REQUIRED, spatial_scale=REQUIRED, output_dim=REQUIRED,
    group_size=REQUIRED, pooled_height=REQUIRED, pooled_width=REQUIRED, part_size=REQUIRED,
    sample_per_part=REQUIRED, trans_std=REQUIRED
):  # fmt: skip
    """Means of interpolated points of each bin's own channels, https://arxiv.org/abs/1703.06211."""
    group, part, depth = list(group_size), list(part_size), output_dim
    _check(x, trans, rois, no_trans, depth, group, part)
    shape = (rois.shape[0], depth, pooled_height, pooled_width)
    if x.is_meta:
        return x.new_empty(shape), x.new_empty(shape)
    counts = region_counts("deformable_psroi_pooling", x, rois, None)
    place = torch.arange(len(counts), device=x.device)
    image = torch.repeat_interleave(place, torch.tensor(counts, device=x.device))
    corner = _rounded(rois.to(x.dtype))
    low = corner[:, :2] * spatial_scale - 0.5
    size = ((corner[:, 2:] + 1) * spatial_scale - 0.5 - low).clamp(min=0.1)
    bins = {"dtype": torch.int64, "device": x.device}
    row, column = torch.arange(pooled_height, **bins), torch.arange(pooled_width, **bins)
    kinds = torch.zeros(depth, **bins)
    if no_trans:
        shift = x.new_zeros(rois.shape[0], 2, depth, pooled_height, pooled_width)
    else:
        classes = trans.shape[1] // 2
        kinds = torch.arange(depth, **bins) // (depth // classes)
        part_row, part_column = row * part[0] // pooled_height, column * part[1] // pooled_width
        own = trans[:, :, part_row][..., part_column] * trans_std
        shift = own.unflatten(1, (classes, 2)).transpose(1, 2)[:, :, kinds]

    # [regions, depth, rows, columns, samples] along each axis
    def across(start: torch.Tensor) -> torch.Tensor:
        return start[:, None, None, :] + shift[:, 0] * size[:, 0, None, None, None]

    def down(start: torch.Tensor) -> torch.Tensor:
        return start[:, None, :, None] + shift[:, 1] * size[:, 1, None, None, None]

    u = _grid(low[:, 0], size[:, 0], pooled_width, sample_per_part, across).unsqueeze(-2)
    v = _grid(low[:, 1], size[:, 1], pooled_height, sample_per_part, down).unsqueeze(-1)
    high, wide = x.shape[2:]
    inside = (u >= -0.5) & (u <= wide - 0.5) & (v >= -0.5) & (v <= high - 0.5)
    group_row = (row * group[0] // pooled_height).clamp(0, group[0] - 1)
    group_column = (column * group[1] // pooled_width).clamp(0, group[1] - 1)
    channel = torch.arange(depth, **bins)[:, None, None] * group[0] + group_row[:, None]
    channel = (channel * group[1] + group_column)[..., None, None]
    picked = _between(x, image.reshape(-1, 1, 1, 1, 1, 1), channel, v, u)
    count = inside.sum((-1, -2)).to(x.dtype)
    total = torch.where(inside, picked, 0.0).sum((-1, -2))
    return count, total / count.clamp(min=1.0)


def _between(x, image, channel, v, u) -> torch.Tensor:
    """Values at the points (v, u) between pixels."""
    v, u = v.clamp(0, x.shape[2] - 1.0), u.clamp(0, x.shape[3] - 1.0)
    top, left = v.detach().floor(), u.detach().floor()
    bottom, right = v.detach().ceil().long(), u.detach().ceil().long()
    part_v, part_u = v - top, u - left
    top, left = top.long(), left.long()
    above = x[image, channel, top, left] * (1 - part_u) + x[image, channel, top, right] * part_u
    below = (
        x[image, channel, bottom, left] * (1 - part_u) + x[image, channel, bottom, right] * part_u
    )
    return above * (1 - part_v) + below * part_v
