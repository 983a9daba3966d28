"""CIFAR-10 and CIFAR-100 as readers of 1.x; ``paddle.vision.datasets`` has them as classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from paddle.core.guards import guard_module
from paddle.dataset.files import locate
from paddle.dataset.parsers import cifar
from paddle.dataset.parsers.cifar import CIFAR10, CIFAR100, Kind

__all__ = ["test10", "test100", "train10", "train100"]

URL_PREFIX = cifar.URL_PREFIX
CIFAR10_URL, CIFAR10_MD5 = CIFAR10.url, CIFAR10.md5
CIFAR100_URL, CIFAR100_MD5 = CIFAR100.url, CIFAR100.md5

Reader = Callable[[], Iterator[tuple[np.ndarray, int]]]
_AT_A_TIME = 256


def _archive(kind: Kind) -> str:
    return locate("paddle.dataset.cifar", "", None, kind.url, kind.md5, cifar.FOLDER, True)


def reader_creator(filename: str, sub_name: str, cycle: bool = False) -> Reader:
    """Makes a reader of the batches of an archive whose names hold a text.

    Batches are read by an unpickler that takes arrays and plain data only.

    Args:
        filename (str): the archive of CIFAR-10 or CIFAR-100.
        sub_name (str): the text, such as ``'data_batch'``.
        cycle (bool, optional): whether to begin again at the end, without end. Default: False.

    Returns:
        callable: gives an iterator over pairs of 3072 pixels, float32 from 0 to 1, red, green and
        blue planes, and a label. It raises ValueError where the archive is damaged.

    Examples:
        .. code-block:: python

            import os
            from paddle.dataset import cifar, common
            path = os.path.join(common.data_home(), "cifar", "cifar-10-python.tar.gz")
            image, label = next(cifar.reader_creator(path, "test_batch")())
            print(image.shape, image.dtype)  # (3072,) float32
    """

    def reader() -> Iterator[tuple[np.ndarray, int]]:
        while True:
            for pixels, labels in cifar.batches(filename, sub_name, CIFAR10, CIFAR100):
                for start in range(0, len(labels), _AT_A_TIME):
                    rows = slice(start, start + _AT_A_TIME)
                    scaled = (pixels[rows] / 255.0).astype(np.float32)
                    yield from zip(scaled, labels[rows].tolist(), strict=True)
            if not cycle:
                return

    return reader


def train100() -> Reader:
    """Makes a reader of the 50,000 images of CIFAR-100 for training.

    Returns:
        callable: gives an iterator over pairs of 3072 pixels, float32 from 0 to 1, and a label
        from 0 to 99.

    Examples:
        .. code-block:: python

            from paddle.dataset import cifar
            image, label = next(cifar.train100()())
            print(image.shape, 0 <= label < 100)  # (3072,) True
    """
    return _part(CIFAR100, "train")


def test100() -> Reader:
    """Makes a reader of the 10,000 images of CIFAR-100 for tests, as :func:`train100`.

    Examples:
        .. code-block:: python

            from paddle.dataset import cifar
            image, label = next(cifar.test100()())
            print(image.shape, 0 <= label < 100)  # (3072,) True
    """
    return _part(CIFAR100, "test")


def train10(cycle: bool = False) -> Reader:
    """Makes a reader of the 50,000 images of CIFAR-10 for training.

    Args:
        cycle (bool, optional): whether to begin again at the end, without end. Default: False.

    Returns:
        callable: gives an iterator over pairs of 3072 pixels, float32 from 0 to 1, and a label
        from 0 to 9.

    Examples:
        .. code-block:: python

            from paddle.dataset import cifar
            image, label = next(cifar.train10()())
            print(image.shape, 0 <= label < 10)  # (3072,) True
    """
    return _part(CIFAR10, "train", cycle)


def test10(cycle: bool = False) -> Reader:
    """Makes a reader of the 10,000 images of CIFAR-10 for tests, as :func:`train10`.

    Args:
        cycle (bool, optional): whether to begin again at the end, without end. Default: False.

    Examples:
        .. code-block:: python

            import itertools
            from paddle.dataset import cifar
            samples = itertools.islice(cifar.test10(cycle=True)(), 30)
            print(len(list(samples)))  # 30
    """
    return _part(CIFAR10, "test", cycle)


def _part(kind: Kind, mode: str, cycle: bool = False) -> Reader:
    return reader_creator(_archive(kind), kind.parts[mode], cycle)


def fetch() -> None:
    """Downloads both archives, unless they are in the cache.

    Examples:
        .. code-block:: python

            from paddle.dataset import cifar
            cifar.fetch()
    """
    for kind in (CIFAR10, CIFAR100):
        _archive(kind)


guard_module(globals(), more=("fetch", "reader_creator"))
