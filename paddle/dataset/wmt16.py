"""English and German captions as readers of 1.x; ``paddle.text.datasets.WMT16`` is a class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.guards import guard_module
from paddle.dataset.files import locate
from paddle.dataset.parsers import wmt16
from paddle.dataset.parsers.translation import END as END_MARK  # noqa: F401 - names of 1.x
from paddle.dataset.parsers.translation import START as START_MARK  # noqa: F401
from paddle.dataset.parsers.translation import turned
from paddle.dataset.parsers.vocabulary import UNKNOWN as UNK_MARK  # noqa: F401
from paddle.dataset.parsers.wmt16 import DATA_MD5, DATA_URL

__all__ = ["fetch", "get_dict", "test", "train", "validation"]

TOTAL_EN_WORDS, TOTAL_DE_WORDS = wmt16.TOTAL_WORDS["en"], wmt16.TOTAL_WORDS["de"]

Reader = Callable[[], Iterator[tuple[list[int], list[int], list[int]]]]


def _archive() -> str:
    return locate("paddle.dataset.wmt16", "", None, DATA_URL, DATA_MD5, wmt16.FOLDER, True)


def reader_creator(
    tar_file: str, file_name: str, src_dict_size: int, trg_dict_size: int, src_lang: str
) -> Reader:
    """Makes a reader of a file in the archive.

    Args:
        tar_file (str): ``wmt16.tar.gz``.
        file_name (str): a file in it, such as ``'wmt16/val'``.
        src_dict_size (int): how many words of the language translated from are known, the most
            frequent ones in the texts for training; at least 3, because the marks ``'<s>'``,
            ``'<e>'``, ``'<unk>'`` come first. More than there are is all.
        trg_dict_size (int): the same for the language translated to.
        src_lang (str): what is translated from: ``'en'`` or ``'de'``.

    Returns:
        callable: gives an iterator over three lists of numbers: the sentence with both marks, its
        translation with the mark of its start, the same with the mark of its end.

    Examples:
        .. code-block:: python

            import os
            from paddle.dataset import common, wmt16
            path = os.path.join(common.data_home(), "wmt16", "wmt16.tar.gz")
            reader = wmt16.reader_creator(path, "wmt16/test", 30, 30, "de")
            source, target, following = next(reader())
            print(source[0], target[0], following[-1])  # 0 0 1
    """
    wmt16.check_language("wmt16", "src_lang", src_lang)
    target = wmt16.other(src_lang)
    sizes = wmt16.checked_sizes(
        "wmt16", src_dict_size=(src_dict_size, src_lang), trg_dict_size=(trg_dict_size, target)
    )

    def reader() -> Iterator[tuple[list[int], list[int], list[int]]]:
        corpus = wmt16.Corpus(tar_file, file_name)
        read, written = map(corpus.dictionary, (src_lang, target), sizes)
        for pair in corpus.pairs(file_name, read, written, src_lang):
            yield pair.source, pair.target, pair.target_next

    return reader


def train(src_dict_size: int, trg_dict_size: int, src_lang: str = "en") -> Reader:
    """Makes a reader of the captions for training; see :func:`reader_creator`.

    Args:
        src_dict_size (int): how many words of the language translated from are known.
        trg_dict_size (int): how many words of the language translated to are known.
        src_lang (str): what is translated from: ``'en'`` or ``'de'``. Default: ``'en'``.

    Examples:
        .. code-block:: python

            from paddle.dataset import wmt16
            source, target, following = next(wmt16.train(30, 30)())
            print(target[1:] == following[:-1])  # True
    """
    return reader_creator(_archive(), wmt16.TRAIN, src_dict_size, trg_dict_size, src_lang)


def test(src_dict_size: int, trg_dict_size: int, src_lang: str = "en") -> Reader:
    """Makes a reader of the captions for tests; see :func:`reader_creator`.

    Args:
        src_dict_size (int): how many words of the language translated from are known.
        trg_dict_size (int): how many words of the language translated to are known.
        src_lang (str): what is translated from: ``'en'`` or ``'de'``. Default: ``'en'``.

    Examples:
        .. code-block:: python

            from paddle.dataset import wmt16
            print(len(next(wmt16.test(30, 30)())))  # 3
    """
    return reader_creator(_archive(), "wmt16/test", src_dict_size, trg_dict_size, src_lang)


def validation(src_dict_size: int, trg_dict_size: int, src_lang: str = "en") -> Reader:
    """Makes a reader of the captions for validation; see :func:`reader_creator`.

    Args:
        src_dict_size (int): how many words of the language translated from are known.
        trg_dict_size (int): how many words of the language translated to are known.
        src_lang (str): what is translated from: ``'en'`` or ``'de'``. Default: ``'en'``.

    Examples:
        .. code-block:: python

            from paddle.dataset import wmt16
            print(len(next(wmt16.validation(30, 30, src_lang="de")())))  # 3
    """
    return reader_creator(_archive(), "wmt16/val", src_dict_size, trg_dict_size, src_lang)


def get_dict(lang: str, dict_size: int, reverse: bool = False) -> dict[Any, Any]:
    """Returns the dictionary of a language.

    Args:
        lang (str): ``'en'`` or ``'de'``.
        dict_size (int): how many words, the most frequent ones, at least 3.
        reverse (bool): False: word -> number. True: number -> word. Default: False.

    Examples:
        .. code-block:: python

            from paddle.dataset import wmt16
            print(wmt16.get_dict("en", 30)["<unk>"])  # 2
    """
    wmt16.check_language("get_dict", "lang", lang)
    [size] = wmt16.checked_sizes("get_dict", dict_size=(dict_size, lang))
    return turned(wmt16.Corpus(_archive()).dictionary(lang, size), reverse)


def fetch() -> None:
    """Downloads the archive unless it is in the cache.

    Examples:
        .. code-block:: python

            from paddle.dataset import wmt16
            wmt16.fetch()
    """
    _archive()


guard_module(globals(), more=("reader_creator",))
