"""Gradients by rows: their making, their summing up, and updates of the rows that occur."""

from __future__ import annotations

import itertools
import threading

import torch


def gradient_of_rows(
    d_out: torch.Tensor, ids: torch.Tensor, rows: int, padding_idx: int
) -> torch.Tensor:
    """The gradient of a table that rows were looked up in, as a sparse buffer.

    Args:
        d_out (torch.Tensor): gradient of what was looked up, [*ids.shape, width].
        ids (torch.Tensor): the row numbers.
        rows (int): of the table.
        padding_idx (int): this row gets none; -1 for all do.
    """
    index, values = _listed(ids, d_out, padding_idx)
    size = (rows, values.shape[1])
    return torch.sparse_coo_tensor(index.unsqueeze(0), values, size, check_invariants=False)


def _listed(
    ids: torch.Tensor, d_out: torch.Tensor, padding_idx: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Row numbers and a gradient for each; those of the padding row are left out."""
    index, values = ids.reshape(-1), d_out.reshape(-1, d_out.shape[-1])
    if padding_idx == -1:
        return index, values
    kept = torch.ne(index, padding_idx)
    return index[kept], values[kept]


def gathered(
    ids: list[torch.Tensor], grads: list[torch.Tensor], padding: list[int], size: torch.Size
) -> tuple[torch.Tensor, torch.Tensor]:
    """The rows of one table that some look-ups used, without repetition, and their gradients.

    Args:
        ids (list): the row numbers of every look-up.
        grads (list): the gradient of what each returned.
        padding (list[int]): the row of each that gets no gradient; -1 for none.
        size (torch.Size): of the table.
    """
    parts = [_listed(i, g, p) for i, g, p in zip(ids, grads, padding, strict=True)]
    if len(parts) == 1:
        return _summed(*parts[0], size[0])
    return _summed(torch.cat([i for i, _ in parts]), torch.cat([v for _, v in parts]), size[0])


def merged(sparse: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Row numbers of a sparse gradient without repetition, and the sums of the values of each."""
    return _summed(sparse._indices()[0], sparse._values(), sparse.shape[0])


def all_merged(
    gradients: list[torch.Tensor],
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """What :func:`merged` gives for each of several gradients.

    Those of one width are merged as if their tables lay one below the other: with 26 tables that
    takes a tenth of the calls.
    """
    alike: dict[tuple, list[int]] = {}
    for i, sparse in enumerate(gradients):
        key = sparse.shape[1:], sparse.dtype, sparse.device
        alike.setdefault(key, []).append(i)
    found: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
    for at in alike.values():
        group = [gradients[i] for i in at]
        found.update(zip(at, _stacked(group) if len(at) > 1 else [merged(group[0])], strict=True))
    return [found[i] for i in range(len(gradients))]


def _stacked(group: list[torch.Tensor]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    indices = [g._indices()[0] for g in group]
    values = torch.cat([g._values() for g in group])
    starts = list(itertools.accumulate([g.shape[0] for g in group], initial=0))
    below = torch.cat([i + start for i, start in zip(indices, starts, strict=False)])
    last, kept = _last_places(below, starts[-1])
    ends = list(itertools.accumulate([i.numel() for i in indices]))
    if kept.numel() == below.numel():
        counts = [i.numel() for i in indices]
    else:
        sums = torch.zeros_like(values).index_add_(0, last, values)
        values = sums.index_select(0, kept)
        places = torch.searchsorted(kept, torch.tensor(ends, device=kept.device)).tolist()
        counts = [b - a for a, b in itertools.pairwise([0, *places])]
    rows = torch.cat(indices).index_select(0, kept)
    return list(zip(rows.split(counts), values.split(counts), strict=True))


def _summed(
    index: torch.Tensor, values: torch.Tensor, rows: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Sums values of equal row numbers up."""
    last, kept = _last_places(index, rows)
    if kept.numel() == index.numel():
        return index, values
    # A part of what a concat took is strided: adding it up would take four times as long.
    sums = torch.zeros_like(values).index_add_(0, last, values.contiguous())
    return index.index_select(0, kept), sums.index_select(0, kept)


def _last_places(index: torch.Tensor, rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """For each place the last one with its row number, and the places that are such a last one.

    Every row notes the last place where it occurs. That takes a few passes over the places, where
    sorting takes seven times as long.
    """
    order = torch.arange(index.numel(), device=index.device)
    note = _notebook(rows, index.device)
    last = note.index_copy_(0, index, order).index_select(0, index)
    return last, torch.eq(last, order).nonzero().squeeze(1)


_own = threading.local()


def _notebook(rows: int, device: torch.device) -> torch.Tensor:
    """Memory for a number per row, whatever it holds; kept from call to call."""
    held = _own.__dict__.setdefault("notebooks", {})
    if device not in held or held[device].numel() < rows:
        held[device] = torch.empty(rows, dtype=torch.int64, device=device)
    return held[device]


def taken(buffers: list[torch.Tensor], rows: list[torch.Tensor]) -> list[torch.Tensor]:
    """The rows of each buffer."""
    return [b.index_select(0, r) for b, r in zip(buffers, rows, strict=True)]


def put_back(
    buffers: list[torch.Tensor], rows: list[torch.Tensor], values: list[torch.Tensor]
) -> None:
    """Writes rows into each buffer."""
    for buffer, index, value in zip(buffers, rows, values, strict=True):
        buffer.index_copy_(0, index, value)
