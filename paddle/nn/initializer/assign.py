"""The initializer that copies a given value."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.convert import tensor_of
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.nn.initializer.base import Initializer


class Assign(Initializer):
    """Fills a parameter with a copy of a value; the data type is converted.

    A parameter of another shape gets the shape of the value, as in PaddlePaddle.

    Args:
        value (np.ndarray|Tensor|list|tuple): the value.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            init = paddle.nn.initializer.Assign(np.array([[1.0, 2.0]]))
            layer = paddle.nn.Linear(1, 2, weight_attr=init)
            print(layer.weight.numpy().tolist())  # [[1.0, 2.0]]
    """

    _makes_new = False
    _computes = True

    def __init__(self, value: Any, name: str | None = None) -> None:
        if not isinstance(value, (np.ndarray, Tensor, list, tuple)):
            raise TypeError(
                "Assign(value): expected a numpy.ndarray, a Tensor or a list of numbers, "
                f"but received {type(value).__name__}."
            )
        if isinstance(value, Tensor):
            self._given: Any = value
            return
        try:
            array = np.array(value)
        except ValueError as error:
            raise InvalidArgumentError(f"Assign(value): lists of unequal length: {error}") from None
        if array.dtype.kind not in "biufc":
            raise TypeError(
                f"Assign(value): expected numbers, but received elements of dtype {array.dtype}."
            )
        self._given = array

    def __call__(self, var: Any, block: Any = None) -> None:
        """Fills a parameter.

        Args:
            var (Tensor|Variable): what to fill. A Variable keeps the shape it was declared with;
                what it stands for has the value's shape in a run.
            block (Block, optional): see :class:`Initializer`.
        """
        if isinstance(var, Tensor) and (list(self._given.shape) or [1]) != var.shape:
            var._rebind(tensor_of(self._given, var.dtype, var.place)._buf)
            return
        super().__call__(var, block)

    def _value(self, shape: list[int], dtype: VarType) -> Any:
        return self._given

    def __repr__(self) -> str:
        return f"Assign(value of shape {list(self._given.shape)})"
