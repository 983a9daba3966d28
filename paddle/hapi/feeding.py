"""From data to steps and back: loaders, which parts of a batch are inputs, Tensors and arrays."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import numpy as np

from paddle import tensor
from paddle.core.tensor import Tensor
from paddle.io import DataLoader, Dataset, DistributedBatchSampler, IterableDataset
from paddle.nn import Layer


def to_list(value: Any) -> list:
    """Makes a list of one thing, of several, or of nothing."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def make_loader(
    data: Any, batch_size: int, shuffle: bool, drop_last: bool, num_workers: int
) -> Any:
    """Makes batches of a data set; what gives batches already is returned as it is."""
    if isinstance(data, IterableDataset):
        return DataLoader(data, batch_size=batch_size, drop_last=drop_last, num_workers=num_workers)
    if isinstance(data, Dataset):
        sampler = DistributedBatchSampler(
            data, batch_size=batch_size, shuffle=shuffle, drop_last=drop_last
        )
        return DataLoader(data, batch_sampler=sampler, num_workers=num_workers)
    if isinstance(data, (DataLoader, Iterable)) or hasattr(data, "__getitem__"):
        return data
    raise TypeError(
        "Model: expected a Dataset, a DataLoader or an iterable of batches as data, "
        f"got {type(data).__name__}."
    )


def length(loader: Any) -> int | None:
    """Returns the number of batches, or None where it is not known."""
    try:
        return len(loader)
    except (TypeError, RuntimeError):
        return None


def rows(inputs: list) -> int:
    """Returns how many samples a batch has."""
    first: Any = inputs[0] if inputs else None
    if isinstance(first, dict):
        first = next(iter(first.values()), None)
    return len(first) if hasattr(first, "__len__") else 1


def tensors(values: Any) -> list:
    """Makes Tensors of arrays and numbers; a dict stays one."""
    return [_tensor(value) for value in to_list(values)]


def _tensor(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _tensor(one) for name, one in value.items()}
    return value if isinstance(value, Tensor) else tensor.to_tensor(value)


def arrays(value: Any) -> Any:
    """Makes arrays of Tensors, nested as they are."""
    if isinstance(value, Tensor):
        return value.numpy()
    if isinstance(value, (list, tuple)):
        return [arrays(one) for one in value]
    if isinstance(value, dict):
        return {name: arrays(one) for name, one in value.items()}
    return value


def stacked(column: Any) -> Any:
    """Joins the batches of an output; nested outputs part by part."""
    if isinstance(column[0], list):
        return [stacked(part) for part in zip(*column, strict=True)]
    if isinstance(column[0], dict):
        return {name: stacked([batch[name] for batch in column]) for name in column[0]}
    return np.concatenate(column)


class Splitter:
    """Splits a batch into what the network takes and what the loss takes.

    Where nobody said how many inputs there are, forward's parameters tell: those without a
    default are given, those with one only when something is left for the loss.

    Args:
        network (Layer): the network.
        inputs (int): how many inputs the user declared, 0 for none.
        labels (int): how many labels the user declared, 0 for none.
        names (list, optional): what the user called all of them: the order of a batch by names,
            such as a DataLoader with ``return_list=False`` gives.
    """

    def __init__(self, network: Layer, inputs: int, labels: int, names: Any = ()) -> None:
        self._network = network
        self._names = list(names)
        self._inputs, self._labels = inputs, labels
        self._limits: tuple[int, int] | None = None
        self._learned = 0  # how many the network took in training: predict gives it as many

    def __call__(self, data: Any, mode: str) -> tuple[list, list]:
        """Returns the inputs and the labels of a batch."""
        parts = self._in_order(data)
        if any(isinstance(part, (list, tuple)) for part in parts):
            parts = [p for part in parts for p in to_list(part)]
        count = self._inputs or self._guess(len(parts), mode)
        return parts[:count], parts[count:]

    def _in_order(self, data: Any) -> list:
        """The parts of a batch; of a dict those that were declared, if all inputs are there."""
        alone = isinstance(data, list) and len(data) == 1 and isinstance(data[0], dict)
        named = data[0] if alone else data
        if not isinstance(named, dict):
            return to_list(data)
        if self._inputs and all(name in named for name in self._names[: self._inputs]):
            return [named[name] for name in self._names if name in named]
        return to_list(data) if alone else list(named.values())

    def _guess(self, offered: int, mode: str) -> int:
        if mode == "predict" and not self._labels:
            least, most = self._bounds()
            if self._learned:
                return self._learned
            return offered if most < 0 else min(offered, max(most, least))
        if self._labels:
            least, most = self._bounds()
            without_labels = mode == "predict" and offered <= least
            return offered if without_labels else max(offered - self._labels, 1)
        least, most = self._bounds()
        count = max(offered - 1, least, 1)
        self._learned = count if most < 0 else min(count, most)
        return self._learned

    def _bounds(self) -> tuple[int, int]:
        """The fewest and the most positional arguments of forward; -1: any number."""
        if self._limits is None:
            known = inspect.signature(self._network.forward).parameters.values()
            named = [p for p in known if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
            needed = sum(p.default is p.empty for p in named)
            any_number = any(p.kind is p.VAR_POSITIONAL for p in known)
            self._limits = needed, -1 if any_number else max(len(named), 1)
        return self._limits
