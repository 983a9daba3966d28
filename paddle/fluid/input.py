"""fluid.embedding and fluid.one_hot: ids of any shape, nothing dropped."""

from __future__ import annotations

from typing import Any

from paddle.fluid.layers.common import both_modes, is_value
from paddle.fluid.layers.nn_linear import look_up
from paddle.incubate.layer_helper import LayerHelper

__all__ = ["embedding", "one_hot"]


@both_modes
def embedding(
    input: Any, size: Any, is_sparse: bool = False, is_distributed: bool = False,
    padding_idx: int | None = None, param_attr: Any = None, dtype: Any = "float32",
) -> Any:  # fmt: skip
    """A table of vectors, and the rows that ids name; a dimension for the row is put behind.

    Args:
        input (Variable): int64 ids of any shape.
        size (list[int]): the number of rows and their length.
        is_sparse (bool): the gradient is of the rows that occur. Default: False.
        is_distributed (bool): parameter servers keep the table; one process keeps it as with
            ``is_sparse``. Default: False.
        padding_idx (int, optional): a row that gives zeros; negative counts from the end.
        param_attr (ParamAttr, optional): the table.
        dtype (str): its element type. Default: float32.

    Returns:
        Variable: the shape of ``input`` and the length of a row.

    Raises:
        ValueError: the size or ``padding_idx`` does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            ids = fluid.data("ids", [None, 7], "int64")
            print(fluid.embedding(ids, size=[100, 16]).shape)  # (-1, 7, 16)
            paddle.disable_static()
    """
    return look_up("lookup_table_v2", input, size, is_sparse, is_distributed, padding_idx,
                   param_attr, dtype)  # fmt: skip


def one_hot(input: Any, depth: Any, allow_out_of_range: bool = False) -> Any:
    """Rows with a 1 where the id says, else 0; a dimension of ``depth`` is put behind.

    Args:
        input (Variable): integer ids.
        depth (int|Variable): how many there are.
        allow_out_of_range (bool): other ids give a row of zeros. Default: False.

    Returns:
        Variable: float32.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            ids = fluid.data("ids", [None], "int64")
            print(fluid.one_hot(ids, 4).shape)  # (-1, 4)
            paddle.disable_static()
    """
    return one_hot_by("one_hot_v2", input, depth, allow_out_of_range)


def one_hot_by(operator: str, ids: Any, depth: Any, allow_out_of_range: bool) -> Any:
    """Calls the operator of either generation, with the depth as a number or a Tensor."""
    helper = LayerHelper(operator)
    if is_value(depth):
        depth.stop_gradient = True
        return helper.call(operator, ids, depth, allow_out_of_range=bool(allow_out_of_range))
    return helper.call(
        operator, ids, None, depth=int(depth), allow_out_of_range=bool(allow_out_of_range)
    )
