"""Recurrent networks (LSTM, GRU, simple RNN): whole sequences through layers of cells.

There are two ways. To be trained on the CPU, layers run one by one and keep their gates
(:mod:`paddle.ops.sequence.recurrent_layer`); else all of them are one call of ATen's fused kernels,
which torch differentiates, if need be, by running them again.
"""

from __future__ import annotations

import contextlib
from typing import Any

import torch
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from paddle.core.backends import holds
from paddle.core.derive import vjp
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import OpDef, Slot, op
from paddle.ops.random.draws import generator
from paddle.ops.sequence.recurrent_layer import RecurrentLayer, layer_class

_FUSED: dict[str, Any] = {
    "LSTM": torch.lstm,
    "GRU": torch.gru,
    "RNN_TANH": torch.rnn_tanh,
    "RNN_RELU": torch.rnn_relu,
}
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}

# -- what the kernels expect -----------------------------------------------------------------------


def _rnn_rule(inputs: list, attrs: dict) -> list:
    x, states = inputs[:2]
    width = attrs["hidden_size"] * (2 if attrs["is_bidirec"] else 1)
    out, empty = Spec((*x.shape[:2], width), x.dtype), Spec((0,), x.dtype)
    masks = Spec((attrs["num_layers"] - 1, *out.shape), x.dtype) if _drops(**attrs) else empty
    return [out, masks, list(states), empty]


def _drops(dropout_prob: float, is_test: bool, num_layers: int, **others: Any) -> bool:
    return bool(dropout_prob and not is_test and num_layers > 1)


def _weights_of_layers(weights: list, layers: int, directions: int) -> list[list]:
    """For every layer and direction its weights in ATen's order: w_ih, w_hh, b_ih, b_hh.

    The slot holds the matrices of all layers first, and then the vectors of all layers.
    """
    half = 2 * layers * directions
    if len(weights) not in (half, 2 * half):
        raise InvalidArgumentError(
            f"rnn: expected {2 * half} tensors in WeightList ({half} without biases) for {layers} "
            f"layers in {directions} direction(s), but received {len(weights)}."
        )
    biased = len(weights) == 2 * half
    grouped = []
    for k in range(layers * directions):
        group = weights[2 * k : 2 * k + 2]
        grouped.append(group + (weights[half + 2 * k : half + 2 * k + 2] if biased else []))
    return grouped


def _flat_weights(grads: list[list]) -> list:
    """The inverse of :func:`_weights_of_layers`."""
    matrices = [g for group in grads for g in group[:2]]
    return matrices + [g for group in grads for g in group[2:]]


def _expect(mode: str, x: Any, states: Any, groups: list[list], hidden: int, ways: int) -> None:
    if x.dim() != 3:
        raise InvalidArgumentError(
            "rnn: Input is expected to have the shape [time, batch, size], but received "
            f"{list(x.shape)}."
        )
    count, layers = 2 if mode == "LSTM" else 1, len(groups)
    shape = [layers, x.shape[1], hidden]
    if len(states) != count or any(list(s.shape) != shape for s in states):
        raise InvalidArgumentError(
            f"rnn: expected {count} tensors of shape {shape} ([layers * directions, batch, "
            f"hidden]) in PreState, but received shapes {[list(s.shape) for s in states]}."
        )
    rows = _GATES[mode] * hidden
    for k, group in enumerate(groups):
        width = x.shape[2] if k < ways else hidden * ways
        right = [[rows, width], [rows, hidden], [rows], [rows]][: len(group)]
        if [list(w.shape) for w in group] != right:
            raise InvalidArgumentError(
                f"rnn: expected weights of the shapes {right} for layer {k // ways} of {mode} and "
                f"inputs of size {width}, but received {[list(w.shape) for w in group]}."
            )


def _check_lengths(lengths: torch.Tensor) -> None:
    if lengths.dtype not in (torch.int32, torch.int64):
        raise InvalidArgumentError(
            f"rnn: SequenceLength is expected to be int32 or int64, but received {lengths.dtype}."
        )


def _checked_lengths(lengths: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    _check_lengths(lengths)
    found = lengths.reshape(-1).cpu().long()
    time, batch = x.shape[:2]
    inside = found.numel() == 0 or 0 <= int(found.min()) <= int(found.max()) <= time
    if found.numel() != batch or not inside:
        raise InvalidArgumentError(
            f"rnn: SequenceLength is expected to hold {batch} numbers in [0, {time}], but received "
            f"{found.tolist()}."
        )
    return found


def _drawn(x: torch.Tensor, layers: int, width: int, drop: float, seed: int) -> torch.Tensor:
    """What the outputs of all layers but the last are multiplied by."""
    keep = x.new_empty(layers - 1, *x.shape[:2], width)
    if drop >= 1:
        return keep.zero_()
    keep.bernoulli_(1.0 - drop, generator=generator(x.device, seed))
    return keep.div_(1.0 - drop)


# -- ATen's fused kernels --------------------------------------------------------------------------


def _call(mode: str, data: Any, sizes: Any, states: list, groups: list[list], ways: int) -> tuple:
    """Some layers at once, by the kernel for padded or for packed sequences."""
    hidden = tuple(states) if mode == "LSTM" else states[0]
    flat = [w for group in groups for w in group]
    # Libraries keep what a backward pass needs only if told that this is training.
    train = torch.is_grad_enabled()
    tail = (flat, len(groups[0]) == 4, len(groups) // ways, 0.0, train, ways == 2)
    if sizes is None:
        out, *ends = _FUSED[mode](data, hidden, *tail, False)
    else:
        out, *ends = _FUSED[mode](data, sizes, hidden, *tail)
    return out, ends


def _fused(x, states, weights, lengths, masks, *, mode, ways, layers):
    """The whole network; torch can differentiate it."""
    groups = _weights_of_layers(list(weights), layers, ways)
    if not x.shape[0] or not x.shape[1]:
        return x.new_zeros(*x.shape[:2], ways * states[0].shape[2]), [s.clone() for s in states]
    if lengths is None:
        return _layers_fused(mode, x, None, states, groups, ways, masks)
    # The kernel takes no empty sequences: they run one step, which is then forgotten.
    packed = pack_padded_sequence(x, lengths.clamp(min=1), enforce_sorted=False)
    order, back = packed.sorted_indices, packed.unsorted_indices
    if masks is not None:
        clamped = lengths.clamp(min=1)
        masks = [pack_padded_sequence(m, clamped, enforce_sorted=False).data for m in masks]
    sorted_states = [s.index_select(1, order) for s in states]
    data, sizes = packed.data, packed.batch_sizes
    out, ends = _layers_fused(mode, data, sizes, sorted_states, groups, ways, masks)
    out = pad_packed_sequence(PackedSequence(out, sizes, order, back), total_length=x.shape[0])[0]
    ends = [e.index_select(1, back) for e in ends]
    empty = (lengths == 0).to(x.device).unsqueeze(1)
    if bool(empty.any()):
        out = out.masked_fill(empty, 0)
        ends = [torch.where(empty, s, e) for s, e in zip(states, ends, strict=True)]
    return out, ends


def _layers_fused(mode, data, sizes, states, groups, ways, masks):
    if masks is None:
        return _call(mode, data, sizes, states, groups, ways)
    ends, last = [], len(groups) - ways
    for k in range(0, len(groups), ways):
        at = slice(k, k + ways)
        data, end = _call(mode, data, sizes, [s[at] for s in states], groups[at], ways)
        ends.append(end)
        if k < last:
            data = torch.mul(data, masks[k // ways])
    return data, [torch.cat(parts) for parts in zip(*ends, strict=True)]


_FUSED_NETWORK = OpDef(
    name="rnn",
    inputs=[
        Slot("Input"),
        Slot("PreState", many=True),
        Slot("WeightList", many=True),
        Slot("SequenceLength", optional=True, differentiable=False),
        Slot("Masks", optional=True, differentiable=False),
    ],
    outputs=[Slot("Out"), Slot("State", many=True)],
    attrs={},
    kernel=_fused,
    params=["x", "states", "weights", "lengths", "masks"],
)


def _twice_differentiable() -> contextlib.ExitStack:
    """The libraries' fused layers have no derivative of their gradients; ATen's steps have."""
    stack = contextlib.ExitStack()
    for get, put in (
        (torch._C._get_mkldnn_enabled, torch._C._set_mkldnn_enabled),
        (torch._C._get_cudnn_enabled, torch._C._set_cudnn_enabled),
    ):
        stack.callback(put, get())
        put(False)
    return stack


# -- layers that keep their gates ------------------------------------------------------------------


class _Kept:
    """A network after its forward pass: what the backward pass needs.

    Args:
        mode, states, groups, ways, masks: as in the kernel.
        lengths (torch.Tensor|None): checked lengths of the sequences.
    """

    def __init__(self, mode: str, states: list, groups: list[list], ways: int, lengths: Any,
                 masks: Any) -> None:  # fmt: skip
        self.mode, self.states, self.groups, self.ways = mode, states, groups, ways
        self.lengths, self.masks = lengths, masks
        self.live: list[int] | None = None
        self.order: Any = None
        self.layers: list[RecurrentLayer] = []

    def _sort(self, time: int) -> None:
        """Finds the order of the rows, how many are running, and the steps counted from the end."""
        lengths, self.order = torch.sort(self.lengths, descending=True, stable=True)
        self.back = torch.argsort(self.order)
        steps = torch.arange(time).unsqueeze(1)
        running = steps < lengths
        self.live = running.sum(1).tolist()
        turned = torch.where(running, lengths - 1 - steps, steps)
        self.turned = (turned * len(lengths) + torch.arange(len(lengths))).view(-1)
        if self.masks is not None:
            self.masks = self.masks.index_select(2, self.order)

    def _turn(self, x: torch.Tensor) -> torch.Tensor:
        """The sequences backwards; what follows their ends stays."""
        if self.live is None:
            return x.flip(0)
        return x.reshape(-1, x.shape[2]).index_select(0, self.turned).view(x.shape)

    def forward(self, x: torch.Tensor) -> tuple:
        """Returns the outputs and the last states."""
        states = self.states
        if self.lengths is not None:
            self._sort(x.shape[0])
            x = x.index_select(1, self.order)
            states = [s.index_select(1, self.order) for s in states]
        make, ends = layer_class(self.mode, x, self.live), []
        for k in range(0, len(self.groups), self.ways):
            if k and self.masks is not None:
                x = torch.mul(x, self.masks[k // self.ways - 1])
            outs = []
            for way in range(self.ways):
                first = [s[k + way] for s in states]
                layer = make(self._turn(x) if way else x, first, self.groups[k + way], self.live)
                out, end = layer.forward()
                outs.append(self._turn(out) if way else out)
                ends.append(end)
                self.layers.append(layer)
            x = outs[0] if self.ways == 1 else torch.cat(outs, -1)
        return self._given_back(x), [
            self._given_back(torch.stack(e)) for e in zip(*ends, strict=True)
        ]

    def _given_back(self, x: torch.Tensor) -> torch.Tensor:
        if self.order is None:
            return x.view(x.shape)  # not the buffer kept here, lest a write change that unseen
        return x.index_select(1, self.back)

    def backward(self, d_out: Any, d_ends: list, like: torch.Tensor, needs_grad: Any) -> tuple:
        """Returns gradients of the inputs, the first states and the weights."""
        size = self.layers[0].size
        d = like.new_zeros(*like.shape[:2], size * self.ways) if d_out is None else d_out
        if self.order is not None:
            d = d.index_select(1, self.order)
            d_ends = [None if e is None else e.index_select(1, self.order) for e in d_ends]
        d_first: list = [None] * len(self.layers)
        d_weights: list = [None] * len(self.layers)
        for k in range(len(self.layers) - self.ways, -1, -self.ways):
            wants_x, dx = k > 0 or needs_grad[0], None
            for way, part in enumerate(d.split(size, -1)):
                at = k + way
                ends = [None if e is None else e[at] for e in d_ends]
                part = self._turn(part) if way else part
                found, d_first[at], d_weights[at] = self.layers[at].backward(part, ends, wants_x)
                if wants_x:
                    found = self._turn(found) if way else found
                    dx = found if dx is None else dx.add_(found)
            d = dx
            if k and self.masks is not None and d is not None:
                d = torch.mul(d, self.masks[k // self.ways - 1])
        firsts = [self._given_back(torch.stack(e)) for e in zip(*d_first, strict=True)]
        return (self._given_back(d) if needs_grad[0] else None), firsts, _flat_weights(d_weights)


# -- the operator ----------------------------------------------------------------------------------


@op(
    "rnn",
    "Input PreState* WeightList* SequenceLength?~ -> Out DropoutState?~ State* Reserve?~",
    infer=_rnn_rule,
    dtypes="floats",
    random=True,
)
def rnn(
    x, states, weights, lengths=None, *, dropout_prob=0.0, is_bidirec=False, input_size=10,
    hidden_size=100, num_layers=1, mode="RNN_TANH", seed=0, is_test=False
):  # fmt: skip
    """Sequences [time, batch, size] and states [layers * directions, batch, hidden]."""
    if mode not in _FUSED:
        raise InvalidArgumentError(
            f"rnn: mode is expected to be one of {sorted(_FUSED)}, but received {mode!r}."
        )
    ways = 2 if is_bidirec else 1
    groups = _weights_of_layers(list(weights), num_layers, ways)
    _expect(mode, x, states, groups, hidden_size, ways)
    masks, reserve = None, x.new_empty(0)
    drops = _drops(dropout_prob, is_test, num_layers)
    if x.is_meta:
        if lengths is not None:
            _check_lengths(lengths)
        out = x.new_empty([*x.shape[:2], hidden_size * ways])
        masks = x.new_empty([num_layers - 1, *out.shape] if drops else 0)
        return out, masks, [s.new_empty(s.shape) for s in states], reserve
    if lengths is not None:
        lengths = _checked_lengths(lengths, x)
    if drops:
        masks = _drawn(x, num_layers, hidden_size * ways, dropout_prob, seed)
    if (
        is_test
        or not holds.stepwise_rnn(x)
        or not x.numel()
        or _differentiated(x, *states, *weights)
    ):
        out, ends = _fused(x, states, weights, lengths, masks, mode=mode, ways=ways,
                           layers=num_layers)  # fmt: skip
    else:
        # Layers differ in what they keep, and copying it into one buffer would cost a tenth of
        # the step: it hangs on the empty buffer that stands for it.
        reserve.kept = kept = _Kept(mode, list(states), groups, ways, lengths, masks)
        out, ends = kept.forward(x)
    return out, x.new_empty(0) if masks is None else masks, ends, reserve


def _differentiated(*buffers: torch.Tensor) -> bool:
    """Whether torch records, for a derivative of higher order or a generic one."""
    return torch.is_grad_enabled() and any(b.requires_grad for b in buffers)


@rnn.grad("Input PreState WeightList SequenceLength Out DropoutState Reserve")
def _(d_out, d_ends, x, states, weights, lengths, out, masks, reserve, *, is_bidirec, mode,
      num_layers, needs_grad):  # fmt: skip
    # What is kept holds the outputs too; naming them here says that they must not be overwritten.
    d_ends = [None] * len(states) if d_ends is None else list(d_ends)
    arrived = [g for g in [d_out, *d_ends] if g is not None]
    again = torch.is_grad_enabled() and _differentiated(x, *states, *weights, *arrived)
    kept = getattr(reserve, "kept", None)
    if kept is not None and not again:
        return (*kept.backward(d_out, d_ends, x, needs_grad), None)
    if not x.numel():  # nothing was computed: the states went through
        d_states = [torch.zeros_like(s) if d is None else d for s, d in zip(states, d_ends)]
        return torch.zeros_like(x), d_states, [torch.zeros_like(w) for w in weights], None
    masks = None if masks is None or not masks.numel() else masks
    lengths = None if lengths is None else _checked_lengths(lengths, x)
    attrs = {"mode": mode, "ways": 2 if is_bidirec else 1, "layers": num_layers}
    inputs = [x, list(states), list(weights), lengths, masks]
    with _twice_differentiable() if again else contextlib.nullcontext():
        dx, d_states, d_weights, *_ = vjp(
            _FUSED_NETWORK, inputs, [d_out, d_ends], attrs, (*needs_grad, False)
        )
    return dx, d_states, d_weights, None
