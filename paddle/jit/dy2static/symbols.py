"""What converters ask about values: symbolic or Python's own, number or not, how to describe it."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

import numpy as np

from paddle.core.dtype import VarType, dtype_name, get_default_dtype, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.ir.current import default_main_program
from paddle.ir.operator import user_location
from paddle.ir.recording.lowering import as_variable
from paddle.ir.variable import Variable
from paddle.jit.dy2static.undefined import is_undefined

NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)

# How many branches and loop bodies that a Program decides about are being recorded.
_depth: contextvars.ContextVar[int] = contextvars.ContextVar("converted_depth", default=0)


@contextlib.contextmanager
def tracing() -> Iterator[None]:
    """Marks that what is recorded inside may run not at all, or many times."""
    token = _depth.set(_depth.get() + 1)
    try:
        yield
    finally:
        _depth.reset(token)


def traced_depth() -> int:
    """How deep the current call is inside of branches and loops that a run decides about."""
    return _depth.get()


# How deep the innermost converted function was called.
_entered: contextvars.ContextVar[int] = contextvars.ContextVar("entered_depth", default=0)


@contextlib.contextmanager
def entered(depth: int) -> Iterator[None]:
    """Marks that a converted function was called so deep inside of branches and loops."""
    token = _entered.set(depth)
    try:
        yield
    finally:
        _entered.reset(token)


def called_inside() -> bool:
    """Says whether the function that is running was itself called in the branch or loop it is in.

    What it changes in place then belongs to its caller, unless it made it itself.
    """
    return 0 < _entered.get() == _depth.get()


def is_symbolic(value: Any) -> bool:
    """Says whether only a run knows the value: a Variable, or a Tensor that stands for one."""
    if is_undefined(value):
        return False
    return isinstance(value, Variable) or (isinstance(value, Tensor) and recording())


def is_array(value: Any) -> bool:
    """Says whether a value is a tensor array of a Program."""
    if is_undefined(value):
        return False
    return isinstance(value, Variable) and value.type == VarType.LOD_TENSOR_ARRAY


def is_number(value: Any) -> bool:
    """Says whether a value is a number of Python or NumPy, truth values included."""
    return not is_undefined(value) and isinstance(value, NUMBERS)


def variable(value: Any) -> Variable:
    """Returns the Variable itself, or the one that stands for an eager Tensor."""
    made: Variable = as_variable(value)
    return made


def number_type(value: Any) -> VarType:
    """The element type a number gets in a Program."""
    if isinstance(value, np.generic):
        return to_vartype(value.dtype)
    if isinstance(value, bool):
        return VarType.BOOL
    return VarType.INT64 if isinstance(value, int) else to_vartype(get_default_dtype())


def common_number_type(a: Any, b: Any) -> VarType:
    """The element type for two numbers of which a run chooses one."""
    kinds = {number_type(a), number_type(b)}
    if len(kinds) == 1:
        return kinds.pop()
    if any(dtype_name(k).startswith("float") for k in kinds):
        return to_vartype(get_default_dtype())
    return VarType.INT64


def fits(value: Any, dtype: VarType) -> bool:
    """Whether a number keeps its value as an element of this type."""
    name = dtype_name(dtype)
    if name == "bool":
        return isinstance(value, (bool, np.bool_))
    return name.startswith(("float", "bfloat", "complex")) or float(value).is_integer()


def filled(value: Any, dtype: VarType, dims: tuple[int, ...] = (1,)) -> Variable:
    """Records a number as a Variable; a size that is not known becomes 1."""
    plain = value.item() if isinstance(value, np.generic) else value
    plain = int(plain) if isinstance(plain, bool) else plain  # the attribute is a number
    shape = [n if n >= 0 else 1 for n in dims] or [1]
    made: Variable = C.fill_constant(
        shape=shape, dtype=dtype, value=plain, str_value=repr(int(plain) if plain in (0, 1)
                                                             else plain),
    )  # fmt: skip
    return made


def cast(value: Variable, dtype: VarType) -> Variable:
    """Records a conversion to another element type where it is one."""
    if value.dtype is dtype:
        return value
    made: Variable = C.cast(value, in_dtype=int(value.dtype), out_dtype=int(dtype))
    return made


def as_number(value: Any) -> Any:
    """Marks a Variable as one that stands for a number of Python, and returns it."""
    if isinstance(value, Variable):
        value._weak = True
    return value


def is_weak(value: Any) -> bool:
    """Says whether a value is a number of Python, or a Variable that stands for one."""
    return is_number(value) or (isinstance(value, Variable) and value._weak)


def truth(value: Any, what: str = "a condition") -> Variable:
    """Returns one boolean of a Program for a symbolic value.

    Raises:
        ValueError: it has more than one element.
    """
    var = variable(value)
    if is_array(var):
        from paddle.tensor.array import array_length

        made: Variable = array_length(var) > 0
        return made
    if any(n not in (1, -1) for n in var.shape):
        raise InvalidArgumentError(
            f"{what} is expected to have one element, but the Tensor has shape "
            f"{list(var.shape)}.{location()}",
            hint="reduce it by paddle.all or paddle.any",
        )
    return cast(var, VarType.BOOL)


def location() -> str:
    """The user's line, as the end of a message."""
    found = user_location()
    return f"\n  {found}" if found else ""


def line() -> str:
    """The user's line as a few words: ``line 7 of model.py``."""
    found = user_location()
    if found is None:
        return "an unknown line"
    return f"line {found.line} of {found.file.rsplit('/', 1)[-1]}"


def described(value: Any) -> str:
    """A few words that say what a value is."""
    if is_undefined(value):
        return "not assigned"
    if isinstance(value, Variable) and value.type == VarType.LOD_TENSOR_ARRAY:
        return f"a tensor array of {dtype_name(value.dtype)}"
    if isinstance(value, (Variable, Tensor)):
        return f"a {dtype_name(value.dtype)} Tensor of shape {list(value.shape)}"
    if value is None:
        return "None"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)} values"
    if isinstance(value, dict):
        return f"a dict with the keys {list(value)}"
    return f"{type(value).__name__} {value!r:.60}"


def names_of(function: Callable, skip: int = 0) -> list[str]:
    """The names of a generated function's parameters: those of the variables it carries."""
    given = getattr(function, "carried_names", None)
    if given is not None:
        return list(given)
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        raise TypeError(
            f"expected a function as a branch or a body, but received {function!r:.60}."
        )
    return list(code.co_varnames[skip : code.co_argcount])


def used_after(function: Callable, names: list[str]) -> list[bool]:
    """Says for each variable that a loop's body carries whether it may be read after the loop."""
    from paddle.jit.rewriting.source import unused_after

    unused = unused_after(function)
    return [name not in unused for name in names]


def block() -> Any:
    """The block to which operators are being added."""
    return default_main_program().current_block()
