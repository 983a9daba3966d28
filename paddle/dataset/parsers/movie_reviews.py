"""The movie_reviews corpus: texts of praise and blame in a zip archive."""

from __future__ import annotations

import itertools
import re
import zipfile
from collections import Counter

from paddle.dataset.files import reading
from paddle.dataset.parsers.archives import missing, text_lines

__all__: list[str] = []

URL = "https://corpora.bj.bcebos.com/movie_reviews%2Fmovie_reviews.zip"
MD5 = "155de2b77c6834dd8eea7cbe88e93acb"
FOLDER = "corpora"
LABELS = {"neg": 0, "pos": 1}
_NAME = re.compile(r"(?:.*/)?(neg|pos)/[^./][^/]*\.txt")
# Words and runs of punctuation, as NLTK cuts them.
_WORD = re.compile(r"\w+|[^\w\s]+")

Texts = dict[str, list[list[str]]]


def read(path: str) -> Texts:
    """Returns the words of each text of both kinds, in the order of the files' names.

    Args:
        path (str): the archive.

    Raises:
        ValueError: the archive is damaged, lacks texts of a kind, or one is no UTF-8 text.
    """
    texts: Texts = {kind: [] for kind in LABELS}
    with reading(path, "zip archive"), zipfile.ZipFile(path) as archive:
        there = archive.namelist()
        for name in sorted(there):
            match = _NAME.fullmatch(name)
            if match:
                lines = text_lines(archive.read(name), f"{name} in {path}")
                texts[match[1]].append(_WORD.findall("\n".join(lines)))
    for kind, found in texts.items():
        if not found:
            files = [name for name in there if not name.endswith("/")]
            raise missing(path, f"movie_reviews/{kind}/*.txt", files)
    return texts


def numbered(texts: Texts) -> dict[str, int]:
    """Numbers the words of all texts, frequent ones first, then those that come earlier."""
    counts: Counter[str] = Counter()
    for kind in LABELS:
        for words in texts[kind]:
            counts.update(words)
    ordered = sorted(counts, key=counts.__getitem__, reverse=True)
    return {word: number for number, word in enumerate(ordered)}


def samples(texts: Texts) -> list[tuple[list[int], int]]:
    """The numbers of the words of each text and its label, blame and praise by turns."""
    numbers = numbered(texts)
    pairs = zip(*(texts[kind] for kind in LABELS), strict=False)  # the shorter list ends both
    labels = itertools.cycle(LABELS.values())
    return [
        ([numbers.get(word.lower(), numbers[word]) for word in words], label)
        for words, label in zip(itertools.chain.from_iterable(pairs), labels, strict=False)
    ]
