"""SGD and Momentum."""

from __future__ import annotations

from typing import Any

from paddle.ops.optimizer import updates
from paddle.optimizer import arguments
from paddle.optimizer.optimizer import Optimizer

__all__ = ["SGD", "Momentum"]


class SGD(Optimizer):
    r"""Plain gradient descent: :math:`p = p - lr \cdot g`.

    Args:
        learning_rate (float|LRScheduler): the step size. Default: 0.001.
        parameters (list): what to train.
        weight_decay (float|L1Decay|L2Decay, optional): penalty on the parameters.
        grad_clip (optional): gradient clipping.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(10, 10)
            sgd = paddle.optimizer.SGD(learning_rate=0.1, parameters=linear.parameters())
            linear(paddle.rand([10, 10])).mean().backward()
            sgd.step()
            sgd.clear_grad()
    """

    _rule = updates.sgd

    def __init__(
        self,
        learning_rate: Any = 0.001,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)


class Momentum(Optimizer):
    r"""Gradient descent with momentum.

    .. math::
        v = \mu v + g, \qquad p = p - lr \cdot v

    With ``use_nesterov``: :math:`p = p - lr \cdot (g + \mu v)`.

    Args:
        learning_rate (float|LRScheduler): the step size. Default: 0.001.
        momentum (float): the factor mu. Default: 0.9.
        parameters (list): what to train.
        use_nesterov (bool): Nesterov's form. Default: False.
        weight_decay (float|L1Decay|L2Decay, optional): penalty on the parameters.
        grad_clip (optional): gradient clipping.
        multi_precision (bool): keep float32 master copies of float16 parameters. Default: False.
        rescale_grad (float): factor on the gradient. Default: 1.0.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(10, 10)
            opt = paddle.optimizer.Momentum(0.1, 0.9, parameters=linear.parameters())
            linear(paddle.rand([10, 10])).mean().backward()
            opt.step()
            opt.clear_grad()
    """

    _rule = updates.momentum
    _group_options = {
        "momentum": arguments.number,
        "use_nesterov": arguments.switch,
        "rescale_grad": arguments.number,
    }

    def __init__(
        self,
        learning_rate: Any = 0.001,
        momentum: float = 0.9,
        parameters: Any = None,
        use_nesterov: bool = False,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        rescale_grad: float = 1.0,
        name: str | None = None,
    ) -> None:
        self._keep(momentum=momentum, use_nesterov=use_nesterov, rescale_grad=rescale_grad)
        self._multi_precision = bool(multi_precision)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
