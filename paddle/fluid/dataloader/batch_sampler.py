"""BatchSampler as 1.8 calls it: the numbers of samples may be given."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.io import BatchSampler as _BatchSampler
from paddle.io import Sampler

__all__ = ["BatchSampler"]


class _Listed(Sampler):
    """Numbers of samples in their order, or shuffled in each pass.

    Args:
        indices (list[int]): the numbers.
        shuffle (bool): whether they are shuffled, by NumPy's random numbers.
    """

    def __init__(self, indices: list[int], shuffle: bool) -> None:
        super().__init__(indices)
        self._indices, self._shuffle = indices, shuffle

    def __iter__(self) -> Any:
        order = list(self._indices)
        if self._shuffle:
            np.random.shuffle(order)
        return iter(order)

    def __len__(self) -> int:
        return len(self._indices)


class BatchSampler(_BatchSampler):
    """Yields lists of sample numbers.

    Args:
        dataset (Dataset|None): the samples; or ``indices`` are given.
        indices (list[int]|Sampler|None): the numbers of the samples (1.8), or a Sampler (2.0).
        shuffle (bool): whether numbers come in random order.
        batch_size (int): numbers in a list.
        drop_last (bool): whether to leave out a last list that is shorter.
        sampler (Sampler|None): draws the numbers, as in 2.0.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            sampler = fluid.dataloader.BatchSampler(indices=[4, 2, 7], batch_size=2)
            print(list(sampler))  # [[4, 2], [7]]
    """

    def __init__(
        self,
        dataset: Any = None,
        indices: Any = None,
        shuffle: bool = False,
        batch_size: int = 1,
        drop_last: bool = False,
        sampler: Any = None,
    ) -> None:
        if isinstance(indices, Sampler):
            sampler, indices = indices, None
        if indices is not None:
            if dataset is not None or sampler is not None:
                raise InvalidArgumentError(
                    "BatchSampler: expected one of dataset, indices and sampler, but received "
                    "several."
                )
            if not isinstance(indices, (list, tuple)) or not all(
                isinstance(n, (int, np.integer)) for n in indices
            ):
                raise TypeError(
                    f"BatchSampler(indices): expected a list of ints, but received {indices!r}."
                )
            sampler, shuffle = _Listed(list(indices), bool(shuffle)), False
        super().__init__(dataset, sampler, shuffle, batch_size, drop_last)
