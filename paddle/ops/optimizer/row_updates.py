"""Gradients by rows: their making, their summing up, and updates of the rows that occur."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import torch

from paddle.core.backends import holds
from paddle.core.selected_rows import Rows


def gradient_of_rows(
    d_out: torch.Tensor, ids: torch.Tensor, shape: torch.Size, padding_idx: int
) -> Rows:
    """The gradient of a table that rows were looked up in.

    Args:
        d_out (torch.Tensor): gradient of what was looked up, [*ids.shape, width].
        ids (torch.Tensor): the row numbers.
        shape (torch.Size): of the table.
        padding_idx (int): this row gets none; -1 for all do.
    """
    return gradient_of_look_ups([ids], [d_out], [padding_idx], shape)


def gradient_of_look_ups(
    ids: list[torch.Tensor], grads: list[torch.Tensor], padding: list[int], shape: torch.Size
) -> Rows:
    """The gradient of a table that several look-ups used, each as in :func:`gradient_of_rows`."""
    index, values = _of_table(ids, grads, padding)
    return Rows(index.long(), values, shape)


def rows_that_occur(
    ids: list[torch.Tensor], grad: torch.Tensor, padding: list[int]
) -> tuple[torch.Tensor, torch.Tensor]:
    """The row numbers in ``ids``, sorted and without repetition, and these rows of a gradient.

    Numbers below zero and those of padding rows do not count.
    """
    flat = [i.reshape(-1) for i in ids]
    used = [i[(i != skip) & (i >= 0)] for i, skip in zip(flat, padding, strict=True)]
    rows = torch.unique(torch.cat(used))
    return rows, grad.index_select(0, rows)


def whole_table(table: torch.Tensor, rows: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The gradient of a table that these rows of it are, without repetition."""
    return torch.zeros_like(table).index_copy_(0, rows, values.to(table.dtype))


def rows_of_table(ids: list[torch.Tensor], grad: torch.Tensor, padding: list[int]) -> Rows:
    """The same as one gradient."""
    return Rows(*rows_that_occur(ids, grad, padding), grad.shape)


def _listed(
    ids: torch.Tensor, d_out: torch.Tensor, padding_idx: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Row numbers and a gradient for each; those of the padding row are left out."""
    index, values = ids.reshape(-1), d_out.reshape(-1, d_out.shape[-1])
    if padding_idx == -1:
        return index, values
    kept = torch.ne(index, padding_idx)
    return index[kept], values[kept]


# Row numbers, a gradient for each, and the size of the table.
Listing = tuple[torch.Tensor, torch.Tensor, torch.Size]


def all_gathered(
    look_ups: list[tuple[list[torch.Tensor], list[torch.Tensor], list[int]]],
    sizes: list[torch.Size],
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The rows of tables that look-ups used, without repetition, and their gradients.

    Args:
        look_ups (list): for each table the row numbers of every look-up, the gradient of what each
            returned, and the row of each that gets no gradient; -1 for none.
        sizes (list[torch.Size]): of the tables.
    """
    return _all_summed(
        [(*_of_table(*found), size) for found, size in zip(look_ups, sizes, strict=True)]
    )


def _of_table(
    ids: list[torch.Tensor], grads: list[torch.Tensor], padding: list[int]
) -> tuple[torch.Tensor, torch.Tensor]:
    parts = [_listed(i, g, p) for i, g, p in zip(ids, grads, padding, strict=True)]
    if len(parts) == 1:
        return parts[0]
    return torch.cat([i for i, _ in parts]), torch.cat([v for _, v in parts])


def all_merged(gradients: list[Rows]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """For each gradient its row numbers without repetition, and the sums of the values of each."""
    return _all_summed([(g.index, g.values, g.shape) for g in gradients])


def _all_summed(listings: list[Listing]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Sums up what belongs to equal rows, for each of several tables.

    Those of one width are summed as if they lay one below the other: with 26 tables that takes a
    tenth of the calls.
    """
    alike: dict[tuple, list[int]] = {}
    for i, (_, values, size) in enumerate(listings):
        alike.setdefault((size[1:], values.dtype, values.device), []).append(i)
    found: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
    for at in alike.values():
        group = [listings[i] for i in at]
        found.update(zip(at, _stacked(group) if len(at) > 1 else [_summed(*group[0])], strict=True))
    return [found[i] for i in range(len(listings))]


def _stacked(group: list[Listing]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    indices = [index for index, _, _ in group]
    values = torch.cat([v for _, v, _ in group])
    starts = list(itertools.accumulate([size[0] for _, _, size in group], initial=0))
    below = torch.cat([i + start for i, start in zip(indices, starts, strict=False)])
    last, is_last = _last_places(below, starts[-1])
    kept = is_last.nonzero().squeeze(1)
    ends = list(itertools.accumulate([i.numel() for i in indices]))
    if kept.numel() == below.numel():
        counts = [i.numel() for i in indices]
    else:
        values = _kept_sums(values, last, is_last, kept)
        places = torch.searchsorted(kept, torch.tensor(ends, device=kept.device)).tolist()
        counts = [b - a for a, b in itertools.pairwise([0, *places])]
    rows = torch.cat(indices).index_select(0, kept)
    return list(zip(rows.split(counts), values.split(counts), strict=True))


def _summed(
    index: torch.Tensor, values: torch.Tensor, size: torch.Size
) -> tuple[torch.Tensor, torch.Tensor]:
    """Sums values of equal row numbers up."""
    last, is_last = _last_places(index, size[0])
    kept = is_last.nonzero().squeeze(1)
    if kept.numel() == index.numel():
        return index, values
    # A part of what a concat took is strided, and not our own.
    values = values.clone(memory_format=torch.contiguous_format)
    return index.index_select(0, kept), _kept_sums(values, last, is_last, kept)


def _kept_sums(
    values: torch.Tensor, last: torch.Tensor, is_last: torch.Tensor, kept: torch.Tensor
) -> torch.Tensor:
    """Adds each value to the one at its last place, in place, and returns those that are kept.

    Few row numbers repeat in a large table, so only what is not kept is added.
    """
    gone = is_last.logical_not().nonzero().squeeze(1)
    values.index_add_(0, last.index_select(0, gone), values.index_select(0, gone))
    return values.index_select(0, kept)


def _last_places(index: torch.Tensor, rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """For each place the last one with its row number, and whether it is that one itself.

    Every row notes the last place where it occurs. That takes a few passes over the places, where
    sorting takes seven times as long.
    """
    order = torch.arange(index.numel(), device=index.device)
    note = _notebook(rows, index.device)
    last = note.index_copy_(0, index, order).index_select(0, index)
    return last, torch.eq(last, order)


_own = threading.local()


def _notebook(rows: int, device: torch.device) -> torch.Tensor:
    """Memory for a number per row, whatever it holds; kept from call to call."""
    held = _own.__dict__.setdefault("notebooks", {})
    if device not in held or held[device].numel() < rows:
        held[device] = torch.empty(rows, dtype=torch.int64, device=device)
    return held[device]


_bag: Any = getattr(torch, "_embedding_bag_forward_only", None)
# On other builds it is slow.
_prefetches = _bag is not None and "fbgemm" in torch.backends.quantized.supported_engines


def rows_of(table: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """The rows of a table at row numbers of one dimension.

    For rows that lie scattered over more than the caches hold, the kernel that sums up bags of rows
    prefetches; with bags of one row it takes two thirds of the time of ``index_select``.
    """
    count = index.numel()
    if (
        count < 256
        or table.dtype is not torch.float32
        or index.dtype is not torch.int64
        or not (
            _prefetches
            and holds.prefetched_rows(table)
            and table.dim() == 2
            and table.shape[1] <= 64
        )
        or not (table.is_contiguous() and index.is_contiguous())
        or table.numel() < 1 << 15
    ):
        return table.index_select(0, index)
    return _bag(table, index, _bags_of_one(count))[0]


def sums_of_groups(values: torch.Tensor, order: torch.Tensor, starts: torch.Tensor) -> torch.Tensor:
    """The sums of groups of rows: ``values[order[starts[i]:starts[i + 1]]]`` for each i.

    Args:
        values (torch.Tensor): of two dimensions.
        order (torch.Tensor): int64, the rows by group.
        starts (torch.Tensor): int64, where each group begins in ``order``.
    """
    values = values.contiguous()
    if _prefetches and values.dtype is torch.float32 and holds.prefetched_rows(values):
        return _bag(values, order, starts)[0]  # a fifth of the time of index_add_
    sizes = torch.diff(starts, append=starts.new_tensor([order.numel()]))
    owner = torch.repeat_interleave(torch.arange(starts.numel(), device=values.device), sizes)
    total = values.new_zeros((starts.numel(), values.shape[1]))
    return total.index_add_(0, owner, values.index_select(0, order))


def put_back(tables: list[torch.Tensor], index: torch.Tensor, parts: list[torch.Tensor]) -> None:
    """Writes new values of the rows that :func:`rows_of` gave of each table."""
    for table, part in zip(tables, parts, strict=True):
        table.index_copy_(0, index, part)


def _bags_of_one(count: int) -> torch.Tensor:
    """Where each of ``count`` bags begins: a view of one list, kept as slicing takes long."""
    held = _own.__dict__.setdefault("bags", {})
    found = held.get(count)
    if found is None:
        longest = max(held, default=0)
        if longest < count or len(held) > 1000:
            held.clear()
            longest = 2 * count
            held[longest] = torch.arange(longest)
        found = held[count] = held[longest][:count]
    return found
