"""The cache key of a call: what its Program depends on, and the Tensors among its arguments."""

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


def add_to_key(value: Any, key: list, tensors: list[Tensor]) -> None:
    """Adds to a cache key what tells a value from others, and to a list the Tensors in it.

    Equal keys mean equal Programs. What is added begins with a class or a shape, so that values in
    a row cannot be mistaken for others. This runs in every call: keep it short.
    """
    kind = type(value)
    if kind is Tensor or kind is Parameter:
        key += (value._buf.shape, value._dt, value.stop_gradient)
        tensors.append(value)
    elif kind in _PLAIN:
        key += (kind, value)
    elif kind is float:  # nan differs from itself, and -0.0 does not differ from 0.0
        key += (kind, value if value and value == value else repr(value))
    else:
        _add_other(value, kind, key, tensors)


def _add_other(value: Any, kind: type, key: list, tensors: list[Tensor]) -> None:
    if isinstance(value, dict):
        key += (kind, len(value))
        for name, item in value.items():
            key.append(name)
            add_to_key(item, key, tensors)
    elif isinstance(value, (list, tuple)):
        key += (kind, len(value))
        for item in value:
            add_to_key(item, key, tensors)
    elif isinstance(value, Tensor):
        key += (value._buf.shape, value._dt, value.stop_gradient)
        tensors.append(value)
    elif is_array(value):
        add_to_key(Tensor(value), key, tensors)
    elif isinstance(value, InputSpec):
        key += (kind, value.shape, value.dtype, value.name, value.stop_gradient)
    elif isinstance(value, Layer):
        key += (kind, fingerprint(value))
    else:
        key += (kind, _part(value))


def key_of(value: Any) -> tuple:
    """The cache key of one value."""
    key: list[Any] = []
    add_to_key(value, key, [])
    return tuple(key)


def _part(value: Any) -> Any:
    """What equals only for equal values; what can be is held weakly."""
    if isinstance(value, slice):
        return tuple([key_of(v) for v in (value.start, value.stop, value.step)])
    if isinstance(value, (set, frozenset)):
        return frozenset([key_of(v) for v in value])
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
