"""Reading reviews in the layout of Imdb's archive: megabytes of text in a second of one core.

The archive is made up: words drawn by Zipf's law, as long as English ones on average, in files as
long as reviews. `paddle.text.datasets.Imdb` unpacks it, splits the texts, counts the words, makes
the dictionary and the arrays. Beside it: the same in plain Python, as PaddlePaddle does it.
"""

from __future__ import annotations

import io
import os
import re
import string
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.measure import interleave, local
from benchmarks.options import Options
from benchmarks.table import Row

GROUP = "text_parsing"
NAME = "Imdb, 12 MB of text"
REVIEWS, WORDS, VOCABULARY = 8000, 230, 60000
CUTOFF = 5
LEAST = 20.0
"""Megabytes a second."""


def write_archive(path: str, reviews: int = REVIEWS) -> int:
    """Writes an archive and returns how many bytes its texts have."""
    rng = np.random.RandomState(0)
    letters = np.array(list("etaoinshrdlucmfwygpbvkxqjz"))
    lengths = np.clip(rng.poisson(7.0, VOCABULARY), 2, None)
    words = ["".join(rng.choice(letters, size=length)) for length in lengths]
    words[:400] = sorted(words[:400], key=len)  # frequent words are short
    chances = 1 / np.arange(1, VOCABULARY + 1)
    chances /= chances.sum()
    total = 0
    with tarfile.open(path, "w:gz", compresslevel=6) as archive:
        for folder in ("test/neg", "test/pos", "train/neg", "train/pos"):
            for number in range(reviews // 4):
                drawn = rng.choice(VOCABULARY, max(5, int(rng.exponential(WORDS))), p=chances)
                text = " ".join(_punctuated(words[n], rng.randint(60)) for n in drawn).encode()
                member = tarfile.TarInfo(f"aclImdb/{folder}/{number}_{1 + number % 10}.txt")
                member.size = len(text)
                archive.addfile(member, io.BytesIO(text))
                total += len(text)
    return total


def _punctuated(word: str, chance: int) -> str:
    endings = {0: ",", 1: ",", 2: ",", 3: ",", 4: ".", 5: ".", 6: "!", 7: "<br /><br />"}
    return (word.capitalize() if chance < 4 else word) + endings.get(chance, "")


def in_python(path: str) -> Callable[[], object]:
    """The same by tarfile, Counter and dict, opening the archive for every part."""
    table = bytes(range(256)).lower()
    dropped = string.punctuation.encode()

    def texts(pattern: str) -> Iterator[list[bytes]]:
        with tarfile.open(path) as archive:
            for member in archive:
                if re.match(pattern, member.name):
                    content = archive.extractfile(member)
                    yield content.read().translate(table, dropped).split()  # type: ignore[union-attr]

    def run() -> object:
        counts: Counter[bytes] = Counter()
        for text in texts(r"aclImdb/(train|test)/(pos|neg)/.*\.txt$"):
            counts.update(text)
        kept = sorted((-n, word) for word, n in counts.items() if n > CUTOFF)
        numbers = {word: place for place, (_, word) in enumerate(kept)}
        found = []
        for kind in ("pos", "neg"):
            for text in texts(rf"aclImdb/train/{kind}/.*\.txt$"):
                found.append(np.array([numbers.get(word, len(kept)) for word in text]))
        return numbers, found

    return run


def rows(options: Options) -> Iterator[Row]:
    """One row, of one core: parsing does not use more."""
    if not options.wants(GROUP, NAME) or 1 not in options.threads:
        return
    from paddle.text.datasets import Imdb

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "aclImdb_v1.tar.gz")
        size = write_archive(path) / 1e6
        sides = {
            "ours": local(lambda: Imdb(path, mode="train", cutoff=CUTOFF)),
            "python": local(in_python(path)),
        }
        result = interleave(sides, options.effort(9, 1.0), "cpu")
    took = result.median("ours")
    by_hand = size / result.median("python")
    note = f"{size / took:.0f} MB/s, target at least {LEAST:.0f}; plain Python {by_hand:.0f} MB/s"
    yield Row(GROUP, NAME, 1, "cpu", "s", took, None, took, "value", size / LEAST, note)
