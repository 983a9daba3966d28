"""What layers of 1.x share: sizes with Tensors among them, results in given variables."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from paddle.core import unique_name
from paddle.core.dtype import VarType, dtype_name, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.ir.current import default_main_program
from paddle.ir.recording.context import layer_name
from paddle.ir.variable import Variable
from paddle.static.nn.helper import on_behalf_of

API = "fluid.layers."


def is_value(given: Any) -> bool:
    """Whether something is a Tensor of either mode."""
    return isinstance(given, (Tensor, Variable))


def check_value(api: str, argument: str, given: Any) -> Any:
    """Returns an argument that has to be a Tensor of either mode."""
    if not is_value(given):
        raise TypeError(
            f"{API}{api}({argument}): expected a Variable, but received {type(given).__name__}."
        )
    return given


def listed(given: Any) -> list[Any]:
    """One thing, or a list or tuple of them, as a list."""
    return list(given) if isinstance(given, (list, tuple)) else [given]


def both_modes(function: Callable) -> Callable:
    """Lets a function call layers of paddle.static.nn, in dynamic mode too, in its own name."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        with on_behalf_of(API):
            return function(*args, **kwargs)

    return called


class Sizes(NamedTuple):
    """A list of integers that may hold Tensors.

    Attributes:
        ints (list[int]): the numbers, with a mark where a Variable says it.
        whole (Variable|None): what holds them all.
        parts (list[Variable]|None): a Variable for each.
    """

    ints: list[int]
    whole: Any = None
    parts: list[Any] | None = None


def sizes(
    name: str, given: Any, api: str, argument: str, mark: int = -1, dtype: VarType = VarType.INT32
) -> Sizes:
    """Reads integers from a list, in which some may be Tensors, or from one Tensor.

    Args:
        name (str): of the layer, after which the Variables for numbers are named.
        given (list|Tensor): the integers.
        api (str): the function, for errors.
        argument (str): its argument, for errors.
        mark (int): what stands among the numbers where a Variable says it. Default: -1.
        dtype (VarType): of the Variables that are made for numbers. Default: INT32.
    """
    if isinstance(given, Tensor):
        return Sizes([int(v) for v in np.asarray(given.numpy()).reshape(-1)])
    if isinstance(given, Variable):
        return Sizes([], given)
    if not isinstance(given, (list, tuple, np.ndarray)):
        raise TypeError(
            f"{API}{api}({argument}): expected a list, a tuple or a Variable, "
            f"but received {type(given).__name__}."
        )
    wrong = [v for v in given if isinstance(v, (str, float, bool)) or v is None]
    if wrong:
        raise TypeError(f"{API}{api}({argument}): expected integers, but received {wrong[0]!r}.")
    if not any(isinstance(v, Variable) for v in given):
        return Sizes([int(v) for v in given])
    ints = [mark if isinstance(v, Variable) else int(v) for v in given]
    parts = [v if isinstance(v, Variable) else constant(name, int(v), dtype) for v in given]
    return Sizes(ints, None, parts)


def constant(name: str, value: int, dtype: VarType) -> Any:
    """Records one number, in the way of the layers that need it as a Variable."""
    with layer_name(name):
        return C.fill_constant(
            None, None, None, shape=[1], dtype=int(dtype), value=float(value),
            str_value=str(value), force_cpu=True,
        )  # fmt: skip


def filled(shape: list[int], value: float, dtype: Any, name: str | None = None) -> Any:
    """A Tensor of one number, as ``fill_constant`` makes it."""
    kind = to_vartype(dtype)
    name = unique_name.generate("fill_constant") if name is None else name
    with layer_name(name):
        return C.fill_constant(
            None, None, None, shape=shape, dtype=int(kind), value=float(value),
            str_value=digits(value, kind), force_cpu=False,
        )  # fmt: skip


def digits(value: Any, dtype: Any) -> str:
    """A number as text: operators keep it beside the float, which is too coarse for integers."""
    if dtype_name(to_vartype(dtype)).startswith(("int", "uint")):
        return str(int(value))
    return str(float(value))


def fresh(name: str, dtype: Any = VarType.FP32) -> Variable:
    """A variable of the current block for a result, made before the operator that fills it."""
    block = default_main_program().current_block()
    return block.create_var(name=unique_name.generate(name + ".tmp"), dtype=to_vartype(dtype))


def known(api: str, argument: str, given: Any, axis: int) -> int:
    """A size of a Tensor that has to be known as the layer is made."""
    size = given.shape[axis]
    if size < 0:
        raise InvalidArgumentError(
            f"{API}{api}({argument}): expected a known size of dimension {axis}, "
            f"but received shape {list(given.shape)}."
        )
    return int(size)


def is_static() -> bool:
    """Whether layers are recorded."""
    return recording()
