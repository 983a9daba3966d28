"""The initializer that copies a given value."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.nn.initializer.base import Initializer


class Assign(Initializer):
    """Fills a parameter with a copy of a value of the same shape; the data type is converted.

    Args:
        value (np.ndarray|Tensor|list|tuple): the value.
        name (str|None): unused.

    Raises:
        ValueError: when a parameter of another shape is filled.

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

    def _value(self, shape: list[int], dtype: VarType) -> Any:
        got = list(self._given.shape) or [1]
        if got != shape:
            raise InvalidArgumentError(
                f"Assign(value): the parameter has shape {shape}, but the value has shape {got}."
            )
        return self._given

    def __repr__(self) -> str:
        return f"Assign(value of shape {list(self._given.shape)})"
