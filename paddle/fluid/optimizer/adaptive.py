"""Adam, Adagrad, RMSProp and others that scale the step by former gradients."""

from __future__ import annotations

import math
from typing import Any

from paddle.fluid.optimizer.base import Optimizer
from paddle.ops.optimizer import single_rules, updates
from paddle.optimizer import arguments

__all__ = [
    "Adadelta",
    "AdadeltaOptimizer",
    "Adagrad",
    "AdagradOptimizer",
    "Adam",
    "AdamOptimizer",
    "Adamax",
    "AdamaxOptimizer",
    "DecayedAdagrad",
    "DecayedAdagradOptimizer",
    "Lamb",
    "LambOptimizer",
    "RMSProp",
    "RMSPropOptimizer",
]


class AdagradOptimizer(Optimizer):
    """Adagrad: ``m += g * g``, ``p -= lr * g / (sqrt(m) + epsilon)``.

    Args:
        learning_rate (float|Variable|LearningRateDecay): the step size.
        epsilon (float): keeps the division finite. Default: 1e-06.
        parameter_list (list, optional): what to train; dygraph needs it.
        regularization (WeightDecayRegularizer, optional): for parameters without one of
            their own.
        grad_clip (GradientClipBase, optional): clips the gradients before.
        name (str, optional): becomes a part of the accumulators' names.
        initial_accumulator_value (float): what the accumulators start with. Default: 0.0.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                linear = paddle.nn.Linear(3, 2)
                opt = fluid.optimizer.Adagrad(0.1, parameter_list=linear.parameters())
                loss = paddle.mean(linear(paddle.ones([4, 3])))
                loss.backward()
                opt.minimize(loss)
                linear.clear_gradients()
    """

    type = "adagrad"
    _rule = updates.adagrad
    _group_options = {
        "epsilon": arguments.epsilon,
    }

    def __init__(
        self,
        learning_rate: Any,
        epsilon: float = 1e-06,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        initial_accumulator_value: float = 0.0,
    ) -> None:
        self._keep(epsilon=epsilon)
        self._start = arguments.number(
            "Adagrad", "initial_accumulator_value", initial_accumulator_value
        )
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)

    def _first(self, slot: str, param: Any) -> float:
        return self._start


class AdamOptimizer(Optimizer):
    """Adam, https://arxiv.org/abs/1412.6980.

    Args:
        learning_rate (float|Variable|LearningRateDecay): the step size. Default: 0.001.
        beta1 (float): decay of the first moment. Default: 0.9.
        beta2 (float): decay of the second moment. Default: 0.999.
        epsilon (float): keeps the division finite. Default: 1e-08.
        parameter_list (list, optional): what to train; dygraph needs it.
        regularization (WeightDecayRegularizer, optional): for parameters without one of
            their own.
        grad_clip (GradientClipBase, optional): clips the gradients before.
        name (str, optional): becomes a part of the accumulators' names.
        lazy_mode (bool): of a table update only the rows that occur. Default: False.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                linear = paddle.nn.Linear(3, 2)
                opt = fluid.optimizer.Adam(0.1, parameter_list=linear.parameters())
                loss = paddle.mean(linear(paddle.ones([4, 3])))
                loss.backward()
                opt.minimize(loss)
                linear.clear_gradients()
    """

    type = "adam"
    _rule = updates.adam
    _group_options = {
        "beta1": arguments.beta,
        "beta2": arguments.beta,
        "epsilon": arguments.epsilon,
    }
    _further_attrs = {"min_row_size_to_use_multithread": 1000}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-08,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        lazy_mode: bool = False,
    ) -> None:
        self._keep(beta1=beta1, beta2=beta2, epsilon=epsilon)
        self._lazy_mode = bool(lazy_mode)
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)

    def _before_update(self, batch: Any) -> None:
        # 1.x does not scale epsilon with the correction of the bias
        (group,) = self._param_groups
        correction = math.sqrt(1.0 - group["beta2"] ** (batch.count.done + 1 + batch.count.ahead))
        batch.fused.settings["epsilon"] = group["epsilon"] / correction


class AdamaxOptimizer(Optimizer):
    """Adamax, Adam by the largest gradient, https://arxiv.org/abs/1412.6980.

    Args:
        learning_rate (float|Variable|LearningRateDecay): the step size. Default: 0.001.
        beta1 (float): decay of the first moment. Default: 0.9.
        beta2 (float): decay of the norm. Default: 0.999.
        epsilon (float): keeps the division finite. Default: 1e-08.
        parameter_list (list, optional): what to train; dygraph needs it.
        regularization (WeightDecayRegularizer, optional): for parameters without one of
            their own.
        grad_clip (GradientClipBase, optional): clips the gradients before.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                linear = paddle.nn.Linear(3, 2)
                opt = fluid.optimizer.Adamax(0.1, parameter_list=linear.parameters())
                loss = paddle.mean(linear(paddle.ones([4, 3])))
                loss.backward()
                opt.minimize(loss)
                linear.clear_gradients()
    """

    type = "adamax"
    _rule = updates.adamax
    _group_options = {
        "beta1": arguments.beta,
        "beta2": arguments.beta,
        "epsilon": arguments.epsilon,
    }

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-08,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._keep(beta1=beta1, beta2=beta2, epsilon=epsilon)
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)


class DecayedAdagradOptimizer(Optimizer):
    """Adagrad that forgets: ``m = decay * m + (1 - decay) * g * g``.

    Args:
        learning_rate (float|Variable|LearningRateDecay): the step size.
        decay (float): decay of the squared gradients. Default: 0.95.
        epsilon (float): keeps the division finite. Default: 1e-06.
        parameter_list (list, optional): what to train; dygraph needs it.
        regularization (WeightDecayRegularizer, optional): for parameters without one of
            their own.
        grad_clip (GradientClipBase, optional): clips the gradients before.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                linear = paddle.nn.Linear(3, 2)
                opt = fluid.optimizer.DecayedAdagrad(0.1, parameter_list=linear.parameters())
                loss = paddle.mean(linear(paddle.ones([4, 3])))
                loss.backward()
                opt.minimize(loss)
                linear.clear_gradients()
    """

    type = "decayed_adagrad"
    _rule = single_rules.decayed_adagrad
    _group_options = {
        "rho": arguments.number,
        "epsilon": arguments.epsilon,
    }

    def __init__(
        self,
        learning_rate: Any,
        decay: float = 0.95,
        epsilon: float = 1e-06,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._keep(rho=decay, epsilon=epsilon)
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)


class AdadeltaOptimizer(Optimizer):
    """Adadelta, https://arxiv.org/abs/1212.5701; the learning rate has no effect.

    Args:
        learning_rate (float|Variable|LearningRateDecay): the step size.
        epsilon (float): keeps the division finite. Default: 1e-06.
        rho (float): decay of the averages. Default: 0.95.
        parameter_list (list, optional): what to train; dygraph needs it.
        regularization (WeightDecayRegularizer, optional): for parameters without one of
            their own.
        grad_clip (GradientClipBase, optional): clips the gradients before.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                linear = paddle.nn.Linear(3, 2)
                opt = fluid.optimizer.Adadelta(0.1, parameter_list=linear.parameters())
                loss = paddle.mean(linear(paddle.ones([4, 3])))
                loss.backward()
                opt.minimize(loss)
                linear.clear_gradients()
    """

    type = "adadelta"
    _rule = updates.adadelta
    _group_options = {
        "epsilon": arguments.epsilon,
        "rho": arguments.number,
    }
    _takes_rate = False

    def _step_batch(self, batch: Any, grads: list, rate: float) -> None:
        super()._step_batch(batch, grads, None)  # type: ignore[arg-type]

    def __init__(
        self,
        learning_rate: Any,
        epsilon: float = 1e-06,
        rho: float = 0.95,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._keep(epsilon=epsilon, rho=rho)
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)


class RMSPropOptimizer(Optimizer):
    """RMSProp: gradients divided by the root of their mean square.

    Args:
        learning_rate (float|Variable|LearningRateDecay): the step size.
        rho (float): decay of the mean square. Default: 0.95.
        epsilon (float): keeps the division finite. Default: 1e-06.
        momentum (float): factor of the last update. Default: 0.0.
        centered (bool): subtract the square of the mean gradient. Default: False.
        parameter_list (list, optional): what to train; dygraph needs it.
        regularization (WeightDecayRegularizer, optional): for parameters without one of
            their own.
        grad_clip (GradientClipBase, optional): clips the gradients before.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                linear = paddle.nn.Linear(3, 2)
                opt = fluid.optimizer.RMSPropOptimizer(0.1, parameter_list=linear.parameters())
                loss = paddle.mean(linear(paddle.ones([4, 3])))
                loss.backward()
                opt.minimize(loss)
                linear.clear_gradients()
    """

    type = "rmsprop"
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
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._keep(rho=rho, epsilon=epsilon, momentum=momentum, centered=centered)
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)


class _Uncorrected:
    """A count of updates by which moments are not corrected."""

    def advance(self, params: list) -> list[tuple]:
        """What the rule takes behind the rate: factors of one."""
        return [((1.0, 1.0),)]


class LambOptimizer(Optimizer):
    """LAMB, layer-wise adaptive moments for large batches, https://arxiv.org/abs/1904.00962.

    Args:
        learning_rate (float|Variable|LearningRateDecay): the step size. Default: 0.001.
        lamb_weight_decay (float): decay of the weights. Default: 0.01.
        beta1 (float): decay of the first moment. Default: 0.9.
        beta2 (float): decay of the second moment. Default: 0.999.
        epsilon (float): keeps the division finite. Default: 1e-06.
        parameter_list (list, optional): what to train; dygraph needs it.
        regularization (WeightDecayRegularizer, optional): for parameters without one of
            their own.
        grad_clip (GradientClipBase, optional): clips the gradients before.
        exclude_from_weight_decay_fn (callable, optional): takes a parameter; where it returns
            True, the weights do not decay.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                linear = paddle.nn.Linear(3, 2)
                opt = fluid.optimizer.LambOptimizer(0.1, parameter_list=linear.parameters())
                loss = paddle.mean(linear(paddle.ones([4, 3])))
                loss.backward()
                opt.minimize(loss)
                linear.clear_gradients()
    """

    type = "lamb"
    _rule = updates.lamb
    _group_options = {
        "beta1": arguments.beta,
        "beta2": arguments.beta,
        "epsilon": arguments.epsilon,
    }

    def __init__(
        self,
        learning_rate: Any = 0.001,
        lamb_weight_decay: float = 0.01,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-06,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        exclude_from_weight_decay_fn: Any = None,
        name: str | None = None,
    ) -> None:
        self._keep(beta1=beta1, beta2=beta2, epsilon=epsilon)
        self._weight_decay = arguments.number("Lamb", "lamb_weight_decay", lamb_weight_decay)
        self._exclude_from_weight_decay_fn = arguments.function(
            "Lamb", "exclude_from_weight_decay_fn", exclude_from_weight_decay_fn
        )
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)

    _counts_powers = False  # 1.8.5 leaves the powers of beta as they start

    def _batch(self, params: list, key: tuple, at: list[int], by_rows: bool) -> Any:
        made = super()._batch(params, key, at, by_rows)
        made.fused.count = _Uncorrected()  # type: ignore[assignment]
        return made

    def _note_steps(self, batch: Any) -> None:
        self._steps.update(dict.fromkeys(batch.names, 0))

    def _settings(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        excluded = self._exclude_from_weight_decay_fn
        spared = excluded is not None and bool(excluded(param))
        return {
            **super()._settings(param, group),
            "weight_decay": 0.0 if spared else self._weight_decay,
        }


Adagrad = AdagradOptimizer
Adam = AdamOptimizer
Adamax = AdamaxOptimizer
DecayedAdagrad = DecayedAdagradOptimizer
Adadelta = AdadeltaOptimizer
RMSProp = RMSPropOptimizer
Lamb = LambOptimizer
