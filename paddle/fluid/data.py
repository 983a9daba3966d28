"""fluid.data: an input of a Program whose fed arrays are checked against its shape."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType, to_vartype
from paddle.fluid.mode import settle_static
from paddle.ir.current import default_main_program
from paddle.ir.variable import Variable

__all__ = ["data"]


def data(name: str, shape: Any, dtype: Any = "float32", lod_level: int = 0) -> Variable:
    """Declares an input of the default main Program; what is fed has to have its shape.

    Args:
        name (str): its name, the key in ``feed``.
        shape (list|tuple): its sizes; None or -1 where any size may be fed.
        dtype (str|VarType): its element type. Default: float32.
        lod_level (int): number of LoD levels; 0 for a dense tensor. Default: 0.

    Returns:
        Variable: the input.

    Raises:
        TypeError: the name is no string, the shape no list, or a size no integer.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data(name="x", shape=[None, 3], dtype="float32")
            print(x.shape)  # (-1, 3)
            paddle.disable_static()
    """
    settle_static("fluid.data")
    return declare("fluid.data", name, shape, dtype, lod_level, need_check_feed=True)


def declare(
    api: str, name: str, shape: Any, dtype: Any, lod_level: int, *,
    need_check_feed: bool, kind: Any = VarType.LOD_TENSOR, stop_gradient: bool = True,
) -> Variable:  # fmt: skip
    """Adds an input to the default main Program, after a look at the arguments."""
    if not isinstance(name, str):
        raise TypeError(f"{api}(name): expected a str, but received {type(name).__name__}.")
    if not isinstance(shape, (list, tuple)):
        raise TypeError(
            f"{api}(shape): expected a list or tuple, but received {type(shape).__name__}."
        )
    block = default_main_program().global_block()
    return block.create_var(
        name=name, shape=[-1 if size is None else size for size in shape], type=kind,
        dtype=to_vartype(dtype), lod_level=lod_level, stop_gradient=stop_gradient, is_data=True,
        need_check_feed=need_check_feed,
    )  # fmt: skip
