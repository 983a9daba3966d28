"""Layers that apply an activation function."""

from __future__ import annotations

from typing import Any

from paddle.core.tensor import Tensor
from paddle.nn import functional as F
from paddle.nn.initializer import Constant
from paddle.nn.layer.layers import Layer

__all__ = [
    "ELU",
    "GELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Maxout",
    "PReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Swish",
    "Tanh",
    "Tanhshrink",
    "ThresholdedReLU",
]


class _Activation(Layer):
    """Base: prints the settings that were given under their own names."""

    _settings: tuple[str, ...] = ()

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__()
        self._name = name
        self._settings = tuple(settings)
        for key, value in settings.items():
            object.__setattr__(self, f"_{key}", value)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        parts = [f"{key}={getattr(self, '_' + key)}" for key in self._settings]
        return ", ".join(parts + ([f"name={self._name}"] if self._name else []))


class ReLU(_Activation):
    r"""Rectified linear unit.

    .. math:: \max(0, x)

    Args:
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.ReLU()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.relu`."""
        return F.relu(x)


class ReLU6(_Activation):
    r"""Rectified linear unit that stops at 6.

    .. math:: \min(\max(0, x), 6)

    Args:
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.ReLU6()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.relu6`."""
        return F.relu6(x)


class ELU(_Activation):
    r"""Exponential linear unit, https://arxiv.org/abs/1511.07289.

    .. math:: x \text{ if } x > 0 \text{ else } \alpha (e^x - 1)

    Args:
        alpha (float): scale of the negative part. Default: 1.0.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.ELU()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, alpha: float = 1.0, name: str | None = None) -> None:
        super().__init__(name, alpha=alpha)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.elu`."""
        return F.elu(x, self._alpha)


class SELU(_Activation):
    r"""Scaled exponential linear unit, https://arxiv.org/abs/1706.02515.

    .. math:: scale \cdot (x \text{ if } x > 0 \text{ else } \alpha (e^x - 1))

    Args:
        scale (float): factor of the result, above 1. Default: 1.0507009873554805.
        alpha (float): scale of the negative part, not negative. Default: 1.6732632423543772.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.SELU()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(
        self,
        scale: float = 1.0507009873554805,
        alpha: float = 1.6732632423543772,
        name: str | None = None,
    ) -> None:
        super().__init__(name, scale=scale, alpha=alpha)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.selu`."""
        return F.selu(x, self._scale, self._alpha)


class GELU(_Activation):
    r"""Gaussian error linear unit, https://arxiv.org/abs/1606.08415.

    .. math:: 0.5 x (1 + \mathrm{erf}(x / \sqrt 2))

    Args:
        approximate (bool): use the tanh approximation. Default: False.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.GELU()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, approximate: bool = False, name: str | None = None) -> None:
        super().__init__(name, approximate=approximate)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.gelu`."""
        return F.gelu(x, self._approximate)


class LeakyReLU(_Activation):
    r"""Rectified linear unit that leaks below zero.

    .. math:: x \text{ if } x \ge 0 \text{ else } slope \cdot x

    Args:
        negative_slope (float): slope below zero. Default: 0.01.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.LeakyReLU()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, negative_slope: float = 0.01, name: str | None = None) -> None:
        super().__init__(name, negative_slope=negative_slope)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.leaky_relu`."""
        return F.leaky_relu(x, self._negative_slope)


class Hardshrink(_Activation):
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


class Softshrink(_Activation):
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


class Tanhshrink(_Activation):
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


class Hardtanh(_Activation):
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


class Hardsigmoid(_Activation):
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


class Hardswish(_Activation):
    r"""Piecewise form of swish, https://arxiv.org/abs/1905.02244.

    .. math:: x \min(\max(x + 3, 0), 6) / 6

    Args:
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Hardswish()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.hardswish`."""
        return F.hardswish(x)


class Sigmoid(_Activation):
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


class LogSigmoid(_Activation):
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


class Softplus(_Activation):
    r"""Smooth rectified linear unit.

    .. math:: \log(1 + e^{\beta x}) / \beta

    Args:
        beta (float): sharpness. Default: 1.
        threshold (float): above it (times beta) the result is x itself. Default: 20.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Softplus()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, beta: float = 1, threshold: float = 20, name: str | None = None) -> None:
        super().__init__(name, beta=beta, threshold=threshold)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.softplus`."""
        return F.softplus(x, self._beta, self._threshold)


class Softsign(_Activation):
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


class Swish(_Activation):
    r"""Self-gated unit, https://arxiv.org/abs/1710.05941.

    .. math:: x / (1 + e^{-x})

    Args:
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Swish()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.swish`."""
        return F.swish(x)


class ThresholdedReLU(_Activation):
    r"""Rectified linear unit with a threshold.

    .. math:: x \text{ if } x > threshold \text{ else } 0

    Args:
        threshold (float): where the line starts. Default: 1.0.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.ThresholdedReLU()
            print(layer(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy())
    """

    def __init__(self, threshold: float = 1.0, name: str | None = None) -> None:
        super().__init__(name, threshold=threshold)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.thresholded_relu`."""
        return F.thresholded_relu(x, self._threshold)


class Tanh(_Activation):
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


class Softmax(_Activation):
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


class LogSoftmax(_Activation):
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


class Maxout(_Activation):
    """The largest of each group of channels, https://arxiv.org/abs/1302.4389.

    Args:
        groups (int): channels per group.
        axis (int): the channel axis. Default: 1.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.nn.Maxout(groups=2)(paddle.rand([1, 4, 3, 3])).shape)  # [1, 2, 3, 3]
    """

    def __init__(self, groups: int, axis: int = 1, name: str | None = None) -> None:
        super().__init__(name, groups=groups, axis=axis)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.maxout`."""
        return F.maxout(x, self._groups, self._axis)


class PReLU(Layer):
    r"""Rectified linear unit with learnt slopes: :math:`\max(0, x) + w \min(0, x)`.

    Args:
        num_parameters (int): 1 slope for all, or one per channel. Default: 1.
        init (float): initial slope. Default: 0.25.
        weight_attr (ParamAttr, optional): of the slopes.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.PReLU(1, 0.25)
            print(layer(paddle.to_tensor([[-1.0, 2.0]])).numpy())  # [[-0.25  2.  ]]
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        weight_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._num_parameters = num_parameters
        self._init = init
        self._name = name
        self._weight = self.create_parameter(
            attr=weight_attr,
            shape=[num_parameters],
            is_bias=False,
            default_initializer=Constant(init),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.prelu`."""
        return F.prelu(x, self._weight)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"num_parameters={self._num_parameters}, init={self._init}, dtype={self._dtype}"
