"""The record of one operator sample, and short ways to make its inputs."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np


@dataclass
class Sample:
    """One call of an operator and what it must give.

    Attributes:
        op: the operator's name.
        inputs: slot -> array, list of arrays for a list slot, or None. Floating inputs are float64;
            the suite also runs them as float32.
        attrs: attributes that differ from their defaults.
        ref: ``ref(*inputs in slot order, **attrs) -> array or tuple`` by NumPy/SciPy or a formula,
            one value per output slot (None in the tuple: not compared). Not a torch call.
        written: for operators that write into inputs: called like ``ref``, it gives a dict from
            input slot to what the slot holds afterwards.
        check: for random operators, instead of ``ref``: ``check(outputs, inputs, attrs)`` asserts.
        grad: names of the input slots whose gradient is compared with finite differences; None
            means every floating input. Empty for piecewise or random operators.
        orders: highest order of derivative that is compared (1, 2 or 3).
        rtol, atol: for float64; float32 is compared with at least 1e-4.
        dtypes: further dtypes the sample runs in (compared loosely for float16/bfloat16).
        static_shape: False where the output's shape depends on the data.
        levels: slot -> levels (LoD) of its tensor, or a list of them for a list slot. ``ref`` does
            not get them; bind them to it.
        note: distinguishes samples of one operator in test names.
    """

    op: str
    inputs: dict[str, Any]
    attrs: dict[str, Any] = field(default_factory=dict)
    ref: Callable | None = None
    written: Callable | None = None
    check: Callable | None = None
    grad: list[str] | None = None
    orders: int = 2
    rtol: float = 1e-7
    atol: float = 1e-9
    dtypes: tuple[str, ...] = ("float32",)
    static_shape: bool = True
    note: str = ""
    levels: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.op}-{self.note}" if self.note else self.op


@dataclass
class ErrorSample:
    """One wrong call of an operator: the exception's class and a part of its message.

    Attributes:
        op: the operator's name.
        inputs: as in a Sample.
        attrs: as in a Sample.
        raises: what the call raises.
        match: a pattern found in its text.
        levels: as in a Sample.
        at_run: why only a run can tell, and not the recording of the operator, where this is
            neither the shapes and types of inputs nor their values (those tests find out).
    """

    op: str
    inputs: dict[str, Any]
    attrs: dict[str, Any]
    raises: type[BaseException]
    match: str
    at_run: str = ""
    levels: dict[str, Any] = field(default_factory=dict)

    # A reason that several operators have.
    LEVELS: ClassVar[str] = "LoD, which say the same as RoisNum, come with the data"

    def __str__(self) -> str:
        return f"{self.op}-{self.raises.__name__}"


def rng(*key: Any) -> np.random.RandomState:
    """A random state that depends on the key only, the same on every machine."""
    return np.random.RandomState(zlib.crc32(repr(key).encode()))


def f64(*shape: int, low: float = -2.0, high: float = 2.0, key: Any = 0) -> np.ndarray:
    """Uniform float64 values; the same shape and key give the same values."""
    return rng(shape, low, high, key).uniform(low, high, shape)


def pos(*shape: int, key: Any = 0) -> np.ndarray:
    """Float64 values in [0.5, 2]."""
    return f64(*shape, low=0.5, high=2.0, key=key)


def apart(*shape: int, gap: float = 0.1, key: Any = 0) -> np.ndarray:
    """Float64 values that differ from each other and from 0 by ``gap``: no kinks nearby."""
    count = int(np.prod(shape))
    values = (np.arange(count) - count // 2 + 0.5) * gap
    return rng(shape, key).permutation(values).reshape(shape)


def ints(
    *shape: int, low: int = 0, high: int = 10, dtype: str = "int64", key: Any = 0
) -> np.ndarray:
    """Random integers in [low, high)."""
    return rng(shape, low, high, key).randint(low, high, shape).astype(dtype)


def bools(*shape: int, key: Any = 0) -> np.ndarray:
    """Random booleans."""
    return rng(shape, key, "bool").randint(0, 2, shape).astype(bool)
