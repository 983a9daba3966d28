"""Rows that are split into sequences: what the kernels of sequences make of a buffer's levels.

Levels (LoD) are lists of offsets, the outermost first; each begins with 0. Sequences of a level
count sequences of the next one, those of the last level count rows. They lie on the buffer;
``paddle/executor/lod_propagation.py`` says how they get there and go on.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.levels import Levels, levels_on, put_levels


def levels_of(op: str, slot: str, x: Any, count: int | None = None) -> Levels:
    """The levels of an input.

    Args:
        op (str): the operator, for error texts.
        slot (str): the input, for error texts.
        x (torch.Tensor): the input; where only shapes are looked at, all rows are one sequence.
        count (int, optional): how many levels there have to be. Default: any number.

    Raises:
        InvalidArgumentError: it has none, another number, or they are of other rows.
    """
    levels = levels_on(x)
    if not levels:
        if x.is_meta:
            return [[0, x.shape[0]]] * (count or 1)
        raise InvalidArgumentError(
            f"{op}: expected {slot} to be rows that are split into sequences, but received shape "
            f"{list(x.shape)} without levels (LoD).",
            hint="feed a LoDTensor: paddle.fluid.create_lod_tensor(rows, [lengths], place)",
        )
    if count is not None and len(levels) != count:
        raise InvalidArgumentError(
            f"{op}: expected {slot} with {count} level(s) of sequences, but received {len(levels)}."
        )
    if levels[-1][-1] != x.shape[0]:
        raise InvalidArgumentError(
            f"{op}: expected the sequences of {slot} to have {x.shape[0]} rows together, but they "
            f"end at {levels[-1][-1]}."
        )
    return levels


def last_level(op: str, slot: str, x: Any, count: int | None = None) -> list[int]:
    """The offsets of the rows of every sequence; arguments as of :func:`levels_of`."""
    return levels_of(op, slot, x, count)[-1]


def marked(out: torch.Tensor, levels: Levels) -> torch.Tensor:
    """Gives a result its levels, and returns it."""
    put_levels(out, levels)
    return out


def lengths_of(offsets: list[int]) -> list[int]:
    """The lengths of sequences by their offsets."""
    return [b - a for a, b in pairwise(offsets)]


def offsets_of(lengths: Any) -> list[int]:
    """The offsets of sequences by their lengths."""
    return [0, *accumulate(lengths)]


def rows_by_level(levels: Levels, level: int = 0) -> list[int]:
    """The offsets of a level as numbers of rows."""
    found = levels[level]
    for below in levels[level + 1 :]:
        found = [below[n] for n in found]
    return found


def positions(numbers: list[int], like: torch.Tensor) -> torch.Tensor:
    """Numbers of rows as an index."""
    device = "cpu" if like.is_meta else like.device
    return torch.tensor(numbers, dtype=torch.int64, device=device).to(like.device)


def owners(offsets: list[int], like: torch.Tensor) -> torch.Tensor:
    """For every row the number of its sequence."""
    lengths = positions(lengths_of(offsets), like)
    count = torch.arange(len(offsets) - 1, device=like.device)
    return torch.repeat_interleave(count, lengths, output_size=offsets[-1])


def inside(offsets: list[int], width: int, like: torch.Tensor) -> torch.Tensor:
    """[sequences, width]: whether a sequence is so long."""
    lengths = positions(lengths_of(offsets), like)
    return torch.arange(width, device=like.device) < lengths.unsqueeze(1)


def padded(x: torch.Tensor, offsets: list[int], value: Any = 0, width: int = -1) -> torch.Tensor:
    """The sequences below each other, [sequences, width, ...].

    Args:
        x: the rows.
        offsets: of the sequences.
        value (number|torch.Tensor): what stands behind the end of a sequence.
        width (int): -1 is the length of the longest one.
    """
    width = max(lengths_of(offsets), default=0) if width < 0 else width
    starts = positions(offsets[:-1], x).unsqueeze(1)
    index = starts + torch.arange(width, device=x.device)
    index = torch.where(inside(offsets, width, x), index, x.shape[0])
    if isinstance(value, torch.Tensor):
        last = value.to(x.dtype).expand(x.shape[1:])
    else:
        last = torch.full(x.shape[1:], value, dtype=x.dtype, device=x.device)
    rows = torch.cat([x, last.unsqueeze(0)])
    return rows.index_select(0, index.reshape(-1)).reshape([*index.shape, *x.shape[1:]])


def unpadded(x: torch.Tensor, offsets: list[int]) -> torch.Tensor:
    """The rows of :func:`padded` again."""
    owner = owners(offsets, x)
    place = torch.arange(offsets[-1], device=x.device) - positions(offsets, x)[owner]
    return x.flatten(0, 1).index_select(0, owner * x.shape[1] + place)
