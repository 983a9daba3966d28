"""Samplers: the order in which the samples of a dataset are visited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import Guarded
from paddle.core.tensor import Tensor
from paddle.io.dataloader.randomness import random_state, set_source_state, source_state


def is_count(value: Any) -> bool:
    """Says whether a value is an integer of at least 1."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return whole and bool(value > 0)


class Sampler(Guarded):
    """Base of all samplers: an iterable over sample numbers.

    Subclasses define ``__iter__()`` and, as a rule, ``__len__()``.

    Args:
        data_source (Dataset|None): the dataset that is sampled.

    Examples:
        .. code-block:: python

            from paddle.io import Sampler

            class Backwards(Sampler):
                def __iter__(self):
                    return reversed(range(len(self.data_source)))

            print(list(Backwards([7, 8, 9])))  # [2, 1, 0]
    """

    def __init__(self, data_source: Any = None) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(
            f"{type(self).__name__} must define __iter__(self), which yields sample numbers."
        )

    def state_dict(self) -> dict[str, Any]:
        """Returns what the next pass depends on, for :class:`paddle.incubate.TrainingState`.

        It is asked between passes and before one begins. A sampler that only follows
        ``paddle.seed`` has nothing to add; one with numbers of its own overrides both methods.

        Returns:
            dict: plain numbers and arrays.

        Examples:
            .. code-block:: python

                from paddle.io import SequenceSampler
                print(SequenceSampler(range(4)).state_dict())  # {}
        """
        return {}

    def set_state_dict(self, state: dict[str, Any]) -> None:
        """Goes back to a state that :meth:`state_dict` returned.

        Args:
            state (dict): the state.

        Examples:
            .. code-block:: python

                from paddle.io import SequenceSampler
                sampler = SequenceSampler(range(4))
                sampler.set_state_dict(sampler.state_dict())
        """


class SequenceSampler(Sampler):
    """Visits all samples in order: 0, 1, 2, ...

    Args:
        data_source (Dataset): anything with a length.

    Examples:
        .. code-block:: python

            from paddle.io import SequenceSampler
            print(list(SequenceSampler([7, 8, 9])))  # [0, 1, 2]
    """

    def __init__(self, data_source: Any) -> None:
        super().__init__(data_source)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Visits samples in random order.

    Args:
        data_source (Dataset): anything with a length.
        replacement (bool): True draws each number independently, so samples repeat.
        num_samples (int|None): how many to draw; only with ``replacement``. None means as many
            as there are.
        generator (generator|Generator|np.random.RandomState|np.random.Generator|None): a Python
            iterator that yields the numbers themselves, or a source of random numbers. None
            follows ``paddle.seed``, or ``np.random.seed`` where only that was called.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.io import RandomSampler

            paddle.seed(1)
            print(sorted(RandomSampler(range(4))))  # [0, 1, 2, 3]
    """

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        super().__init__(data_source)
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(
                "RandomSampler(replacement): expected a bool, "
                f"but received {type(replacement).__name__}."
            )
        if num_samples is not None and not replacement:
            raise InvalidArgumentError(
                "RandomSampler(num_samples): expected None where replacement is False, "
                f"but received {num_samples!r}.",
                hint="pass replacement=True, or take a part with paddle.io.Subset",
            )
        if num_samples is not None and not is_count(num_samples):
            raise InvalidArgumentError(
                "RandomSampler(num_samples): expected a positive int, "
                f"but received {num_samples!r}."
            )
        if not hasattr(generator, "__next__"):
            random_state("RandomSampler", generator)

    @property
    def num_samples(self) -> int:
        """How many numbers one pass yields."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        if hasattr(self.generator, "__next__"):
            # zip stops with the shorter one without drawing a number too many.
            return (index for _, index in zip(range(self.num_samples), self.generator))
        state = random_state("RandomSampler", self.generator)
        size = len(self.data_source)
        if not self.replacement:
            return iter(state.permutation(size).tolist())
        if size == 0:
            raise InvalidArgumentError(
                "RandomSampler: expected samples to draw from, but the dataset is empty."
            )
        return iter(state.choice(size, self.num_samples, replace=True).tolist())

    def __len__(self) -> int:
        return self.num_samples

    def state_dict(self) -> dict[str, Any]:
        """Returns the state of ``generator``, if there is one; see :meth:`Sampler.state_dict`.

        Raises:
            NotImplementedError: ``generator`` is a Python iterator, which has no state.
        """
        return {} if self.generator is None else {"generator": source_state(self.generator)}

    def set_state_dict(self, state: dict[str, Any]) -> None:
        """Goes back to a state that :meth:`state_dict` returned.

        Args:
            state (dict): the state.
        """
        if self.generator is not None:
            set_source_state(self.generator, state.get("generator"), "RandomSampler")


class SubsetRandomSampler(Sampler):
    """Visits a part of the samples in random order; of later releases than 2.0.

    Args:
        indices (list|tuple|np.ndarray): numbers of the samples that belong to the part. The order
            follows ``paddle.seed``, or ``np.random.seed`` where only that was called.

    Raises:
        ValueError: there are none.

    Examples:
        .. code-block:: python

            from paddle.io import SubsetRandomSampler
            print(sorted(SubsetRandomSampler([7, 3, 5])))  # [3, 5, 7]
    """

    def __init__(self, indices: Any) -> None:
        if isinstance(indices, str) or not hasattr(indices, "__len__"):
            raise TypeError(
                "SubsetRandomSampler(indices): expected a list of sample numbers, "
                f"but received {type(indices).__name__}."
            )
        if not len(indices):
            raise InvalidArgumentError(
                "SubsetRandomSampler(indices): expected at least one number, but received none."
            )
        super().__init__()
        self.indices = indices

    def __iter__(self) -> Iterator[int]:
        order = random_state("SubsetRandomSampler").permutation(len(self.indices)).tolist()
        return (self.indices[position] for position in order)

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Draws samples with given probabilities.

    Args:
        weights (list|tuple|np.ndarray|Tensor): one non-negative number per sample; sample ``i``
            is drawn with probability ``weights[i] / sum(weights)``.
        num_samples (int): how many to draw.
        replacement (bool): False draws no sample twice.

    Raises:
        ValueError: a weight is negative or not finite, all are zero, or fewer are positive than
            are to be drawn without replacement.

    Examples:
        .. code-block:: python

            from paddle.io import WeightedRandomSampler
            print(list(WeightedRandomSampler([0.0, 1.0], num_samples=3)))  # [1, 1, 1]
    """

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True) -> None:
        super().__init__()
        if not isinstance(weights, (list, tuple, np.ndarray, Tensor)):
            raise TypeError(
                "WeightedRandomSampler(weights): expected a list, tuple, array or Tensor, "
                f"but received {type(weights).__name__}."
            )
        if not is_count(num_samples):
            raise InvalidArgumentError(
                "WeightedRandomSampler(num_samples): expected a positive int, "
                f"but received {num_samples!r}."
            )
        if not isinstance(replacement, bool):
            raise TypeError(
                "WeightedRandomSampler(replacement): expected a bool, "
                f"but received {type(replacement).__name__}."
            )
        array = np.asarray(weights, dtype=np.float64)
        if array.ndim != 1 or not array.size:
            raise InvalidArgumentError(
                "WeightedRandomSampler(weights): expected one dimension with at least one weight, "
                f"but received shape {list(array.shape)}."
            )
        if not (np.isfinite(array) & (array >= 0)).all() or not array.any():
            raise InvalidArgumentError(
                "WeightedRandomSampler(weights): expected finite weights of at least 0, one of "
                f"them above 0, but received {array.tolist()[:20]}."
            )
        positive = int(np.count_nonzero(array))
        if not replacement and positive < num_samples:
            raise InvalidArgumentError(
                "WeightedRandomSampler(num_samples): without replacement expected at most "
                f"{positive}, the number of positive weights, but received {num_samples}."
            )
        self.weights = weights
        self.num_samples = num_samples
        self.replacement = replacement
        self._chances = array / array.sum()

    def __iter__(self) -> Iterator[int]:
        state = random_state("WeightedRandomSampler")
        drawn = state.choice(
            len(self._chances), self.num_samples, replace=self.replacement, p=self._chances
        )
        return iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples
