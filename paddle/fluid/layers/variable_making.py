"""Layers that make variables and parameters, and write into them."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from paddle.core.dtype import VarType, dtype_name, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.tensor import Tensor
from paddle.fluid.layers.common import (
    API,
    is_static,
    is_value,
)  # fmt: skip
from paddle.fluid.layers.results import recorded, stored
from paddle.fluid.mode import settle_static
from paddle.incubate.layer_helper import LayerHelper
from paddle.nn.layer.parameters import make_parameter
from paddle.static import variables

__all__ = [
    "assign", "autoincreased_step_counter", "create_global_var", "create_parameter",
    "create_tensor",
]  # fmt: skip

_PAST = {"bool": "bool_values", "float32": "fp32_values", "int32": "int32_values",
         "int64": "int64_values"}  # fmt: skip
_LARGEST = 1024 * 1024  # elements of an array that a Program holds


def assign(input: Any, output: Any = None) -> Any:
    """A copy of a Tensor, or a Tensor of an array's numbers.

    Args:
        input (Variable|np.ndarray): what is copied; an array of bool, float32, int32 or int64,
            and of float64, which becomes float32.
        output (Variable, optional): takes the result.

    Returns:
        Variable: the copy.

    Raises:
        TypeError: another kind of input.
        ValueError: an array too large for a Program.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.assign(x).shape)  # (2, 3)
    """
    if is_value(input):
        if output is not None and is_static():
            return recorded(output, "assign", [input], {})
        return stored(output, LayerHelper("assign").call("assign", input))
    if not isinstance(input, np.ndarray):
        raise TypeError(
            f"{API}assign(input): expected a Variable or an array, "
            f"but received {type(input).__name__}."
        )
    kind = "float32" if input.dtype == np.float64 else str(input.dtype)
    if kind not in _PAST:
        raise TypeError(
            f"{API}assign(input): expected an array of {', '.join(_PAST)}, "
            f"but received {input.dtype}."
        )
    if input.size > _LARGEST:
        raise InvalidArgumentError(
            f"{API}assign(input): expected at most {_LARGEST} elements, since the Program holds "
            f"them, but received {input.size}."
        )
    numbers = input.astype(kind).reshape(-1).tolist()
    attrs = {"shape": list(input.shape), "dtype": int(to_vartype(kind)), _PAST[kind]: numbers}
    if output is not None and is_static():
        return recorded(output, "assign_value", [], attrs)
    return stored(output, LayerHelper("assign").call("assign_value", **attrs))


def create_tensor(dtype: Any, name: str | None = None, persistable: bool = False) -> Any:
    """A variable without contents, for a result.

    Args:
        dtype (str|VarType): its element type.
        name (str, optional): its name.
        persistable (bool): it outlives a run. Default: False.

    Returns:
        Variable: in dynamic mode an empty Tensor.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            print(fluid.layers.create_tensor("float32").name)  # create_tensor_0
            paddle.disable_static()
    """
    helper = LayerHelper("create_tensor", name=name)
    if not is_static():
        made = Tensor(np.zeros([0], dtype_name(to_vartype(dtype))))
        made.name, made.persistable = helper.name, bool(persistable)
        return made
    return helper.create_variable(
        name=helper.name, dtype=to_vartype(dtype), persistable=bool(persistable)
    )


def create_parameter(
    shape: Any, dtype: Any, name: str | None = None, attr: Any = None, is_bias: bool = False,
    default_initializer: Any = None,
) -> Any:  # fmt: skip
    """A parameter for an operator of one's own.

    Args:
        shape (list[int]): its shape.
        dtype (str): its element type.
        name (str, optional): its name.
        attr (ParamAttr, optional): how it is made.
        is_bias (bool): it starts at zero. Default: False.
        default_initializer (Initializer, optional): where ``attr`` has none.

    Returns:
        Parameter: the parameter.

    Raises:
        TypeError: a size is no integer.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.create_parameter([2, 3], "float32").shape)  # (2, 3)
    """
    helper = LayerHelper("create_parameter", param_attr=attr)
    given = helper.param_attr
    if name is not None and given is not False and not given.name:
        given = copy.copy(given)
        given.name = name
    return make_parameter(shape, given, dtype, is_bias, default_initializer, helper.name)


def create_global_var(
    shape: Any, value: Any, dtype: Any, persistable: bool = False, force_cpu: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """A variable of the global block that the startup Program fills with one number.

    Args:
        shape (list[int]): its shape.
        value (float): the number.
        dtype (str): its element type.
        persistable (bool): it outlives a run. Default: False.
        force_cpu (bool): kept in the Program. Default: False.
        name (str, optional): its name.

    Returns:
        Variable: without gradient.

    Raises:
        ValueError: unknown sizes, or a number that does not fit the dtype.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.create_global_var([2], 1.0, "float32").shape)  # (2,)
    """
    settle_static("fluid.layers.create_global_var")
    return variables.create_global_var(shape, value, dtype, persistable, force_cpu, name)


def autoincreased_step_counter(
    counter_name: str | None = None, begin: int = 1, step: int = 1
) -> Any:
    """A variable that counts the runs of the Program.

    Args:
        counter_name (str, optional): its name; None means ``@STEP_COUNTER@``.
        begin (int): the number in the first run. Default: 1.
        step (int): what each run adds. Default: 1.

    Returns:
        Variable: ``[1]``, int64.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.autoincreased_step_counter().shape)  # (1,)
    """
    settle_static("fluid.layers.autoincreased_step_counter")
    helper = LayerHelper("global_step_counter")
    name = "@STEP_COUNTER@" if counter_name is None else counter_name
    counter, new = helper.create_or_get_global_variable(
        name=name, dtype=VarType.INT64, shape=[1], persistable=True
    )
    if new:
        variables.fill(counter, begin - 1, force_cpu=True)
        helper.main_program.global_block()._prepend_op(
            type="increment", inputs={"X": [counter]}, outputs={"Out": [counter]},
            attrs={"step": float(step)},
        )  # fmt: skip
        counter.stop_gradient = True
    return counter


guard_module(globals())
