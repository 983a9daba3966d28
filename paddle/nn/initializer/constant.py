"""The initializer that puts the same number everywhere."""

from __future__ import annotations

from paddle.core import constants
from paddle.core.dtype import VarType
from paddle.core.mode import GRAD, get_mode
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.nn.initializer.base import Initializer, number


class Constant(Initializer):
    """Fills a parameter with one number.

    Args:
        value (float): the number.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Linear(
                2, 2, weight_attr=paddle.nn.initializer.Constant(value=2.0)
            )
            print(layer.weight.numpy().tolist())  # [[2.0, 2.0], [2.0, 2.0]]
    """

    def __init__(self, value: float = 0.0) -> None:
        self._number = number("Constant(value)", value)

    def _value(self, shape: list[int], dtype: VarType) -> Tensor:
        number = self._number
        text = constants.digits(number) if get_mode() > GRAD else ""
        return C.fill_constant(shape=shape, dtype=int(dtype), value=number, str_value=text)
