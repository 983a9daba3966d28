"""Activation layers that squash, shrink or normalise."""

from __future__ import annotations

from paddle.core.tensor import Tensor
from paddle.nn import functional as F
from paddle.nn.layer.activation_base import Activation

__all__ = [
    "Hardshrink",
    "Hardsigmoid",
    "Hardtanh",
    "LogSigmoid",
    "LogSoftmax",
    "Sigmoid",
    "Softmax",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
]


class Hardshrink(Activation):
    r"""Sets small values to zero.

    .. math:: x \text{ if } |x| > threshold \text{ else } 0

    Args:
        threshold (float): half the width of the band set to zero. Default: 0.5.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Hardshrink()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, threshold: float = 0.5, name: str | None = None) -> None:
        super().__init__(name, threshold=threshold)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.hardshrink`."""
        return F.hardshrink(x, self._threshold)


class Softshrink(Activation):
    r"""Moves values towards zero.

    .. math:: \mathrm{sign}(x) \max(|x| - threshold, 0)

    Args:
        threshold (float): how far values move towards zero, not negative. Default: 0.5.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Softshrink()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, threshold: float = 0.5, name: str | None = None) -> None:
        super().__init__(name, threshold=threshold)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.softshrink`."""
        return F.softshrink(x, self._threshold)


class Tanhshrink(Activation):
    r"""What tanh takes away.

    .. math:: x - \tanh(x)

    Args:
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Tanhshrink()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.tanhshrink`."""
        return F.tanhshrink(x)


class Hardtanh(Activation):
    r"""Piecewise linear tanh.

    .. math:: \min(\max(x, min), max)

    Args:
        min (float): lower bound. Default: -1.0.
        max (float): upper bound. Default: 1.0.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Hardtanh()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, min: float = -1.0, max: float = 1.0, name: str | None = None) -> None:
        super().__init__(name, min=min, max=max)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.hardtanh`."""
        return F.hardtanh(x, self._min, self._max)


class Hardsigmoid(Activation):
    r"""Piecewise linear sigmoid.

    .. math:: \min(\max(slope \cdot x + offset, 0), 1)

    Args:
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Hardsigmoid()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.hardsigmoid`."""
        return F.hardsigmoid(x)


class Sigmoid(Activation):
    r"""Logistic function.

    .. math:: 1 / (1 + e^{-x})

    Args:
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Sigmoid()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.sigmoid`."""
        return F.sigmoid(x)


class LogSigmoid(Activation):
    r"""Logarithm of the logistic function.

    .. math:: -\log(1 + e^{-x})

    Args:
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.LogSigmoid()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.log_sigmoid`."""
        return F.log_sigmoid(x)


class Softsign(Activation):
    r"""Squashes values into (-1, 1).

    .. math:: x / (1 + |x|)

    Args:
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Softsign()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.softsign`."""
        return F.softsign(x)


class Tanh(Activation):
    r"""Hyperbolic tangent.

    .. math:: (e^x - e^{-x}) / (e^x + e^{-x})

    Args:
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Tanh()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.tanh`."""
        return F.tanh(x)


class Softmax(Activation):
    r"""Exponentials that sum to one.

    .. math:: e^{x_i} / \sum_j e^{x_j}

    Args:
        axis (int): the axis that sums to one. Default: -1.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Softmax()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, axis: int = -1, name: str | None = None) -> None:
        super().__init__(name, axis=axis)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.softmax`."""
        return F.softmax(x, self._axis)


class LogSoftmax(Activation):
    r"""Logarithm of softmax.

    .. math:: x_i - \log \sum_j e^{x_j}

    Args:
        axis (int): the axis whose exponentials sum to one. Default: -1.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.LogSoftmax()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, axis: int = -1, name: str | None = None) -> None:
        super().__init__(name, axis=axis)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.log_softmax`."""
        return F.log_softmax(x, self._axis)
