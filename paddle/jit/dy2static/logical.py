"""and, or, not and comparisons of shapes, with the second value looked at only where it counts."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from paddle.core.dtype import FLOATING, VarType
from paddle.core.op import C
from paddle.ir.current import default_main_program
from paddle.ir.operator import Operator
from paddle.ir.variable import Variable
from paddle.jit.dy2static.symbols import block, filled, is_symbolic, tracing, truth
from paddle.jit.explaining import events


def convert_logical_and(x_func: Callable, y_func: Callable) -> Any:
    """``x and y``.

    Args:
        x_func (callable): gives ``x``.
        y_func (callable): gives ``y``; Python asks it only if ``x`` is true.

    Returns:
        One of both values; a boolean Variable if a Variable decides.
    """
    x = x_func()
    if not is_symbolic(x):
        return x and y_func()
    events.control("and", True)
    return _second(truth(x, "an operand of 'and'"), y_func, "and")


def convert_logical_or(x_func: Callable, y_func: Callable) -> Any:
    """``x or y``.

    Args:
        x_func (callable): gives ``x``.
        y_func (callable): gives ``y``; Python asks it only if ``x`` is false.

    Returns:
        One of both values; a boolean Variable if a Variable decides.
    """
    x = x_func()
    if not is_symbolic(x):
        return x or y_func()
    events.control("or", True)
    return _second(truth(x, "an operand of 'or'"), y_func, "or")


def _second(x: Variable, y_func: Callable, word: str) -> Any:
    """The second value, under the condition that the first one does not decide."""
    here, blocks = block(), default_main_program().blocks
    count, number = len(here.ops), len(blocks)
    with tracing():
        y = y_func()
    if len(blocks) > number or not all(map(_speculatable, here.ops[count:])):
        del here.ops[count:], blocks[number:]
        here.program.note_change()
        return _under_condition(x, y_func, word)
    return _joined(x, y, word)


def _speculatable(op: Operator) -> bool:
    """Whether an operator may run where Python would not have looked at the second value."""
    known = op.declared
    if known is None or known.speculatable != "floats":
        return known is not None and known.speculatable is True
    return all(op.block._var_recursive(n).dtype in FLOATING for n in op.input_arg_names)


def _joined(x: Variable, y: Any, word: str) -> Any:
    if not is_symbolic(y):
        decided = not y if word == "and" else bool(y)
        return (word == "or") if decided else x
    second = truth(y, f"an operand of {word!r}")
    made: Variable = (C.logical_and if word == "and" else C.logical_or)(x, second)
    return made


def _under_condition(x: Variable, y_func: Callable, word: str) -> Any:
    from paddle.jit.dy2static.ifelse import recorded_choice

    def second() -> Any:
        y = y_func()
        return truth(y, f"an operand of {word!r}") if is_symbolic(y) else bool(y)

    def first() -> bool:
        return word == "or"

    branches = (second, first) if word == "and" else (first, second)
    return recorded_choice(x, *branches)


def convert_logical_not(x: Any) -> Any:
    """``not x``.

    Args:
        x: the value.

    Returns:
        bool: the opposite; a boolean Variable for a Variable.
    """
    if not is_symbolic(x):
        return not x
    return C.logical_not(truth(x, "the operand of 'not'"))


_COMPARISONS: dict[str, Callable] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
    "is": operator.is_, "is not": operator.is_not,
    "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}  # fmt: skip


def convert_shape_compare(left: Any, *args: Any) -> Any:
    """A comparison of shapes, which may hold sizes that only a run knows.

    Args:
        left: the first value.
        *args: an operator as text, the next value, and so on: ``"==", y.shape, "<", 3``.

    Returns:
        bool: whether all hold; a boolean Variable where a run decides.
    """
    if not args or len(args) % 2:
        raise TypeError(
            "convert_shape_compare: expected operators and values in turn after the first value, "
            f"but received {len(args)} arguments."
        )
    result: Any = True
    for sign, right in zip(args[::2], args[1::2], strict=True):
        if sign not in _COMPARISONS:
            raise ValueError(
                f"convert_shape_compare: expected one of {list(_COMPARISONS)}, but got {sign!r}."
            )
        found = _compared(left, sign, right)
        result = convert_logical_and(lambda r=result: r, lambda f=found: f)
        if not is_symbolic(result) and not result:
            return result
        left = right
    return result


def _compared(left: Any, sign: str, right: Any) -> Any:
    """One comparison; lists element by element where a Variable is among them."""
    lists = isinstance(left, (list, tuple)) and isinstance(right, (list, tuple))
    if not lists or not any(is_symbolic(v) for v in (*left, *right)) or sign not in ("==", "!="):
        return _COMPARISONS[sign](left, right)
    if len(left) != len(right):
        return sign == "!="
    equal: Any = True
    for a, b in zip(left, right, strict=True):
        equal = convert_logical_and(lambda e=equal: e, lambda a=a, b=b: a == b)
    return equal if sign == "==" else convert_logical_not(equal)


def cast_bool_if_necessary(var: Any) -> Any:
    """Returns a Variable as booleans; anything else as it is.

    Args:
        var: the value.
    """
    from paddle.jit.dy2static.symbols import cast, variable

    return cast(variable(var), VarType.BOOL) if is_symbolic(var) else var


def create_bool_as_type(x: Any, value: bool = True) -> Any:
    """Returns a truth value in the form of another value: a Variable if that is one.

    Args:
        x: the other value.
        value (bool): the truth value. Default: True.
    """
    return filled(bool(value), VarType.BOOL) if is_symbolic(x) else value
