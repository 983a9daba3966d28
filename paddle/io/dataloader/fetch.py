"""Fetches samples from a dataset and makes batches of them, in whichever process it runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.io.dataloader.collate import (
    Empty,
    UnequalSamples,
    collate_into,
    default_collate_fn,
    default_convert_fn,
)
from paddle.io.dataloader.failures import add_note, brief

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

    def same_as(self, other: Recipe) -> bool:
        """Whether both make the same, as long as nobody changes the dataset itself."""
        plain = (self.stream, self.batch_size, self.drop_last)
        return (
            self.dataset is other.dataset
            and self.make is other.make
            and plain == (other.stream, other.batch_size, other.drop_last)
        )

    def fetcher(self, empty: Empty | None = None) -> Callable[[Any], Any]:
        """Returns a function from a task (indices, an index or None) to a batch.

        Args:
            empty (callable|None): provides memory for large fields. Only the loader's own
                collating makes use of it: a user's function may keep what it returned.
        """
        if self.stream:
            return self._stream_fetcher(empty)
        return self._one if self.batch_size is None else self._batch_fetcher(empty)

    def _one(self, index: Any) -> Any:
        try:
            sample = self.dataset[index]
        except StopIteration as error:
            raise self._stopped() from error
        except Exception as error:
            add_note(error, self._sample_note(index))
            raise
        return self._made(self.make, sample, lambda: f"sample {brief([index])[1:-1]}")

    def _batch_fetcher(self, empty: Empty | None) -> Callable[[Any], Any]:
        dataset, make = self.dataset, self.make
        # A dataset may know a faster way to the very batch that its samples would give.
        offer = getattr(dataset, "_whole_batches", None) if make is default_collate_fn else None
        whole = offer() if callable(offer) else None
        if whole is not None:
            return whole
        make = self._collating(empty)

        def fetch(indices: Sequence[Any]) -> Any:
            left = iter(indices)
            try:
                samples = [dataset[index] for index in left]
            except StopIteration as error:
                raise self._stopped() from error
            except Exception as error:
                position = len(indices) - len(list(left)) - 1
                add_note(error, self._sample_note(indices[position]))
                raise
            if not samples:
                raise InvalidArgumentError(
                    "DataLoader: expected at least one index in each batch of the batch sampler, "
                    "but received an empty batch."
                )
            try:
                return self._made(make, samples, lambda: f"samples {brief(indices)}")
            except UnequalSamples as error:
                error.place(indices, "dataset")
                raise

        return fetch

    def _stream_fetcher(self, empty: Empty | None) -> Callable[[Any], Any]:
        samples = iter(self.dataset)
        make, size = self._collating(empty), self.batch_size
        read = 0

        def fetch(_: Any) -> Any:
            nonlocal read
            batch: list[Any] = []
            try:
                batch.extend(itertools.islice(samples, 1 if size is None else size))
            except Exception as error:
                at = f"sample {read + len(batch)} of the stream {type(self.dataset).__name__}"
                add_note(error, f"[DataLoader: reading {at}]")
                raise
            if not batch or (self.drop_last and size is not None and len(batch) < size):
                return END
            first, read = read, read + len(batch)
            numbers = range(first, read)
            if size is None:
                return self._made(make, batch[0], lambda: f"sample {first} of the stream")
            try:
                return self._made(make, batch, lambda: f"samples {brief(numbers)} of the stream")
            except UnequalSamples as error:
                error.place(numbers, "stream")
                raise

        return fetch

    def _collating(self, empty: Empty | None) -> Callable[[Any], Any]:
        if empty is None or self.make is not default_collate_fn:
            return self.make
        return collate_into(empty)

    def _made(self, make: Callable[[Any], Any], samples: Any, which: Callable[[], str]) -> Any:
        """Calls the collate_fn; errors tell what it was called with."""
        if self.make is default_collate_fn or self.make is default_convert_fn:
            return make(samples)
        try:
            batch = make(samples)
        except Exception as error:
            add_note(error, f"[DataLoader: in collate_fn {_name(make)}, called with {which()}]")
            raise
        if batch is None:
            raise TypeError(
                f"DataLoader(collate_fn): expected {_name(make)} to return a batch, but it "
                f"returned None for {which()}. Does every way through it end with a return?"
            )
        return batch

    def _sample_note(self, index: Any) -> str:
        size = ""
        try:
            size = f", which has {len(self.dataset)} samples"
        except Exception:  # the error that is reported here must not be replaced
            pass
        number = brief([index])[1:-1]
        return f"[DataLoader: reading sample {number} of {type(self.dataset).__name__}{size}]"

    def _stopped(self) -> RuntimeError:
        # Passed on as it is, it would end the user's loop without a word.
        return RuntimeError(f"{type(self.dataset).__name__}.__getitem__ raised StopIteration.")


def _name(function: Any) -> str:
    return getattr(function, "__qualname__", None) or type(function).__name__
