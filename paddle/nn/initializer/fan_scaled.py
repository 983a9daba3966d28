"""Xavier and Kaiming: random values scaled by how many inputs and outputs a weight has."""

from __future__ import annotations

import math

from paddle.core.dtype import VarType
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.nn.initializer.base import Initializer, fans, floating, optional_fan


class _Scaled(Initializer):
    """Mean zero, and a variance that subclasses compute from the fans."""

    _fan_in: float | None = None
    _fan_out: float | None = None
    _uniform = False

    def _variance(self, fan_in: float, fan_out: float) -> float:
        raise NotImplementedError

    def _value(self, shape: list[int], dtype: VarType) -> Tensor:
        code = floating(self, dtype)
        computed = fans(shape)
        # An empty weight has a fan of zero, and any scale does for it.
        fan_in = self._fan_in or max(computed[0], 1)
        fan_out = self._fan_out or max(computed[1], 1)
        variance = self._variance(fan_in, fan_out)
        if not self._uniform:
            return C.gaussian_random(shape=shape, mean=0.0, std=math.sqrt(variance), dtype=code)
        limit = math.sqrt(3.0 * variance)
        return C.uniform_random(shape=shape, min=-limit, max=limit, dtype=code)


class XavierNormal(_Scaled):
    r"""Draws from a normal distribution that keeps activations and gradients at one scale.

    By Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural
    networks" (2010): the mean is 0 and the standard deviation

    .. math:: \sqrt{\frac{2}{fan\_in + fan\_out}}

    Args:
        fan_in (float|None): inputs of one output; None takes it from the weight's shape.
        fan_out (float|None): outputs fed by one input; None takes it from the weight's shape.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            init = paddle.nn.initializer.XavierNormal()
            layer = paddle.nn.Linear(100, 100, weight_attr=init)
            print(0.09 < layer.weight.numpy().std() < 0.11)  # True
    """

    def __init__(
        self, fan_in: float | None = None, fan_out: float | None = None, name: str | None = None
    ) -> None:
        self._fan_in = optional_fan(f"{type(self).__name__}(fan_in)", fan_in)
        self._fan_out = optional_fan(f"{type(self).__name__}(fan_out)", fan_out)

    def _variance(self, fan_in: float, fan_out: float) -> float:
        return 2.0 / (fan_in + fan_out)


class XavierUniform(XavierNormal):
    r"""Draws from a uniform distribution that keeps activations and gradients at one scale.

    As :class:`XavierNormal`, but uniform on [-x, x] with

    .. math:: x = \sqrt{\frac{6}{fan\_in + fan\_out}}

    Args:
        fan_in (float|None): inputs of one output; None takes it from the weight's shape.
        fan_out (float|None): outputs fed by one input; None takes it from the weight's shape.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            init = paddle.nn.initializer.XavierUniform()
            layer = paddle.nn.Linear(3, 3, weight_attr=init)
            print(abs(layer.weight.numpy()).max() <= 1.0)  # True
    """

    _uniform = True


class KaimingNormal(_Scaled):
    r"""Draws from a normal distribution made for layers followed by a rectifier.

    By He et al., "Delving Deep into Rectifiers" (2015): the mean is 0 and the standard deviation

    .. math:: \sqrt{\frac{2}{fan\_in}}

    Args:
        fan_in (float|None): inputs of one output; None takes it from the weight's shape.

    Examples:
        .. code-block:: python

            import paddle
            init = paddle.nn.initializer.KaimingNormal()
            layer = paddle.nn.Linear(200, 100, weight_attr=init)
            print(0.09 < layer.weight.numpy().std() < 0.11)  # True
    """

    def __init__(self, fan_in: float | None = None) -> None:
        self._fan_in = optional_fan(f"{type(self).__name__}(fan_in)", fan_in)

    def _variance(self, fan_in: float, fan_out: float) -> float:
        return 2.0 / fan_in


class KaimingUniform(KaimingNormal):
    r"""Draws from a uniform distribution made for layers followed by a rectifier.

    As :class:`KaimingNormal`, but uniform on [-x, x] with

    .. math:: x = \sqrt{\frac{6}{fan\_in}}

    Args:
        fan_in (float|None): inputs of one output; None takes it from the weight's shape.

    Examples:
        .. code-block:: python

            import paddle
            init = paddle.nn.initializer.KaimingUniform()
            layer = paddle.nn.Linear(6, 3, weight_attr=init)
            print(abs(layer.weight.numpy()).max() <= 1.0)  # True
    """

    _uniform = True
