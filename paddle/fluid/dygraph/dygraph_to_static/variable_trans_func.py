"""Variables that 1.x's converter puts in place of Python's values."""

from __future__ import annotations

from typing import Any

from paddle.core.mode import recording
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.ir.current import default_main_program
from paddle.ir.variable import Variable
from paddle.tensor.creation import full

__all__ = ["create_bool_as_type", "data_layer_not_check", "to_static_variable"]


def data_layer_not_check(
    name: str, shape: Any, dtype: Any = "float32", lod_level: int = 0
) -> Variable:
    """Makes a variable to be fed, of which shape and type are not checked.

    Args:
        name (str): its name.
        shape (list[int]): its shape; None and -1 stand for any size.
        dtype (str): Default: float32.
        lod_level (int): levels of sequences. Default: 0.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            from paddle.fluid.dygraph.dygraph_to_static import data_layer_not_check
            paddle.enable_static()
            print(data_layer_not_check("x", [None, 2]).shape)  # (-1, 2)
            paddle.disable_static()
    """
    sizes = [-1 if size is None else size for size in shape]
    return default_main_program().global_block().create_var(
        name=name, shape=sizes, dtype=dtype, lod_level=lod_level, stop_gradient=True,
        is_data=True, need_check_feed=False,
    )  # fmt: skip


def to_static_variable(x: Any) -> Any:
    """Makes a constant of a Python number; anything else stays as it is.

    Args:
        x (bool|int|float|object): the value.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.fluid.dygraph.dygraph_to_static import to_static_variable
            paddle.enable_static()
            print(to_static_variable(2.0).shape)  # (1,)
            paddle.disable_static()
    """
    for kind, dtype in ((bool, "bool"), (float, "float64"), (int, "int64")):
        if isinstance(x, kind):
            return full([1], x, dtype)
    return x


def create_bool_as_type(x: Any, value: bool = True) -> Any:
    """Returns a truth value: a Variable where ``x`` is one, else Python's.

    Args:
        x (Variable|object): whose kind is taken.
        value (bool): Default: True.

    Examples:
        .. code-block:: python

            from paddle.fluid.dygraph.dygraph_to_static import create_bool_as_type
            print(create_bool_as_type(3, False))  # False
    """
    if isinstance(x, Variable) or (isinstance(x, Tensor) and recording()):
        return C.fill_constant(shape=[1], dtype="bool", value=value)
    return value
