"""Two GRUs over one sequence at once, as the two directions of a network are.

Steps of one row are so little work that calls are counted: a product of two matrices by two rows
in one call, and one call each for what follows, take a third of the time off both.
"""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.backends import holds
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.sequence.dynamic import _IN_PLACE, _activation, gru_states, parts_of_weight
from paddle.ops.sequence.levels import last_level, levels_of, marked

_PASS = "left by the pass gru_pairs of a plan; a Program holds two gru instead"


def _weights_rule(inputs: list, attrs: dict) -> list[Spec]:
    size, dtype = inputs[0].shape[1] // 3, inputs[0].dtype
    return [Spec(shape, dtype) for shape in ((2, size, 2 * size), (2, size, size), (2, 3 * size))]


@op("gru_pair_weights", "Weight OtherWeight Bias OtherBias -> Gates Candidate BiasOut",
    infer=_weights_rule, differentiable=False, memoize=True, proto=_PASS)  # fmt: skip
def gru_pair_weights(weight, other_weight, bias, other_bias):
    """The weights of two GRUs, one above the other: [2, D, 2 D], [2, D, D] and [2, 3 D]."""
    size = weight.shape[0]
    if not tuple(weight.shape) == tuple(other_weight.shape) == (size, 3 * size):
        raise InvalidArgumentError(
            f"gru_pair_weights: expected Weight and OtherWeight [size, 3 * size], but received "
            f"{list(weight.shape)} and {list(other_weight.shape)}."
        )
    parts = zip(parts_of_weight(weight), parts_of_weight(other_weight), strict=True)
    gates, candidate = (torch.stack(both) for both in parts)
    return gates, candidate, torch.stack([bias.reshape(-1), other_bias.reshape(-1)])


def _pair_rule(inputs: list, attrs: dict) -> list:
    xs, candidate = inputs[0], inputs[2]
    return [[Spec((x.shape[0], candidate.shape[1]), x.dtype) for x in xs]]


@op("gru_pair", "Input* Gates Candidate Bias -> Hidden*", infer=_pair_rule, differentiable=False,
    lod="own", dtypes="floats", proto=_PASS)  # fmt: skip
def gru_pair(xs, gates, candidate, bias, *, is_reverse, activation="tanh",
             gate_activation="sigmoid", origin_mode=False):  # fmt: skip
    """Hidden states of two ``gru`` without a first state; ``is_reverse`` says it of each."""
    if len(xs) != 2 or len(is_reverse) != 2 or gates.shape[0] != 2:
        raise InvalidArgumentError(
            f"gru_pair: expected two of Input, Gates and is_reverse, but received {len(xs)}, "
            f"{gates.shape[0]} and {len(is_reverse)}."
        )
    for x in xs:
        if x.dim() != 2 or x.shape[1] != bias.shape[1]:
            raise InvalidArgumentError(
                f"gru_pair: expected Input [N, {bias.shape[1]}], but received {list(x.shape)}."
            )
    squash, act = _activation("gru", gate_activation), _activation("gru", activation)
    offsets = [last_level("gru_pair", "Input", x) for x in xs]
    alone = len(offsets[0]) == 2 and offsets[0] == offsets[1] and offsets[0][1] > 0
    if alone and not (xs[0].is_meta or torch.is_grad_enabled()) and holds.host(xs[0]):
        made = _of_one_sequence(
            xs, gates, candidate, bias, is_reverse, _IN_PLACE[squash], _IN_PLACE[act], origin_mode
        )  # fmt: skip
    else:
        made = [
            gru_states(x + bias[k], None, gates[k], candidate[k], offsets[k], (squash, act),
                       is_reverse[k], origin_mode)
            for k, x in enumerate(xs)
        ]  # fmt: skip
    if xs[0].is_meta:
        return made
    return [marked(y, levels_of("gru_pair", "Input", x)) for x, y in zip(xs, made, strict=True)]


def _of_one_sequence(
    xs: Any, gates: torch.Tensor, candidate: torch.Tensor, bias: torch.Tensor, is_reverse: Any,
    squash: Any, act: Any, origin_mode: bool,
) -> list[torch.Tensor]:  # fmt: skip
    """Both side by side, a reversed one on reversed rows; a step writes into shared memory."""
    size, count = candidate.shape[1], xs[0].shape[0]
    whole = torch.stack([x.flip(0) if back else x for x, back in zip(xs, is_reverse, strict=True)])
    rows = whole.add_(bias.unsqueeze(1)).unsqueeze(2)
    made = whole.new_empty([2, count, 1, size])
    steps = zip(
        rows[..., : 2 * size].unbind(1), rows[..., 2 * size :].unbind(1), made.unbind(1),
        strict=True,
    )  # fmt: skip
    both, kept, new = (whole.new_empty([2, 1, n]) for n in (2 * size, size, size))
    update, reset = both.chunk(2, 2)
    baddbmm, mul, lerp = torch.baddbmm, torch.mul, torch.lerp

    def mixed(h: torch.Tensor, c: torch.Tensor, u: torch.Tensor, out: torch.Tensor) -> Any:
        return lerp(c, h, u, out=out) if origin_mode else lerp(h, c, u, out=out)

    of_gates, of_candidate, out = next(steps)  # the state before is zero: there is no product
    first = whole.new_zeros([2, 1, size])
    h = mixed(first, act(of_candidate), squash(of_gates).narrow(2, 0, size), out)
    for of_gates, of_candidate, out in steps:
        squash(baddbmm(of_gates, h, gates, out=both))
        mul(reset, h, out=kept)
        h = mixed(h, act(baddbmm(of_candidate, kept, candidate, out=new)), update, out)
    parts = made.squeeze(2).unbind(0)
    return [y.flip(0) if back else y for y, back in zip(parts, is_reverse, strict=True)]
