"""Brings the parameters and arguments of distributions to tensors of one type and one shape."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from paddle.core.dtype import VarType, dtype_name, get_default_dtype, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.core.user_frame import outside
from paddle.framework.mode import in_dynamic_mode
from paddle.tensor.arithmetic import cast
from paddle.tensor.creation import assign
from paddle.tensor.dims import constant, is_variable, shape_of
from paddle.tensor.to_tensor import to_tensor

FLOATS = (VarType.FP32, VarType.FP64)


def is_tensor(value: Any) -> bool:
    """Whether a value is an eager Tensor or a Variable of a Program."""
    return isinstance(value, Tensor) or is_variable(value)


def is_number(value: Any) -> bool:
    """Whether a value is one number, which adds no dimension to samples."""
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _array(api: str, name: str, value: Any) -> np.ndarray:
    if not is_number(value) and not isinstance(value, (list, tuple, np.ndarray)):
        raise TypeError(
            f"{api}({name}): expected a number, a list, a tuple, a NumPy array or a Tensor, but "
            f"received {type(value).__name__}."
        )
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{api}({name}): expected real numbers, but received {value!r}.")
    return array


def constant_tensor(array: np.ndarray) -> Any:
    """The array as a Tensor, or in a Program as a constant of it."""
    return to_tensor(array) if in_dynamic_mode() else assign(array)


def parameters(api: str, **given: Any) -> list[Any]:
    """Two parameters as tensors of one floating type and one shape.

    NumPy arrays of float32 and float64 keep their type; numbers and lists get the default type.
    """
    tensors = [is_tensor(value) for value in given.values()]
    if any(tensors):
        if not all(tensors):
            kinds = {name: type(value).__name__ for name, value in given.items()}
            raise InvalidArgumentError(
                f"{api}: expected Tensors for all parameters when one is a Tensor, but received "
                f"{kinds}."
            )
        for name, value in given.items():
            if to_vartype(value.dtype) not in FLOATS:
                raise TypeError(
                    f"{api}({name}): expected float32 or float64, but received "
                    f"{dtype_name(value.dtype)}."
                )
        return list(given.values())
    kept = [v.dtype for v in given.values() if isinstance(v, np.ndarray) and v.dtype.char in "fd"]
    dtype = kept[0] if kept else np.dtype(get_default_dtype())
    arrays = [_array(api, name, value).astype(dtype) for name, value in given.items()]
    try:
        arrays = list(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = {name: list(np.shape(value)) for name, value in given.items()}
        raise InvalidArgumentError(
            f"{api}: expected parameters whose shapes broadcast, but received {shapes}."
        ) from None
    return [constant_tensor(np.ascontiguousarray(a)) for a in arrays]


def sample_shape(api: str, shape: Any) -> list[int]:
    """The sizes that a user asked for."""
    if not isinstance(shape, (list, tuple)):
        raise TypeError(
            f"{api}.sample(shape): expected a list or tuple of ints, but received "
            f"{type(shape).__name__}."
        )
    for n in shape:
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
            raise TypeError(
                f"{api}.sample(shape): expected ints, but received {type(n).__name__} {n!r}."
            )
    sizes = [int(n) for n in shape]
    if any(n < 0 for n in sizes):
        raise InvalidArgumentError(
            f"{api}.sample(shape): expected no negative size, but received {sizes}."
        )
    return sizes


def random_seed(api: str, seed: Any) -> int:
    """The seed of one call; 0 means the global generator."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"{api}.sample(seed): expected an int, but received {type(seed).__name__}.")
    return int(seed)


def joined_shape(sizes: list[int], batch: Any) -> tuple[list[int], Any]:
    """``sizes`` before the shape of ``batch``: as ints, and as a tensor where one is unknown."""
    ints, whole, _ = shape_of(batch)
    if whole is not None and sizes:
        parts = [constant(n) for n in sizes]
        whole = C.concat([*parts, whole], axis=0)
    return [*sizes, *ints], whole


def like_parameter(api: str, value: Any, parameter: Any) -> Any:
    """The argument of a density in the parameters' type."""
    if not is_tensor(value):
        raise TypeError(f"{api}(value): expected a Tensor, but received {type(value).__name__}.")
    want, got = to_vartype(parameter.dtype), to_vartype(value.dtype)
    if want is got:
        return value
    if got in FLOATS:
        warnings.warn(
            f"{api}: value of type {dtype_name(got)} is converted to {dtype_name(want)}, the type "
            "of the distribution",
            stacklevel=outside(),
        )
    return cast(value, want)
