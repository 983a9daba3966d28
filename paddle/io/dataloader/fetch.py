"""Fetches samples from a dataset and makes batches of them, in whichever process it runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.io.dataloader.collate import UnequalSamples, default_collate_fn

END = object()
"""What a fetcher returns when a stream has no more batches."""


@dataclass
class Recipe:
    """How batches are made: everything a fetcher needs, and a worker gets.

    Attributes:
        dataset (Dataset): where samples come from.
        make (callable): turns a list of samples (or one sample) into a batch.
        stream (bool): whether the dataset is iterated over instead of indexed.
        batch_size (int|None): samples in a batch of a stream; None hands samples out singly.
        drop_last (bool): whether a stream leaves out a last batch that is not full.
    """

    dataset: Any
    make: Callable[[Any], Any]
    stream: bool
    batch_size: int | None
    drop_last: bool

    def fetcher(self) -> Callable[[Any], Any]:
        """Returns a function from a task (indices, an index or None) to a batch."""
        if self.stream:
            return self._stream_fetcher()
        return self._one if self.batch_size is None else self._batch_fetcher()

    def _one(self, index: Any) -> Any:
        return self.make(_sample(self.dataset, index))

    def _batch_fetcher(self) -> Callable[[Any], Any]:
        dataset, make = self.dataset, self.make
        # A dataset may know a faster way to the very batch that its samples would give.
        offer = getattr(dataset, "_whole_batches", None) if make is default_collate_fn else None
        whole = offer() if callable(offer) else None
        if whole is not None:
            return whole

        def fetch(indices: Sequence[Any]) -> Any:
            try:
                samples = [dataset[index] for index in indices]
            except StopIteration as error:
                raise _stopped(dataset) from error
            return _made(make, samples, indices)

        return fetch

    def _stream_fetcher(self) -> Callable[[Any], Any]:
        samples = iter(self.dataset)
        size = self.batch_size

        def fetch(_: Any) -> Any:
            if size is None:
                sample = next(samples, END)
                return END if sample is END else self.make(sample)
            batch = list(itertools.islice(samples, size))
            if not batch or (self.drop_last and len(batch) < size):
                return END
            return _made(self.make, batch, None)

        return fetch


def _sample(dataset: Any, index: Any) -> Any:
    try:
        return dataset[index]
    except StopIteration as error:
        raise _stopped(dataset) from error


def _stopped(dataset: Any) -> RuntimeError:
    # Passed on as it is, it would end the user's loop without a word.
    return RuntimeError(f"{type(dataset).__name__}.__getitem__ raised StopIteration.")


def _made(make: Callable[[Any], Any], samples: list, indices: Any) -> Any:
    if not samples:
        raise InvalidArgumentError(
            "DataLoader: expected at least one index in each batch of the batch sampler, "
            "but received an empty batch."
        )
    try:
        return make(samples)
    except UnequalSamples as error:
        if indices is not None:
            number = indices[error.position]
            error.args = (
                f"{error.args[0]}\n  sample {error.position} of the batch is number "
                f"{number} of the dataset, sample 0 is number {indices[0]}.",
            )
        raise
