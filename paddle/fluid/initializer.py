"""Initializers of 1.x: their operators come first in the startup Program, with seeds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.nn.initializer import Initializer, set_global_initializer
from paddle.nn.initializer.base import fans, floating, number, optional_fan
from paddle.nn.initializer.patterned import Bilinear as Bilinear2

__all__ = [
    "Bilinear", "BilinearInitializer", "Constant", "ConstantInitializer", "Initializer", "MSRA",
    "MSRAInitializer", "Normal", "NormalInitializer", "NumpyArrayInitializer", "TruncatedNormal",
    "TruncatedNormalInitializer", "Uniform", "UniformInitializer", "Xavier", "XavierInitializer",
    "set_global_initializer",
]  # fmt: skip


def _seed(owner: str, value: Any) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{owner}(seed): expected an int, but received {type(value).__name__}.")
    return int(value)


class ConstantInitializer(Initializer):
    """Fills a parameter with one number.

    Args:
        value (float): the number. Default: 0.0.
        force_cpu (bool): fill it in main memory. Default: False.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            attr = paddle.ParamAttr(initializer=fluid.initializer.Constant(2.0))
            print(paddle.nn.Linear(1, 2, weight_attr=attr).weight.numpy())  # [[2. 2.]]
    """

    def __init__(self, value: float = 0.0, force_cpu: bool = False) -> None:
        self._number = number("Constant(value)", value)
        self._force_cpu = bool(force_cpu)

    def _value(self, shape: list[int], dtype: VarType) -> Tensor:
        attrs = {"force_cpu": True} if self._force_cpu else {}
        return C.fill_constant(shape=shape, dtype=int(dtype), value=self._number, **attrs)


class UniformInitializer(Initializer):
    """Draws from the uniform distribution on [low, high).

    Args:
        low (float): lower bound. Default: -1.0.
        high (float): upper bound. Default: 1.0.
        seed (int): of the random numbers; 0 takes the Program's. Default: 0.
        diag_num (int): how many elements of a diagonal get a number of their own. Default: 0.
        diag_step (int): distance of the diagonal from the main one. Default: 0.
        diag_val (float): the number on it. Default: 1.0.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            attr = paddle.ParamAttr(initializer=fluid.initializer.Uniform(-0.5, 0.5))
            print(abs(paddle.nn.Linear(3, 2, weight_attr=attr).weight.numpy()).max() <= 0.5)  # True
    """

    def __init__(
        self,
        low: float = -1.0,
        high: float = 1.0,
        seed: int = 0,
        diag_num: int = 0,
        diag_step: int = 0,
        diag_val: float = 1.0,
    ) -> None:
        self._low, self._high = number("Uniform(low)", low), number("Uniform(high)", high)
        if self._high < self._low:
            raise ValueError(f"Uniform: expected high >= low, but received {low} and {high}.")
        self._seed = _seed("Uniform", seed)
        self._diagonal = {
            "diag_num": int(diag_num), "diag_step": int(diag_step),
            "diag_val": number("Uniform(diag_val)", diag_val),
        }  # fmt: skip

    def _value(self, shape: list[int], dtype: VarType) -> Tensor:
        return C.uniform_random(
            shape=shape, min=self._low, max=self._high, seed=self._seed,
            dtype=floating(self, dtype), **self._diagonal,
        )  # fmt: skip


class NormalInitializer(Initializer):
    """Draws from the normal distribution.

    Args:
        loc (float): its mean. Default: 0.0.
        scale (float): its standard deviation. Default: 1.0.
        seed (int): of the random numbers; 0 takes the Program's. Default: 0.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            attr = paddle.ParamAttr(initializer=fluid.initializer.Normal(scale=0.02))
            print(paddle.nn.Linear(3, 2, weight_attr=attr).weight.shape)  # [3, 2]
    """

    def __init__(self, loc: float = 0.0, scale: float = 1.0, seed: int = 0) -> None:
        owner = type(self).__name__.removesuffix("Initializer")
        self._mean = number(f"{owner}(loc)", loc)
        self._std = number(f"{owner}(scale)", scale, least=0)
        self._seed = _seed(owner, seed)

    def _given(self, shape: list[int], dtype: VarType) -> dict[str, Any]:
        return {"shape": shape, "mean": self._mean, "std": self._std, "seed": self._seed,
                "dtype": floating(self, dtype)}  # fmt: skip

    def _value(self, shape: list[int], dtype: VarType) -> Tensor:
        return C.gaussian_random(**self._given(shape, dtype))


class TruncatedNormalInitializer(NormalInitializer):
    """Draws from the normal distribution without what lies beyond two standard deviations.

    Args:
        loc (float): its mean. Default: 0.0.
        scale (float): its standard deviation. Default: 1.0.
        seed (int): of the random numbers; 0 takes the Program's. Default: 0.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            attr = paddle.ParamAttr(initializer=fluid.initializer.TruncatedNormal(scale=0.02))
            print(abs(paddle.nn.Linear(3, 2, weight_attr=attr).weight.numpy()).max() < 0.05)  # True
    """

    def _value(self, shape: list[int], dtype: VarType) -> Tensor:
        return C.truncated_gaussian_random(**self._given(shape, dtype))


class _Scaled(Initializer):
    """Mean zero, and a variance by the fans of the weight."""

    _uniform: bool
    _fan_in: float | None = None
    _fan_out: float | None = None
    _seed: int

    def _variance(self, fan_in: float, fan_out: float) -> float:
        raise NotImplementedError

    def _value(self, shape: list[int], dtype: VarType) -> Tensor:
        code = floating(self, dtype)
        found = fans(shape)
        fan_in = self._fan_in or max(found[0], 1)
        fan_out = self._fan_out or max(found[1], 1)
        variance = self._variance(fan_in, fan_out)
        if not self._uniform:
            return C.gaussian_random(
                shape=shape, mean=0.0, std=math.sqrt(variance), seed=self._seed, dtype=code
            )
        limit = math.sqrt(3.0 * variance)
        return C.uniform_random(shape=shape, min=-limit, max=limit, seed=self._seed, dtype=code)


class XavierInitializer(_Scaled):
    """Keeps activations and gradients at one scale, by Glorot and Bengio (2010).

    Args:
        uniform (bool): draw from a uniform distribution, else from a normal one. Default: True.
        fan_in (float, optional): inputs of one output; None takes it from the weight's shape.
        fan_out (float, optional): outputs fed by one input; None takes it from the weight's shape.
        seed (int): of the random numbers; 0 takes the Program's. Default: 0.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            attr = paddle.ParamAttr(initializer=fluid.initializer.Xavier(uniform=False))
            print(paddle.nn.Linear(3, 2, weight_attr=attr).weight.shape)  # [3, 2]
    """

    def __init__(
        self,
        uniform: bool = True,
        fan_in: float | None = None,
        fan_out: float | None = None,
        seed: int = 0,
    ) -> None:
        if uniform is None:
            raise TypeError("Xavier(uniform): expected a bool, but received None.")
        self._uniform = bool(uniform)
        self._fan_in = optional_fan("Xavier(fan_in)", fan_in)
        self._fan_out = optional_fan("Xavier(fan_out)", fan_out)
        self._seed = _seed("Xavier", seed)

    def _variance(self, fan_in: float, fan_out: float) -> float:
        return 2.0 / (fan_in + fan_out)


class MSRAInitializer(_Scaled):
    """For weights before a ReLU, by He et al. (2015), https://arxiv.org/abs/1502.01852.

    Args:
        uniform (bool): draw from a uniform distribution, else from a normal one. Default: True.
        fan_in (float, optional): inputs of one output; None takes it from the weight's shape.
        seed (int): of the random numbers; 0 takes the Program's. Default: 0.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            attr = paddle.ParamAttr(initializer=fluid.initializer.MSRA(uniform=False))
            print(paddle.nn.Linear(3, 2, weight_attr=attr).weight.shape)  # [3, 2]
    """

    def __init__(self, uniform: bool = True, fan_in: float | None = None, seed: int = 0) -> None:
        if uniform is None:
            raise TypeError("MSRA(uniform): expected a bool, but received None.")
        self._uniform = bool(uniform)
        self._fan_in = optional_fan("MSRA(fan_in)", fan_in)
        self._seed = _seed("MSRA", seed)

    def _variance(self, fan_in: float, fan_out: float) -> float:
        return 2.0 / fan_in


class BilinearInitializer(Bilinear2):
    """The weight of a transposed convolution that enlarges pictures by interpolation.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            attr = paddle.ParamAttr(initializer=fluid.initializer.Bilinear())
            layer = paddle.nn.Conv2DTranspose(1, 1, 4, stride=2, padding=1, weight_attr=attr)
            print(layer.weight.shape)  # [1, 1, 4, 4]
    """

    _first_in_1x = False

    def _value(self, shape: list[int], dtype: VarType) -> np.ndarray:
        kernel = super()._value(shape, dtype)
        size = shape[3]
        at = np.arange(kernel.size)
        factor = math.ceil(size / 2)
        center = (2 * factor - 1 - factor % 2) / (2.0 * factor)
        # 1.8.5 does not round the row's number down, so rows run into each other.
        x, y = at % size, (at / size) % size
        line = (1 - abs(x / factor - center)) * (1 - abs(y / factor - center))
        return line.astype(kernel.dtype).reshape(shape)


class NumpyArrayInitializer(Initializer):
    """Fills a parameter with an array.

    Args:
        value (np.ndarray): the values, at most 1024 * 1024 of them.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.fluid as fluid
            init = fluid.initializer.NumpyArrayInitializer(np.array([[1.0, 2.0]], "float32"))
            layer = paddle.nn.Linear(1, 2, weight_attr=paddle.ParamAttr(initializer=init))
            print(layer.weight.numpy())  # [[1. 2.]]
    """

    _makes_new = False
    _computes = True

    def __init__(self, value: Any) -> None:
        if not isinstance(value, np.ndarray):
            raise TypeError(
                "NumpyArrayInitializer(value): expected a numpy.ndarray, "
                f"but received {type(value).__name__}."
            )
        self._given = value

    def _value(self, shape: list[int], dtype: VarType) -> Any:
        if self._given.size > 1024 * 1024:
            raise ValueError(
                "NumpyArrayInitializer: the array has too many elements for an operator of the "
                f"startup Program, {self._given.size}; load it from a file instead."
            )
        return self._given

    def __repr__(self) -> str:
        return f"NumpyArrayInitializer(value of shape {list(self._given.shape)})"


Bilinear = BilinearInitializer
Constant = ConstantInitializer
MSRA = MSRAInitializer
Normal = NormalInitializer
TruncatedNormal = TruncatedNormalInitializer
Uniform = UniformInitializer
Xavier = XavierInitializer
