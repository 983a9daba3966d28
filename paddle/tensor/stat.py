"""Statistics: mean, variance, standard deviation, median, number of elements."""

from __future__ import annotations

from typing import Any

from paddle.core.guards import guard_module
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.dims import read_int
from paddle.tensor.reduction import axes_of

__all__ = ["mean", "median", "numel", "std", "var"]


def mean(
    x: Tensor,
    axis: int | list[int] | None = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the mean of the elements, over all axes or some.

    Args:
        x (Tensor): of a floating type.
        axis (int|list|tuple, optional): what to average over; None or [] means everything.
        keepdim (bool, optional): keep the axes with length one.
        name (str, optional): has no effect.

    Returns:
        Tensor: the means; shape ``[1]`` for everything without ``keepdim``.

    Raises:
        ValueError: an axis is out of range.
        TypeError: ``x`` holds integers.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
            print(paddle.mean(x).numpy())  # [2.5]
            print(paddle.mean(x, axis=0).numpy())  # [2. 3.]
    """
    axes = axes_of(axis, "mean")
    if axes is None:
        return C.reduce_mean(x, reduce_all=True, keep_dim=keepdim)
    return C.reduce_mean(x, dim=axes, keep_dim=keepdim)


def var(
    x: Tensor,
    axis: int | list[int] | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    r"""Returns the variance of the elements, over all axes or some.

    .. math:: \frac{1}{n - 1} \sum_{i=1}^n (x_i - \bar x)^2

    Args:
        x (Tensor): of a floating type.
        axis (int|list|tuple, optional): what to look over; None means everything.
        unbiased (bool, optional): False divides by n instead of n - 1.
        keepdim (bool, optional): keep the axes with length one.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the type of ``x``; 0 for a single element.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 2.0, 3.0], [1.0, 4.0, 5.0]])
            print(paddle.var(x).numpy())  # [2.6666667]
            print(paddle.var(x, axis=1).numpy())  # [1. 4.3333335]
    """
    axes = axes_of(axis, "var")
    offsets = C.elementwise_sub(x, mean(x, axes, keepdim=True))
    squares = C.square(offsets)
    if not unbiased:
        return mean(squares, axes, keepdim)
    lengths = x.shape if axes is None else [x.shape[a] for a in axes]
    how: dict[str, Any] = {"reduce_all": True} if axes is None else {"dim": axes}
    total = C.reduce_sum(squares, keep_dim=keepdim, **how)
    if -1 not in lengths:
        count = 1
        for n in lengths:
            count *= n
        return C.scale(total, scale=1.0 / (count - 1 if count > 1 else 1))
    ones = C.fill_any_like(squares, value=1.0)
    count = C.clip(C.scale(C.reduce_sum(ones, keep_dim=keepdim, **how), bias=-1.0), min=1.0)
    return C.elementwise_div(total, count)


def std(
    x: Tensor,
    axis: int | list[int] | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the standard deviation: the square root of :func:`paddle.var`.

    Args:
        x (Tensor): of a floating type.
        axis (int|list|tuple, optional): what to look over; None means everything.
        unbiased (bool, optional): False divides by n instead of n - 1.
        keepdim (bool, optional): keep the axes with length one.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the type of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 2.0, 3.0], [1.0, 4.0, 5.0]])
            print(paddle.std(x).numpy())  # [1.6329932]
    """
    return C.sqrt(var(x, axis, unbiased, keepdim))


def numel(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the number of elements as a Tensor.

    Args:
        x (Tensor): any Tensor.
        name (str, optional): has no effect.

    Returns:
        Tensor: int64, of shape ``[1]``.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.numel(paddle.ones([4, 5])).numpy())  # [20]
    """
    return C.size(x)


def median(
    x: Tensor, axis: int | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Returns the middle element, or the mean of the two in the middle.

    NaN anywhere among the elements gives NaN.

    Args:
        x (Tensor): of any real type.
        axis (int, optional): where to look; None means everything.
        keepdim (bool, optional): keep the axes with length one.
        name (str, optional): has no effect.

    Returns:
        Tensor: float64 for a float64 ``x``, otherwise float32.

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[3.0, 1.0, 2.0], [6.0, 4.0, 5.0]])
            print(paddle.median(x).numpy())  # [3.5]
            print(paddle.median(x, axis=1).numpy())  # [2. 5.]
    """
    from paddle.core.dtype import VarType
    from paddle.core.errors import InvalidArgumentError, check_tensors
    from paddle.tensor.manipulation import flatten, reshape, slice, squeeze
    from paddle.tensor.search import topk

    check_tensors("median", x=x)
    if x.dtype not in (VarType.FP32, VarType.FP64):
        x = C.cast(x, in_dtype=int(x.dtype), out_dtype=int(VarType.FP32))
    rank = len(x.shape)
    if axis is None:
        flat, at = flatten(x), 0
    else:
        flat, at = x, read_int(axis, "median", "axis")
        if not -rank <= at < rank:
            raise InvalidArgumentError(
                f"median(axis): expected a value in [-{rank}, {rank}), but received {axis}."
            )
        at = at % rank
    length: Any = flat.shape[at]
    if length == 0:
        raise InvalidArgumentError(
            f"median(x): expected at least one element to take the median of, but received shape "
            f"{list(x.shape)}."
        )
    if length == -1:  # a static Program that learns it in a run
        length = slice(C.shape(flat), [0], [at], [at + 1])
    lowest = topk(flat, length // 2 + 1, at, largest=False)[0]
    first = (length - 1) // 2
    out = mean(slice(lowest, [at], [first], [length // 2 + 1]), at, keepdim=True)
    out = C.elementwise_add(out, _nan_where_any_is(flat, at))
    if axis is None:
        return reshape(out, [1] * rank) if keepdim else out
    return out if keepdim else squeeze(out, at)


def _nan_where_any_is(x: Any, axis: int) -> Any:
    """0 where no element along ``axis`` is NaN, else NaN."""
    zeros = C.fill_any_like(x, value=0.0)
    return C.reduce_sum(C.where(C.isnan_v2(x), x, zeros), dim=[axis], keep_dim=True)


guard_module(globals(), checks=False)
