"""Cells of recurrent networks: what is computed for one step."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import get_default_dtype, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.core.pytree import leaves, tree_map
from paddle.core.tensor import Tensor
from paddle.ir.variable import Variable
from paddle.nn.initializer import Uniform
from paddle.nn.layer.layers import Layer
from paddle.tensor.dims import shapes_fit

__all__ = ["GRUCell", "LSTMCell", "RNNCellBase", "SimpleRNNCell"]


MOST_LAYERS = 10_000  # more would be made for minutes, and is a mistake


def positive_size(owner: str, name: str, value: Any, most: int | None = None) -> int:
    """Checks one of the sizes that a recurrent layer is made with."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{owner}({name}): expected an int, but received {type(value).__name__}.")
    if value < 1:
        raise InvalidArgumentError(f"{owner}({name}): expected at least 1, but received {value}.")
    if most is not None and value > most:
        raise InvalidArgumentError(
            f"{owner}({name}): expected at most {most}, but received {value}."
        )
    return value


def check_activation(owner: str, value: Any) -> str:
    """Checks the name of a simple cell's activation."""
    if value not in ("tanh", "relu"):
        raise InvalidArgumentError(
            f"{owner}(activation): expected 'tanh' or 'relu', but received {value!r}."
        )
    return value


def check_tensor(owner: str, name: str, value: Any, shape: list[int], form: str) -> None:
    """Checks a Tensor's rank and sizes; -1 stands for any size."""
    if not isinstance(value, (Tensor, Variable)):
        raise TypeError(f"{owner}({name}): expected a Tensor, but received {type(value).__name__}.")
    if not shapes_fit(value.shape, shape):
        wanted = ", ".join("any" if n == -1 else str(n) for n in shape)
        raise InvalidArgumentError(
            f"{owner}({name}): expected the shape {form}, here [{wanted}], but received "
            f"{list(value.shape)}."
        )


def biases_in_order(biases: list[Any], matrix: Any) -> list[Any]:
    """Biases as the operator takes them: none at all, or zeros where one is missing.

    Args:
        biases (list): of all layers, None where there is none.
        matrix (Tensor): one of the weights, for size and type.
    """
    if None not in biases:
        return biases
    if all(b is None for b in biases):
        return []
    zero = C.fill_constant(shape=[matrix.shape[0]], dtype=int(matrix.dtype), value=0.0)
    return [zero if b is None else b for b in biases]


class _Shape:
    """One shape in a pytree of shapes, with -1 for the batch."""

    def __init__(self, sizes: Any) -> None:
        sizes = [int(n) for n in sizes]
        self.sizes = sizes if sizes[:1] == [-1] else [-1, *sizes]


def _shapes(pytree: Any) -> Any:
    """Marks the shapes in a pytree: lists and tuples of nothing but ints."""
    if isinstance(pytree, dict):
        return {key: _shapes(value) for key, value in pytree.items()}
    if isinstance(pytree, (list, tuple)):
        if all(isinstance(n, int) for n in pytree):
            return _Shape(pytree)
        made = [_shapes(value) for value in pytree]
        return type(pytree)(*made) if hasattr(pytree, "_fields") else type(pytree)(made)
    raise TypeError(
        "get_initial_states(shape): expected a list of ints, or a pytree of such lists, "
        f"but received {type(pytree).__name__}."
    )


class RNNCellBase(Layer):
    """What cells are made from: a cell maps (inputs, states) to (outputs, new states).

    A subclass overrides ``forward(inputs, states)`` and ``state_shape``; :class:`RNN` and
    :class:`BiRNN` run it over sequences.

    Args:
        name_scope (str|None): see :class:`Layer`.
        dtype (str): see :class:`Layer`.

    Examples:
        .. code-block:: python

            import paddle

            class Sum(paddle.nn.RNNCellBase):
                @property
                def state_shape(self):
                    return (2,)

                def forward(self, inputs, states):
                    total = inputs + states
                    return total, total

            rnn = paddle.nn.RNN(Sum())
            out, last = rnn(paddle.ones([1, 3, 2]))
            print(out.numpy()[0, :, 0], last.numpy())  # [1. 2. 3.] [[3. 3.]]
    """

    def __init__(self, name_scope: str | None = None, dtype: str = "float32") -> None:
        super().__init__(name_scope, dtype)

    def get_initial_states(
        self,
        batch_ref: Any,
        shape: Any = None,
        dtype: Any = None,
        init_value: float = 0.0,
        batch_dim_idx: int = 0,
    ) -> Any:
        """Makes the states that a sequence starts with, all of one value.

        Args:
            batch_ref (Tensor): where the size of a batch is taken from; of a pytree, the first one.
            shape (list|tuple|dict|None): shape of a state, or a pytree of shapes; -1 for the batch
                may stand in front. None takes ``state_shape``.
            dtype (str|pytree|None): type of the states, or one for each. None takes ``state_dtype``
                where a cell has it, else the default type.
            init_value (float): the value.
            batch_dim_idx (int): which dimension of ``batch_ref`` is the batch.

        Returns:
            Tensor, or a pytree of Tensors in the form of ``shape``.

        Examples:
            .. code-block:: python

                import paddle
                cell = paddle.nn.LSTMCell(4, 3)
                h, c = cell.get_initial_states(paddle.ones([2, 4]))
                print(h.shape, c.shape)  # [2, 3] [2, 3]
        """
        reference = leaves(batch_ref)[0]
        if not isinstance(reference, (Tensor, Variable)):
            raise TypeError(
                "get_initial_states(batch_ref): expected a Tensor, "
                f"but received {type(reference).__name__}."
            )
        rank = len(reference.shape)
        if not -rank <= batch_dim_idx < rank:
            raise InvalidArgumentError(
                f"get_initial_states(batch_dim_idx): expected a dimension of batch_ref, whose "
                f"shape is {list(reference.shape)}, but received {batch_dim_idx}."
            )
        shapes = _shapes(self.state_shape if shape is None else shape)
        kinds = self._initial_types(dtype)
        if len(leaves(kinds)) == 1:
            kind = leaves(kinds)[0]
            kinds = tree_map(lambda _: kind, shapes)

        def filled(each: _Shape, kind: Any) -> Any:
            return C.fill_constant_batch_size_like(
                reference, shape=each.sizes, dtype=int(to_vartype(kind)), value=float(init_value),
                input_dim_idx=batch_dim_idx % rank, output_dim_idx=0,
            )  # fmt: skip

        return tree_map(filled, shapes, kinds)

    def _initial_types(self, dtype: Any) -> Any:
        if dtype is not None:
            return dtype
        try:
            return self.state_dtype
        except NotImplementedError:
            return get_default_dtype()

    @property
    def state_shape(self) -> Any:
        """Shape of a state, or a pytree of shapes, without the batch; a cell overrides this."""
        raise NotImplementedError(
            f"{type(self).__name__} must override state_shape, or be given states."
        )

    @property
    def state_dtype(self) -> Any:
        """Type of the states, or a pytree of types; a cell may override this."""
        raise NotImplementedError(f"{type(self).__name__} has no state_dtype of its own.")


class _Cell(RNNCellBase):
    """A cell with weights for inputs and for the hidden state.

    Args:
        input_size, hidden_size (int): sizes.
        attrs (tuple): attributes of weight_ih, weight_hh, bias_ih and bias_hh.
    """

    _gates = 1

    def __init__(self, input_size: int, hidden_size: int, attrs: tuple) -> None:
        super().__init__()
        owner = type(self).__name__
        self.input_size = positive_size(owner, "input_size", input_size)
        self.hidden_size = positive_size(owner, "hidden_size", hidden_size)
        bound = 1.0 / hidden_size**0.5
        rows = self._gates * hidden_size
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        shapes = ([rows, input_size], [rows, hidden_size], [rows], [rows])
        for name, shape, attr in zip(names, shapes, attrs, strict=True):
            bias = name.startswith("bias")
            if attr is False and not bias:
                raise InvalidArgumentError(
                    f"{owner}({name}_attr): expected a ParamAttr or None, but received False; only "
                    "biases can be left out."
                )
            made = self.create_parameter(
                shape, attr, is_bias=bias, default_initializer=Uniform(-bound, bound)
            )
            setattr(self, name, made)

    @property
    def state_shape(self) -> Any:
        """Shape of a state without the batch."""
        return (self.hidden_size,)

    def _start(self, inputs: Tensor, states: Any) -> Any:
        """Checks inputs and states; zeros where there are no states."""
        owner = type(self).__name__
        check_tensor(owner, "inputs", inputs, [-1, self.input_size], "[batch, input_size]")
        if states is None:
            return self.get_initial_states(inputs, dtype=inputs.dtype)
        self._check_states(states)
        return states

    def _check_states(self, states: Any) -> None:
        """Raises where states have another form than the cell's."""
        owner, shapes = type(self).__name__, self.state_shape
        several = isinstance(shapes[0], tuple)
        if several and not (isinstance(states, (list, tuple)) and len(states) == len(shapes)):
            raise TypeError(
                f"{owner}(states): expected {len(shapes)} Tensors, hidden and cell, "
                f"but received {type(states).__name__}."
            )
        for state in states if several else [states]:
            check_tensor(owner, "states", state, [-1, self.hidden_size], "[batch, hidden_size]")

    def _mode(self) -> str:
        """What the operator ``rnn`` calls this cell."""
        raise NotImplementedError

    def _shares(self, inputs: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """What the inputs and the hidden state add to the gates."""
        given = C.matmul_v2(inputs, self.weight_ih, trans_y=True)
        own = C.matmul_v2(hidden, self.weight_hh, trans_y=True)
        if self.bias_ih is not None:
            given = C.elementwise_add(given, self.bias_ih)
        if self.bias_hh is not None:
            own = C.elementwise_add(own, self.bias_hh)
        return given, own

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"{self.input_size}, {self.hidden_size}"


class SimpleRNNCell(_Cell):
    r"""A step of an Elman network: :math:`h' = act(W_{ih} x + b_{ih} + W_{hh} h + b_{hh})`.

    Args:
        input_size (int): size of the inputs.
        hidden_size (int): size of the hidden state.
        activation (str): ``tanh`` or ``relu``.
        weight_ih_attr (ParamAttr|None): of weight_ih, [hidden_size, input_size].
        weight_hh_attr (ParamAttr|None): of weight_hh, [hidden_size, hidden_size].
        bias_ih_attr (ParamAttr|bool|None): of bias_ih, [hidden_size]; False: none.
        bias_hh_attr (ParamAttr|bool|None): of bias_hh, [hidden_size]; False: none.
        name (str, optional): has no effect.

    All four start out uniform between plus and minus :math:`1 / \sqrt{hidden\_size}`.

    Examples:
        .. code-block:: python

            import paddle
            cell = paddle.nn.SimpleRNNCell(16, 32)
            out, h = cell(paddle.randn([4, 16]), paddle.randn([4, 32]))
            print(out.shape, h.shape)  # [4, 32] [4, 32]
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        activation: str = "tanh",
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        self.activation = check_activation("SimpleRNNCell", activation)
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        super().__init__(input_size, hidden_size, attrs)

    def _mode(self) -> str:
        """What the operator ``rnn`` calls this cell."""
        return "RNN_TANH" if self.activation == "tanh" else "RNN_RELU"

    def forward(self, inputs: Tensor, states: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Computes a step.

        Args:
            inputs (Tensor): [batch, input_size].
            states (Tensor|None): the hidden state, [batch, hidden_size]; None: zeros.

        Returns:
            tuple: (outputs, new hidden state), which are the same Tensor.
        """
        given, own = self._shares(inputs, self._start(inputs, states))
        act = C.tanh if self.activation == "tanh" else C.relu
        h = act(C.elementwise_add(given, own))
        return h, h

    def extra_repr(self) -> str:
        """The settings, for printing."""
        act = "" if self.activation == "tanh" else f", activation={self.activation}"
        return super().extra_repr() + act


class LSTMCell(_Cell):
    r"""A step of a network with long short-term memory.

    With :math:`g_k = W_{ik} x + b_{ik} + W_{hk} h + b_{hk}` for the four parts k of the weights,
    in the order input gate, forget gate, candidate, output gate:
    :math:`c' = \sigma(g_f) c + \sigma(g_i) \tanh(g_c)` and :math:`h' = \sigma(g_o) \tanh(c')`.

    Args:
        input_size (int): size of the inputs.
        hidden_size (int): size of both states.
        weight_ih_attr (ParamAttr|None): of weight_ih, [4 * hidden_size, input_size].
        weight_hh_attr (ParamAttr|None): of weight_hh, [4 * hidden_size, hidden_size].
        bias_ih_attr (ParamAttr|bool|None): of bias_ih, [4 * hidden_size]; False: none.
        bias_hh_attr (ParamAttr|bool|None): of bias_hh, [4 * hidden_size]; False: none.
        name (str, optional): has no effect.

    All four start out uniform between plus and minus :math:`1 / \sqrt{hidden\_size}`.

    Examples:
        .. code-block:: python

            import paddle
            cell = paddle.nn.LSTMCell(16, 32)
            out, (h, c) = cell(paddle.randn([4, 16]))
            print(out.shape, h.shape, c.shape)  # [4, 32] [4, 32] [4, 32]
    """

    _gates = 4

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        super().__init__(input_size, hidden_size, attrs)

    @property
    def state_shape(self) -> Any:
        """Shapes of the hidden state and of the cell's, without the batch."""
        return ((self.hidden_size,), (self.hidden_size,))

    def _mode(self) -> str:
        """What the operator ``rnn`` calls this cell."""
        return "LSTM"

    def forward(self, inputs: Tensor, states: Any = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Computes a step.

        Args:
            inputs (Tensor): [batch, input_size].
            states (tuple|None): hidden state and cell's state, [batch, hidden_size] each; None:
                zeros.

        Returns:
            tuple: (outputs, (new hidden state, new state of the cell)); the first two are the same.
        """
        hidden, cell = self._start(inputs, states)
        given, own = self._shares(inputs, hidden)
        i, f, g, o = C.split(C.elementwise_add(given, own), num=4, axis=-1)
        kept = C.elementwise_mul(C.sigmoid(f), cell)
        cell = C.elementwise_add(kept, C.elementwise_mul(C.sigmoid(i), C.tanh(g)))
        hidden = C.elementwise_mul(C.sigmoid(o), C.tanh(cell))
        return hidden, (hidden, cell)


class GRUCell(_Cell):
    r"""A step of a network of gated recurrent units.

    With :math:`x_k = W_{ik} x + b_{ik}` and :math:`h_k = W_{hk} h + b_{hk}` for the three parts k
    of the weights, in the order reset gate, update gate, candidate: :math:`r = \sigma(x_r + h_r)`,
    :math:`z = \sigma(x_z + h_z)`, :math:`n = \tanh(x_c + r h_c)` and
    :math:`h' = z h + (1 - z) n`.

    Args:
        input_size (int): size of the inputs.
        hidden_size (int): size of the hidden state.
        weight_ih_attr (ParamAttr|None): of weight_ih, [3 * hidden_size, input_size].
        weight_hh_attr (ParamAttr|None): of weight_hh, [3 * hidden_size, hidden_size].
        bias_ih_attr (ParamAttr|bool|None): of bias_ih, [3 * hidden_size]; False: none.
        bias_hh_attr (ParamAttr|bool|None): of bias_hh, [3 * hidden_size]; False: none.
        name (str, optional): has no effect.

    All four start out uniform between plus and minus :math:`1 / \sqrt{hidden\_size}`.

    Examples:
        .. code-block:: python

            import paddle
            cell = paddle.nn.GRUCell(16, 32)
            out, h = cell(paddle.randn([4, 16]))
            print(out.shape, h.shape)  # [4, 32] [4, 32]
    """

    _gates = 3

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        super().__init__(input_size, hidden_size, attrs)

    def _mode(self) -> str:
        """What the operator ``rnn`` calls this cell."""
        return "GRU"

    def forward(self, inputs: Tensor, states: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Computes a step.

        Args:
            inputs (Tensor): [batch, input_size].
            states (Tensor|None): the hidden state, [batch, hidden_size]; None: zeros.

        Returns:
            tuple: (outputs, new hidden state), which are the same Tensor.
        """
        hidden = self._start(inputs, states)
        given, own = self._shares(inputs, hidden)
        x_r, x_z, x_c = C.split(given, num=3, axis=-1)
        h_r, h_z, h_c = C.split(own, num=3, axis=-1)
        reset = C.sigmoid(C.elementwise_add(x_r, h_r))
        update = C.sigmoid(C.elementwise_add(x_z, h_z))
        new = C.tanh(C.elementwise_add(x_c, C.elementwise_mul(reset, h_c)))
        moved = C.elementwise_mul(update, C.elementwise_sub(hidden, new))
        h = C.elementwise_add(new, moved)
        return h, h
