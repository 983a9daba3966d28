"""Cells of recurrent networks for `layers.rnn` and decoders: RNNCell, GRUCell, LSTMCell."""

from __future__ import annotations

from typing import Any

from paddle.core.pytree import leaves
from paddle.fluid import contrib
from paddle.fluid import layers as L

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]


class RNNCell:
    """One step of a network: subclasses have ``call(inputs, states)`` and ``state_shape``.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid

            class Sum(fluid.layers.RNNCell):
                def call(self, inputs, states):
                    return states + inputs, states + inputs

                @property
                def state_shape(self):
                    return [4]
    """

    def call(self, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Computes a step.

        Args:
            inputs (Variable|pytree): of the step, [batch, ...].
            states (Variable|pytree): of the step before.
            **kwargs: what a subclass takes.

        Returns:
            tuple: (outputs, new states).
        """
        raise NotImplementedError("RNNCell must implement the call function.")

    def __call__(self, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Computes a step, see :meth:`call`."""
        return self.call(inputs, states, **kwargs)

    def get_initial_states(
        self,
        batch_ref: Any,
        shape: Any = None,
        dtype: Any = "float32",
        init_value: float = 0,
        batch_dim_idx: int = 0,
    ) -> Any:
        """Makes states of one value.

        Args:
            batch_ref (Variable|pytree): where the size of the batch is taken from.
            shape (list|pytree, optional): without the batch. Default: ``state_shape``.
            dtype (str|pytree, optional): None means ``state_dtype``, or float32 without one.
                Default: float32.
            init_value (float): the value. Default: 0.
            batch_dim_idx (int): which dimension of ``batch_ref`` is the batch. Default: 0.
        """
        reference = leaves(batch_ref)[0]
        shape = self.state_shape if shape is None else shape
        if dtype is None:
            try:
                dtype = self.state_dtype
            except NotImplementedError:
                dtype = "float32"

        def made(sizes: Any, kind: Any) -> Any:
            sizes = list(sizes)
            return L.fill_constant_batch_size_like(
                input=reference, shape=sizes if sizes[:1] == [-1] else [-1, *sizes], dtype=kind,
                value=float(init_value), input_dim_idx=batch_dim_idx,
            )  # fmt: skip

        return _over_shapes(made, shape, dtype)

    @property
    def state_shape(self) -> Any:
        """The shape of a state without the batch, or a pytree of shapes."""
        raise NotImplementedError("Please add implementation for `state_shape` in the used cell.")

    @property
    def state_dtype(self) -> Any:
        """The data type of a state, or a pytree of them."""
        raise NotImplementedError("Please add implementation for `state_dtype` in the used cell.")


def _over_shapes(function: Any, shape: Any, dtype: Any) -> Any:
    """Calls a function for every shape of a pytree; a list of numbers is a shape."""
    if isinstance(shape, dict):
        kinds = dtype if isinstance(dtype, dict) else dict.fromkeys(shape, dtype)
        return {k: _over_shapes(function, s, kinds[k]) for k, s in shape.items()}
    if all(isinstance(n, int) for n in shape):
        return function(shape, dtype)
    each = dtype if isinstance(dtype, (list, tuple)) else [dtype] * len(shape)
    found = [_over_shapes(function, s, k) for s, k in zip(shape, each, strict=True)]
    if hasattr(shape, "_fields"):
        return type(shape)(*found)
    return tuple(found) if isinstance(shape, tuple) else found


class GRUCell(RNNCell):
    """A gated recurrent unit, see ``fluid.contrib.BasicGRUUnit``.

    Args:
        hidden_size (int): width of the state.
        param_attr (ParamAttr, optional): of the weights.
        bias_attr (ParamAttr, optional): of the biases.
        gate_activation (callable, optional): Default: ``layers.sigmoid``.
        activation (callable, optional): Default: ``layers.tanh``.
        dtype (str): Default: float32.
        name (str): prefix of the parameters' names. Default: GRUCell.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = fluid.data("x", [None, 3, 4])
                out, last = fluid.layers.rnn(fluid.layers.GRUCell(5), x)
                print(out.shape, last.shape)  # (-1, 3, 5) (-1, 5)
            paddle.disable_static()
    """

    def __init__(
        self,
        hidden_size: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        gate_activation: Any = None,
        activation: Any = None,
        dtype: Any = "float32",
        name: str = "GRUCell",
    ) -> None:
        self.hidden_size = hidden_size
        self.gru_unit = contrib.BasicGRUUnit(  # type: ignore[attr-defined]
            name, hidden_size, param_attr, bias_attr, gate_activation, activation, dtype
        )

    def call(self, inputs: Any, states: Any) -> Any:  # type: ignore[override]
        """Computes a step.

        Args:
            inputs (Variable): [batch, width].
            states (Variable): [batch, hidden_size].

        Returns:
            tuple: the new state, twice.
        """
        new = self.gru_unit(inputs, states)
        return new, new

    @property
    def state_shape(self) -> list[int]:
        """That of the state: ``[hidden_size]``."""
        return [self.hidden_size]


class LSTMCell(RNNCell):
    """A cell with a long and a short memory, see ``fluid.contrib.BasicLSTMUnit``.

    Args:
        hidden_size (int): width of the states.
        param_attr (ParamAttr, optional): of the weight.
        bias_attr (ParamAttr, optional): of the bias.
        gate_activation (callable, optional): Default: ``layers.sigmoid``.
        activation (callable, optional): Default: ``layers.tanh``.
        forget_bias (float): what is added to the gate that forgets. Default: 1.0.
        dtype (str): Default: float32.
        name (str): prefix of the parameters' names. Default: LSTMCell.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = fluid.data("x", [None, 3, 4])
                out, (hidden, cell) = fluid.layers.rnn(fluid.layers.LSTMCell(5), x)
                print(out.shape, cell.shape)  # (-1, 3, 5) (-1, 5)
            paddle.disable_static()
    """

    def __init__(
        self,
        hidden_size: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        gate_activation: Any = None,
        activation: Any = None,
        forget_bias: float = 1.0,
        dtype: Any = "float32",
        name: str = "LSTMCell",
    ) -> None:
        self.hidden_size = hidden_size
        self.lstm_unit = contrib.BasicLSTMUnit(  # type: ignore[attr-defined]
            name, hidden_size, param_attr, bias_attr, gate_activation, activation, forget_bias,
            dtype,
        )  # fmt: skip

    def call(self, inputs: Any, states: Any) -> Any:  # type: ignore[override]
        """Computes a step.

        Args:
            inputs (Variable): [batch, width].
            states (list[Variable]): hidden state and cell, [batch, hidden_size].

        Returns:
            tuple: (new hidden state, [new hidden state, new cell]).
        """
        hidden, cell = self.lstm_unit(inputs, *states)
        return hidden, [hidden, cell]

    @property
    def state_shape(self) -> list[list[int]]:
        """Those of both states: ``[[hidden_size], [hidden_size]]``."""
        return [[self.hidden_size], [self.hidden_size]]
