"""FC, the layer that 1.x's dynamic mode had before Linear: its weight waits for the first input."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.fluid.dygraph.made import activation, applied
from paddle.nn.layer.layers import Layer

__all__ = ["FC"]


class FC(Layer):
    """Flattens what follows some dimensions, multiplies by a matrix, adds a bias, applies ``act``.

    1.0 to 1.6 have it; 1.7 put ``Linear`` in its place.

    Args:
        name_scope (str): of the layer's name.
        size (int): width of the result.
        num_flatten_dims (int): how many dimensions stay. Default: 1.
        param_attr (ParamAttr, optional): of the weight, ``[product of the other ones, size]``.
        bias_attr (ParamAttr|bool, optional): of the bias; False means none.
        act (str, optional): the activation.
        is_test (bool): changes nothing.
        dtype (str): of the parameters. Default: float32.

    Raises:
        ValueError: the input has no dimension to multiply, or another size than the first one.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                fc = fluid.dygraph.FC("fc", 2)
                x = fluid.dygraph.to_variable(np.ones([3, 4, 5], "float32"))
                print(fc(x).shape, fc.weight.shape)  # [3, 2] [20, 2]
    """

    def __init__(
        self, name_scope: str, size: int, num_flatten_dims: int = 1, param_attr: Any = None,
        bias_attr: Any = None, act: Any = None, is_test: bool = False, dtype: Any = "float32",
    ) -> None:  # fmt: skip
        super().__init__(name_scope, dtype)
        self._size, self._dims = size, num_flatten_dims
        self._param_attr, self._bias_attr = param_attr, bias_attr
        self._function = activation("FC", act)
        self.weight: Any = None
        self.bias: Any = None

    def _make(self, shape: list[int]) -> None:
        width = 1
        for size in shape[self._dims :]:
            width *= size
        kind = self._dtype
        self.weight = self.create_parameter([width, self._size], self._param_attr, kind)
        self.bias = self.create_parameter([self._size], self._bias_attr, kind, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Returns ``act(flattened input @ weight + bias)``."""
        shape = list(input.shape)
        if not 0 < self._dims < len(shape):
            raise InvalidArgumentError(
                f"FC(num_flatten_dims={self._dims}): expected an input of more dimensions, but "
                f"received shape {shape}."
            )
        if self.weight is None:
            self._make(shape)
        made = C.mul(input, self.weight, x_num_col_dims=self._dims)
        if self.bias is not None:
            made = C.elementwise_add(made, self.bias, axis=self._dims)
        return applied(self._function, made)
