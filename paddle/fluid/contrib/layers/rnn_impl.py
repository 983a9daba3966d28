"""BasicGRUUnit, BasicLSTMUnit and networks of them over padded sequences."""

from __future__ import annotations

import copy
from typing import Any

from paddle.core.mode import recording
from paddle.fluid import layers as L
from paddle.fluid.layers.blocks import StaticRNN, outside
from paddle.fluid.layers.decoding import blended, swapped
from paddle.framework.param_attr import ParamAttr
from paddle.nn.layer.layers import Layer

__all__ = ["BasicGRUUnit", "BasicLSTMUnit", "basic_gru", "basic_lstm"]


def _named(attr: Any, suffix: str) -> Any:
    """A copy of an attr with something added to its name, if it has one."""
    given = ParamAttr._to_attr(attr)
    if given is False or not getattr(given, "name", None):
        return attr
    made = copy.deepcopy(given)
    made.name += suffix
    return made


class _Unit(Layer):
    """A step of a network; its parameters are made when it first sees its input."""

    def __init__(
        self, name_scope: str, hidden_size: int, param_attr: Any, bias_attr: Any,
        gate_activation: Any, activation: Any, dtype: Any,
    ) -> None:  # fmt: skip
        super().__init__(f"{name_scope}/{type(self).__name__}", dtype)
        self._hidden_size = self._hiden_size = hidden_size
        self._param_attr, self._bias_attr = param_attr, bias_attr
        self._gate_activation = gate_activation or L.sigmoid
        self._activation = activation or L.tanh
        self._kind = dtype
        self._built = False

    def _made(self, shape: list[int], attr: Any, is_bias: bool = False) -> Any:
        return self.create_parameter(shape, attr=attr, dtype=self._kind, is_bias=is_bias)

    def _build_once(self, input: Any) -> None:
        raise NotImplementedError

    def _start(self, input: Any) -> None:
        if not self._built:
            self._built = True
            self._build_once(input)


class BasicGRUUnit(_Unit):
    """A step of a gated recurrent unit: of an input and a state the new state.

    Args:
        name_scope (str): prefix of the parameters' names.
        hidden_size (int): width of the state.
        param_attr (ParamAttr, optional): of the weights; ``_gate`` and ``_candidate`` are added
            to its name.
        bias_attr (ParamAttr, optional): of the biases.
        gate_activation (callable, optional): Default: ``layers.sigmoid``.
        activation (callable, optional): Default: ``layers.tanh``.
        dtype (str): Default: float32.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x, state = fluid.data("x", [None, 4]), fluid.data("state", [None, 5])
                unit = fluid.contrib.layers.BasicGRUUnit("gru", 5)
                print(unit(x, state).shape)  # (-1, 5)
            paddle.disable_static()
    """

    def __init__(
        self,
        name_scope: str,
        hidden_size: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        gate_activation: Any = None,
        activation: Any = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(
            name_scope, hidden_size, param_attr, bias_attr, gate_activation, activation, dtype
        )

    def _build_once(self, input: Any) -> None:
        size, width = self._hidden_size, self._hidden_size + input.shape[-1]
        attrs, biases = self._param_attr, self._bias_attr
        self._gate_weight = self._made([width, 2 * size], _named(attrs, "_gate"))
        self._candidate_weight = self._made([width, size], _named(attrs, "_candidate"))
        self._gate_bias = self._made([2 * size], _named(biases, "_gate"), True)
        self._candidate_bias = self._made([size], _named(biases, "_candidate"), True)

    def forward(self, input: Any, pre_hidden: Any) -> Any:
        """Computes a step.

        Args:
            input (Variable): [batch, width].
            pre_hidden (Variable): [batch, hidden_size].
        """
        self._start(input)
        joined = L.concat([input, pre_hidden], 1)
        gates = L.elementwise_add(L.matmul(x=joined, y=self._gate_weight), self._gate_bias)
        reset, update = L.split(self._gate_activation(gates), num_or_sections=2, dim=1)
        joined = L.concat([input, reset * pre_hidden], 1)
        candidate = L.matmul(joined, self._candidate_weight)
        candidate = self._activation(L.elementwise_add(candidate, self._candidate_bias))
        return update * pre_hidden + (1 - update) * candidate


class BasicLSTMUnit(_Unit):
    """A step of a long short-term memory: of an input, a state and a cell the new ones.

    Args:
        name_scope (str): prefix of the parameters' names.
        hidden_size (int): width of state and cell.
        param_attr (ParamAttr, optional): of the weight.
        bias_attr (ParamAttr, optional): of the bias.
        gate_activation (callable, optional): Default: ``layers.sigmoid``.
        activation (callable, optional): Default: ``layers.tanh``.
        forget_bias (float): what is added to the gate that forgets. Default: 1.0.
        dtype (str): Default: float32.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x, state = fluid.data("x", [None, 4]), fluid.data("state", [None, 5])
                hidden, cell = fluid.contrib.layers.BasicLSTMUnit("lstm", 5)(x, state, state)
                print(hidden.shape)  # (-1, 5)
            paddle.disable_static()
    """

    def __init__(
        self,
        name_scope: str,
        hidden_size: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        gate_activation: Any = None,
        activation: Any = None,
        forget_bias: float = 1.0,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(
            name_scope, hidden_size, param_attr, bias_attr, gate_activation, activation, dtype
        )
        forget = L.fill_constant([1], dtype=dtype, value=forget_bias)
        forget.stop_gradient = False
        object.__setattr__(self, "_forget_bias", forget)

    def _build_once(self, input: Any) -> None:
        size = self._hidden_size
        self._weight = self._made([input.shape[-1] + size, 4 * size], self._param_attr)
        self._bias = self._made([4 * size], self._bias_attr, True)

    def forward(self, input: Any, pre_hidden: Any, pre_cell: Any) -> Any:
        """Computes a step.

        Args:
            input (Variable): [batch, width].
            pre_hidden (Variable): [batch, hidden_size].
            pre_cell (Variable): [batch, hidden_size].

        Returns:
            tuple: (new state, new cell).
        """
        self._start(input)
        gates = L.matmul(x=L.concat([input, pre_hidden], 1), y=self._weight)
        gates = L.elementwise_add(gates, self._bias)
        i, j, f, o = L.split(gates, num_or_sections=4, dim=-1)
        forget = self._gate_activation(L.elementwise_add(f, self._forget_bias))
        kept = L.elementwise_mul(pre_cell, forget)
        added = L.elementwise_mul(self._gate_activation(i), self._activation(j))
        cell = L.elementwise_add(kept, added)
        return self._activation(cell) * self._gate_activation(o), cell


# -- networks -------------------------------------------------------------------------------------


def _units(kind: Any, name: str, way: str, count: int, attrs: tuple, rest: tuple) -> list:
    """The units of all layers in one direction."""
    label = "" if way == "fw" else "_reverse"
    param_attr, bias_attr = attrs
    return [
        kind(f"{name}{label}_layers_{i}", rest[0], _named(param_attr, f"_{way}_w_{i}"),
             _named(bias_attr, f"_{way}_b_{i}"), *rest[1:])
        for i in range(count)
    ]  # fmt: skip


def _run(
    units: list, inputs: Any, mask: Any, starts: list | None, size: int, dropout: float, states: int
) -> tuple[Any, list]:
    """One direction: returns the outputs of all steps, and for every layer its last states."""
    network = StaticRNN()
    with network.step():
        now = network.step_input(inputs)
        step_mask = None if mask is None else network.step_input(mask)
        for i, unit in enumerate(units):
            before = [
                network.memory(init=starts[k][i])
                if starts is not None
                else network.memory(batch_ref=inputs, shape=[-1, size])
                for k in range(states)
            ]
            found = unit(now, *before)
            after = list(found) if states > 1 else [found]
            if step_mask is not None:
                after = [blended(a, b, step_mask) for a, b in zip(before, after, strict=True)]
            for old, new in zip(before, after, strict=True):
                network.update_memory(old, new)
                network.step_output(new)
            now = after[0]
            if dropout:
                now = L.dropout(now, dropout_prob=dropout)
        network.step_output(now)
    *last, outputs = network()
    return outputs, [each[-1] for each in last]


def _need_static(api: str) -> None:
    if not recording():
        raise NotImplementedError(
            f"fluid.contrib.layers.{api} records a recurrent operator, but dynamic mode is on; "
            "use paddle.nn.GRU or paddle.nn.LSTM."
        )


def _network(
    kind: Any, name: str, input: Any, starts: list, size: int, layers: int, lengths: Any,
    dropout: float, both: bool, batch_first: bool, attrs: tuple, rest: tuple,
) -> list:  # fmt: skip
    """basic_gru and basic_lstm: outputs and the last states, for each kind of state."""
    ways = ["fw", "bw"] if both else ["fw"]
    units = [_units(kind, name, way, layers, attrs, (size, *rest)) for way in ways]
    if batch_first:
        input = swapped(input)
    mask = None
    if lengths is not None:
        steps = L.shape(input)[0]
        mask = swapped(L.sequence_mask(lengths, maxlen=steps, dtype="float32"))
    given = None
    if starts[0] is not None:
        given = [L.reshape(s, shape=[layers, len(ways), -1, size]) for s in starts]
    found, ends = [], []
    for way, chain in enumerate(units):
        now, here = input, mask
        if way:
            now = L.reverse(input, [0])
            here = None if mask is None else L.reverse(mask, [0])
        slices = None if given is None else [_Slices(s, way) for s in given]
        outputs, last = _run(chain, now, here, slices, size, dropout, len(starts))
        joined = []
        for k in range(len(starts)):
            rows = L.concat(last[k :: len(starts)], axis=0)
            joined.append(L.reshape(rows, shape=[layers, -1, size]))
        ends.append(joined)
        found.append(L.reverse(outputs, [0]) if way else outputs)
    outputs, final = found[0], ends[0]
    if both:
        outputs = L.concat(found, axis=2)
        final = []
        for pair in zip(*ends, strict=True):
            rows = L.concat(list(pair), axis=1)
            final.append(L.reshape(rows, shape=[layers * 2, -1, size]))
    if batch_first:
        outputs = swapped(outputs)
    return [outputs, *final]


class _Slices:
    """The first states of the layers in one direction, taken when they are asked for."""

    def __init__(self, states: Any, way: int) -> None:
        self._states, self._way = states, way

    def __getitem__(self, layer: int) -> Any:
        with outside():
            return self._states[layer, self._way]


def basic_gru(
    input: Any,
    init_hidden: Any,
    hidden_size: int,
    num_layers: int = 1,
    sequence_length: Any = None,
    dropout_prob: float = 0.0,
    bidirectional: bool = False,
    batch_first: bool = True,
    param_attr: Any = None,
    bias_attr: Any = None,
    gate_activation: Any = None,
    activation: Any = None,
    dtype: Any = "float32",
    name: str = "basic_gru",
) -> Any:
    """Layers of gated recurrent units over padded sequences.

    Args:
        input (Variable): [batch, time, width].
        init_hidden (Variable|None): [layers * directions, batch, hidden_size]; None: zeros.
        hidden_size (int): width of the states.
        num_layers (int): how many layers. Default: 1.
        sequence_length (Variable, optional): lengths, [batch].
        dropout_prob (float): what is dropped behind each layer. Default: 0.
        bidirectional (bool): whether other layers go back. Default: False.
        batch_first (bool): False: inputs and outputs are [time, batch, ...]. Default: True.
        param_attr (ParamAttr, optional): of the weights; direction and layer are added to its name.
        bias_attr (ParamAttr, optional): of the biases.
        gate_activation (callable, optional): Default: ``layers.sigmoid``.
        activation (callable, optional): Default: ``layers.tanh``.
        dtype (str): Default: float32.
        name (str): prefix of the parameters' names. Default: basic_gru.

    Returns:
        tuple: (outputs of all steps, last states of shape [layers * directions, batch, size]).

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = fluid.data("x", [None, 3, 4])
                out, last = fluid.contrib.layers.basic_gru(x, None, 5, bidirectional=True)
                print(out.shape)  # (-1, 3, 10)
            paddle.disable_static()
    """
    _need_static("basic_gru")
    out, last = _network(
        BasicGRUUnit, name, input, [init_hidden], hidden_size, num_layers, sequence_length,
        dropout_prob, bidirectional, batch_first, (param_attr, bias_attr),
        (gate_activation, activation, dtype),
    )  # fmt: skip
    return out, last


def basic_lstm(
    input: Any,
    init_hidden: Any,
    init_cell: Any,
    hidden_size: int,
    num_layers: int = 1,
    sequence_length: Any = None,
    dropout_prob: float = 0.0,
    bidirectional: bool = False,
    batch_first: bool = True,
    param_attr: Any = None,
    bias_attr: Any = None,
    gate_activation: Any = None,
    activation: Any = None,
    forget_bias: float = 1.0,
    dtype: Any = "float32",
    name: str = "basic_lstm",
) -> Any:
    """Layers of long short-term memories over padded sequences; see :func:`basic_gru`.

    Args:
        input (Variable): [batch, time, width].
        init_hidden (Variable|None): [layers * directions, batch, hidden_size]; None: zeros.
        init_cell (Variable|None): the same for the cells.
        hidden_size (int): width of the states.
        num_layers (int): how many layers. Default: 1.
        sequence_length (Variable, optional): lengths, [batch].
        dropout_prob (float): what is dropped behind each layer. Default: 0.
        bidirectional (bool): whether other layers go back. Default: False.
        batch_first (bool): False: inputs and outputs are [time, batch, ...]. Default: True.
        param_attr (ParamAttr, optional): of the weights.
        bias_attr (ParamAttr, optional): of the biases.
        gate_activation (callable, optional): Default: ``layers.sigmoid``.
        activation (callable, optional): Default: ``layers.tanh``.
        forget_bias (float): what is added to the gate that forgets. Default: 1.0.
        dtype (str): Default: float32.
        name (str): prefix of the parameters' names. Default: basic_lstm.

    Returns:
        tuple: (outputs of all steps, last states, last cells).
    """
    _need_static("basic_lstm")
    out, hidden, cell = _network(
        BasicLSTMUnit, name, input, [init_hidden, init_cell], hidden_size, num_layers,
        sequence_length, dropout_prob, bidirectional, batch_first, (param_attr, bias_attr),
        (gate_activation, activation, forget_bias, dtype),
    )  # fmt: skip
    return out, hidden, cell
