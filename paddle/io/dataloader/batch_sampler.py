"""Batch samplers: which samples go together, in one process or shared by several."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.io.dataloader.dataset import IterableDataset
from paddle.io.dataloader.sampler import RandomSampler, Sampler, SequenceSampler, is_count


def _check(api: str, batch_size: Any, shuffle: Any, drop_last: Any) -> None:
    if not is_count(batch_size):
        raise InvalidArgumentError(
            f"{api}(batch_size): expected a positive int, but received {batch_size!r}."
        )
    for name, value in (("shuffle", shuffle), ("drop_last", drop_last)):
        if not isinstance(value, bool):
            raise TypeError(f"{api}({name}): expected a bool, but received {type(value).__name__}.")


def _check_sized(api: str, dataset: Any) -> None:
    if isinstance(dataset, IterableDataset) or not hasattr(dataset, "__len__"):
        raise TypeError(
            f"{api}(dataset): expected a dataset with a length, "
            f"but received {type(dataset).__name__}."
        )


class BatchSampler(Sampler):
    """Yields lists of sample numbers, one list per batch.

    Args:
        dataset (Dataset|None): a map-style dataset; visited in order, or at random with
            ``shuffle``. Give either this or ``sampler``.
        sampler (Sampler|None): the order in which samples are visited.
        shuffle (bool): whether to visit ``dataset`` in random order.
        batch_size (int): samples in a batch.
        drop_last (bool): whether to leave out a last batch that is not full.

    Examples:
        .. code-block:: python

            from paddle.io import BatchSampler, SequenceSampler

            print(list(BatchSampler(range(5), batch_size=2)))  # [[0, 1], [2, 3], [4]]
            order = SequenceSampler(range(5))
            pairs = BatchSampler(sampler=order, batch_size=2, drop_last=True)
            print(list(pairs))  # [[0, 1], [2, 3]]
    """

    def __init__(
        self,
        dataset: Any = None,
        sampler: Sampler | None = None,
        shuffle: bool = False,
        batch_size: int = 1,
        drop_last: bool = False,
    ) -> None:
        _check("BatchSampler", batch_size, shuffle, drop_last)
        if (dataset is None) == (sampler is None):
            raise InvalidArgumentError(
                "BatchSampler: expected either dataset or sampler, but received "
                f"{'neither' if dataset is None else 'both'}."
            )
        if sampler is not None:
            if not isinstance(sampler, Sampler):
                raise TypeError(
                    "BatchSampler(sampler): expected a paddle.io.Sampler, "
                    f"but received {type(sampler).__name__}."
                )
            if shuffle:
                raise InvalidArgumentError(
                    "BatchSampler(shuffle): expected False where a sampler gives the order, "
                    "but received True."
                )
            self.sampler = sampler
        else:
            _check_sized("BatchSampler", dataset)
            self.sampler = RandomSampler(dataset) if shuffle else SequenceSampler(dataset)
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        samples = len(self.sampler)  # type: ignore[arg-type]
        return (samples if self.drop_last else samples + self.batch_size - 1) // self.batch_size

    def state_dict(self) -> dict[str, Any]:
        """Returns the state of the sampler inside; see :meth:`Sampler.state_dict`."""
        own = getattr(self, "sampler", None)  # a subclass may have none
        return {} if own is None else {"sampler": sampler_state(own)}

    def set_state_dict(self, state: dict[str, Any]) -> None:
        """Goes back to a state that :meth:`state_dict` returned.

        Args:
            state (dict): the state.
        """
        own = getattr(self, "sampler", None)
        if own is not None:
            set_sampler_state(own, state.get("sampler"))


class DistributedBatchSampler(BatchSampler):
    """Gives each of several training processes its own share of a dataset's batches.

    The samples are repeated from the start until every process gets the same number, then dealt
    out a batch at a time: the first ``batch_size`` go to process 0, the next to process 1, and so
    on. What does not fill a batch everywhere is split evenly.

    Args:
        dataset (Dataset): a map-style dataset.
        batch_size (int): samples in a batch of one process.
        num_replicas (int|None): number of processes; None asks the launcher
            (``PADDLE_TRAINERS_NUM``).
        rank (int|None): number of this process; None asks the launcher (``PADDLE_TRAINER_ID``).
        shuffle (bool): whether to visit the samples in an order that depends on the epoch alone,
            so that all processes agree on it.
        drop_last (bool): whether to leave out a last batch that is not full.

    Examples:
        .. code-block:: python

            from paddle.io import DistributedBatchSampler

            share = DistributedBatchSampler(range(5), batch_size=1, num_replicas=2, rank=1)
            print(list(share))  # [[1], [3], [0]]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = False,
        drop_last: bool = False,
    ) -> None:
        api = "DistributedBatchSampler"
        _check(api, batch_size, shuffle, drop_last)
        _check_sized(api, dataset)
        if num_replicas is not None and not is_count(num_replicas):
            raise InvalidArgumentError(
                f"{api}(num_replicas): expected a positive int, but received {num_replicas!r}."
            )
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.nranks = _from_launcher("PADDLE_TRAINERS_NUM", 1, num_replicas)
        self.local_rank = _from_launcher("PADDLE_TRAINER_ID", 0, rank)
        rank_is_int = isinstance(self.local_rank, int) and not isinstance(self.local_rank, bool)
        if not rank_is_int or not 0 <= self.local_rank < self.nranks:
            raise InvalidArgumentError(
                f"{api}(rank): expected an int from 0 to {self.nranks - 1}, one below the number "
                f"of processes, but received {self.local_rank!r}."
            )
        self.epoch = 0
        self.num_samples = -(-len(dataset) // self.nranks)
        self.total_size = self.num_samples * self.nranks

    def set_epoch(self, epoch: int) -> None:
        """Sets the number that the next pass is shuffled by (each pass adds 1 by itself).

        Args:
            epoch (int): at least 0.

        Examples:
            .. code-block:: python

                from paddle.io import DistributedBatchSampler

                share = DistributedBatchSampler(range(8), batch_size=4, shuffle=True)
                first = list(share)
                share.set_epoch(0)
                print(list(share) == first)  # True
        """
        if isinstance(epoch, bool) or not isinstance(epoch, (int, np.integer)) or epoch < 0:
            raise InvalidArgumentError(
                f"set_epoch(epoch): expected an int of at least 0, but received {epoch!r}."
            )
        self.epoch = epoch

    def _own_numbers(self) -> list[int]:
        """The numbers of this process, in the order of the epoch."""
        size = len(self.dataset)
        padded = np.resize(np.arange(size), self.total_size)
        if self.shuffle:
            np.random.RandomState(self.epoch % 2**32).shuffle(padded)
            self.epoch += 1
        turn = self.batch_size * self.nranks
        dealt = self.total_size // turn * turn
        own = padded[:dealt].reshape(-1, self.nranks, self.batch_size)[:, self.local_rank].ravel()
        rest = padded[dealt:].reshape(self.nranks, -1)[self.local_rank]
        return [*own.tolist(), *rest.tolist()]

    def __iter__(self) -> Iterator[list[int]]:
        own = self._own_numbers()
        for start in range(0, len(own), self.batch_size):
            batch = own[start : start + self.batch_size]
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        more = 0 if self.drop_last else self.batch_size - 1
        return (self.num_samples + more) // self.batch_size

    def state_dict(self) -> dict[str, Any]:
        """Returns the number of the next pass; see :meth:`Sampler.state_dict`."""
        return {"epoch": int(self.epoch)}

    def set_state_dict(self, state: dict[str, Any]) -> None:
        """Goes back to a state that :meth:`state_dict` returned.

        Args:
            state (dict): the state.
        """
        self.set_epoch(state.get("epoch"))  # type: ignore[arg-type]


def sampler_state(sampler: Any) -> dict[str, Any]:
    """Returns the state of a sampler; one that tells none depends on ``paddle.seed`` alone."""
    return sampler.state_dict() if hasattr(sampler, "state_dict") else {}


def set_sampler_state(sampler: Any, state: Any) -> None:
    """Puts a sampler into a state of :func:`sampler_state`.

    Raises:
        InvalidArgumentError: the state is that of another kind of sampler.
    """
    now = sampler_state(sampler)
    if not isinstance(state, dict) or set(state) != set(now):
        found = sorted(map(str, state)) if isinstance(state, dict) else type(state).__name__
        raise InvalidArgumentError(
            f"{type(sampler).__name__}.set_state_dict: expected a dict with {sorted(now)}, but "
            f"received {found}."
        )
    if state:
        sampler.set_state_dict(state)


def _from_launcher(variable: str, otherwise: int, given: int | None) -> Any:
    if given is not None:
        return given
    text = os.environ.get(variable) or str(otherwise)
    try:
        return int(text)
    except ValueError:
        raise InvalidArgumentError(
            f"expected an integer in the environment variable {variable}, but it is {text!r}."
        ) from None
