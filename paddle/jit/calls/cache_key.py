"""Describes the arguments of a call: what a Program depends on, and the Tensors in it."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.core.tensor import Parameter, Tensor
from paddle.jit.calls.layer_state import fingerprint
from paddle.nn.layer.layers import Layer
from paddle.static.input import InputSpec

_ndarray = np.ndarray
_PLAIN = frozenset([int, bool, str, bytes, type(None), complex, VarType])


def describe(value: Any, tokens: list, tensors: list[Tensor]) -> None:
    """Appends what tells a value from others, and the Tensors in it.

    Equal descriptions mean equal Programs. Each begins with a class or a shape, so that
    descriptions in a row cannot be mistaken for others. This runs in every call: keep it short.
    """
    kind = type(value)
    if kind is Tensor or kind is Parameter:
        tokens += (value._buf.shape, value._dt, value.stop_gradient)
        tensors.append(value)
    elif kind in _PLAIN:
        tokens += (kind, value)
    elif kind is float:  # nan differs from itself, and -0.0 does not differ from 0.0
        tokens += (kind, value if value and value == value else repr(value))
    else:
        _describe_other(value, kind, tokens, tensors)


def _describe_other(value: Any, kind: type, tokens: list, tensors: list[Tensor]) -> None:
    if isinstance(value, dict):
        tokens += (kind, len(value))
        for key, item in value.items():
            tokens.append(key)
            describe(item, tokens, tensors)
    elif isinstance(value, (list, tuple)):
        tokens += (kind, len(value))
        for item in value:
            describe(item, tokens, tensors)
    elif isinstance(value, Tensor):
        tokens += (value._buf.shape, value._dt, value.stop_gradient)
        tensors.append(value)
    elif is_array(value):
        describe(Tensor(value), tokens, tensors)
    elif isinstance(value, InputSpec):
        tokens += (kind, value.shape, value.dtype, value.name, value.stop_gradient)
    elif isinstance(value, Layer):
        tokens += (kind, fingerprint(value))
    else:
        tokens += (kind, _token(value))


def described(value: Any) -> tuple:
    """The description of one value."""
    tokens: list[Any] = []
    describe(value, tokens, [])
    return tuple(tokens)


def _token(value: Any) -> Any:
    """What equals only for equal values; what can be is held weakly."""
    if isinstance(value, slice):
        return tuple([described(v) for v in (value.start, value.stop, value.step)])
    if isinstance(value, (set, frozenset)):
        return frozenset([described(v) for v in value])
    if isinstance(value, _ndarray):
        return (value.shape, str(value.dtype), repr(value.tolist()))
    if isinstance(value, np.generic):
        return repr(value)
    try:
        hash(value)
    except TypeError:
        return _ByIdentity(value)
    try:
        return weakref.ref(value)
    except TypeError:
        return value


class _ByIdentity:
    """A value that cannot be hashed: equal is only what is the same."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByIdentity) and self._value is other._value

    def __hash__(self) -> int:
        return id(self._value)


def is_array(value: Any) -> bool:
    """Whether a value is a NumPy array that becomes a Tensor."""
    return isinstance(value, _ndarray) and value.dtype.kind in "biufc"
