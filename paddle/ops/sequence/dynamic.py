"""LSTM and GRU over sequences of rows whose projection is done: lstm, lstmp, gru of 1.x.

The rows are put in the order of steps, sequences sorted by length, longest first; a step works on
the first rows of those before it, for the shorter sequences have ended.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from paddle.core.derive import vjp
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.sequence import lstm_rows
from paddle.ops.sequence.levels import Steps, in_steps, last_level
from paddle.ops.sequence.lstm_rows import Kinds

Step = Callable[..., tuple[torch.Tensor, ...]]

_ACTIVATIONS: dict[str, Callable] = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "relu": torch.relu,
    "identity": lambda x: x,
}


def _activation(op: str, name: str) -> Callable:
    found = _ACTIVATIONS.get(name)
    if found is None:
        raise InvalidArgumentError(
            f"{op}: expected an activation of {', '.join(_ACTIVATIONS)}, but received {name!r}."
        )
    return found


def _walk(x: torch.Tensor, order: Steps, states: list[torch.Tensor], step: Step) -> list:
    """Runs a step over all rows; returns its states for every row of the input.

    Args:
        x: what a step gets of the rows.
        order: of the rows.
        states: what the first step sees, a row for each sequence in their order in the input.
        step: ``step(rows, *states) -> states``.
    """
    states = [state.index_select(0, order.sequences) for state in states]
    made: list[tuple[torch.Tensor, ...]] = []
    for rows in torch.split(x.index_select(0, order.rows), order.live):
        states = list(step(rows, *[state[: rows.shape[0]] for state in states]))
        made.append(tuple(states))
    if not made:
        return [x.new_zeros([0, state.shape[1]]) for state in states]
    whole = (torch.cat(parts) for parts in zip(*made, strict=True))
    return [rows.index_select(0, order.places) for rows in whole]


def _first(name: str, slot: str, given: Any, like: torch.Tensor, count: int, size: int) -> Any:
    """The first state: given, or zeros."""
    if given is None:
        return like.new_zeros([count, size])
    if tuple(given.shape) != (count, size) and not like.is_meta:
        raise InvalidArgumentError(
            f"{name}: expected {slot} of shape {[count, size]}, a row for each sequence, but "
            f"received {list(given.shape)}."
        )
    return given


def _check(name: str, x: torch.Tensor, weight: torch.Tensor, gates: int) -> int:
    """The size of the hidden state."""
    size = x.shape[-1] // gates
    fits = x.dim() == weight.dim() == 2 and size and x.shape[1] == weight.shape[1] == gates * size
    if not fits or (name != "lstmp" and weight.shape[0] != size):
        rows = "projection" if name == "lstmp" else "size"
        raise InvalidArgumentError(
            f"{name}: expected Input [N, {gates} * size] and Weight [{rows}, {gates} * size], but "
            f"received {list(x.shape)} and {list(weight.shape)}."
        )
    return size


def _like_rows(sizes: Callable[[list], list[int]], outputs: int) -> Callable:
    def rule(inputs: list, attrs: dict) -> list:
        x = inputs[0]
        found: list[Any] = [Spec((x.shape[0], n), x.dtype) for n in sizes(inputs)]
        return found + [None] * (outputs - len(found))

    return rule


# -- LSTM -----------------------------------------------------------------------------------------


class _Lstm:
    """One step of an LSTM; the gates lie in the order candidate, input, forget, output."""

    def __init__(self, name: str, size: int, weight: torch.Tensor, bias: torch.Tensor,
                 peepholes: bool, gate: str, cell: str, candidate: str,
                 clip: float = 0.0) -> None:  # fmt: skip
        wanted = (7 if peepholes else 4) * size
        if bias.numel() != wanted:
            raise InvalidArgumentError(
                f"{name}: expected Bias of shape [1, {wanted}] with use_peepholes {peepholes}, but "
                f"received {list(bias.shape)}."
            )
        flat = bias.reshape(-1)
        self.weight, self.bias = weight, flat[: 4 * size]
        self.checks = flat[4 * size :].split(size) if peepholes else ()
        self.clip = clip  # of the cell; 0 is none
        self.gate, self.cell, self.candidate = (
            _activation(name, n) for n in (gate, cell, candidate)
        )

    def __call__(self, rows: torch.Tensor, h: torch.Tensor, c: torch.Tensor) -> tuple:
        new, entry, forget, leave = torch.addmm(rows, h, self.weight).chunk(4, 1)
        if self.checks:
            entry = torch.addcmul(entry, c, self.checks[0])
            forget = torch.addcmul(forget, c, self.checks[1])
        kept = torch.mul(self.gate(forget), c)
        c = torch.add(kept, torch.mul(self.gate(entry), self.candidate(new)))
        if self.clip > 0:
            c = torch.clamp(c, -self.clip, self.clip)
        if self.checks:
            leave = torch.addcmul(leave, c, self.checks[2])
        return torch.mul(self.gate(leave), self.cell(c)), c


def _lstm_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    size = x.shape[1] // 4 if x.shape[1] >= 0 else -1
    return [Spec((x.shape[0], n), x.dtype) for n in (size, size, x.shape[1], size)]


@op("lstm", "Input H0? C0? Weight Bias -> Hidden Cell BatchGate?~ BatchCellPreAct?~",
    infer=_lstm_rule, lod="Input", dtypes="floats")  # fmt: skip
def lstm(x, h0, c0, weight, bias, *, use_peepholes=True, is_reverse=False,
         gate_activation="sigmoid", cell_activation="tanh",
         candidate_activation="tanh"):  # fmt: skip
    """Hidden state and cell of every row; Input [N, 4 D] is projected, Weight [D, 4 D].

    With peepholes Bias [1, 7 D] ends in the weights by which input and forget gate see the cell
    before and the output gate the new one. BatchGate and BatchCellPreAct, which the gradient reads,
    are the gates and the squashed cells in the order of steps.
    """
    size = _check("lstm", x, weight, 4)
    offsets = last_level("lstm", "Input", x)
    count = len(offsets) - 1
    step = _Lstm("lstm", size, weight, bias, use_peepholes, gate_activation, cell_activation,
                 candidate_activation)  # fmt: skip
    states = [_first("lstm", "H0", h0, x, count, size), _first("lstm", "C0", c0, x, count, size)]
    given = [v for v in (x, h0, c0, weight, bias) if v is not None]
    if x.is_meta or (torch.is_grad_enabled() and any(v.requires_grad for v in given)):
        hidden, cell = _walk(x + step.bias, in_steps(offsets, x, is_reverse), states, step)
        return hidden, cell, x.new_empty(x.shape), x.new_empty(cell.shape)
    steps = in_steps(offsets, x, is_reverse)
    kinds = Kinds(gate_activation, cell_activation, candidate_activation)
    made = lstm_rows.forward(x, states[0], states[1], weight, step.bias, step.checks, steps, kinds)
    return made[0].index_select(0, steps.places), made[1].index_select(0, steps.places), *made[2:]


@lstm.grad("Input H0 C0 Weight Bias Hidden Cell BatchGate BatchCellPreAct")
def _(d_hidden, d_cell, x, h0, c0, weight, bias, hidden, cell, gates, squashed, *, use_peepholes,
      is_reverse, gate_activation, cell_activation, candidate_activation,
      needs_grad):  # fmt: skip
    attrs = {
        "use_peepholes": use_peepholes, "is_reverse": is_reverse,
        "gate_activation": gate_activation, "cell_activation": cell_activation,
        "candidate_activation": candidate_activation,
    }  # fmt: skip
    arrived = [v for v in (d_hidden, d_cell, x, h0, c0, weight, bias) if v is not None]
    again = torch.is_grad_enabled() and any(v.requires_grad for v in arrived)
    if again or gates is None or squashed is None:
        d_outs = [d_hidden, d_cell]
        return vjp(lstm, [x, h0, c0, weight, bias], d_outs, attrs, needs_grad[:5])
    offsets, size = last_level("lstm", "Input", x), weight.shape[0]
    count = len(offsets) - 1
    first_h = _first("lstm", "H0", h0, x, count, size)
    first_c = _first("lstm", "C0", c0, x, count, size)
    steps = in_steps(offsets, x, is_reverse)
    flat = bias.reshape(-1)
    checks = flat[4 * size :].split(size) if use_peepholes else ()
    d_gates, d_h, d_c, d_weight, d_bias, d_checks = lstm_rows.backward(
        d_hidden, d_cell, first_h, first_c, weight, checks, hidden.index_select(0, steps.rows),
        cell.index_select(0, steps.rows), gates,
        squashed, steps, Kinds(gate_activation, cell_activation, candidate_activation),
    )  # fmt: skip
    d_bias = d_bias if d_checks is None else torch.cat([d_bias, d_checks])
    d_x = d_gates.index_select(0, steps.places)
    d_states = None if h0 is None else d_h, None if c0 is None else d_c
    return d_x, *d_states, d_weight, d_bias.reshape(bias.shape)


@op("lstmp", "Input H0? C0? Weight ProjWeight Bias -> Projection Cell BatchGate?~ "
    "BatchCellPreAct?~ BatchHidden?~",
    infer=_like_rows(lambda i: [i[4].shape[1], i[4].shape[0]], 5), lod="Input",
    dtypes="floats")  # fmt: skip
def lstmp(x, h0, c0, weight, projection, bias, *, use_peepholes=True, is_reverse=False,
          cell_clip=0.0, proj_clip=0.0, gate_activation="sigmoid", cell_activation="tanh",
          candidate_activation="tanh", proj_activation="tanh"):  # fmt: skip
    """An LSTM whose hidden state is projected, by ProjWeight [D, P]; Weight is [P, 4 D]."""
    size = _check("lstmp", x, weight, 4)
    if tuple(projection.shape) != (size, weight.shape[0]):
        raise InvalidArgumentError(
            f"lstmp: expected ProjWeight of shape {[size, weight.shape[0]]}, but received "
            f"{list(projection.shape)}."
        )
    plain = _Lstm("lstmp", size, weight, bias, use_peepholes, gate_activation, cell_activation,
                  candidate_activation, cell_clip)  # fmt: skip
    act = _activation("lstmp", proj_activation)

    def step(rows: torch.Tensor, r: torch.Tensor, c: torch.Tensor) -> tuple:
        h, c = plain(rows, r, c)
        r = act(torch.mm(h, projection))
        return (torch.clamp(r, -proj_clip, proj_clip) if proj_clip > 0 else r), c

    offsets = last_level("lstmp", "Input", x)
    count = len(offsets) - 1
    states = [_first("lstmp", "H0", h0, x, count, weight.shape[0]),
              _first("lstmp", "C0", c0, x, count, size)]  # fmt: skip
    made, cell = _walk(x + plain.bias, in_steps(offsets, x, is_reverse), states, step)
    return made, cell, None, None, None


# -- GRU ------------------------------------------------------------------------------------------


@op("gru", "Input H0? Weight Bias? -> BatchGate?~ BatchResetHiddenPrev?~ BatchHidden?~ Hidden",
    infer=lambda i, a: [None, None, None, Spec((i[0].shape[0], i[2].shape[0]), i[0].dtype)],
    lod="Input", dtypes="floats")  # fmt: skip
def gru(x, h0, weight, bias, *, activation="tanh", gate_activation="sigmoid", is_reverse=False,
        origin_mode=False):  # fmt: skip
    """Hidden states of every row; Input [N, 3 D] is projected: update, reset, candidate.

    Weight's elements are those of the two gates, [D, 2 D], then the candidate's, [D, D]. The new
    state is (1 - u) h + u c, with origin_mode u h + (1 - u) c.
    """
    _check("gru", x, weight, 3)
    acts = _activation("gru", gate_activation), _activation("gru", activation)
    offsets = last_level("gru", "Input", x)
    rows = x if bias is None else x + bias.reshape(-1)
    hidden = gru_states(rows, h0, *parts_of_weight(weight), offsets, acts, is_reverse, origin_mode)
    return None, None, None, hidden


def parts_of_weight(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The elements of a GRU's weight as two matrices: of both gates, and of the candidate."""
    size, flat = weight.shape[0], weight.reshape(-1)
    gates, candidate = flat[: 2 * size * size], flat[2 * size * size :]
    return gates.reshape(size, 2 * size), candidate.reshape(size, size)


def gru_states(
    rows: torch.Tensor, h0: Any, gates: torch.Tensor, candidate: torch.Tensor, offsets: list[int],
    activations: tuple[Callable, Callable], is_reverse: bool, origin_mode: bool,
) -> torch.Tensor:  # fmt: skip
    """The hidden states of rows that are projected and have their bias.

    Args:
        rows, h0, is_reverse, origin_mode: as of the operator ``gru``.
        gates, candidate: see :func:`parts_of_weight`.
        offsets: of the sequences.
        activations: that of the gates and that of the candidate.
    """
    size, (gate, act) = candidate.shape[0], activations

    def step(rows: torch.Tensor, h: torch.Tensor) -> tuple:
        update, reset = gate(torch.addmm(rows[:, : 2 * size], h, gates)).chunk(2, 1)
        new = act(torch.addmm(rows[:, 2 * size :], torch.mul(reset, h), candidate))
        return (torch.lerp(new, h, update) if origin_mode else torch.lerp(h, new, update),)

    state = _first("gru", "H0", h0, rows, len(offsets) - 1, size)
    order = in_steps(offsets, rows, is_reverse)
    if len(set(order.live)) == 1 and not torch.is_grad_enabled():
        written = (_IN_PLACE[gate], _IN_PLACE[act])
        return _gru_of_one_length(rows, order, state, gates, candidate, written, origin_mode)
    return _walk(rows, order, [state], step)[0]


_WRITTEN: dict[str, Callable] = {
    "sigmoid": torch.sigmoid_, "tanh": torch.tanh_, "relu": torch.relu_, "identity": lambda x: x,
}  # fmt: skip
_IN_PLACE = {_ACTIVATIONS[name]: written for name, written in _WRITTEN.items()}


def _gru_of_one_length(
    x: torch.Tensor, order: Steps, state: torch.Tensor, gates: torch.Tensor,
    candidate: torch.Tensor, written: tuple, origin_mode: bool,
) -> torch.Tensor:  # fmt: skip
    """The states where all sequences are equally long, as one is, and nobody wants gradients.

    A step writes into memory that all of them share; one row is little work beside making memory.
    """
    count, size = order.live[0], candidate.shape[0]
    gate, act = written
    whole = x.index_select(0, order.rows)
    made = whole.new_empty([whole.shape[0], size])
    both = whole.new_empty([count, 2 * size])
    update, reset = both.chunk(2, 1)
    kept, new = whole.new_empty([count, size]), whole.new_empty([count, size])
    h = state.index_select(0, order.sequences)
    steps = (whole[:, : 2 * size], whole[:, 2 * size :], made)
    parts = zip(*(part.unflatten(0, (-1, count)).unbind(0) for part in steps), strict=True)
    for of_gates, of_candidate, out in parts:
        gate(torch.addmm(of_gates, h, gates, out=both))
        torch.mul(reset, h, out=kept)
        act(torch.addmm(of_candidate, kept, candidate, out=new))
        if origin_mode:
            h = torch.lerp(new, h, update, out=out)
        else:
            h = torch.lerp(h, new, update, out=out)
    return made.index_select(0, order.places)
