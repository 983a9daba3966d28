"""Momentum of 1.x's contrib: with master weights and a factor on the gradient."""

from __future__ import annotations

from typing import Any

from paddle.fluid.optimizer.plain import MomentumOptimizer

__all__ = ["Momentum"]


class Momentum(MomentumOptimizer):
    """Gradient descent with momentum, for parameters of 16 bits too.

    Args:
        learning_rate (float|Variable): the step size.
        momentum (float): the factor mu.
        parameter_list (list, optional): what to train; dygraph needs it.
        use_nesterov (bool): Nesterov's form. Default: False.
        regularization (WeightDecayRegularizer, optional): for parameters without one of their own.
        grad_clip (GradientClipBase, optional): clips the gradients before.
        multi_precision (bool): keep float32 copies of float16 parameters. Default: False.
        rescale_grad (float): factor on the gradient. Default: 1.0.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                linear = paddle.nn.Linear(3, 2)
                opt = fluid.contrib.optimizer.Momentum(
                    0.1, 0.9, parameter_list=linear.parameters(), rescale_grad=0.5)
                loss = paddle.mean(linear(paddle.ones([4, 3])))
                loss.backward()
                opt.minimize(loss)
    """

    _group_options = {
        **MomentumOptimizer._group_options,
        "rescale_grad": MomentumOptimizer._group_options["momentum"],
    }

    def __init__(
        self,
        learning_rate: Any,
        momentum: float,
        parameter_list: Any = None,
        use_nesterov: bool = False,
        regularization: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        rescale_grad: float = 1.0,
        name: str | None = None,
    ) -> None:
        self._keep(rescale_grad=rescale_grad)
        self._multi_precision = bool(multi_precision)
        super().__init__(
            learning_rate, momentum, parameter_list, use_nesterov, regularization, grad_clip, name
        )
        if self._recorded is not None and self._multi_precision:
            raise NotImplementedError(
                "contrib.optimizer.Momentum(multi_precision): not in Programs; use "
                "paddle.optimizer.Momentum(multi_precision=True)."
            )

    _later_attrs = ("rescale_grad",)
