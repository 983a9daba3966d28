"""DataLoader of 1.x: batches from Python generators and from datasets of files; PyReader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.core.mode import recording
from paddle.core.place import current_place
from paddle.io import DataLoader as _DataLoader
from paddle.io.dataloader.collate import default_collate_fn
from paddle.io.dataloader.dataset_loader import DatasetLoader
from paddle.io.dataloader.feeding import checked_capacity
from paddle.io.dataloader.program_loader import DataLoaderBase, GeneratorLoader

__all__ = ["PyReader", "DataLoader", "default_collate_fn"]


class DataLoader(_DataLoader):
    """Iterates over a dataset in batches; as ``paddle.io.DataLoader``, with 1.x's defaults.

    Args:
        dataset (Dataset): samples by number, or an IterableDataset.
        feed_list (list|None): the Variables that are fed; without any, batches are lists.
        places (list|None): the places that are fed.
        return_list (bool): whether batches are lists, not dicts. Default: False, which 2.0 changed.
        batch_sampler (BatchSampler|None): in place of the next three.
        batch_size (int|None): samples in a batch.
        shuffle (bool): whether samples come in random order.
        drop_last (bool): whether to leave out a last batch that is not full.
        collate_fn (callable|None): makes a batch of samples.
        num_workers (int): processes that read.
        use_buffer_reader (bool): see ``paddle.io.DataLoader``, and so are the others.
        use_shared_memory (bool): see there.
        timeout (int): see there.
        worker_init_fn (callable|None): see there.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid

            class Squares(fluid.dataloader.Dataset):
                def __getitem__(self, idx):
                    return (np.array([idx * idx]),)

                def __len__(self):
                    return 4

            with fluid.dygraph.guard():
                for x, in fluid.io.DataLoader(Squares(), batch_size=2):
                    print(x.shape)  # [2, 1], twice
    """

    def __init__(
        self,
        dataset: Any,
        feed_list: Any = None,
        places: Any = None,
        return_list: bool = False,
        batch_sampler: Any = None,
        batch_size: int | None = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        collate_fn: Callable[[list], Any] | None = None,
        num_workers: int = 0,
        use_buffer_reader: bool = True,
        use_shared_memory: bool = True,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            dataset,
            feed_list=feed_list,
            places=places,
            return_list=return_list or feed_list is None,
            batch_sampler=batch_sampler,
            batch_size=batch_size,
            shuffle=shuffle,
            drop_last=drop_last,
            collate_fn=collate_fn,
            num_workers=num_workers,
            use_buffer_reader=use_buffer_reader,
            use_shared_memory=use_shared_memory,
            timeout=timeout,
            worker_init_fn=worker_init_fn,
            **kwargs,
        )

    @staticmethod
    def from_generator(
        feed_list: Any = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
        use_multiprocess: bool = False,
        drop_last: bool = True,
    ) -> Any:
        """Makes a loader that reads from a Python generator function.

        The function is given afterwards, by ``set_sample_generator``,
        ``set_sample_list_generator`` or ``set_batch_generator``.

        Args:
            feed_list (list|None): the Variables that are fed, in static mode.
            capacity (int): batches that a process may make ahead, with ``use_multiprocess``;
                without it a batch is made when it is asked for.
            use_double_buffer (bool): whether to copy the next batch to a GPU while the current one
                is worked on.
            iterable (bool): whether the loader is iterated over. If not, in static mode, the
                Program reads by itself, between ``start()`` and ``reset()``.
            return_list (bool): whether batches are lists, not dicts; in dynamic mode they always
                are.
            use_multiprocess (bool): whether the generator runs in a process of its own.
            drop_last (bool): whether batches in the end that do not suffice for all places are
                left out.

        Returns:
            GeneratorLoader: an iterable of batches.

        Raises:
            ValueError: no capacity is given.

        Examples:
            .. code-block:: python

                import numpy as np
                import paddle
                import paddle.fluid as fluid
                paddle.enable_static()
                with fluid.program_guard(fluid.Program(), fluid.Program()):
                    x = fluid.data("x", [None, 2], "float32")
                    loader = fluid.io.DataLoader.from_generator(feed_list=[x], capacity=4)

                    def samples():
                        for i in range(4):
                            yield (np.full([2], i, "float32"),)

                    loader.set_sample_generator(samples, 2, places=fluid.cpu_places(1))
                    for data in loader():
                        print(np.array(data[0]["x"]).tolist())  # [[0.0, 0.0], [1.0, 1.0]] first
                paddle.disable_static()
        """
        checked_capacity(capacity)
        if recording():
            return GeneratorLoader(
                feed_list, capacity, use_double_buffer, iterable, return_list, drop_last,
                use_multiprocess,
            )  # fmt: skip
        return _DataLoader.from_generator(
            feed_list, capacity, use_double_buffer, True, True, use_multiprocess, drop_last
        )

    @staticmethod
    def from_dataset(dataset: Any, places: Any, drop_last: bool = True) -> DatasetLoader:
        """Makes a loader that yields what a dataset of files feeds.

        Args:
            dataset (DatasetBase): of ``fluid.DatasetFactory``.
            places (list): the places that are fed.
            drop_last (bool): whether a last batch that is not full is left out, and batches that
                do not suffice for all places.

        Returns:
            DatasetLoader: an iterable of lists with a dict for each place.
        """
        return DatasetLoader(dataset, places, drop_last)


class PyReader(DataLoaderBase):
    """Batches of a generator function; ``DataLoader.from_generator`` took its place.

    Args:
        feed_list (list|None): the Variables that are fed, in static mode.
        capacity (int): see ``DataLoader.from_generator``, and so are the others.
        use_double_buffer (bool): see there.
        iterable (bool): see there.
        return_list (bool): see there.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = fluid.data("x", [None, 2], "float32")
                reader = fluid.io.PyReader(feed_list=[x], capacity=4, iterable=True)
                reader.decorate_batch_generator(
                    lambda: iter([[np.zeros([3, 2], "float32")]]), fluid.CPUPlace())
                for data in reader():
                    print(np.array(data[0]["x"]).shape)  # (3, 2)
            paddle.disable_static()
    """

    def __init__(
        self,
        feed_list: Any = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
    ) -> None:
        self._iterable = iterable
        self._loader = DataLoader.from_generator(
            feed_list, capacity, use_double_buffer, iterable, return_list
        )
        self._running: Any = None

    @property
    def queue(self) -> Any:
        """What the Program reads from; None for a reader that is iterated over."""
        return getattr(self._loader, "queue", None)

    @property
    def iterable(self) -> bool:
        """Whether the reader is iterated over."""
        return self._iterable

    def __iter__(self) -> Any:
        self._running = iter(self._loader)
        return self._running

    def __next__(self) -> Any:
        if self._running is None:
            self._running = iter(self._loader)
        return next(self._running)

    def start(self) -> None:
        """Begins a pass of a reader that the Program reads from."""
        self._loader.start()

    def reset(self) -> None:
        """Ends a pass of a reader that the Program reads from."""
        self._loader.reset()

    def decorate_sample_generator(
        self,
        sample_generator: Callable[[], Any],
        batch_size: int,
        drop_last: bool = True,
        places: Any = None,
    ) -> None:
        """Reads samples and batches them.

        Args:
            sample_generator (callable): returns an iterable of samples.
            batch_size (int): samples in a batch.
            drop_last (bool): whether to leave out a last batch that is not full.
            places (list|None): the places that are fed.
        """
        self._loader.set_sample_generator(sample_generator, batch_size, drop_last, places)

    def decorate_sample_list_generator(self, reader: Callable[[], Any], places: Any = None) -> None:
        """Reads lists of samples, one list a batch.

        Args:
            reader (callable): returns an iterable of lists of samples.
            places (list|None): the places that are fed.
        """
        self._loader.set_sample_list_generator(reader, places)

    def decorate_batch_generator(self, reader: Callable[[], Any], places: Any = None) -> None:
        """Reads whole batches.

        Args:
            reader (callable): returns an iterable of batches.
            places (list|None): the places that are fed.
        """
        self._loader.set_batch_generator(reader, places)


def _convert_places(places: Any) -> list[Any]:
    """A list of places; None: the current one."""
    if places is None:
        return [current_place()]
    return list(places) if isinstance(places, (list, tuple)) else [places]
