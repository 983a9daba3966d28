"""Activation layers of the rectifier family."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.nn import functional as F
from paddle.nn.functional.window_args import integers
from paddle.nn.initializer import Constant
from paddle.nn.layer.activation_base import Activation, layer
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


@layer.like(F.relu, "[0. 0. 2.]")
class ReLU(Activation):
    """Layer of :func:`paddle.nn.functional.relu`."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.relu`."""
        return F.relu(x)


@layer.like(F.relu6, "[0. 0. 2.]")
class ReLU6(Activation):
    """Layer of :func:`paddle.nn.functional.relu6`."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.relu6`."""
        return F.relu6(x)


@layer.like(F.elu, "[-0.86466473 0. 2.]")
class ELU(Activation):
    """Layer of :func:`paddle.nn.functional.elu`."""

    def __init__(self, alpha: float = 1.0, name: str | None = None) -> None:
        super().__init__(name, alpha=alpha)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.elu`."""
        return F.elu(x, self._alpha)


@layer.like(F.selu, "[-1.5201665 0. 2.101402]")
class SELU(Activation):
    """Layer of :func:`paddle.nn.functional.selu`."""

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


@layer.like(F.gelu, "[-0.04550028 0. 1.9544997]")
class GELU(Activation):
    """Layer of :func:`paddle.nn.functional.gelu`."""

    def __init__(self, approximate: bool = False, name: str | None = None) -> None:
        super().__init__(name, approximate=approximate)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.gelu`."""
        return F.gelu(x, self._approximate)


@layer.like(F.leaky_relu, "[-0.02 0. 2.]")
class LeakyReLU(Activation):
    """Layer of :func:`paddle.nn.functional.leaky_relu`."""

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
        name (str, optional): has no effect.

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


@layer.like(F.thresholded_relu, "[0. 0. 2.]")
class ThresholdedReLU(Activation):
    """Layer of :func:`paddle.nn.functional.thresholded_relu`."""

    def __init__(self, threshold: float = 1.0, name: str | None = None) -> None:
        super().__init__(name, threshold=threshold)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.thresholded_relu`."""
        return F.thresholded_relu(x, self._threshold)


@layer.like(F.softplus, "[0.126928 0.6931472 2.126928]")
class Softplus(Activation):
    """Layer of :func:`paddle.nn.functional.softplus`."""

    def __init__(self, beta: float = 1, threshold: float = 20, name: str | None = None) -> None:
        super().__init__(name, beta=beta, threshold=threshold)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.softplus`."""
        return F.softplus(x, self._beta, self._threshold)


@layer.like(F.swish, "[-0.23840584 0. 1.761594]")
class Swish(Activation):
    """Layer of :func:`paddle.nn.functional.swish`."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.swish`."""
        return F.swish(x)


@layer.like(F.hardswish, "[-0.33333334 0. 1.6666666]")
class Hardswish(Activation):
    """Layer of :func:`paddle.nn.functional.hardswish`."""

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
        name (str, optional): shown when the layer is printed.

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
