"""Operators on gradients of tables that hold some rows only (SelectedRows), and on their numbers.

Their buffers are :class:`paddle.core.selected_rows.Rows`.
"""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.core.selected_rows import Rows


def _same(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec(inputs[0].shape, inputs[0].dtype)]


@op("get_tensor_from_selected_rows", "X -> Out", infer=_same, differentiable=False, lod="")
def get_tensor_from_selected_rows(x: Any) -> Any:
    """The values of the rows that are there, as they stand."""
    return x.values.clone() if isinstance(x, Rows) else x.clone()


@op("merge_selected_rows", "X -> Out", infer=_same, differentiable=False, lod="")
def merge_selected_rows(x: Any) -> Any:
    """Every row once, in ascending order, with the sum of its values."""
    if not isinstance(x, Rows):
        return x.clone()
    index, owner = torch.unique(x.index, return_inverse=True)
    values = x.values.new_zeros((len(index), *x.values.shape[1:]))
    return Rows(index, values.index_add_(0, owner, x.values), x.shape)


def _sections(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    return [[Spec((int(n), *x.shape[1:]), x.dtype) for n in attrs["height_sections"]]]


@op("split_selected_rows", "X -> Out*", infer=_sections, differentiable=False, lod="")
def split_selected_rows(x: Any, *, height_sections=()):
    """Parts of a table of so many rows each; their rows count from the start of the part."""
    heights = [int(n) for n in height_sections]
    if sum(heights) != x.shape[0]:
        raise InvalidArgumentError(
            f"split_selected_rows(height_sections): expected heights of {x.shape[0]} rows "
            f"together, but received {heights}."
        )
    if not isinstance(x, Rows):
        return [part.clone() for part in x.split(heights)]
    found, start = [], 0
    for height in heights:
        inside = (x.index >= start) & (x.index < start + height)
        shape = torch.Size((height, *x.shape[1:]))
        found.append(Rows(x.index[inside] - start, x.values[inside], shape))
        start += height
    return found


# -- numbers of rows, spread over several tables --------------------------------------------------


def _numbers(name: str, slot: str, tensors: list) -> torch.Tensor:
    if not tensors:
        raise InvalidArgumentError(f"{name}: expected at least one tensor as {slot}.")
    return torch.cat([t.reshape(-1) for t in tensors])


def split_ids(ids: list[torch.Tensor], count: int) -> list[torch.Tensor]:
    """The different numbers in ascending order, number n in list n % count, [k, 1] each."""
    numbers = torch.unique(_numbers("split_ids", "Ids", ids))
    return [numbers[numbers % count == i].unsqueeze(1) for i in range(count)]


def _merge_rule(inputs: list, attrs: dict) -> list:
    ids, _, values = inputs
    width = values[0].shape[1]
    return [[Spec((i.shape[0], width), values[0].dtype) for i in ids]]


@op("merge_ids", "Ids* Rows* X* -> Out*", infer=_merge_rule, differentiable=False, lod="")
def merge_ids(ids, rows, values):
    """For each list of numbers the rows that X has for them; Rows says whose rows X has."""
    if len(rows) != len(values):
        raise InvalidArgumentError(
            f"merge_ids: expected as many Rows as X, but received {len(rows)} and {len(values)}."
        )
    known, table = _numbers("merge_ids", "Rows", rows), torch.cat(list(values))
    if len(known) != len(table):
        raise InvalidArgumentError(
            f"merge_ids: expected a row of X for each number of Rows, but received {len(table)} "
            f"rows and {len(known)} numbers."
        )
    if known.is_meta:
        return [table.new_empty(i.numel(), table.shape[1]) for i in ids]
    order = torch.argsort(known, stable=True)
    known = known[order]
    found = []
    for wanted in (i.reshape(-1) for i in ids):
        at = torch.searchsorted(known, wanted).clamp(max=max(len(known) - 1, 0))
        if len(wanted) and not (len(known) and bool((known[at] == wanted).all())):
            raise OutOfRangeError(
                "merge_ids: expected every number of Ids among Rows, but received others."
            )
        found.append(table[order[at]])
    return found
