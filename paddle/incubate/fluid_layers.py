"""The few functions of 1.x's ``fluid.layers`` that libraries written for 2.0 go on calling.

They have the parameters of 1.x, and are found as ``paddle.fluid.layers.NAME`` as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddle.core.dtype import to_vartype
from paddle.core.op import C

__all__ = ["expand_as", "fill_constant_batch_size_like", "matmul", "where"]


def expand_as(x: Any, target_tensor: Any, name: str | None = None) -> Any:
    """Repeats a Tensor along its dimensions until it has the shape of another one.

    Args:
        x (Tensor): of as many dimensions as the other; each size divides the other's.
        target_tensor (Tensor): gives the shape.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``target_tensor``.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.incubate.fluid_layers import expand_as
            x = paddle.to_tensor([[1, 2]])
            print(expand_as(x, paddle.zeros([2, 4])).tolist())  # [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    return C.expand_as(x, target_tensor)


def fill_constant_batch_size_like(
    input: Any, shape: Sequence[int], dtype: Any, value: float, input_dim_idx: int = 0,
    output_dim_idx: int = 0, force_cpu: bool = False,
) -> Any:  # fmt: skip
    """Makes a Tensor of one value whose size along one dimension is another Tensor's.

    Args:
        input (Tensor): gives the size.
        shape (list[int]): the shape; its size at ``output_dim_idx`` is replaced.
        dtype (str|VarType): the element type.
        value (float): the value.
        input_dim_idx (int): the dimension of ``input`` that gives the size. Default: 0.
        output_dim_idx (int): the dimension that gets it. Default: 0.
        force_cpu (bool): the result lies on the CPU. Default: False.

    Returns:
        Tensor: without gradient.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.incubate.fluid_layers import fill_constant_batch_size_like as fill
            print(fill(paddle.ones([3, 7]), shape=[-1, 2], dtype="int64", value=5).shape)  # [3, 2]
    """
    return C.fill_constant_batch_size_like(
        input, shape=list(shape), dtype=int(to_vartype(dtype)), value=float(value),
        input_dim_idx=input_dim_idx, output_dim_idx=output_dim_idx, force_cpu=force_cpu,
    )  # fmt: skip


def matmul(
    x: Any, y: Any, transpose_x: bool = False, transpose_y: bool = False, alpha: float = 1.0,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Returns a matrix product times a number; see :func:`paddle.matmul`.

    Args:
        x (Tensor): of shape ``[..., m, k]``.
        y (Tensor): of shape ``[..., k, n]``.
        transpose_x (bool): swap the last two dimensions of ``x`` first. Default: False.
        transpose_y (bool): swap the last two dimensions of ``y`` first. Default: False.
        alpha (float): the number. Default: 1.0.
        name (str, optional): has no effect.

    Returns:
        Tensor: of shape ``[..., m, n]``.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.incubate.fluid_layers import matmul
            x = paddle.ones([2, 3])
            print(matmul(x, x, transpose_y=True, alpha=0.5).tolist())  # [[1.5, 1.5], [1.5, 1.5]]
    """
    return C.matmul(x, y, transpose_X=transpose_x, transpose_Y=transpose_y, alpha=float(alpha))


def where(condition: Any) -> Any:
    """Returns the positions where a condition holds.

    Args:
        condition (Tensor): bool, of n dimensions.

    Returns:
        Tensor: int64, of shape ``[positions, n]``.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.incubate.fluid_layers import where
            print(where(paddle.to_tensor([False, True])).tolist())  # [[1]]
    """
    return C.where_index(condition)
