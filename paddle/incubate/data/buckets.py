"""Batches of samples that are similarly long, so that little is padded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.io import BatchSampler
from paddle.io.dataloader.randomness import random_state
from paddle.io.dataloader.sampler import is_count

__all__ = ["BucketBatchSampler"]


class BucketBatchSampler(BatchSampler):
    """Puts samples of similar length into a batch.

    In each pass the samples are shuffled, taken in groups of ``group`` batches, sorted within a
    group and cut into batches, whose order is shuffled again. A small group means more chance, a
    large one less padding.

    Args:
        lengths (list|np.ndarray): the length of every sample of the dataset.
        batch_size (int): samples in a batch.
        shuffle (bool): False leaves out both shuffles. Follows ``paddle.seed``, or
            ``np.random.seed`` where only that was called. Default True.
        drop_last (bool): whether to leave out the batch that is not full. Default False.
        group (int): batches among which lengths are sorted. Default 100.

    Raises:
        TypeError, ValueError: an argument is wrong; ``lengths`` holds something else than integers
            of at least 0.

    Examples:
        .. code-block:: python

            from paddle.incubate.data import BucketBatchSampler

            batches = BucketBatchSampler([5, 1, 4, 2], batch_size=2, shuffle=False)
            print(list(batches), len(batches))  # [[1, 3], [2, 0]] 2
    """

    def __init__(
        self,
        lengths: Any,
        batch_size: int,
        shuffle: bool = True,
        drop_last: bool = False,
        group: int = 100,
    ) -> None:
        sizes = np.asarray(lengths)
        if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 0).any():
            raise InvalidArgumentError(
                "BucketBatchSampler(lengths): expected one integer of at least 0 for every sample, "
                f"but received {lengths!r:.60}."
            )
        if not isinstance(shuffle, bool):
            raise TypeError(
                "BucketBatchSampler(shuffle): expected a bool, "
                f"but received {type(shuffle).__name__}."
            )
        if not is_count(group):
            raise InvalidArgumentError(
                f"BucketBatchSampler(group): expected a positive int, but received {group!r}."
            )
        super().__init__(range(len(sizes)), batch_size=batch_size, drop_last=drop_last)
        self.lengths = sizes
        self.shuffle = shuffle
        self.group = group

    def __iter__(self) -> Iterator[list[int]]:
        count = len(self.lengths)
        random = random_state("BucketBatchSampler") if self.shuffle else None
        order = np.arange(count) if random is None else random.permutation(count)
        batches: list[list[int]] = []
        for start in range(0, count, self.batch_size * self.group):
            group = order[start : start + self.batch_size * self.group]
            group = group[np.argsort(self.lengths[group], kind="stable")].tolist()
            batches.extend(
                group[at : at + self.batch_size] for at in range(0, len(group), self.batch_size)
            )
        if self.drop_last and batches and len(batches[-1]) < self.batch_size:
            batches.pop()
        turns = range(len(batches)) if random is None else random.permutation(len(batches))
        return (batches[turn] for turn in turns)
