"""Emitters for DynamicRNN and beam search of 1.x: rank tables, arrays of rows with levels."""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.levels import Levels, levels_on
from paddle.executor.codegen import Emitter, emitter
from paddle.executor.emitters.arrays import position
from paddle.ir.operator import Operator
from paddle.ops.sequence.levels import (
    lengths_of,
    levels_of,
    marked,
    offsets_of,
    positions,
)


class RankTable:
    """The sequences of a level, longest first; of equal ones that which comes first.

    Attributes:
        items: (number of the sequence, its length).
        above: the levels that lie above.
        level: which level it is.
        offsets: where the sequences begin and end.
        counts: for every step the number of sequences that have it.
    """

    def __init__(self, offsets: list[int], above: Levels, level: int) -> None:
        lengths = lengths_of(offsets)
        self.items = sorted(enumerate(lengths), key=lambda item: -item[1])
        self.above, self.level = above, level
        steps = self.items[0][1] if self.items else 0
        ends = [0] * (steps + 1)
        for n in lengths:
            ends[n] += 1
        left, self.counts = len(lengths) - ends[0], []
        for step in range(1, steps + 1):
            self.counts.append(left)
            left -= ends[step]
        self.offsets = offsets
        self._kept: dict[tuple[str, Any], torch.Tensor] = {}

    @property
    def steps(self) -> int:
        """The length of the longest sequence."""
        return len(self.counts)

    def running(self, step: int) -> int:
        """How many sequences have a step of this number; they are the first ones."""
        return self.counts[step] if 0 <= step < len(self.counts) else 0

    def by_step(self, like: torch.Tensor) -> torch.Tensor:
        """For every step the rows of all sequences that have it, as an index into the rows."""
        return self._index("by step", like, self._by_step)

    def by_sequence(self, like: torch.Tensor) -> torch.Tensor:
        """The index that undoes :meth:`by_step`."""
        return self._index("by sequence", like, self._by_sequence)

    def _by_step(self) -> torch.Tensor:
        starts = torch.tensor([self.offsets[number] for number, _ in self.items])
        parts = [starts[:count] + step for step, count in enumerate(self.counts)]
        return torch.cat(parts) if parts else starts[:0]

    def _by_sequence(self) -> torch.Tensor:
        order = self._by_step() - self.offsets[0]
        back = torch.empty_like(order)
        back[order] = torch.arange(order.numel())
        return back

    def _index(self, kind: str, like: torch.Tensor, make: Callable) -> torch.Tensor:
        key = (kind, like.device)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = make().to(like.device)
        return found


@functools.lru_cache(maxsize=64)
def _table(offsets: tuple[int, ...], above: tuple[tuple[int, ...], ...], level: int) -> RankTable:
    """One table for equal levels, which keeps its indices."""
    return RankTable(list(offsets), [list(each) for each in above], level)


def rank_table(x: torch.Tensor, level: int) -> RankTable:
    """Sorts the sequences of a level by their length."""
    levels = levels_of("lod_rank_table", "X", x)
    if not 0 <= level < len(levels):
        raise OutOfRangeError(
            f"lod_rank_table: expected a level from 0 to {len(levels) - 1}, but received {level}."
        )
    return _table(tuple(levels[level]), tuple(map(tuple, levels[:level])), level)


def max_length(table: RankTable) -> torch.Tensor:
    """The length of the longest sequence."""
    return torch.tensor([table.steps], dtype=torch.int64)


def _rows(x: torch.Tensor, parts: list[tuple[int, int]], below: Levels) -> torch.Tensor:
    """Sequences from a to b of what lies at a level: rows, or sequences of the levels below."""
    levels: Levels = []
    for offsets in below:
        levels.append(offsets_of(n for a, b in parts for n in lengths_of(offsets[a : b + 1])))
        parts = [(offsets[a], offsets[b]) for a, b in parts]
    out = x[positions([n for a, b in parts for n in range(a, b)], x)]
    return marked(out, levels) if levels else out


def to_array(x: torch.Tensor, table: RankTable) -> list[torch.Tensor]:
    """For every step the rows (or sequences) of all sequences that have one, longest first."""
    if not levels_on(x) and x.shape[:1] == (table.offsets[-1],):
        levels = [*table.above, table.offsets]  # a gradient that came without
    else:
        levels = levels_of("lod_tensor_to_array", "X", x)
    if table.level >= len(levels):
        raise InvalidArgumentError(
            f"lod_tensor_to_array: expected X with more than {table.level} levels, as what the "
            f"table was made of has, but it has {len(levels)}."
        )
    starts, below = levels[table.level], levels[table.level + 1 :]
    if not below and starts == table.offsets:
        return list(torch.split(x.index_select(0, table.by_step(x)), table.counts))
    made = []
    for step in range(table.steps):
        numbers = [number for number, _ in table.items[: table.running(step)]]
        parts = [(starts[i] + step, starts[i] + step + 1) for i in numbers]
        made.append(_rows(x, parts, below))
    return made


def _units(part: torch.Tensor) -> list[int]:
    """The rows of each sequence of a step: one, unless it has sequences below."""
    levels = levels_on(part)
    return lengths_of(levels[0]) if levels else [1] * part.shape[0]


def from_array(array: list, table: RankTable) -> torch.Tensor:
    """The sequences again, in their order, from the rows of every step."""
    given = [part for part in array if part is not None]
    if len(given) < table.steps or not given:
        raise InvalidArgumentError(
            f"array_to_lod_tensor: expected an array of {table.steps} steps, but it has "
            f"{len(given)}."
        )
    given = given[: max(table.steps, 1)]
    below = levels_on(given[0])
    if not below:
        _check_steps(given, table)
        out = torch.cat(given).index_select(0, table.by_sequence(given[0]))
        return marked(out, [*table.above, list(table.offsets)])
    units = [_units(part) for part in given]
    bases = offsets_of(part.shape[0] for part in given)
    rank = {number: at for at, (number, _) in enumerate(table.items)}
    lengths = dict(table.items)
    parts, ends, inner = [], [0], [0]
    for number in range(len(table.items)):
        for step in range(lengths[number]):
            at, counts = rank[number], units[step]
            first = bases[step] + sum(counts[:at])
            parts.append((first, first + counts[at]))
            inner.append(inner[-1] + counts[at])
        ends.append(len(parts))
    out = torch.cat(given)[positions([n for a, b in parts for n in range(a, b)], given[0])]
    return marked(out, [*table.above, ends, inner])


def _check_steps(given: list, table: RankTable) -> None:
    """Refuses steps that do not have a row for each sequence that is not over."""
    rows = [part.shape[0] for part in given]
    if rows != table.counts and table.steps:
        raise InvalidArgumentError(
            f"array_to_lod_tensor: expected steps of {table.counts[:9]} rows, as many as there are "
            f"sequences that long, but they have {rows[:9]}."
        )


def shrunk(x: torch.Tensor, table: RankTable, index: torch.Tensor) -> torch.Tensor:
    """The first rows (or sequences), as many as there are sequences that have this step."""
    count = table.running(position(index))
    levels = levels_on(x)
    if not levels:
        return x[:count]
    kept = []
    for offsets in levels:
        kept.append(offsets[: count + 1])
        count = kept[-1][-1]
    return marked(x[:count], kept)


def reordered(x: torch.Tensor, table: RankTable) -> torch.Tensor:
    """The rows of x, or its sequences if it has levels, in the order of the table."""
    levels = levels_on(x) or []
    count = len(levels[0]) - 1 if levels else x.shape[0]
    if count != len(table.items):
        raise InvalidArgumentError(
            f"reorder_lod_tensor_by_rank: expected a row or sequence of X for each of the "
            f"{len(table.items)} sequences of the table, but it has {count}."
        )
    if not levels:
        return x[positions([number for number, _ in table.items], x)]
    return sequences_at(x, [number for number, _ in table.items])


def sequences_at(x: torch.Tensor, numbers: list[int]) -> torch.Tensor:
    """Some sequences of the outermost level of x, in a given order."""
    levels = levels_on(x) or []
    starts = levels[0]
    parts = [(starts[i], starts[i + 1]) for i in numbers]
    out = _rows(x, parts, levels[1:])
    ends = offsets_of(b - a for a, b in parts)
    return marked(out, [ends, *(levels_on(out) or [])])


def grown(x: torch.Tensor, d_out: torch.Tensor) -> torch.Tensor:
    """The gradient of :func:`shrunk`: zeros for the rows that were left out."""
    missing = x.shape[0] - d_out.shape[0]
    if missing:
        d_out = torch.cat([d_out, d_out.new_zeros([missing, *d_out.shape[1:]])])
    levels = levels_on(x)
    return marked(d_out, levels) if levels else d_out


def ordered_back(table: RankTable, d_out: torch.Tensor) -> torch.Tensor:
    """The gradient of :func:`reordered`: the rows or sequences in their first order."""
    back = [0] * len(table.items)
    for at, (number, _) in enumerate(table.items):
        back[number] = at
    if not levels_on(d_out):
        return d_out[positions(back, d_out)]
    return sequences_at(d_out, back)


# -- beams ----------------------------------------------------------------------------------------


class _Sentence:
    """A beam while it is walked back: its words from the last one to the first."""

    __slots__ = ("row", "scores", "words")

    def __init__(self, row: int, word: int, score: float) -> None:
        self.row, self.words, self.scores = row, [word], [score]


def _owner(offsets: list[int], row: int) -> int:
    """The number of the sequence that a row is in."""
    return next(i for i, (a, b) in enumerate(pairwise(offsets)) if a <= row < b)


def _walk_back(steps: list[tuple[Levels, list, list]], source: int, end: int) -> list[_Sentence]:
    """All beams of a source, from the last step in which it had any."""
    sentences: list[_Sentence] = []
    for levels, ids, scores in reversed(steps):
        prefixes, rows = levels[0], levels[1]
        if not sentences:
            first, last = rows[prefixes[source]], rows[prefixes[source + 1]]
            sentences = [_Sentence(row, ids[row], scores[row]) for row in range(first, last)]
        else:
            for sentence in sentences:
                if ids[sentence.row] != end:  # of several ends the last one is enough
                    sentence.words.append(ids[sentence.row])
                    sentence.scores.append(scores[sentence.row])
        for sentence in sentences:
            sentence.row = _owner(rows, sentence.row)
    return sorted(sentences, key=lambda s: -s.scores[0])


def decoded(ids: list, scores: list, beam_size: int, end: int) -> tuple:
    """The sentences of all beams of every source, best first, and the scores of their words.

    Args:
        ids: for every step the words that were chosen, in levels of sources and prefixes.
        scores: their scores.
        beam_size (int): the beams of a source.
        end (int): the word that ends a sentence.
    """
    steps = []
    for at, (words, values) in enumerate(zip(ids, scores, strict=False)):
        levels = levels_of("beam_search_decode", f"Ids[{at}]", words, 2)
        steps.append((levels, words.reshape(-1).tolist(), values.reshape(-1).tolist()))
    if not steps:
        raise InvalidArgumentError("beam_search_decode: expected arrays with steps, but got none.")
    found = [_walk_back(steps, i, end) for i in range(len(steps[0][0][0]) - 1)]
    flat = [sentence for sentences in found for sentence in sentences]
    levels = [offsets_of(map(len, found)), offsets_of(len(s.words) for s in flat)]
    made = []
    for kind, part in ((ids[0], "words"), (scores[0], "scores")):
        values = [v for sentence in flat for v in reversed(getattr(sentence, part))]
        out = torch.tensor(values, dtype=kind.dtype, device=kind.device)
        made.append(marked(out, [list(level) for level in levels]))
    return tuple(made)


# -- emitters -------------------------------------------------------------------------------------


def _emit(name: str, function: Callable, slots: tuple[str, ...], *attrs: str) -> None:
    """An operator that is one call: of the variables of some slots, and of attributes."""

    @emitter(name)
    def write(em: Emitter, op: Operator) -> None:
        args: list[Any] = [em.read(op.inputs[slot][0]) for slot in slots]
        args += [em.literal(op.attr(a) or 0, a) for a in attrs]
        targets = [em.write(n) for names in _ordered(op) for n in names]
        called = f"{em.constant(function, name)}({', '.join(args)})"
        em.line(f"{', '.join(targets)} = {called}")


def _ordered(op: Operator) -> list[list[str]]:
    """The outputs in the order of the operator's slots."""
    known = op.declared
    assert known is not None
    return [op.outputs.get(slot.name, []) for slot in known.outputs]


_emit("lod_rank_table", rank_table, ("X",), "level")
_emit("max_sequence_len", max_length, ("RankTable",))
_emit("lod_tensor_to_array", to_array, ("X", "RankTable"))
_emit("array_to_lod_tensor", from_array, ("X", "RankTable"))
_emit("shrink_rnn_memory", shrunk, ("X", "RankTable", "I"))
_emit("reorder_lod_tensor_by_rank", reordered, ("X", "RankTable"))
_emit("shrink_rnn_memory_grad", grown, ("X", "Out@GRAD"))
_emit("reorder_lod_tensor_by_rank_grad", ordered_back, ("RankTable", "Out@GRAD"))
_emit("beam_search_decode", decoded, ("Ids", "Scores"), "beam_size", "end_id")
