"""Readers made from readers: order, ends, errors, threads and processes."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import paddle
from paddle import reader as R


def numbers(n: int, start: int = 0) -> Callable[[], Iterator[int]]:
    return lambda: iter(range(start, start + n))


def test_batch() -> None:
    assert list(paddle.batch(numbers(5), 2)()) == [[0, 1], [2, 3], [4]]
    assert list(paddle.batch(numbers(5), 2, drop_last=True)()) == [[0, 1], [2, 3]]
    assert list(paddle.batch(numbers(0), 2)()) == []
    with pytest.raises(ValueError, match="positive integer, but received 0"):
        paddle.batch(numbers(1), 0)
    from paddle.batch import batch

    assert batch is paddle.batch


def test_map_chain_firstn_compose() -> None:
    assert list(R.map_readers(lambda a, b: a * b, numbers(3), numbers(9, 1))()) == [0, 2, 6]
    assert list(R.chain(numbers(2), numbers(2, 5))()) == [0, 1, 5, 6]
    assert list(R.firstn(numbers(9), 2)()) == [0, 1]
    assert list(R.firstn(numbers(1), 2)()) == [0]
    pairs = lambda: iter([(7, 8), (9, 10)])
    assert list(R.compose(numbers(2), pairs, numbers(2, 3))()) == [(0, 7, 8, 3), (1, 9, 10, 4)]


def test_compose_of_unequal_readers() -> None:
    made = R.compose(numbers(2), numbers(3))()
    assert next(made) == (0, 0) and next(made) == (1, 1)
    with pytest.raises(R.ComposeNotAligned, match="reader 0 of 2 ended after 2 samples"):
        next(made)
    assert issubclass(R.ComposeNotAligned, ValueError)
    loose = R.compose(numbers(2), numbers(3), check_alignment=False)
    assert list(loose()) == [(0, 0), (1, 1)]
    with pytest.raises(TypeError, match="takes only check_alignment by name"):
        R.compose(numbers(1), other=1)


def test_shuffle_keeps_to_blocks() -> None:
    random.seed(3)
    mixed = list(R.shuffle(numbers(20), 5)())
    assert [sorted(mixed[i : i + 5]) for i in range(0, 20, 5)] == [
        list(range(i, i + 5)) for i in range(0, 20, 5)
    ]
    assert mixed != sorted(mixed)


def test_cache_reads_once() -> None:
    runs = []

    def counted() -> Iterator[int]:
        runs.append(1)
        yield from range(3)

    cached = R.cache(counted)
    assert list(cached()) == list(cached()) == [0, 1, 2] and len(runs) == 1


def broken() -> Iterator[int]:
    yield 1
    raise KeyError("no more")


def test_buffered() -> None:
    assert list(R.buffered(numbers(50), 3)()) == list(range(50))
    ahead = R.buffered(broken, 2)()
    assert next(ahead) == 1
    with pytest.raises(KeyError, match="no more"):
        next(ahead)


def test_a_buffered_reader_that_is_left_ends_its_thread() -> None:
    before = threading.active_count()
    ahead = R.buffered(numbers(10**6), 2)()
    next(ahead)
    ahead.close()
    for _ in range(100):
        if threading.active_count() <= before:
            break
        time.sleep(0.05)
    assert threading.active_count() <= before


@pytest.mark.parametrize("order", [False, True])
def test_xmap_readers(order: bool) -> None:
    made = list(R.xmap_readers(lambda x: x * x, numbers(40), 3, 8, order)())
    expected = [x * x for x in range(40)]
    assert (made if order else sorted(made)) == expected


def test_errors_in_xmap_readers() -> None:
    def picky(x: int) -> int:
        if x == 2:
            raise KeyError("two")
        return x

    with pytest.raises(KeyError, match="two"):
        list(R.xmap_readers(picky, numbers(5), 2, 2)())
    with pytest.raises(ValueError, match=r"xmap_readers\(process_num\): expected at least 1"):
        R.xmap_readers(picky, numbers(5), 0, 2)


def killed() -> Iterator[int]:
    yield 1
    os._exit(3)


@pytest.mark.parametrize("use_pipe", [True, False])
def test_multiprocess_reader(use_pipe: bool) -> None:
    made = R.multiprocess_reader([numbers(20), numbers(20, 100)], use_pipe)
    got = list(made())
    assert [x for x in got if x < 100] == list(range(20))
    assert [x for x in got if x >= 100] == list(range(100, 120))


@pytest.mark.parametrize("use_pipe", [True, False])
def test_processes_that_fail(use_pipe: bool) -> None:
    with pytest.raises(OSError, match="reader 1 failed: KeyError: 'no more'"):
        list(R.multiprocess_reader([numbers(2), broken], use_pipe)())
    with pytest.raises(OSError, match="reader 0 failed: its process ended with code 3"):
        list(R.multiprocess_reader([killed], use_pipe)())
    with pytest.raises(ValueError, match="expected a list of readers, but received"):
        R.multiprocess_reader([])


def test_a_reader_that_is_left_ends_its_processes() -> None:
    made: Any = R.multiprocess_reader([numbers(10**9)])()
    assert next(made) == 0
    made.close()


WRONG = [
    (lambda: R.shuffle(numbers(2), 0), ValueError, r"shuffle\(buf_size\): expected at least 1"),
    (lambda: R.buffered(numbers(2), 2.5), TypeError, r"buffered\(size\): expected an int"),
    (lambda: R.firstn(numbers(2), -1), ValueError, r"firstn\(n\): expected at least 0"),
    (lambda: R.firstn(None, 1), TypeError, r"firstn\(reader\): expected a function"),
    (lambda: R.chain(numbers(2), [1]), TypeError, r"chain\(reader\): .* received list"),
    (lambda: R.map_readers(print, 3), TypeError, r"map_readers\(reader\): .* received int"),
    (lambda: R.compose(3), TypeError, r"compose\(reader\): .* received int"),
    (lambda: R.cache(iter([])), TypeError, r"cache\(reader\): expected a function"),
    (lambda: R.multiprocess_reader([3]), TypeError, r"multiprocess_reader\(reader\): .* int"),
    (lambda: R.multiprocess_reader([numbers(2)], queue_size=0), ValueError, r"\(queue_size\)"),
]


@pytest.mark.parametrize(("call", "raises", "match"), WRONG)
def test_wrong_arguments_are_told_at_once(call: Any, raises: Any, match: str) -> None:
    with pytest.raises(raises, match=match):
        call()


def test_the_first_none() -> None:
    assert list(R.firstn(numbers(2), 0)()) == []
