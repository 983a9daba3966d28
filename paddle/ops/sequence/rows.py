"""Operators that repeat, join, cut and reorder sequences of rows, and set their levels."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, OutOfRangeError, UnimplementedError
from paddle.core.infer import Spec
from paddle.core.levels import levels_on
from paddle.core.op import op
from paddle.ops.sequence.levels import (
    last_level,
    lengths_of,
    levels_of,
    marked,
    offsets_of,
    owners,
    padded,
    positions,
    unpadded,
)


def _other_rows(inputs: list, attrs: dict) -> list:
    """As the first input, but with a number of rows that the levels tell."""
    x = inputs[0][0] if isinstance(inputs[0], list) else inputs[0]
    return [Spec((-1, *x.shape[1:]), x.dtype)]


def _chosen(x: torch.Tensor, parts: list[tuple[int, int]]) -> torch.Tensor:
    """The rows from a to b of every part, one below the other."""
    return x[positions([n for a, b in parts for n in range(a, b)], x)]


# -- repeating ------------------------------------------------------------------------------------


@op("sequence_expand", "X Y~ -> Out", infer=_other_rows, lod="own")
def sequence_expand(x, y, *, ref_level=-1):
    """Repeats each sequence of X, or each row if it has no levels, as often as Y's level counts."""
    name = "sequence_expand"
    levels = levels_of(name, "Y", y)
    if not -1 <= ref_level < len(levels):
        raise OutOfRangeError(
            f"{name}: expected ref_level to be -1 or a level of Y, 0 to {len(levels) - 1}, but "
            f"received {ref_level}."
        )
    times = lengths_of(levels[ref_level])
    own = levels_on(x)
    if own and len(own) > 1:
        raise InvalidArgumentError(
            f"{name}: expected X to have at most one level of sequences, but it has {len(own)}."
        )
    offsets = own[0] if own else list(range(x.shape[0] + 1))
    if len(offsets) - 1 != len(times) and not y.is_meta:
        raise InvalidArgumentError(
            f"{name}: expected a sequence of Y for each of the {len(offsets) - 1} sequences or "
            f"rows of X, but level {ref_level} has {len(times)}."
        )
    parts = [part for part, n in zip(pairwise(offsets), times, strict=False) for _ in range(n)]
    out = _chosen(x, parts)
    return marked(out, [offsets_of(b - a for a, b in parts)]) if own else out


@op("sequence_expand_as", "X Y~ -> Out", infer=_other_rows, lod="own")
def sequence_expand_as(x, y):
    """Repeats row i of X as often as sequence i of Y is long; the result has the levels of Y."""
    offsets = last_level("sequence_expand_as", "Y", y, 1)
    if len(offsets) - 1 != x.shape[0] and not y.is_meta:
        raise InvalidArgumentError(
            f"sequence_expand_as: expected a sequence of Y for each of the {x.shape[0]} rows of X, "
            f"but Y has {len(offsets) - 1}."
        )
    if y.is_meta:
        return x.new_empty([y.shape[0], *x.shape[1:]])
    return marked(x[owners(offsets, x)], [offsets])


# -- joining and cutting --------------------------------------------------------------------------


@op("sequence_concat", "X* -> Out", infer=_other_rows, lod="own")
def sequence_concat(tensors):
    """The first sequence of every input, then the second of every input, and so on."""
    name = "sequence_concat"
    if not tensors:
        raise InvalidArgumentError(f"{name}: expected at least one input, but received none.")
    levels = [last_level(name, f"X[{i}]", x, 1) for i, x in enumerate(tensors)]
    counts = [len(offsets) - 1 for offsets in levels]
    if len(set(counts)) > 1:
        raise InvalidArgumentError(
            f"{name}: expected inputs with as many sequences each, but received {counts}."
        )
    whole = torch.cat(list(tensors), 0)
    starts = offsets_of(x.shape[0] for x in tensors)
    parts, ends = [], [0]
    for i in range(counts[0]):
        here = [(s + o[i], s + o[i + 1]) for s, o in zip(starts, levels, strict=False)]
        parts += here
        ends.append(ends[-1] + sum(b - a for a, b in here))
    return marked(_chosen(whole, parts), [ends])


def _numbers(name: str, slot: str, value: torch.Tensor, count: int) -> list[int]:
    if value.numel() != count:
        raise InvalidArgumentError(
            f"{name}: expected {slot} with a number for each of {count} sequences, but received "
            f"shape {list(value.shape)}."
        )
    return [int(n) for n in value.reshape(-1).tolist()]


@op("sequence_slice", "X Offset~ Length~ -> Out", infer=_other_rows, lod="own")
def sequence_slice(x, offset, length):
    """Length[i] rows of sequence i, from its row Offset[i] on."""
    name = "sequence_slice"
    levels = last_level(name, "X", x, 1)
    count = len(levels) - 1
    if x.is_meta:
        return torch.empty_like(x)
    starts = _numbers(name, "Offset", offset, count)
    lengths = _numbers(name, "Length", length, count)
    parts = []
    for at, n, (a, b) in zip(starts, lengths, pairwise(levels), strict=True):
        if at < 0 or n < 0 or a + at + n > b:
            raise OutOfRangeError(
                f"{name}: expected Offset and Length within a sequence of {b - a} rows, but "
                f"received {at} and {n}."
            )
        parts.append((a + at, a + at + n))
    return marked(_chosen(x, parts), [offsets_of(lengths)])


@op("sequence_erase", "X -> Out", infer=_other_rows, lod="own", differentiable=False,
    dtypes="integers and bool")  # fmt: skip
def sequence_erase(x, *, tokens):
    """The rows that are none of the tokens; every level of sequences stays."""
    levels = levels_of("sequence_erase", "X", x)
    if x.numel() != x.shape[0]:
        raise InvalidArgumentError(
            f"sequence_erase: expected X of shape [N, 1], but received {list(x.shape)}."
        )
    if x.is_meta:
        return torch.empty_like(x)
    stays = ~torch.isin(x.reshape(-1), torch.tensor(list(tokens), dtype=x.dtype, device=x.device))
    counts = [0, *torch.cumsum(stays, 0).tolist()]
    return marked(x[stays], [*levels[:-1], [counts[n] for n in levels[-1]]])


# -- other forms ----------------------------------------------------------------------------------


@op("sequence_reverse", "X -> Y", infer="same", lod="X")
def sequence_reverse(x):
    """The rows of every sequence, the last one first."""
    offsets = last_level("sequence_reverse", "X", x)
    return x[positions([n for a, b in pairwise(offsets) for n in range(b - 1, a - 1, -1)], x)]


def _reshape_rule(inputs: list, attrs: dict) -> list:
    return [Spec((-1, int(attrs["new_dim"])), inputs[0].dtype)]


@op("sequence_reshape", "X -> Out", infer=_reshape_rule, lod="own")
def sequence_reshape(x, *, new_dim):
    """Rows of new_dim elements; each sequence keeps its elements."""
    name = "sequence_reshape"
    if x.dim() != 2 or new_dim < 1:
        raise InvalidArgumentError(
            f"{name}: expected X [N, width] and a positive new_dim, but received {list(x.shape)} "
            f"and {new_dim}."
        )
    offsets, ends = last_level(name, "X", x, 1), []
    for n in offsets:
        if n * x.shape[1] % new_dim:
            raise InvalidArgumentError(
                f"{name}: expected the elements of every sequence to fill rows of {new_dim}, but "
                f"sequences with the offsets {offsets} of rows of {x.shape[1]} do not."
            )
        ends.append(n * x.shape[1] // new_dim)
    return marked(x.reshape(-1, new_dim).clone(), [ends])


def _windows_rule(inputs: list, attrs: dict) -> list:
    return [Spec((inputs[0].shape[0], int(attrs["win_size"])), inputs[0].dtype)]


@op("sequence_enumerate", "X -> Out", infer=_windows_rule, lod="X", differentiable=False)
def sequence_enumerate(x, *, win_size, pad_value=0):
    """Beside each number the win_size - 1 that follow in its sequence, then pad_value."""
    name = "sequence_enumerate"
    offsets = last_level(name, "X", x)
    if x.numel() != x.shape[0] or win_size < 1:
        raise InvalidArgumentError(
            f"{name}: expected X [N, 1] and a positive win_size, but received {list(x.shape)} and "
            f"{win_size}."
        )
    place = torch.arange(x.shape[0], device=x.device).unsqueeze(1)
    place = place + torch.arange(win_size, device=x.device)
    end = positions(offsets, x)[owners(offsets, x) + 1].unsqueeze(1)
    there = place < end
    flat = x.reshape(-1)
    found = flat[torch.where(there, place, 0)] if flat.numel() else flat.reshape(0, win_size)
    return torch.where(there, found, torch.full_like(found, pad_value))


@op("sequence_scatter", "X Ids~ Updates -> Out", infer="same", lod="")
def sequence_scatter(x, ids, updates):
    """X with Updates of sequence i added to its row i, at the columns Ids of that sequence."""
    name = "sequence_scatter"
    offsets = last_level(name, "Ids", ids, 1)
    if x.dim() != 2 or (len(offsets) - 1 != x.shape[0] and not ids.is_meta):
        raise InvalidArgumentError(
            f"{name}: expected X [sequences of Ids, width], but received {list(x.shape)} and "
            f"{len(offsets) - 1} sequences."
        )
    if updates.numel() != ids.numel():
        raise InvalidArgumentError(
            f"{name}: expected an element of Updates for each of Ids, but received "
            f"{list(updates.shape)} and {list(ids.shape)}."
        )
    row = owners(offsets, ids) if not ids.is_meta else ids.reshape(-1).long()
    return x.index_put((row, ids.reshape(-1).long()), updates.reshape(-1), accumulate=True)


# -- padding --------------------------------------------------------------------------------------


def _pad_rule(inputs: list, attrs: dict) -> list:
    x, width = inputs[0], int(attrs.get("padded_length", -1))
    return [Spec((-1, width, *x.shape[1:]), x.dtype), Spec((-1,), VarType.INT64)]


@op("sequence_pad", "X PadValue~ -> Out Length~", infer=_pad_rule, lod="")
def sequence_pad(x, value, *, padded_length=-1):
    """[sequences, padded_length (-1: the longest), ...] and the lengths.

    PadValue, one number or one for each element of a row, stands behind the end of a sequence.
    """
    offsets = last_level("sequence_pad", "X", x)
    longest = max(lengths_of(offsets), default=0)
    if padded_length >= 0 and longest > padded_length and not x.is_meta:
        raise InvalidArgumentError(
            f"sequence_pad: expected padded_length -1 or at least {longest}, the length of the "
            f"longest sequence, but received {padded_length}."
        )
    if value.numel() != 1 and tuple(value.shape) != tuple(x.shape[1:]):
        raise InvalidArgumentError(
            f"sequence_pad: expected PadValue of one element or of shape {list(x.shape[1:])}, but "
            f"received {list(value.shape)}."
        )
    value = value.reshape([]) if value.numel() == 1 else value
    return padded(x, offsets, value, padded_length), positions(lengths_of(offsets), x)


def _unpad_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    return [Spec((-1, *x.shape[2:]), x.dtype)]


@op("sequence_unpad", "X Length~ -> Out", infer=_unpad_rule, lod="own")
def sequence_unpad(x, length):
    """The first Length[i] steps of every row of X [N, steps, ...], one below the other."""
    name = "sequence_unpad"
    if x.dim() < 2 or length.numel() != x.shape[0]:
        raise InvalidArgumentError(
            f"{name}: expected X [N, steps, ...] and Length [N], but received {list(x.shape)} and "
            f"{list(length.shape)}."
        )
    if length.is_meta:
        return x.flatten(0, 1).clone()
    lengths = _numbers(name, "Length", length, x.shape[0])
    if lengths and (min(lengths) < 0 or max(lengths) > x.shape[1]):
        raise OutOfRangeError(
            f"{name}: expected Length in [0, {x.shape[1]}], but received {lengths}."
        )
    offsets = offsets_of(lengths)
    return marked(unpadded(x, offsets), [offsets])


# -- levels ---------------------------------------------------------------------------------------


def _reset_levels(x: torch.Tensor, y: Any, target: list[int]) -> list[list[int]]:
    if y is None:
        return [list(target)]
    levels = levels_on(y)
    if levels:
        return [list(level) for level in levels]
    return [[int(n) for n in y.reshape(-1).tolist()]]


@op("lod_reset", "X Y?~ -> Out", infer=lambda inputs, attrs: [inputs[0]], lod="own")
def lod_reset(x, y, *, target_lod=(), append=False):
    """X with other levels: those of Y, offsets that Y holds as numbers, or target_lod.

    With append they are put below those that X has.
    """
    out = x.view_as(x)
    if x.is_meta:
        return out
    if y is None and not target_lod:
        raise InvalidArgumentError("lod_reset: expected an input Y or target_lod, but got neither.")
    levels = _reset_levels(x, y, list(target_lod))
    for level in levels:
        if not level or level[0] != 0 or any(a > b for a, b in pairwise(level)):
            raise InvalidArgumentError(
                f"lod_reset: expected offsets that start with 0 and rise, but received {level}."
            )
    if append:
        levels = [*(levels_on(x) or []), *levels]
        if len(levels) > 1 and levels[-2][-1] != len(levels[-1]) - 1:
            raise UnimplementedError(
                f"lod_reset(append): expected {levels[-2][-1]} sequences below the level "
                f"{levels[-2]}, but received {levels[-1]}."
            )
    if levels[-1][-1] != x.shape[0]:
        raise InvalidArgumentError(
            f"lod_reset: expected levels that end at the {x.shape[0]} rows of X, but they end at "
            f"{levels[-1][-1]}."
        )
    return marked(out, levels)
