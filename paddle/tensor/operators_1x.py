"""Python's operators on Variables of Programs of 1.x, where they differ from those of 2.0.

There the second operand begins at the first dimension of the other one if its own first dimension
is unknown, so that ``[batch, n] * [batch]`` scales rows; integers are divided as integers; a number
takes the type of the Variable.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

from paddle.core.dtype import FLOATING
from paddle.core.op import C
from paddle.ir.variable import Variable
from paddle.tensor.scalars import KINDS, plain

_OPERATORS = {
    "__add__": "elementwise_add", "__radd__": "elementwise_add",
    "__sub__": "elementwise_sub", "__rsub__": "elementwise_sub",
    "__mul__": "elementwise_mul", "__rmul__": "elementwise_mul",
    "__truediv__": "elementwise_div", "__rtruediv__": "elementwise_div",
    "__div__": "elementwise_div", "__rdiv__": "elementwise_div",
    "__floordiv__": "elementwise_floordiv", "__mod__": "elementwise_mod",
    "__pow__": "elementwise_pow", "__rpow__": "elementwise_pow",
    "__eq__": "equal", "__ne__": "not_equal", "__lt__": "less_than", "__le__": "less_equal",
    "__gt__": "greater_than", "__ge__": "greater_equal",
}  # fmt: skip
_SCALED = ("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__")
"""Beside a number these are the operator ``scale``, here as in 2.0."""
_QUOTIENTS = ("__truediv__", "__div__")
_REVERSED = ("__rtruediv__", "__rdiv__", "__rpow__")
_COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
_EXACT = 2**24


def written_for_1x(frame: FrameType | None) -> bool:
    """Whether an expression is the user's or fluid's; the rest of this package means 2.0's rules.

    Args:
        frame (FrameType): that of the operator.
    """
    while frame is not None:
        frame = frame.f_back
        module = frame.f_globals.get("__name__", "") if frame is not None else ""
        if module != "paddle.tensor.static":  # what joins lists by `+` stands between
            return not module.startswith("paddle.") or module.startswith("paddle.fluid.")
    return True


def of_1x(name: str, later: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The form of a Python operator for Programs of 1.x.

    Args:
        name (str): of the method.
        later (Callable): that of 2.0, which does what is the same.
    """
    operator = _OPERATORS.get(name)
    if operator is None:
        return later

    def apply(self: Any, other: Any) -> Any:
        made = other if isinstance(other, Variable) else _constant(name, self, other)
        if made is None:
            return later(self, _whole(other) if self.dtype not in FLOATING else other)
        if name in _COMPARISONS and made.dtype != self.dtype:
            made = C.cast(made, in_dtype=int(made.dtype), out_dtype=int(self.dtype))
        x, y = (made, self) if name.startswith("__r") else (self, made)
        return getattr(C, operator)(x, y, axis=_axis(x, y))

    return apply


def _constant(name: str, x: Variable, value: Any) -> Any:
    """The Variable of a number; None where 2.0's form does the same, or 1.x refuses."""
    kind = KINDS.get(type(value))
    if kind not in ("int", "float", "numpy"):
        return None
    floating = x.dtype in FLOATING
    if name in _SCALED or (name in _QUOTIENTS and floating):
        if kind != "numpy" or name.startswith("__r"):
            return None
    elif name in _REVERSED and not floating:
        return None
    number = plain(value)
    attrs: dict[str, Any] = {"dtype": int(x.dtype), "value": float(number)}
    if isinstance(number, int) and abs(number) > _EXACT:  # 1.x keeps a float of 32 bits
        attrs["str_value"] = str(number)
    if name in _REVERSED and -1 in x.shape:
        batch = list(x.shape).index(-1)
        return C.fill_constant_batch_size_like(
            x, shape=list(x.shape), input_dim_idx=batch, output_dim_idx=batch, **attrs
        )
    shape = list(x.shape) if name in _REVERSED else [1]
    return C.fill_constant(shape=shape, **attrs)


def _whole(value: Any) -> Any:
    """A number of NumPy that is whole, as an int; anything else as it is."""
    number = plain(value)
    return int(number) if isinstance(number, float) and number.is_integer() else value


def _axis(x: Variable, y: Variable) -> int:
    """Where the second operand begins: -1 at the end, as in 2.0."""
    if not y.shape or y.shape[0] != -1:
        return -1
    low, high = sorted((list(x.shape), list(y.shape)), key=len)
    fits = all(a == b or -1 in (a, b) or 1 in (a, b) for a, b in zip(low, high, strict=False))
    return 0 if fits else -1  # 1.x refuses these
