"""Weights as numbers of steps, in NumPy: scales, rounding, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.place import CPUPlace

_SMALL = 1e-8  # a scale of nothing but zeros


def top_step(bits: int) -> int:
    """The number of the highest step that so many bits can tell apart.

    Args:
        bits (int): from 2 to 16.
    """
    if not isinstance(bits, int) or not 2 <= bits <= 16:
        raise InvalidArgumentError(f"quantization: expected from 2 to 16 bits, but got {bits!r}.")
    return 2 ** (bits - 1) - 1


def held(scope: Any, name: str) -> np.ndarray:
    """What a scope holds under a name.

    Raises:
        ValueError: nothing, or not yet.
    """
    found = scope.find_var(name)
    if found is None or not found.is_initialized():
        raise InvalidArgumentError(
            f"quantization: the scope holds no {name!r}. Run the startup program or load the model "
            "first, and give the scope in which that was done."
        )
    return np.array(found.get_tensor())


def put(scope: Any, name: str, value: np.ndarray, place: Any = None) -> None:
    """Gives a scope a value under a name."""
    scope.var(name).get_tensor().set(value, CPUPlace() if place is None else place)


def check_finite(value: np.ndarray, name: str) -> None:
    """Refuses NaN and infinities.

    Raises:
        ValueError: the value has some; ``name`` is told.
    """
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        raise InvalidArgumentError(
            f"quantization: {name!r} has NaN or infinities, of which no scale can be made. "
            "Look at the data and at the model in floats first."
        )


def scales_of(weight: np.ndarray, axis: int | None) -> np.ndarray:
    """The largest absolute values: one number, or one for each position of an axis.

    Args:
        weight (np.ndarray): of at least one element.
        axis (int|None): the axis of channels; None for one scale.
    """
    if axis is None:
        return np.abs(weight).max(initial=0.0).reshape(1).astype(np.float32)
    others = tuple(d for d in range(weight.ndim) if d != axis)
    return np.abs(weight).max(axis=others, initial=0.0).astype(np.float32)


def _along(scale: np.ndarray, weight: np.ndarray, axis: int | None) -> np.ndarray:
    if axis is None:
        return scale.reshape([1] * weight.ndim)
    return scale.reshape([-1 if d == axis else 1 for d in range(weight.ndim)])


def steps_of(weight: np.ndarray, scale: np.ndarray, bits: int, axis: int | None) -> np.ndarray:
    """The numbers of steps nearest to a weight, as floats.

    Args:
        weight (np.ndarray): what to quantise.
        scale (np.ndarray): what :func:`scales_of` returned.
        bits (int): how many bits a step has.
        axis (int|None): as for :func:`scales_of`.
    """
    top, at = top_step(bits), _along(scale, weight, axis)
    at = np.where(at == 0, np.float32(_SMALL), at)
    return np.round(np.clip(weight, -at, at) / at * top).astype(np.float32)


def values_of(steps: np.ndarray, scale: np.ndarray, bits: int, axis: int | None) -> np.ndarray:
    """What steps stand for; the reverse of :func:`steps_of`."""
    return (steps * (_along(scale, steps, axis) / top_step(bits))).astype(np.float32)


def integers(steps: np.ndarray, bits: int = 8) -> np.ndarray:
    """Steps as bytes, or as 16 bits where there are more than eight."""
    return steps.astype(np.int8 if bits <= 8 else np.int16)
