"""Adam and AdamW."""

from __future__ import annotations

from typing import Any

from paddle.ops.optimizer import updates
from paddle.optimizer import arguments
from paddle.optimizer.optimizer import Optimizer

__all__ = ["Adam", "AdamW"]


class Adam(Optimizer):
    r"""Adam, https://arxiv.org/abs/1412.6980.

    .. math::
        m = \beta_1 m + (1 - \beta_1) g, \quad v = \beta_2 v + (1 - \beta_2) g^2

        p = p - lr \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t}
            \frac{m}{\sqrt{v} + \epsilon \sqrt{1 - \beta_2^t}}

    Args:
        learning_rate (float|LRScheduler): the step size. Default: 0.001.
        beta1 (float|Tensor): decay of the first moment. Default: 0.9.
        beta2 (float|Tensor): decay of the second moment. Default: 0.999.
        epsilon (float): keeps the division finite. Default: 1e-8.
        parameters (list): what to train.
        weight_decay (float|L1Decay|L2Decay, optional): penalty on the parameters.
        grad_clip (optional): gradient clipping.
        lazy_mode (bool): of a table with ``Embedding(sparse=True)`` update only the rows that
            occur, moments included. Default: False.
        multi_precision (bool): keep float32 master copies of float16 parameters. Default: False.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(10, 10)
            adam = paddle.optimizer.Adam(learning_rate=0.1, parameters=linear.parameters())
            linear(paddle.rand([10, 10])).mean().backward()
            adam.step()
            adam.clear_grad()
    """

    _rule = updates.adam
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
        lazy_mode: bool = False,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        self._keep(beta1=beta1, beta2=beta2, epsilon=epsilon)
        self._lazy_mode = bool(lazy_mode)
        self._multi_precision = bool(multi_precision)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)


class AdamW(Adam):
    r"""Adam with decoupled weight decay, https://arxiv.org/abs/1711.05101.

    Before Adam's update, :math:`p = p - lr \cdot coeff \cdot p`.

    Args:
        learning_rate (float|LRScheduler): the step size. Default: 0.001.
        beta1 (float|Tensor): decay of the first moment. Default: 0.9.
        beta2 (float|Tensor): decay of the second moment. Default: 0.999.
        epsilon (float): keeps the division finite. Default: 1e-8.
        parameters (list): what to train.
        weight_decay (float): the coefficient. Default: 0.01.
        apply_decay_param_fun (callable, optional): takes a parameter's name; only where it returns
            True is the parameter decayed.
        grad_clip (optional): gradient clipping.
        lazy_mode (bool): see Adam; the decay reaches every row nevertheless. Default: False.
        multi_precision (bool): keep float32 master copies of float16 parameters. Default: False.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(10, 10)
            opt = paddle.optimizer.AdamW(
                0.1, parameters=linear.parameters(), weight_decay=0.01,
                apply_decay_param_fun=lambda name: "b_0" not in name)
            linear(paddle.rand([10, 10])).mean().backward()
            opt.step()
            opt.clear_grad()
    """

    _rule = updates.adamw

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: float = 1e-08,
        parameters: Any = None,
        weight_decay: Any = 0.01,
        apply_decay_param_fun: Any = None,
        grad_clip: Any = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        self._coeff = arguments.number("AdamW", "weight_decay", weight_decay)
        self._apply_decay_param_fun = arguments.function(
            "AdamW", "apply_decay_param_fun", apply_decay_param_fun
        )
        super().__init__(
            learning_rate, beta1, beta2, epsilon, parameters, None, grad_clip, lazy_mode,
            multi_precision, name,
        )  # fmt: skip

    def _check_group(self, group: dict[str, Any]) -> None:
        coeff = group.pop("weight_decay", self._coeff)  # no penalty that goes into the gradient
        super()._check_group(group)
        group["coeff"] = arguments.number("AdamW", "weight_decay", coeff)

    def _settings(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        chosen = self._apply_decay_param_fun
        decays = bool(group["coeff"]) and (chosen is None or bool(chosen(param.name)))
        return {**super()._settings(param, group), "coeff": group["coeff"], "with_decay": decays}
