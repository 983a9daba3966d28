"""From data to steps and back: loaders, which parts of a batch are inputs, Tensors and arrays."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import numpy as np

from paddle import tensor
from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.io import DataLoader, Dataset, DistributedBatchSampler, IterableDataset
from paddle.nn import Layer


def to_list(value: Any) -> list:
    """Makes a list of one thing, of several, or of nothing."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def make_loader(
    where: str, data: Any, batch_size: int, shuffle: bool, drop_last: bool, num_workers: int
) -> Any:
    """Makes batches of a data set; what gives batches already is returned as it is."""
    if isinstance(data, (str, bytes, dict, type)):  # iterables at first sight
        raise _no_data(where, data)
    if isinstance(data, IterableDataset):
        return DataLoader(data, batch_size=batch_size, drop_last=drop_last, num_workers=num_workers)
    if isinstance(data, Dataset):
        sampler = DistributedBatchSampler(
            data, batch_size=batch_size, shuffle=shuffle, drop_last=drop_last
        )
        return DataLoader(data, batch_sampler=sampler, num_workers=num_workers)
    if isinstance(data, (DataLoader, Iterable)) or hasattr(data, "__getitem__"):
        return data
    raise _no_data(where, data)


def _no_data(where: str, data: Any) -> TypeError:
    return TypeError(
        f"Model.{where}: expected a Dataset, a DataLoader or an iterable of batches as data, "
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
    if isinstance(value, Tensor) or value is None:
        return value
    return tensor.to_tensor(value)


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
    default are given, those with one only when something is left for the loss. A batch that is a
    dict is split by the names that were declared, or by those of forward's parameters.

    Args:
        network (Layer): the network.
        inputs (list): what the user called the inputs, None for one without a name.
        labels (list): the same for labels.
    """

    def __init__(self, network: Layer, inputs: list, labels: list) -> None:
        self._network = network
        self._inputs, self._labels = inputs, labels
        self._found: list[inspect.Parameter] | None = None
        self._learned = 0  # how many the network took in training: predict gives it as many

    def __call__(self, data: Any, mode: str) -> tuple[list, list]:
        """Returns the inputs and the labels of a batch.

        Raises:
            InvalidArgumentError: the batch has other parts than are needed.
        """
        alone = isinstance(data, (list, tuple)) and len(data) == 1 and isinstance(data[0], dict)
        named = data[0] if alone else data
        if isinstance(named, dict) and not (alone and self._takes_a_dict(named)):
            split = self._by_name(named, mode)
            if split is not None:
                return split
            data = list(named.values())
        parts = to_list(data)
        if any(isinstance(part, (list, tuple)) for part in parts):
            parts = [p for part in parts for p in to_list(part)]
        count = len(self._inputs) or self._guess(len(parts), mode)
        self._check(parts, mode)
        return parts[:count], parts[count:]

    # -- by position ------------------------------------------------------------------------------

    def _check(self, parts: list, mode: str) -> None:
        """Refuses a batch that has not what was declared, or not enough for forward."""
        inputs, labels = len(self._inputs), len(self._labels)
        came = len(parts)
        if not inputs:
            needed = self._bounds()[0]
            if came < needed:
                names = ", ".join(repr(p.name) for p in self._needed())
                raise InvalidArgumentError(
                    f"Model: expected at least {needed} parts in a batch, the inputs {names} of "
                    f"{type(self._network).__name__}.forward, but received {came}."
                )
            return
        if mode == "predict":
            least, most = inputs, None
        else:
            least, most = inputs + labels, inputs + labels if labels else None
        if came < least or (most is not None and came > most):
            told = f"{inputs} inputs {self._inputs}"
            if mode != "predict" and labels:
                told += f" and {labels} labels {self._labels}"
            raise InvalidArgumentError(
                f"Model: expected {told} in a batch, as Model(inputs, labels) declares, but "
                f"received {came} parts."
            )

    def _guess(self, offered: int, mode: str) -> int:
        if mode == "predict" and not self._labels:
            least, most = self._bounds()
            if self._learned:
                return self._learned
            return offered if most < 0 else min(offered, max(most, least))
        if self._labels:
            least, most = self._bounds()
            without_labels = mode == "predict" and offered <= least
            return offered if without_labels else max(offered - len(self._labels), 1)
        least, most = self._bounds()
        count = max(offered - 1, least, 1)
        self._learned = count if most < 0 else min(count, most)
        return self._learned

    # -- by name ----------------------------------------------------------------------------------

    def _takes_a_dict(self, named: dict) -> bool:
        """Whether a dict that is the only part of a batch is the network's one input."""
        return not self._inputs and not any(p.name in named for p in self._parameters())

    def _by_name(self, named: dict, mode: str) -> tuple[list, list] | None:
        """The parts of a dict; None where no name is known and their order has to do."""
        if any(name is None for name in self._inputs):
            return None
        wanted = self._inputs or self._forward_names(named)
        if not wanted:
            return None
        lacking = [name for name in wanted if name not in named]
        labels = list(self._labels)
        if mode != "predict":
            lacking += [name for name in labels if name not in named]
        if lacking:
            source = "Model(inputs, labels)" if self._inputs else "the network's forward"
            raise InvalidArgumentError(
                f"Model: expected {', '.join(map(repr, [*wanted, *labels]))} in a batch, the names "
                f"of {source}, but received a dict with {', '.join(map(repr, named))}; it lacks "
                f"{', '.join(map(repr, lacking))}."
            )
        if not labels:
            labels = [name for name in named if name not in wanted]
        defaults = {p.name: p.default for p in self._parameters()}
        given = [named[n] if n in named else defaults[n] for n in self._with_gaps(wanted)]
        return given, [named[name] for name in labels if name in named]

    def _forward_names(self, named: dict) -> list[str]:
        """Names of forward's parameters, where the batch goes by them."""
        needed = [p.name for p in self._needed()]
        optional = [p.name for p in self._parameters() if p.default is not p.empty]
        if len(needed) < 2 and not any(name in named for name in needed):
            return []  # one input, whatever it is called: the first part
        return needed + [name for name in optional if name in named]

    def _with_gaps(self, wanted: list[str]) -> list[str]:
        """The same in the order of forward, with parameters left out that stand between."""
        if self._inputs:
            return wanted
        order = [p.name for p in self._parameters()]
        last = max(order.index(name) for name in wanted)
        return order[: last + 1]

    # -- forward ----------------------------------------------------------------------------------

    def _signature(self) -> list[inspect.Parameter]:
        if self._found is None:
            self._found = list(inspect.signature(self._network.forward).parameters.values())
        return self._found

    def _parameters(self) -> list[inspect.Parameter]:
        """The positional parameters of forward."""
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return [p for p in self._signature() if p.kind in kinds]

    def _needed(self) -> list[inspect.Parameter]:
        return [p for p in self._parameters() if p.default is p.empty]

    def _bounds(self) -> tuple[int, int]:
        """The fewest and the most positional arguments of forward; -1: any number."""
        any_number = any(p.kind is p.VAR_POSITIONAL for p in self._signature())
        return len(self._needed()), -1 if any_number else max(len(self._parameters()), 1)


def sizes(batch_size: Any) -> tuple[Any, Any]:
    """The sizes of batches of training and of evaluation."""
    if not isinstance(batch_size, (list, tuple)):
        return batch_size, batch_size
    if len(batch_size) != 2:
        raise InvalidArgumentError(
            "Model.fit(batch_size): expected an int, or a list of two for training and "
            f"evaluation, but received {batch_size!r}."
        )
    return batch_size[0], batch_size[1]
