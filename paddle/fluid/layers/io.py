"""fluid.layers.data: an input of a Program by the shape of one sample."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType
from paddle.core.guards import guard_module
from paddle.fluid.data import declare
from paddle.fluid.mode import settle_static
from paddle.ir.variable import Variable

__all__ = ["data"]


def data(
    name: str, shape: Any, append_batch_size: bool = True, dtype: Any = "float32",
    lod_level: int = 0, type: Any = VarType.LOD_TENSOR, stop_gradient: bool = True,
) -> Variable:  # fmt: skip
    """Declares an input of the default main Program by the shape of a sample.

    A first dimension of unknown size is put in front of ``shape``, unless ``append_batch_size`` is
    False or a size is None or negative already. What is fed is not checked against the shape.

    Args:
        name (str): its name, the key in ``feed``.
        shape (list|tuple): the sizes of a sample.
        append_batch_size (bool): whether the dimension of samples is put in front. Default: True.
        dtype (str|VarType): its element type. Default: float32.
        lod_level (int): number of LoD levels; 0 for a dense tensor. Default: 0.
        type (VarType): the kind of variable. Default: LOD_TENSOR.
        stop_gradient (bool): no gradient is computed for it. Default: True.

    Returns:
        Variable: the input.

    Raises:
        TypeError: the name is no string, the shape no list, or a size no integer.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.layers.data(name="x", shape=[3, 4])
            print(x.shape)  # (-1, 3, 4)
            paddle.disable_static()
    """
    settle_static("fluid.layers.data")
    sizes = list(shape) if isinstance(shape, (list, tuple)) else shape
    if isinstance(sizes, list) and append_batch_size:
        unknown = [i for i, size in enumerate(sizes) if size is None or size < 0]
        sizes = [-1 if size is None else size for size in sizes]
        if not unknown:
            sizes = [-1, *sizes]
    return declare(
        "fluid.layers.data", name, sizes, dtype, lod_level, need_check_feed=False, kind=type,
        stop_gradient=stop_gradient,
    )  # fmt: skip


guard_module(globals())
