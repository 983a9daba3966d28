"""Film reviews that are favourable or not: NLTK's corpus movie_reviews, 2,000 texts in a zip."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.dataset.common import download
from paddle.dataset.files import as_text

__all__ = ["get_word_dict", "test", "train"]

URL = "https://corpora.bj.bcebos.com/movie_reviews%2Fmovie_reviews.zip"
MD5 = "155de2b77c6834dd8eea7cbe88e93acb"
NUM_TRAINING_INSTANCES = 1600
NUM_TOTAL_INSTANCES = 2000

_KINDS = ("neg", "pos")  # their places are the labels
# Words, and stretches of other signs.
_TOKEN = re.compile(r"\w+|[^\w\s]+")

Sample = tuple[list[int], int]


def read_reviews(path: str) -> dict[str, list[list[str]]]:
    """Reads the reviews of each kind, in the order of their names, as lists of tokens.

    Args:
        path (str): ``movie_reviews.zip``, with ``movie_reviews/neg/*.txt`` and ``.../pos/*.txt``.

    Raises:
        ValueError: the archive is damaged, a kind is missing, or a text is no UTF-8.
    """
    found: dict[str, list[list[str]]] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(archive.namelist())
            for kind in _KINDS:
                fits = re.compile(rf"(?:.*/)?{kind}/[^/.][^/]*\.txt")
                found[kind] = [
                    _TOKEN.findall(as_text(archive.read(name), f"{name} in {path}").lower())
                    for name in names
                    if fits.fullmatch(name)
                ]
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InvalidArgumentError(
            f"{path}: expected a complete zip archive, but reading it says: {error}.",
            hint="delete the file, so that it is fetched again",
        ) from error
    for kind, texts in found.items():
        if not texts:
            raise InvalidArgumentError(
                f"{path}: expected texts movie_reviews/{kind}/*.txt in the archive, but found none."
            )
    return found


def _ranked(reviews: dict[str, list[list[str]]]) -> list[tuple[str, int]]:
    counts = Counter(word for kind in _KINDS for text in reviews[kind] for word in text)
    return [(word, rank) for rank, (word, _) in enumerate(counts.most_common())]


def get_word_dict() -> list[tuple[str, int]]:
    """Returns all words and their numbers, which begin with the most frequent one.

    Returns:
        list: pairs of a word and its number, in order.

    Raises:
        RuntimeError: the archive is not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            print(callable(paddle.dataset.sentiment.get_word_dict))  # True
    """
    return _ranked(read_reviews(_archive()))


def load_sentiment_data() -> list[Sample]:
    """Returns all samples, unfavourable reviews (label 0) and favourable ones (1) in turn."""
    reviews = read_reviews(_archive())
    numbers = dict(_ranked(reviews))
    return [
        ([numbers[word] for word in text], label)
        for pair in zip(*(reviews[kind] for kind in _KINDS))
        for label, text in enumerate(pair)
    ]


def reader_creator(data: list[Sample]) -> Iterator[Sample]:
    """Returns an iterator over samples.

    Args:
        data (list): pairs of a list of numbers and a label.
    """
    return iter(data)


def train() -> Iterator[Sample]:
    """Returns an iterator over the first 1,600 samples; ``train`` itself is the reader creator.

    Returns:
        iterator: of pairs: the words' numbers, and the label 0 or 1.

    Raises:
        RuntimeError: the archive is not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            reader = paddle.batch(paddle.dataset.sentiment.train, batch_size=8)
            print(callable(reader))  # True
    """
    return reader_creator(load_sentiment_data()[:NUM_TRAINING_INSTANCES])


def test() -> Iterator[Sample]:
    """Returns an iterator over the last 400 samples; ``test`` itself is the reader creator.

    Returns:
        iterator: of pairs: the words' numbers, and the label 0 or 1.

    Raises:
        RuntimeError: the archive is not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            reader = paddle.batch(paddle.dataset.sentiment.test, batch_size=8)
            print(callable(reader))  # True
    """
    return reader_creator(load_sentiment_data()[NUM_TRAINING_INSTANCES:])


def _archive() -> str:
    return download(URL, "corpora", MD5, "movie_reviews.zip")


def fetch() -> None:
    """Downloads the archive, unless it is in the cache."""
    _archive()


guard_module(globals())
