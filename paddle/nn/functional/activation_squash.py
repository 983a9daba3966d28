"""Activation functions that squash, shrink or normalise."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import dtype_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.inplace import replace

__all__ = [
    "hardshrink",
    "hardsigmoid",
    "hardtanh",
    "log_sigmoid",
    "log_softmax",
    "sigmoid",
    "softmax",
    "softmax_",
    "softshrink",
    "softsign",
    "tanhshrink",
]


def check_number(api: str, name: str, value: Any) -> None:
    """Refuses what is no number; where a kernel would not say which argument was wrong."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"{api}({name}): expected a number, but received {type(value).__name__}.")
    if value != value:
        raise InvalidArgumentError(f"{api}({name}): expected a number, but received nan.")


def _converted(x: Tensor, dtype: Any) -> Tensor:
    """Casts the input of softmax to the dtype that was asked for."""
    return x if dtype is None else x.astype(dtype_name(dtype))


def sigmoid(x: Tensor, name: str | None = None) -> Tensor:
    r"""Logistic function.

    .. math:: 1 / (1 + e^{-x})

    Args:
        x (Tensor): any shape, floating.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            print(F.sigmoid(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """
    return C.sigmoid(x)


def log_sigmoid(x: Tensor, name: str | None = None) -> Tensor:
    r"""Logarithm of the logistic function.

    .. math:: -\log(1 + e^{-x})

    Args:
        x (Tensor): any shape, floating.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            print(F.log_sigmoid(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """
    return C.logsigmoid(x)


def hardsigmoid(
    x: Tensor, slope: float = 0.1666667, offset: float = 0.5, name: str | None = None
) -> Tensor:
    r"""Piecewise linear sigmoid.

    .. math:: \min(\max(slope \cdot x + offset, 0), 1)

    Args:
        x (Tensor): any shape, floating.
        slope (float): slope of the middle part. Default: 0.1666667.
        offset (float): value at zero. Default: 0.5.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            print(F.hardsigmoid(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """
    return C.hard_sigmoid(x, slope=slope, offset=offset)


def hardtanh(x: Tensor, min: float = -1.0, max: float = 1.0, name: str | None = None) -> Tensor:
    r"""Piecewise linear tanh.

    .. math:: \min(\max(x, min), max)

    Args:
        x (Tensor): any shape, floating.
        min (float): lower bound. Default: -1.0.
        max (float): upper bound. Default: 1.0.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            print(F.hardtanh(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """
    return C.brelu(x, t_min=min, t_max=max)


def softsign(x: Tensor, name: str | None = None) -> Tensor:
    r"""Squashes values into (-1, 1).

    .. math:: x / (1 + |x|)

    Args:
        x (Tensor): any shape, floating.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            print(F.softsign(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """
    return C.softsign(x)


def hardshrink(x: Tensor, threshold: float = 0.5, name: str | None = None) -> Tensor:
    r"""Sets small values to zero.

    .. math:: x \text{ if } |x| > threshold \text{ else } 0

    Args:
        x (Tensor): any shape, floating.
        threshold (float): half the width of the band set to zero. Default: 0.5.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            print(F.hardshrink(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """
    return C.hard_shrink(x, threshold=threshold)


def softshrink(x: Tensor, threshold: float = 0.5, name: str | None = None) -> Tensor:
    r"""Moves values towards zero.

    .. math:: \mathrm{sign}(x) \max(|x| - threshold, 0)

    Args:
        x (Tensor): any shape, floating.
        threshold (float): how far values move towards zero, not negative. Default: 0.5.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            print(F.softshrink(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """
    check_number("softshrink", "threshold", threshold)
    if threshold < 0:
        raise InvalidArgumentError(
            f"softshrink(threshold): expected at least 0, but received {threshold}."
        )
    return C.softshrink(x, lambda_=threshold)


def tanhshrink(x: Tensor, name: str | None = None) -> Tensor:
    r"""What tanh takes away.

    .. math:: x - \tanh(x)

    Args:
        x (Tensor): any shape, floating.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            print(F.tanhshrink(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """
    return C.tanh_shrink(x)


def softmax(x: Tensor, axis: int = -1, dtype: Any = None, name: str | None = None) -> Tensor:
    r"""Exponentials that sum to one along an axis: :math:`e^{x_i} / \sum_j e^{x_j}`.

    Args:
        x (Tensor): any shape, floating (or of any type with ``dtype``).
        axis (int): the axis that sums to one. Default: -1.
        dtype (str, optional): ``x`` is converted to it first.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            print(F.softmax(paddle.to_tensor([0.0, 0.0])).numpy())  # [0.5 0.5]
    """
    return C.softmax(x if dtype is None else _converted(x, dtype), axis=axis)


def softmax_(x: Tensor, axis: int = -1, dtype: Any = None, name: str | None = None) -> Tensor:
    """:func:`softmax` that replaces the contents of ``x`` and returns it.

    Args:
        x (Tensor): any shape, floating.
        axis (int): the axis that sums to one. Default: -1.
        dtype (str, optional): ``x`` is converted to it first.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.0, 0.0])
            paddle.nn.functional.softmax_(x)
            print(x.numpy())  # [0.5 0.5]
    """
    return replace(x, softmax(x, axis, dtype))


def log_softmax(x: Tensor, axis: int = -1, dtype: Any = None, name: str | None = None) -> Tensor:
    r"""Logarithm of softmax: :math:`x_i - \log \sum_j e^{x_j}`.

    Args:
        x (Tensor): any shape, floating.
        axis (int): the axis whose exponentials sum to one. Default: -1.
        dtype (str, optional): ``x`` is converted to it first.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            print(F.log_softmax(paddle.to_tensor([0.0, 0.0])).numpy())  # [-0.6931472 -0.6931472]
    """
    return C.log_softmax(x if dtype is None else _converted(x, dtype), axis=axis)
