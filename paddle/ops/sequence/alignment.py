"""CTC alignment and Viterbi decoding of label sequences."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, InvalidTypeError
from paddle.core.infer import Spec
from paddle.core.op import op

# -- the best path ------------------------------------------------------------------------------


def _viterbi_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    return [Spec(x.shape[:1], x.dtype), Spec((x.shape[0], -1), VarType.INT64)]


def _forward(x, transition, lengths, steps: int, tags: bool):
    """Scores of the best paths that end in each label, and where each came from."""
    score = x[:, 0]
    if tags:  # the last two labels are the end and the start of every path
        score = score + transition[-1]
        score = torch.where((lengths == 1).unsqueeze(1), score + transition[-2], score)
    came = []
    for step in range(1, steps):
        best, before = torch.max(score.unsqueeze(2) + transition, 1)
        best = best + x[:, step]
        if tags:
            best = torch.where((lengths == step + 1).unsqueeze(1), best + transition[-2], best)
        score = torch.where((lengths > step).unsqueeze(1), best, score)
        came.append(before)
    return score, came


@op("viterbi_decode", "Input Transition Length -> Scores Path", infer=_viterbi_rule,
    differentiable=False, dtypes="full")  # fmt: skip
def viterbi_decode(x, transition, lengths, *, include_bos_eos_tag=True):
    """The labels of the greatest sum of scores [batch, time, labels] and transitions between them.

    Path has as many columns as the longest sequence; behind the end of a sequence are zeros.
    """
    count = x.shape[-1]
    if x.dim() != 3 or transition.shape != (count, count) or lengths.shape != x.shape[:1]:
        raise InvalidArgumentError(
            "viterbi_decode: expected Input [batch, time, n], Transition [n, n] and Length "
            f"[batch], but received shapes {list(x.shape)}, {list(transition.shape)} and "
            f"{list(lengths.shape)}."
        )
    least = 3 if include_bos_eos_tag else 1
    if count < least:
        raise InvalidArgumentError(
            f"viterbi_decode: expected at least {least} labels, but received {count}."
        )
    if not x.shape[0]:
        return x.new_zeros(0), lengths.new_zeros(0, 0, dtype=torch.int64)
    low, steps = int(lengths.min()), int(lengths.max())
    if low < 0 or steps > x.shape[1]:
        raise InvalidArgumentError(
            f"viterbi_decode: expected Length in [0, {x.shape[1]}], but received values from {low} "
            f"to {steps}."
        )
    if not steps:
        return x.new_zeros(x.shape[0]), lengths.new_zeros(x.shape[0], 0, dtype=torch.int64)
    score, came = _forward(x, transition, lengths, steps, include_bos_eos_tag)
    score, label = torch.max(score, 1)
    path = [label]
    for step in range(steps - 1, 0, -1):
        earlier = torch.gather(came[step - 1], 1, label.unsqueeze(1)).squeeze(1)
        label = torch.where(lengths > step, earlier, label)
        path.append(label)
    inside = torch.arange(steps, device=x.device) < lengths.unsqueeze(1)
    return score, torch.stack(path[::-1], 1) * inside


# -- labels of CTC ------------------------------------------------------------------------------


def _ctc_rule(inputs: list, attrs: dict) -> list:
    x, lengths = inputs
    if lengths is None:
        return [Spec((-1, 1), x.dtype), None]
    return [x, Spec((x.shape[0], 1), x.dtype)]


def _heads(x: torch.Tensor, blank: int, merge: bool) -> torch.Tensor:
    """Which labels stay: no blanks, and of repeated ones the first (columns are steps)."""
    stays = torch.ne(x, blank)
    if merge and x.shape[1] > 1:
        changes = torch.ne(x[:, 1:], x[:, :-1])
        stays = stays & torch.nn.functional.pad(changes, (1, 0), value=True)
    return stays


def _packed(x, stays, padding: int):
    """Moves the labels that stay to the front of their rows."""
    place = torch.cumsum(stays, 1) - 1
    place = torch.where(stays, place, x.shape[1])  # the others: a column that is cut off
    blank = torch.full((x.shape[0], x.shape[1] + 1), padding, dtype=x.dtype, device=x.device)
    return blank.scatter(1, place, x)[:, :-1]


@op("ctc_align", "Input InputLength? -> Output OutputLength?", lod="own", infer=_ctc_rule,
    differentiable=False)  # fmt: skip
def ctc_align(x, lengths, *, blank=0, merge_repeated=True, padding_value=0):
    """Merges repeated labels and drops blanks.

    Input is [batch, steps] with InputLength [batch, 1]; or, without lengths, sequences one below
    the other [steps, 1]: those of its LoD, else one. A result without any label is -1.
    """
    if x.dtype not in (torch.int32, torch.int64):
        raise InvalidTypeError(
            "ctc_align: no kernel for these data types: expected Input of int32 or int64, but "
            f"received {str(x.dtype)[6:]}."
        )
    if lengths is None:
        return _aligned_rows(x, blank, merge_repeated), None
    if x.dim() != 2 or lengths.numel() != x.shape[0]:
        raise InvalidArgumentError(
            "ctc_align: expected Input [batch, steps] and InputLength [batch, 1], but received "
            f"shapes {list(x.shape)} and {list(lengths.shape)}."
        )
    steps = torch.arange(x.shape[1], device=x.device)
    stays = _heads(x, blank, merge_repeated) & torch.lt(steps, lengths.reshape(-1, 1))
    return _packed(x, stays, padding_value), stays.sum(1, keepdim=True).to(x.dtype)


def _aligned_rows(x: torch.Tensor, blank: int, merge: bool) -> torch.Tensor:
    if x.numel() != x.shape[0]:
        raise InvalidArgumentError(
            "ctc_align: without InputLength, expected Input [steps, 1], but received shape "
            f"{list(x.shape)}."
        )
    levels = getattr(x, "_lod", None)
    offsets = levels[-1] if levels else [0, x.shape[0]]
    stays = _heads(x.reshape(1, -1), blank, merge).reshape(-1)
    if merge:  # what a sequence begins with repeats nothing
        first = [n for n in offsets[:-1] if n < len(stays)]
        begin = torch.tensor(first, dtype=torch.int64, device=x.device)
        stays[begin] = torch.ne(x.reshape(-1)[begin], blank)
    out = x.reshape(-1)[stays].unsqueeze(1)
    counts = [0, *torch.cumsum(stays, 0).tolist()]
    lod = [[counts[n] for n in offsets]]
    if not out.shape[0]:
        out = torch.full((1, 1), -1, dtype=x.dtype, device=x.device)
    out._lod = lod  # type: ignore[attr-defined]
    return out
