"""Adagrad, Adadelta and RMSProp: step sizes from the history of squared gradients."""

from __future__ import annotations

from typing import Any

from paddle.ops.optimizer import updates
from paddle.optimizer import arguments
from paddle.optimizer.optimizer import Optimizer

__all__ = ["Adadelta", "Adagrad", "RMSProp"]


class Adagrad(Optimizer):
    r"""Adagrad: :math:`m = m + g^2,\; p = p - lr \cdot g / (\sqrt{m} + \epsilon)`.

    Args:
        learning_rate (float|LRScheduler): the step size.
        epsilon (float): keeps the division finite. Default: 1e-6.
        parameters (list): what to train.
        weight_decay (float|L1Decay|L2Decay, optional): penalty on the parameters.
        grad_clip (optional): gradient clipping.
        name (str, optional): becomes a part of the accumulators' names.
        initial_accumulator_value (float): what m starts with. Default: 0.0.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(10, 10)
            opt = paddle.optimizer.Adagrad(0.1, parameters=linear.parameters())
            linear(paddle.rand([10, 10])).mean().backward()
            opt.step()
            opt.clear_grad()
    """

    _rule = updates.adagrad
    _group_options = {
        "epsilon": arguments.epsilon,
        "initial_accumulator_value": arguments.number,
    }

    def __init__(
        self,
        learning_rate: Any,
        epsilon: float = 1e-06,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        initial_accumulator_value: float = 0.0,
    ) -> None:
        self._keep(epsilon=epsilon, initial_accumulator_value=initial_accumulator_value)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _first(self, slot: str, param: Any) -> float:
        return self._group_of(param)["initial_accumulator_value"]


class Adadelta(Optimizer):
    r"""Adadelta, https://arxiv.org/abs/1212.5701.

    .. math::
        E_g = \rho E_g + (1 - \rho) g^2, \quad
        u = \sqrt{\frac{E_u + \epsilon}{E_g + \epsilon}}\, g, \quad
        E_u = \rho E_u + (1 - \rho) u^2, \quad p = p - lr \cdot u

    Args:
        learning_rate (float|LRScheduler): factor on the update. Default: 0.001.
        epsilon (float): keeps the division finite. Default: 1e-6.
        rho (float): decay of the averages. Default: 0.95.
        parameters (list): what to train.
        weight_decay (float|L1Decay|L2Decay, optional): penalty on the parameters.
        grad_clip (optional): gradient clipping.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(10, 10)
            opt = paddle.optimizer.Adadelta(1.0, parameters=linear.parameters())
            linear(paddle.rand([10, 10])).mean().backward()
            opt.step()
            opt.clear_grad()
    """

    _rule = updates.adadelta
    _group_options = {"epsilon": arguments.epsilon, "rho": arguments.number}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        epsilon: float = 1e-06,
        rho: float = 0.95,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._keep(epsilon=epsilon, rho=rho)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)


class RMSProp(Optimizer):
    r"""RMSProp, optionally centered and with momentum.

    .. math::
        s = \rho s + (1 - \rho) g^2, \quad
        m = momentum \cdot m + \frac{lr \cdot g}{\sqrt{s - [centered] \bar g^2 + \epsilon}}, \quad
        p = p - m

    Args:
        learning_rate (float|LRScheduler): the step size.
        rho (float): decay of the averages. Default: 0.95.
        epsilon (float): keeps the division finite. Default: 1e-6.
        momentum (float): factor of the momentum. Default: 0.0.
        centered (bool): subtract the square of the mean gradient. Default: False.
        parameters (list): what to train.
        weight_decay (float|L1Decay|L2Decay, optional): penalty on the parameters.
        grad_clip (optional): gradient clipping.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(10, 10)
            opt = paddle.optimizer.RMSProp(0.1, parameters=linear.parameters())
            linear(paddle.rand([10, 10])).mean().backward()
            opt.step()
            opt.clear_grad()
    """

    _rule = updates.rmsprop
    _group_options = {
        "rho": arguments.number,
        "epsilon": arguments.epsilon,
        "momentum": arguments.number,
        "centered": arguments.switch,
    }

    def __init__(
        self,
        learning_rate: Any,
        rho: float = 0.95,
        epsilon: float = 1e-06,
        momentum: float = 0.0,
        centered: bool = False,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._keep(rho=rho, epsilon=epsilon, momentum=momentum, centered=centered)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
