"""Adamax and Lamb: relatives of Adam."""

from __future__ import annotations

from typing import Any

from paddle.ops.optimizer import updates
from paddle.optimizer import arguments
from paddle.optimizer.optimizer import Optimizer

__all__ = ["Adamax", "Lamb"]


class Adamax(Optimizer):
    r"""Adam with the infinity norm, https://arxiv.org/abs/1412.6980, section 7.

    .. math::
        m = \beta_1 m + (1 - \beta_1) g, \quad u = \max(\beta_2 u + \epsilon, |g|), \quad
        p = p - \frac{lr}{1 - \beta_1^t} \frac{m}{u}

    Args:
        learning_rate (float|LRScheduler): the step size. Default: 0.001.
        beta1 (float): decay of the moment. Default: 0.9.
        beta2 (float): decay of the norm. Default: 0.999.
        epsilon (float): keeps the division finite. Default: 1e-8.
        parameters (list): what to train.
        weight_decay (float|L1Decay|L2Decay, optional): penalty on the parameters.
        grad_clip (optional): gradient clipping.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(10, 10)
            opt = paddle.optimizer.Adamax(0.1, parameters=linear.parameters())
            linear(paddle.rand([10, 10])).mean().backward()
            opt.step()
            opt.clear_grad()
    """

    _rule = updates.adamax
    _group_options = {
        "beta1": arguments.beta,
        "beta2": arguments.beta,
        "epsilon": arguments.epsilon,
    }

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: float = 1e-08,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._keep(beta1=beta1, beta2=beta2, epsilon=epsilon)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)


class Lamb(Optimizer):
    r"""LAMB, layer-wise adaptive moments for large batches, https://arxiv.org/abs/1904.00962.

    Args:
        learning_rate (float|LRScheduler): the step size. Default: 0.001.
        lamb_weight_decay (float): coefficient of the decoupled decay. Default: 0.01.
        beta1 (float): decay of the first moment. Default: 0.9.
        beta2 (float): decay of the second moment. Default: 0.999.
        epsilon (float): keeps the division finite. Default: 1e-6.
        parameters (list): what to train.
        grad_clip (optional): gradient clipping.
        exclude_from_weight_decay_fn (callable, optional): takes a parameter; True means no decay.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(10, 10)
            opt = paddle.optimizer.Lamb(0.002, 0.01, parameters=linear.parameters())
            linear(paddle.rand([10, 10])).mean().backward()
            opt.step()
            opt.clear_grad()
    """

    _rule = updates.lamb
    _group_options = {
        "beta1": arguments.beta,
        "beta2": arguments.beta,
        "epsilon": arguments.epsilon,
        "lamb_weight_decay": arguments.number,
        "exclude_from_weight_decay_fn": arguments.function,
    }

    def __init__(
        self,
        learning_rate: Any = 0.001,
        lamb_weight_decay: float = 0.01,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: float = 1e-06,
        parameters: Any = None,
        grad_clip: Any = None,
        exclude_from_weight_decay_fn: Any = None,
        name: str | None = None,
    ) -> None:
        self._keep(beta1=beta1, beta2=beta2, epsilon=epsilon, lamb_weight_decay=lamb_weight_decay)
        self._keep(exclude_from_weight_decay_fn=exclude_from_weight_decay_fn)
        super().__init__(learning_rate, parameters, None, grad_clip, name)

    def _settings(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        excluded = group["exclude_from_weight_decay_fn"]
        decay = 0.0 if excluded is not None and excluded(param) else group["lamb_weight_decay"]
        return {**super()._settings(param, group), "weight_decay": decay}
