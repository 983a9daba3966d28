"""Objects of the user as plain data for a file, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.serialization.pickles.writer import Deferred

WHERE = "TrainingState.load"
_LEAVES = (str, bytes, int, float, bool, complex, type(None))
_TENSOR = "paddle.Tensor"
_DEEPEST = 100


def encode(value: Any, where: str, depth: int = 0) -> Any:
    """Returns ``value`` in the form that is written: Tensors as arrays with their dtype.

    Args:
        value (Any): numbers, text, None, arrays of numbers, Tensors, and lists, tuples, dicts and
            sets of them.
        where (str): what it is, for error texts.

    Raises:
        TypeError: it holds something else, or itself.
    """
    if type(value) in _LEAVES:
        return value
    if depth > _DEEPEST:
        raise TypeError(f"TrainingState.save: {where} is nested too deeply, or holds itself.")
    if isinstance(value, Tensor):
        return {_TENSOR: int(value.dtype), "array": Deferred(value.numpy)}
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
        return np.asarray(value) if isinstance(value, np.ndarray) else value
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(encode(one, where, depth + 1) for one in value)
    if isinstance(value, dict):
        return {
            encode(key, f"a key of {where}", depth + 1): encode(one, f"{where}[{key!r}]", depth + 1)
            for key, one in value.items()
        }
    raise TypeError(
        f"TrainingState.save: {where} is a {type(value).__name__}; numbers, text, arrays, Tensors "
        "and lists, tuples, dicts and sets of them are saved."
    )


def decode(value: Any, where: str) -> Any:
    """Returns what :func:`encode` was given.

    Raises:
        InvalidArgumentError: the data does not describe a Tensor that it promises.
    """
    if type(value) in (list, tuple):
        return type(value)(decode(one, where) for one in value)
    if not isinstance(value, dict):
        return value
    if set(value) != {_TENSOR, "array"}:
        return {key: decode(one, where) for key, one in value.items()}
    array = value["array"]
    try:
        dtype = VarType(value[_TENSOR])
        made = Tensor(np.zeros(array.shape, np.float32)).astype(dtype)
        made.set_value(array)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InvalidArgumentError(
            f"{WHERE}: {where}: expected the array of a Tensor, but the file has "
            f"{type(array).__name__}."
        ) from None
    return made


def settled(value: Any) -> Any:
    """What :func:`encode` made, with the arrays fetched, as it would be read from a file."""
    if isinstance(value, Deferred):
        return np.array(value.fetch())
    if isinstance(value, dict):
        return {key: settled(one) for key, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(settled(one) for one in value)
    return value
