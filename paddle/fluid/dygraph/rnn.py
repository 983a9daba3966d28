"""LSTMCell and GRUCell of 2.0's fluid.dygraph: one step of a recurrent network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.core.op import C
from paddle.nn.layer.layers import Layer

__all__ = ["GRUCell", "LSTMCell"]


def _function(given: Any, default: Callable) -> Callable:
    return default if given is None else given


class _Cell(Layer):
    """Parameters in the two forms: two matrices with biases, or one for input and state."""

    def __init__(
        self, hidden_size: int, input_size: int, param_attr: Any, bias_attr: Any,
        gate_activation: Any, activation: Any, use_cudnn_impl: bool, dtype: Any,
    ) -> None:  # fmt: skip
        super().__init__(dtype=dtype)
        self._hidden_size, self._input_size = hidden_size, input_size
        self._param_attr, self._bias_attr = param_attr, bias_attr
        self._gate_activation = _function(gate_activation, C.sigmoid)
        self._activation = _function(activation, C.tanh)
        self._use_cudnn_impl = use_cudnn_impl

    def _two(self, gates: int) -> None:
        rows = gates * self._hidden_size
        dtype = self._dtype
        self._weight_ih = self.create_parameter([rows, self._input_size], self._param_attr, dtype)
        self._weight_hh = self.create_parameter([rows, self._hidden_size], self._param_attr, dtype)
        self._bias_ih = self.create_parameter([rows], self._bias_attr, dtype, is_bias=True)
        self._bias_hh = self.create_parameter([rows], self._bias_attr, dtype, is_bias=True)

    def _one(self, columns: int) -> tuple[Any, Any]:
        size, dtype = self._input_size + self._hidden_size, self._dtype
        return (
            self.create_parameter([size, columns], self._param_attr, dtype),
            self.create_parameter([columns], self._bias_attr, dtype, is_bias=True),
        )

    def _gates(self, input: Any, state: Any) -> tuple[Any, Any]:
        """What input and state add to the gates."""
        return (
            _plus(C.matmul(input, self._weight_ih, transpose_Y=True), self._bias_ih),
            _plus(C.matmul(state, self._weight_hh, transpose_Y=True), self._bias_hh),
        )


def _plus(x: Any, bias: Any) -> Any:
    return x if bias is None else C.elementwise_add(x, bias, axis=-1)


class LSTMCell(_Cell):
    """One step of an LSTM.

    Args:
        hidden_size (int): width of the state.
        input_size (int): width of the input.
        param_attr (ParamAttr, optional): of the weights.
        bias_attr (ParamAttr|bool, optional): of the biases; False means none.
        gate_activation (callable, optional): None: sigmoid.
        activation (callable, optional): None: tanh.
        forget_bias (float): added to the forget gate without ``use_cudnn_impl``. Default: 1.0.
        use_cudnn_impl (bool): weights for input and state apart. Default: True.
        dtype (str): of the parameters. Default: float64.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                cell = fluid.dygraph.LSTMCell(3, 2, dtype="float32")
                x = fluid.dygraph.to_variable(np.ones([4, 2], "float32"))
                h = c = fluid.dygraph.to_variable(np.zeros([4, 3], "float32"))
                h, c = cell(x, h, c)
                print(h.shape, c.shape)  # [4, 3] [4, 3]
    """

    def __init__(
        self, hidden_size: int, input_size: int, param_attr: Any = None, bias_attr: Any = None,
        gate_activation: Any = None, activation: Any = None, forget_bias: float = 1.0,
        use_cudnn_impl: bool = True, dtype: Any = "float64",
    ) -> None:  # fmt: skip
        super().__init__(
            hidden_size, input_size, param_attr, bias_attr, gate_activation, activation,
            use_cudnn_impl, dtype,
        )  # fmt: skip
        self._forget_bias = forget_bias
        if use_cudnn_impl:
            self._two(4)
        else:
            self._weight, self._bias = self._one(4 * hidden_size)

    def forward(self, input: Any, pre_hidden: Any, pre_cell: Any) -> tuple[Any, Any]:
        """Returns the new state and the new cell."""
        gate, act = self._gate_activation, self._activation
        if self._use_cudnn_impl:
            x, h = self._gates(input, pre_hidden)
            i, f, c, o = C.split(x + h, num=4, axis=1)
            cell = gate(f) * pre_cell + gate(i) * act(c)
        else:
            both = C.concat([input, pre_hidden], axis=1)
            i, c, f, o = C.split(_plus(C.matmul(both, self._weight), self._bias), num=4, axis=1)
            cell = pre_cell * gate(f + self._forget_bias) + gate(i) * act(c)
        return act(cell) * gate(o), cell


class GRUCell(_Cell):
    """One step of a gated recurrent unit.

    Args:
        hidden_size (int): width of the state.
        input_size (int): width of the input.
        param_attr (ParamAttr, optional): of the weights.
        bias_attr (ParamAttr|bool, optional): of the biases; False means none.
        gate_activation (callable, optional): None: sigmoid.
        activation (callable, optional): None: tanh.
        use_cudnn_impl (bool): weights for input and state apart. Default: True.
        dtype (str): of the parameters. Default: float64.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                cell = fluid.dygraph.GRUCell(3, 2, dtype="float32")
                x = fluid.dygraph.to_variable(np.ones([4, 2], "float32"))
                h = fluid.dygraph.to_variable(np.zeros([4, 3], "float32"))
                print(cell(x, h).shape)  # [4, 3]
    """

    def __init__(
        self, hidden_size: int, input_size: int, param_attr: Any = None, bias_attr: Any = None,
        gate_activation: Any = None, activation: Any = None, use_cudnn_impl: bool = True,
        dtype: Any = "float64",
    ) -> None:  # fmt: skip
        super().__init__(
            hidden_size, input_size, param_attr, bias_attr, gate_activation, activation,
            use_cudnn_impl, dtype,
        )  # fmt: skip
        if use_cudnn_impl:
            self._two(3)
        else:
            self._gate_weight, self._gate_bias = self._one(2 * hidden_size)
            self._candidate_weight, self._candidate_bias = self._one(hidden_size)

    def forward(self, input: Any, pre_hidden: Any) -> Any:
        """Returns the new state."""
        gate, act = self._gate_activation, self._activation
        if self._use_cudnn_impl:
            x, h = (C.split(part, num=3, axis=1) for part in self._gates(input, pre_hidden))
            reset, update = gate(x[0] + h[0]), gate(x[1] + h[1])
            candidate = act(x[2] + reset * h[2])
            return (pre_hidden - candidate) * update + candidate
        both = C.concat([input, pre_hidden], axis=1)
        gates = gate(_plus(C.matmul(both, self._gate_weight), self._gate_bias))
        reset, update = C.split(gates, num=2, axis=1)
        both = C.concat([input, reset * pre_hidden], axis=1)
        candidate = act(_plus(C.matmul(both, self._candidate_weight), self._candidate_bias))
        return update * pre_hidden + (1 - update) * candidate
