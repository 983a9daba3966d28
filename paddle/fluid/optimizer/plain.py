"""SGD, Momentum and others whose step is the gradient's or an average of it."""

from __future__ import annotations

from typing import Any

from paddle.fluid.optimizer.base import Optimizer
from paddle.ops.optimizer import single_rules, updates
from paddle.optimizer import arguments

__all__ = [
    "Dpsgd",
    "DpsgdOptimizer",
    "Ftrl",
    "FtrlOptimizer",
    "LarsMomentum",
    "LarsMomentumOptimizer",
    "Momentum",
    "MomentumOptimizer",
    "SGD",
    "SGDOptimizer",
]


class SGDOptimizer(Optimizer):
    """Plain gradient descent: ``p -= lr * g``.

    Args:
        learning_rate (float|Variable|LearningRateDecay): the step size.
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
                opt = fluid.optimizer.SGD(0.1, parameter_list=linear.parameters())
                loss = paddle.mean(linear(paddle.ones([4, 3])))
                loss.backward()
                opt.minimize(loss)
                linear.clear_gradients()
    """

    type = "sgd"
    _rule = updates.sgd

    def __init__(
        self,
        learning_rate: Any,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)


class MomentumOptimizer(Optimizer):
    """Gradient descent with momentum: ``v = mu * v + g``, ``p -= lr * v``.

    Args:
        learning_rate (float|Variable|LearningRateDecay): the step size.
        momentum (float): the factor mu.
        parameter_list (list, optional): what to train; dygraph needs it.
        use_nesterov (bool): Nesterov's form. Default: False.
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
                opt = fluid.optimizer.Momentum(0.1, 0.9, parameter_list=linear.parameters())
                loss = paddle.mean(linear(paddle.ones([4, 3])))
                loss.backward()
                opt.minimize(loss)
                linear.clear_gradients()
    """

    type = "momentum"
    _rule = updates.momentum
    _group_options = {
        "momentum": arguments.number,
        "use_nesterov": arguments.switch,
    }

    def __init__(
        self,
        learning_rate: Any,
        momentum: float,
        parameter_list: Any = None,
        use_nesterov: bool = False,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._keep(momentum=momentum, use_nesterov=use_nesterov)
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)


class LarsMomentumOptimizer(Optimizer):
    """Momentum with a learning rate for each layer, https://arxiv.org/abs/1708.03888.

    Args:
        learning_rate (float|Variable|LearningRateDecay): the step size.
        momentum (float): the factor mu.
        lars_coeff (float): factor of a layer's rate. Default: 0.001.
        lars_weight_decay (float): decay that the rate counts in. Default: 0.0005.
        parameter_list (list, optional): what to train; dygraph needs it.
        regularization (WeightDecayRegularizer, optional): for parameters without one of
            their own.
        grad_clip (GradientClipBase, optional): clips the gradients before.
        name (str, optional): becomes a part of the accumulators' names.
        exclude_from_weight_decay (list[str], optional): parameters do not decay whose names have
            one of these texts in them.
        epsilon (float): added to the divisor of a layer's rate. Default: 0.0.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                linear = paddle.nn.Linear(3, 2)
                opt = fluid.optimizer.LarsMomentum(0.1, 0.9, parameter_list=linear.parameters())
                loss = paddle.mean(linear(paddle.ones([4, 3])))
                loss.backward()
                opt.minimize(loss)
                linear.clear_gradients()
    """

    type = "lars_momentum"
    _rule = single_rules.lars_momentum
    _group_options = {
        "momentum": arguments.number,
        "lars_coeff": arguments.number,
        "lars_weight_decay": arguments.number,
    }

    def __init__(
        self,
        learning_rate: Any,
        momentum: float,
        lars_coeff: float = 0.001,
        lars_weight_decay: float = 0.0005,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        exclude_from_weight_decay: Any = None,
        epsilon: float = 0.0,
    ) -> None:
        self._keep(momentum=momentum, lars_coeff=lars_coeff, lars_weight_decay=lars_weight_decay)
        self._excluded = list(exclude_from_weight_decay or ())
        self._lars_epsilon = arguments.epsilon("LarsMomentum", "epsilon", epsilon)
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)

    def _settings(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        found = super()._settings(param, group)
        if any(text in param.name for text in self._excluded):
            found["lars_weight_decay"] = 0.0
        return {**found, "epsilon": self._lars_epsilon} if self._lars_epsilon else found


class DpsgdOptimizer(Optimizer):
    """Differentially private gradient descent: clipped gradients with noise.

    Args:
        learning_rate (float|Variable|LearningRateDecay): the step size. Default: 0.001.
        clip (float): norm to which a gradient is clipped. Default: 0.9.
        batch_size (float): what the noise is divided by. Default: 0.999.
        sigma (float): deviation of the noise. Default: 1e-08.
        parameter_list (list, optional): what to train; dygraph needs it.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                linear = paddle.nn.Linear(3, 2)
                opt = fluid.optimizer.Dpsgd(0.1, parameter_list=linear.parameters())
                loss = paddle.mean(linear(paddle.ones([4, 3])))
                loss.backward()
                opt.minimize(loss)
                linear.clear_gradients()
    """

    type = "dpsgd"
    _rule = single_rules.dpsgd
    _group_options = {
        "clip": arguments.number,
        "batch_size": arguments.number,
        "sigma": arguments.number,
    }

    def __init__(
        self,
        learning_rate: Any = 0.001,
        clip: float = 0.9,
        batch_size: float = 0.999,
        sigma: float = 1e-08,
        parameter_list: Any = None,
    ) -> None:
        self._keep(clip=clip, batch_size=batch_size, sigma=sigma)
        super().__init__(learning_rate, parameter_list)


class FtrlOptimizer(Optimizer):
    """Follow the regularized leader, https://research.google/pubs/pub41159/.

    Args:
        learning_rate (float|Variable|LearningRateDecay): the step size.
        l1 (float): factor of the L1 penalty. Default: 0.0.
        l2 (float): has no effect, as in 1.8.5, where ``l1`` is the factor of both penalties.
        lr_power (float): power of the rate's decay. Default: -0.5.
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
                opt = fluid.optimizer.Ftrl(0.1, parameter_list=linear.parameters())
                loss = paddle.mean(linear(paddle.ones([4, 3])))
                loss.backward()
                opt.minimize(loss)
                linear.clear_gradients()
    """

    type = "ftrl"
    _rule = single_rules.ftrl
    _group_options = {
        "l1": arguments.number,
        "l2": arguments.number,
        "lr_power": arguments.number,
    }

    def __init__(
        self,
        learning_rate: Any,
        l1: float = 0.0,
        l2: float = 0.0,
        lr_power: float = -0.5,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._keep(l1=l1, l2=l2, lr_power=lr_power)
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)

    def _settings(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        found = super()._settings(param, group)
        return {**found, "l2": found["l1"]}  # 1.8.5 takes l1 for both, and so do its numbers


SGD = SGDOptimizer
Momentum = MomentumOptimizer
LarsMomentum = LarsMomentumOptimizer
Dpsgd = DpsgdOptimizer
Ftrl = FtrlOptimizer
