"""Batches of LoDTensors from samples, lists of samples or arrays, for loaders and readers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from paddle.core.dtype import dtype_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.lod import LoDTensor
from paddle.core.tensor import Tensor
from paddle.io.dataloader.convert import to_tensors
from paddle.io.dataloader.dataset import IterableDataset
from paddle.io.dataloader.fetch import Recipe
from paddle.io.dataloader.pool import read_with_workers
from paddle.io.dataloader.sampler import is_count


class Field:
    """Gathers the values of one Variable.

    Args:
        name (str): of the Variable.
        shape (tuple): of the Variable.
        dtype (str): of the Variable.
        levels (int): its ``lod_level``: how deep the lists of a sample are nested.
    """

    def __init__(self, name: str, shape: tuple[int, ...], dtype: str, levels: int) -> None:
        self.name, self.dtype, self.levels = name, dtype, levels
        # Sizes that any batch may have are -1; where several are, no shape can be given.
        sizes = [n if n is not None and n >= 0 else -1 for n in shape]
        self.shape = sizes if sizes.count(-1) <= 1 else None
        self.rows: list[Any] = []
        self.lengths: list[list[int]] = [[] for _ in range(levels)]

    def add(self, value: Any) -> None:
        """Takes what a sample has."""
        self._add(value, 0)

    def _add(self, value: Any, level: int) -> None:
        if level == self.levels:
            self.rows.append(value)
            return
        if not hasattr(value, "__len__"):
            raise TypeError(
                f"DataFeeder.feed: {self.name!r} has lod_level {self.levels}: expected "
                f"{'a sequence' if self.levels == 1 else 'nested sequences'} in each sample, but "
                f"received {value!r}."
            )
        self.lengths[level].append(len(value))
        if level == self.levels - 1:
            self.rows.extend(value)
            return
        for part in value:
            self._add(part, level + 1)

    def tensor(self) -> LoDTensor:
        """All values in one LoDTensor."""
        try:
            array = np.array(self.rows, dtype=self.dtype)
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(self._unequal(error)) from None
        if self.shape and (not self.rows or array.ndim != len(self.shape)):
            array = self._shaped(array)
        made = LoDTensor()
        made.set(array)
        if self.levels:
            made.set_recursive_sequence_lengths(self.lengths)
        return made

    def _shaped(self, array: np.ndarray) -> np.ndarray:
        shape = self.shape or []
        if not self.rows:
            return array.reshape([0 if n < 0 else n for n in shape])
        try:
            return array.reshape(shape)
        except ValueError:
            raise InvalidArgumentError(
                f"DataFeeder.feed: expected values for {self.name!r} of shape {shape[1:]} in each "
                f"sample, but all {len(self.rows)} together have {array.size} numbers."
            ) from None

    def _unequal(self, error: Exception) -> str:
        try:
            shapes = {np.shape(row) for row in self.rows}
        except ValueError:
            shapes = set()
        if len(shapes) > 1:
            found = ", ".join(map(str, sorted(shapes)[:4]))
            return (
                f"DataFeeder.feed: expected values for {self.name!r} of one shape in all samples, "
                f"but received shapes {found}; a Variable for sequences has a lod_level."
            )
        return f"DataFeeder.feed: expected {self.dtype} numbers for {self.name!r}: {error}."


@dataclass(frozen=True)
class Fed:
    """What is said of a Variable that is fed.

    Attributes:
        name (str): of the Variable.
        shape (tuple): sizes, -1 where any will do.
        dtype (str): of its elements.
        levels (int): its ``lod_level``.
        checked (bool): whether what is fed must have the shape.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    levels: int = 0
    checked: bool = False

    @staticmethod
    def of(var: Any) -> Fed:
        """What a Variable says of itself."""
        checked = bool(getattr(var, "need_check_feed", False))
        return Fed(var.name, tuple(var.shape), dtype_name(var.dtype), var.lod_level, checked)

    def field(self) -> Field:
        """Gathers values of samples."""
        return Field(self.name, self.shape, self.dtype, self.levels)

    def check(self, value: LoDTensor) -> LoDTensor:
        """Refuses another dtype, or another shape than the Variable's."""
        tensor = value.tensor
        if tensor is None:
            raise InvalidArgumentError(f"the LoDTensor for {self.name!r} holds nothing.")
        got = dtype_name(tensor.dtype)
        if got != self.dtype:
            raise InvalidArgumentError(
                f"{self.name!r} is expected to be {self.dtype}, but received {got}.",
                hint=f"yield array.astype({self.dtype!r})",
            )
        shape = tensor.shape
        if self.checked and not self.levels:
            same = len(shape) == len(self.shape)
            if not same or any(w not in (-1, None, g) for w, g in zip(self.shape, shape)):
                raise InvalidArgumentError(
                    f"{self.name!r} is expected to have shape {list(self.shape)} (-1: any size), "
                    f"but received {shape}."
                )
        return value


class Batches:
    """Called, it gives the batches of one pass, each a list of LoDTensors.

    Args:
        fields (list[Fed]): what is fed.
        reader (callable): the user's.
        make (callable): a batch of what the reader yields.

    Attributes:
        apart (int): 0: the reader runs here; else how many batches its process may make ahead.
    """

    def __init__(
        self, fields: list[Fed], reader: Callable[[], Any], make: Callable[[Any], list[LoDTensor]]
    ) -> None:
        if not callable(reader):
            raise TypeError(
                "expected a function that returns an iterable of data, but received "
                f"{type(reader).__name__}."
            )
        self.fields, self.reader, self.make = fields, reader, make
        self.apart = 0

    @staticmethod
    def of_samples(
        fields: list[Fed], reader: Callable[[], Any], size: int, drop_last: bool
    ) -> Batches:
        """Batches of ``size`` samples."""
        if not is_count(size):
            raise InvalidArgumentError(
                f"set_sample_generator(batch_size): expected a positive int, got {size!r}."
            )

        def groups() -> Iterator[list[Any]]:
            samples = iter(reader())
            while group := list(itertools.islice(samples, size)):
                if len(group) == size or not drop_last:
                    yield group

        made = Batches.of_lists(fields, reader)
        made.reader = groups
        return made

    @staticmethod
    def of_lists(fields: list[Fed], reader: Callable[[], Any]) -> Batches:
        """A batch of each list of samples."""

        def make(samples: Any) -> list[LoDTensor]:
            gathered = [fed.field() for fed in fields]
            for sample in samples:
                values = sample if isinstance(sample, (list, tuple)) else [sample]
                _same_number(len(values), len(fields), "sample")
                for field, value in zip(gathered, values, strict=True):
                    field.add(value)
            return [field.tensor() for field in gathered]

        return Batches(fields, reader, make)

    @staticmethod
    def of_arrays(fields: list[Fed], reader: Callable[[], Any]) -> Batches:
        """What the reader yields: an array for each Variable."""

        def make(batch: Any) -> list[LoDTensor]:
            values = list(batch) if isinstance(batch, (list, tuple)) else [batch]
            _same_number(len(values), len(fields), "batch")
            return [_lod_tensor(v, fed) for v, fed in zip(values, fields, strict=True)]

        return Batches(fields, reader, make)

    def __call__(self) -> Iterator[list[LoDTensor]]:
        """The batches of one pass."""
        found = self._apart() if self.apart else map(self.make, self.reader())
        for batch in found:
            yield [fed.check(value) for fed, value in zip(self.fields, batch, strict=True)]

    def _apart(self) -> Iterator[list[LoDTensor]]:
        recipe = Recipe(_Stream(self), _as_it_is, True, None, False)
        for batch in read_with_workers(recipe, itertools.repeat(None), 1, prefetch=self.apart):
            arrays, levels = batch
            tensors = to_tensors(arrays, share=True)
            yield [LoDTensor(t, lod) for t, lod in zip(tensors, levels, strict=True)]


class _Stream(IterableDataset):
    """Batches as a process sends them: arrays and levels."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def __iter__(self) -> Iterator[Any]:
        for batch in map(self._batches.make, self._batches.reader()):
            yield [value.numpy() for value in batch], [value.lod() for value in batch]


def _as_it_is(sample: Any) -> Any:
    return sample


def _lod_tensor(value: Any, fed: Fed) -> LoDTensor:
    if isinstance(value, LoDTensor):
        return value
    if isinstance(value, Tensor):
        return LoDTensor(value)
    if isinstance(value, np.ndarray):
        return LoDTensor(to_tensors(value, share=False))
    try:
        return LoDTensor(to_tensors(np.array(value, dtype=fed.dtype), share=True))
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"expected an array of {fed.dtype} for {fed.name!r}: {error}."
        ) from None


def _same_number(got: int, wanted: int, what: str) -> None:
    if got != wanted:
        raise InvalidArgumentError(
            f"expected {wanted} fields in a {what}, one for each fed Variable, but received {got}."
        )


def checked_capacity(capacity: Any) -> int:
    """Refuses what is no number of batches."""
    if capacity is None:
        raise ValueError("Please give value to capacity.")
    if not is_count(capacity):
        raise InvalidArgumentError(f"capacity: expected a positive int, but received {capacity!r}.")
    return capacity
