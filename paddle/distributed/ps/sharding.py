"""Ids of a request: each once, in ascending order, and divided over the servers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch


class Lookup:
    """Ids as they are asked for.

    Args:
        ids (numpy.ndarray): int64, of one dimension.
        servers (int): how many servers there are; row ``id`` is on server ``id % servers``.

    Attributes:
        unique: every id once, in ascending order.
        inverse: for each given id its place in ``unique``; None where they are the same.
        by_server: for each server the places in ``unique`` of its ids.
        sorted: for each server its ids.
    """

    __slots__ = ("by_server", "count", "ids", "inverse", "sorted", "unique")

    def __init__(self, ids: np.ndarray, servers: int) -> None:
        self.ids, self.count = ids, len(ids)
        self.inverse: np.ndarray | None = None
        if len(ids) < 2 or bool((ids[1:] > ids[:-1]).all()):
            self.unique = ids
        else:
            self.unique, inverse = np.unique(ids, return_inverse=True)
            self.inverse = inverse.reshape(-1)
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
        given = torch.from_numpy(np.ascontiguousarray(values))
        total = torch.zeros(len(self.unique), *values.shape[1:], dtype=given.dtype)
        return total.index_add_(0, torch.from_numpy(self.inverse), given).numpy()


def pieces(count: int, most: int) -> Iterator[slice]:
    """Slices over ``count`` rows, of at most ``most`` rows each."""
    for start in range(0, count, most):
        yield slice(start, min(start + most, count))
