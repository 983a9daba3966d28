"""Reviews of films as readers of 1.x; ``paddle.text.datasets.Imdb`` is the same as a class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.guards import guard_module
from paddle.dataset.files import locate
from paddle.dataset.parsers import imdb
from paddle.dataset.parsers.imdb import MD5, URL
from paddle.dataset.parsers.vocabulary import check_dictionary

__all__ = ["build_dict", "test", "train"]

Reader = Callable[[], Iterator[tuple[list[int], int]]]


def _archive() -> str:
    return locate("paddle.dataset.imdb", "", None, URL, MD5, imdb.FOLDER, True)


def tokenize(pattern: Any) -> Iterator[list[bytes]]:
    """Yields the words of each text of the archive whose name fits.

    Args:
        pattern (str|re.Pattern): matched with the beginning of names such as
            ``aclImdb/train/pos/0_9.txt``.

    Examples:
        .. code-block:: python

            from paddle.dataset import imdb
            words = next(imdb.tokenize("aclImdb/train/pos/"))
            print(all(isinstance(word, bytes) for word in words))  # True
    """
    return imdb.tokens(_archive(), imdb.matcher("tokenize(pattern)", pattern))


def build_dict(pattern: Any, cutoff: int) -> dict[Any, int]:
    """Numbers the words of the texts whose names fit, frequent ones first.

    Args:
        pattern (str|re.Pattern): as for :func:`tokenize`.
        cutoff (int): words that come so often, or less, are left out.

    Returns:
        dict: word, as bytes, -> number; at last ``'<unk>'``, which stands for other words.

    Examples:
        .. code-block:: python

            from paddle.dataset import imdb
            numbers = imdb.build_dict("aclImdb/train/", cutoff=0)
            print(numbers["<unk>"] == len(numbers) - 1)  # True
    """
    return imdb.Reviews(_archive(), imdb.matcher("build_dict(pattern)", pattern)).dictionary(cutoff)


def word_dict() -> dict[Any, int]:
    """Numbers the words that come more than 150 times in the whole set.

    Examples:
        .. code-block:: python

            from paddle.dataset import imdb
            print("<unk>" in imdb.word_dict())  # True
    """
    return build_dict(imdb.LABELLED, imdb.CUTOFF)


def reader_creator(pos_pattern: Any, neg_pattern: Any, word_idx: dict[Any, int]) -> Reader:
    """Makes a reader of reviews: those that praise, then the others.

    Args:
        pos_pattern (str|re.Pattern): names of texts that praise, as for :func:`tokenize`.
        neg_pattern (str|re.Pattern): names of texts that blame.
        word_idx (dict): from :func:`build_dict` or :func:`word_dict`.

    Returns:
        callable: gives an iterator over pairs of a list of numbers and a label, 0 for praise.

    Examples:
        .. code-block:: python

            from paddle.dataset import imdb
            folder = "aclImdb/test/"
            reader = imdb.reader_creator(folder + "pos/", folder + "neg/", imdb.word_dict())
            print([label for _, label in reader()][0])  # 0
    """
    check_dictionary("reader_creator(word_idx)", word_idx)
    matchers = [
        imdb.matcher("reader_creator(pos_pattern)", pos_pattern),
        imdb.matcher("reader_creator(neg_pattern)", neg_pattern),
    ]

    def labels(name: str) -> list[int]:
        return [label for label, match in enumerate(matchers) if match(name)]

    reviews = imdb.Reviews(_archive(), labels)

    def reader() -> Iterator[tuple[list[int], int]]:
        for label in range(len(matchers)):
            texts = [text for text in reviews.texts if label in text.match]
            for numbers in reviews.translated(texts, word_idx):
                yield numbers.tolist(), label

    return reader


def train(word_idx: dict[Any, int]) -> Reader:
    """Makes a reader of the reviews for training.

    Args:
        word_idx (dict): from :func:`build_dict` or :func:`word_dict`.

    Returns:
        callable: gives an iterator over pairs of a list of numbers and a label, 0 for praise.

    Examples:
        .. code-block:: python

            from paddle.dataset import imdb
            words, label = next(imdb.train(imdb.word_dict())())
            print(label)  # 0
    """
    return _part("train", word_idx)


def test(word_idx: dict[Any, int]) -> Reader:
    """Makes a reader of the reviews for tests, as :func:`train`.

    Args:
        word_idx (dict): from :func:`build_dict` or :func:`word_dict`.

    Examples:
        .. code-block:: python

            from paddle.dataset import imdb
            words, label = next(imdb.test(imdb.word_dict())())
            print(label)  # 0
    """
    return _part("test", word_idx)


def _part(mode: str, word_idx: dict[Any, int]) -> Reader:
    pos, neg = (rf"aclImdb/{mode}/{kind}/.*\.txt$" for kind in imdb.LABELS)
    return reader_creator(pos, neg, word_idx)


def fetch() -> None:
    """Downloads the archive unless it is in the cache.

    Examples:
        .. code-block:: python

            from paddle.dataset import imdb
            imdb.fetch()
    """
    _archive()


guard_module(globals(), more=("fetch", "reader_creator", "tokenize", "word_dict"))
