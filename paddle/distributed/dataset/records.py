"""Records of slots: from text to columns of values, all records of a block at once."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.distributed.dataset.tokens import Words

FLOAT, INTEGER = "float", "uint64"
IDS = "ins_id", "content"


@dataclass(frozen=True)
class Slot:
    """What a description says of a slot.

    Attributes:
        name (str): of the variable it feeds.
        kind (str): "uint64" for int64 variables, or "float".
        dense (bool): every record has as many values as ``shape`` says; else a sequence.
        used (bool): others are read over.
        shape (tuple): of the variable, -1 for the batch; of dense slots.
        whole (bool): a line is a batch: it has the values of any number of records.
    """

    name: str
    kind: str = INTEGER
    dense: bool = False
    used: bool = False
    shape: tuple[int, ...] = ()
    whole: bool = False

    @functools.cached_property
    def open_shape(self) -> tuple[int, ...]:
        """The shape of any number of records."""
        return tuple(n if n > 0 else -1 for n in self.shape)

    @property
    def width(self) -> int:
        """How many values a record has; 0: any number."""
        if not self.dense or not self.shape:
            return 0
        return int(np.prod([n for n in self.shape if n > 0], dtype=np.int64))


@dataclass
class Column:
    """The values of one slot, record after record.

    Attributes:
        values (np.ndarray): int64 or float32.
        counts (np.ndarray|int): how many each record has, or all have.
    """

    values: np.ndarray
    counts: Any

    def each(self, records: int) -> np.ndarray:
        """How many values each record has."""
        if isinstance(self.counts, int):
            return np.full(records, self.counts, np.int64)
        return self.counts


@dataclass
class Block:
    """Records in columns.

    Attributes:
        size (int): how many records.
        columns (list): one for each used slot.
        skipped (list): what was wrong with records that were left out.
        last (bool): its part of the files has no more blocks.
        ids (list): names of the records, where the lines begin with some.
    """

    size: int
    columns: list[Column]
    skipped: list[str] = field(default_factory=list)
    last: bool = False
    ids: list[str] = field(default_factory=list)


@dataclass
class Problem:
    """What is wrong with a line.

    Attributes:
        line (int): its number within the text, from 0.
        slot (int): number of the slot; -1: none.
        text (str): what was expected and what was found.
    """

    line: int
    slot: int
    text: str


def parse(text: bytes, slots: list[Slot], named: tuple[str, ...] = ()) -> tuple[Block, list]:
    """Reads records from whole lines.

    Args:
        text (bytes): lines.
        slots (list[Slot]): what a line has, in this order.
        named (tuple): of ``IDS``, what stands in front of the slots.

    Returns:
        tuple: the Block of good records, and a Problem for each other line.
    """
    words = Words(text)
    value, good = words.integers()
    walk = _Walk(words, value, good)
    ids = walk.names(len(named))
    spans = [walk.slot(i, slot) for i, slot in enumerate(slots)]
    walk.finish(len(slots))
    columns = []
    for i, (slot, (first, count)) in enumerate(zip(slots, spans, strict=True)):
        if slot.used:
            columns.append(walk.column(i, slot, first, count))
    if walk.problems:
        keep = ~walk.bad
        columns = [_kept(column, keep) for column in columns]
        ids = [name for name, kept in zip(ids, keep.tolist(), strict=True) if kept] if ids else ids
    size = len(walk.bad) - int(walk.bad.sum())
    problems = [walk.problems[i] for i in sorted(walk.problems)]
    return Block(size, [_narrow(c) for c in columns], ids=ids), problems


def _kept(column: Column, keep: np.ndarray) -> Column:
    counts = column.counts
    return Column(column.values[np.repeat(keep, counts)], counts[keep])


def _narrow(column: Column) -> Column:
    """One number in place of many equal ones."""
    counts = column.counts
    if len(counts) and (counts == counts[0]).all():
        return Column(column.values, int(counts[0]))
    return column


class _Walk:
    """Steps through the slots of all lines at once.

    Attributes:
        bad (np.ndarray): lines that are left out.
        problems (dict): line -> the first thing that is wrong with it.
    """

    def __init__(self, words: Words, value: np.ndarray, good: np.ndarray) -> None:
        self.words, self.value, self.good = words, value, good
        self.at, self.end = words.lines[:-1].copy(), words.lines[1:]
        self.bad = np.zeros(len(self.at), bool)
        self.problems: dict[int, Problem] = {}

    def _fail(self, lines: np.ndarray, slot: int, tell: Any) -> None:
        for line in np.flatnonzero(lines & ~self.bad).tolist():
            self.problems[line] = Problem(line, slot, tell(line))
        self.bad |= lines

    def names(self, several: int) -> list[str]:
        """Words in front, each after a 1; the first of them names the record."""
        found: list[str] = []
        for i in range(several):
            missing = self.at + 2 > self.end
            text = f"expected 1 and the record's {IDS[i]} in front"
            self._fail(missing, -1, lambda _, text=text: text)
            at = np.where(self.bad, -1, self.at + 1)
            if not i:
                found = ["" if k < 0 else self.words.word(k) for k in at.tolist()]
            self.at += 2
        return found

    def slot(self, number: int, slot: Slot) -> tuple[np.ndarray, np.ndarray]:
        """Where the values of a slot begin in each line, and how many there are."""
        if not len(self.words):
            missing = np.ones_like(self.bad)
            self._fail(missing, number, lambda _: "the line ends before it")
            return self.at, np.zeros_like(self.at)
        at = self.at
        missing = at >= self.end
        at = np.minimum(at, len(self.words) - 1)
        count = self.value[at]
        wrong = missing | ~self.good[at] | (count < 1) | (count > self.end - at - 1)
        width = slot.width if slot.used else 0
        if width:
            wrong |= (count % width != 0) if slot.whole else (count != width)
        if wrong.any():
            self._fail(wrong, number, lambda i: self._wrong_count(i, slot, missing[i]))
            count = np.where(self.bad, 0, count)
            self.at = np.where(self.bad, self.end, at)
            first = self.at + 1
            self.at = self.at + 1 + count
            return first, count
        self.at = at + 1 + count
        return at + 1, count

    def _wrong_count(self, line: int, slot: Slot, missing: bool) -> str:
        if missing:
            return "the line ends before it"
        at = int(self.at[line])
        word = self.words.word(at)
        if not self.good[at]:
            return f"expected how many values it has, but received {word!r}"
        count, left = int(self.value[at]), int(self.end[line]) - at - 1
        if count < 1:
            return f"expected at least one value, but the line says {word}"
        times = "a multiple of " if slot.whole else ""
        if slot.used and slot.width and (count % slot.width if times else count != slot.width):
            return (
                f"expected {times}{slot.width} values, as its shape {list(slot.shape)} says, "
                f"but the line says {count}"
            )
        return f"expected {count} values, as the line says, but only {left} words follow"

    def finish(self, slots: int) -> None:
        """Refuses words behind the last slot."""
        surplus = self.at < self.end
        self._fail(surplus, -1, lambda i: self._surplus(i, slots))

    def _surplus(self, line: int, slots: int) -> str:
        at, end = int(self.at[line]), int(self.end[line])
        return (
            f"expected {slots} slots, but {end - at} words are left over behind them, from "
            f"{self.words.word(at)!r} on"
        )

    def column(self, number: int, slot: Slot, first: np.ndarray, count: np.ndarray) -> Column:
        """The values of a slot."""
        lines = None
        if len(count) and (count == count[0]).all():
            width = int(count[0])
            at = first if width == 1 else (first[:, None] + np.arange(width)).ravel()
        else:
            total = np.cumsum(count)
            at = np.repeat(first - (total - count), count) + np.arange(total[-1])
        if slot.kind == FLOAT:
            found, fine = self.words.floats(at)
            values = found.astype(np.float32)
        else:
            values, fine = self.value[at], self.good[at]
        if not fine.all():
            lines = np.repeat(np.arange(len(count)), count)
            wrong = np.zeros_like(self.bad)
            wrong[lines[~fine]] = True
            what = "numbers" if slot.kind == FLOAT else "integers of 64 bits"
            firsts = {int(lines[k]): int(at[k]) for k in np.flatnonzero(~fine).tolist()[::-1]}
            self._fail(
                wrong, number,
                lambda i: f"expected {what}, but received {self.words.word(firsts[i])!r}",
            )  # fmt: skip
        return Column(values, count)


def join(blocks: list[Block], slots: list[Slot]) -> Block:
    """One Block of several.

    Args:
        blocks (list[Block]): their records follow each other.
        slots (list[Slot]): the used slots.
    """
    if len(blocks) == 1:
        return blocks[0]
    columns = []
    for i, slot in enumerate(slots):
        parts = [b.columns[i] for b in blocks if b.size]
        dtype = np.float32 if slot.kind == FLOAT else np.int64
        values = np.concatenate([p.values for p in parts] or [np.empty(0, dtype)])
        counts: Any = {p.counts for p in parts if isinstance(p.counts, int)}
        if len(counts) == 1 and all(isinstance(p.counts, int) for p in parts):
            columns.append(Column(values, counts.pop()))
            continue
        each = [b.columns[i].each(b.size) for b in blocks if b.size]
        columns.append(Column(values, np.concatenate(each or [np.empty(0, np.int64)])))
    ids = [name for b in blocks for name in b.ids]
    return Block(sum(b.size for b in blocks), columns, ids=ids)


class Table:
    """Records in memory, to be cut into batches or put into another order.

    Args:
        block (Block): the records.
        slots (list[Slot]): the used slots.
    """

    def __init__(self, block: Block, slots: list[Slot]) -> None:
        self.slots, self.size, self.ids = slots, block.size, block.ids
        self.columns = block.columns
        various = [c.counts for c in block.columns if not isinstance(c.counts, int)]
        # The offsets of all these columns, a row for each.
        self._offsets = np.zeros((len(various), block.size + 1), np.int64)
        if various:
            np.cumsum(np.stack(various), 1, out=self._offsets[:, 1:])

    def feed(self, first: int, last: int) -> dict[str, Any]:
        """What a batch feeds.

        Args:
            first (int): its first record.
            last (int): the one behind its last.

        Returns:
            dict: slot -> an array, or an array and its offsets where records have sequences.
        """
        part = self._offsets[:, first : last + 1]
        offsets = iter((part - part[:, :1]).tolist())
        fed: dict[str, Any] = {}
        for slot, (values, counts) in zip(self.slots, self._slices(first, last), strict=True):
            levels = None if isinstance(counts, int) else next(offsets)
            if slot.dense:
                fed[slot.name] = _shaped(slot, values, last - first)
                continue
            if slot.whole or levels is None:
                levels = _even(len(values), 1 if slot.whole else counts)
            fed[slot.name] = values[:, None], levels
        return fed

    def _slices(self, first: int, last: int) -> Iterator[tuple[np.ndarray, Any]]:
        """Of each column the values of some records, and the counts of all."""
        bounds = iter(self._offsets[:, [first, last]].tolist())
        for column in self.columns:
            values, counts = column.values, column.counts
            if isinstance(counts, int):
                yield values[first * counts : last * counts], counts
            else:
                begin, end = next(bounds)
                yield values[begin:end], counts

    def part(self, first: int, last: int) -> Block:
        """Records that follow each other, on the memory of all."""
        columns = [
            Column(values, counts if isinstance(counts, int) else counts[first:last])
            for values, counts in self._slices(first, last)
        ]
        return Block(last - first, columns, ids=self.ids[first:last])

    def order(self, records: np.ndarray) -> Table:
        """The records of these numbers, in their order."""
        columns = [_taken(c, records, self.size) for c in self.columns]
        ids = [self.ids[i] for i in records.tolist()] if self.ids else []
        return Table(Block(len(records), columns, ids=ids), self.slots)

    def exchange(self, names: list[str], records: np.ndarray) -> Table:
        """The same records, but for some slots, which come from records of other numbers."""
        columns = [
            _taken(c, records, self.size) if s.name in names else c
            for s, c in zip(self.slots, self.columns, strict=True)
        ]
        return Table(Block(self.size, columns, ids=self.ids), self.slots)


@functools.lru_cache(maxsize=64)
def _even(values: int, step: int) -> list[int]:
    """The offsets of sequences of one length; all who ask share the list."""
    return list(range(0, values + 1, step))


def _offsets(column: Column, size: int) -> np.ndarray | None:
    if isinstance(column.counts, int):
        return None
    offsets = np.zeros(size + 1, np.int64)
    np.cumsum(column.counts, out=offsets[1:])
    return offsets


def _taken(column: Column, records: np.ndarray, size: int) -> Column:
    if isinstance(column.counts, int):
        rows = column.values.reshape(size, column.counts)
        return Column(rows[records].ravel(), column.counts)
    offsets = _offsets(column, size)
    assert offsets is not None
    count, first = column.counts[records], offsets[records]
    total = np.cumsum(count)
    at = np.repeat(first - (total - count), count)
    at += np.arange(len(at))
    return Column(column.values[at], count)


def _shaped(slot: Slot, values: np.ndarray, records: int) -> np.ndarray:
    if slot.shape:
        return values.reshape(slot.open_shape)
    if not records or len(values) % records:
        raise InvalidArgumentError(
            f"dense slot {slot.name!r}: expected as many values in each record of a batch, but "
            f"received {len(values)} in {records}."
        )
    return values.reshape(records, -1)
