"""Joining tensors and taking them apart: concat, stack, split, chunk, unstack, unbind."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.array import is_array, join_array
from paddle.tensor.dims import is_variable, read_dims, read_int, wrong_type


def concat(x: Any, axis: Any = 0, name: str | None = None) -> Tensor:
    """Joins tensors along a dimension that they have.

    Args:
        x (list[Tensor]|tuple[Tensor]): of one data type, equal in every other dimension; in a
            static Program also a tensor array.
        axis (int|Tensor, optional): the dimension. Default: 0.
        name (str, optional): has no effect.

    Returns:
        Tensor: as large along ``axis`` as all of them together.

    Raises:
        ValueError: shapes or data types differ.

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.ones([2, 1]), paddle.zeros([2, 2])
            print(paddle.concat([x, y], axis=1).tolist())  # [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    if type(x) is not list and type(x) is not tuple:
        if is_array(x):
            return join_array(x, read_int(axis, "concat", "axis"))
        raise wrong_type("concat", "x", x, "a list of Tensors")
    if type(axis) is not int:
        if is_variable(axis):
            return C.concat(x, axis)
        axis = read_int(axis, "concat", "axis")
    return C.concat(x, axis=axis)


def stack(x: Any, axis: int = 0, name: str | None = None) -> Tensor:
    """Joins tensors along a new dimension.

    Args:
        x (list[Tensor]|tuple[Tensor]): of one shape and data type; in a static Program also a
            tensor array.
        axis (int, optional): where the new dimension comes. Default: 0.
        name (str, optional): has no effect.

    Returns:
        Tensor: with one dimension more.

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])
            print(paddle.stack([x, y], axis=1).tolist())  # [[1, 3], [2, 4]]
    """
    if type(x) is not list and type(x) is not tuple:
        if is_array(x):
            return join_array(x, read_int(axis, "stack", "axis"), stack=True)
        raise wrong_type("stack", "x", x, "a list of Tensors")
    if type(axis) is not int:
        axis = read_int(axis, "stack", "axis")
    return C.stack(x, axis=axis)


def split(x: Tensor, num_or_sections: Any, axis: Any = 0, name: str | None = None) -> list[Tensor]:
    """Cuts a Tensor into parts along a dimension.

    Args:
        x (Tensor): any Tensor.
        num_or_sections (int|list|tuple): the number of equal parts, or their sizes; one size may
            be -1 and is worked out, entries may be Tensors of one integer.
        axis (int|Tensor, optional): the dimension. Default: 0.
        name (str, optional): has no effect.

    Returns:
        list[Tensor]: the parts.

    Raises:
        ValueError: the dimension cannot be divided so.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([3, 9, 5])
            print([part.shape[1] for part in paddle.split(x, 3, axis=1)])  # [3, 3, 3]
            print([part.shape[1] for part in paddle.split(x, [2, 3, -1], axis=1)])  # [2, 3, 4]
    """
    whole = None
    if type(axis) is not int:
        if is_variable(axis):
            axis, whole = 0, axis
        else:
            axis = read_int(axis, "split", "axis")
    if type(num_or_sections) is int:
        if num_or_sections < 1:
            raise InvalidArgumentError(
                "split: num_or_sections is expected to be positive, but received "
                f"{num_or_sections}."
            )
        return C.split(x, whole, num=num_or_sections, axis=axis)
    if not isinstance(num_or_sections, (list, tuple)):
        raise wrong_type("split", "num_or_sections", num_or_sections, "an int, a list or a tuple")
    ints, _, parts = read_dims(num_or_sections, "split", "num_or_sections")
    return C.split(x, whole, parts, sections=ints, axis=axis)


def chunk(x: Tensor, chunks: int, axis: Any = 0, name: str | None = None) -> list[Tensor]:
    """Cuts a Tensor into equal parts along a dimension.

    Args:
        x (Tensor): any Tensor.
        chunks (int): the number of parts, which must divide the dimension.
        axis (int|Tensor, optional): the dimension. Default: 0.
        name (str, optional): has no effect.

    Returns:
        list[Tensor]: the parts.

    Examples:
        .. code-block:: python

            import paddle
            first, second = paddle.chunk(paddle.arange(6), chunks=2)
            print(second.tolist())  # [3, 4, 5]
    """
    if not isinstance(chunks, int):
        raise wrong_type("chunk", "chunks", chunks, "an int")
    return split(x, chunks, axis)


def unstack(x: Tensor, axis: int = 0, num: int | None = None) -> list[Tensor]:
    """Takes a Tensor apart along a dimension, which disappears.

    Args:
        x (Tensor): any Tensor.
        axis (int, optional): the dimension. Default: 0.
        num (int, optional): its size, where a static graph does not know it. Default: None.

    Returns:
        list[Tensor]: as many as the dimension's size.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1, 2], [3, 4]])
            print([part.tolist() for part in paddle.unstack(x, axis=1)])  # [[1, 3], [2, 4]]
    """
    axis = read_int(axis, "unstack", "axis")
    return C.unstack(x, axis=axis, num=0 if num is None else read_int(num, "unstack", "num"))


def unbind(input: Tensor, axis: int = 0) -> list[Tensor]:
    """Takes a Tensor apart along a dimension, which disappears.

    Args:
        input (Tensor): any Tensor.
        axis (int, optional): the dimension. Default: 0.

    Returns:
        list[Tensor]: as many as the dimension's size.

    Examples:
        .. code-block:: python

            import paddle
            rows = paddle.unbind(paddle.to_tensor([[1, 2], [3, 4]]))
            print([row.tolist() for row in rows])  # [[1, 2], [3, 4]]
    """
    return C.unbind(input, axis=read_int(axis, "unbind", "axis"))
