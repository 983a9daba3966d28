"""French and English sentences as readers of 1.x; ``paddle.text.datasets.WMT14`` is a class."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.guards import guard_module
from paddle.dataset.common import data_home
from paddle.dataset.files import locate
from paddle.dataset.parsers import wmt14
from paddle.dataset.parsers.translation import END, START, UNK_IDX, check_size, turned  # noqa: F401
from paddle.dataset.parsers.vocabulary import UNKNOWN as UNK  # noqa: F401 - names of 1.x
from paddle.dataset.parsers.wmt14 import (  # noqa: F401
    MD5_DEV_TEST,
    MD5_MODEL,
    MD5_TRAIN,
    URL_DEV_TEST,
    URL_MODEL,
    URL_TRAIN,
)
from paddle.utils.download import fetch_file

__all__ = ["get_dict", "test", "train"]

Reader = Callable[[], Iterator[tuple[list[int], list[int], list[int]]]]


def _archive() -> str:
    return locate("paddle.dataset.wmt14", "", None, URL_TRAIN, MD5_TRAIN, wmt14.FOLDER, True)


def reader_creator(tar_file: str, file_name: str, dict_size: int) -> Reader:
    """Makes a reader of a file in the archive; pairs with more than 80 words are left out.

    Args:
        tar_file (str): ``wmt14.tgz``.
        file_name (str): end of the path of a file in it, such as ``'train/train'``.
        dict_size (int): how many words of each dictionary are known; at least 3, because the marks
            ``'<s>'``, ``'<e>'``, ``'<unk>'`` come first.

    Returns:
        callable: gives an iterator over three lists of numbers: the French sentence with both
        marks, the English one with the mark of its start, the same with the mark of its end.

    Examples:
        .. code-block:: python

            import os
            from paddle.dataset import common, wmt14
            path = os.path.join(common.data_home(), "wmt14", "wmt14.tgz")
            source, target, following = next(wmt14.reader_creator(path, "test/test", 30)())
            print(source[0], target[0], following[-1])  # 0 0 1
    """
    check_size("wmt14", "dict_size", dict_size)

    def reader() -> Iterator[tuple[list[int], list[int], list[int]]]:
        for pair in wmt14.load(tar_file, file_name, dict_size)[1]:
            yield pair.source, pair.target, pair.target_next

    return reader


def train(dict_size: int) -> Reader:
    """Makes a reader of the sentences for training; see :func:`reader_creator`.

    Args:
        dict_size (int): how many words of each dictionary are known, at least 3.

    Examples:
        .. code-block:: python

            from paddle.dataset import wmt14
            source, target, following = next(wmt14.train(dict_size=30)())
            print(target[1:] == following[:-1])  # True
    """
    return reader_creator(_archive(), wmt14.FILES["train"], dict_size)


def test(dict_size: int) -> Reader:
    """Makes a reader of the sentences for tests; see :func:`reader_creator`.

    Args:
        dict_size (int): how many words of each dictionary are known, at least 3.

    Examples:
        .. code-block:: python

            from paddle.dataset import wmt14
            print(len(next(wmt14.test(dict_size=30)())))  # 3
    """
    return reader_creator(_archive(), wmt14.FILES["test"], dict_size)


def gen(dict_size: int) -> Reader:
    """Makes a reader of the sentences to be translated; see :func:`reader_creator`.

    Args:
        dict_size (int): how many words of each dictionary are known, at least 3.

    Examples:
        .. code-block:: python

            from paddle.dataset import wmt14
            print(len(next(wmt14.gen(dict_size=30)())))  # 3
    """
    return reader_creator(_archive(), wmt14.FILES["gen"], dict_size)


def get_dict(dict_size: int, reverse: bool = True) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Returns the French and the English dictionary.

    Args:
        dict_size (int): how many words of each, at least 3.
        reverse (bool): True: number -> word. False: word -> number. Default: True.

    Examples:
        .. code-block:: python

            from paddle.dataset import wmt14
            french, english = wmt14.get_dict(dict_size=30)
            print(french[0], english[2])  # <s> <unk>
    """
    check_size("get_dict", "dict_size", dict_size)
    source, target = wmt14.dictionaries(_archive(), dict_size)
    return turned(source, reverse), turned(target, reverse)


def fetch() -> None:
    """Downloads the archive unless it is in the cache, and of 1.x's trained model likewise.

    Examples:
        .. code-block:: python

            from paddle.dataset import wmt14
            print(wmt14.URL_TRAIN.endswith("wmt14.tgz"), wmt14.URL_MODEL.endswith("wmt14.tgz"))
            # True True
            # wmt14.fetch()
    """
    _archive()
    # Both have one name; PaddlePaddle's cache tells them apart by what follows wmt.
    name = URL_MODEL.rpartition("/")[2]
    fetch_file(URL_MODEL, os.path.join(data_home(), wmt14.FOLDER), MD5_MODEL, name)


guard_module(globals(), more=("fetch", "gen", "reader_creator"))
