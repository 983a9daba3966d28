"""Ids of a request: each once, in ascending order, and divided over the servers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from paddle.distributed.ps.messages import FRAME_LIMIT, FRAMES_LIMIT, HEADER, Frame
from paddle.ops.optimizer.row_updates import sums_of_groups


def ascending(ids: np.ndarray) -> bool:
    """Whether every id is greater than the one before."""
    return len(ids) < 2 or bool((ids[1:] > ids[:-1]).all())


def grouped(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every id once in ascending order, the places of all by id, and where each id begins there."""
    order = ids.argsort()
    there = ids[order]
    starts = np.flatnonzero(there[1:] != there[:-1])
    starts = np.concatenate([np.zeros(1, np.int64), starts + 1])
    return there[starts], order, starts


def sums(values: np.ndarray, order: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Sums of groups of rows, see :func:`grouped`."""
    given = torch.from_numpy(values if values.flags.writeable else values.copy())
    return sums_of_groups(given, torch.from_numpy(order), torch.from_numpy(starts)).numpy()


class Lookup:
    """Ids as they are asked for.

    Args:
        ids (numpy.ndarray): int64, of one dimension.
        servers (int): how many servers there are; row ``id`` is on server ``id % servers``.

    Attributes:
        count: how many ids were given.
        groups: where they repeat or are not in order, their places by id, and where each begins.
        unique: every id once, in ascending order.
        inverse: for each given id its place in ``unique``; None where they are the same.
        by_server: for each server the places in ``unique`` of its ids.
        sorted: for each server its ids.
    """

    __slots__ = ("by_server", "count", "groups", "ids", "inverse", "sorted", "unique")

    def __init__(self, ids: np.ndarray, servers: int) -> None:
        self.ids, self.count = ids, len(ids)
        self.inverse: np.ndarray | None = None
        self.unique = ids
        if not ascending(ids):
            self.unique, *self.groups = grouped(ids)
            new = np.zeros(len(ids), np.int64)
            new[self.groups[1][1:]] = 1
            self.inverse = np.empty(len(ids), np.int64)
            self.inverse[self.groups[0]] = new.cumsum()
        if servers == 1:
            self.by_server = [np.arange(len(self.unique))]
            self.sorted = [self.unique]
        else:
            owner = self.unique % servers
            self.by_server = [np.flatnonzero(owner == s) for s in range(servers)]
            self.sorted = [self.unique[place] for place in self.by_server]

    @property
    def repeats(self) -> bool:
        """Whether an id was given more than once."""
        return len(self.unique) < self.count

    def sums(self, values: np.ndarray) -> np.ndarray:
        """For each id of ``unique`` the sum of the values given for it."""
        if self.inverse is None:
            return values
        return sums(values, *self.groups)

    def pieces(self, most: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Server, places in ``unique`` and ids of requests for at most so many rows each."""
        for server, place in enumerate(self.by_server):
            for start in range(0, len(place), most):
                part = slice(start, start + most)
                yield server, place[part], self.sorted[server][part]


@dataclass(slots=True)
class Part:
    """One frame of a message.

    Attributes:
        server: where it goes.
        frame: the request.
        spec: the table it is about, if any.
        at: number of the caller's request that it belongs to.
        place: where its rows are among those of that request.
        rows: how many there are.
    """

    server: int
    frame: Frame
    spec: Any
    at: int = 0
    place: Any = None
    rows: int = 0


def bundles(parts: list[Part], servers: int) -> list[list[Part]]:
    """Frames that go to one server, in groups that fit into a message.

    A table occurs once in a message: so the pushes of one that are on their way stay few.
    """
    found: list[list[Part]] = []
    for server in range(servers):
        size, tables = FRAME_LIMIT, set[int]()
        for part in parts:
            if part.server != server:
                continue
            row = 8 + part.spec.width * np.dtype(part.spec.dtype).itemsize
            needed = HEADER.size + part.rows * row
            full = size + needed > FRAME_LIMIT or len(tables) == FRAMES_LIMIT
            if full or part.spec.id in tables:
                found.append([])
                size, tables = 0, set()
            found[-1].append(part)
            size += needed
            tables.add(part.spec.id)
    return found
