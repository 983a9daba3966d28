"""Checks of scheduler arguments: each returns a canonical value or says what was expected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

from paddle.core.errors import InvalidArgumentError


def number(api: str, argument: str, value: Any, at_least: float | None = None) -> float:
    """Return `value` as a float; refuse non-numbers, NaN, infinity and values under `at_least`."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(
            f"{api}: '{argument}' must be a number (int or float), got {type(value).__name__}: "
            f"{value!r}."
        )
    result = float(value)
    if not math.isfinite(result):
        raise InvalidArgumentError(f"{api}: '{argument}' must be a finite number, got {result}.")
    if at_least is not None and result < at_least:
        raise InvalidArgumentError(f"{api}: '{argument}' must be >= {at_least:g}, got {value}.")
    return result


def positive(api: str, argument: str, value: Any) -> float:
    """Return `value` as a float; refuse everything that is not a finite number above zero."""
    result = number(api, argument, value)
    if result <= 0:
        raise InvalidArgumentError(f"{api}: '{argument}' must be > 0, got {value}.")
    return result


def decay_factor(api: str, argument: str, value: Any) -> float:
    """Return `value` as a float; refuse factors outside [0, 1), which would not shrink a rate."""
    result = number(api, argument, value, at_least=0)
    if result >= 1:
        raise InvalidArgumentError(
            f"{api}: '{argument}' must be < 1 so that the learning rate decays, got {value}."
        )
    return result


def integer(api: str, argument: str, value: Any, at_least: int) -> int:
    """Return `value` as an int; refuse other types and values under `at_least`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(
            f"{api}: '{argument}' must be an int, got {type(value).__name__}: {value!r}."
        )
    if value < at_least:
        raise InvalidArgumentError(f"{api}: '{argument}' must be >= {at_least}, got {value}.")
    return int(value)


def increasing(api: str, argument: str, values: Any) -> list[float]:
    """Return `values` as a list; refuse other types and sequences that do not strictly increase."""
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise TypeError(
            f"{api}: '{argument}' must be a list or tuple of numbers, got {type(values).__name__}: "
            f"{values!r}."
        )
    for i, value in enumerate(values):
        number(api, f"{argument}[{i}]", value)
        if i and value <= values[i - 1]:
            raise InvalidArgumentError(
                f"{api}: '{argument}' must be strictly increasing, got {list(values)} "
                f"({values[i - 1]} is followed by {value})."
            )
    return list(values)


def scalar(api: str, argument: str, value: Any) -> float:
    """Return the number held by a number, a one-element NumPy array or a one-element Tensor."""
    if isinstance(value, bool) or not isinstance(value, Real):
        if not hasattr(value, "numpy") and not hasattr(value, "item"):
            raise TypeError(
                f"{api}: '{argument}' must be a number, a numpy.ndarray or a Tensor, got "
                f"{type(value).__name__}: {value!r}."
            )
        array: Any = value.numpy() if hasattr(value, "numpy") else value
        if array.size != 1:
            raise InvalidArgumentError(
                f"{api}: '{argument}' must hold exactly one element, got shape "
                f"{list(array.shape)}.",
                hint="reduce it first, for example with paddle.mean",
            )
        value = array.item()
    return float(value)
