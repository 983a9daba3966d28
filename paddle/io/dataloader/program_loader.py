"""The loader of Programs: batches that are fed, or that a Program reads by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from paddle.io.dataloader.convert import for_places, place_count
from paddle.io.dataloader.feeding import Batches, Fed, checked_capacity
from paddle.io.dataloader.program_readers import insert_reader


class DataLoaderBase:
    """What all loaders of 1.x have: they are iterated over, by ``for`` or by ``next``."""

    def __call__(self) -> DataLoaderBase:
        """Returns itself, which is iterated over."""
        return self

    def __iter__(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        raise NotImplementedError

    def next(self) -> Any:
        """Returns the next batch of the pass that :func:`iter` began."""
        return self.__next__()


class GeneratorLoader(DataLoaderBase):
    """Batches of a generator function for Programs; see ``DataLoader.from_generator``.

    Args:
        feed_list (list): the Variables that are fed.
        capacity (int): batches that a process may make ahead, with ``use_multiprocess``.
        use_double_buffer (bool): a hint.
        iterable (bool): False has the Program read by itself, between ``start`` and ``reset``.
        return_list (bool): whether batches are lists, not dicts.
        drop_last (bool): whether batches that do not suffice for all places are left out.
        use_multiprocess (bool): whether the generator runs in a process of its own.
    """

    def __init__(
        self,
        feed_list: Any = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
        drop_last: bool = True,
        use_multiprocess: bool = False,
    ) -> None:
        if feed_list is None:
            raise Exception("Feed list must be given under static mode.")
        self._fields = [Fed.of(var) for var in feed_list]
        self._capacity = checked_capacity(capacity)
        self._use_double_buffer = use_double_buffer
        self._iterable = iterable
        self._return_list = return_list
        self._drop_last = drop_last
        self._multiprocess = use_multiprocess
        self._batches: Batches | None = None
        self._places = 1
        self._running: Iterator[Any] | None = None
        self._queue = None if iterable else insert_reader(feed_list)

    @property
    def queue(self) -> Any:
        """What the Program reads from; None for a loader that is iterated over."""
        return self._queue

    @property
    def iterable(self) -> bool:
        """Whether the loader is iterated over."""
        return self._iterable

    # -- where batches come from -------------------------------------------------------------------

    def set_sample_generator(
        self, reader: Callable[[], Any], batch_size: int, drop_last: bool = True, places: Any = None
    ) -> GeneratorLoader:
        """Reads samples and batches them.

        Args:
            reader (callable): returns an iterable of samples, each with a field for every Variable.
            batch_size (int): samples in a batch.
            drop_last (bool): whether to leave out a last batch that is not full.
            places (list|None): the places that are fed.

        Returns:
            GeneratorLoader: itself.
        """
        return self._read(Batches.of_samples(self._fields, reader, batch_size, drop_last), places)

    def set_sample_list_generator(
        self, reader: Callable[[], Any], places: Any = None
    ) -> GeneratorLoader:
        """Reads lists of samples, one list a batch, such as ``paddle.batch`` makes.

        Args:
            reader (callable): returns an iterable of lists of samples.
            places (list|None): the places that are fed.

        Returns:
            GeneratorLoader: itself.
        """
        return self._read(Batches.of_lists(self._fields, reader), places)

    def set_batch_generator(self, reader: Callable[[], Any], places: Any = None) -> GeneratorLoader:
        """Reads whole batches: an array, a Tensor or a LoDTensor for each Variable.

        Args:
            reader (callable): returns an iterable of batches.
            places (list|None): the places that are fed.

        Returns:
            GeneratorLoader: itself.
        """
        return self._read(Batches.of_arrays(self._fields, reader), places)

    def _read(self, batches: Batches, places: Any) -> GeneratorLoader:
        batches.apart = self._capacity if self._multiprocess else 0
        self._batches = batches
        if places is not None:
            self._places = place_count(places)
        if self._queue is not None:
            self._queue.source = batches
        return self

    # -- passes ------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Any]:
        assert self._iterable, "DataLoader is not iterable: use start() and reset()"
        assert self._batches is not None, "Data source of DataLoader has not set yet"
        fed = self._feeds(self._batches)
        self._running = for_places(fed, self._places, keep_rest=not self._drop_last)
        return self

    def __next__(self) -> Any:
        assert self._running is not None, "call iter() first"
        return next(self._running)

    def _feeds(self, batches: Batches) -> Iterator[Any]:
        names = [field.name for field in self._fields]
        for batch in batches():
            yield batch if self._return_list else dict(zip(names, batch, strict=True))

    def start(self) -> None:
        """Begins a pass of a loader that the Program reads from."""
        assert not self._iterable, "start() cannot be called when DataLoader is iterable"
        assert self._queue is not None
        self._queue.start()

    def reset(self) -> None:
        """Ends a pass of a loader that the Program reads from, after ``EOFException`` or before."""
        assert not self._iterable, "reset() cannot be called when DataLoader is iterable"
        assert self._queue is not None
        self._queue.reset()
