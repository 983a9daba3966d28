"""Shapes, axes and repeats as users write them: numbers, lists of numbers and Tensors, Tensors."""

from __future__ import annotations

from operator import index
from typing import Any, NamedTuple

import numpy as np

from paddle.core import constants
from paddle.core.dtype import VarType
from paddle.core.errors import ArgumentTypeError
from paddle.core.op import C
from paddle.core.tensor import Tensor


class Dims(NamedTuple):
    """A list of ints and, in a static Program, the Variables that say it at run time.

    Attributes:
        ints: the entries; -1 where a Variable says it.
        whole: a Variable that holds the entire list, or None.
        parts: one Variable per entry, or None.
    """

    ints: list[int]
    whole: Any = None
    parts: list[Any] | None = None


def is_variable(value: Any) -> bool:
    """Says whether a value is a static Variable (an eager Tensor belongs to no block)."""
    return getattr(value, "block", None) is not None


def _integers(tensor: Tensor, api: str, arg: str) -> list[int]:
    array = tensor.numpy()
    if array.dtype.kind not in "iu":
        raise ArgumentTypeError(
            f"{api}({arg}): expected a Tensor of integers, but received one of {tensor.dtype}."
        )
    return array.reshape(-1).tolist()


def wrong_type(api: str, arg: str, value: Any, expected: str) -> TypeError:
    """Makes the error for an argument of a wrong Python type."""
    return ArgumentTypeError(f"{api}({arg}): expected {expected}, but received {_what(value)}.")


def _what(value: Any) -> str:
    text = f"{type(value).__name__} {value!r}"
    return text if len(text) < 80 else text[:77] + "..."


def read_int(value: Any, api: str, arg: str) -> int:
    """Returns an int that may have come as a NumPy integer or a Tensor of one element."""
    if type(value) is int:
        return value
    try:
        return index(value)
    except (TypeError, ValueError):  # the latter: a Tensor of another number of elements
        raise wrong_type(api, arg, value, "an int or a Tensor holding one integer") from None


def _wrong_item(api: str, arg: str, values: Any) -> TypeError:
    """Makes the error for a list in which something is no integer."""
    expected = "a list of ints or of Tensors holding one integer each"
    for i, value in enumerate(values):
        try:
            index(value)
        except (TypeError, ValueError):
            came = f"{_what(value)} as {arg}[{i}]"
            return ArgumentTypeError(f"{api}({arg}): expected {expected}, but received {came}.")
    return wrong_type(api, arg, values, expected)


def read_ints(value: Any, api: str, arg: str) -> list[int]:
    """Returns a list of ints from an int, a list or tuple (with Tensors in it), or a Tensor."""
    if isinstance(value, (list, tuple, range)):
        try:
            return [index(v) for v in value]
        except (TypeError, ValueError):  # the latter: a Tensor of another number of elements
            raise _wrong_item(api, arg, value) from None
    if isinstance(value, Tensor):
        return _integers(value, api, arg)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        return value.reshape(-1).tolist()
    try:
        return [index(value)]
    except TypeError:
        raise wrong_type(api, arg, value, "an int, a list of ints or an integer Tensor") from None


def plain(values: Any) -> bool:
    """Says whether a list holds nothing but ints; quicker than all()."""
    for v in values:  # noqa: SIM110
        if type(v) is not int:
            return False
    return True


def read_dims(value: Any, api: str, arg: str) -> Dims:
    """Like :func:`read_ints`, and knows the Variables of a static Program."""
    if type(value) is list and plain(value):
        return Dims(value)
    if is_variable(value):
        count = value.shape[0] if len(value.shape) == 1 and value.shape[0] > 0 else 0
        return Dims([-1] * count, value)
    if not isinstance(value, (list, tuple)) or not any(is_variable(v) for v in value):
        return Dims(read_ints(value, api, arg))
    ints = [-1 if is_variable(v) else read_int(v, api, arg) for v in value]
    return Dims(ints, None, [v if is_variable(v) else constant(v) for v in value])


def shapes_fit(a: Any, b: Any) -> bool:
    """Whether two shapes may be equal; -1 stands for a dimension that is not known yet."""
    if a == b:  # quicker where both are lists
        return True
    return len(a) == len(b) and all(m == n or -1 in (m, n) for m, n in zip(a, b))


def shape_of(x: Any) -> Dims:
    """The shape of a tensor, as something that makes another one of it takes a shape."""
    ints = list(x.shape)
    return Dims(ints, C.shape(x) if -1 in ints else None)


def constant(value: int, dtype: VarType = VarType.INT32) -> Any:
    """Returns a tensor of one number, in main memory."""
    return constants.number(value, dtype, on_cpu=True)
