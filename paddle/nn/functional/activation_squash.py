"""Activation functions that squash, shrink or normalise."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.docstrings import Template
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

activation = Template(
    """
    import paddle
    import paddle.nn.functional as F
    x = paddle.to_tensor([-2.0, 0.0, 2.0])
    print(F.{name}(x).numpy())  # {}
    """,
    returns="Tensor: of the shape and dtype of ``x``.",
    x="any shape, floating.",
)

replaced = Template(
    """
    import paddle
    x = paddle.to_tensor({})
    paddle.nn.functional.{name}(x)
    print(x.numpy())  # {}
    """,
    returns="Tensor: ``x``.",
    x="any shape, floating; it is changed.",
)
_CONVERTED = "(str): ``x`` is converted to it first."
normalised = Template(
    """
    import paddle
    import paddle.nn.functional as F
    print(F.{name}(paddle.to_tensor([0.0, 0.0])).numpy())  # {}
    """,
    returns="Tensor: of the shape of ``x``.",
    x="any shape, floating (or of any type with ``dtype``).",
    dtype=_CONVERTED,
)


def check_number(api: str, name: str, value: Any) -> None:
    """Refuses what is no number; where a kernel would not say which argument was wrong."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"{api}({name}): expected a number, but received {type(value).__name__}.")
    if value != value:
        raise InvalidArgumentError(f"{api}({name}): expected a number, but received nan.")


def _converted(x: Tensor, dtype: Any) -> Tensor:
    """Casts the input of softmax to the dtype that was asked for."""
    return x if dtype is None else x.astype(dtype_name(dtype))


@activation("[0.11920292 0.5 0.880797]")
def sigmoid(x: Tensor, name: str | None = None) -> Tensor:
    """Logistic function: :math:`1 / (1 + e^{-x})`."""
    return C.sigmoid(x)


@activation("[-2.126928 -0.6931472 -0.12692802]")
def log_sigmoid(x: Tensor, name: str | None = None) -> Tensor:
    r"""Logarithm of the logistic function: :math:`-\log(1 + e^{-x})`."""
    return C.logsigmoid(x)


@activation("[0.1666666 0.5 0.8333334]", slope="slope of the middle part.", offset="value at zero.")
def hardsigmoid(
    x: Tensor, slope: float = 0.1666667, offset: float = 0.5, name: str | None = None
) -> Tensor:
    r"""Piecewise linear sigmoid: :math:`\min(\max(slope \cdot x + offset, 0), 1)`."""
    return C.hard_sigmoid(x, slope=slope, offset=offset)


@activation("[-1. 0. 1.]", min="lower bound.", max="upper bound.")
def hardtanh(x: Tensor, min: float = -1.0, max: float = 1.0, name: str | None = None) -> Tensor:
    r"""Piecewise linear tanh: :math:`\min(\max(x, min), max)`."""
    return C.brelu(x, t_min=min, t_max=max)


@activation("[-0.6666667 0. 0.6666667]")
def softsign(x: Tensor, name: str | None = None) -> Tensor:
    """Squashes values into (-1, 1): :math:`x / (1 + |x|)`."""
    return C.softsign(x)


@activation("[-2. 0. 2.]", threshold="half the width of the band set to zero.")
def hardshrink(x: Tensor, threshold: float = 0.5, name: str | None = None) -> Tensor:
    r"""Sets small values to zero: :math:`x \text{ if } |x| > threshold \text{ else } 0`."""
    return C.hard_shrink(x, threshold=threshold)


@activation("[-1.5 0. 1.5]", threshold="how far values move towards zero, not negative.")
def softshrink(x: Tensor, threshold: float = 0.5, name: str | None = None) -> Tensor:
    r"""Moves values towards zero: :math:`\mathrm{sign}(x) \max(|x| - threshold, 0)`."""
    check_number("softshrink", "threshold", threshold)
    if threshold < 0:
        raise InvalidArgumentError(
            f"softshrink(threshold): expected at least 0, but received {threshold}."
        )
    return C.softshrink(x, lambda_=threshold)


@activation("[-1.0359724 0. 1.0359724]")
def tanhshrink(x: Tensor, name: str | None = None) -> Tensor:
    r"""What tanh takes away: :math:`x - \tanh(x)`."""
    return C.tanh_shrink(x)


@normalised("[0.5 0.5]", axis="the axis that sums to one.")
def softmax(x: Tensor, axis: int = -1, dtype: Any = None, name: str | None = None) -> Tensor:
    r"""Exponentials that sum to one along an axis: :math:`e^{x_i} / \sum_j e^{x_j}`."""
    return C.softmax(x if dtype is None else _converted(x, dtype), axis=axis)


@replaced("[0.0, 0.0]", "[0.5 0.5]", axis="the axis that sums to one.", dtype=_CONVERTED)
def softmax_(x: Tensor, axis: int = -1, dtype: Any = None, name: str | None = None) -> Tensor:
    """:func:`softmax` that replaces the contents of ``x`` and returns it."""
    return replace(x, softmax(x, axis, dtype))


@normalised("[-0.6931472 -0.6931472]", axis="the axis whose exponentials sum to one.")
def log_softmax(x: Tensor, axis: int = -1, dtype: Any = None, name: str | None = None) -> Tensor:
    r"""Logarithm of softmax: :math:`x_i - \log \sum_j e^{x_j}`."""
    return C.log_softmax(x if dtype is None else _converted(x, dtype), axis=axis)
