"""Functions that find, order and pick elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType, to_vartype
from paddle.core.errors import InvalidArgumentError, check_tensors
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.dims import is_variable, read_int, wrong_type

__all__ = [
    "argmax", "argmin", "argsort", "index_sample", "index_select", "masked_select", "nonzero",
    "sort", "topk", "where",
]  # fmt: skip


def argsort(x: Tensor, axis: int = -1, descending: bool = False, name: str | None = None) -> Tensor:
    """Returns the positions of the elements in sorted order; equal ones keep their order.

    Args:
        x (Tensor): any Tensor of numbers.
        axis (int, optional): sorted along this dimension. Default: -1.
        descending (bool, optional): largest first. Default: False.
        name (str, optional): has no effect.

    Returns:
        Tensor: int64, of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([3.0, 1.0, 2.0])
            print(paddle.argsort(x).tolist())  # [1, 2, 0]
    """
    return C.argsort(x, axis=read_int(axis, "argsort", "axis"), descending=bool(descending))[1]


def sort(x: Tensor, axis: int = -1, descending: bool = False, name: str | None = None) -> Tensor:
    """Returns the elements in sorted order.

    Args:
        x (Tensor): any Tensor of numbers.
        axis (int, optional): sorted along this dimension. Default: -1.
        descending (bool, optional): largest first. Default: False.
        name (str, optional): has no effect.

    Returns:
        Tensor: like ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([3.0, 1.0, 2.0])
            print(paddle.sort(x, descending=True).tolist())  # [3.0, 2.0, 1.0]
    """
    return C.argsort(x, axis=read_int(axis, "sort", "axis"), descending=bool(descending))[0]


def topk(
    x: Tensor, k: Any, axis: int | None = None, largest: bool = True, sorted: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Returns the largest (or smallest) elements along a dimension, and where they are.

    Args:
        x (Tensor): any Tensor of numbers.
        k (int|Tensor): how many.
        axis (int, optional): the dimension; None means the last one. Default: None.
        largest (bool, optional): False returns the smallest ones. Default: True.
        sorted (bool, optional): whether they come in order. Default: True.
        name (str, optional): has no effect.

    Returns:
        tuple[Tensor, Tensor]: the values and their int64 positions.

    Examples:
        .. code-block:: python

            import paddle
            values, indices = paddle.topk(paddle.to_tensor([1.0, 4.0, 5.0, 7.0]), k=2)
            print(values.tolist(), indices.tolist())  # [7.0, 5.0] [3, 2]
    """
    axis = -1 if axis is None else read_int(axis, "topk", "axis")
    if is_variable(k):
        return C.top_k_v2(x, k, axis=axis, largest=largest, sorted=sorted)
    k = read_int(k, "topk", "k")
    return C.top_k_v2(x, k=k, axis=axis, largest=largest, sorted=sorted)


def argmax(
    x: Tensor, axis: int | None = None, keepdim: bool = False, dtype: Any = "int64",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns the position of the largest element, the first one where there are several.

    Args:
        x (Tensor): any Tensor of numbers.
        axis (int, optional): along this dimension; None means in the flattened Tensor.
            Default: None.
        keepdim (bool, optional): whether the dimension stays, with size 1. Default: False.
        dtype (str|np.dtype, optional): int32 or int64. Default: int64.
        name (str, optional): has no effect.

    Returns:
        Tensor: positions.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[5, 8, 9], [0, 6, 1]])
            print(paddle.argmax(x).tolist())  # [2]
            print(paddle.argmax(x, axis=1).tolist())  # [2, 1]
    """
    return _arg("argmax", C.arg_max, x, axis, keepdim, dtype)


def argmin(
    x: Tensor, axis: int | None = None, keepdim: bool = False, dtype: Any = "int64",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns the position of the smallest element, the first one where there are several.

    Args:
        x (Tensor): any Tensor of numbers.
        axis (int, optional): along this dimension; None means in the flattened Tensor.
            Default: None.
        keepdim (bool, optional): whether the dimension stays, with size 1. Default: False.
        dtype (str|np.dtype, optional): int32 or int64. Default: int64.
        name (str, optional): has no effect.

    Returns:
        Tensor: positions.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[5, 8, 9], [0, 6, 1]])
            print(paddle.argmin(x).tolist())  # [3]
            print(paddle.argmin(x, axis=0).tolist())  # [1, 1, 1]
    """
    return _arg("argmin", C.arg_min, x, axis, keepdim, dtype)


def _arg(api: str, run: Any, x: Tensor, axis: Any, keepdim: bool, dtype: Any) -> Tensor:
    if dtype is None:
        raise wrong_type(api, "dtype", dtype, "int32 or int64")
    kind = to_vartype(dtype)
    if kind not in (VarType.INT32, VarType.INT64):
        raise TypeError(f"{api}(dtype): expected int32 or int64, but received {dtype!r}.")
    if axis is None:
        return run(x, axis=0, keepdims=keepdim, flatten=True, dtype=kind)
    return run(x, axis=read_int(axis, api, "axis"), keepdims=keepdim, flatten=False, dtype=kind)


def where(condition: Tensor, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Chooses each element from ``x`` where a condition holds, else from ``y``.

    With the condition alone it is ``nonzero(condition, as_tuple=True)``.

    Args:
        condition (Tensor): bool.
        x (Tensor|number): of a shape that broadcasts with the others.
        y (Tensor|number): of the type of ``x``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape all three broadcast to; or a tuple, the positions along each dimension
        as shape [N, 1].

    Raises:
        ValueError: only one of ``x`` and ``y`` is given.

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.to_tensor([0.9, 3.2]), paddle.to_tensor([1.0, 1.0])
            print(paddle.where(x > 1, x, y).numpy())  # [1.  3.2]
            print(paddle.where(x > 1)[0].numpy())  # [[1]]
    """
    if x is None or y is None:
        if x is not None or y is not None:
            missing = "x" if x is None else "y"
            raise InvalidArgumentError(
                f"where({missing}): expected both x and y or neither of them, but received None."
            )
        return nonzero(condition, as_tuple=True)
    if isinstance(x, (int, float, np.number)) or isinstance(y, (int, float, np.number)):
        x, y = _numbers(x, y)
    if is_variable(condition):
        check_tensors("where", x=x, y=y)
        condition, x, y = _of_one_shape(condition, x, y)
    return C.where(condition, x, y)


def _of_one_shape(*values: Any) -> Any:
    """Expands Variables to the largest of them: PaddlePaddle's own operator does not."""
    whole = max(values, key=lambda v: (len(v.shape), sum(n != 1 for n in v.shape)))
    pairs = [p for v in values for p in zip(v.shape[::-1], whole.shape[::-1], strict=False)]
    if any(n not in (1, m) for n, m in pairs):
        return values  # none of them has the result's shape, or that is not known yet
    return [v if v.shape == whole.shape else C.expand_as_v2(v, whole) for v in values]


def _numbers(x: Any, y: Any) -> tuple[Any, Any]:
    """Turns numbers among two operands into Tensors of the other one's type."""
    from paddle.tensor.creation import full

    plain = (bool, int, float, np.number)
    if isinstance(x, plain) and isinstance(y, plain):
        kind = None if isinstance(x, float) or isinstance(y, float) else "int64"
        return full([1], x, kind), full([1], y, kind)
    if isinstance(x, plain):
        check_tensors("where", y=y)
        return full([1], x, y.dtype), y
    check_tensors("where", x=x)
    return x, full([1], y, x.dtype)


def nonzero(x: Tensor, as_tuple: bool = False) -> Any:
    """Returns the positions of all elements that are not 0.

    Args:
        x (Tensor): any Tensor.
        as_tuple (bool, optional): whether each dimension gets a Tensor of its own.
            Default: False.

    Returns:
        Tensor or tuple[Tensor]: int64 of shape [n, rank], or one Tensor of shape [n, 1] for each
        dimension.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 0.0], [0.0, 2.0]])
            print(paddle.nonzero(x).tolist())  # [[0, 0], [1, 1]]
            rows, columns = paddle.nonzero(x, as_tuple=True)
            print(rows.tolist(), columns.tolist())  # [[0], [1]] [[0], [1]]
    """
    found = C.where_index(x)
    if not as_tuple:
        return found
    rank = len(x.shape)
    return (found,) if rank == 1 else tuple(C.split(found, num=rank, axis=1))


def index_select(x: Tensor, index: Tensor, axis: int = 0, name: str | None = None) -> Tensor:
    """Takes entries of a Tensor along a dimension.

    Args:
        x (Tensor): any Tensor.
        index (Tensor): int32 or int64 positions, of 1 dimension.
        axis (int, optional): the dimension. Default: 0.
        name (str, optional): has no effect.

    Returns:
        Tensor: like ``x``, with as many entries along ``axis`` as ``index`` has.

    Raises:
        IndexError: a position lies outside of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
            index = paddle.to_tensor([2, 0])
            print(paddle.index_select(x, index, axis=1).tolist())  # [[3, 1], [6, 4]]
    """
    return C.index_select(x, index, dim=read_int(axis, "index_select", "axis"))


def index_sample(x: Tensor, index: Tensor) -> Tensor:
    """Takes from every row elements at positions of its own.

    Args:
        x (Tensor): of shape [rows, columns].
        index (Tensor): int32 or int64 column numbers, of shape [rows, n].

    Returns:
        Tensor: of shape [rows, n].

    Raises:
        IndexError: a position lies outside of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
            index = paddle.to_tensor([[0, 2], [1, 1]])
            print(paddle.index_sample(x, index).tolist())  # [[1, 3], [5, 5]]
    """
    return C.index_sample(x, index)


def masked_select(x: Tensor, mask: Tensor, name: str | None = None) -> Tensor:
    """Returns the elements for which a mask is True, one after the other.

    Args:
        x (Tensor): any Tensor.
        mask (Tensor): bool, of a shape that broadcasts with ``x``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of 1 dimension.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1, 2, 3])
            print(paddle.masked_select(x, x > 1).tolist())  # [2, 3]
    """
    return C.masked_select(x, mask)
