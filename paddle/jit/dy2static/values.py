"""len, shapes, int() float() bool(), print and assert of values that may be Variables."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.ir.variable import Variable
from paddle.jit.dy2static.symbols import (
    as_number,
    cast,
    filled,
    is_array,
    is_number,
    is_symbolic,
    location,
    number_type,
    truth,
    variable,
)
from paddle.jit.dy2static.undefined import is_undefined
from paddle.jit.explaining import events, logs
from paddle.tensor.array import array_length

# -- sizes -----------------------------------------------------------------------------------------


def convert_len(var: Any) -> Any:
    """``len(var)``.

    Args:
        var: a container, a Tensor or a tensor array.

    Returns:
        int: the length; a Variable where only a run knows it.
    """
    logs.log_callable(len)
    if is_array(var):
        return as_number(array_length(var))
    length = getattr(type(var), "convert_length", None)
    if length is not None:
        return length(var)
    if isinstance(var, Variable) and var.shape and var.shape[0] < 0:
        return _size(var, 0)
    return len(var)


def _size(x: Variable, axis: int) -> Variable:
    """Records the size of one dimension, which a run knows: int32, of shape [1]."""
    return _cut(C.shape(x), axis)


def _cut(sizes: Any, axis: int) -> Variable:
    made: Variable = as_number(sizes[axis : axis + 1])
    return made


def convert_var_shape(x: Any, idx: Any = None, in_control_flow: bool = False) -> Any:
    """``x.shape``, or ``x.shape[idx]``.

    Args:
        x: a Tensor, or anything with a shape.
        idx (int|slice|Variable, optional): which size; None means all of them.
        in_control_flow (bool): take the sizes from the run even where they are known.
            Default: False.

    Returns:
        The sizes: ints, and int32 Variables of shape [1] for those that only a run knows.
    """
    if not isinstance(x, Variable) or is_array(x):
        return x.shape if idx is None else x.shape[idx]
    if is_symbolic(idx):
        return C.shape(x)[variable(idx)]
    dims = list(x.shape)
    if idx is not None and not isinstance(idx, slice):
        axis = range(len(dims))[idx]  # an IndexError as that of a list
        return dims[axis] if dims[axis] >= 0 and not in_control_flow else _size(x, axis)
    axes = list(range(len(dims)))[idx] if idx is not None else list(range(len(dims)))
    unknown = [a for a in axes if dims[a] < 0 or in_control_flow]
    if not unknown:
        return [dims[a] for a in axes]
    sizes = C.shape(x)
    return [_cut(sizes, a) if a in unknown else dims[a] for a in axes]


def convert_var_shape_simple(x: Any) -> Any:
    """The shape as an int32 Variable, for a Variable; else ``x.shape``.

    Args:
        x: a Tensor, or anything with a shape.
    """
    return C.shape(x) if isinstance(x, Variable) and not is_array(x) else x.shape


def choose_shape_attr_or_api(attr_shape: Any, api_shape: Any, idx: Any = None) -> Any:
    """Returns the shape that is known, or the one that a run computes.

    Args:
        attr_shape (list|tuple|int): what ``x.shape`` says, or one size of it.
        api_shape: what ``paddle.shape(x)`` says.
        idx (int, optional): which size; None means all of them.
    """
    if idx is not None:
        return attr_shape[idx] if attr_shape[idx] >= 0 else api_shape[idx]
    if not isinstance(attr_shape, (list, tuple)):
        return attr_shape if attr_shape >= 0 else api_shape
    return api_shape if any(n < 0 for n in attr_shape) else attr_shape


# -- conversions -----------------------------------------------------------------------------------

_TYPES: dict[str, tuple[Callable, VarType]] = {
    "bool": (builtins.bool, VarType.BOOL),
    "int": (builtins.int, VarType.INT64),
    "float": (builtins.float, VarType.FP32),
}


def convert_var_dtype(var: Any, dtype: str) -> Any:
    """``int(var)``, ``float(var)`` or ``bool(var)``.

    Args:
        var: the value.
        dtype (str): ``"int"``, ``"float"`` or ``"bool"``.

    Returns:
        A number of Python; a Variable of int64, float32 or bool for a Variable.
    """
    if dtype not in _TYPES:
        raise InvalidArgumentError(
            f"convert_var_dtype(dtype): expected one of {list(_TYPES)}, but received {dtype!r}."
        )
    plain, kind = _TYPES[dtype]
    if not is_symbolic(var):
        return plain(var)
    if kind is VarType.BOOL:
        return truth(var, "the argument of bool()")
    made = variable(var)
    if any(n not in (1, -1) for n in made.shape):
        raise InvalidArgumentError(
            f"{dtype}(): expected a Tensor with one element, but its shape is {list(made.shape)}."
            f"{location()}",
            hint="use astype to convert all elements",
        )
    # A copy, if need be: the Tensor itself stays one. A number of Python has no gradient.
    number: Variable = cast(made, kind) if made.dtype is not kind else C.assign(made)
    number.stop_gradient = True
    return as_number(number)


def to_static_variable(x: Any) -> Any:
    """Returns a number as a Variable of shape [1]; anything else as it is.

    Args:
        x: the value.
    """
    return filled(x, number_type(x)) if is_number(x) else x


def eval_if_exist_else_none(name: str, local_symbol_table: dict[str, Any]) -> Any:
    """Returns what a name or an expression stands for, or None where it does not exist.

    Args:
        name (str): the name, or an expression such as ``"x.shape"``.
        local_symbol_table (dict): the variables by name.
    """
    try:
        found = eval(name, dict(local_symbol_table))
    except Exception:  # whatever it is, the answer is that there is no value
        return None
    return None if is_undefined(found) else found


def data_layer_not_check(name: str, shape: Any, dtype: Any = "float32", lod_level: int = 0) -> Any:
    """Adds an input to the Program whose shape the Executor does not check when it is fed.

    Args:
        name (str): its name.
        shape (list|tuple): its sizes; -1 or None where unknown.
        dtype (str): its element type. Default: ``"float32"``.
        lod_level (int): number of LoD levels. Default: 0.
    """
    from paddle.ir.current import default_main_program

    return default_main_program().global_block().create_var(
        name=name, shape=shape, dtype=dtype, lod_level=lod_level, stop_gradient=True,
        is_data=True, need_check_feed=False,
    )  # fmt: skip


# -- print and assert ------------------------------------------------------------------------------


def convert_print(*args: Any, **kwargs: Any) -> None:
    """``print(*args)``; Variables alone are printed when the Program runs.

    Args:
        *args: what is printed.
        **kwargs: ``sep``, ``end``, ``file`` and ``flush``, with which Python prints.
    """
    if not args or kwargs or not all(is_symbolic(arg) for arg in args):
        events.control("print", False)
        builtins.print(*args, **kwargs)
        return
    from paddle.static.print_op import Print

    events.control("print", True)
    for arg in args:
        Print(variable(arg), print_phase="forward")


def convert_assert(cond: Any, message: Any = "") -> None:
    """``assert cond, message``; for a Variable it is checked when the Program runs.

    Args:
        cond: the condition.
        message: what is told if it does not hold; a function without arguments is asked for it.
    """
    symbolic = is_symbolic(cond)
    events.control("assert", symbolic)
    if not symbolic:
        if not cond:
            text = message() if callable(message) else message
            raise AssertionError(*(() if isinstance(text, str) and not text else (text,)))
        return
    from paddle.static.print_op import noted_assert

    text = str(message() if callable(message) else message)
    noted_assert(truth(cond, "the condition of an assert"), [variable(cond)], text)
