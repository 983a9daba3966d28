"""Reading and writing at positions that index Tensors give: gather and scatter."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import check_tensors
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.dims import is_variable, read_dims, read_int
from paddle.tensor.inplace import replace


def gather(x: Tensor, index: Tensor, axis: Any = None, name: str | None = None) -> Tensor:
    """Takes entries of a Tensor along a dimension.

    Args:
        x (Tensor): any Tensor.
        index (Tensor): int32 or int64 positions, of shape [n] or [n, 1].
        axis (int|Tensor, optional): the dimension; None means 0. Default: None.
        name (str, optional): has no effect.

    Returns:
        Tensor: like ``x``, with n entries along ``axis``.

    Raises:
        IndexError: a position lies outside of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1, 2], [3, 4], [5, 6]])
            print(paddle.gather(x, paddle.to_tensor([2, 0])).tolist())  # [[5, 6], [1, 2]]
    """
    if axis is None:
        return C.gather(x, index, overwrite=False)
    if type(axis) is not int:
        if is_variable(axis):
            return C.gather(x, index, axis, overwrite=False)
        axis = read_int(axis, "gather", "axis")
    return C.gather(x, index, axis=axis, overwrite=False)


def gather_nd(x: Tensor, index: Tensor, name: str | None = None) -> Tensor:
    """Takes elements or slices of a Tensor at positions in its first dimensions.

    Args:
        x (Tensor): any Tensor.
        index (Tensor): int32 or int64, of shape [..., k] with k at most the rank of ``x``: k
            coordinates each.
        name (str, optional): has no effect.

    Returns:
        Tensor: of shape ``index.shape[:-1] + x.shape[k:]``.

    Raises:
        IndexError: a position lies outside of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1, 2], [3, 4]])
            print(paddle.gather_nd(x, paddle.to_tensor([[0, 1], [1, 0]])).tolist())  # [2, 3]
            print(paddle.gather_nd(x, paddle.to_tensor([[1]])).tolist())  # [[3, 4]]
    """
    return C.gather_nd(x, index)


def scatter(
    x: Tensor, index: Tensor, updates: Tensor, overwrite: bool = True, name: str | None = None
) -> Tensor:
    """Replaces rows of a Tensor, or sums into them.

    Args:
        x (Tensor): any Tensor.
        index (Tensor): int32 or int64 row numbers, of shape [n] or [n, 1].
        updates (Tensor): n rows.
        overwrite (bool, optional): True writes them, the last one where a row is named more than
            once. False sets the named rows to 0 and adds all updates. Default: True.
        name (str, optional): has no effect.

    Returns:
        Tensor: like ``x``.

    Raises:
        IndexError: a row number lies outside of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
            index = paddle.to_tensor([2, 1, 1])
            rows = paddle.to_tensor([[4.0, 4.0], [5.0, 5.0], [6.0, 6.0]])
            print(paddle.scatter(x, index, rows).tolist())  # [[1.0, 1.0], [6.0, 6.0], [4.0, 4.0]]
            added = paddle.scatter(x, index, rows, overwrite=False)
            print(added.tolist())  # [[1.0, 1.0], [11.0, 11.0], [4.0, 4.0]]
    """
    return C.scatter(x, index, updates, overwrite=overwrite)


def scatter_(
    x: Tensor, index: Tensor, updates: Tensor, overwrite: bool = True, name: str | None = None
) -> Tensor:
    """Replaces rows of ``x`` itself, or sums into them; see :func:`paddle.scatter`.

    Args:
        x (Tensor): the Tensor that is changed.
        index (Tensor): int32 or int64 row numbers.
        updates (Tensor): the rows.
        overwrite (bool, optional): whether rows are written or summed up. Default: True.
        name (str, optional): has no effect.

    Returns:
        Tensor: ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([2, 1])
            paddle.scatter_(x, paddle.to_tensor([1]), paddle.to_tensor([[7.0]]))
            print(x.tolist())  # [[0.0], [7.0]]
    """
    return replace(x, C.scatter(x, index, updates, overwrite=overwrite))


def scatter_nd_add(x: Tensor, index: Tensor, updates: Tensor, name: str | None = None) -> Tensor:
    """Adds to elements or slices at positions in the first dimensions.

    Args:
        x (Tensor): any Tensor.
        index (Tensor): int32 or int64, of shape [..., k]: k coordinates each.
        updates (Tensor): of shape ``index.shape[:-1] + x.shape[k:]``; all that name one position
            are added up.
        name (str, optional): has no effect.

    Returns:
        Tensor: like ``x``.

    Raises:
        IndexError: a position lies outside of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 1.0])
            index = paddle.to_tensor([[1], [1]])
            updates = paddle.to_tensor([2.0, 3.0])
            print(paddle.scatter_nd_add(x, index, updates).tolist())  # [1.0, 6.0]
    """
    return C.scatter_nd_add(x, index, updates)


def scatter_nd(index: Tensor, updates: Tensor, shape: Any, name: str | None = None) -> Tensor:
    """Adds to elements or slices of a Tensor of zeros; see :func:`paddle.scatter_nd_add`.

    Args:
        index (Tensor): int32 or int64, of shape [..., k]: k coordinates each.
        updates (Tensor): of shape ``index.shape[:-1] + shape[k:]``.
        shape (list|tuple|Tensor): of the result.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the given shape, of the type of ``updates``.

    Examples:
        .. code-block:: python

            import paddle
            index = paddle.to_tensor([[1], [3]])
            updates = paddle.to_tensor([9.0, 8.0])
            print(paddle.scatter_nd(index, updates, [4]).tolist())  # [0.0, 9.0, 0.0, 8.0]
    """
    check_tensors("scatter_nd", updates=updates)
    ints, whole, parts = read_dims(shape, "scatter_nd", "shape")
    zeros = C.fill_constant(None, whole, parts, shape=ints, dtype=updates.dtype, value=0.0)
    return C.scatter_nd_add(zeros, index, updates)
