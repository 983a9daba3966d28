"""Rules of recurrent networks: whole layers, and single steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule

# Mode -> ONNX's operator, where its gates stand in the weights here, further attributes.
_MODES: dict[str, tuple[str, list[int], dict[str, Any]]] = {
    "LSTM": ("LSTM", [0, 3, 1, 2], {}),
    "GRU": ("GRU", [1, 0, 2], {"linear_before_reset": 1}),
    "RNN_TANH": ("RNN", [0], {"activations": ["Tanh"]}),
    "RNN_RELU": ("RNN", [0], {"activations": ["Relu"]}),
}


@rule("rnn")
def _(g: Any, op: Any) -> Any:
    mode, layers, hidden = op.attr("mode"), int(op.attr("num_layers")), int(op.attr("hidden_size"))
    ways = 2 if op.attr("is_bidirec") else 1
    weights, half = op.values("WeightList"), 2 * layers * ways
    lengths = op.get("SequenceLength")
    if lengths is not None:
        lengths = g.cast(g.Reshape(lengths, [-1]), VarType.INT32)
    x, ends = op["Input"], []
    for layer in range(layers):
        first = 2 * layer * ways
        matrices = weights[first : first + 2 * ways]
        biases = weights[half + first : half + first + 2 * ways]
        states = [_of_layer(g, s, layer, layers, ways) for s in op.values("PreState")]
        x, *end = _layer(g, mode, hidden, ways, x, matrices, biases, lengths, states)
        ends.append(end)
    joined = [parts[0] if layers == 1 else g.Concat(*parts, axis=0) for parts in zip(*ends)]
    if lengths is not None:  # a sequence of no steps ends where it begins
        none = g.unsqueeze(g.Equal(lengths, g.constant(0, VarType.INT32)), [0, 2])
        joined = [g.Where(none, s, e) for s, e in zip(op.values("PreState"), joined)]
    return {"Out": x, "State": joined}


def _of_layer(g: Any, states: str, layer: int, layers: int, ways: int) -> str:
    if layers == 1:
        return states
    return g.slice(states, [layer * ways], [(layer + 1) * ways], [0])


def _layer(
    g: Any, mode: str, hidden: int, ways: int, x: str, matrices: list[str], biases: list[str],
    lengths: str | None, states: list[str],
) -> list[str]:  # fmt: skip
    """One layer in one or both directions: its outputs [time, batch, ways * hidden], its ends."""
    type, order, attrs = _MODES[mode]

    def gates(values: list[str]) -> str:
        """The parameters of all directions, with their gates in ONNX's order."""
        places = np.concatenate([np.arange(hidden) + hidden * k for k in order])
        made = [g.unsqueeze(_picked(g, v, places), [0]) for v in values]
        return made[0] if len(made) == 1 else g.Concat(*made, axis=0)

    bias = None
    if biases:
        bias = g.Concat(gates(biases[::2]), gates(biases[1::2]), axis=1)
    if "activations" in attrs:
        attrs = {"activations": attrs["activations"] * ways}
    made = g.node(
        type, x, gates(matrices[::2]), gates(matrices[1::2]), bias, lengths, *states,
        outputs=1 + len(states), hidden_size=hidden,
        direction="bidirectional" if ways == 2 else "forward", **attrs,
    )  # fmt: skip
    out = g.Transpose(made[0], perm=[0, 2, 1, 3])  # [time, batch, ways, hidden]
    return [g.Reshape(out, [0, 0, ways * hidden]), *made[1:]]


def _picked(g: Any, value: str, places: np.ndarray) -> str:
    """Rows of a parameter in another order; of a constant a constant."""
    found = g.model.constants.get(value)
    if found is None:
        return g.Gather(value, places.astype(np.int64), axis=0)
    return g.model.store(np.ascontiguousarray(found.array[places]), found.dtype)


# -- single steps ---------------------------------------------------------------------------------

_BY_CODE = [None, "Sigmoid", "Tanh", "Relu"]


@rule("gru_unit")
def _(g: Any, op: Any) -> Any:
    size = op.shape("HiddenPrev")[1]
    if size < 0:
        raise op.refuse("a size that only a run can tell")

    def squashed(name: str, value: str) -> str:
        type = _BY_CODE[int(op.attr(name))]
        return value if type is None else g.node(type, value)

    x, before = op["Input"], op["HiddenPrev"]
    if op.has("Bias"):
        x = g.Add(x, g.Reshape(op["Bias"], [1, -1]))
    flat = g.Reshape(op["Weight"], [-1])
    gates = g.Reshape(g.slice(flat, [0], [2 * size * size], [0]), [size, 2 * size])
    last = g.Reshape(g.slice(flat, [2 * size * size], [3 * size * size], [0]), [size, size])
    both = g.Add(g.slice(x, [0], [2 * size], [1]), g.MatMul(before, gates))
    update, reset = g.split(squashed("gate_activation", both), 1, 2, [size, size])
    kept = g.Mul(reset, before)
    new = g.Add(g.slice(x, [2 * size], [3 * size], [1]), g.MatMul(kept, last))
    new = squashed("activation", new)
    share = g.Sub(op.number(1, "Input"), update) if op.attr("origin_mode") else update
    hidden = g.Add(before, g.Mul(share, g.Sub(new, before)))
    return g.Concat(update, reset, new, axis=1), kept, hidden


@rule("lstm_unit")
def _(g: Any, op: Any) -> Any:
    size, rank = op.shape("C_prev")[-1], op.rank("X")
    if size < 0:
        raise op.refuse("a size that only a run can tell")
    entry, forget, leave, new = g.split(op["X"], rank - 1, 4, [size] * 4)
    forget = g.Sigmoid(g.Add(forget, op.number(float(op.attr("forget_bias")))))
    cell = g.Add(g.Mul(forget, op["C_prev"]), g.Mul(g.Sigmoid(entry), g.Tanh(new)))
    return cell, g.Mul(g.Sigmoid(leave), g.Tanh(cell))
