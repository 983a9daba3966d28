"""Rows of several images below each other, as the levels of sequences tell them apart."""

from __future__ import annotations

from itertools import pairwise

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import NeedsData
from paddle.core.levels import levels_on, put_levels


def spans(name: str, slot: str, x: torch.Tensor, images: int | None = None) -> list[slice]:
    """Which rows belong to each image; without levels all are of one image.

    Args:
        name (str): the operator, for error texts.
        slot (str): the input, for error texts.
        x (torch.Tensor): the rows.
        images (int, optional): how many images there have to be.

    Raises:
        InvalidArgumentError: there are others, or the levels are of other rows.
    """
    levels = levels_on(x)
    if x.is_meta:
        raise NeedsData(f"{name}: the levels (LoD) of {slot}, a meta tensor; no data")
    ends = levels[-1] if levels else [0, x.shape[0]]
    if ends[-1] != x.shape[0] or (images is not None and len(ends) - 1 != images):
        raise InvalidArgumentError(
            f"{name}: expected {slot} to have the rows of "
            f"{'all' if images is None else images} image(s), but received shape {list(x.shape)} "
            f"with levels (LoD) {levels or 'that are not there'}.",
            hint="feed a LoDTensor with one level: the rows of each image",
        )
    return [slice(a, b) for a, b in pairwise(ends)]


def joined(parts: list[torch.Tensor], like: torch.Tensor, width: int | None = None) -> torch.Tensor:
    """The rows of all images below each other, with a level that says whose they are.

    Args:
        parts (list): the rows of each image.
        like (torch.Tensor): has the data type and device of an empty result.
        width (int, optional): the number of columns of an empty result; None: it has none.
    """
    if parts:
        out = torch.cat(parts)
    else:
        out = like.new_zeros((0,) if width is None else (0, width))
    ends = [0]
    for part in parts:
        ends.append(ends[-1] + part.shape[0])
    put_levels(out, [ends])
    return out


def shares(boxes: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
    """Intersection over union of boxes of whole pixels, [N, M]; 0 where they do not meet."""
    low = torch.maximum(boxes[:, None, :2], others[None, :, :2])
    high = torch.minimum(boxes[:, None, 2:], others[None, :, 2:])
    common = torch.prod((high - low + 1).clamp(min=0), -1)
    area = torch.prod(boxes[:, 2:] - boxes[:, :2] + 1, -1)
    other = torch.prod(others[:, 2:] - others[:, :2] + 1, -1)
    return torch.where(common > 0, common / (area[:, None] + other - common), 0.0)


def deltas(boxes: torch.Tensor, targets: torch.Tensor, weights=None) -> torch.Tensor:
    """How far each box of whole pixels is from its target, in parts of its size."""
    size, wanted = boxes[:, 2:] - boxes[:, :2] + 1, targets[:, 2:] - targets[:, :2] + 1
    moved = (targets[:, :2] + 0.5 * wanted - boxes[:, :2] - 0.5 * size) / size
    out = torch.cat([moved, torch.log(wanted / size)], 1)
    return out if weights is None else out / torch.tensor(weights, dtype=out.dtype).to(out.device)


def sampled(places: torch.Tensor, count: int, random: bool, source=None) -> torch.Tensor:
    """``count`` of some places, drawn at random or the first ones; all if there are not so many."""
    if count >= len(places):
        return places
    if random:
        order = torch.randperm(len(places), generator=source, device=places.device)
        return places[order[:count]]
    return places[: max(count, 0)]
