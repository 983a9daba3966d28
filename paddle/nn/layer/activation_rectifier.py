"""Activation layers of the rectifier family."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.nn import functional as F
from paddle.nn.functional.window_args import integers
from paddle.nn.initializer import Constant
from paddle.nn.layer.activation_base import Activation
from paddle.nn.layer.layers import Layer

__all__ = [
    "ELU",
    "GELU",
    "Hardswish",
    "LeakyReLU",
    "Maxout",
    "PReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "Softplus",
    "Swish",
    "ThresholdedReLU",
]


class ReLU(Activation):
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


class ReLU6(Activation):
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


class ELU(Activation):
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


class SELU(Activation):
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


class GELU(Activation):
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


class LeakyReLU(Activation):
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
        if isinstance(num_parameters, bool) or not isinstance(num_parameters, int):
            raise TypeError(
                f"PReLU(num_parameters): expected an int, got {type(num_parameters).__name__}."
            )
        if num_parameters < 1:
            raise InvalidArgumentError(
                f"PReLU(num_parameters): expected at least 1, but received {num_parameters}."
            )
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


class ThresholdedReLU(Activation):
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


class Softplus(Activation):
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


class Swish(Activation):
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


class Hardswish(Activation):
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


class Maxout(Activation):
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
        integers("Maxout", "groups", groups, 1, least=2)
        super().__init__(name, groups=groups, axis=axis)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.maxout`."""
        return F.maxout(x, self._groups, self._axis)
