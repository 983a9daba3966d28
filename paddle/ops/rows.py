"""Gradients by rows: their making, their summing up, and updates of the rows that occur."""

from __future__ import annotations

import threading

import torch

from paddle.core.tensor import Tensor, wrap


def gradient_of_rows(d_out: Tensor, ids: Tensor, rows: int, padding_idx: int) -> Tensor:
    """The gradient of a table that rows were looked up in, as a Tensor with a sparse buffer.

    Args:
        d_out (Tensor): gradient of what was looked up, [*ids.shape, width].
        ids (Tensor): the row numbers.
        rows (int): of the table.
        padding_idx (int): this row gets none; -1 for all do.
    """
    values = d_out._buf.reshape(-1, d_out._buf.shape[-1])
    index = ids._buf.reshape(-1)
    if padding_idx != -1:
        kept = torch.ne(index, padding_idx)
        values, index = values[kept], index[kept]
    size = (rows, values.shape[1])
    return wrap(torch.sparse_coo_tensor(index.unsqueeze(0), values, size, check_invariants=False))


def merged(sparse: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Row numbers without repetition, and the sums of the values of each.

    Every row notes the last place where it occurs; what is said at other places goes there. That
    takes a few passes over the places, where sorting takes seven times as long.
    """
    index, values = sparse._indices()[0], sparse._values()
    order = torch.arange(index.numel(), device=index.device)
    note = _notebook(sparse.shape[0], index.device)
    last = note.index_copy_(0, index, order).index_select(0, index)
    kept = torch.eq(last, order).nonzero().squeeze(1)
    if kept.numel() == index.numel():
        return index, values
    sums = torch.zeros_like(values).index_add_(0, last, values)
    return index.index_select(0, kept), sums.index_select(0, kept)


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
