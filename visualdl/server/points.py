"""Scalars of one run, kept as compact arrays: twelve bytes a point where its numbers fit."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

LARGE = 1 << 18
"""Blocks of so many points are not joined any more."""
SECONDS = 2_000_000_000
"""Time stamps below are seconds, those above milliseconds."""


@dataclass(frozen=True)
class Points:
    """The points of one series, in the order they were written.

    Attributes:
        steps: int64.
        times: int64, as they were written: seconds or milliseconds.
        values: float32.
    """

    steps: np.ndarray
    times: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def ms(self) -> np.ndarray:
        """The times in milliseconds."""
        if len(self.times) and int(self.times.min()) >= SECONDS:
            return self.times
        return np.where(self.times < SECONDS, self.times * 1000, self.times)

    def part(self, where: slice | np.ndarray) -> Points:
        """Gives some of the points."""
        return Points(self.steps[where], self.times[where], self.values[where])


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
        parts = []
        for block in self._blocks:
            where = block.find(number)
            if where is not None:
                parts.append(block.points(where))
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return Points(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
        return Points(
            np.concatenate([p.steps for p in parts]),
            np.concatenate([p.times for p in parts]),
            np.concatenate([p.values for p in parts]),
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
