"""SimpleRNN, LSTM and GRU: networks of several layers, run by one operator."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.ir.variable import Variable
from paddle.nn.layer.container import LayerList
from paddle.nn.layer.rnn_cells import (
    MOST_LAYERS,
    GRUCell,
    LSTMCell,
    RNNCellBase,
    SimpleRNNCell,
    biases_in_order,
    check_activation,
    check_tensor,
    positive_size,
)
from paddle.nn.layer.rnn_wrappers import RNN, BiRNN, check_lengths, swapped

__all__ = [
    "BiRNN",
    "GRU",
    "GRUCell",
    "LSTM",
    "LSTMCell",
    "RNN",
    "RNNCellBase",
    "SimpleRNN",
    "SimpleRNNCell",
]

_KINDS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


class _Network(LayerList):
    """Layers of cells of one kind, each an :class:`RNN` or :class:`BiRNN` that holds the weights.

    The weights are attributes of the network too: ``weight_ih_l0``, ``bias_hh_l1_reverse``.

    Args:
        cell (type): class of the cells.
        options (dict): further arguments of the cells.
        others: as in the subclasses.
    """

    _mode = ""
    _states = 1

    def __init__(
        self,
        cell: Any,
        options: dict[str, Any],
        input_size: int,
        hidden_size: int,
        num_layers: int,
        direction: str,
        time_major: bool,
        dropout: float,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        if direction not in ("forward", "bidirect", "bidirectional"):
            raise InvalidArgumentError(
                f"{owner}(direction): expected 'forward', 'bidirect' or 'bidirectional', but "
                f"received {direction!r}."
            )
        if isinstance(dropout, bool) or not isinstance(dropout, (int, float)):
            raise TypeError(
                f"{owner}(dropout): expected a number, but received {type(dropout).__name__}."
            )
        if not 0 <= dropout <= 1:
            raise InvalidArgumentError(
                f"{owner}(dropout): expected a probability from 0 to 1, but received {dropout}."
            )
        self.input_size = positive_size(owner, "input_size", input_size)
        self.hidden_size = positive_size(owner, "hidden_size", hidden_size)
        self.num_layers = positive_size(owner, "num_layers", num_layers, MOST_LAYERS)
        self.num_directions = 1 if direction == "forward" else 2
        self.time_major, self.dropout, self.state_components = time_major, dropout, self._states
        for layer in range(num_layers):
            width = input_size if layer == 0 else hidden_size * self.num_directions
            cells = [cell(width, hidden_size, **options) for _ in range(self.num_directions)]
            if self.num_directions == 1:
                self.append(RNN(cells[0], time_major=time_major))
            else:
                self.append(BiRNN(cells[0], cells[1], time_major=time_major))
            self._show(layer, cells)
        self._names = [
            f"{kind}_l{layer}{suffix}"
            for kinds in (_KINDS[:2], _KINDS[2:])
            for layer in range(num_layers)
            for suffix in ("", "_reverse")[: self.num_directions]
            for kind in kinds
        ]

    def _show(self, layer: int, cells: list[Any]) -> None:
        """Makes the weights of a layer's cells attributes of the network."""
        for cell, suffix in zip(cells, ("", "_reverse"), strict=False):
            for kind in _KINDS:
                setattr(self, f"{kind}_l{layer}{suffix}", getattr(cell, kind))

    def _weights(self) -> list[Any]:
        """All weights in the operator's order: matrices of all layers, then vectors."""
        found = [getattr(self, name) for name in self._names]
        half = len(found) // 2
        return found[:half] + biases_in_order(found[half:], found[0])

    def _first(self, inputs: Tensor, states: Any) -> list[Tensor]:
        """Checks the initial states, or makes zeros."""
        owner, batch_at = type(self).__name__, 1 if self.time_major else 0
        layers = self.num_layers * self.num_directions
        if states is None:
            zero = C.fill_constant_batch_size_like(
                inputs, shape=[layers, -1, self.hidden_size], dtype=int(inputs.dtype), value=0.0,
                input_dim_idx=batch_at, output_dim_idx=1,
            )  # fmt: skip
            return [zero] * self._states
        listed = [states] if isinstance(states, (Tensor, Variable)) else states
        if not isinstance(listed, (list, tuple)) or len(listed) != self._states:
            raise InvalidArgumentError(
                f"{owner}(initial_states): expected {self._states} Tensor(s), but received "
                + (str(len(listed)) if hasattr(listed, "__len__") else type(states).__name__)
                + "."
            )
        shape = [layers, inputs.shape[batch_at], self.hidden_size]
        for state in listed:
            check_tensor(
                owner, "initial_states", state, shape,
                "[num_layers * num_directions, batch, hidden_size]",
            )  # fmt: skip
        return list(listed)

    def forward(
        self, inputs: Tensor, initial_states: Any = None, sequence_length: Tensor | None = None
    ) -> tuple[Tensor, Any]:
        """Runs all layers.

        Args:
            inputs (Tensor): [batch, time, input_size], or [time, batch, input_size] if
                ``time_major``.
            initial_states (Tensor|tuple|None): what the first step gets, of the shape
                [num_layers * num_directions, batch, hidden_size]; for an LSTM a pair of them, the
                hidden state and the cells'. None: zeros.
            sequence_length (Tensor|None): int32 or int64 of shape [batch]. After the end of a
                sequence its states stay and its outputs are zero.

        Returns:
            tuple: (outputs, final states). The outputs have the layout of the inputs and the size
            num_directions * hidden_size; the states are as ``initial_states``.
        """
        owner = type(self).__name__
        form = "[time, batch, input_size]" if self.time_major else "[batch, time, input_size]"
        check_tensor(owner, "inputs", inputs, [-1, -1, self.input_size], form)
        if sequence_length is not None:
            check_lengths(owner, sequence_length, inputs.shape[1 if self.time_major else 0])
        states = self._first(inputs, initial_states)
        out, _, ends, _ = C.rnn(
            inputs if self.time_major else swapped(inputs),
            states,
            self._weights(),
            sequence_length,
            dropout_prob=float(self.dropout),
            is_bidirec=self.num_directions == 2,
            input_size=self.input_size,
            hidden_size=self.hidden_size,
            num_layers=self.num_layers,
            mode=self._mode,
            is_test=not self.training,
        )
        out = out if self.time_major else swapped(out)
        return out, (tuple(ends) if self._states > 1 else ends[0])

    def flatten_parameters(self) -> None:
        """Has nothing to do here: the kernels take the weights from wherever they are.

        Examples:
            .. code-block:: python

                import paddle
                paddle.nn.GRU(2, 2).flatten_parameters()
        """

    def extra_repr(self) -> str:
        """The settings, for printing."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.time_major:
            text += f", time_major={self.time_major}"
        return text + (f", dropout={self.dropout}" if self.dropout else "")


class SimpleRNN(_Network):
    r"""Layers of an Elman network over sequences.

    What a step computes says :class:`SimpleRNNCell`.

    Args:
        input_size (int): size of the inputs.
        hidden_size (int): size of the hidden state.
        num_layers (int): number of layers; each gets the outputs of the one before.
        direction (str): ``forward``; or ``bidirect`` or ``bidirectional``: each layer also runs
            backwards, and the outputs of both ways are joined.
        time_major (bool): whether the first dimension of inputs and outputs is the time, and the
            second one the batch.
        dropout (float): probability that an output of a layer, the last one excepted, is set to
            zero in training; others are scaled up.
        activation (str): ``tanh`` or ``relu``.
        weight_ih_attr (ParamAttr|None): of the weights of inputs, [hidden_size, input size].
        weight_hh_attr (ParamAttr|None): of the weights of states, [hidden_size, hidden_size].
        bias_ih_attr (ParamAttr|bool|None): of the biases of inputs, [hidden_size]; False: none.
        bias_hh_attr (ParamAttr|bool|None): of the biases of states, [hidden_size]; False: none.
        name (str, optional): has no effect.

    Attributes:
        weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0 (Parameter): of layer 0; further ones
            have its number at the end, and ``_reverse`` for the way backwards.

    Examples:
        .. code-block:: python

            import paddle
            rnn = paddle.nn.SimpleRNN(16, 32, 2)
            x = paddle.randn([4, 23, 16])
            out, h = rnn(x, paddle.zeros([2, 4, 32]))
            print(out.shape, h.shape)  # [4, 23, 32] [2, 4, 32]
    """

    _mode = "RNN_TANH"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        activation: str = "tanh",
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        options = {
            "weight_ih_attr": weight_ih_attr,
            "weight_hh_attr": weight_hh_attr,
            "bias_ih_attr": bias_ih_attr,
            "bias_hh_attr": bias_hh_attr,
        }
        self.activation = check_activation("SimpleRNN", activation)
        self._mode = "RNN_TANH" if activation == "tanh" else "RNN_RELU"
        options["activation"] = activation
        super().__init__(
            SimpleRNNCell,
            options,
            input_size,
            hidden_size,
            num_layers,
            direction,
            time_major,
            dropout,
        )


class LSTM(_Network):
    r"""Layers of long short-term memory over sequences.

    What a step computes says :class:`LSTMCell`. Its state is a pair: hidden state, cells' state.

    Args:
        input_size (int): size of the inputs.
        hidden_size (int): size of the hidden state.
        num_layers (int): number of layers; each gets the outputs of the one before.
        direction (str): ``forward``; or ``bidirect`` or ``bidirectional``: each layer also runs
            backwards, and the outputs of both ways are joined.
        time_major (bool): whether the first dimension of inputs and outputs is the time, and the
            second one the batch.
        dropout (float): probability that an output of a layer, the last one excepted, is set to
            zero in training; others are scaled up.
        weight_ih_attr (ParamAttr|None): of the weights of inputs, [4 * hidden_size, input size].
        weight_hh_attr (ParamAttr|None): of the weights of states, [4 * hidden_size, hidden_size].
        bias_ih_attr (ParamAttr|bool|None): of the biases of inputs, [4 * hidden_size]; False: none.
        bias_hh_attr (ParamAttr|bool|None): of the biases of states, [4 * hidden_size]; False: none.
        name (str, optional): has no effect.

    Attributes:
        weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0 (Parameter): of layer 0; further ones
            have its number at the end, and ``_reverse`` for the way backwards.

    Examples:
        .. code-block:: python

            import paddle
            rnn = paddle.nn.LSTM(16, 32, 2)
            out, (h, c) = rnn(paddle.randn([4, 23, 16]))
            print(out.shape, h.shape, c.shape)  # [4, 23, 32] [2, 4, 32] [2, 4, 32]
    """

    _mode = "LSTM"
    _states = 2

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        options = {
            "weight_ih_attr": weight_ih_attr,
            "weight_hh_attr": weight_hh_attr,
            "bias_ih_attr": bias_ih_attr,
            "bias_hh_attr": bias_hh_attr,
        }
        super().__init__(
            LSTMCell, options, input_size, hidden_size, num_layers, direction, time_major, dropout
        )


class GRU(_Network):
    r"""Layers of gated recurrent units over sequences.

    What a step computes says :class:`GRUCell`.

    Args:
        input_size (int): size of the inputs.
        hidden_size (int): size of the hidden state.
        num_layers (int): number of layers; each gets the outputs of the one before.
        direction (str): ``forward``; or ``bidirect`` or ``bidirectional``: each layer also runs
            backwards, and the outputs of both ways are joined.
        time_major (bool): whether the first dimension of inputs and outputs is the time, and the
            second one the batch.
        dropout (float): probability that an output of a layer, the last one excepted, is set to
            zero in training; others are scaled up.
        weight_ih_attr (ParamAttr|None): of the weights of inputs, [3 * hidden_size, input size].
        weight_hh_attr (ParamAttr|None): of the weights of states, [3 * hidden_size, hidden_size].
        bias_ih_attr (ParamAttr|bool|None): of the biases of inputs, [3 * hidden_size]; False: none.
        bias_hh_attr (ParamAttr|bool|None): of the biases of states, [3 * hidden_size]; False: none.
        name (str, optional): has no effect.

    Attributes:
        weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0 (Parameter): of layer 0; further ones
            have its number at the end, and ``_reverse`` for the way backwards.

    Examples:
        .. code-block:: python

            import paddle
            rnn = paddle.nn.GRU(16, 32, 2)
            x = paddle.randn([4, 23, 16])
            out, h = rnn(x, paddle.zeros([2, 4, 32]))
            print(out.shape, h.shape)  # [4, 23, 32] [2, 4, 32]
    """

    _mode = "GRU"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        options = {
            "weight_ih_attr": weight_ih_attr,
            "weight_hh_attr": weight_hh_attr,
            "bias_ih_attr": bias_ih_attr,
            "bias_hh_attr": bias_hh_attr,
        }
        super().__init__(
            GRUCell, options, input_size, hidden_size, num_layers, direction, time_major, dropout
        )
