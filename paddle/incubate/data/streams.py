"""Shares of a stream: what one worker of a DataLoader reads of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from paddle.io import get_worker_info

__all__ = ["worker_share"]


def worker_share(samples: Iterable[Any]) -> Iterator[Any]:
    """Yields every n-th item in each of n workers, and all of them where there are no workers.

    For ``__iter__`` of an IterableDataset, whose copies in the workers would otherwise all yield
    the whole stream. Give it what is cheap to run through, such as names of files or lines, and
    decode what it yields.

    Args:
        samples (iterable): the whole, in the same order in every worker.

    Returns:
        Iterator: the share of the process that asks.

    Examples:
        .. code-block:: python

            from paddle.incubate.data import worker_share
            from paddle.io import DataLoader, IterableDataset

            class Squares(IterableDataset):
                def __iter__(self):
                    for i in worker_share(range(6)):
                        yield i * i

            loader = DataLoader(Squares(), batch_size=None, num_workers=2)
            print(sorted(int(x) for x in loader))  # [0, 1, 4, 9, 16, 25]
    """
    if not hasattr(samples, "__iter__"):
        raise TypeError(
            f"worker_share(samples): expected an iterable, but received {type(samples).__name__}."
        )
    info = get_worker_info()
    if info is None:
        return iter(samples)
    return itertools.islice(samples, info.id, None, info.num_workers)
