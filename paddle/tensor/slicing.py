"""Cutting a part out of a tensor: slice, strided_slice, crop."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.dims import plain, read_dims, wrong_type


def _cut(api: str, arg: str, value: Any, axes: Any) -> Any:
    """Reads the starts, ends or strides of a slice."""
    dims = read_dims(value, api, arg)
    if dims.whole is None and len(dims.ints) != len(axes):
        raise InvalidArgumentError(
            f"{api}: {arg} is expected to be as long as axes, but received {dims.ints} for axes "
            f"{list(axes)}."
        )
    return dims


def slice(input: Tensor, axes: Any, starts: Any, ends: Any) -> Tensor:
    """Cuts a part out of a Tensor.

    Args:
        input (Tensor): any Tensor.
        axes (list|tuple): the dimensions that are cut.
        starts (list|tuple|Tensor): the first position in each of them; negative ones count from
            the end.
        ends (list|tuple|Tensor): the position behind the last one in each of them; may lie beyond
            the dimension.

    Returns:
        Tensor: the part, with all dimensions.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
            print(paddle.slice(x, axes=[0, 1], starts=[0, -2], ends=[1, 9]).tolist())  # [[2, 3]]
    """
    if not isinstance(axes, (list, tuple)):
        raise wrong_type("slice", "axes", axes, "a list or a tuple")
    if type(starts) is list and type(ends) is list and plain(starts) and plain(ends):
        return C.slice(input, axes=axes, starts=starts, ends=ends)
    first = _cut("slice", "starts", starts, axes)
    last = _cut("slice", "ends", ends, axes)
    flags = _flags(axes, first, last)
    return C.slice(
        input, first.whole, last.whole, first.parts, last.parts, axes=list(axes),
        starts=first.ints, ends=last.ints, infer_flags=flags,
    )  # fmt: skip


def _flags(axes: Any, *bounds: Any) -> list[int]:
    """For each axis -1 where a Variable decides the size, else 1; empty without Variables."""
    if all(b.whole is None and b.parts is None for b in bounds):
        return []
    return [
        -1 if any(b.whole is not None or (b.parts and b.ints[i] == -1) for b in bounds) else 1
        for i in range(len(axes))
    ]


def strided_slice(
    x: Tensor, axes: Any, starts: Any, ends: Any, strides: Any, name: str | None = None
) -> Tensor:
    """Cuts a part out of a Tensor, taking every n-th element.

    Args:
        x (Tensor): any Tensor.
        axes (list|tuple): the dimensions that are cut.
        starts (list|tuple|Tensor): the first position in each of them.
        ends (list|tuple|Tensor): the position behind the last one in each of them.
        strides (list|tuple|Tensor): the distances; negative ones walk backward.
        name (str, optional): has no effect.

    Returns:
        Tensor: the part, with all dimensions.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[0, 1, 2, 3], [4, 5, 6, 7]])
            print(paddle.strided_slice(x, [1], [3], [0], [-2]).tolist())  # [[3, 1], [7, 5]]
    """
    if not isinstance(axes, (list, tuple)):
        raise wrong_type("strided_slice", "axes", axes, "a list or a tuple")
    first = _cut("strided_slice", "starts", starts, axes)
    last = _cut("strided_slice", "ends", ends, axes)
    step = _cut("strided_slice", "strides", strides, axes)
    return C.strided_slice(
        x, first.whole, last.whole, step.whole, first.parts, last.parts, step.parts,
        axes=list(axes), starts=first.ints, ends=last.ints, strides=step.ints,
        infer_flags=_flags(axes, first, last, step),
    )  # fmt: skip


def crop(x: Tensor, shape: Any = None, offsets: Any = None, name: str | None = None) -> Tensor:
    """Cuts a block of a given shape out of a Tensor.

    Args:
        x (Tensor): any Tensor.
        shape (list|tuple|Tensor, optional): sizes of the block; -1 takes all behind the offset.
            None means the shape of ``x``.
        offsets (list|tuple|Tensor, optional): where it begins in each dimension. None means 0.
        name (str, optional): has no effect.

    Returns:
        Tensor: the block.

    Raises:
        ValueError: the block reaches out of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
            print(paddle.crop(x, shape=[2, -1], offsets=[0, 1]).tolist())  # [[2, 3], [5, 6]]
    """
    size = read_dims([] if shape is None else shape, "crop", "shape")
    at = read_dims([] if offsets is None else offsets, "crop", "offsets")
    return C.crop_tensor(
        x, size.whole, size.parts, at.whole, at.parts, shape=size.ints, offsets=at.ints
    )
