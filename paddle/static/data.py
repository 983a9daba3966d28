"""paddle.static.data: a variable of a Program that is fed by every run."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import get_default_dtype, to_vartype
from paddle.core.guards import guard_module
from paddle.ir.current import default_main_program
from paddle.ir.variable import Variable

__all__ = ["data"]


def data(name: str, shape: Any, dtype: Any = None, lod_level: int = 0) -> Variable:
    """Declares an input of the default main Program.

    Args:
        name (str): its name, the key in ``feed``.
        shape (list|tuple): its sizes; None or -1 where any size may be fed.
        dtype (str|VarType, optional): its element type; None means the default type, float32.
        lod_level (int): number of LoD levels; 0 for a dense tensor. Default: 0.

    Returns:
        Variable: the input.

    Raises:
        TypeError: the name is no string, or a size no integer.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            x = paddle.static.data(name="x", shape=[None, 3], dtype="float32")
            print(x)  # var x : paddle.VarType.LOD_TENSOR.shape(-1, 3).astype(VarType.FP32)
            paddle.disable_static()
    """
    if not isinstance(name, str):
        raise TypeError(f"static.data(name): expected a str, but got {type(name).__name__}.")
    if not isinstance(shape, (list, tuple)):
        raise TypeError(
            f"static.data(shape): expected a list or tuple, but got {type(shape).__name__}."
        )
    return (
        default_main_program()
        .global_block()
        .create_var(
            name=name,
            shape=shape,
            dtype=to_vartype(get_default_dtype() if dtype is None else dtype),
            lod_level=lod_level,
            stop_gradient=True,
            is_data=True,
            need_check_feed=True,
        )
    )


guard_module(globals())
