"""Sentences with predicates as readers of 1.x; ``paddle.text.datasets.Conll05st`` is a class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from paddle.core.guards import guard_module
from paddle.dataset.files import locate
from paddle.dataset.parsers import conll05
from paddle.dataset.parsers.conll05 import (  # noqa: F401 - names of 1.x
    DATA_MD5,
    DATA_URL,
    EMB_MD5,
    EMB_URL,
    TRGDICT_MD5,
    TRGDICT_URL,
    UNK_IDX,
    VERBDICT_MD5,
    VERBDICT_URL,
    WORDDICT_MD5,
    WORDDICT_URL,
)

__all__ = ["get_embedding"]


def _file(url: str, md5: str) -> str:
    return locate("paddle.dataset.conll05", "", None, url, md5, conll05.FOLDER, True)


def load_dict(filename: str) -> dict[str, int]:
    """Reads a dictionary: a word in each line, whose place is its number.

    Args:
        filename (str): the file.

    Examples:
        .. code-block:: python

            from paddle.dataset import conll05
            with open("words.txt", "w") as file:
                print("bos", "eos", sep=chr(10), file=file)
            print(conll05.load_dict("words.txt"))  # {'bos': 0, 'eos': 1}
    """
    return conll05.load_dict(filename)


def load_label_dict(filename: str) -> dict[str, int]:
    """Reads labels such as ``B-A0``: two numbers for each kind, and one for ``O``, no part.

    Args:
        filename (str): the file, a label in each line.

    Examples:
        .. code-block:: python

            from paddle.dataset import conll05
            with open("labels.txt", "w") as file:
                print("B-A0", "I-A0", "B-V", "O", sep=chr(10), file=file)
            print(conll05.load_label_dict("labels.txt"))
            # {'B-A0': 0, 'I-A0': 1, 'B-V': 2, 'I-V': 3, 'O': 4}
    """
    return conll05.load_label_dict(filename)


def corpus_reader(
    data_path: str, words_name: str, props_name: str
) -> Callable[[], Iterator[tuple[list[str], str, list[str]]]]:
    """Makes a reader of sentences as they are written, once for each predicate.

    Args:
        data_path (str): ``conll05st-tests.tar.gz``.
        words_name (str): its file of words, packed by gzip.
        props_name (str): its file of predicates and labels, packed by gzip.

    Returns:
        callable: gives an iterator over words, predicate, labels.

    Examples:
        .. code-block:: python

            import os
            from paddle.dataset import common, conll05
            folder = "conll05st-release/test.wsj/"
            reader = conll05.corpus_reader(
                os.path.join(common.data_home(), "conll05st", "conll05st-tests.tar.gz"),
                folder + "words/test.wsj.words.gz", folder + "props/test.wsj.props.gz",
            )
            words, predicate, labels = next(reader())
            print("B-V" in labels)  # True
    """

    def reader() -> Iterator[tuple[list[str], str, list[str]]]:
        for sentence in conll05.sentences(data_path, words_name, props_name):
            yield sentence.words, sentence.predicate, sentence.labels

    return reader


def reader_creator(
    corpus_reader: Callable[[], Iterable[tuple[list[str], str, list[str]]]],
    word_dict: dict[str, int] | None = None,
    predicate_dict: dict[str, int] | None = None,
    label_dict: dict[str, int] | None = None,
) -> Callable[[], Iterator[tuple[list[int], ...]]]:
    """Makes a reader of numbers from a reader of sentences.

    Args:
        corpus_reader (callable): from :func:`corpus_reader`.
        word_dict (dict|None): word -> number; None here and below takes that of :func:`get_dict`.
        predicate_dict (dict|None): predicate -> number.
        label_dict (dict|None): label -> number.

    Returns:
        callable: gives an iterator over nine lists as long as the sentence: the words; the words
        two before, one before, at, one and two behind the predicate, each repeated; the predicate,
        repeated; 1 for these five words and 0 for others; the labels.

    Examples:
        .. code-block:: python

            from paddle.dataset import conll05

            def sentences():
                yield ["He", "sat"], "sit", ["B-A0", "B-V"]

            reader = conll05.reader_creator(
                sentences, {"He": 1, "sat": 2}, {"sit": 3}, {"B-A0": 4, "B-V": 5}
            )
            words, *_, mark, labels = next(reader())
            print(words, mark, labels)  # [1, 2] [1, 1] [4, 5]
    """
    given = (word_dict, predicate_dict, label_dict)
    known = get_dict() if None in given else given
    chosen = (mine if mine is not None else it for mine, it in zip(given, known, strict=True))
    numbers = conll05.Numbers(*chosen)  # type: ignore[arg-type]  # none is None

    def reader() -> Iterator[tuple[list[int], ...]]:
        for sentence in corpus_reader():
            yield numbers.sample(conll05.Sentence(*sentence))

    return reader


def get_dict() -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Returns the dictionaries of words, predicates and labels.

    Examples:
        .. code-block:: python

            from paddle.dataset import conll05
            words, predicates, labels = conll05.get_dict()
            print("B-V" in labels)  # True
    """
    return (
        load_dict(_file(WORDDICT_URL, WORDDICT_MD5)),
        load_dict(_file(VERBDICT_URL, VERBDICT_MD5)),
        load_label_dict(_file(TRGDICT_URL, TRGDICT_MD5)),
    )


def get_embedding() -> str:
    """Returns the path of the file with word vectors, learned from Wikipedia.

    Examples:
        .. code-block:: python

            import os
            from paddle.dataset import conll05
            print(os.path.basename(conll05.get_embedding()))  # emb
    """
    return _file(EMB_URL, EMB_MD5)


def test() -> Callable[[], Iterator[tuple[Any, ...]]]:
    """Makes a reader of the tests, which are free of charge; :func:`reader_creator` says of what.

    Examples:
        .. code-block:: python

            from paddle.dataset import conll05
            print(len(next(conll05.test()())))  # 9
    """
    path = _file(DATA_URL, DATA_MD5)
    return reader_creator(corpus_reader(path, conll05.WORDS, conll05.PROPS))


def fetch() -> None:
    """Downloads the archive, the dictionaries and the word vectors unless they are in the cache.

    Examples:
        .. code-block:: python

            from paddle.dataset import conll05
            conll05.fetch()
    """
    get_dict()
    get_embedding()
    _file(DATA_URL, DATA_MD5)


guard_module(
    globals(),
    more=(
        "corpus_reader",
        "fetch",
        "get_dict",
        "load_dict",
        "load_label_dict",
        "reader_creator",
        "test",
    ),
)
