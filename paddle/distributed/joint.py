"""What processes that train together share: rows of everybody's Tensors, means of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from paddle.core.rings import Communicator
from paddle.core.tensor import Tensor, wrap
from paddle.distributed import check


def swapped(
    group: Communicator, mine: Sequence[torch.Tensor], rows: Sequence[Sequence[int]]
) -> list[list[torch.Tensor]]:
    """Gives everybody what everybody has; all that one process sends goes at once, as bytes.

    Args:
        group (Communicator): the processes.
        mine (list): what this one has: buffers that differ from the others' in their rows alone.
        rows (list): for each process how many rows each of its buffers has.

    Returns:
        list: the buffers of each process.
    """
    layouts = [_Layout(mine, [[n, *b.shape[1:]] for n, b in zip(r, mine, strict=True)])
               for r in rows]  # fmt: skip
    packed = layouts[group.rank].packed(mine)
    sent = [packed[:0] if rank == group.rank else packed for rank in range(group.size)]
    like = [
        packed[:0] if rank == group.rank else packed.new_empty(layouts[rank].size)
        for rank in range(group.size)
    ]
    got = group.all_to_all(sent, like)
    return [
        list(mine) if rank == group.rank else layouts[rank].unpacked(got[rank])
        for rank in range(group.size)
    ]


class _Layout:
    """How buffers lie in one line of bytes, each from a multiple of eight on."""

    def __init__(self, like: Sequence[torch.Tensor], shapes: list[list[int]]) -> None:
        self.dtypes, self.shapes = [b.dtype for b in like], shapes
        self.lengths = [
            torch.Size(shape).numel() * b.element_size()
            for b, shape in zip(like, shapes, strict=True)
        ]
        self.padded = [-(-n // 8) * 8 for n in self.lengths]
        self.size = sum(self.padded)

    def packed(self, buffers: Sequence[torch.Tensor]) -> torch.Tensor:
        line = torch.empty(self.size, dtype=torch.uint8, device=buffers[0].device)
        for to, n, b in zip(line.split(self.padded), self.lengths, buffers, strict=True):
            to[:n].copy_(b.reshape(-1).view(torch.uint8))
        return line

    def unpacked(self, line: torch.Tensor) -> list[torch.Tensor]:
        parts = zip(line.split(self.padded), self.lengths, self.dtypes, self.shapes, strict=True)
        return [part[:n].view(dtype).view(shape) for part, n, dtype, shape in parts]


def averaged(group: Communicator, tensors: Sequence[Tensor]) -> list[Tensor]:
    """Returns the means of Tensors over the processes.

    Args:
        group (Communicator): the processes.
        tensors (list[Tensor]): of floats.
    """
    if not tensors:
        return []
    buffers = [t._buf.detach() for t in tensors]
    flat = torch.cat([b.reshape(-1).to(torch.float64) for b in buffers])
    group.all_reduce_async(flat).wait()
    parts = flat.div_(group.size).split([b.numel() for b in buffers])
    return [wrap(p.view(b.shape).to(b.dtype)) for p, b in zip(parts, buffers, strict=True)]


def joined(group: Communicator, tensors: Sequence[Tensor], most: int | None = None) -> list[Tensor]:
    """Returns Tensors with the rows of all processes, one process behind the other.

    Args:
        group (Communicator): the processes.
        tensors (list[Tensor]): may differ in the number of rows alone.
        most (int, optional): how many rows are to be left; None: all.

    Raises:
        ValueError: they differ in other ways.
    """
    buffers = [t._buf.detach() for t in tensors]
    kinds = "; ".join(f"{b.dtype} {list(b.shape[1:])}" for b in buffers)
    check.always_compare(group, f"rows of Tensors({kinds})")
    told = torch.tensor([len(b) for b in buffers])
    parts = swapped(group, buffers, [rows.tolist() for rows in group.all_gather(told)])
    return [wrap(torch.cat(column)[:most]) for column in zip(*parts, strict=True)]
