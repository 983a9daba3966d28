"""Recurrent layers over sequences of rows, single steps of them, and the padded LSTM."""

from __future__ import annotations

import warnings
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.user_frame import outside
from paddle.ir.variable import Variable
from paddle.static.nn.helper import FLOATS, StaticLayer

__all__ = ["dynamic_gru", "dynamic_lstm", "dynamic_lstmp", "gru_unit", "lstm", "lstm_unit"]

_ACTIVATIONS = ("sigmoid", "tanh", "relu", "identity")


def _layer(kind: str, name: str | None = None, prefix: str | None = None) -> StaticLayer:
    return StaticLayer(kind, name, prefix, api="fluid.layers.")


def _rows(layer: StaticLayer, value: Any, width: int, what: str) -> None:
    """Checks the input: projected rows that are split into sequences."""
    layer.check("input", value, [2], FLOATS)
    if not value.lod_level:
        raise layer.wrong("input", "a Variable with lod_level of at least 1", value.name)
    if value.shape[1] not in (-1, width):
        raise layer.wrong("size", f"the width of the input, {value.shape[1]}, {what}", width)


def _multiple(layer: StaticLayer, size: Any, of: int) -> int:
    if layer.count("size", size) % of:
        raise layer.wrong("size", f"a multiple of {of}", size)
    return size // of


def _activations(layer: StaticLayer, **named: Any) -> None:
    for argument, value in named.items():
        if value not in _ACTIVATIONS:
            raise layer.wrong(argument, f"one of {', '.join(_ACTIVATIONS)}", value)


def _results(layer: StaticLayer, dtype: Any, sizes: dict[str, int]) -> dict[str, Variable]:
    """Variables for results of so many columns, in the order in which 1.x names them."""
    made = {slot: layer.fresh(dtype) for slot in sizes}
    for slot, width in sizes.items():
        made[slot].shape = (-1, width)
    return made


def dynamic_lstm(
    input: Any, size: int, h_0: Any = None, c_0: Any = None, param_attr: Any = None,
    bias_attr: Any = None, use_peepholes: bool = True, is_reverse: bool = False,
    gate_activation: str = "sigmoid", cell_activation: str = "tanh",
    candidate_activation: str = "tanh", dtype: Any = "float32", name: str | None = None,
) -> tuple[Variable, Variable]:  # fmt: skip
    """Adds an LSTM over sequences of rows whose projection is done.

    The gates lie in the order candidate, input, forget, output.

    Args:
        input (Variable): ``[N, 4 * D]`` with levels.
        size (int): ``4 * D``.
        h_0 (Variable, optional): the first hidden state of every sequence, ``[B, D]``.
        c_0 (Variable, optional): the first cell; both are given, or none.
        param_attr (ParamAttr, optional): the recurrent weight, ``[D, 4 * D]``.
        bias_attr (ParamAttr, optional): the bias, ``[1, 4 * D]``; ``[1, 7 * D]`` with peepholes.
        use_peepholes (bool): gates see the cell. Default: True.
        is_reverse (bool): every sequence runs backwards. Default: False.
        gate_activation (str): sigmoid, tanh, relu or identity. Default: sigmoid.
        cell_activation (str): of the new cell. Default: tanh.
        candidate_activation (str): of the candidate. Default: tanh.
        dtype (str): of the parameters. Default: float32.
        name (str, optional): the layer's name.

    Returns:
        tuple: hidden states and cells of all rows, ``[N, D]`` with the levels of the input.

    Raises:
        ValueError: the input has no levels, or a size does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 8], lod_level=1)
            hidden, cell = fluid.layers.dynamic_lstm(x, size=8)
            print(hidden.shape, hidden.lod_level)  # (-1, 2) 1
            paddle.disable_static()
    """
    layer = _layer("dynamic_lstm", name, "lstm")
    width = _multiple(layer, size, 4)
    _rows(layer, input, size, "4 times that of the hidden state")
    _both(layer, h_0, c_0)
    _activations(layer, gate_activation=gate_activation, cell_activation=cell_activation,
                 candidate_activation=candidate_activation)  # fmt: skip
    weight = layer.weight("param_attr", param_attr, [width, size], dtype)
    rows = 7 * width if use_peepholes else size
    bias = layer.weight("bias_attr", bias_attr, [1, rows], dtype, is_bias=True)
    outs = _results(layer, dtype, {
        "Hidden": width, "Cell": width, "BatchGate": size, "BatchCellPreAct": width,
    })  # fmt: skip
    inputs = {"Input": input, "H0": h_0, "C0": c_0, "Weight": weight, "Bias": bias}
    layer.append(
        "lstm", inputs, outs, use_peepholes=use_peepholes, is_reverse=is_reverse,
        gate_activation=gate_activation, cell_activation=cell_activation,
        candidate_activation=candidate_activation,
    )  # fmt: skip
    return outs["Hidden"], outs["Cell"]


def _both(layer: StaticLayer, h_0: Any, c_0: Any) -> None:
    if (h_0 is None) != (c_0 is None):
        raise InvalidArgumentError(
            f"{layer.api}: expected both of h_0 and c_0 or none of them, but received only "
            f"{'h_0' if c_0 is None else 'c_0'}."
        )
    for argument, value in (("h_0", h_0), ("c_0", c_0)):
        if value is not None:
            layer.check(argument, value, [2], FLOATS)


def dynamic_lstmp(
    input: Any, size: int, proj_size: int, param_attr: Any = None, bias_attr: Any = None,
    use_peepholes: bool = True, is_reverse: bool = False, gate_activation: str = "sigmoid",
    cell_activation: str = "tanh", candidate_activation: str = "tanh",
    proj_activation: str = "tanh", dtype: Any = "float32", name: str | None = None,
    h_0: Any = None, c_0: Any = None, cell_clip: float | None = None,
    proj_clip: float | None = None,
) -> tuple[Variable, Variable]:  # fmt: skip
    """Adds an LSTM whose hidden state is projected to fewer columns, over sequences of rows.

    Args:
        input (Variable): ``[N, 4 * D]`` with levels, the projection being done.
        size (int): ``4 * D``.
        proj_size (int): P, the width of the projection.
        param_attr (ParamAttr, optional): the recurrent weight ``[P, 4 * D]`` and the projection
            ``[D, P]``.
        bias_attr (ParamAttr, optional): the bias, ``[1, 4 * D]``; ``[1, 7 * D]`` with peepholes.
        use_peepholes (bool): gates see the cell. Default: True.
        is_reverse (bool): every sequence runs backwards. Default: False.
        gate_activation (str): sigmoid, tanh, relu or identity. Default: sigmoid.
        cell_activation (str): of the new cell. Default: tanh.
        candidate_activation (str): of the candidate. Default: tanh.
        proj_activation (str): of the projection. Default: tanh.
        dtype (str): of the parameters. Default: float32.
        name (str, optional): the layer's name.
        h_0 (Variable, optional): the first projection of every sequence, ``[B, P]``.
        c_0 (Variable, optional): the first cell, ``[B, D]``; both are given, or none.
        cell_clip (float, optional): the cell stays within this distance of 0.
        proj_clip (float, optional): the projection stays within this distance of 0.

    Returns:
        tuple: projections ``[N, P]`` and cells ``[N, D]``, with the levels of the input.

    Raises:
        ValueError: the input has no levels, or a size does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 16], lod_level=1)
            projection, cell = fluid.layers.dynamic_lstmp(x, size=16, proj_size=3)
            print(projection.shape, cell.shape)  # (-1, 3) (-1, 4)
            paddle.disable_static()
    """
    layer = _layer("dynamic_lstmp", name, "lstmp")
    width, narrow = _multiple(layer, size, 4), layer.count("proj_size", proj_size)
    _rows(layer, input, size, "4 times that of the cell")
    _both(layer, h_0, c_0)
    _activations(layer, gate_activation=gate_activation, cell_activation=cell_activation,
                 candidate_activation=candidate_activation,
                 proj_activation=proj_activation)  # fmt: skip
    weight = layer.weight("param_attr", param_attr, [narrow, size], dtype)
    projection = layer.weight("param_attr", param_attr, [width, narrow], dtype)
    rows = 7 * width if use_peepholes else size
    bias = layer.weight("bias_attr", bias_attr, [1, rows], dtype, is_bias=True)
    outs = _results(layer, dtype, {"Projection": narrow, "Cell": width})
    layer.fresh(dtype)  # 1.x makes one that nothing needs
    outs |= _results(layer, dtype, {
        "BatchHidden": width, "BatchGate": size, "BatchCellPreAct": width,
    })  # fmt: skip
    inputs = {"Input": input, "H0": h_0, "C0": c_0, "Weight": weight, "ProjWeight": projection}
    layer.append(
        "lstmp", inputs | {"Bias": bias}, outs, use_peepholes=use_peepholes,
        is_reverse=is_reverse, cell_clip=float(cell_clip or 0.0), proj_clip=float(proj_clip or 0.0),
        gate_activation=gate_activation, cell_activation=cell_activation,
        candidate_activation=candidate_activation, proj_activation=proj_activation,
    )  # fmt: skip
    return outs["Projection"], outs["Cell"]


def dynamic_gru(
    input: Any, size: int, param_attr: Any = None, bias_attr: Any = None, is_reverse: bool = False,
    gate_activation: str = "sigmoid", candidate_activation: str = "tanh", h_0: Any = None,
    origin_mode: bool = False,
) -> Variable:  # fmt: skip
    """Adds a GRU over sequences of rows whose projection is done.

    The gates lie in the order update, reset, candidate. The new state is ``(1 - u) h + u c``.

    Args:
        input (Variable): ``[N, 3 * D]`` with levels.
        size (int): D.
        param_attr (ParamAttr, optional): the recurrent weight, ``[D, 3 * D]``.
        bias_attr (ParamAttr|bool, optional): the bias, ``[1, 3 * D]``; False means none.
        is_reverse (bool): every sequence runs backwards. Default: False.
        gate_activation (str): sigmoid, tanh, relu or identity. Default: sigmoid.
        candidate_activation (str): of the candidate. Default: tanh.
        h_0 (Variable, optional): the first state of every sequence, ``[B, D]``.
        origin_mode (bool): the new state is ``u h + (1 - u) c``. Default: False.

    Returns:
        Variable: the states of all rows, ``[N, D]`` with the levels of the input.

    Raises:
        ValueError: the input has no levels, or a size does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 6], lod_level=1)
            print(fluid.layers.dynamic_gru(x, size=2).shape)  # (-1, 2)
            paddle.disable_static()
    """
    layer = _layer("dynamic_gru", None, "gru")
    _rows(layer, input, 3 * layer.count("size", size), "3 times the size")
    _activations(layer, gate_activation=gate_activation, candidate_activation=candidate_activation)
    weight = layer.weight("param_attr", param_attr, [size, 3 * size], input.dtype)
    bias = layer.parameter(bias_attr, [1, 3 * size], input.dtype, is_bias=True)
    if h_0 is not None:
        layer.check("h_0", h_0, [2], FLOATS)
    outs = _results(layer, input.dtype, {
        "Hidden": size, "BatchGate": 3 * size, "BatchResetHiddenPrev": size, "BatchHidden": size,
    })  # fmt: skip
    inputs = {"Input": input, "H0": h_0, "Weight": weight, "Bias": bias}
    layer.append(
        "gru", inputs, outs, is_reverse=is_reverse, gate_activation=gate_activation,
        activation=candidate_activation, origin_mode=origin_mode,
    )  # fmt: skip
    return outs["Hidden"]


def gru_unit(
    input: Any, hidden: Any, size: int, param_attr: Any = None, bias_attr: Any = None,
    activation: str = "tanh", gate_activation: str = "sigmoid", origin_mode: bool = False,
) -> tuple[Variable, Variable, Variable]:  # fmt: skip
    """Adds one step of a GRU.

    As in 1.8.5, whose numbers this keeps, the candidate goes through tanh and the gates through
    sigmoid whatever is asked for; who asks for something else is warned.

    Args:
        input (Variable): the projected input, ``[B, 3 * D]``.
        hidden (Variable): the state before, ``[B, D]``.
        size (int): ``3 * D``.
        param_attr (ParamAttr, optional): the weight, ``[D, 3 * D]``.
        bias_attr (ParamAttr|bool, optional): the bias, ``[1, 3 * D]``; False means none.
        activation (str): of the candidate. Default: tanh.
        gate_activation (str): of the gates. Default: sigmoid.
        origin_mode (bool): the new state is ``u h + (1 - u) c``. Default: False.

    Returns:
        tuple: the new state, the state before as the reset gate lets it through, and the gates.

    Raises:
        ValueError: a size does not fit, or an activation is another one.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x, h = fluid.data("x", [None, 6]), fluid.data("h", [None, 2])
            print([v.shape for v in fluid.layers.gru_unit(x, h, 6)])  # [(-1, 2), (-1, 2), (-1, 6)]
            paddle.disable_static()
    """
    layer = _layer("gru_unit")
    layer.check("input", input, [2], FLOATS)
    layer.check("hidden", hidden, [2], FLOATS)
    _activations(layer, activation=activation, gate_activation=gate_activation)
    if (activation, gate_activation) != ("tanh", "sigmoid"):
        warnings.warn(
            "fluid.layers.gru_unit computes with tanh and sigmoid, as 1.8.5 does, and not with "
            f"{activation!r} and {gate_activation!r}; paddle.nn.GRUCell or fluid.dygraph.GRUUnit "
            "have others.",
            stacklevel=outside(),
        )
    width = _multiple(layer, size, 3)
    weight = layer.weight("param_attr", param_attr, [width, size], input.dtype)
    outs = _results(layer, input.dtype, {"Gate": size, "ResetHiddenPrev": width, "Hidden": width})
    bias = layer.parameter(bias_attr, [1, size], input.dtype, is_bias=True)
    inputs = {"Input": input, "HiddenPrev": hidden, "Weight": weight, "Bias": bias}
    layer.append(
        "gru_unit", inputs, outs, activation=2, gate_activation=1, origin_mode=origin_mode,
    )  # fmt: skip
    return outs["Hidden"], outs["ResetHiddenPrev"], outs["Gate"]


def lstm_unit(
    x_t: Any, hidden_t_prev: Any, cell_t_prev: Any, forget_bias: float = 0.0,
    param_attr: Any = None, bias_attr: Any = None, name: str | None = None,
) -> tuple[Variable, Variable]:  # fmt: skip
    """Adds one step of an LSTM, projection included.

    Args:
        x_t (Variable): the input, ``[B, M]``.
        hidden_t_prev (Variable): the hidden state before, ``[B, D]``.
        cell_t_prev (Variable): the cell before, ``[B, D]``.
        forget_bias (float): added to the forget gate. Default: 0.
        param_attr (ParamAttr, optional): the weight, ``[M + D, 4 * D]``.
        bias_attr (ParamAttr|bool, optional): the bias, ``[4 * D]``; False means none.
        name (str, optional): the layer's name.

    Returns:
        tuple: the new hidden state and the new cell.

    Raises:
        ValueError: a rank or size does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x, h, c = (fluid.data(n, [None, 2]) for n in "xhc")
            hidden, cell = fluid.layers.lstm_unit(x, h, c)
            print(hidden.shape)  # (-1, 2)
            paddle.disable_static()
    """
    layer = _layer("lstm_unit", name)
    named = {"x_t": x_t, "hidden_t_prev": hidden_t_prev, "cell_t_prev": cell_t_prev}
    for argument, value in named.items():
        layer.check(argument, value, [2], FLOATS)
    if hidden_t_prev.shape[1] != cell_t_prev.shape[1]:
        raise layer.wrong(
            "hidden_t_prev", f"the width of cell_t_prev, {cell_t_prev.shape[1]}",
            hidden_t_prev.shape[1],
        )  # fmt: skip
    width = layer.size(cell_t_prev, 1, "cell_t_prev")
    joined = _layer("concat").call("concat", [x_t, hidden_t_prev], axis=1)
    dense = _layer("fc")
    shape = [layer.size(joined, 1, "x_t"), 4 * width]
    weight = dense.weight("param_attr", param_attr, shape, x_t.dtype)
    gates = dense.call("mul", joined, weight, x_num_col_dims=1)
    gates = dense.bias(gates, bias_attr, 4 * width, 1)
    cell, hidden = layer.call("lstm_unit", gates, cell_t_prev, forget_bias=float(forget_bias))
    return hidden, cell


def lstm(
    input: Any, init_h: Any, init_c: Any, max_len: int, hidden_size: int, num_layers: int,
    dropout_prob: float = 0.0, is_bidirec: bool = False, is_test: bool = False,
    name: str | None = None, default_initializer: Any = None, seed: int = -1,
) -> tuple[Variable, Variable, Variable]:  # fmt: skip
    """Adds an LSTM of several layers over a batch of equally long sequences.

    Args:
        input (Variable): ``[steps, B, M]``.
        init_h (Variable): the first hidden states, ``[layers * directions, B, D]``.
        init_c (Variable): the first cells, of the same shape.
        max_len (int): the steps; only the data tell them here.
        hidden_size (int): D.
        num_layers (int): how many layers.
        dropout_prob (float): of what goes from layer to layer. Default: 0.
        is_bidirec (bool): a second network runs backwards. Default: False.
        is_test (bool): nothing is dropped. Default: False.
        name (str, optional): the layer's name.
        default_initializer (Initializer, optional): fills the weight, one vector of all weights.
        seed (int): of the dropout; -1 draws one. Default: -1.

    Returns:
        tuple: outputs ``[steps, B, D * directions]``, the last hidden states and the last cells.

    Raises:
        ValueError: a rank or size does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [5, None, 4])
            h, c = fluid.data("h", [2, None, 3]), fluid.data("c", [2, None, 3])
            out, last_h, last_c = fluid.layers.lstm(x, h, c, 5, hidden_size=3, num_layers=2)
            print(out.shape, last_h.shape)  # (5, -1, 3) (2, -1, 3)
            paddle.disable_static()
    """
    layer = _layer("lstm", name, "cudnn_lstm")
    for argument, value in {"input": input, "init_h": init_h, "init_c": init_c}.items():
        layer.check(argument, value, [3], FLOATS)
    width, hidden = layer.size(input, 2, "input"), layer.count("hidden_size", hidden_size)
    ways, count = 2 if is_bidirec else 1, 0
    for at in range(layer.count("num_layers", num_layers)):
        seen = width if not at else hidden * ways
        count += ways * 4 * hidden * (seen + hidden + 2)
    weight = layer.parameter(None, [count], input.dtype, default=default_initializer)
    out, last_h, last_c = (layer.fresh(input.dtype) for _ in range(3))
    out.shape, last_h.shape, last_c.shape = (
        (*input.shape[:2], hidden * ways), init_h.shape, init_c.shape,
    )  # fmt: skip
    layer.append(
        "cudnn_lstm", {"Input": input, "InitH": init_h, "InitC": init_c, "W": weight},
        {"Out": out, "last_h": last_h, "last_c": last_c}, max_len=max_len,
        dropout_prob=float(dropout_prob), hidden_size=hidden, is_bidirec=is_bidirec,
        is_test=is_test, input_size=width, num_layers=num_layers, seed=seed,
    )  # fmt: skip
    return out, last_h, last_c


guard_module(globals())
