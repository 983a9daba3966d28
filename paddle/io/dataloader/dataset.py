"""Datasets: where single samples come from, and the ways to combine and split them."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.guards import Guarded, guarded
from paddle.core.tensor import Tensor
from paddle.io.dataloader.randomness import random_state


class Dataset(Guarded):
    """A collection of samples that are fetched by number.

    Subclasses define ``__getitem__(idx)``, returning one sample, and ``__len__()``.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.io import Dataset

            class Squares(Dataset):
                def __getitem__(self, idx):
                    return np.float32(idx) ** 2, idx

                def __len__(self):
                    return 10

            print(len(Squares()))  # 10
    """

    def __getitem__(self, idx: Any) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} must define __getitem__(self, idx), which returns the sample "
            "with number idx."
        )

    def __len__(self) -> int:
        raise NotImplementedError(
            f"{type(self).__name__} must define __len__(self), which returns the number of samples."
        )


class IterableDataset(Dataset):
    """A stream of samples, for data that cannot be fetched by number.

    Subclasses define ``__iter__()``. With several workers every one of them runs through its own
    copy, so ``__iter__`` must ask :func:`paddle.io.get_worker_info` which part is its own.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.io import DataLoader, IterableDataset

            class Count(IterableDataset):
                def __iter__(self):
                    for i in range(5):
                        yield np.array([i])

            for batch in DataLoader(Count(), batch_size=2):
                print(batch.numpy().ravel())  # [0 1], [2 3], [4]
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(
            f"{type(self).__name__} must define __iter__(self), which yields the samples."
        )

    def __getitem__(self, idx: Any) -> Any:
        raise RuntimeError(
            f"{type(self).__name__} is an IterableDataset: its samples have no numbers; "
            "iterate over it instead."
        )

    def __len__(self) -> int:
        raise _NoLength(f"{type(self).__name__} is an IterableDataset: its length is unknown.")


class _NoLength(RuntimeError, TypeError):
    """Also a TypeError, which is what lets ``list(stream)`` go on without a length."""


class TensorDataset(Dataset):
    """Samples that are rows of tensors: sample ``i`` is the tuple of the ``i``-th rows.

    Args:
        tensors (list|tuple): Tensors (or NumPy arrays) whose first dimensions are equal.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.io import TensorDataset

            data = TensorDataset([paddle.ones([3, 2]), paddle.zeros([3, 1])])
            image, label = data[0]
            print(len(data), image.shape, label.shape)  # 3 [2] [1]
    """

    def __init__(self, tensors: Sequence[Any]) -> None:
        if not isinstance(tensors, (list, tuple)):
            raise TypeError(
                "TensorDataset(tensors): expected a list or tuple of Tensors, "
                f"but received {type(tensors).__name__}."
            )
        if not tensors:
            raise InvalidArgumentError(
                "TensorDataset(tensors): expected at least one Tensor, but received an empty "
                f"{type(tensors).__name__}."
            )
        for i, tensor in enumerate(tensors):
            if not isinstance(tensor, (Tensor, np.ndarray)):
                raise TypeError(
                    f"TensorDataset(tensors): expected Tensors, but tensors[{i}] is "
                    f"{type(tensor).__name__}."
                )
        if len({tensor.shape[0] if len(tensor.shape) else -1 for tensor in tensors}) != 1:
            shapes = ", ".join(str(list(tensor.shape)) for tensor in tensors)
            raise InvalidArgumentError(
                "TensorDataset(tensors): expected equal sizes in the first dimension, "
                f"but received shapes {shapes}."
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].shape[0]


def _checked_parts(api: str, datasets: Any) -> list[Any]:
    if isinstance(datasets, Dataset) or not hasattr(datasets, "__iter__"):
        raise TypeError(
            f"{api}(datasets): expected a list of datasets, but received {type(datasets).__name__}."
        )
    parts = list(datasets)
    if not parts:
        raise InvalidArgumentError(
            f"{api}(datasets): expected at least one dataset, but received none."
        )
    return parts


class ComposeDataset(Dataset):
    """Joins the fields of several datasets of equal length into one sample.

    Args:
        datasets (list): map-style datasets of the same length.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.io import ComposeDataset, TensorDataset

            images = TensorDataset([paddle.ones([3, 2])])
            labels = TensorDataset([paddle.zeros([3, 1])])
            both = ComposeDataset([images, labels])
            print(len(both), len(both[0]))  # 3 2
    """

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        self.datasets = _checked_parts("ComposeDataset", datasets)
        for i, dataset in enumerate(self.datasets):
            if isinstance(dataset, IterableDataset):
                raise TypeError(
                    "ComposeDataset(datasets): expected map-style datasets, but "
                    f"datasets[{i}] is the IterableDataset {type(dataset).__name__}."
                )
            if not isinstance(dataset, Dataset):
                raise TypeError(
                    "ComposeDataset(datasets): expected paddle.io.Dataset objects, but "
                    f"datasets[{i}] is {type(dataset).__name__}."
                )
        lengths = [len(dataset) for dataset in self.datasets]
        if len(set(lengths)) != 1:
            raise InvalidArgumentError(
                "ComposeDataset(datasets): expected datasets of equal length, "
                f"but received lengths {lengths}."
            )

    def __getitem__(self, idx: Any) -> tuple:
        sample: list[Any] = []
        for dataset in self.datasets:
            fields = dataset[idx]
            sample.extend(fields if isinstance(fields, (list, tuple)) else [fields])
        return tuple(sample)

    def __len__(self) -> int:
        return len(self.datasets[0])


class ConcatDataset(Dataset):
    """Several datasets one after the other, as one; of later releases than 2.0.

    Args:
        datasets (list): map-style datasets.

    Raises:
        TypeError: one is no dataset, or an IterableDataset (see :class:`ChainDataset`).
        ValueError: there is none.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.io import ConcatDataset, TensorDataset

            zeros = TensorDataset([paddle.zeros([3, 1])])
            ones = TensorDataset([paddle.ones([2, 1])])
            both = ConcatDataset([zeros, ones])
            print(len(both), both[3][0].numpy(), both[-5][0].numpy())  # 5 [1.] [0.]
    """

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        self.datasets = _checked_parts("ConcatDataset", datasets)
        for i, dataset in enumerate(self.datasets):
            if isinstance(dataset, IterableDataset):
                raise TypeError(
                    "ConcatDataset(datasets): expected map-style datasets, but "
                    f"datasets[{i}] is the IterableDataset {type(dataset).__name__}; "
                    "streams are joined by ChainDataset."
                )
            if not (hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__")):
                raise TypeError(
                    "ConcatDataset(datasets): expected datasets with __getitem__ and __len__, but "
                    f"datasets[{i}] is {type(dataset).__name__}."
                )
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Sequence[Any]) -> list[int]:
        """Returns for each dataset where it ends in the whole.

        Args:
            sequence (list): datasets.

        Examples:
            .. code-block:: python

                from paddle.io import ConcatDataset
                print(ConcatDataset.cumsum([[7, 8], [9]]))  # [2, 3]
        """
        return list(itertools.accumulate(len(part) for part in sequence))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        number = idx + len(self) if idx < 0 else idx
        if not 0 <= number < len(self):
            raise OutOfRangeError(
                f"ConcatDataset: expected an index from {-len(self)} to {len(self) - 1}, "
                f"but received {idx}."
            )
        part = bisect.bisect_right(self.cumulative_sizes, number)
        return self.datasets[part][number - (self.cumulative_sizes[part - 1] if part else 0)]


class ChainDataset(IterableDataset):
    """Runs through several streams, one after the other.

    Args:
        datasets (list): IterableDatasets.

    Examples:
        .. code-block:: python

            from paddle.io import ChainDataset, IterableDataset

            class Upto(IterableDataset):
                def __init__(self, n):
                    self.n = n

                def __iter__(self):
                    return iter(range(self.n))

            print(list(ChainDataset([Upto(2), Upto(3)])))  # [0, 1, 0, 1, 2]
    """

    def __init__(self, datasets: Sequence[IterableDataset]) -> None:
        self.datasets = _checked_parts("ChainDataset", datasets)
        for i, dataset in enumerate(self.datasets):
            if not isinstance(dataset, IterableDataset):
                raise TypeError(
                    "ChainDataset(datasets): expected IterableDatasets, but "
                    f"datasets[{i}] is {type(dataset).__name__}."
                )

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            yield from dataset


class Subset(Dataset):
    """The part of a dataset that a list of indices names, in that order.

    Args:
        dataset (Dataset): the whole.
        indices (sequence): numbers of the samples that belong to the part.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.io import Subset, TensorDataset

            data = TensorDataset([paddle.to_tensor([[0.0], [1.0], [2.0]])])
            part = Subset(data, indices=[2, 0])
            print(len(part), part[0][0].numpy())  # 2 [2.]
    """

    def __init__(self, dataset: Dataset, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> Any:
        return self.dataset[self.indices[idx]]

    def __len__(self) -> int:
        return len(self.indices)

    def _whole_batches(self) -> Callable[[Sequence[int]], Any] | None:
        """Passes on the dataset's quick way to a batch, where it has one."""
        offer = getattr(self.dataset, "_whole_batches", None)
        whole = offer() if type(self) is Subset and callable(offer) else None
        if whole is None:
            return None
        return lambda batch: whole([self.indices[i] for i in batch])


@guarded
def random_split(dataset: Dataset, lengths: Sequence[int], generator: Any = None) -> list[Subset]:
    """Splits a dataset at random into parts that do not overlap.

    Args:
        dataset (Dataset): a map-style dataset.
        lengths (sequence): sizes of the parts; their sum is the length of the dataset.
        generator (Generator|np.random.RandomState|np.random.Generator|None): source of the random
            order. None follows ``paddle.seed``, or ``np.random.seed`` where only that was called.

    Returns:
        list: one :class:`Subset` per length.

    Raises:
        ValueError: a length is negative, or the sum differs from the length of the dataset.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.io import TensorDataset, random_split

            data = TensorDataset([paddle.rand([10, 2])])
            train, test = random_split(data, [8, 2])
            print(len(train), len(test))  # 8 2
    """
    sizes = list(lengths)
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 0:
            raise InvalidArgumentError(
                f"random_split(lengths): expected integers of at least 0, but received {sizes}."
            )
    if sum(sizes) != len(dataset):
        raise InvalidArgumentError(
            f"random_split(lengths): expected lengths whose sum is the dataset's length "
            f"{len(dataset)}, but {sizes} sum to {sum(sizes)}."
        )
    order = random_state("random_split", generator).permutation(len(dataset)).tolist()
    ends = np.cumsum([0, *sizes]).tolist()
    return [Subset(dataset, order[ends[i] : ends[i + 1]]) for i in range(len(sizes))]
