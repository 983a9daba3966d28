"""One recurrent layer in one direction on the CPU: forward keeping the gates, and backward.

ATen's kernels do not hand out what their gradients need, so a gradient made from them runs the
forward pass again. Here the gates stay in memory, and what does not depend on the step before
(the inputs' share, all gradients of weights) is one matrix product over the whole sequence. Where
oneDNN has a whole layer, that is called and its workspace kept.

Sequences are [time, batch, size]. They are sorted, longest first, so that step ``t`` works on the
first ``live[t]`` rows; ``live`` is None where all have the full length. A layer is a class:
``forward`` returns (outputs, last states), ``backward`` takes their gradients (None for zero) and
returns those of the inputs, of the first states and of the weights.
"""

from __future__ import annotations

from typing import Any

import torch

from paddle.ops.linalg.matrices import add_product, affine, product_of_rows

Buffers = list[torch.Tensor]
Live = list[int] | None

_aten = torch.ops.aten


class RecurrentLayer:
    """What all layers share.

    Args:
        x: [time, batch, input size].
        states: what the first step sees, [batch, hidden] each: h, and c of an LSTM.
        weights: w_ih, w_hh and, where there are biases, b_ih and b_hh.
        live: rows still running at each step.
    """

    def __init__(self, x: torch.Tensor, states: Buffers, weights: Buffers, live: Live) -> None:
        self.x, self.states, self.weights, self.live = x, states, weights, live
        self.time, self.batch = x.shape[:2]
        self.size = weights[1].shape[1]

    def forward(self) -> tuple[torch.Tensor, Buffers]:
        """Returns the outputs, [time, batch, hidden], and the last states."""
        raise NotImplementedError

    def backward(self, d_out: torch.Tensor, d_ends: list, wants_x: bool) -> tuple:
        """Returns the gradients of the inputs (None if not asked for), first states, weights."""
        raise NotImplementedError

    def rows(self, sequence: torch.Tensor) -> Buffers:
        """The slices along time, each cut to the rows that are still running."""
        steps = sequence.unbind(0)
        if self.live is None:
            return list(steps)
        return [s[:n] for s, n in zip(steps, self.live, strict=True)]

    def parts(self, sequence: torch.Tensor) -> list[Buffers]:
        """For each gate in the last dimension its slices along time."""
        return [self.rows(part) for part in sequence.split(self.size, -1)]

    def sequence(self, count: int) -> torch.Tensor:
        """Memory for numbers of every step: zero where a row has ended already."""
        make = self.x.new_empty if self.live is None else self.x.new_zeros
        return make(self.time, self.batch, count * self.size)

    def from_inputs(self, bias: torch.Tensor | None) -> torch.Tensor:
        """The inputs' share of the gates, for all steps at once."""
        flat, w = self.x.reshape(-1, self.x.shape[2]), self.weights[0].t()
        return affine(flat, w, bias).view(self.time, self.batch, -1)

    def bias(self) -> torch.Tensor | None:
        """Both biases as one, where they are only ever added."""
        return self.weights[2] + self.weights[3] if len(self.weights) == 4 else None

    def last(self, states: torch.Tensor, first: torch.Tensor) -> torch.Tensor:
        """The state after the last step of each row; the first one where there was none."""
        if self.live is None:
            return states[-1].clone()
        end, done = first.clone(), 0
        for t in range(self.time - 1, -1, -1):  # rows [done, live[t]) end with step t
            if self.live[t] > done:
                end[done : self.live[t]] = states[t, done : self.live[t]]
                done = self.live[t]
        return end

    def before(self, states: torch.Tensor, first: torch.Tensor) -> torch.Tensor:
        """The state that each step started from."""
        return torch.cat([first.unsqueeze(0), states[:-1]])

    def arriving(self, d_end: torch.Tensor | None) -> torch.Tensor:
        """The gradient of the last state, a buffer that steps may write."""
        return torch.zeros_like(self.states[0]) if d_end is None else d_end.clone()

    def products(self, d_inputs: torch.Tensor, d_hidden: torch.Tensor, before: torch.Tensor,
                 wants_x: bool) -> tuple[torch.Tensor | None, Buffers]:  # fmt: skip
        """Gradients of the inputs and of the weights, from those of the gates before squashing.

        Args:
            d_inputs: of the inputs' share.
            d_hidden: of the hidden state's share.
            before: the hidden state that each step started from.
            wants_x: whether the gradient of the inputs is asked for.
        """
        flat = d_inputs.view(-1, d_inputs.shape[2])
        own = flat if d_hidden is d_inputs else d_hidden.view(flat.shape)
        grads = [
            product_of_rows(flat, self.x.reshape(-1, self.x.shape[2])),
            product_of_rows(own, before.view(-1, self.size)),
        ]
        if len(self.weights) == 4:
            first = flat.sum(0)
            grads += [first, first.clone() if own is flat else own.sum(0)]
        dx = affine(flat, self.weights[0]).view(self.x.shape) if wants_x else None
        return dx, grads


class Plain(RecurrentLayer):
    """h' = act(W_ih x + b_ih + W_hh h + b_hh), act being tanh or relu."""

    relu = False

    def forward(self) -> tuple[torch.Tensor, Buffers]:
        total, back, h = self.from_inputs(self.bias()), self.weights[1].t(), self.states[0]
        if self.live is not None:
            self._clear(total)
        act = torch.relu_ if self.relu else torch.tanh_
        for hidden in self.rows(total):
            h = act(add_product(hidden, h[: hidden.shape[0]], back))
        self.out = total
        return total, [self.last(total, self.states[0])]

    def _clear(self, total: torch.Tensor) -> None:
        for step, n in zip(total.unbind(0), self.live or (), strict=True):
            step[n:] = 0

    def backward(self, d_out: torch.Tensor, d_ends: list, wants_x: bool) -> tuple:
        out, w = self.out, self.weights[1]
        slope = (out > 0).to(out.dtype) if self.relu else torch.addcmul(
            torch.ones((), dtype=out.dtype), out, out, value=-1)  # fmt: skip
        d_total, dh = self.sequence(1), self.arriving(d_ends[0])
        steps = zip(self.rows(d_out), self.rows(slope), self.rows(d_total), strict=True)
        for d, a, g in reversed(list(steps)):
            running = dh[: g.shape[0]]
            running.add_(d)
            torch.mul(running, a, out=g)
            torch.mm(g, w, out=running)
        dx, grads = self.products(d_total, d_total, self.before(out, self.states[0]), wants_x)
        return dx, [dh], grads


class Relu(Plain):
    """The plain layer with relu."""

    relu = True


class Lstm(RecurrentLayer):
    """c' = f c + i g and h' = o tanh(c'), with the gates i, f, g, o in this order."""

    def forward(self) -> tuple[torch.Tensor, Buffers]:
        h, c = self.states
        self.gates, self.cells, self.out = (
            self.from_inputs(self.bias()),
            self.sequence(1),
            self.sequence(1),
        )
        back = self.weights[1].t()
        both = self.rows(self.gates[..., : 2 * self.size])
        steps = zip(self.rows(self.gates), both, *self.parts(self.gates), self.rows(self.cells),
                    self.rows(self.out), strict=True)  # fmt: skip
        for total, i_f, i, f, g, o, cell, hidden in steps:
            count = total.shape[0]
            add_product(total, h[:count], back)
            i_f.sigmoid_()
            g.tanh_()
            o.sigmoid_()
            torch.mul(f, c[:count], out=cell)
            cell.addcmul_(i, g)
            torch.tanh(cell, out=hidden)
            hidden.mul_(o)
            h, c = hidden, cell
        first_h, first_c = self.states
        return self.out, [self.last(self.out, first_h), self.last(self.cells, first_c)]

    def _slopes(self) -> tuple[torch.Tensor, torch.Tensor]:
        """What a step multiplies the gradients by, for all steps at once.

        That of c gives those of i, f and g; that of h gives those of o and, in part, of c.
        """
        i, f, g, o = self.gates.split(self.size, -1)
        squashed = torch.tanh(self.cells)
        slopes = torch.empty_like(self.gates)
        di, df, dg, do = slopes.split(self.size, -1)
        for gate, slope, other in (
            (i, di, g),
            (f, df, self.before(self.cells, self.states[1])),
            (o, do, squashed),
        ):
            torch.mul(gate, gate, out=slope)
            torch.sub(gate, slope, out=slope)
            slope.mul_(other)
        torch.mul(g, g, out=dg)
        dg.neg_().add_(1).mul_(i)
        return slopes, squashed.mul_(squashed).neg_().add_(1).mul_(o)

    def backward(self, d_out: torch.Tensor, d_ends: list, wants_x: bool) -> tuple:
        w = self.weights[1]
        grads, h_to_c = self._slopes()
        dh, dc = self.arriving(d_ends[0]), self.arriving(d_ends[1])
        if self.live is not None:
            for step, n in zip(grads.unbind(0), self.live, strict=True):
                step[n:] = 0
        of_cell = self.rows(grads[..., : 3 * self.size].unflatten(-1, (3, self.size)))
        forget, of_leave = self.parts(self.gates)[1], self.parts(grads)[3]
        steps = zip(self.rows(d_out), self.rows(h_to_c), of_cell, of_leave, self.rows(grads),
                    forget, strict=True)  # fmt: skip
        for d, a, three, leave, step, f in reversed(list(steps)):
            run_h, run_c = dh[: d.shape[0]], dc[: d.shape[0]]
            run_h.add_(d)
            run_c.addcmul_(run_h, a)
            three.mul_(run_c.unsqueeze(1))
            leave.mul_(run_h)
            run_c.mul_(f)
            torch.mm(step, w, out=run_h)
        dx, weights = self.products(grads, grads, self.before(self.out, self.states[0]), wants_x)
        return dx, [dh, dc], weights


class Gru(RecurrentLayer):
    """h' = z h + (1 - z) n, n = tanh(W x + b + r (W' h + b')); the gates r, z, n in this order."""

    def forward(self) -> tuple[torch.Tensor, Buffers]:
        w, size, h = self.weights, self.size, self.states[0]
        biased = len(w) == 4
        self.gates = self.from_inputs(w[2] if biased else None)
        self.own, self.out = self.sequence(3), self.sequence(1)
        back = w[1].t()
        both = self.rows(self.gates[..., : 2 * size])
        steps = zip(self.rows(self.own), self.rows(self.own[..., : 2 * size]),
                    self.rows(self.own[..., 2 * size :]), both, *self.parts(self.gates),
                    self.rows(self.out), strict=True)  # fmt: skip
        for total, own_rz, own_n, rz, r, z, n, hidden in steps:
            h = h[: total.shape[0]]
            if biased:
                torch.addmm(w[3], h, back, out=total)
            else:
                torch.mm(h, back, out=total)
            rz.add_(own_rz).sigmoid_()
            n.addcmul_(r, own_n).tanh_()
            torch.lerp(n, h, z, out=hidden)
            h = hidden
        return self.out, [self.last(self.out, self.states[0])]

    def backward(self, d_out: torch.Tensor, d_ends: list, wants_x: bool) -> tuple:
        w, size = self.weights[1], self.size
        r, z, n = self.gates.split(size, -1)
        before = self.before(self.out, self.states[0])
        slopes = torch.empty_like(self.gates)
        sr, sz, sn = slopes.split(size, -1)
        to_n = torch.mul(n, n).neg_().add_(1).mul_(1 - z)  # what dh is multiplied by for n
        torch.mul(to_n, r, out=sn)
        torch.mul(sn, 1 - r, out=sr)
        sr.mul_(self.own[..., 2 * size :])
        torch.sub(before, n, out=sz)
        sz.mul_(z).mul_(1 - z)
        d_own, d_states = self.sequence(3), self.sequence(1)
        dh = self.arriving(d_ends[0])
        three = [s.unflatten(-1, (3, size)) for s in (slopes, d_own)]
        steps = zip(self.rows(d_out), *map(self.rows, three), self.rows(d_own),
                    self.rows(d_states), self.parts(self.gates)[1], strict=True)  # fmt: skip
        for d, slope, made, step, kept, keep in reversed(list(steps)):
            running = dh[: d.shape[0]]
            torch.add(running, d, out=kept)
            torch.mul(slope, kept.unsqueeze(1), out=made)
            torch.mul(kept, keep, out=running)
            add_product(running, step, w)
        d_inputs = d_own.clone()
        torch.mul(to_n, d_states, out=d_inputs[..., 2 * size :])
        dx, grads = self.products(d_inputs, d_own, before, wants_x)
        return dx, [dh], grads


class OneDnnLstm(RecurrentLayer):
    """The LSTM as oneDNN's fused layer, whose workspace is kept; for full lengths in float32."""

    def _biases(self) -> Buffers:
        zero = [self.x.new_zeros(4 * self.size)] * 2
        return self.weights if len(self.weights) == 4 else [*self.weights, *zero]

    def forward(self) -> tuple[torch.Tensor, Buffers]:
        self.x = self.x.contiguous()
        h, c = (s.unsqueeze(0).contiguous() for s in self.states)
        with torch.enable_grad():  # without it the kernel keeps no workspace
            self.out, self.h, self.c, self.workspace = _aten.mkldnn_rnn_layer(
                self.x, *self._biases(), h, c, False, [], 2, self.size, 1, True, False, False, True
            )
        return self.out, [self.h.view(h.shape[1:]), self.c.view(c.shape[1:])]

    def backward(self, d_out: torch.Tensor, d_ends: list, wants_x: bool) -> tuple:
        h, c = (s.unsqueeze(0).contiguous() for s in self.states)
        dh, dc = (self.arriving(d).unsqueeze(0) for d in d_ends)
        dx, w_ih, w_hh, bias, _, d_h, d_c = _aten.mkldnn_rnn_layer_backward(
            self.x, *self._biases(), h, c, self.out, self.h, self.c, d_out.contiguous(), dh, dc,
            False, 2, self.size, 1, True, True, False, [], False, self.workspace,
        )  # fmt: skip
        biases = [bias, bias.clone()] if len(self.weights) == 4 else []
        return dx, [d_h.view(h.shape[1:]), d_c.view(c.shape[1:])], [w_ih, w_hh, *biases]


LAYERS: dict[str, type[RecurrentLayer]] = {
    "LSTM": Lstm,
    "GRU": Gru,
    "RNN_TANH": Plain,
    "RNN_RELU": Relu,
}


def layer_class(mode: str, x: torch.Tensor, live: Live) -> Any:
    """The fastest layer for these sequences."""
    fits = mode == "LSTM" and live is None and x.dtype == torch.float32
    usable = fits and torch.backends.mkldnn.is_available() and torch._C._get_mkldnn_enabled()
    return OneDnnLstm if usable else LAYERS[mode]
