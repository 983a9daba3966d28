"""Sums, products and extremes over some or all axes, running sums, tests of special values."""

from __future__ import annotations

from typing import Any

from paddle.core.docstrings import Template
from paddle.core.dtype import to_vartype, torch_dtype
from paddle.core.errors import check_tensors
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.ir.recording.context import layer_name
from paddle.tensor.dims import read_int, read_ints

__all__ = [
    "all", "any", "cumsum", "isfinite", "isinf", "isnan", "logsumexp", "max", "min", "prod", "sum"
]  # fmt: skip

_WIDENED = frozenset({torch_dtype("bool"), torch_dtype("int32")})  # their sums are int64

predicate = Template(
    """
    import paddle
    x = paddle.to_tensor([1.0, float("inf"), float("nan")])
    print(paddle.{name}(x).numpy())  # {}
    """,
    returns="Tensor: of type bool and the shape of ``x``.",
    x="of any numeric type.",
)


def axes_of(axis: Any, api: str) -> list[int] | None:
    """Reads an ``axis`` argument; None stands for all axes."""
    if axis is None:
        return None
    return [axis] if type(axis) is int else read_ints(axis, api, "axis") or None


def _converted(x: Any, dtype: Any, api: str) -> Any:
    check_tensors(api, x=x)
    target = to_vartype(dtype)
    return x if target == x.dtype else C.cast(x, in_dtype=int(x.dtype), out_dtype=int(target))


def _reduce(operator: Any, x: Any, axis: Any, keepdim: bool, api: str) -> Any:
    axes = axes_of(axis, api)
    if axes is None:
        return operator(x, reduce_all=True, keep_dim=keepdim)
    return operator(x, dim=axes, keep_dim=keepdim)


def sum(
    x: Tensor,
    axis: int | list[int] | None = None,
    dtype: Any = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the sum of the elements, over all axes or some.

    Args:
        x (Tensor): of any numeric type, or bool.
        axis (int|list|tuple, optional): what to sum over; negative ones count from the end. None
            or an empty list means everything.
        dtype (str|np.dtype, optional): the type to add in. None keeps the type of ``x``, but makes
            bool and int32 into int64. A sum that int8, int16 or uint8 cannot hold wraps round, as
            in PaddlePaddle; give ``"int64"`` for those.
        keepdim (bool, optional): keep the axes with length one.
        name (str, optional): has no effect.

    Returns:
        Tensor: the sums; shape ``[1]`` for everything without ``keepdim``.

    Raises:
        ValueError: an axis is out of range.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
            print(paddle.sum(x).numpy())  # [10.]
            print(paddle.sum(x, axis=0).numpy())  # [4. 6.]
            print(paddle.sum(x, axis=-1, keepdim=True).numpy())  # [[3.] [7.]]
            print(paddle.sum(paddle.to_tensor([True, True])).numpy())  # [2]
    """
    source = target = -1
    if dtype is not None:
        check_tensors("sum", x=x)
        source, target = int(x.dtype), int(to_vartype(dtype))
    elif getattr(x, "_dt", None) in _WIDENED:
        source, target = int(x.dtype), int(to_vartype("int64"))
    axes = axes_of(axis, "sum")
    if axes is None:
        return C.reduce_sum(x, reduce_all=True, keep_dim=keepdim, in_dtype=source, out_dtype=target)
    return C.reduce_sum(x, dim=axes, keep_dim=keepdim, in_dtype=source, out_dtype=target)


def prod(
    x: Tensor,
    axis: int | list[int] | None = None,
    keepdim: bool = False,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Returns the product of the elements, over all axes or some.

    Args:
        x (Tensor): of any numeric type.
        axis (int|list|tuple, optional): what to multiply over; None means everything.
        keepdim (bool, optional): keep the axes with length one.
        dtype (str|np.dtype, optional): a type to convert to first.
        name (str, optional): has no effect.

    Returns:
        Tensor: the products.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
            print(paddle.prod(x).numpy())  # [24.]
            print(paddle.prod(x, axis=0).numpy())  # [3. 8.]
    """
    if dtype is not None:
        x = _converted(x, dtype, "prod")
    return _reduce(C.reduce_prod, x, axis, keepdim, "prod")


def max(
    x: Tensor,
    axis: int | list[int] | None = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the greatest element, over all axes or some.

    Every element that equals the greatest one receives the whole gradient.

    Args:
        x (Tensor): of any real type.
        axis (int|list|tuple, optional): what to look through; None means everything.
        keepdim (bool, optional): keep the axes with length one.
        name (str, optional): the result of a Program is called ``<name>.tmp_0``.

    Returns:
        Tensor: of the type of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
            print(paddle.max(x).numpy())  # [4.]
            print(paddle.max(x, axis=0).numpy())  # [3. 4.]
    """
    if name is None:
        return _reduce(C.reduce_max, x, axis, keepdim, "max")
    with layer_name(name):
        return _reduce(C.reduce_max, x, axis, keepdim, "max")


def min(
    x: Tensor,
    axis: int | list[int] | None = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the smallest element, over all axes or some.

    Every element that equals the smallest one receives the whole gradient.

    Args:
        x (Tensor): of any real type.
        axis (int|list|tuple, optional): what to look through; None means everything.
        keepdim (bool, optional): keep the axes with length one.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the type of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
            print(paddle.min(x).numpy())  # [1.]
            print(paddle.min(x, axis=0).numpy())  # [1. 2.]
    """
    return _reduce(C.reduce_min, x, axis, keepdim, "min")


def all(
    x: Tensor,
    axis: int | list[int] | None = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Says whether every element is true (not 0), over all axes or some.

    Args:
        x (Tensor): bool, or numbers.
        axis (int|list|tuple, optional): what to look through; None means everything.
        keepdim (bool, optional): keep the axes with length one.
        name (str, optional): has no effect.

    Returns:
        Tensor: of type bool.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[True, True], [False, True]])
            print(paddle.all(x).numpy())  # [False]
            print(paddle.all(x, axis=0).numpy())  # [False  True]
    """
    return _reduce(C.reduce_all, x, axis, keepdim, "all")


def any(
    x: Tensor,
    axis: int | list[int] | None = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Says whether any element is true (not 0), over all axes or some.

    Args:
        x (Tensor): bool, or numbers.
        axis (int|list|tuple, optional): what to look through; None means everything.
        keepdim (bool, optional): keep the axes with length one.
        name (str, optional): has no effect.

    Returns:
        Tensor: of type bool.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[True, True], [False, True]])
            print(paddle.any(x).numpy())  # [ True]
            print(paddle.any(x, axis=0).numpy())  # [ True  True]
    """
    return _reduce(C.reduce_any, x, axis, keepdim, "any")


def logsumexp(
    x: Tensor,
    axis: int | list[int] | None = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    r"""Returns :math:`\ln \sum_i e^{x_i}` over all axes or some, without overflow.

    Args:
        x (Tensor): of a floating type.
        axis (int|list|tuple, optional): what to add over; None means everything.
        keepdim (bool, optional): keep the axes with length one.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the type of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[0.0, 0.0], [1000.0, 1000.0]])
            print(paddle.logsumexp(x, axis=1).numpy())  # [6.9314718e-01 1.0006932e+03]
    """
    axes = axes_of(axis, "logsumexp")
    if axes is None:
        return C.logsumexp(x, reduce_all=True, keepdim=keepdim)
    return C.logsumexp(x, axis=axes, keepdim=keepdim)


def cumsum(
    x: Tensor, axis: int | None = None, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Returns running sums: each element plus all before it.

    Args:
        x (Tensor): of any numeric type.
        axis (int, optional): the direction; None runs through the flattened Tensor.
        dtype (str|np.dtype, optional): a type to convert to first.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``x``, or with one dimension where ``axis`` is None.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1, 2], [3, 4]])
            print(paddle.cumsum(x).numpy())  # [ 1  3  6 10]
            print(paddle.cumsum(x, axis=0).numpy())  # [[1 2] [4 6]]
    """
    if dtype is not None:
        x = _converted(x, dtype, "cumsum")
    if axis is None:
        return C.cumsum(x, flatten=True)
    return C.cumsum(x, axis=read_int(axis, "cumsum", "axis"))


@predicate("[ True False False]")
def isfinite(x: Tensor, name: str | None = None) -> Tensor:
    """Says of every element whether it is finite: neither infinite nor NaN."""
    return C.isfinite_v2(x)


@predicate("[False  True False]")
def isinf(x: Tensor, name: str | None = None) -> Tensor:
    """Says of every element whether it is infinite."""
    return C.isinf_v2(x)


@predicate("[False False  True]")
def isnan(x: Tensor, name: str | None = None) -> Tensor:
    """Says of every element whether it is NaN."""
    return C.isnan_v2(x)
