"""Sentences of the Penn Treebank, in the tar archive of Mikolov's examples (simple-examples)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any

from paddle.dataset.parsers.archives import tar_members
from paddle.dataset.parsers.vocabulary import UNKNOWN, frequent_first

__all__: list[str] = []

URL = "https://dataset.bj.bcebos.com/imikolov%2Fsimple-examples.tgz"
MD5 = "30177ea32e27c525793142b6bf2c8e2d"
FOLDER = "imikolov"

START, END = "<s>", "<e>"
TRAIN, VALID, TEST = (f"simple-examples/data/ptb.{part}.txt" for part in ("train", "valid", "test"))
MIN_WORD_FREQ = 50


def sentences(path: str, name: str) -> list[bytes]:
    """The lines of a file in the archive.

    Raises:
        ValueError: the archive is damaged or lacks the file.
    """
    name = name.removeprefix("./")
    lines = tar_members(path, [name])[name].split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


def counted(lines: Iterable[Any], counts: MutableMapping[Any, int]) -> None:
    """Adds the words of lines, and a start and an end for each line, to counts."""
    if not isinstance(counts, MutableMapping):
        raise TypeError(
            f"word_count(word_freq): expected a dict or None, but received {type(counts).__name__}."
        )
    number = 0
    words: Counter[Any] = Counter()
    for number, line in enumerate(lines, 1):
        if not isinstance(line, (str, bytes)):
            raise TypeError(
                f"word_count(f): expected lines, each a str or bytes, but line {number} is of type "
                f"{type(line).__name__}."
            )
        words.update(line.split())
    for word, times in (*words.items(), (START, number), (END, number)):
        if times:
            counts[word] = counts.get(word, 0) + times


def dictionary(path: str, min_word_freq: int) -> dict[Any, int]:
    """Numbers the words that occur more than ``min_word_freq`` times, frequent ones first.

    The words of the files are bytes, the three marks are texts; the mark for unknown words comes
    last.
    """
    counts: dict[Any, int] = {}
    for name in (TRAIN, VALID):
        counted(sentences(path, name), counts)
    return frequent_first(counts.items(), min_word_freq)


def ngrams(lines: Iterable[bytes], numbers: dict[Any, int], size: int) -> Iterator[tuple]:
    """Yields the numbers of ``size`` words in a row, in each sentence with its start and end."""
    start, end, unknown = _marks(numbers)
    for line in lines:
        found = [start, *(numbers.get(word, unknown) for word in line.split()), end]
        for last in range(size, len(found) + 1):
            yield tuple(found[last - size : last])


def sequences(
    lines: Iterable[bytes], numbers: dict[Any, int], longest: int
) -> Iterator[tuple[list[int], list[int]]]:
    """Yields sentences from their start on, and up to their end: what is read, what follows.

    Args:
        lines (Iterable): the sentences.
        numbers (dict): word -> number.
        longest (int): sentences of so many words with their start are left out; 0: none is.
    """
    start, end, unknown = _marks(numbers)
    for line in lines:
        found = [numbers.get(word, unknown) for word in line.split()]
        if longest <= 0 or len(found) < longest:
            yield [start, *found], [*found, end]


def _marks(numbers: dict[Any, int]) -> tuple[int, int, int]:
    """Numbers of start, end and unknown words; a dictionary of frequent words may lack the two."""
    unknown = numbers[UNKNOWN]
    return numbers.get(START, unknown), numbers.get(END, unknown), unknown
