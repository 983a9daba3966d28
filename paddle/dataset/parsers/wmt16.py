"""English captions and their German translations (Multi30K), in a tar archive (wmt16.tar.gz)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from paddle.core.errors import InvalidArgumentError
from paddle.dataset.parsers.archives import tar_members, text_lines
from paddle.dataset.parsers.translation import MARKS, Pair, check_size, pairs

__all__: list[str] = []

DATA_URL = "http://paddlemodels.bj.bcebos.com/wmt/wmt16.tar.gz"
DATA_MD5 = "0c38be43600334966403524a40dcd81e"
FOLDER = "wmt16"

TRAIN = "wmt16/train"
TOTAL_WORDS = {"en": 11250, "de": 19220}
LANGUAGES = list(TOTAL_WORDS)  # in the order of the columns


def check_language(api: str, argument: str, value: str) -> None:
    """Refuses a language that the archive does not have."""
    if value not in LANGUAGES:
        raise InvalidArgumentError(
            f"{api}({argument}): expected 'en' (English) or 'de' (German), but received {value!r}."
        )


def other(language: str) -> str:
    """The language that a language is translated to."""
    return LANGUAGES[1 - LANGUAGES.index(language)]


def checked_sizes(api: str, **sizes: tuple[int, str]) -> list[int]:
    """Checks sizes of dictionaries, given with their language; more words than there are is all."""
    for argument, (size, _) in sizes.items():
        check_size(api, argument, size)
    return [min(size, TOTAL_WORDS[language]) for size, language in sizes.values()]


class Corpus:
    """The archive: its training text is counted for dictionaries, a part is read as pairs.

    Args:
        path (str): the archive.
        names (str): further files that will be read, such as ``'wmt16/val'``.

    Raises:
        ValueError: the archive is damaged or lacks a file.
    """

    def __init__(self, path: str, *names: str) -> None:
        contents = tar_members(path, list(dict.fromkeys([TRAIN, *names])))
        self._lines = {n: text_lines(c, f"{n} in {path}") for n, c in contents.items()}

    def dictionary(self, language: str, size: int) -> dict[str, int]:
        """Numbers the marks and the most frequent words, of equally frequent ones the first."""
        column = LANGUAGES.index(language)
        counts: Counter[str] = Counter()
        for line in self._lines[TRAIN]:
            texts = line.strip().split("\t")
            if len(texts) == 2:
                counts.update(texts[column].split())
        for mark in MARKS:
            counts.pop(mark, None)
        kept = [word for word, _ in counts.most_common(size - len(MARKS))]
        return {word: number for number, word in enumerate([*MARKS, *kept])}

    def pairs(
        self, name: str, source: dict[str, int], target: dict[str, int], language: str
    ) -> Iterator[Pair]:
        """The numbered pairs of a file, translated from ``language``."""
        return pairs(self._lines[name], source, target, LANGUAGES.index(language))
