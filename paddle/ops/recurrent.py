"""Recurrent networks: one step of a unit, and whole sequences through layers of them."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.random import generator

# -- one step -----------------------------------------------------------------------------------

_BY_CODE = [lambda x: x, torch.sigmoid, torch.tanh, torch.relu]


def _by_code(code: int) -> Any:
    if not 0 <= code < len(_BY_CODE):
        raise InvalidArgumentError(
            "gru_unit: activations are expected to be 0 (identity), 1 (sigmoid), 2 (tanh) or 3 "
            f"(relu), but received {code}."
        )
    return _BY_CODE[code]


def _gru_unit_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [inputs[0], inputs[1], inputs[1]]


@op("gru_unit", "Input HiddenPrev Weight Bias? -> Gate~ ResetHiddenPrev~ Hidden",
    infer=_gru_unit_rule)  # fmt: skip
def gru_unit(x, before, weight, bias, *, activation=2, gate_activation=1, origin_mode=False):
    """The weight's elements are those of the gates, [D, 2 D], then the candidate's, [D, D]."""
    size = before.shape[1]
    if x.shape[1] != 3 * size or tuple(weight.shape) != (size, 3 * size):
        raise InvalidArgumentError(
            f"gru_unit: expected Input [N, {3 * size}] and Weight [{size}, {3 * size}] beside "
            f"HiddenPrev [N, {size}], but received {list(x.shape)} and {list(weight.shape)}."
        )
    squash, act = _by_code(gate_activation), _by_code(activation)
    flat = weight.reshape(-1)
    gates = flat[: 2 * size * size].reshape(size, 2 * size)
    candidate = flat[2 * size * size :].reshape(size, size)
    x = x if bias is None else torch.add(x, bias.reshape(-1))
    update, reset = squash(torch.addmm(x[:, : 2 * size], before, gates)).chunk(2, 1)
    kept = torch.mul(reset, before)
    new = act(torch.addmm(x[:, 2 * size :], kept, candidate))
    share = torch.sub(1, update) if origin_mode else update
    hidden = torch.lerp(before, new, share)
    return torch.cat([update, reset, new], 1).detach(), kept.detach(), hidden


@op("lstm_unit", "X C_prev -> C H", infer=lambda i, a: [i[1], i[1]])
def lstm_unit(x, before, *, forget_bias=0.0):
    if x.shape[-1] != 4 * before.shape[-1]:
        raise InvalidArgumentError(
            f"lstm_unit: expected X [N, {4 * before.shape[-1]}] beside C_prev of shape "
            f"{list(before.shape)}, but received {list(x.shape)}."
        )
    entry, forget, exit_, new = x.chunk(4, -1)
    kept = torch.mul(torch.sigmoid(torch.add(forget, forget_bias)), before)
    cell = torch.add(kept, torch.mul(torch.sigmoid(entry), torch.tanh(new)))
    return cell, torch.mul(torch.sigmoid(exit_), torch.tanh(cell))


# -- whole sequences ----------------------------------------------------------------------------

_FUSED: dict[str, Any] = {
    "LSTM": torch.lstm,
    "GRU": torch.gru,
    "RNN_TANH": torch.rnn_tanh,
    "RNN_RELU": torch.rnn_relu,
}


def _rnn_rule(inputs: list, attrs: dict) -> list:
    x, states = inputs[:2]
    width = attrs["hidden_size"] * (2 if attrs["is_bidirec"] else 1)
    return [Spec((*x.shape[:2], width), x.dtype), None, list(states), None]


def _weights_of_layers(weights: list, layers: int, directions: int) -> list[list]:
    """For every layer its weights and biases in ATen's order: w_ih, w_hh, b_ih, b_hh a direction.

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
    for layer in range(layers):
        group = []
        for k in range(layer * directions, (layer + 1) * directions):
            group += weights[2 * k : 2 * k + 2]
            group += weights[half + 2 * k : half + 2 * k + 2] if biased else []
        grouped.append(group)
    return grouped


def _expect_states(states: list, count: int, layers: int) -> None:
    if len(states) != count or any(s.dim() != 3 or s.shape[0] != layers for s in states):
        raise InvalidArgumentError(
            f"rnn: expected {count} tensors of {layers} layers in PreState, [{layers}, batch, "
            f"hidden], but received shapes {[list(s.shape) for s in states]}."
        )


def _run(mode: str, data: Any, lengths: Any, states: list, weights: list, layers: int,
         directions: int) -> tuple:  # fmt: skip
    """Some layers at once, by the kernel for padded or for packed sequences."""
    hidden = tuple(states) if mode == "LSTM" else states[0]
    biased = len(weights) == 4 * layers * directions
    tail = (weights, biased, layers, 0.0, False, directions == 2)
    if lengths is None:
        out, *ends = _FUSED[mode](data, hidden, *tail, False)
    else:
        out, *ends = _FUSED[mode](data, lengths, hidden, *tail)
    return out, ends


def _packed(x: torch.Tensor, lengths: torch.Tensor) -> PackedSequence:
    lengths = lengths.reshape(-1).cpu().long()
    if lengths.numel() != x.shape[1] or (
        lengths.numel() and not 1 <= int(lengths.min()) <= int(lengths.max()) <= x.shape[0]
    ):
        raise InvalidArgumentError(
            f"rnn: SequenceLength is expected to hold {x.shape[1]} numbers in [1, {x.shape[0]}], "
            f"but received {lengths.tolist()}."
        )
    return pack_padded_sequence(x, lengths, enforce_sorted=False)


@op(
    "rnn",
    "Input PreState* WeightList* SequenceLength?~ -> Out DropoutState?~ State* Reserve?~",
    infer=_rnn_rule,
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
    directions = 2 if is_bidirec else 1
    groups = _weights_of_layers(list(weights), num_layers, directions)
    _expect_states(states, 2 if mode == "LSTM" else 1, num_layers * directions)
    if x.is_meta:
        out = x.new_empty([*x.shape[:2], hidden_size * directions])
        return out, None, [s.new_empty(s.shape) for s in states], None
    packed = None if lengths is None else _packed(x, lengths)
    data, sizes = (x, None) if packed is None else (packed.data, packed.batch_sizes)
    if packed is not None:
        states = [s.index_select(1, packed.sorted_indices) for s in states]
    drop = 0.0 if is_test else dropout_prob
    if drop and num_layers > 1:  # layer by layer, to draw from the framework's random state
        source = generator(x.device, seed)
        ends = []
        for i, group in enumerate(groups):
            at = slice(i * directions, (i + 1) * directions)
            data, end = _run(mode, data, sizes, [s[at] for s in states], group, 1, directions)
            ends.append(end)
            if i < num_layers - 1:
                keep = torch.empty_like(data).bernoulli_(1.0 - drop, generator=source)
                data = torch.mul(data, keep.div_(1.0 - drop) if drop < 1 else keep)
        ends = [torch.cat(parts) for parts in zip(*ends, strict=True)]
    else:
        flat = [w for group in groups for w in group]
        data, ends = _run(mode, data, sizes, list(states), flat, num_layers, directions)
    if packed is not None:
        packed = PackedSequence(data, sizes, packed.sorted_indices, packed.unsorted_indices)
        data = pad_packed_sequence(packed, total_length=x.shape[0])[0]
        ends = [e.index_select(1, packed.unsorted_indices) for e in ends]
    return data, None, ends, None
