"""What the sets of translations share: dictionaries with three marks, numbered pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from paddle.core.errors import InvalidArgumentError
from paddle.dataset.parsers.vocabulary import UNKNOWN
from paddle.reader.prefetch import check_count

__all__: list[str] = []

START, END, _ = MARKS = ("<s>", "<e>", UNKNOWN)
UNK_IDX = MARKS.index(UNKNOWN)


class Pair(NamedTuple):
    """Numbers of a sentence and of its translation, the latter from its start and to its end."""

    source: list[int]
    target: list[int]
    target_next: list[int]


def check_size(api: str, argument: str, value: int) -> None:
    """Refuses a dictionary that cannot hold the marks."""
    check_count(api, argument, value, len(MARKS))


def pairs(
    lines: Iterable[str], source: dict[str, int], target: dict[str, int], column: int = 0
) -> Iterator[Pair]:
    """Yields the numbered pairs; lines that are no two texts with a tab between them are left out.

    Args:
        lines (Iterable[str]): the lines.
        source (dict): word -> number, for the language translated from.
        target (dict): word -> number, for the language translated to.
        column (int): which text is translated: the first or the second.
    """
    for line in lines:
        texts = line.strip().split("\t")
        if len(texts) != 2:
            continue
        read = [source.get(w, UNK_IDX) for w in texts[column].split()]
        written = [target.get(w, UNK_IDX) for w in texts[1 - column].split()]
        yield Pair(
            [source[START], *read, source[END]],
            [target[START], *written],
            [*written, target[END]],
        )


def require_marks(numbers: dict[str, int], where: str) -> dict[str, int]:
    """Returns a dictionary after making sure that it begins with the marks."""
    for number, mark in enumerate(MARKS):
        if numbers.get(mark) != number:
            raise InvalidArgumentError(
                f"{where}, line {number + 1}: expected {mark!r}, because a dictionary begins with "
                f"{', '.join(MARKS)}, but it is {_nth(numbers, number)!r}."
            )
    return numbers


def _nth(numbers: dict[str, int], place: int) -> str | None:
    return next((word for word, number in numbers.items() if number == place), None)


def turned(numbers: dict[str, int], reverse: bool) -> dict[Any, Any]:
    """A dictionary of its own: number -> word if ``reverse`` is true, else word -> number."""
    return {number: word for word, number in numbers.items()} if reverse else dict(numbers)
