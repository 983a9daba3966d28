"""Reviews of films, in the tar archive of the Large Movie Review Dataset (aclImdb)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.dataset.parsers.archives import missing, tar_files
from paddle.dataset.parsers.tokens import WordTable, tokenized
from paddle.dataset.parsers.vocabulary import UNKNOWN, frequent_first

__all__: list[str] = []

URL = "https://dataset.bj.bcebos.com/imdb%2FaclImdb_v1.tar.gz"
MD5 = "7c2ac02c03563afcf9b574c7e56c153a"
FOLDER = "imdb"

LABELS = {"pos": 0, "neg": 1}
CUTOFF = 150
LABELLED = re.compile(r"aclImdb/(train|test)/(pos|neg)/.*\.txt$")

Match = Callable[[str], Any]


class Review(NamedTuple):
    """A text of the archive: what the pattern made of its name, and the numbers of its words."""

    match: Any
    numbers: np.ndarray


class Reviews:
    """The texts of an archive whose names fit, their words numbered as they come.

    Args:
        path (str): the archive.
        match (callable): called with a name; what it returns is kept if it is true.
    """

    def __init__(self, path: str, match: Match) -> None:
        table = WordTable()
        matches: list[Any] = []

        def contents() -> Iterator[bytes]:
            for name, content in tar_files(path, match):
                matches.append(match(name))
                yield content

        numbers = list(table.numbered(contents()))
        self.texts = [Review(*pair) for pair in zip(matches, numbers, strict=True)]
        self.words = table.words

    def dictionary(self, cutoff: int) -> dict[Any, int]:
        """Numbers the words that occur more than ``cutoff`` times, frequent ones first."""
        flat = [text.numbers for text in self.texts]
        counts = np.zeros(len(self.words), np.int64)
        if flat:
            counts += np.bincount(np.concatenate(flat), minlength=len(self.words))
        return frequent_first(zip(self.words, counts.tolist(), strict=True), cutoff)

    def translated(self, texts: Sequence[Review], dictionary: dict[Any, int]) -> list[np.ndarray]:
        """The texts as int64 arrays of the numbers that a dictionary gives their words."""
        unknown = dictionary[UNKNOWN]
        new = np.array([dictionary.get(word, unknown) for word in self.words], np.int64)
        return [new[text.numbers] for text in texts]


def labelled(
    path: str, mode: str, cutoff: int
) -> tuple[dict[Any, int], list[np.ndarray], list[int]]:
    """Reads a part of the set: dictionary of the whole set, texts, labels; positive ones first.

    Args:
        path (str): the archive.
        mode (str): ``'train'`` or ``'test'``.
        cutoff (int): words that occur so often, or less, are unknown.

    Raises:
        ValueError: the archive is damaged, or lacks reviews of a kind.
    """
    reviews = Reviews(path, LABELLED.match)
    dictionary = reviews.dictionary(cutoff)
    kinds: dict[tuple[str, str], list[Review]] = {}
    for review in reviews.texts:
        kinds.setdefault(review.match.groups(), []).append(review)
    texts: list[np.ndarray] = []
    labels: list[int] = []
    for kind, label in LABELS.items():
        if (mode, kind) not in kinds:
            raise missing(path, f"aclImdb/{mode}/{kind}/*.txt", _folders(kinds))
        part = reviews.translated(kinds[mode, kind], dictionary)
        texts += part
        labels += [label] * len(part)
    return dictionary, texts, labels


def _folders(kinds: Iterable[tuple[str, str]]) -> list[str]:
    return [f"aclImdb/{mode}/{kind}/*.txt" for mode, kind in kinds]


def matcher(api: str, pattern: Any) -> Match:
    """What tells the names that a pattern fits: a text, or the result of ``re.compile``."""
    try:
        compiled = re.compile(pattern)
        compiled.match("")  # a pattern of bytes fits no names
    except (re.error, TypeError) as error:
        raise InvalidArgumentError(
            f"{api}: expected a regular expression of names in the archive, "
            f"but received {pattern!r}: {error}."
        ) from error
    return compiled.match


def tokens(path: str, match: Match) -> Iterator[list[bytes]]:
    """Yields the words of each text whose name fits."""
    for _, content in tar_files(path, match):
        yield tokenized(content)
