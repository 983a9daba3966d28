"""Scalars of one run, kept as compact arrays: twelve bytes a point where its numbers fit."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

LARGE = 1 << 18
"""Blocks of so many points are not joined any more."""
SECONDS = 2_000_000_000
"""Time stamps below are seconds, those above milliseconds."""


class Numbers:
    """A column of whole numbers: 32 bits each, relative to the first, where that is enough.

    Args:
        values (ndarray): int64.
    """

    __slots__ = ("base", "kept")

    def __init__(self, values: np.ndarray) -> None:
        self.base = 0
        self.kept = values
        if not len(values):
            return
        base, low, high = int(values[0]), int(values.min()), int(values.max())
        if low - base >= -(1 << 31) and high - base < 1 << 31:
            self.base = base
            self.kept = (values - base).astype(np.int32)

    def get(self, where: slice = slice(None)) -> np.ndarray:
        """Gives the numbers as int64."""
        return self.kept[where].astype(np.int64) + self.base

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Gives some of the numbers as int64."""
        return self.kept[rows].astype(np.int64) + self.base


class Pieces:
    """A column that lies in several blocks; of a million numbers a chart needs a few thousand.

    Args:
        parts (list): (column of a block, where in it), in their order.
    """

    def __init__(self, parts: list[tuple[Numbers, slice]]) -> None:
        self.parts = parts
        self.ends = np.cumsum([where.stop - where.start for _, where in parts])

    def all(self) -> np.ndarray:
        """Gives all numbers."""
        return np.concatenate([numbers.get(where) for numbers, where in self.parts])

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Gives the numbers of some rows, which are ascending."""
        bounds = np.searchsorted(rows, self.ends)
        found, first, begin = [], 0, 0
        for (numbers, where), stop, end in zip(self.parts, bounds, self.ends):
            found.append(numbers.take(rows[first:stop] - begin + where.start))
            first, begin = stop, end
        return np.concatenate(found)

    def cut(self, start: int, stop: int) -> Pieces:
        """Gives the column from one row to another."""
        kept: list[tuple[Numbers, slice]] = []
        begin = 0
        for (numbers, where), end in zip(self.parts, self.ends.tolist()):
            low, high = max(start, begin), min(stop, end)
            if low < high or not kept:
                first = where.start + low - begin
                kept.append((numbers, slice(first, first + max(0, high - low))))
            begin = end
        return Pieces(kept)


class Points:
    """The points of one series, in the order they were written.

    Args:
        steps (ndarray or Pieces): int64.
        times (ndarray or Pieces): int64, as they were written: seconds or milliseconds.
        values (ndarray): float32.
    """

    __slots__ = ("_steps", "_times", "values")

    def __init__(
        self, steps: np.ndarray | Pieces, times: np.ndarray | Pieces, values: np.ndarray
    ) -> None:
        self._steps, self._times, self.values = steps, times, values

    def __len__(self) -> int:
        return len(self.values)

    @property
    def steps(self) -> np.ndarray:
        """The steps."""
        if isinstance(self._steps, Pieces):
            self._steps = self._steps.all()
        return self._steps

    @property
    def times(self) -> np.ndarray:
        """The times as they were written."""
        if isinstance(self._times, Pieces):
            self._times = self._times.all()
        return self._times

    @property
    def ms(self) -> np.ndarray:
        """The times in milliseconds."""
        if len(self) and int(self.times.min()) >= SECONDS:
            return self.times
        return np.where(self.times < SECONDS, self.times * 1000, self.times)

    def part(self, where: slice | np.ndarray) -> Points:
        """Gives some of the points: a slice of them, or rows, which are ascending."""
        count = len(self)
        steps, times = _part(self._steps, where, count), _part(self._times, where, count)
        return Points(steps, times, self.values[where])


def _part(
    column: np.ndarray | Pieces, where: slice | np.ndarray, count: int
) -> np.ndarray | Pieces:
    if not isinstance(column, Pieces):
        return column[where]
    if isinstance(where, slice):
        start, stop, _ = where.indices(count)
        return column.cut(start, max(start, stop))
    return column.take(where)


class Block:
    """Points of many series, sorted by series; never changed once it was made.

    Args:
        series (ndarray): the numbers of the series that are in it, ascending.
        starts (ndarray): where each begins; one more at the end.
        points (Points): the points.
    """

    __slots__ = ("series", "size", "starts", "steps", "times", "values")

    def __init__(self, series: np.ndarray, starts: np.ndarray, points: Points) -> None:
        self.series = series.astype(np.int32)
        self.starts = starts.astype(np.int32)
        self.steps = Numbers(points.steps)
        self.times = Numbers(points.times)
        self.values = np.ascontiguousarray(points.values, np.float32)
        self.size = len(points)

    def find(self, number: int) -> slice | None:
        """Gives where the points of a series are, None where it has none here."""
        at = int(np.searchsorted(self.series, number))
        if at == len(self.series) or self.series[at] != number:
            return None
        return slice(int(self.starts[at]), int(self.starts[at + 1]))

    def points(self, where: slice = slice(None)) -> Points:
        """Gives the points of a part."""
        return Points(self.steps.get(where), self.times.get(where), self.values[where])


def joined(blocks: list[Block]) -> Block:
    """Makes one block of several; points of one series keep their order."""
    owners = np.concatenate([np.repeat(b.series, np.diff(b.starts)) for b in blocks])
    order = np.argsort(owners, kind="stable")
    parts = [b.points() for b in blocks]
    points = Points(
        np.concatenate([p.steps for p in parts])[order],
        np.concatenate([p.times for p in parts])[order],
        np.concatenate([p.values for p in parts])[order],
    )
    series, starts = np.unique(owners[order], return_index=True)
    return Block(series, np.append(starts, len(order)), points)


class Series:
    """All series of a run. One thread adds, any thread reads at the same time.

    Attributes:
        names: the names of the series, in the order they came.
        total: how many points there are.
    """

    def __init__(self) -> None:
        self.names: list[Any] = []
        self.total = 0
        self._numbers: dict[Hashable, int] = {}
        self._blocks: tuple[Block, ...] = ()

    def __contains__(self, name: Hashable) -> bool:
        return name in self._numbers

    def add(self, columns: Iterable[tuple[Hashable, np.ndarray, np.ndarray, np.ndarray]]) -> None:
        """Adds points: (name, steps, times, values) of some series."""
        given = sorted(((self._number(name), *rest) for name, *rest in columns), key=_first)
        if not given:
            return
        numbers, steps, times, values = zip(*given)
        points = Points(np.concatenate(steps), np.concatenate(times), np.concatenate(values))
        counts = [len(part) for part in steps]
        series = np.array(numbers)
        blocks = [*self._blocks, Block(series, np.append(0, np.cumsum(counts)), points)]
        while len(blocks) > 1 and _small(blocks[-2], blocks[-1]):
            blocks[-2:] = [joined(blocks[-2:])]
        self._blocks = tuple(blocks)
        self.total += len(points)

    def _number(self, name: Hashable) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = len(self.names)
            self.names.append(name)
            self._numbers[name] = number
        return number

    def get(self, name: Hashable) -> Points | None:
        """Gives the points of a series, None where there is no such series."""
        number = self._numbers.get(name)
        if number is None:
            return None
        found = [(block, block.find(number)) for block in self._blocks]
        parts = [(block, where) for block, where in found if where is not None]
        if not parts:
            return Points(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
        return Points(
            Pieces([(block.steps, where) for block, where in parts]),
            Pieces([(block.times, where) for block, where in parts]),
            np.concatenate([block.values[where] for block, where in parts]),
        )

    def count(self, name: Hashable) -> int:
        """Gives how many points a series has."""
        number = self._numbers.get(name)
        if number is None:
            return 0
        found = (block.find(number) for block in self._blocks)
        return sum(where.stop - where.start for where in found if where is not None)

    def last(self, name: Hashable) -> Points | None:
        """Gives the newest point of a series, None where there is none."""
        number = self._numbers.get(name)
        if number is None:
            return None
        for block in reversed(self._blocks):
            where = block.find(number)
            if where is not None:
                return block.points(slice(where.stop - 1, where.stop))
        return None


def _first(row: tuple) -> int:
    return row[0]


def _small(older: Block, newer: Block) -> bool:
    """Says whether two neighbours are joined: so there are few, and each point is copied rarely."""
    return older.size < 2 * newer.size and older.size + newer.size <= LARGE
