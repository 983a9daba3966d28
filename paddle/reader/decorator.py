"""Functions that make readers from readers: chained, zipped, shuffled, prefetched."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.guards import guard_module
from paddle.reader.prefetch import (
    buffered,
    check_count,
    check_readers,
    multiprocess_reader,
    xmap_readers,
)

__all__ = [
    "ComposeNotAligned", "buffered", "cache", "chain", "compose", "firstn", "map_readers",
    "multiprocess_reader", "shuffle", "xmap_readers",
]  # fmt: skip

Reader = Callable[[], Any]


class ComposeNotAligned(ValueError):
    """Raised by :func:`compose` when one reader ends before another.

    Examples:
        .. code-block:: python

            import paddle
            short, long = (lambda: iter([1])), (lambda: iter([1, 2]))
            try:
                list(paddle.reader.compose(short, long)())
            except paddle.reader.ComposeNotAligned as error:
                print(error)
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)


def cache(reader: Reader) -> Reader:
    """Keeps all samples in memory when they are first read, and repeats them from there.

    Args:
        reader (Callable): the reader; it is run once.

    Returns:
        Callable: a reader of the same samples.

    Examples:
        .. code-block:: python

            import paddle
            cached = paddle.reader.cache(lambda: iter(range(3)))
            print(list(cached()), list(cached()))  # [0, 1, 2] [0, 1, 2]
    """
    check_readers("cache", reader)
    kept: list[Any] | None = None

    def read() -> Iterator[Any]:
        nonlocal kept
        if kept is None:
            kept = list(reader())
        yield from kept

    return read


def map_readers(func: Callable[..., Any], *readers: Reader) -> Reader:
    """Calls a function with one sample of each reader at a time.

    Args:
        func (Callable): takes as many arguments as there are readers.
        *readers (Callable): readers; the shortest ends all.

    Returns:
        Callable: a reader of the function's results.

    Examples:
        .. code-block:: python

            import paddle
            a, b = (lambda: iter([1, 2])), (lambda: iter([10, 20]))
            print(list(paddle.reader.map_readers(lambda x, y: x + y, a, b)()))  # [11, 22]
    """
    check_readers("map_readers", *readers)

    def read() -> Iterator[Any]:
        yield from map(func, *(reader() for reader in readers))

    return read


def shuffle(reader: Reader, buf_size: int) -> Reader:
    """Yields samples in random order within blocks of ``buf_size``, by Python's ``random``.

    Args:
        reader (Callable): the reader.
        buf_size (int): how many samples are read and shuffled at a time.

    Returns:
        Callable: a reader of the same samples.

    Examples:
        .. code-block:: python

            import paddle
            mixed = paddle.reader.shuffle(lambda: iter(range(4)), buf_size=4)
            print(sorted(mixed()))  # [0, 1, 2, 3]
    """
    check_readers("shuffle", reader)
    check_count("shuffle", "buf_size", buf_size)

    def read() -> Iterator[Any]:
        samples = iter(reader())
        while block := list(itertools.islice(samples, buf_size)):
            random.shuffle(block)
            yield from block

    return read


def chain(*readers: Reader) -> Reader:
    """Reads one reader after the other.

    Args:
        *readers (Callable): readers.

    Returns:
        Callable: a reader of all their samples.

    Examples:
        .. code-block:: python

            import paddle
            a, b = (lambda: iter([1, 2])), (lambda: iter([3]))
            print(list(paddle.reader.chain(a, b)()))  # [1, 2, 3]
    """
    check_readers("chain", *readers)

    def read() -> Iterator[Any]:
        yield from itertools.chain.from_iterable(reader() for reader in readers)

    return read


def compose(*readers: Reader, **kwargs: Any) -> Reader:
    """Puts the samples of several readers side by side in one tuple.

    Args:
        *readers (Callable): readers; a tuple that one yields is spread, other samples are not.
        check_alignment (bool, optional): whether readers of different length are an error.
            Default: True; False ends with the shortest.

    Returns:
        Callable: a reader of tuples.

    Raises:
        ComposeNotAligned: one reader ends before another; raised while reading.

    Examples:
        .. code-block:: python

            import paddle
            a, b = (lambda: iter([1, 2])), (lambda: iter([(3, 4), (5, 6)]))
            print(list(paddle.reader.compose(a, b)()))  # [(1, 3, 4), (2, 5, 6)]
    """
    check_readers("compose", *readers)
    check_alignment = kwargs.pop("check_alignment", True)
    if kwargs:
        raise TypeError(f"compose: takes only check_alignment by name, but received {[*kwargs]}.")
    ended = object()

    def spread(sample: Any) -> tuple[Any, ...]:
        return sample if isinstance(sample, tuple) else (sample,)

    def read() -> Iterator[tuple[Any, ...]]:
        sources = [reader() for reader in readers]
        if not check_alignment:
            for samples in zip(*sources):
                yield tuple(itertools.chain.from_iterable(map(spread, samples)))
            return
        for number, samples in enumerate(itertools.zip_longest(*sources, fillvalue=ended)):
            short = [i for i, sample in enumerate(samples) if sample is ended]
            if short:
                raise ComposeNotAligned(
                    f"compose: expected readers of equal length, but reader {short[0]} of "
                    f"{len(readers)} ended after {number} samples and another did not."
                )
            yield tuple(itertools.chain.from_iterable(map(spread, samples)))

    return read


def firstn(reader: Reader, n: int) -> Reader:
    """Stops after ``n`` samples.

    Args:
        reader (Callable): the reader.
        n (int): how many samples to yield at most.

    Returns:
        Callable: a reader of the first samples.

    Examples:
        .. code-block:: python

            import paddle
            print(list(paddle.reader.firstn(lambda: iter(range(100)), 3)()))  # [0, 1, 2]
    """
    check_readers("firstn", reader)
    check_count("firstn", "n", n, least=0)

    def read() -> Iterator[Any]:
        yield from itertools.islice(reader(), n)

    return read


guard_module(globals())
