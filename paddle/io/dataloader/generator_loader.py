"""The loader behind DataLoader.from_generator: batches from a Python generator function."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from paddle.core.dtype import numpy_dtype
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.tensor import Tensor
from paddle.io.dataloader.collate import default_collate_fn, default_convert_fn
from paddle.io.dataloader.convert import (
    for_places,
    loader_device,
    place_count,
    target_device,
    to_tensors,
)
from paddle.io.dataloader.dataset import IterableDataset
from paddle.io.dataloader.feed_names import feed_names, named_fields
from paddle.io.dataloader.fetch import Recipe
from paddle.io.dataloader.pool import read_with_workers
from paddle.io.dataloader.prefetch import delivered
from paddle.io.dataloader.reading import Reading
from paddle.io.dataloader.sampler import is_count


class GeneratorLoader:
    """Iterates over what a generator function yields; see ``DataLoader.from_generator``.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle

            def batches():
                yield np.zeros([4, 2], "float32"), np.ones([4, 1], "int64")

            loader = paddle.io.DataLoader.from_generator(return_list=True)
            loader.set_batch_generator(batches)
            print([x.shape for x in next(loader())])  # [[4, 2], [4, 1]]
    """

    def __init__(
        self,
        feed_list: Any = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
        use_multiprocess: bool = False,
        drop_last: bool = True,
    ) -> None:
        if not iterable:
            warnings.warn(
                "DataLoader.from_generator(iterable=False): in dynamic mode a loader is iterated "
                "over; only Programs read by themselves.",
                stacklevel=3,
            )
        if capacity is not None and not is_count(capacity):
            raise InvalidArgumentError(
                "DataLoader.from_generator(capacity): expected a positive int, "
                f"but received {capacity!r}."
            )
        self._feeds = feed_list
        self._names = feed_names(feed_list, return_list)
        self._capacity = capacity or 2
        self._prefetch = use_double_buffer
        self._multiprocess = use_multiprocess
        self._drop_last = drop_last
        self._source: Callable[[], Any] | None = None
        self._progress: Any = None  # notes where passes stand, once somebody saves that
        self._device: Any = None
        self._places = 1

    def set_sample_generator(
        self, reader: Callable, batch_size: int, drop_last: bool = True, places: Any = None
    ) -> GeneratorLoader:
        """Reads samples and batches them.

        Args:
            reader (callable): returns an iterable of samples, each a tuple of fields.
            batch_size (int): samples in a batch.
            drop_last (bool): whether to leave out a last batch that is not full.
            places (Place|list|None): the device the Tensors go to; None means the current one.

        Returns:
            GeneratorLoader: itself.
        """
        _check_reader("set_sample_generator", reader)
        if not is_count(batch_size):
            raise InvalidArgumentError(
                "set_sample_generator(batch_size): expected a positive int, "
                f"but received {batch_size!r}."
            )

        def batches() -> Iterator[Any]:
            samples = iter(reader())
            while batch := list(itertools.islice(samples, batch_size)):
                if len(batch) == batch_size or not drop_last:
                    yield self._collate(batch)

        return self._read_from(batches, places)

    def set_sample_list_generator(self, reader: Callable, places: Any = None) -> GeneratorLoader:
        """Reads lists of samples, one list a batch, such as ``paddle.batch`` makes.

        Args:
            reader (callable): returns an iterable of lists of samples.
            places (Place|list|None): the device the Tensors go to; None means the current one.

        Returns:
            GeneratorLoader: itself.
        """
        _check_reader("set_sample_list_generator", reader)
        return self._read_from(lambda: map(self._collate, reader()), places)

    def set_batch_generator(self, reader: Callable, places: Any = None) -> GeneratorLoader:
        """Reads whole batches: tuples of arrays or Tensors, one for each field.

        Args:
            reader (callable): returns an iterable of batches.
            places (Place|list|None): the device the Tensors go to; None means the current one.

        Returns:
            GeneratorLoader: itself.
        """
        _check_reader("set_batch_generator", reader)

        def batches() -> Iterator[Any]:
            for batch in reader():
                fields = batch if isinstance(batch, (list, tuple)) else [batch]
                yield [_field(field) for field in fields]

        return self._read_from(batches, places)

    def _read_from(self, batches: Callable[[], Any], places: Any) -> GeneratorLoader:
        self._source = batches
        self._device = loader_device(places, self._feeds)
        self._places = place_count(places)
        return self

    def _collate(self, samples: list) -> list:
        rows = [s if isinstance(s, (list, tuple)) else [s] for s in samples]
        if not rows:
            raise InvalidArgumentError(
                "DataLoader.from_generator: expected samples in each batch, "
                "but received an empty list."
            )
        fields = default_collate_fn([[_field(field) for field in row] for row in rows])
        feeds = self._feeds or []
        if feeds and len(feeds) != len(fields):
            raise InvalidArgumentError(
                f"DataLoader.from_generator(feed_list): expected {len(feeds)} fields in a sample, "
                f"one for each entry, but received {len(fields)}."
            )
        return [_as_fed(f, v) for f, v in zip(fields, feeds, strict=True)] if feeds else fields

    def __call__(self) -> Iterator[Any]:
        return iter(self)

    def __iter__(self) -> Iterator[Any]:
        if self._source is None:
            raise PreconditionNotMetError(
                "DataLoader.from_generator: nothing to read from yet.",
                hint="call set_sample_generator, set_sample_list_generator or set_batch_generator",
            )
        if self._progress is not None:
            return self._progress.batches()
        return self._delivered(self._batches())

    def _delivered(self, batches: Iterator[Any], prefetch: bool = True) -> Iterator[Any]:
        """Batches where and as the trainer gets them; ``prefetch``: they may be read before."""
        prefetch = prefetch and bool(self._prefetch)
        batches = delivered(batches, target_device(self._device), prefetch)
        names = self._names
        if names is not None:
            batches = (named_fields(batch, names) for batch in batches)
        if self._places > 1:
            return for_places(batches, self._places, keep_rest=not self._drop_last)
        return batches if names is None else ([batch] for batch in batches)

    # What Progress asks of a loader.
    _stream = True
    batch_sampler = None

    @property
    def num_workers(self) -> int:
        """How many processes read: 1 with ``use_multiprocess``, else 0."""
        return int(self._multiprocess)

    def _tasks(self) -> Iterator[None]:
        return itertools.repeat(None)

    def _batches(self, reading: Reading | None = None) -> Iterator[Any]:
        source: Any = self._source
        if not self._multiprocess:
            for batch in source():
                yield to_tensors(batch, share=False)
            return
        recipe = Recipe(_Stream(source), default_convert_fn, True, None, False)
        tasks = self._tasks() if reading is None else reading.tasks
        for batch in read_with_workers(recipe, tasks, 1, prefetch=self._capacity, reading=reading):
            yield to_tensors(batch, share=True)


class _Stream(IterableDataset):
    def __init__(self, batches: Callable[[], Any]) -> None:
        self._batches = batches

    def __iter__(self) -> Iterator[Any]:
        return iter(self._batches())


def _check_reader(api: str, reader: Any) -> None:
    if not callable(reader):
        raise TypeError(
            f"{api}(reader): expected a function that returns an iterable, "
            f"but received {type(reader).__name__}."
        )


def _field(field: Any) -> Any:
    """Lists of numbers are arrays here: a field is always one Tensor."""
    return field if isinstance(field, (np.ndarray, Tensor)) else np.asarray(field)


def _as_fed(field: Any, variable: Any) -> Any:
    """Gives a batched field the dtype and the number of dimensions its Variable declares."""
    shape, dtype = getattr(variable, "shape", None), getattr(variable, "dtype", None)
    if not isinstance(field, np.ndarray) or shape is None or dtype is None:
        return field
    field = field.astype(numpy_dtype(dtype), copy=False)
    inner = [size for size in list(shape)[1:] if size is not None]
    if field.ndim != len(shape) and all(size > 0 for size in inner):
        wanted = [len(field), *inner]
        if field.size != int(np.prod(wanted)):
            raise InvalidArgumentError(
                f"DataLoader.from_generator(feed_list): expected values of shape {inner} for "
                f"{variable.name!r}, but a sample has shape {list(field.shape[1:])}."
            )
        field = field.reshape(wanted)
    return field
