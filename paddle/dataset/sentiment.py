"""The movie_reviews corpus as readers of 1.x: texts with their sentiment. NLTK is not needed."""

from __future__ import annotations

from collections.abc import Iterator

from paddle.core.guards import guard_module
from paddle.dataset.files import locate
from paddle.dataset.parsers import movie_reviews

__all__ = ["get_word_dict", "test", "train"]

URL = movie_reviews.URL
MD5 = movie_reviews.MD5
NUM_TRAINING_INSTANCES = 1600
NUM_TOTAL_INSTANCES = 2000

Samples = Iterator[tuple[list[int], int]]


def _archive() -> str:
    return locate("paddle.dataset.sentiment", "", None, URL, MD5, movie_reviews.FOLDER, True)


def get_word_dict() -> list[tuple[str, int]]:
    """Numbers the words of all texts, frequent ones first.

    Returns:
        list: pairs of a word and its number.

    Examples:
        .. code-block:: python

            from paddle.dataset import sentiment
            print(sentiment.get_word_dict()[0][1])  # 0
    """
    return list(movie_reviews.numbered(movie_reviews.read(_archive())).items())


def reader_creator(data: list[tuple[list[int], int]]) -> Samples:
    """Yields the samples of a list.

    Args:
        data (list): pairs of a list of numbers and a label.

    Examples:
        .. code-block:: python

            from paddle.dataset import sentiment
            print(list(sentiment.reader_creator([([3, 4], 1)])))  # [([3, 4], 1)]
    """
    yield from data


def train() -> Samples:
    """Reads the first 1600 texts, praise and blame by turns.

    Unlike in other modules this is the reader itself: ``paddle.batch(sentiment.train, 32)``.

    Returns:
        iterator: pairs of a list of numbers and a label, 0 for blame, 1 for praise.

    Examples:
        .. code-block:: python

            from paddle.dataset import sentiment
            words, label = next(sentiment.train())
            print(label)  # 0
    """
    return reader_creator(_samples()[:NUM_TRAINING_INSTANCES])


def test() -> Samples:
    """Reads the texts after the first 1600, as :func:`train`.

    Examples:
        .. code-block:: python

            from paddle.dataset import sentiment
            print(all(label in (0, 1) for _, label in sentiment.test()))  # True
    """
    return reader_creator(_samples()[NUM_TRAINING_INSTANCES:])


def _samples() -> list[tuple[list[int], int]]:
    return movie_reviews.samples(movie_reviews.read(_archive()))


def fetch() -> None:
    """Downloads the archive, unless it is in the cache.

    Examples:
        .. code-block:: python

            from paddle.dataset import sentiment
            sentiment.fetch()
    """
    _archive()


guard_module(globals(), more=("fetch", "reader_creator"))
