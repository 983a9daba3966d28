"""Functions that rearrange tensors: shape, order, joining, taking apart, repeating, cutting."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType, dtype_name, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guarded
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.dims import is_variable, read_dims, read_int, read_ints, wrong_type
from paddle.tensor.inplace import replace
from paddle.tensor.joining import chunk, concat, split, stack, unbind, unstack
from paddle.tensor.scatter import gather, gather_nd, scatter, scatter_, scatter_nd, scatter_nd_add
from paddle.tensor.slicing import crop, slice, strided_slice

__all__ = [
    "broadcast_to", "chunk", "concat", "crop", "expand", "expand_as", "flatten", "flip", "gather",
    "gather_nd", "reshape", "reshape_", "reverse", "roll", "scatter", "scatter_", "scatter_nd",
    "scatter_nd_add", "shard_index", "slice", "split", "squeeze", "squeeze_", "stack",
    "strided_slice", "tile", "transpose", "unbind", "unique", "unsqueeze", "unsqueeze_", "unstack",
]  # fmt: skip


def reshape(x: Tensor, shape: Any, name: str | None = None) -> Tensor:
    """Arranges the elements of a Tensor, in their order, in another shape.

    Args:
        x (Tensor): any Tensor.
        shape (list|tuple|Tensor): the new sizes, whose product is the number of elements. One may
            be -1 and is worked out; 0 copies the size of ``x`` at that place. Entries may be
            Tensors of one integer.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the new shape.

    Raises:
        ValueError: the elements do not fill the shape.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([2, 4, 6])
            print(paddle.reshape(x, [-1, 0, 3]).shape)  # [4, 4, 3]
    """
    if type(shape) is list or type(shape) is tuple:
        for n in shape:
            if type(n) is not int:
                break
        else:
            return C.reshape2(x, shape=shape)[0]
    if not isinstance(shape, (list, tuple, Tensor)) and not is_variable(shape):
        raise wrong_type("reshape", "shape", shape, "a list, a tuple or a Tensor")
    ints, whole, parts = read_dims(shape, "reshape", "shape")
    return C.reshape2(x, whole, parts, shape=ints)[0]


def reshape_(x: Tensor, shape: Any, name: str | None = None) -> Tensor:
    """Gives ``x`` itself another shape; see :func:`paddle.reshape`.

    Args:
        x (Tensor): the Tensor that is changed.
        shape (list|tuple|Tensor): the new sizes.
        name (str, optional): has no effect.

    Returns:
        Tensor: ``x``.

    Raises:
        ValueError: ``x`` is a leaf that requires a gradient.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([2, 3])
            paddle.reshape_(x, [3, 2])
            print(x.shape)  # [3, 2]
    """
    return replace(x, reshape(x, shape))


def transpose(x: Tensor, perm: Any, name: str | None = None) -> Tensor:
    """Puts the dimensions of a Tensor in another order.

    Args:
        x (Tensor): any Tensor.
        perm (list|tuple): dimension ``i`` of the result is dimension ``perm[i]`` of ``x``.
        name (str, optional): has no effect.

    Returns:
        Tensor: with its dimensions in the new order.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.transpose(paddle.zeros([2, 3, 4]), [1, 0, 2]).shape)  # [3, 2, 4]
    """
    if type(perm) is not list:
        perm = read_ints(perm, "transpose", "perm")
    return C.transpose2(x, axis=perm)[0]


def squeeze(x: Tensor, axis: Any = None, name: str | None = None) -> Tensor:
    """Drops dimensions of size 1.

    Args:
        x (Tensor): any Tensor.
        axis (int|list|tuple, optional): which dimensions; those of another size stay. None means
            all of size 1. Default: None.
        name (str, optional): has no effect.

    Returns:
        Tensor: with fewer dimensions, at least one.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([1, 5, 1])
            print(paddle.squeeze(x).shape, paddle.squeeze(x, 0).shape)  # [5] [5, 1]
    """
    if type(axis) is int:
        axis = (axis,)
    elif axis is None:
        axis = ()
    elif type(axis) is not list:
        axis = read_ints(axis, "squeeze", "axis")
    return C.squeeze2(x, axes=axis)[0]


def squeeze_(x: Tensor, axis: Any = None, name: str | None = None) -> Tensor:
    """Drops dimensions of size 1 from ``x`` itself; see :func:`paddle.squeeze`.

    Args:
        x (Tensor): the Tensor that is changed.
        axis (int|list|tuple, optional): which dimensions; None means all of size 1.
        name (str, optional): has no effect.

    Returns:
        Tensor: ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([1, 3])
            paddle.squeeze_(x)
            print(x.shape)  # [3]
    """
    return replace(x, squeeze(x, axis))


def unsqueeze(x: Tensor, axis: Any, name: str | None = None) -> Tensor:
    """Inserts dimensions of size 1.

    Args:
        x (Tensor): any Tensor.
        axis (int|list|tuple|Tensor): where; several are inserted one after the other, each counted
            among the dimensions that are there by then.
        name (str, optional): has no effect.

    Returns:
        Tensor: with more dimensions.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([5, 10])
            print(paddle.unsqueeze(x, 0).shape)  # [1, 5, 10]
            print(paddle.unsqueeze(x, [0, 2]).shape)  # [1, 5, 1, 10]
    """
    if type(axis) is int:
        return C.unsqueeze2(x, axes=(axis,))[0]
    ints, whole, parts = read_dims(axis, "unsqueeze", "axis")
    return C.unsqueeze2(x, whole, parts, axes=ints)[0]


def unsqueeze_(x: Tensor, axis: Any, name: str | None = None) -> Tensor:
    """Inserts dimensions of size 1 into ``x`` itself; see :func:`paddle.unsqueeze`.

    Args:
        x (Tensor): the Tensor that is changed.
        axis (int|list|tuple|Tensor): where.
        name (str, optional): has no effect.

    Returns:
        Tensor: ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([3])
            paddle.unsqueeze_(x, 0)
            print(x.shape)  # [1, 3]
    """
    return replace(x, unsqueeze(x, axis))


def flatten(x: Tensor, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Tensor:
    """Makes one dimension of several neighbouring ones.

    Args:
        x (Tensor): any Tensor.
        start_axis (int, optional): the first of them. Default: 0.
        stop_axis (int, optional): the last of them. Default: -1.
        name (str, optional): has no effect.

    Returns:
        Tensor: with fewer dimensions.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([2, 3, 4, 5])
            print(paddle.flatten(x, 1, 2).shape)  # [2, 12, 5]
    """
    if type(start_axis) is not int or type(stop_axis) is not int:
        start_axis = read_int(start_axis, "flatten", "start_axis")
        stop_axis = read_int(stop_axis, "flatten", "stop_axis")
    rank = getattr(x, "ndim", 0)  # Programs count from the front, whoever reads them relies on it
    if -rank <= start_axis < 0:
        start_axis += rank
    if -rank <= stop_axis < 0:
        stop_axis += rank
    return C.flatten_contiguous_range(x, start_axis=start_axis, stop_axis=stop_axis)[0]


# -- repeating ----------------------------------------------------------------------------------


def tile(x: Tensor, repeat_times: Any, name: str | None = None) -> Tensor:
    """Repeats a Tensor along its dimensions.

    Args:
        x (Tensor): any Tensor.
        repeat_times (int|list|tuple|Tensor): how often, for each dimension, the last ones first;
            the shorter of it and the shape is filled up with ones in front.
        name (str, optional): has no effect.

    Returns:
        Tensor: dimension ``i`` is ``repeat_times[i]`` times as large.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1, 2])
            print(paddle.tile(x, [2, 2]).tolist())  # [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    ints, whole, parts = read_dims(repeat_times, "tile", "repeat_times")
    return C.tile(x, whole, parts, repeat_times=ints)


def expand(x: Tensor, shape: Any, name: str | None = None) -> Tensor:
    """Repeats dimensions of size 1, and adds new ones in front, to reach a shape.

    Args:
        x (Tensor): any Tensor.
        shape (list|tuple|Tensor): the new sizes; -1 keeps a dimension of ``x``. Entries may be
            Tensors of one integer.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the new shape.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1, 2, 3])
            print(paddle.expand(x, [2, -1]).tolist())  # [[1, 2, 3], [1, 2, 3]]
    """
    ints, whole, parts = read_dims(shape, "expand", "shape")
    return C.expand_v2(x, whole, parts, shape=ints)


def broadcast_to(x: Tensor, shape: Any, name: str | None = None) -> Tensor:
    """Repeats dimensions of size 1, and adds new ones in front, to reach a shape.

    Args:
        x (Tensor): any Tensor.
        shape (list|tuple|Tensor): the new sizes; -1 keeps a dimension of ``x``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the new shape.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1], [2]])
            print(paddle.broadcast_to(x, [2, 2]).tolist())  # [[1, 1], [2, 2]]
    """
    ints, whole, parts = read_dims(shape, "broadcast_to", "shape")
    return C.expand_v2(x, whole, parts, shape=ints)


def expand_as(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Repeats a Tensor to the shape of another one.

    Args:
        x (Tensor): any Tensor.
        y (Tensor): gives the shape.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``y``.

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.to_tensor([1, 2]), paddle.zeros([2, 2])
            print(paddle.expand_as(x, y).tolist())  # [[1, 2], [1, 2]]
    """
    if y is None:
        raise wrong_type("expand_as", "y", y, "a Tensor")
    return C.expand_as_v2(x, y)


# -- order of elements --------------------------------------------------------------------------


def flip(x: Tensor, axis: Any, name: str | None = None) -> Tensor:
    """Reverses the order of elements along dimensions.

    Args:
        x (Tensor): any Tensor.
        axis (int|list|tuple): the dimensions.
        name (str, optional): has no effect.

    Returns:
        Tensor: like ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1, 2], [3, 4]])
            print(paddle.flip(x, [0, 1]).tolist())  # [[4, 3], [2, 1]]
    """
    return C.flip(x, axis=read_ints(axis, "flip", "axis"))


reverse = flip


def roll(x: Tensor, shifts: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Shifts elements along dimensions; what leaves at one end comes in at the other.

    Args:
        x (Tensor): any Tensor.
        shifts (int|list|tuple): by how many places, for each of ``axis``.
        axis (int|list|tuple, optional): the dimensions. None shifts the flattened Tensor.
        name (str, optional): has no effect.

    Returns:
        Tensor: like ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1, 2], [3, 4]])
            print(paddle.roll(x, 1).tolist())  # [[4, 1], [2, 3]]
            print(paddle.roll(x, 1, axis=0).tolist())  # [[3, 4], [1, 2]]
    """
    axes = [] if axis is None else read_ints(axis, "roll", "axis")
    ints, whole, _ = read_dims(shifts, "roll", "shifts")
    return C.roll(x, whole, shifts=ints, axis=axes)


# -- values -------------------------------------------------------------------------------------


@guarded
def unique(
    x: Tensor, return_index: bool = False, return_inverse: bool = False,
    return_counts: bool = False, axis: int | None = None, dtype: Any = "int64",
    name: str | None = None,
) -> Any:  # fmt: skip
    """Returns the distinct elements, or slices, of a Tensor in ascending order.

    Args:
        x (Tensor): any Tensor of numbers.
        return_index (bool, optional): also return where each was first seen. Default: False.
        return_inverse (bool, optional): also return which of them each element of ``x`` is.
            Default: False.
        return_counts (bool, optional): also return how often each occurs. Default: False.
        axis (int, optional): compare slices along this dimension; None flattens. Default: None.
        dtype (str|np.dtype, optional): int32 or int64, of the positions. Default: int64.
        name (str, optional): has no effect.

    Returns:
        Tensor or tuple: the distinct elements, then what was asked for in the order above.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([2, 3, 3, 1, 5, 3])
            values, index, inverse, counts = paddle.unique(
                x, return_index=True, return_inverse=True, return_counts=True)
            print(values.tolist(), index.tolist())  # [1, 2, 3, 5] [3, 0, 1, 4]
            print(inverse.tolist(), counts.tolist())  # [1, 2, 2, 0, 3, 2] [1, 1, 3, 1]
    """
    kind = to_vartype(dtype)
    if kind not in (VarType.INT32, VarType.INT64):
        raise TypeError(f"unique(dtype): expected int32 or int64, but received {dtype_name(kind)}.")
    axes = [] if axis is None else [read_int(axis, "unique", "axis")]
    values, index, inverse, counts = C.unique(
        x, return_index=return_index, return_inverse=return_inverse, return_counts=return_counts,
        axis=axes, dtype=kind, is_sorted=True,
    )  # fmt: skip
    asked = [(return_index, index), (return_inverse, inverse), (return_counts, counts)]
    found = (values, *(value for wanted, value in asked if wanted))
    return found if len(found) > 1 else values


@guarded
def shard_index(
    input: Tensor, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1
) -> Tensor:
    """Turns indices of a whole table into indices of one shard of it.

    With ``size = ceil(index_num / nshards)``, index ``i`` belongs to shard ``i // size`` and is
    ``i % size`` there.

    Args:
        input (Tensor): int32 or int64 indices in [0, index_num).
        index_num (int): size of the whole table.
        nshards (int): number of shards.
        shard_id (int): the shard, in [0, nshards).
        ignore_value (int, optional): stands for indices of other shards. Default: -1.

    Returns:
        Tensor: like ``input``.

    Examples:
        .. code-block:: python

            import paddle
            label = paddle.to_tensor([[16], [1]])
            print(paddle.shard_index(label, 20, nshards=2, shard_id=0).tolist())  # [[-1], [1]]
    """
    if index_num < 1 or nshards < 1 or not 0 <= shard_id < nshards:
        raise InvalidArgumentError(
            "shard_index: index_num and nshards are expected to be positive and shard_id to be in "
            f"range of [0, nshards), but received index_num={index_num}, nshards={nshards}, "
            f"shard_id={shard_id}."
        )
    return C.shard_index(
        input, index_num=index_num, nshards=nshards, shard_id=shard_id, ignore_value=ignore_value
    )
