"""Weight decay by a penalty on the parameters."""

from __future__ import annotations

from typing import Any

from paddle.core.guards import Guarded
from paddle.core.tensor import wrap
from paddle.ir.block import Block
from paddle.ir.variable import Variable
from paddle.ops.optimizer import lists as kernels

__all__ = ["L1Decay", "L2Decay"]


class WeightDecayRegularizer(Guarded):
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

    def __call__(self, param: Any, grad: Any, block: Any) -> Any:
        """Returns the gradient of one parameter with the penalty added.

        Args:
            param (Tensor|Variable): the parameter.
            grad (Tensor|Variable): its gradient.
            block (Block): the block of a static Program that gets the operators, which write the
                result over ``grad``; must be None in dynamic mode.
        """
        if block is not None and not isinstance(block, Block):
            raise TypeError(f"expected a block or None, but received {type(block).__name__}.")
        if isinstance(grad, Variable):
            return self._record(param, grad, block or grad.block.program.current_block())
        return wrap(self.apply([param._buf], [grad._buf])[0])

    def _record(self, param: Any, grad: Any, block: Block) -> Any:
        """Adds the penalty's gradient by operators."""
        if not self._coeff:
            return grad
        info = {"shape": param.shape, "dtype": param.dtype, "stop_gradient": True}
        source = self._direction(param, block, info)
        penalty = block.create_var(**info)
        block.append_op("scale", {"X": source}, {"Out": penalty}, {"scale": self._coeff})
        block.append_op("sum", {"X": [grad, penalty]}, {"Out": grad})
        return grad

    def _direction(self, param: Any, block: Block, info: dict[str, Any]) -> Any:
        """The penalty's gradient for a factor of 1."""
        raise NotImplementedError("use L1Decay or L2Decay.")

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

    def _direction(self, param: Any, block: Block, info: dict[str, Any]) -> Any:
        made = block.create_var(**info)
        block.append_op("sign", {"X": param}, {"Out": made})
        return made


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

    def _direction(self, param: Any, block: Block, info: dict[str, Any]) -> Any:
        return param
