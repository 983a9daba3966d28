"""Rows that are split into sequences: what the kernels of sequences make of a buffer's levels.

Levels (LoD) are lists of offsets, the outermost first; each begins with 0. Sequences of a level
count sequences of the next one, those of the last level count rows. They lie on the buffer;
``paddle/executor/lod_propagation.py`` says how they get there and go on.
"""

from __future__ import annotations

import functools
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.levels import Levels, levels_on, put_levels

_KEPT = 64  # sets of levels whose indices are kept: forward and gradient ask for the same


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


def _kept(function: Any, like: torch.Tensor) -> Any:
    """The function itself where shapes are looked at: what it makes then is of no further use."""
    return function.__wrapped__ if like.is_meta else function


@functools.lru_cache(maxsize=_KEPT)
def _owners(offsets: tuple[int, ...], device: torch.device) -> torch.Tensor:
    lengths = torch.tensor(lengths_of(list(offsets)), dtype=torch.int64).to(device)
    count = torch.arange(len(offsets) - 1, device=device)
    return torch.repeat_interleave(count, lengths, output_size=offsets[-1])


def owners(offsets: list[int], like: torch.Tensor) -> torch.Tensor:
    """For every row the number of its sequence; kept, so nothing may write into it."""
    return _kept(_owners, like)(tuple(offsets), like.device)


class Steps(NamedTuple):
    """Rows in the order of steps: of every step those of the sequences that have it.

    Sequences are sorted by length, longest first, so that a step has the first of those before it.

    Attributes:
        rows (torch.Tensor): for each place the row.
        places (torch.Tensor): for each row its place.
        live (list[int]): how many rows every step has.
        sequences (torch.Tensor): the order of the sequences.
        back (torch.Tensor): for each sequence its place in that order.
    """

    rows: torch.Tensor
    places: torch.Tensor
    live: list[int]
    sequences: torch.Tensor
    back: torch.Tensor


@functools.lru_cache(maxsize=_KEPT)
def _steps(offsets: tuple[int, ...], reverse: bool, device: torch.device) -> Steps:
    ends = torch.tensor(offsets, dtype=torch.int64)
    lengths, order = torch.sort(torch.diff(ends), descending=True, stable=True)
    longest = int(lengths[0]) if len(lengths) else 0
    step = torch.arange(longest).unsqueeze(1)
    running = step < lengths
    first = ends[1:][order] - 1 if reverse else ends[:-1][order]
    rows = (first - step if reverse else first + step)[running]
    places, back = torch.empty_like(rows), torch.empty_like(order)
    places[rows] = torch.arange(len(rows))
    back[order] = torch.arange(len(order))
    live = running.sum(1).tolist()
    return Steps(rows.to(device), places.to(device), live, order.to(device), back.to(device))


def in_steps(offsets: list[int], like: torch.Tensor, reverse: bool = False) -> Steps:
    """How rows are put in the order of steps; with reverse, each sequence's last row first."""
    return _kept(_steps, like)(tuple(offsets), reverse, like.device)


def inside(offsets: list[int], width: int, like: torch.Tensor) -> torch.Tensor:
    """[sequences, width]: whether a sequence is so long."""
    lengths = positions(lengths_of(offsets), like)
    return torch.arange(width, device=like.device) < lengths.unsqueeze(1)


@functools.lru_cache(maxsize=_KEPT)
def _places(offsets: tuple[int, ...], width: int, device: torch.device) -> torch.Tensor:
    """[sequences, width]: the row of each step, the number of rows behind the end."""
    ends = torch.tensor(offsets, dtype=torch.int64)
    index = ends[:-1].unsqueeze(1) + torch.arange(width)
    return torch.where(index < ends[1:].unsqueeze(1), index, offsets[-1]).to(device)


@functools.lru_cache(maxsize=_KEPT)
def _flat_places(offsets: tuple[int, ...], width: int, device: torch.device) -> torch.Tensor:
    """For each row its place in a batch of so many steps."""
    owner = _owners.__wrapped__(offsets, torch.device("cpu"))
    ends = torch.tensor(offsets, dtype=torch.int64)
    return (owner * width + torch.arange(offsets[-1]) - ends[owner]).to(device)


def padded(x: torch.Tensor, offsets: list[int], value: Any = 0, width: int = -1) -> torch.Tensor:
    """The sequences below each other, [sequences, width, ...].

    Args:
        x: the rows.
        offsets: of the sequences.
        value (number|torch.Tensor): what stands behind the end of a sequence.
        width (int): -1 is the length of the longest one.
    """
    width = max(lengths_of(offsets), default=0) if width < 0 else width
    index = _kept(_places, x)(tuple(offsets), width, x.device)
    if isinstance(value, torch.Tensor):
        last = value.to(x.dtype).expand(x.shape[1:])
    else:
        last = torch.full(x.shape[1:], value, dtype=x.dtype, device=x.device)
    rows = torch.cat([x, last.unsqueeze(0)])
    return rows.index_select(0, index.reshape(-1)).reshape([*index.shape, *x.shape[1:]])


def unpadded(x: torch.Tensor, offsets: list[int]) -> torch.Tensor:
    """The rows of :func:`padded` again."""
    places = _kept(_flat_places, x)(tuple(offsets), x.shape[1], x.device)
    return x.flatten(0, 1).index_select(0, places)


@functools.lru_cache(maxsize=_KEPT)
def _neighbours(
    offsets: tuple[int, ...], start: int, length: int, device: torch.device
) -> torch.Tensor:
    """[rows * length]: the neighbours of each row, the number of rows where there is none."""
    ends = torch.tensor(offsets, dtype=torch.int64)
    owner = _owners.__wrapped__(offsets, torch.device("cpu"))
    place = torch.arange(offsets[-1]).unsqueeze(1) + torch.arange(start, start + length)
    first, end = ends[owner].unsqueeze(1), ends[owner + 1].unsqueeze(1)
    there = torch.logical_and(place >= first, place < end)
    return torch.where(there, place, offsets[-1]).reshape(-1).to(device)


def windows(x: torch.Tensor, offsets: list[int], start: int, length: int) -> torch.Tensor:
    """[N, length * width]: beside each row its neighbours of the same sequence, from start away on.

    Zero where there is none.
    """
    index = _kept(_neighbours, x)(tuple(offsets), start, length, x.device)
    rows = torch.cat([x, x.new_zeros([1, x.shape[1]])])
    return rows.index_select(0, index).reshape(x.shape[0], length * x.shape[1])
