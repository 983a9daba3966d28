"""The loader of datasets of files: what their batches feed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paddle.core.lod import LoDTensor
from paddle.core.tensor import wrap
from paddle.io.dataloader.convert import array_buffer, for_places, place_count
from paddle.io.dataloader.program_loader import DataLoaderBase


class DatasetLoader(DataLoaderBase):
    """Batches of a dataset of files; see ``DataLoader.from_dataset``.

    Args:
        dataset (DatasetBase): such as ``paddle.distributed.InMemoryDataset``.
        places (list): the places that are fed.
        drop_last (bool): whether a last batch that is not full is left out, and batches that do not
            suffice for all places.
    """

    def __init__(self, dataset: Any, places: Any, drop_last: bool) -> None:
        if not hasattr(dataset, "feeds"):
            raise TypeError(
                "DataLoader.from_dataset(dataset): expected a dataset of files, such as "
                "paddle.distributed.InMemoryDataset() or those of fluid.DatasetFactory, but "
                f"received {type(dataset).__name__}."
            )
        self._dataset, self._drop_last = dataset, drop_last
        self._places = place_count(places)
        self._running: Iterator[Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        self._running = for_places(self._batches(), self._places, keep_rest=not self._drop_last)
        return self

    def __next__(self) -> Any:
        assert self._running is not None, "call iter() first"
        return next(self._running)

    def _batches(self) -> Iterator[dict[str, LoDTensor]]:
        size = self._dataset.proto_desc.batch_size or 1
        for feed in self._dataset.feeds(1)[0]:
            if not self._drop_last or _records(feed) >= size:
                yield tensors(feed)


def _records(feed: dict[str, Any]) -> int:
    value = next(iter(feed.values()))
    return len(value[1]) - 1 if isinstance(value, tuple) else len(value)


def tensors(feed: dict[str, Any]) -> dict[str, LoDTensor]:
    """What a batch feeds as LoDTensors.

    Args:
        feed (dict): arrays, or arrays and offsets.
    """
    found = {}
    for name, value in feed.items():
        made = fed(value)
        if not isinstance(made, LoDTensor):
            made = LoDTensor()
            made.set(value)
        found[name] = made
    return found


def fed(value: Any) -> Any:
    """What a slot feeds, as the Executor takes it.

    Args:
        value (np.ndarray|tuple): an array, or an array and offsets.
    """
    if not isinstance(value, tuple):
        return value
    array, offsets = value
    return LoDTensor(wrap(array_buffer(array, share=True)), [offsets])
