"""Masks of the places where channels are strongest, each row and column once."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.op import REQUIRED, op


def _mask(plane: torch.Tensor) -> torch.Tensor:
    """The greatest values of [A, B], one after the other, no two in a row or column."""
    rows, columns = plane.shape
    out = torch.zeros(rows, columns, dtype=torch.bool)
    order = torch.argsort(plane.reshape(-1), descending=True, stable=True).tolist()
    used: tuple[set[int], set[int]] = (set(), set())
    for place in order:
        row, column = divmod(place, columns)
        if row in used[0] or column in used[1]:
            continue
        out[row, column] = True
        used[0].add(row)
        used[1].add(column)
        if len(used[0]) == min(rows, columns):
            break
    return out


@op("similarity_focus", "X -> Out", infer="same", differentiable=False, dtypes="full")
def similarity_focus(x, *, axis=REQUIRED, indexes=REQUIRED):
    """1 along ``axis`` where one of the slices ``indexes`` of it is chosen, else 0."""
    if x.dim() != 4 or axis not in (1, 2, 3) or not indexes:
        raise InvalidArgumentError(
            "similarity_focus: expected X [N, A, B, C], axis 1, 2 or 3 and at least one of "
            f"indexes, but received {list(x.shape)}, {axis} and {list(indexes)}."
        )
    if any(not 0 <= i < x.shape[axis] for i in indexes) and x.shape[axis] != 0:
        raise OutOfRangeError(
            f"similarity_focus(indexes): expected numbers in [0, {x.shape[axis]}), the size of "
            f"axis {axis}, but received {list(indexes)}."
        )
    if x.is_meta or not x.numel():
        return torch.zeros_like(x)
    planes = x.movedim(axis, 1)[:, list(indexes)].cpu()
    found = [torch.stack([_mask(p) for p in image]).any(0) for image in planes]
    mask = torch.stack(found).to(x.device, x.dtype).unsqueeze(axis)
    return mask.expand(x.shape).contiguous()
