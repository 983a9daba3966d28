"""The Penn Treebank as readers of 1.x; ``paddle.text.datasets.Imikolov`` is the same as a class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.dataset.files import locate
from paddle.dataset.parsers import imikolov
from paddle.dataset.parsers.imikolov import MD5, URL
from paddle.dataset.parsers.vocabulary import check_dictionary
from paddle.reader.prefetch import check_count

__all__ = ["build_dict", "test", "train"]

Reader = Callable[[], Iterator[tuple]]


class DataType:
    """What the samples are: ``NGRAM``, words in a row, or ``SEQ``, sentences.

    Examples:
        .. code-block:: python

            from paddle.dataset.imikolov import DataType
            print(DataType.NGRAM, DataType.SEQ)  # 1 2
    """

    NGRAM = 1
    SEQ = 2


def _archive() -> str:
    return locate("paddle.dataset.imikolov", "", None, URL, MD5, imikolov.FOLDER, True)


def word_count(f: Iterable[Any], word_freq: dict[Any, int] | None = None) -> dict[Any, int]:
    """Counts words, and a start and an end for each line.

    Args:
        f (Iterable): lines, texts or bytes.
        word_freq (dict|None): counts to add to; None starts with none.

    Returns:
        dict: word -> how often it came.

    Examples:
        .. code-block:: python

            from paddle.dataset import imikolov
            print(imikolov.word_count(["a b", "a"]))  # {'a': 2, 'b': 1, '<s>': 2, '<e>': 2}
    """
    counts = {} if word_freq is None else word_freq
    imikolov.counted(f, counts)
    return counts


def build_dict(min_word_freq: int = imikolov.MIN_WORD_FREQ) -> dict[Any, int]:
    """Numbers the words of the files for training and validation, frequent ones first.

    Args:
        min_word_freq (int): words that come so often, or less, are left out. Default: 50.

    Returns:
        dict: word, as bytes, -> number; ``'<s>'`` and ``'<e>'`` stand for start and end of a
        sentence, ``'<unk>'``, the last one, for other words.

    Examples:
        .. code-block:: python

            from paddle.dataset import imikolov
            numbers = imikolov.build_dict(min_word_freq=0)
            print(numbers["<unk>"] == len(numbers) - 1)  # True
    """
    check_count("build_dict", "min_word_freq", min_word_freq, 0)
    return imikolov.dictionary(_archive(), min_word_freq)


def reader_creator(filename: str, word_idx: dict[Any, int], n: int, data_type: int) -> Reader:
    """Makes a reader of a file in the archive.

    Args:
        filename (str): such as ``'./simple-examples/data/ptb.train.txt'``.
        word_idx (dict): from :func:`build_dict`.
        n (int): for NGRAM the number of words in a row. For SEQ only sentences are taken that have,
            with the mark of their start, no more words; 0 takes all.
        data_type (int): a member of :class:`DataType`.

    Returns:
        callable: gives an iterator over tuples: of ``n`` numbers, or of two lists, the sentence
        from its start on and the same one word later.

    Examples:
        .. code-block:: python

            from paddle.dataset import imikolov
            reader = imikolov.reader_creator(
                "./simple-examples/data/ptb.test.txt", imikolov.build_dict(), 2,
                imikolov.DataType.NGRAM,
            )
            print(len(next(reader())))  # 2
    """
    if data_type not in (DataType.NGRAM, DataType.SEQ):
        raise InvalidArgumentError(
            f"imikolov(data_type): expected DataType.NGRAM (1) or DataType.SEQ (2), "
            f"but received {data_type!r}."
        )
    is_ngram = data_type == DataType.NGRAM
    check_count("imikolov", "n", n, 1 if is_ngram else -1)
    check_dictionary("imikolov(word_idx)", word_idx)
    path = _archive()

    def reader() -> Iterator[tuple]:
        make: Any = imikolov.ngrams if is_ngram else imikolov.sequences
        return make(imikolov.sentences(path, filename), word_idx, n)

    return reader


def train(word_idx: dict[Any, int], n: int, data_type: int = DataType.NGRAM) -> Reader:
    """Makes a reader of the sentences for training; see :func:`reader_creator`.

    Args:
        word_idx (dict): from :func:`build_dict`.
        n (int): number of words in a row, or the longest sentence.
        data_type (int): a member of :class:`DataType`. Default: NGRAM.

    Examples:
        .. code-block:: python

            from paddle.dataset import imikolov
            numbers = imikolov.build_dict(min_word_freq=0)
            read, following = next(imikolov.train(numbers, 0, imikolov.DataType.SEQ)())
            print(read[1:] == following[:-1])  # True
    """
    return reader_creator(imikolov.TRAIN, word_idx, n, data_type)


def test(word_idx: dict[Any, int], n: int, data_type: int = DataType.NGRAM) -> Reader:
    """Makes a reader of the sentences for validation; see :func:`reader_creator`.

    Args:
        word_idx (dict): from :func:`build_dict`.
        n (int): number of words in a row, or the longest sentence.
        data_type (int): a member of :class:`DataType`. Default: NGRAM.

    Examples:
        .. code-block:: python

            from paddle.dataset import imikolov
            print(len(next(imikolov.test(imikolov.build_dict(), 3)())))  # 3
    """
    return reader_creator(imikolov.VALID, word_idx, n, data_type)


def fetch() -> None:
    """Downloads the archive unless it is in the cache.

    Examples:
        .. code-block:: python

            from paddle.dataset import imikolov
            imikolov.fetch()
    """
    _archive()


guard_module(globals(), more=("fetch", "reader_creator", "word_count"))
