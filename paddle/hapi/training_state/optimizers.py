"""Parts of a training state: optimizers of eager parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from paddle.core import unique_name
from paddle.hapi.training_state.checks import expect_dict, expect_tensor, mismatch
from paddle.hapi.training_state.tensors import array_of
from paddle.optimizer.lr import LRScheduler


class OptimizerPart:
    """Accumulators, master copies and numbers of updates of an optimizer of eager parameters.

    Parameters are told apart by their position, not by their names, which differ where other
    networks were made before.
    """

    def __init__(self, name: str, optimizer: Any) -> None:
        self.name = name
        self._optimizer = optimizer
        inner = getattr(optimizer, "inner_optimizer", None)
        self._inner = None if inner is None else OptimizerPart(f"{name}.inner_optimizer", inner)

    def collect(self) -> dict[str, Any]:
        optimizer = self._optimizer
        numbers = {p.name: i for i, p in enumerate(optimizer._parameter_list)}
        rate = optimizer._learning_rate
        return {
            "class": type(optimizer).__name__,
            "shapes": [list(p.shape) for p in optimizer._parameter_list],
            "rate": float(rate) if isinstance(rate, (int, float)) else None,
            "slots": {
                slot: {numbers[n]: array_of(t) for n, t in held.items() if n in numbers}
                for slot, held in optimizer._accumulators.items()
            },
            "steps": {numbers[n]: int(k) for n, k in optimizer._steps.items() if n in numbers},
            "masters": {
                numbers[n]: array_of(t)
                for n, t in optimizer._master_weights.items()
                if n in numbers
            },
            "counts": {key: getattr(optimizer, key) for key in optimizer._counts},
            "inner": None if self._inner is None else self._inner.collect(),
        }

    def check(self, saved: Any) -> None:
        optimizer, params = self._optimizer, self._optimizer._parameter_list
        keys = ("class", "shapes", "rate", "slots", "steps", "masters", "counts", "inner")
        saved = expect_dict(self.name, saved, keys)
        if saved["class"] != type(optimizer).__name__:
            found = str(saved["class"])[:60]
            raise mismatch(
                self.name, f"expected {type(optimizer).__name__}, but the file has {found!r}."
            )
        shapes = [list(p.shape) for p in params]
        if saved["shapes"] != shapes:
            raise mismatch(self.name, "its parameters have other shapes, or another order.")
        rate = saved["rate"]
        if isinstance(rate, float) != isinstance(optimizer._learning_rate, (int, float)):
            raise mismatch(self.name, "one learning rate is a number, the other a scheduler's.")
        expect_dict(f"{self.name}, accumulators", saved["slots"], optimizer._accumulators)
        for slot, held in saved["slots"].items():
            for i, array in self._numbered(slot, held):
                self._check_slot(slot, i, array)
        for i, steps in self._numbered("steps", saved["steps"]):
            if type(steps) is not int or steps < 0:
                raise mismatch(f"{self.name}, steps {i}", "expected a number of updates.")
        for i, array in self._numbered("masters", saved["masters"]):
            if not optimizer._has_master(params[i]):
                raise mismatch(self.name, f"parameter {i} has no float32 copy here.")
            if not isinstance(array, np.ndarray) or list(array.shape) != shapes[i]:
                raise mismatch(self.name, f"the float32 copy of parameter {i} does not fit.")
        counts = expect_dict(f"{self.name}, counts", saved["counts"], optimizer._counts)
        if any(type(value) is not int for value in counts.values()):
            raise mismatch(f"{self.name}, counts", "expected numbers.")
        if (self._inner is None) != (saved["inner"] is None):
            raise mismatch(self.name, "only one of them has an inner optimizer.")
        if self._inner is not None:
            self._inner.check(saved["inner"])

    def _numbered(self, what: str, held: Any) -> Iterable[tuple[int, Any]]:
        count = len(self._optimizer._parameter_list)
        if not isinstance(held, dict):
            raise mismatch(f"{self.name}, {what}", "expected entries by parameter.")
        for i in held:
            if type(i) is not int or not 0 <= i < count:
                raise mismatch(f"{self.name}, {what}", f"expected parameters 0 to {count - 1}.")
        return held.items()

    def _check_slot(self, slot: str, i: int, array: Any) -> None:
        param = self._optimizer._parameter_list[i]
        accumulators = self._optimizer._accumulators[slot]
        held = accumulators.get(param.name)
        if held is None:  # made to be looked at: whether there is one means something
            with unique_name.guard():
                held = self._optimizer._accumulator(slot, param)
            del accumulators[param.name]
        expect_tensor(f"{self.name}, {slot} of parameter {i}", array, held)

    def apply(self, saved: Any) -> None:
        optimizer, params = self._optimizer, self._optimizer._parameter_list
        if saved["rate"] is not None:
            optimizer._learning_rate = saved["rate"]
        _keep(optimizer._master_weights, {params[i].name for i in saved["masters"]})
        for i, array in saved["masters"].items():
            optimizer._master_weight(params[i]).set_value(array)
        for slot, held in saved["slots"].items():
            _keep(optimizer._accumulators[slot], {params[i].name for i in held})
            for i, array in held.items():
                optimizer._accumulator(slot, params[i]).set_value(array)
        optimizer._steps.clear()
        optimizer._steps.update({params[i].name: n for i, n in saved["steps"].items()})
        for key, value in saved["counts"].items():
            setattr(optimizer, key, value)
        optimizer._plans.clear()
        if self._inner is not None:
            self._inner.apply(saved["inner"])


def _keep(held: dict[str, Any], names: set[str]) -> None:
    """Forgets the entries of all other names."""
    for name in set(held) - names:
        del held[name]


def others(optimizers: list[Any], layers: list[Any]) -> Callable[[], dict[str, Any]]:
    """Returns a function that gives the parameters of optimizers that belong to no layer."""

    def found() -> dict[str, Any]:
        known = {id(t) for layer in layers for t in layer.parameters()}
        rest: dict[str, Any] = {}
        for i, optimizer in enumerate(optimizers):
            for j, param in enumerate(optimizer._parameter_list):
                if id(param) not in known:
                    known.add(id(param))
                    rest[f"{i}.{j}"] = param
        return rest

    return found


def rates(optimizers: list[Any]) -> list[LRScheduler]:
    """Returns the schedulers of optimizers."""
    held = [getattr(o, "inner_optimizer", o)._learning_rate for o in optimizers]
    return [rate for rate in held if isinstance(rate, LRScheduler)]
