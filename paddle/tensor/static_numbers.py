"""A Variable with one element as a number of Python: item, round, math.floor and others."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType, dtype_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.ir.operator import here
from paddle.ir.recording.context import is_capturing
from paddle.ir.variable import Variable


def _number(x: Variable, what: str) -> Variable:
    """A copy that no gradient flows through and that stands for a number of Python."""
    if not is_capturing():
        raise x._only_at_run_time(what)
    if any(n not in (1, -1) for n in x.shape):
        raise InvalidArgumentError(
            f"{what}: expected a Tensor with one element, but its shape is {list(x.shape)}.{here()}"
        )
    return _marked(C.assign(x))


def _marked(made: Variable) -> Variable:
    made.stop_gradient = True
    made._weak = True
    return made


def item(self: Variable, *args: int) -> Any:
    """Returns one element; while a function of dynamic mode is recorded, as a Variable.

    Args:
        *args (int): the position of the element, in the flattened Tensor or per dimension; none for
            a Tensor with one element.
    """
    if not args:
        return _number(self, "Variable.item")
    if not is_capturing():
        raise self._only_at_run_time("Variable.item")
    flat: Any = C.reshape2(self, None, None, shape=[-1])[0] if len(args) == 1 else self
    return _number(flat[args[0]] if len(args) == 1 else flat[tuple(args)], "Variable.item")


def _whole(self: Variable, name: str) -> Variable:
    number = _number(self, name)
    if not dtype_name(number.dtype).startswith("float"):
        return number
    rounded = getattr(C, name)(number)
    return _marked(C.cast(rounded, in_dtype=int(number.dtype), out_dtype=int(VarType.INT64)))


def __floor__(self: Variable) -> Variable:
    return _whole(self, "floor")


def __ceil__(self: Variable) -> Variable:
    return _whole(self, "ceil")


def __trunc__(self: Variable) -> Variable:
    number = _number(self, "trunc")
    return _marked(C.cast(number, in_dtype=int(number.dtype), out_dtype=int(VarType.INT64)))


def __round__(self: Variable, ndigits: int | None = None) -> Variable:
    if not self._weak:  # a Tensor has no round() either
        raise TypeError(f"round(): expected a number, but received a Tensor.{here()}")
    if ndigits is None:
        return _whole(self, "round")
    scale = 10.0**ndigits
    number: Any = _number(self, "round")
    return _marked(C.round(number * scale) / scale)


def attach() -> None:
    """Puts these on Variable."""
    for function in (item, __floor__, __ceil__, __trunc__, __round__):
        setattr(Variable, function.__name__, function)
