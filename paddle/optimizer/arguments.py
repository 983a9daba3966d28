"""Checks of the arguments that optimizers take."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from paddle.core.errors import ArgumentTypeError, InvalidArgumentError
from paddle.core.mode import recording
from paddle.core.tensor import Tensor
from paddle.ir.variable import Variable
from paddle.optimizer.lr import LRScheduler
from paddle.regularizer import L2Decay, WeightDecayRegularizer


def number(owner: str, name: str, value: Any) -> float:
    """Checks a finite number; a one-element Tensor is taken too."""
    given = float(value) if isinstance(value, Tensor) and value.size == 1 else value
    if isinstance(given, (bool, np.bool_)) or not isinstance(given, (int, float, np.number)):
        raise ArgumentTypeError(f"{owner}({name}): expected a float, but received {_kind(value)}.")
    if not math.isfinite(given):
        raise InvalidArgumentError(f"{owner}({name}): expected a finite number, got {given}.")
    return float(given)


def beta(owner: str, name: str, value: Any) -> float:
    """Checks a decay rate in [0, 1)."""
    given = number(owner, name, value)
    if not 0 <= given < 1:
        raise InvalidArgumentError(f"{owner}({name}): expected 0 <= {name} < 1, got {given}.")
    return given


def epsilon(owner: str, name: str, value: Any) -> float:
    """Checks a small non-negative number."""
    given = number(owner, name, value)
    if given < 0:
        raise InvalidArgumentError(f"{owner}({name}): expected {name} >= 0, got {given}.")
    return given


def switch(owner: str, name: str, value: Any) -> bool:
    """Makes a bool of what is on or off."""
    return bool(value)


def function(owner: str, name: str, value: Any) -> Callable | None:
    """Checks a function or None."""
    if value is not None and not callable(value):
        raise ArgumentTypeError(
            f"{owner}({name}): expected a callable, got {type(value).__name__}."
        )
    return value


def learning_rate(owner: str, value: Any) -> Any:
    """Checks a scheduler or a finite number."""
    if isinstance(value, LRScheduler):
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        raise ArgumentTypeError(
            f"{owner}(learning_rate): expected a float or an LRScheduler, "
            f"but received {_kind(value)}."
        )
    return number(owner, "learning_rate", value)


def decay(owner: str, value: Any) -> WeightDecayRegularizer | None:
    """Makes a regularizer of a number."""
    if value is None or isinstance(value, WeightDecayRegularizer):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise ArgumentTypeError(
            f"{owner}(weight_decay): expected a float, L1Decay or L2Decay, "
            f"but received {_kind(value)}."
        )
    return L2Decay(number(owner, "weight_decay", value))


def are_static(parameters: Any) -> bool:
    """Says whether an optimizer works on static Programs: by its parameters, else by the mode."""
    if parameters is None:
        return recording()
    listed = list(parameters) if isinstance(parameters, (list, tuple)) else [parameters]
    if listed and isinstance(listed[0], dict):
        listed = listed[0].get("params", listed)
        listed = list(listed) if isinstance(listed, (list, tuple)) else [listed]
    return bool(listed) and isinstance(listed[0], Variable)


def groups(owner: str, parameters: Any, options: Iterable[str]) -> list[dict[str, Any]]:
    """Brings parameters into the form of groups: dicts with a list ``params`` and options."""
    api = f"{owner}(parameters)"
    if parameters is None and recording():
        return [{"params": []}]  # all trainable parameters of the Program
    if parameters is None:
        raise AttributeError(
            f"{api}: expected a list of parameters, for instance layer.parameters(), "
            "but received None; dynamic mode needs it."
        )
    if isinstance(parameters, (Tensor, Variable, str, dict)) or not isinstance(
        parameters, Iterable
    ):
        raise ArgumentTypeError(
            f"{api}: expected a list of Tensors, but received {_kind(parameters)}."
        )
    listed = list(parameters)
    if not listed:
        raise InvalidArgumentError(f"{api}: expected at least one parameter, got an empty list.")
    raw = listed if isinstance(listed[0], dict) else [{"params": listed}]
    known = {"params", "learning_rate", "weight_decay", "grad_clip", *options}
    seen: set[int] = set()
    return [_group(api, group, known, seen) for group in raw]


def _group(api: str, group: Any, known: set[str], seen: set[int]) -> dict[str, Any]:
    if not isinstance(group, dict) or "params" not in group:
        raise ArgumentTypeError(f"{api}: every group must be a dict with the key 'params'.")
    unknown = set(group) - known
    if unknown:
        raise InvalidArgumentError(
            f"{api}: a group has unknown keys {sorted(unknown)}; expected some of {sorted(known)}."
        )
    params = group["params"]
    params = [params] if isinstance(params, (Tensor, Variable)) else list(params)
    for p in params:
        if not isinstance(p, (Tensor, Variable)):
            raise ArgumentTypeError(f"{api}: expected Tensors, but it holds {_kind(p)}.")
        if id(p) in seen:
            raise InvalidArgumentError(f"{api}: parameter {p.name} is given twice.")
        seen.add(id(p))
    return {**group, "params": params}


def _kind(value: Any) -> str:
    return f"{type(value).__name__} {value!r}" if isinstance(value, str) else type(value).__name__
