"""Side effects on Tensors that exist before a Program: each run writes them again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MethodType
from typing import Any

import numpy as np

from paddle.core.dtype import numpy_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import no_grad, recording
from paddle.core.tensor import Tensor
from paddle.ir.variable import Variable
from paddle.jit.dy2static.symbols import location
from paddle.tensor.creation import assign

_METHODS = (Tensor.set_value, Tensor.copy_)


def recorded_write(method: MethodType) -> Callable | None:
    """Returns what records ``tensor.set_value`` and ``tensor.copy_``; None for other methods.

    Args:
        method (MethodType): a bound method that is about to be called.
    """
    if method.__func__ not in _METHODS or not recording():
        return None
    tensor: Any = method.__self__
    return partial(_write, tensor, method.__name__)


def _write(tensor: Tensor, name: str, value: Any, blocking: bool = True) -> Tensor | None:
    if not tensor.stop_gradient:
        raise InvalidArgumentError(
            f"Tensor.{name}: {tensor.name!r} of shape {tensor.shape} is trained; a converted "
            f"function cannot write it, for that would cut its gradient off.{location()}",
            hint="write it outside of the function, or set its stop_gradient to True",
        )
    with no_grad():
        if not isinstance(value, (Tensor, Variable)):
            value = assign(np.asarray(value, numpy_dtype(tensor.dtype)))
        shape = list(value.shape)
        if len(shape) != len(tensor.shape) or any(
            a not in (-1, b) for a, b in zip(shape, tensor.shape, strict=True)
        ):
            raise InvalidArgumentError(
                f"Tensor.{name}(value): expected shape {tensor.shape}, but received {shape}, for "
                f"{tensor.name}.{location()}"
            )
        if value.dtype != tensor.dtype:
            value = value.astype(tensor.dtype)
        assign(value, output=tensor)
    return tensor if name == "copy_" else None
