"""Python's operators on Tensors: arithmetic, comparisons, bits.

The first thing every operator does is to tell a Tensor beside it from a number with one look-up.
Beside a number ``+ - * /`` become the operator ``scale``, which is one pass over the data; the
others make a Tensor of the number.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from paddle.core.dispatch import compile_operator
from paddle.core.op import REGISTRY, C
from paddle.core.tensor import Tensor
from paddle.tensor.scalars import KINDS, holds_floats, meet, plain, to_floating

_kind = KINDS.get


@functools.cache
def _on_tensors(method: Callable, operator: str) -> Callable:
    """The form of a Python operator for two Tensors, which takes the place of the general one.

    Made at first use, for that imports the operators.
    """
    made = compile_operator(REGISTRY[operator], method)
    if Tensor.__dict__[method.__name__] is method:
        setattr(Tensor, method.__name__, made)
    return made


# -- + - * / ----------------------------------------------------------------------------------


def _floating(x: Any) -> Any:
    """A Tensor that a Python float may stand beside."""
    return x if holds_floats(x._dt) else to_floating(x)


def __add__(self: Any, other: Any) -> Any:
    if type(other) is Tensor:  # the likely case; from the second time on Tensor goes there itself
        return _on_tensors(__add__, "elementwise_add")(self, other)
    kind = _kind(type(other))
    if kind is None:
        return C.elementwise_add(self, other)
    if kind == "float":
        x = self if self._dt.is_floating_point else _floating(self)
        return C.scale(x, bias=other)
    if kind == "int":
        return C.scale(self, bias=other)
    if kind == "numpy":
        return __add__(self, plain(other))
    return C.elementwise_add(*meet(self, other))


def __sub__(self: Any, other: Any) -> Any:
    if type(other) is Tensor:  # the likely case; from the second time on Tensor goes there itself
        return _on_tensors(__sub__, "elementwise_sub")(self, other)
    kind = _kind(type(other))
    if kind is None:
        return C.elementwise_sub(self, other)
    if kind == "float":
        x = self if self._dt.is_floating_point else _floating(self)
        return C.scale(x, bias=-other)
    if kind == "int":
        return C.scale(self, bias=-other)
    if kind == "numpy":
        return __sub__(self, plain(other))
    return C.elementwise_sub(*meet(self, other))


def __rsub__(self: Any, other: Any) -> Any:
    kind = _kind(type(other))
    if kind == "float":
        x = self if self._dt.is_floating_point else _floating(self)
        return C.scale(x, scale=-1.0, bias=other)
    if kind == "int":
        return C.scale(self, scale=-1.0, bias=other)
    if kind == "numpy":
        return __rsub__(self, plain(other))
    x, y = (self, other) if kind is None else meet(self, other)
    return C.elementwise_sub(y, x)


def __mul__(self: Any, other: Any) -> Any:
    if type(other) is Tensor:  # the likely case; from the second time on Tensor goes there itself
        return _on_tensors(__mul__, "elementwise_mul")(self, other)
    kind = _kind(type(other))
    if kind is None:
        return C.elementwise_mul(self, other)
    if kind == "float":
        x = self if self._dt.is_floating_point else _floating(self)
        return C.scale(x, scale=other)
    if kind == "int":
        return C.scale(self, scale=other)
    if kind == "numpy":
        return __mul__(self, plain(other))
    return C.elementwise_mul(*meet(self, other))


def __truediv__(self: Any, other: Any) -> Any:
    kind = _kind(type(other))
    if not self._dt.is_floating_point:  # 3 / 2 is 1.5, whatever the type
        self = _floating(self)
        if kind is None and hasattr(other, "_dt"):
            other = _floating(other)
    if kind is None:
        return C.elementwise_div(self, other)
    if kind == "numpy":
        other = plain(other)
    if kind not in ("complex", "array") and other != 0:
        return C.scale(self, scale=1.0 / other)
    return C.elementwise_div(*meet(self, other))


def __rtruediv__(self: Any, other: Any) -> Any:
    kind = _kind(type(other))
    x, y = (_floating(self), other) if kind is None else meet(_floating(self), other)
    return C.elementwise_div(y, x)


def __neg__(self: Any) -> Any:
    return C.scale(self, scale=-1.0)


def __pos__(self: Any) -> Any:
    return C.scale(self)


def __abs__(self: Any) -> Any:
    return C.abs(self)


# -- // % ** @ --------------------------------------------------------------------------------


def __pow__(self: Any, other: Any) -> Any:
    kind = _kind(type(other))
    if kind is None:
        return C.elementwise_pow(self, other)
    if kind == "numpy":
        other = plain(other)
    if type(other) is float and not self._dt.is_floating_point:
        self = _floating(self)
    if kind in ("complex", "array"):
        return C.elementwise_pow(*meet(self, other))
    return C.pow(self, factor=other)


def _binary(name: str, operator: str, reverse: bool = False) -> Callable:
    """Makes a Python operator of an operator on two Tensors."""

    def apply(self: Any, other: Any) -> Any:
        kind = _kind(type(other))
        x, y = (self, other) if kind is None else meet(self, other)
        return getattr(C, operator)(y, x) if reverse else getattr(C, operator)(x, y)

    apply.__name__ = apply.__qualname__ = name
    return apply


# -- comparisons ------------------------------------------------------------------------------


def _comparison(name: str, operator: str) -> Callable:
    """Makes a comparison; what is neither Tensor, number nor array is left to Python."""

    def apply(self: Any, other: Any) -> Any:
        kind = _kind(type(other))
        if kind is not None:
            self, other = meet(self, other)
        elif not hasattr(other, "_buf") and not hasattr(other, "block"):
            if not isinstance(other, (list, tuple)):  # those were surely meant as arrays
                return NotImplemented  # so that `x == None` is False and `x < None` a TypeError
        return getattr(C, operator)(self, other)

    apply.__name__ = apply.__qualname__ = name
    return apply


def __invert__(self: Any) -> Any:
    return C.bitwise_not(self)


OPERATORS: dict[str, Any] = {
    "__add__": __add__,
    "__radd__": __add__,
    "__sub__": __sub__,
    "__rsub__": __rsub__,
    "__mul__": __mul__,
    "__rmul__": __mul__,
    "__div__": __truediv__,
    "__rdiv__": __rtruediv__,
    "__truediv__": __truediv__,
    "__rtruediv__": __rtruediv__,
    "__floordiv__": _binary("__floordiv__", "elementwise_floordiv"),
    "__rfloordiv__": _binary("__rfloordiv__", "elementwise_floordiv", reverse=True),
    "__mod__": _binary("__mod__", "elementwise_mod"),
    "__rmod__": _binary("__rmod__", "elementwise_mod", reverse=True),
    "__pow__": __pow__,
    "__rpow__": _binary("__rpow__", "elementwise_pow", reverse=True),
    "__matmul__": _binary("__matmul__", "matmul_v2"),
    "__rmatmul__": _binary("__rmatmul__", "matmul_v2", reverse=True),
    "__neg__": __neg__,
    "__pos__": __pos__,
    "__abs__": __abs__,
    "__eq__": _comparison("__eq__", "equal"),
    "__ne__": _comparison("__ne__", "not_equal"),
    "__lt__": _comparison("__lt__", "less_than"),
    "__le__": _comparison("__le__", "less_equal"),
    "__gt__": _comparison("__gt__", "greater_than"),
    "__ge__": _comparison("__ge__", "greater_equal"),
    "__and__": _binary("__and__", "bitwise_and"),
    "__rand__": _binary("__rand__", "bitwise_and", reverse=True),
    "__or__": _binary("__or__", "bitwise_or"),
    "__ror__": _binary("__ror__", "bitwise_or", reverse=True),
    "__xor__": _binary("__xor__", "bitwise_xor"),
    "__rxor__": _binary("__rxor__", "bitwise_xor", reverse=True),
    "__invert__": __invert__,
    # NumPy leaves `array + tensor` to the Tensor instead of turning that into an array.
    "__array_priority__": 100,
}
