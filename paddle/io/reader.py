"""DataLoader: batches of a dataset as Tensors, read here or by worker processes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import Guarded
from paddle.core.mode import recording
from paddle.io.dataloader.arguments import (
    check_callables,
    check_dataset,
    check_flags,
    check_workers,
    checked_task,
)
from paddle.io.dataloader.batch_sampler import BatchSampler
from paddle.io.dataloader.collate import default_collate_fn, default_convert_fn
from paddle.io.dataloader.convert import (
    for_places,
    loader_device,
    place_count,
    target_device,
    to_tensors,
)
from paddle.io.dataloader.dataset import IterableDataset
from paddle.io.dataloader.dataset_loader import DatasetLoader
from paddle.io.dataloader.feed_names import feed_names, named_fields
from paddle.io.dataloader.fetch import END, Recipe
from paddle.io.dataloader.generator_loader import GeneratorLoader
from paddle.io.dataloader.pool import KeptPool, read_with_workers
from paddle.io.dataloader.prefetch import delivered
from paddle.io.dataloader.program_loader import GeneratorLoader as ProgramLoader
from paddle.io.dataloader.reading import Reading
from paddle.io.dataloader.sampler import RandomSampler, SequenceSampler, is_count


class _NoLength(InvalidArgumentError, TypeError):
    """Also a TypeError, which is what lets ``list(loader)`` go on without a length."""


class DataLoader(Guarded):
    """Iterates over a dataset in batches of Tensors.

    Both ``for batch in loader`` and ``for batch in loader()`` work. A batch looks like a sample,
    with a Tensor in place of each array or number: ``[images, labels]`` for tuples and lists, a
    dict for dicts, a single Tensor for samples that are single arrays.

    Args:
        dataset (Dataset): a :class:`Dataset`, an :class:`IterableDataset`, or anything with
            ``__getitem__`` and ``__len__``.
        feed_list (list|None): Variables (or names) that the fields belong to; needed, and used,
            where ``return_list`` is False.
        places (Place|list|None): the device the Tensors go to. None means the current device. In
            static mode several CPU places may be listed: then a list is yielded with a batch for
            each, as a Program takes it that was compiled ``with_data_parallel``; batches at the
            end that do not suffice for all places are left out.
        return_list (bool): True yields ``[field, ...]``; False yields ``[{name: field, ...}]``
            with the names of ``feed_list``, ready for ``Executor.run``. Without ``feed_list``
            there are no names, and in dynamic mode False yields what True does.
        batch_sampler (BatchSampler|None): an iterable of lists of sample numbers, in place of
            ``batch_size``, ``shuffle`` and ``drop_last``.
        batch_size (int|None): samples in a batch. None switches batching off: every sample comes
            as it is, with Tensors for arrays.
        shuffle (bool): whether to visit samples in random order, which follows ``paddle.seed``
            (or ``np.random.seed`` where only that was called).
        drop_last (bool): whether to leave out a last batch that is not full.
        collate_fn (callable|None): makes a batch from a list of samples; None stacks them, see
            :func:`paddle.io.dataloader.collate.default_collate_fn`. Arrays in what it returns
            become Tensors.
        num_workers (int): processes that read the data; 0 reads it in this one.
        use_buffer_reader (bool): whether to copy the next batch to the GPU while the current one
            is worked on. On a CPU there is nothing to copy, and samples are never read by a
            thread of this process: it gains nothing (an epoch of MNIST took 0.38 s with and
            without one), and random numbers that a dataset and the training draw would no longer
            repeat from run to run. To overlap reading with training, use workers.
        use_shared_memory (bool): whether workers hand over large batches in shared memory
            (Linux) or through a pipe.
        timeout (int|float): seconds to wait for a batch of a worker; 0 waits as long as the
            worker lives.
        worker_init_fn (callable|None): called in each worker with its number, once, before it
            reads.
        prefetch_factor (int): batches that each worker may make before they are asked for. Without
            workers nothing is read ahead. (Of later releases, where it
            comes before ``use_shared_memory``.)
        persistent_workers (bool): whether workers stay when a pass is over and serve the next
            one. It then begins sooner, and what a worker's copy of the dataset has cached is still
            there; so is its memory, until the loader is deleted. Changes that this process makes to
            the dataset do not reach workers that are there already. (Of later
            releases.)

    Raises:
        TypeError, ValueError: arguments that are wrong or exclude each other. While iterating:
            whatever the dataset raises, with the worker's number and traceback in the message;
            RuntimeError where a worker dies or ``timeout`` passes.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.io import DataLoader, Dataset

            class Random(Dataset):
                def __getitem__(self, idx):
                    return np.random.rand(4).astype("float32"), idx % 3

                def __len__(self):
                    return 10

            loader = DataLoader(Random(), batch_size=4, shuffle=True, drop_last=True)
            for x, y in loader():
                print(x.shape, y.shape)  # [4, 4] [4], twice
    """

    def __init__(
        self,
        dataset: Any,
        feed_list: Any = None,
        places: Any = None,
        return_list: bool = True,
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
        prefetch_factor: int = 2,
        persistent_workers: bool = False,
    ) -> None:
        check_dataset(dataset)
        check_workers(num_workers, timeout, prefetch_factor)
        check_callables(collate_fn, worker_init_fn)
        check_flags(
            return_list=return_list,
            shuffle=shuffle,
            drop_last=drop_last,
            use_buffer_reader=use_buffer_reader,
            use_shared_memory=use_shared_memory,
            persistent_workers=persistent_workers,
        )
        self.dataset = dataset
        self.feed_list = feed_list
        self.places = places
        self.return_list = return_list
        self.collate_fn = collate_fn
        self.num_workers = num_workers
        self.use_buffer_reader = use_buffer_reader
        self.use_shared_memory = use_shared_memory
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.prefetch_factor = prefetch_factor
        self.persistent_workers = bool(persistent_workers)
        self._kept = KeptPool() if persistent_workers else None
        self._progress: Any = None  # notes where passes stand, once somebody saves that
        self._device = loader_device(places, feed_list)
        self._places = place_count(places)
        self._names = feed_names(feed_list, return_list)
        self._stream = isinstance(dataset, IterableDataset)
        self._set_batching(batch_sampler, batch_size, shuffle, drop_last)

    def _set_batching(
        self, batch_sampler: Any, batch_size: int | None, shuffle: bool, drop_last: bool
    ) -> None:
        self.batch_sampler = None
        self.batch_size = batch_size
        self.drop_last = drop_last
        self._shuffle = shuffle
        if self._stream and (shuffle or batch_sampler is not None):
            what = "shuffle=True" if shuffle else "a batch_sampler"
            raise InvalidArgumentError(
                f"DataLoader: expected neither shuffle nor batch_sampler with an IterableDataset, "
                f"whose samples have no numbers, but received {what}.",
                hint="shuffle inside the dataset's __iter__",
            )
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or drop_last:
                raise InvalidArgumentError(
                    "DataLoader: expected batch_size, shuffle and drop_last to be left alone where "
                    f"a batch_sampler decides on them, but received batch_size={batch_size!r}, "
                    f"shuffle={shuffle}, drop_last={drop_last}."
                )
            if not hasattr(batch_sampler, "__iter__"):
                raise TypeError(
                    "DataLoader(batch_sampler): expected an iterable of lists of sample numbers, "
                    f"but received {type(batch_sampler).__name__}."
                )
            self.batch_sampler = batch_sampler
            self.batch_size = None
            return
        if batch_size is not None and not is_count(batch_size):
            raise InvalidArgumentError(
                "DataLoader(batch_size): expected a positive int or None, "
                f"but received {batch_size!r}."
            )
        if batch_size is not None and not self._stream:
            self.batch_sampler = BatchSampler(
                dataset=self.dataset, shuffle=shuffle, batch_size=batch_size, drop_last=drop_last
            )

    def __len__(self) -> int:
        if self._stream:
            raise _NoLength(
                "DataLoader: the number of batches of an IterableDataset is unknown before it "
                "has been iterated over."
            )
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        return len(self.dataset)

    def __iter__(self) -> Iterator[Any]:
        if self._progress is not None:
            return self._progress.batches()
        return self._delivered(self._batches())

    def _delivered(self, batches: Iterator[Any], prefetch: bool = True) -> Iterator[Any]:
        """Batches where and as the trainer gets them; ``prefetch``: they may be read before."""
        prefetch = prefetch and bool(self.use_buffer_reader)
        batches = delivered(batches, target_device(self._device), prefetch)
        if self._names is not None:
            batches = (named_fields(batch, self._names) for batch in batches)
        if self._places > 1:
            return for_places(batches, self._places, keep_rest=False)
        return batches if self._names is None else ([batch] for batch in batches)

    def __call__(self) -> Iterator[Any]:
        return iter(self)

    def _tasks(self) -> Iterator[Any]:
        if self._stream:
            return itertools.repeat(None)
        if self.batch_sampler is not None:
            return map(checked_task, self.batch_sampler)
        order = RandomSampler if self._shuffle else SequenceSampler
        return iter(order(self.dataset))

    def _recipe(self) -> Recipe:
        single = self.batch_size is None and self.batch_sampler is None
        make = self.collate_fn or (default_convert_fn if single else default_collate_fn)
        # With a batch sampler each task tells how many samples there are.
        size = self.batch_size if self.batch_sampler is None else 0
        return Recipe(self.dataset, make, self._stream, size, self.drop_last)

    def _batches(self, reading: Reading | None = None) -> Iterator[Any]:
        recipe = self._recipe()
        tasks = self._tasks() if reading is None else reading.tasks
        if self.num_workers:
            read = read_with_workers(
                recipe,
                tasks,
                self.num_workers,
                share=self.use_shared_memory,
                timeout=self.timeout,
                init=self.worker_init_fn,
                prefetch=self.prefetch_factor,
                reading=reading,
                kept=self._kept,
            )
            for batch in read:
                yield to_tensors(batch, share=True)
                del batch  # its memory may serve another one as soon as the user lets go of it
            return
        fetch = recipe.fetcher()
        # What the default made is ours; what comes from elsewhere may live on elsewhere.
        share = recipe.make is default_collate_fn
        for task in tasks:
            batch = fetch(task)
            if batch is END:
                return
            yield to_tensors(batch, share)

    @staticmethod
    def from_generator(
        feed_list: Any = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
        use_multiprocess: bool = False,
        drop_last: bool = True,
    ) -> GeneratorLoader | ProgramLoader:
        """Makes a loader that reads from a Python generator function.

        The function is given afterwards, by ``set_sample_generator``,
        ``set_sample_list_generator`` or ``set_batch_generator``.

        Args:
            feed_list (list|None): Variables (or names) that the fields belong to.
            capacity (int|None): batches that a process may prefetch; used with
                ``use_multiprocess``, since without it nothing is read before it is needed. None
                means 2.
            use_double_buffer (bool): whether to copy the next batch to the GPU while the current
                one is worked on.
            iterable (bool): whether the loader is iterated over. If not, in static mode, the
                default main Program reads the variables of ``feed_list`` by itself, between
                ``start()`` and ``reset()``; at the end of a pass ``Executor.run`` raises
                ``EOFException``.
            return_list (bool): as in :class:`DataLoader`.
            use_multiprocess (bool): whether the generator runs in a process of its own.
            drop_last (bool): whether to leave out batches at the end that do not suffice for all
                places.

        Returns:
            GeneratorLoader: an iterable of batches, or with ``start`` and ``reset``.

        Raises:
            ValueError: there is no capacity, in static mode, where ``iterable`` is False or a
                variable has levels.

        Examples:
            .. code-block:: python

                import numpy as np
                import paddle

                def samples():
                    for i in range(5):
                        yield np.ones([3], "float32") * i, np.array([i])

                loader = paddle.io.DataLoader.from_generator(capacity=2, return_list=True)
                loader.set_sample_generator(samples, batch_size=2)
                for x, y in loader():
                    print(x.shape, y.shape)  # [2, 3] [2, 1], twice
        """
        leveled = any(getattr(var, "lod_level", 0) for var in feed_list or ())
        if recording() and (leveled or not iterable):
            return ProgramLoader(
                feed_list, capacity, use_double_buffer, iterable, return_list, drop_last,
                use_multiprocess,
            )  # fmt: skip
        return GeneratorLoader(
            feed_list,
            capacity,
            use_double_buffer,
            iterable,
            return_list,
            use_multiprocess,
            drop_last,
        )

    @staticmethod
    def from_dataset(dataset: Any, places: Any, drop_last: bool = True) -> Any:
        r"""Makes a loader that yields what a dataset of files feeds.

        Args:
            dataset (DatasetBase): such as ``paddle.distributed.InMemoryDataset``.
            places (list): the places that are fed.
            drop_last (bool): whether a last batch that is not full is left out, and batches that
                do not suffice for all places.

        Returns:
            DatasetLoader: an iterable of lists with a dict for each place.

        Raises:
            TypeError: ``dataset`` is something else.

        Examples:
            .. code-block:: python

                import paddle
                paddle.enable_static()
                with open("part-0", "w") as file:
                    file.write("1 7 1 0\n1 8 1 1\n")
                words = paddle.static.data("words", [None, 1], "int64", lod_level=1)
                label = paddle.static.data("label", [None, 1], "int64")
                dataset = paddle.distributed.QueueDataset()
                dataset.init(batch_size=2, use_var=[words, label])
                dataset.set_filelist(["part-0"])
                loader = paddle.io.DataLoader.from_dataset(dataset, [paddle.CPUPlace()])
                for (feed,) in loader:
                    print(sorted(feed))  # ['label', 'words']
                paddle.disable_static()
        """
        return DatasetLoader(dataset, places, drop_last)
