"""Weight decay by a penalty on the parameters."""

from __future__ import annotations

from typing import Any

from paddle.core.tensor import Tensor, wrap
from paddle.ops import optimizer as kernels

__all__ = ["L1Decay", "L2Decay"]


class WeightDecayRegularizer:
    """Base of the penalties; ``coeff`` scales the penalty."""

    def __init__(self, coeff: float = 0.0) -> None:
        if isinstance(coeff, bool) or not isinstance(coeff, (int, float)):
            raise TypeError(
                f"{type(self).__name__}(coeff): expected a number, got {type(coeff).__name__}."
            )
        self._coeff = float(coeff)

    @property
    def coeff(self) -> float:
        """The factor of the penalty."""
        return self._coeff

    def apply(self, params: list, grads: list) -> list:
        """Adds the penalty's gradient to the gradients of a list of buffers."""
        raise NotImplementedError("use L1Decay or L2Decay.")

    def __call__(self, param: Tensor, grad: Tensor, block: Any) -> Tensor:
        """Returns the gradient of one parameter with the penalty added.

        Args:
            param (Tensor): the parameter.
            grad (Tensor): its gradient.
            block: a block of a static Program; must be None in dynamic mode.
        """
        if block is not None and not hasattr(block, "append_op"):
            raise TypeError(f"expected a block or None, but received {type(block).__name__}.")
        return wrap(self.apply([param._buf], [grad._buf])[0])

    def __str__(self) -> str:
        return f"{type(self).__name__}, coeff={self._coeff:f}"


class L1Decay(WeightDecayRegularizer):
    """Adds ``coeff * sign(param)`` to the gradient: the penalty ``coeff * sum(|param|)``.

    Args:
        coeff (float): factor of the penalty. Default: 0.0.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Linear(4, 2)
            opt = paddle.optimizer.SGD(
                0.1, parameters=layer.parameters(), weight_decay=paddle.regularizer.L1Decay(1e-4))
    """

    def apply(self, params: list, grads: list) -> list:
        """Adds the penalty's gradient to the gradients of a list of buffers."""
        return kernels.decay_l1(params, grads, self._coeff) if self._coeff else grads


class L2Decay(WeightDecayRegularizer):
    """Adds ``coeff * param`` to the gradient: the penalty ``0.5 * coeff * sum(param^2)``.

    Args:
        coeff (float): factor of the penalty. Default: 0.0.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Linear(4, 2)
            opt = paddle.optimizer.Momentum(
                0.1, parameters=layer.parameters(), weight_decay=paddle.regularizer.L2Decay(1e-4))
    """

    def apply(self, params: list, grads: list) -> list:
        """Adds the penalty's gradient to the gradients of a list of buffers."""
        return kernels.decay_l2(params, grads, self._coeff) if self._coeff else grads
