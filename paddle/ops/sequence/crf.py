"""Linear-chain conditional random fields (CRF): loss and best paths.

Transition has a row of start weights, a row of end weights, then row i + 2 with the weights from
tag i to every tag.
"""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.derive import vjp
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.sequence import crf_rows
from paddle.ops.sequence.levels import last_level, lengths_of, padded, positions, unpadded


def _check(name: str, emission: torch.Tensor, transition: torch.Tensor, length: Any) -> None:
    if emission.dim() != 3:
        raise InvalidArgumentError(
            f"{name}: expected Emission of shape [N, steps, tags], or rows [N, tags] that are "
            f"split into sequences, but received {list(emission.shape)}."
        )
    tags = emission.shape[2]
    if list(transition.shape) != [tags + 2, tags]:
        raise InvalidArgumentError(
            f"{name}: expected Transition of shape [{tags + 2}, {tags}] for {tags} tags, but "
            f"received {list(transition.shape)}."
        )
    if length is None:
        return
    if length.numel() != emission.shape[0]:
        raise InvalidArgumentError(
            f"{name}: expected a Length for each of {emission.shape[0]} sequences, but received "
            f"shape {list(length.shape)}."
        )
    if not length.is_meta and length.numel():
        low, high = int(length.min()), int(length.max())
        if low < 0 or high > emission.shape[1]:
            raise OutOfRangeError(
                f"{name}: expected lengths in [0, {emission.shape[1]}], but they span "
                f"[{low}, {high}]."
            )


def _lengths(emission: torch.Tensor, length: torch.Tensor | None) -> torch.Tensor:
    """The lengths as a vector; without any, every sequence is as long as the batch."""
    if length is None:
        return torch.full((emission.shape[0],), emission.shape[1], device=emission.device)
    return length.reshape(-1).long()


def _tags(name: str, emission, label, inside) -> torch.Tensor:
    """Labels as [N, steps]; padding may hold anything, it becomes tag 0."""
    if label.numel() != emission.shape[0] * emission.shape[1]:
        raise InvalidArgumentError(
            f"{name}: expected Label of shape {list(emission.shape[:2])}, a tag for each step, but "
            f"received {list(label.shape)}."
        )
    label = label.reshape(emission.shape[:2]).long()
    wrong = torch.logical_and(inside, torch.logical_or(label < 0, label >= emission.shape[2]))
    if not label.is_meta and bool(wrong.any()):
        raise OutOfRangeError(
            f"{name}: expected labels in [0, {emission.shape[2]}), but received "
            f"{int(label[wrong][0])}."
        )
    return torch.where(inside, label, torch.zeros_like(label))


def _padded_rows(name: str, emission, label) -> tuple:
    """Rows that are split into sequences as a padded batch: offsets, emission, label, lengths."""
    offsets = last_level(name, "Emission", emission, 1)
    if label is not None:
        if label.numel() != emission.shape[0]:
            raise InvalidArgumentError(
                f"{name}: expected Label with a tag for each of {emission.shape[0]} rows, but "
                f"received shape {list(label.shape)}."
            )
        label = padded(label.reshape(-1), offsets)
    lengths = positions(lengths_of(offsets), emission)
    return offsets, padded(emission, offsets), label, lengths


def _crf_rule(inputs: list, attrs: dict) -> list[Spec]:
    emission, transition = inputs[:2]
    if len(emission.shape) == 2:
        return [emission, emission, transition, Spec((-1, 1), emission.dtype)]
    return [emission, emission, transition, Spec((emission.shape[0], 1), emission.dtype)]


@op(
    "linear_chain_crf",
    "Emission Transition Label~ Length?~ -> Alpha~ EmissionExps~ TransitionExps~ LogLikelihood",
    infer=_crf_rule,
)
def linear_chain_crf(emission, transition, label, length):
    """LogLikelihood is minus its name: log of the sum over all paths, minus the labels' score.

    The forward variables are carried in logarithms; Alpha shows them as shares of each step.
    Emission is a padded batch, or rows that are split into sequences (LoD).
    """
    name = "linear_chain_crf"
    if emission.dim() == 2 and crf_rows.serves(emission, transition, label):
        _check_rows(name, emission, transition, label)
        return crf_rows.forward(emission, transition, label)
    if emission.dim() == 2:
        offsets, emission, label, length = _padded_rows(name, emission, label)
        alpha, shares, moves, loss = linear_chain_crf.kernel(emission, transition, label, length)
        return unpadded(alpha, offsets), unpadded(shares, offsets), moves, loss
    _check(name, emission, transition, length)
    steps = emission.shape[1]
    lengths = _lengths(emission, length)
    inside = torch.arange(steps, device=emission.device) < lengths.unsqueeze(1)
    label = _tags(name, emission, label, inside)
    start, end, move = transition[0], transition[1], transition[2:]
    alpha = start + emission[:, 0]
    shown = [torch.softmax(alpha, 1)]
    for t in range(1, steps):
        following = torch.logsumexp(alpha.unsqueeze(2) + move, 1) + emission[:, t]
        alpha = torch.where(inside[:, t].unsqueeze(1), following, alpha)
        shown.append(torch.softmax(alpha, 1))
    kept = torch.where(inside.unsqueeze(2), torch.stack(shown, 1), torch.zeros_like(emission))
    loss = torch.logsumexp(alpha + end, 1) - _score(emission, start, end, move, label, inside)
    loss = torch.where(lengths > 0, loss, torch.zeros_like(loss))
    shares = torch.exp(emission - torch.amax(emission, 2, keepdim=True))
    return kept.detach(), shares.detach(), torch.exp(transition).detach(), loss.unsqueeze(1)


@linear_chain_crf.grad("Emission Transition Label Length Alpha EmissionExps")
def _(d_loss, emission, transition, label, length, alpha, shares, *, needs_grad):
    again = torch.is_grad_enabled() and any(
        v.requires_grad for v in (d_loss, emission, transition)
    )  # fmt: skip
    if emission.dim() == 2 and not again and crf_rows.serves(emission, transition, label):
        return *crf_rows.backward(d_loss, emission, transition, label, alpha, shares), None, None
    inputs = [emission, transition, label, length]
    return vjp(linear_chain_crf, inputs, [d_loss], {}, (*needs_grad[:2], False, False))


def _check_rows(name: str, emission, transition, label) -> None:
    """The same checks as of a padded batch, which rows become for it."""
    _check(name, emission.unsqueeze(0), transition, None)
    last_level(name, "Emission", emission, 1)
    if label.numel() != emission.shape[0]:
        raise InvalidArgumentError(
            f"{name}: expected Label with a tag for each of {emission.shape[0]} rows, but "
            f"received shape {list(label.shape)}."
        )
    inside = torch.ones([1, emission.shape[0]], dtype=torch.bool, device=emission.device)
    _tags(name, emission.unsqueeze(0), label, inside)


def _score(emission, start, end, move, label, inside) -> torch.Tensor:
    """The weight of the labels' path through each sequence."""
    seen = torch.gather(emission, 2, label.unsqueeze(2)).squeeze(2)
    total = torch.sum(torch.where(inside, seen, torch.zeros_like(seen)), 1)
    moved = move[label[:, :-1], label[:, 1:]]
    total = total + torch.sum(torch.where(inside[:, 1:], moved, torch.zeros_like(moved)), 1)
    last = (torch.sum(inside, 1) - 1).clamp(min=0)
    return total + start[label[:, 0]] + end[torch.gather(label, 1, last.unsqueeze(1)).squeeze(1)]


def _decoding_rule(inputs: list, attrs: dict) -> list[Spec]:
    shape = inputs[0].shape
    return [Spec((shape[0], 1) if len(shape) == 2 else shape[:2], VarType.INT64)]


@op(
    "crf_decoding",
    "Emission Transition Label? Length? -> ViterbiPath",
    infer=_decoding_rule,
    differentiable=False,
    dtypes="floats",
    lod="Emission",
)
def crf_decoding(emission, transition, label, length):
    """The best tags of every sequence; with Label, 1 where they are the labels and 0 elsewhere.

    Emission is a padded batch, or rows that are split into sequences (LoD).
    """
    name = "crf_decoding"
    if emission.dim() == 2 and not emission.is_meta and emission.shape[0]:
        _check(name, emission.unsqueeze(0), transition, None)
        tags = crf_rows.decoded(last_level(name, "Emission", emission, 1), emission, transition)
        if label is None:
            return tags
        _check_rows(name, emission, transition, label)
        return torch.eq(tags, label.reshape(-1, 1)).to(torch.int64)
    if emission.dim() == 2:
        offsets, emission, label, length = _padded_rows(name, emission, label)
        tags = crf_decoding.kernel(emission, transition, label, length)
        return unpadded(tags, offsets).unsqueeze(1)
    _check(name, emission, transition, length)
    steps = emission.shape[1]
    lengths = _lengths(emission, length)
    inside = torch.arange(steps, device=emission.device) < lengths.unsqueeze(1)
    start, end, move = transition[0], transition[1], transition[2:]
    best = start + emission[:, 0]
    back = []
    # Behind the end of a sequence every tag comes from itself and nothing is added.
    itself = torch.arange(emission.shape[2], device=emission.device).expand_as(best)
    for t in range(1, steps):
        value, source = torch.max(best.unsqueeze(2) + move, 1)
        going = inside[:, t].unsqueeze(1)
        best = torch.where(going, value + emission[:, t], best)
        back.append(torch.where(going, source, itself))
    tag = torch.argmax(best + end, 1, keepdim=True)
    path = [tag]
    for source in reversed(back):
        tag = torch.gather(source, 1, tag)
        path.append(tag)
    tags = torch.cat(path[::-1], 1)
    if label is not None:
        tags = torch.eq(tags, _tags(name, emission, label, inside)).to(torch.int64)
    return torch.where(inside, tags, torch.zeros_like(tags))
