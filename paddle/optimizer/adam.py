"""Adam, AdamW, Adamax and Lamb: optimizers with moments and a count of updates."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.ops import optimizer as kernels
from paddle.optimizer.optimizer import Optimizer

__all__ = ["Adam", "AdamW", "Adamax", "Lamb"]


def check_beta(owner: str, name: str, value: Any) -> Any:
    """Checks a decay rate in [0, 1); a one-element Tensor is taken too."""
    number = float(value) if isinstance(value, Tensor) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise TypeError(f"{owner}({name}): expected a float or Tensor, got {type(value).__name__}.")
    if not 0 <= number < 1:
        raise InvalidArgumentError(f"{owner}({name}): expected 0 <= {name} < 1, got {number}.")
    return float(number)


def check_epsilon(owner: str, value: Any) -> float:
    """Checks a small non-negative number."""
    number = float(value) if isinstance(value, Tensor) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise TypeError(f"{owner}(epsilon): expected a float, got {type(value).__name__}.")
    if not number >= 0:
        raise InvalidArgumentError(f"{owner}(epsilon): expected epsilon >= 0, got {number}.")
    return float(number)


class _Counting(Optimizer):
    """Keeps the number of updates; saved as powers of beta, the way PaddlePaddle stores it."""

    _beta1: float
    _beta2: float
    _powers: tuple[str, ...] = ("beta1_pow_acc", "beta2_pow_acc")

    def _counters(self) -> tuple[str, ...]:
        return self._powers

    def _counter_state(self, param: Tensor) -> dict[str, Tensor]:
        steps = self._steps.get(param.name)
        if steps is None:
            return {}
        state = {}
        for power in self._powers:
            beta = self._beta1 if "beta1" in power else self._beta2
            name = f"{param.name}_{power}_0"
            state[name] = Tensor([beta ** (steps + 1)], dtype="float32")
            state[name].name = name
        return state

    def _load_counter(self, slot: str, param: Tensor, value: Any) -> None:
        """Finds the number of updates again; beta2's power keeps its precision longest."""
        beta = self._beta1 if "beta1" in slot else self._beta2
        number = float(value)
        if slot != self._powers[-1] and number < 1e-30:
            return
        if 0 < number <= 1 and 0 < beta < 1:
            self._steps[param.name] = max(round(math.log(number) / math.log(beta)) - 1, 0)


class Adam(_Counting):
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
        lazy_mode (bool): for sparse gradients update only the rows that occur; dense gradients,
            the only ones so far, are updated whole either way. Default: False.
        multi_precision (bool): keep float32 master copies of float16 parameters. Default: False.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(10, 10)
            adam = paddle.optimizer.Adam(learning_rate=0.1, parameters=linear.parameters())
            linear(paddle.rand([10, 10])).mean().backward()
            adam.step()
            adam.clear_grad()
    """

    _slots = {"moment1": 0.0, "moment2": 0.0}
    _folds_l2 = True
    _decoupled = False

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
        owner = type(self).__name__
        self._beta1 = check_beta(owner, "beta1", beta1)
        self._beta2 = check_beta(owner, "beta2", beta2)
        self._epsilon = check_epsilon(owner, epsilon)
        self._lazy_mode = lazy_mode
        self._multi_precision = multi_precision
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _group_options(self) -> tuple[str, ...]:
        return ("beta1", "beta2", "epsilon")

    def _master(self, param: Tensor) -> bool:
        return self._multi_precision and kernels.is_half(param._buf)

    def _update(self, params, weights, grads, rate, decay, group) -> None:
        moment1, moment2 = self._states("moment1", params), self._states("moment2", params)
        for number, chosen in self._count(params).items():
            lists = (weights, grads, moment1, moment2)
            if len(chosen) != len(params):
                lists = tuple([some[i] for i in chosen] for some in lists)
            kernels.adam_all(
                *lists,
                kernels.step_number(number, weights[0]),
                rate,
                group.get("beta1", self._beta1),
                group.get("beta2", self._beta2),
                group.get("epsilon", self._epsilon),
                decay,
                self._decoupled,
            )


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
        lazy_mode (bool): see Adam. Default: False.
        multi_precision (bool): keep float32 master copies of float16 parameters. Default: False.
        name (str, optional): not used in dynamic mode.

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

    _decoupled = True
    _folds_l2 = False

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
        self._coeff = self._as_coeff(weight_decay)
        if apply_decay_param_fun is not None and not callable(apply_decay_param_fun):
            raise TypeError(
                "AdamW(apply_decay_param_fun): expected a callable, "
                f"got {type(apply_decay_param_fun).__name__}."
            )
        self._apply_decay_param_fun = apply_decay_param_fun
        super().__init__(
            learning_rate, beta1, beta2, epsilon, parameters, None, grad_clip, lazy_mode,
            multi_precision, name,
        )  # fmt: skip

    @staticmethod
    def _as_coeff(value: Any) -> float:
        if isinstance(value, Tensor):
            value = float(value)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"AdamW(weight_decay): expected a float, got {type(value).__name__}.")
        return float(value)

    def _group_decay(self, value: Any) -> None:
        self._as_coeff(value)  # read by _update; no penalty is added to the gradient

    def _update(self, params, weights, grads, rate, decay, group) -> None:
        coeff = group.get("weight_decay", self._coeff)
        chosen = self._apply_decay_param_fun
        if chosen is None:
            super()._update(params, weights, grads, rate, coeff, group)
            return
        for flag in (True, False):
            at = [i for i, p in enumerate(params) if bool(chosen(p.name)) is flag]
            if at:
                some = ([listed[i] for i in at] for listed in (params, weights, grads))
                super()._update(*some, rate, coeff if flag else 0.0, group)


class Adamax(_Counting):
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
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(10, 10)
            opt = paddle.optimizer.Adamax(0.1, parameters=linear.parameters())
            linear(paddle.rand([10, 10])).mean().backward()
            opt.step()
            opt.clear_grad()
    """

    _slots = {"moment": 0.0, "inf_norm": 0.0}
    _powers = ("beta1_pow_acc",)

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
        self._beta1 = check_beta("Adamax", "beta1", beta1)
        self._beta2 = check_beta("Adamax", "beta2", beta2)
        self._epsilon = check_epsilon("Adamax", epsilon)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _update(self, params, weights, grads, rate, decay, group) -> None:
        moment, inf_norm = self._states("moment", params), self._states("inf_norm", params)
        for number, chosen in self._count(params).items():
            lists = ([some[i] for i in chosen] for some in (weights, grads, moment, inf_norm))
            kernels.adamax_all(*lists, number, rate, self._beta1, self._beta2, self._epsilon)


class Lamb(_Counting):
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
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(10, 10)
            opt = paddle.optimizer.Lamb(0.002, 0.01, parameters=linear.parameters())
            linear(paddle.rand([10, 10])).mean().backward()
            opt.step()
            opt.clear_grad()
    """

    _slots = {"moment1": 0.0, "moment2": 0.0}

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
        self._beta1 = check_beta("Lamb", "beta1", beta1)
        self._beta2 = check_beta("Lamb", "beta2", beta2)
        self._epsilon = check_epsilon("Lamb", epsilon)
        if isinstance(lamb_weight_decay, bool) or not isinstance(lamb_weight_decay, (int, float)):
            raise TypeError(
                "Lamb(lamb_weight_decay): expected a float, "
                f"got {type(lamb_weight_decay).__name__}."
            )
        self._coeff = float(lamb_weight_decay)
        self._exclude = exclude_from_weight_decay_fn
        super().__init__(learning_rate, parameters, None, grad_clip, name)

    def _update(self, params, weights, grads, rate, decay, group) -> None:
        moment1, moment2 = self._states("moment1", params), self._states("moment2", params)
        free = [self._exclude is not None and bool(self._exclude(p)) for p in params]
        for number, chosen in self._count(params).items():
            for without in (False, True):
                at = [i for i in chosen if free[i] is without]
                if at:
                    lists = ([some[i] for i in at] for some in (weights, grads, moment1, moment2))
                    coeff = 0.0 if without else self._coeff
                    kernels.lamb_all(
                        *lists, number, rate, self._beta1, self._beta2, self._epsilon, coeff
                    )
