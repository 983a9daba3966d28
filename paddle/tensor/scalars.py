"""A Tensor beside a plain number or array: which type the result has, and how it is computed.

A Python float beside an integer Tensor makes the Tensor floating (the default type); an int takes
the type of the Tensor; a complex number makes both complex.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddle.core import dtype as _dtype
from paddle.core.backends import holds
from paddle.core.convert import tensor_of
from paddle.core.dtype import to_vartype
from paddle.core.op import C
from paddle.core.place import CPUPlace
from paddle.core.promotion import as_operand
from paddle.core.tensor import Tensor

_NUMPY_NUMBERS = (
    np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
    np.float16, np.float32, np.float64, np.complex64, np.complex128, np.longlong, np.ulonglong,
    np.longdouble,
)  # fmt: skip

# What may stand beside a Tensor without being one. One look-up tells the common case, a Tensor,
# from all others.
KINDS: dict[type, str] = {
    **{t: "complex" if issubclass(t, np.complexfloating) else "numpy" for t in _NUMPY_NUMBERS},
    bool: "int",
    int: "int",
    float: "float",
    complex: "complex",
    np.ndarray: "array",
}


def plain(value: Any) -> Any:
    """The Python number of a NumPy scalar."""
    return value.item() if isinstance(value, np.generic) else value


def to_floating(x: Any) -> Any:
    """Converts an integer or boolean Tensor to the default floating type."""
    kind = to_vartype(_dtype.get_default_dtype())
    made = C.cast(x, in_dtype=int(x.dtype), out_dtype=int(kind))
    if getattr(x, "_weak", False):  # it stood for a number of Python and still does
        made._weak = True
    return made


def holds_floats(dtype: Any) -> bool:
    """Whether a buffer's dtype is floating or complex, so that a float beside it fits."""
    return dtype.is_floating_point or dtype.is_complex


_PYTHON_NUMBERS = frozenset([bool, int, float])


def meet(x: Any, value: Any) -> tuple[Any, Any]:
    """Makes two Tensors of a Tensor and what stands beside it.

    Args:
        x (Tensor): the Tensor.
        value (number|numpy.ndarray): the other operand.

    Returns:
        tuple: ``x``, converted where needed, and ``value`` as a Tensor.
    """
    if type(value) not in _PYTHON_NUMBERS:
        if isinstance(value, np.ndarray):
            return x, as_operand(value, x)
        value = plain(value)
    if isinstance(value, float) and not holds_floats(x._dt):
        x = to_floating(x)
    return x, _beside(value, x)


_MOST = 1024
_made: dict[tuple[Any, Any], Tensor] = {}


def _beside(value: Any, x: Any) -> Any:
    """A Tensor of a number, made once for Tensors in main memory: operators never write to it."""
    if type(value) is complex or not isinstance(x, Tensor) or not holds.host(x._buf):
        return as_operand(value, x)
    found = _made.get((value, x._dt))
    if found is not None and (value or math.copysign(1, value) > 0):  # -0.0 equals 0.0
        return found
    made = tensor_of(value, x.dtype, CPUPlace())
    if len(_made) >= _MOST:
        _made.clear()
    if value == value and (value or math.copysign(1, value) > 0):
        _made[value, x._dt] = made
    return made
