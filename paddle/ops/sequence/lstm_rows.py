"""The LSTM of 1.x over sequences of rows, forward keeping the gates, and its gradient.

Rows lie in the order of steps (:func:`paddle.ops.sequence.levels.in_steps`). What does not depend
on the step before, such as the gradients of all weights, is one product over all rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from paddle.ops.linalg.matrices import add_product, affine, product_of_rows
from paddle.ops.sequence.levels import Steps

_aten = torch.ops.aten

# Derivatives by what came out: function(gradient, output, where the result goes).
_BACK: dict[str, Any] = {
    "sigmoid": lambda d, y, out: _aten.sigmoid_backward.grad_input(d, y, grad_input=out),
    "tanh": lambda d, y, out: _aten.tanh_backward.grad_input(d, y, grad_input=out),
    "relu": lambda d, y, out: _aten.threshold_backward.grad_input(d, y, 0, grad_input=out),
    "identity": lambda d, y, out: out.copy_(d),
}
_IN_PLACE: dict[str, Any] = {
    "sigmoid": torch.sigmoid_,
    "tanh": torch.tanh_,
    "relu": torch.relu_,
    "identity": lambda x: x,
}


class Kinds(NamedTuple):
    """The activations by name: of the gates, of the cell, of the candidate."""

    gate: str
    cell: str
    candidate: str


def forward(x, h, c, weight, bias, checks, steps: Steps, kinds: Kinds) -> tuple:
    """Hidden states, cells, gates and squashed cells of all rows, in the order of steps.

    Args:
        x: the projected rows, in the order of the input.
        h, c: the first states, a row for each sequence in the order of the input.
        weight: [size, 4 * size].
        bias: [4 * size].
        checks: the weights of the peepholes, or nothing.
        steps: the order of the rows.
        kinds: the activations.
    """
    size = weight.shape[0]
    gates = x.index_select(0, steps.rows).add_(bias)
    hidden, cells, squashed = (x.new_empty([x.shape[0], size]) for _ in range(3))
    h, c = h[steps.sequences], c[steps.sequences]
    gate, cell_act, new_act = (_IN_PLACE[kind] for kind in kinds)
    wide = gates[:, size : 3 * size] if checks else gates[:, size:]
    whole = (gates, wide, *gates.split(size, 1), hidden, cells, squashed)
    parts = zip(steps.live, *(part.split(steps.live) for part in whole), strict=True)
    for count, rows, squeezed, new, entry, forget, leave, h_out, c_out, s_out in parts:
        before, h = (c, h) if len(c) == count else (c[:count], h[:count])
        add_product(rows, h, weight)
        new_act(new)
        if checks:
            entry.addcmul_(before, checks[0])
            forget.addcmul_(before, checks[1])
        gate(squeezed)
        torch.mul(forget, before, out=c_out)
        c_out.addcmul_(entry, new)
        if checks:
            leave.addcmul_(c_out, checks[2])
            gate(leave)
        cell_act(s_out.copy_(c_out))
        torch.mul(leave, s_out, out=h_out)
        h, c = h_out, c_out
    return hidden, cells, gates, squashed


def backward(d_hidden, d_cell, h, c, weight, checks, hidden, cells, gates, squashed, steps: Steps,
             kinds: Kinds) -> tuple:  # fmt: skip
    """Gradients of the rows (in the order of steps), first states, weight, bias and peepholes.

    Args:
        d_hidden, d_cell: of the results, in the order of the input; None for zero.
        h, c: the first states.
        weight, checks, steps, kinds: as in :func:`forward`.
        hidden, cells, gates, squashed: what that returned.
    """
    size, live = weight.shape[0], steps.live
    h, c = h[steps.sequences], c[steps.sequences]
    d_h_all = _ordered(d_hidden, hidden, steps)
    d_c_all = None if d_cell is None else d_cell.index_select(0, steps.rows)
    before_c = _before(cells, c, live)
    d_gates = torch.empty_like(gates)
    gate, cell_act, new_act = (_BACK[kind] for kind in kinds)
    back = weight.t()
    whole = (d_h_all, squashed, before_c, d_gates, *gates.split(size, 1), *d_gates.split(size, 1))
    split = [part.split(live) for part in whole]
    d_cells = None if d_c_all is None else d_c_all.split(live)
    d_h, d_c = h.new_zeros(h.shape), c.new_zeros(c.shape)
    d_state = torch.empty_like(h)
    for t in range(len(live) - 1, -1, -1):
        d_out, shown, earlier, d_rows, new, entry, forget, leave, *targets = (
            part[t] for part in split
        )  # fmt: skip
        d_new, d_entry, d_forget, d_leave = targets
        count = live[t]
        d_now, d_old = d_state[:count], d_c[:count]
        arrived = torch.add(d_h[:count], d_out)
        gate(torch.mul(arrived, shown, out=d_now), leave, d_leave)
        cell_act(arrived.mul_(leave), shown, d_now)
        d_now.add_(d_old)
        if d_cells is not None:
            d_now.add_(d_cells[t])
        if checks:
            d_now.addcmul_(d_leave, checks[2])
        new_act(torch.mul(d_now, entry, out=arrived), new, d_new)
        gate(torch.mul(d_now, new, out=arrived), entry, d_entry)
        gate(torch.mul(d_now, earlier, out=arrived), forget, d_forget)
        torch.mul(d_now, forget, out=d_old)
        if checks:
            d_old.addcmul_(d_entry, checks[0]).addcmul_(d_forget, checks[1])
        d_h[:count] = affine(d_rows, back)
    d_weight = product_of_rows(_before(hidden, h, live), d_gates)
    d_checks = _of_checks(d_gates, before_c, cells, size) if checks else None
    return d_gates, d_h[steps.back], d_c[steps.back], d_weight, d_gates.sum(0), d_checks


def _ordered(given: Any, like: torch.Tensor, steps: Steps) -> torch.Tensor:
    return torch.zeros_like(like) if given is None else given.index_select(0, steps.rows)


def _before(states: torch.Tensor, first: torch.Tensor, live: list[int]) -> torch.Tensor:
    """The state that each row's step started from."""
    if not live:
        return states
    parts = states.split(live)
    return torch.cat([first[: live[0]], *(p[:n] for p, n in zip(parts, live[1:], strict=False))])


def _of_checks(d_gates, before, cells, size: int) -> torch.Tensor:
    """Gradients of the peepholes: input and forget gate see the cell before, output the new."""
    _, d_entry, d_forget, d_leave = d_gates.split(size, 1)
    found = [(d_entry * before).sum(0), (d_forget * before).sum(0), (d_leave * cells).sum(0)]
    return torch.cat(found)
