"""Blocks of many parts in their order, read here or by processes, and batches of them."""

from __future__ import annotations

import itertools
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from paddle.distributed.dataset.files import Part, Source, total
from paddle.distributed.dataset.records import Block, Column, Table, join
from paddle.io import IterableDataset, get_worker_info
from paddle.io.dataloader import worker
from paddle.io.dataloader.fetch import Recipe
from paddle.io.dataloader.pool import WorkerPool

_SMALL = 1 << 20  # bytes that are read here: a process would take longer to start
_AHEAD = 2  # blocks that a process makes before they are asked for
_AHEAD_PIPED = 16  # the same where a command makes the text: it is slow, and several shall run


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def blocks(source: Source, processes: int | None = None) -> Iterator[Block]:
    """The blocks of all parts, in order; how many processes read makes no difference.

    The processes begin with this call, in the caller's thread.

    Args:
        source (Source): what to read.
        processes (int|None): how many read; 0: this one; None: as many as there are processors,
            or none for little text.
    """
    count = _processes(source, processes)
    if not count:
        return itertools.chain.from_iterable(map(source.blocks, source.parts))
    return _from_pool(_pool(source, count), source.parts, count)


def gathered(source: Source) -> list[Block]:
    """The same as a list; the processes need not wait for one another.

    Args:
        source (Source): what to read.
    """
    count = _processes(source, None)
    if not count:
        return list(blocks(source, 0))
    found: list[list[Block]] = [[] for _ in source.parts]
    with _running(_pool(source, count), source.parts, count) as readers:
        waiting = [reader.parts(range(i, len(found), count)) for i, reader in enumerate(readers)]
        while waiting:
            for stream in list(waiting):
                try:
                    part, block = next(stream)
                except StopIteration:
                    waiting.remove(stream)
                else:
                    # What the processes share is few blocks, and they go round.
                    columns = [Column(c.values.copy(), c.counts) for c in block.columns]
                    found[part].append(Block(block.size, columns, block.skipped, ids=block.ids))
                    del block
    return list(itertools.chain.from_iterable(found))


def _processes(source: Source, wanted: int | None) -> int:
    if wanted is None:
        wanted = cores() if total(source.parts) > _SMALL else 0
    return min(wanted, len(source.parts))


def _pool(source: Source, processes: int) -> WorkerPool:
    return WorkerPool(Recipe(_Parts(source), _as_it_is, True, None, False), processes, True, None)


@contextmanager
def _running(pool: WorkerPool, parts: list[Part], processes: int) -> Iterator[list[_Reader]]:
    ahead = _AHEAD_PIPED if any(part.command for part in parts) else _AHEAD
    grace = 0.3
    try:
        pool.begin(None)
        yield [_Reader(pool, i, ahead) for i in range(processes)]
        grace = 3.0
    finally:
        pool.shutdown(grace)


def _from_pool(pool: WorkerPool, parts: list[Part], processes: int) -> Iterator[Block]:
    with _running(pool, parts, processes) as readers:
        for i in range(len(parts)):
            yield from readers[i % processes].part()


class _Parts(IterableDataset):
    """In worker i of n: every n-th part from number i on, block by block."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def __iter__(self) -> Iterator[Any]:
        # A worker that is ended takes the command with it that it is reading from.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        info: Any = get_worker_info()
        for part in self._source.parts[info.id :: info.num_workers]:
            for block in self._source.blocks(part):
                arrays = [(c.values, c.counts) for c in block.columns]
                yield block.size, arrays, block.skipped, block.last, block.ids


def _as_it_is(sample: Any) -> Any:
    return sample


class _Reader:
    """One process of the pool; it begins at once, and its blocks wait until they are due."""

    def __init__(self, pool: WorkerPool, number: int, ahead: int) -> None:
        self._pool, self._number = pool, number
        for _ in range(ahead):
            pool.ask(number)

    def parts(self, numbers: Iterable[int]) -> Iterator[tuple[int, Block]]:
        """The blocks of all its parts, each with the number of its part."""
        for number in numbers:
            for block in self.part():
                yield number, block

    def part(self) -> Iterator[Block]:
        """The blocks of its next part."""
        while True:
            kind, content = self._pool.reply(self._number)
            if kind == worker.FAILED:
                raise content.exception()
            self._pool.ask(self._number)
            size, arrays, skipped, last, ids = content
            yield Block(size, [Column(v, c) for v, c in arrays], skipped, last, ids)
            del content, arrays
            self._pool.give_back(self._number)
            if last:
                return


def batches(
    found: Iterator[Block], source: Source, size: int, told: Callable[[list[str]], None]
) -> Iterator[dict[str, Any]]:
    """What each batch feeds; batches run on from block to block, and the last may be short.

    Args:
        found (iterator): of Blocks.
        source (Source): what they come from.
        size (int): records of a batch.
        told (callable): gets what was wrong with records that were skipped.
    """
    slots = [slot for slot in source.slots if slot.used]
    rest: list[Block] = []
    for block in found:
        if block.skipped:
            told(block.skipped)
        if not block.size:
            continue
        table, at = Table(block, slots), 0
        if rest:
            at = min(size - sum(b.size for b in rest), block.size)
            rest.append(table.part(0, at))
            if sum(b.size for b in rest) < size:
                continue
            yield Table(join(rest, slots), slots).feed(0, size)
        end = table.size - (table.size - at) % size
        for first in range(at, end, size):
            yield table.feed(first, first + size)
        rest = [table.part(end, table.size)] if end < table.size else []
    if rest:
        table = Table(join(rest, slots), slots)
        yield table.feed(0, table.size)
