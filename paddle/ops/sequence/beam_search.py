"""Beam search: the best words after every prefix, and walking back through the beams."""

from __future__ import annotations

import heapq
from itertools import pairwise
from typing import Any

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, InvalidTypeError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.sequence.levels import levels_of, marked, offsets_of, rows_by_level


@op("gather_tree", "Ids Parents -> Out", lod="", infer="same", differentiable=False)
def gather_tree(ids, parents):
    if not ids.numel():
        return ids.clone()
    beam = torch.arange(ids.shape[2], device=ids.device, dtype=parents.dtype)
    beam = beam.expand(ids.shape[1], -1)
    steps = []
    for step in range(ids.shape[0] - 1, -1, -1):
        steps.append(torch.gather(ids[step], 1, beam.long()))
        beam = torch.gather(parents[step], 1, beam.long())
    return torch.stack(steps[::-1])


# A candidate: its score, the row of its prefix, its word.
Candidate = tuple[float, int, int]


def _candidates(row: int, word: int, score: float, ids: Any, scores: list, end: int) -> list:
    """What may follow a prefix; one that has ended stays what it is."""
    if word == end:
        return [(score, row, end)]
    return [(s, row, ids[at] if ids else at) for at, s in enumerate(scores)]


def _survivors(best: list[Candidate], before: list[int], end: int) -> list[Candidate]:
    """Nothing goes on for a source all of whose beams had ended already."""
    over = all(word == end and before[row] == end for _, row, word in best)
    return [] if over else best


def _search_rule(inputs: list, attrs: dict) -> list:
    ids, scores = inputs[0], inputs[3]
    return [Spec((-1, 1), ids.dtype), Spec((-1, 1), scores.dtype), Spec((-1,), VarType.INT32)]


@op(
    "beam_search",
    "pre_ids pre_scores ids? scores -> selected_ids selected_scores parent_idx?",
    infer=_search_rule,
    differentiable=False,
    lod="own",
)
def beam_search(before, totals, ids, scores, *, level, beam_size, end_id, is_accumulated=True):
    """The beam_size best words after the prefixes of every source; ended prefixes take part.

    Rows of pre_ids, pre_scores [N, 1], ids and scores [N, candidates] belong to prefixes; those
    of a level of scores are one source. The results have two levels: prefixes of every source,
    and of every prefix the words that follow. parent_idx is the prefix's row.
    """
    name = "beam_search"
    if before.dtype not in (torch.int32, torch.int64):
        raise InvalidTypeError(
            f"{name}: no kernel for these data types: expected pre_ids of int32 or int64, but "
            f"received {str(before.dtype)[6:]}."
        )
    if scores.dim() != 2 or before.numel() != scores.shape[0] or totals.numel() != before.numel():
        raise InvalidArgumentError(
            f"{name}: expected scores [N, candidates] beside pre_ids and pre_scores [N, 1], but "
            f"received {list(scores.shape)}, {list(before.shape)} and {list(totals.shape)}."
        )
    if ids is not None and ids.shape != scores.shape:
        raise InvalidArgumentError(
            f"{name}: expected ids of the shape of scores, {list(scores.shape)}, but received "
            f"{list(ids.shape)}."
        )
    if scores.is_meta:
        return (before.new_empty([0, 1]), scores.new_empty([0, 1]),
                before.new_empty([0], dtype=torch.int32))  # fmt: skip
    levels = levels_of(name, "scores", scores)
    if not 0 <= level < len(levels) or beam_size < 1:
        raise InvalidArgumentError(
            f"{name}: expected level from 0 to {len(levels) - 1} and a positive beam_size, but "
            f"received {level} and {beam_size}."
        )
    sources = rows_by_level(levels, level)
    if not is_accumulated:
        scores = torch.log(scores) + totals.reshape(-1, 1)
    words, past = before.reshape(-1).tolist(), totals.reshape(-1).tolist()
    table, choices = scores.tolist(), None if ids is None else ids.tolist()
    chosen: list[list[Candidate]] = [[] for _ in words]
    for a, b in pairwise(sources):
        found = [
            one
            for row in range(a, b)
            for one in _candidates(
                row, words[row], past[row], choices and choices[row], table[row], end_id
            )
        ]
        # Of equal scores the later prefix counts more, of the same prefix the earlier word.
        best = heapq.nlargest(beam_size, found, key=lambda one: one[:2])
        for one in _survivors(best, words, end_id):
            chosen[one[1]].append(one)
    flat = [one for row in chosen for one in row]
    found_levels = [sources, offsets_of(len(row) for row in chosen)]
    out_ids = torch.tensor([w for *_, w in flat], dtype=before.dtype, device=before.device)
    out_scores = torch.tensor([s for s, *_ in flat], dtype=scores.dtype, device=scores.device)
    parents = torch.tensor([r for _, r, _ in flat], dtype=torch.int32, device=scores.device)
    marked(out_ids := out_ids.reshape(-1, 1), found_levels)
    marked(out_scores := out_scores.reshape(-1, 1), [list(n) for n in found_levels])
    return out_ids, out_scores, parents
