"""chunk_eval: how many spans of tagged sequences were found."""

from __future__ import annotations

from typing import NamedTuple

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.sequence.levels import inside, last_level, offsets_of, positions

# Of each scheme how many tags a kind of chunk has, and which of them is begin, inside, end, single.
_SCHEMES = {
    "IOB": (2, (0, 1, -1, -1)),
    "IOE": (2, (-1, 0, 1, -1)),
    "IOBES": (4, (0, 1, 2, 3)),
    "plain": (1, (-1, -1, -1, -1)),
}


class _Chunks(NamedTuple):
    """The chunks of all rows.

    Attributes:
        begins (torch.Tensor): for each row, whether a chunk begins there that counts.
        kinds (torch.Tensor): the kind of each row.
        ends (torch.Tensor): the last row of the chunk that begins at a row.
    """

    begins: torch.Tensor
    kinds: torch.Tensor
    ends: torch.Tensor


def _rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec((1,), VarType.FP32)] * 3 + [Spec((1,), VarType.INT64)] * 3


def _chunks(tags: torch.Tensor, first: torch.Tensor, scheme: str, kinds: int, excluded) -> _Chunks:
    """Finds the chunks; ``first`` says which rows are the first of their sequence."""
    count, (begin, _, end, single) = _SCHEMES[scheme]
    if tags.numel() and not 0 <= int(tags.min()) <= int(tags.max()) <= count * kinds:
        raise OutOfRangeError(
            f"chunk_eval: expected tags in [0, {count * kinds}] for {kinds} kinds of chunks in the "
            f"scheme {scheme}, but they span [{int(tags.min())}, {int(tags.max())}]."
        )
    kind, place = torch.div(tags, count, rounding_mode="floor"), torch.remainder(tags, count)
    within = kind < kinds
    before_kind, before = kind.roll(1), place.roll(1)
    closed = (before == end) | (before == single)
    starts = (before_kind != kind) | (place == begin) | (place == single) | closed
    begins = within & (first | starts)
    # A chunk ends in front of the next one, of a row outside, and of the next sequence.
    stops = torch.ones_like(begins)
    stops[:-1] = (begins | ~within | first)[1:]
    last = torch.where(stops, torch.arange(len(tags), device=tags.device), len(tags))
    ends = last.flip(0).cummin(0).values.flip(0) if len(tags) else last
    if excluded:
        begins = begins & ~torch.isin(kind, torch.tensor(list(excluded), device=tags.device))
    return _Chunks(begins, kind, ends)


def _flat(found, label, lengths) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Tags and labels below each other, and which rows are the first of their sequence."""
    name = "chunk_eval"
    if lengths is None:
        offsets = last_level(name, "Inference", found)
        if label.numel() != found.numel() or found.numel() != found.shape[0]:
            raise InvalidArgumentError(
                f"{name}: expected Inference and Label of shape [N, 1], but received "
                f"{list(found.shape)} and {list(label.shape)}."
            )
        tags, wanted = found.reshape(-1), label.reshape(-1)
    else:
        if found.dim() < 2 or found.numel() != label.numel() or lengths.numel() != found.shape[0]:
            raise InvalidArgumentError(
                f"{name}: expected Inference and Label [N, steps] and SeqLength [N], but received "
                f"{list(found.shape)}, {list(label.shape)} and {list(lengths.shape)}."
            )
        steps = found.numel() // max(found.shape[0], 1)
        counts = [int(n) for n in lengths.reshape(-1).tolist()]
        if counts and not 0 <= min(counts) <= max(counts) <= steps:
            raise OutOfRangeError(
                f"{name}: expected SeqLength in [0, {steps}], but received {counts}."
            )
        offsets = offsets_of(counts)
        there = inside(offsets, steps, found)
        tags = found.reshape(len(counts), steps)[there]
        wanted = label.reshape(len(counts), steps)[there]
    first = torch.zeros(len(tags), dtype=torch.bool, device=found.device)
    first[positions([n for n in offsets[:-1] if n < len(tags)], found)] = True
    return tags, wanted, first


@op(
    "chunk_eval",
    "Inference Label SeqLength?~ -> Precision Recall F1-Score NumInferChunks NumLabelChunks "
    "NumCorrectChunks",
    infer=_rule,
    differentiable=False,
    lod="",
)
def chunk_eval(found, label, lengths, *, num_chunk_types, chunk_scheme="IOB",
               excluded_chunk_types=()):  # fmt: skip
    """Compares the chunks of Inference with those of Label: kind, begin and end have to agree.

    Both are rows [N, 1] that are split into sequences, or a padded batch with SeqLength.
    """
    if chunk_scheme not in _SCHEMES:
        raise InvalidArgumentError(
            f"chunk_eval: expected chunk_scheme to be one of {', '.join(_SCHEMES)}, but received "
            f"{chunk_scheme!r}."
        )
    if found.dtype is not torch.int64 or label.dtype is not torch.int64:
        raise InvalidTypeError(
            "chunk_eval: no kernel for these data types: expected Inference and Label of int64, "
            f"but received {str(found.dtype)[6:]} and {str(label.dtype)[6:]}."
        )
    if found.is_meta:
        counts = [found.new_empty([1]) for _ in range(3)]
        return (*[found.new_empty([1], dtype=torch.float32) for _ in range(3)], *counts)
    tags, wanted, first = _flat(found, label, lengths)
    rule = chunk_scheme, num_chunk_types, excluded_chunk_types
    a, b = _chunks(tags, first, *rule), _chunks(wanted, first, *rule)
    both = a.begins & b.begins & (a.kinds == b.kinds) & (a.ends == b.ends)
    found_count, true_count, right = (n.sum().reshape(1) for n in (a.begins, b.begins, both))
    precision, recall = _share(right, found_count), _share(right, true_count)
    f1 = _share(2 * precision * recall, precision + recall)
    return precision, recall, f1, found_count, true_count, right


def _share(part: torch.Tensor, of: torch.Tensor) -> torch.Tensor:
    made = part.to(torch.float32) / of.to(torch.float32)
    return torch.where(of > 0, made, torch.zeros_like(made))
