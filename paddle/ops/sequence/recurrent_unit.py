"""LSTM unit and GRU unit: one step of a recurrent network."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op

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
