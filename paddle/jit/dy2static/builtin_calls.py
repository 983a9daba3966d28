"""isinstance, type, max, min, sum, any and all, as Python answers them for a Tensor's values."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterable
from typing import Any

from paddle.core.dtype import VarType, dtype_name, get_default_dtype, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.ir.variable import Variable
from paddle.jit.dy2static.logical import convert_logical_and, convert_logical_or
from paddle.jit.dy2static.symbols import (
    as_number,
    cast,
    described,
    filled,
    fits,
    is_array,
    is_number,
    is_symbolic,
    is_weak,
    location,
    variable,
)
from paddle.jit.dy2static.values import convert_var_dtype

# -- classes ---------------------------------------------------------------------------------------


def _stands_for(value: Variable) -> type:
    """The class of what the user's code would have where a Program has a Variable."""
    if is_array(value):
        return list
    if value._weak:
        name = dtype_name(value.dtype)
        if name == "bool":
            return bool
        return int if name.startswith(("int", "uint")) else float
    return Tensor


def convert_isinstance(value: Any, classes: Any) -> bool:
    """``isinstance(value, classes)``: a Variable counts as the Tensor or number it stands for.

    Args:
        value: anything.
        classes (type|tuple): as for ``isinstance``.
    """
    if isinstance(value, classes):
        return True
    return isinstance(value, Variable) and issubclass(_stands_for(value), classes)


def convert_type(value: Any) -> type:
    """``type(value)``: that of the Tensor or number that a Variable stands for.

    Args:
        value: anything.
    """
    return _stands_for(value) if type(value) is Variable else type(value)


# -- max, min, sum ---------------------------------------------------------------------------------


def convert_max(*args: Any, **kwargs: Any) -> Any:
    """``max(...)``, also of Tensors with one element, or of the elements of a vector.

    Args:
        *args: the values, or one iterable of them.
        **kwargs: ``key`` and ``default``, for values that Python can compare.
    """
    return _extreme("max", args, kwargs)


def convert_min(*args: Any, **kwargs: Any) -> Any:
    """``min(...)``, also of Tensors with one element, or of the elements of a vector.

    Args:
        *args: the values, or one iterable of them.
        **kwargs: ``key`` and ``default``, for values that Python can compare.
    """
    return _extreme("min", args, kwargs)


def _extreme(name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
    plain: Callable = getattr(builtins, name)
    if kwargs.get("key") is not None:
        return plain(*args, **kwargs)
    if len(args) == 1:
        if is_symbolic(args[0]):
            return _of_vector(name, variable(args[0]))
        values = list(args[0])
        if not any(is_symbolic(v) for v in values):
            return plain(values, **kwargs)
    else:
        values = list(args)
        if not any(is_symbolic(v) for v in values):
            return plain(*args, **kwargs)
    best = _comparable(name, values[0])
    for value in values[1:]:
        best = _of_two(name, best, _comparable(name, value))
    return best


def _of_vector(name: str, values: Variable) -> Any:
    if is_array(values) or len(values.shape) != 1:
        raise InvalidArgumentError(
            f"{name}(): expected values of one element, but received {described(values)}."
            f"{location()}",
            hint=f"use paddle.{name}(x)",
        )
    return (C.reduce_max if name == "max" else C.reduce_min)(values, reduce_all=True)


def _comparable(name: str, value: Any) -> Any:
    one = is_symbolic(value) and not is_array(value)
    if one and all(n in (1, -1) for n in variable(value).shape):
        return variable(value)
    if is_number(value):
        return value
    raise InvalidArgumentError(
        f"{name}(): expected numbers and Tensors with one element, but received "
        f"{described(value)}.{location()}",
        hint=f"use paddle.{name}imum for each element of two Tensors",
    )


def _of_two(name: str, a: Any, b: Any) -> Any:
    if not is_symbolic(a) and not is_symbolic(b):
        return getattr(builtins, name)(a, b)
    kind = _common_type(name, [v for v in (a, b) if is_symbolic(v)], [a, b])
    pair = [cast(v, kind) if is_symbolic(v) else filled(v, kind) for v in (a, b)]
    made = (C.elementwise_max if name == "max" else C.elementwise_min)(*pair)
    return as_number(made) if is_weak(a) and is_weak(b) else made


def _common_type(name: str, tensors: list[Variable], values: list[Any]) -> VarType:
    firm = [v for v in tensors if not v._weak] or tensors
    kinds = {VarType(v.dtype) for v in firm}
    if len(kinds) > 1:
        raise InvalidArgumentError(
            f"{name}(): expected Tensors of one element type, but received "
            f"{' and '.join(described(v) for v in tensors)}.{location()}",
            hint="cast one of them",
        )
    kind = kinds.pop()
    if all(fits(v, kind) for v in values if is_number(v)):
        return kind
    return to_vartype(get_default_dtype())


def convert_sum(values: Any, *start: Any, **kwargs: Any) -> Any:
    """``sum(values, start)``, also of the rows of a Tensor of unknown length.

    Args:
        values: an iterable.
        *start: what is added to; 0 if left out.
        **kwargs: ``start`` by name.
    """
    unknown = is_symbolic(values) and not is_array(values) and variable(values).shape[0] < 0
    if not unknown:
        return builtins.sum(values, *start, **kwargs)
    made = C.reduce_sum(variable(values), dim=[0])
    first = start[0] if start else kwargs.get("start", 0)
    return made if is_number(first) and first == 0 else first + made


# -- any and all -----------------------------------------------------------------------------------


def convert_any(values: Iterable[Any]) -> Any:
    """``any(values)``; a boolean Variable where one of them decides.

    Args:
        values: an iterable, or a vector.
    """
    if is_symbolic(values):
        return C.reduce_any(_truths("any", variable(values)), reduce_all=True)
    found: Any = False
    for value in values:
        if not is_symbolic(value):
            if value:
                return True
            continue
        found = convert_logical_or(lambda a=found: a, lambda b=value: _one(b))
    return found


def convert_all(values: Iterable[Any]) -> Any:
    """``all(values)``; a boolean Variable where one of them decides.

    Args:
        values: an iterable, or a vector.
    """
    if is_symbolic(values):
        return C.reduce_all(_truths("all", variable(values)), reduce_all=True)
    found: Any = True
    for value in values:
        if not is_symbolic(value):
            if not value:
                return False
            continue
        found = convert_logical_and(lambda a=found: a, lambda b=value: _one(b))
    return found


def _one(value: Any) -> Any:
    from paddle.jit.dy2static.symbols import truth

    return truth(value, "an item of any() or all()")


def _truths(name: str, values: Variable) -> Variable:
    if is_array(values) or len(values.shape) != 1:
        raise InvalidArgumentError(
            f"{name}(): expected conditions of one element, but received {described(values)}."
            f"{location()}",
            hint=f"use paddle.{name}(x)",
        )
    return cast(values, VarType.BOOL)


# -- math ------------------------------------------------------------------------------------------

_MATH = {
    math.sqrt: "sqrt", math.exp: "exp", math.log: "log", math.sin: "sin", math.cos: "cos",
    math.tanh: "tanh", math.fabs: "abs",
}  # fmt: skip


def convert_math(function: Callable) -> Callable:
    """Returns a function of the module ``math`` that also takes a number that only a run knows.

    Args:
        function (callable): such as ``math.sqrt``.
    """

    def call(value: Any) -> Any:
        if not is_symbolic(value):
            return function(value)
        number = convert_var_dtype(value, "float")
        made: Variable = getattr(C, _MATH[function])(number)
        made.stop_gradient = True
        return as_number(made)

    return call if function in _MATH else function
