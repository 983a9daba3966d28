"""Initializers that draw from a given distribution."""

from __future__ import annotations

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.nn.initializer.base import Initializer, floating, number


class Normal(Initializer):
    """Draws from the normal distribution.

    Args:
        mean (float): its mean.
        std (float): its standard deviation, not negative.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            init = paddle.nn.initializer.Normal(mean=0.0, std=2.0)
            layer = paddle.nn.Linear(100, 100, weight_attr=init)
            print(1.9 < layer.weight.numpy().std() < 2.1)  # True
    """

    def __init__(self, mean: float = 0.0, std: float = 1.0, name: str | None = None) -> None:
        self._mean = number(f"{type(self).__name__}(mean)", mean)
        self._std = number(f"{type(self).__name__}(std)", std, least=0)

    def _value(self, shape: list[int], dtype: VarType) -> Tensor:
        code = floating(self, dtype)
        return C.gaussian_random(shape=shape, mean=self._mean, std=self._std, dtype=code)


class TruncatedNormal(Normal):
    """Draws from the normal distribution, without what lies beyond two standard deviations.

    Args:
        mean (float): mean of the normal distribution.
        std (float): its standard deviation before the tails are cut off, not negative.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            init = paddle.nn.initializer.TruncatedNormal(mean=0.0, std=2.0)
            layer = paddle.nn.Linear(100, 100, weight_attr=init)
            print(abs(layer.weight.numpy()).max() <= 4.0)  # True
    """

    def _value(self, shape: list[int], dtype: VarType) -> Tensor:
        code = floating(self, dtype)
        return C.truncated_gaussian_random(shape=shape, mean=self._mean, std=self._std, dtype=code)


class Uniform(Initializer):
    """Draws from the uniform distribution on ``[low, high)``.

    Args:
        low (float): lower bound.
        high (float): upper bound, not below ``low``.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            init = paddle.nn.initializer.Uniform(low=-0.5, high=0.5)
            layer = paddle.nn.Linear(100, 100, weight_attr=init)
            print(abs(layer.weight.numpy()).max() <= 0.5)  # True
    """

    def __init__(self, low: float = -1.0, high: float = 1.0, name: str | None = None) -> None:
        self._low = number("Uniform(low)", low)
        self._high = number("Uniform(high)", high)
        if self._low > self._high:
            raise InvalidArgumentError(
                f"Uniform(low, high): expected low <= high, but received {low} and {high}."
            )

    def _value(self, shape: list[int], dtype: VarType) -> Tensor:
        code = floating(self, dtype)
        return C.uniform_random(shape=shape, min=self._low, max=self._high, dtype=code)
