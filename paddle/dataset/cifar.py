"""CIFAR-10 and CIFAR-100: small pictures, in archives of pickled batches."""

from __future__ import annotations

import os
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.dataset.common import download
from paddle.serialization.pickles.reader import read_pickle

__all__ = ["test10", "test100", "train10", "train100"]

URL_PREFIX = "https://dataset.bj.bcebos.com/cifar/"
CIFAR10_URL = URL_PREFIX + "cifar-10-python.tar.gz"
CIFAR10_MD5 = "c58f30108f718f92721af3b95e74349a"
CIFAR100_URL = URL_PREFIX + "cifar-100-python.tar.gz"
CIFAR100_MD5 = "eb9058c3a382ffc7106e4002c42a8d85"

# Where a batch has its labels -> how many classes there are.
_CLASSES = {"labels": 10, "fine_labels": 100}

Sample = tuple[np.ndarray, int]
Reader = Callable[[], Iterator[Sample]]


def read_batches(
    path: str, sub_name: str, keys: Sequence[str] = tuple(_CLASSES)
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Reads the batches of an archive one after the other; nothing that a pickle names is called.

    Args:
        path (str): the archive.
        sub_name (str): what the names of the batches contain.
        keys (Sequence[str]): where labels may stand; the first one that is there counts.

    Returns:
        Iterator: of each batch the pixels, uint8 [N, 3072], and the labels, int64 [N].

    Raises:
        ValueError: the archive or a batch is damaged, or there is no such batch.
    """
    found = False
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                file = archive.extractfile(member) if sub_name in member.name else None
                if file is not None:
                    found = True
                    yield _batch(file.read(), f"{member.name} in {path}", keys)
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise InvalidArgumentError(
            f"{path}: expected a complete tar archive, but reading it says: {error}.",
            hint="delete the file, so that it is fetched again",
        ) from error
    if not found:
        raise InvalidArgumentError(
            f"{path}: expected files named *{sub_name}* in the archive, but found none."
        )


def _batch(content: bytes, where: str, keys: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    batch = _plain_data(content, where)
    batch = {k.decode("latin-1") if isinstance(k, bytes) else k: v for k, v in batch.items()}
    pixels: Any = batch.get("data")
    if not isinstance(pixels, np.ndarray) or pixels.shape[1:] != (3072,):
        is_array = isinstance(pixels, np.ndarray)
        got = str(list(pixels.shape)) if is_array else type(pixels).__name__
        raise InvalidArgumentError(
            f"{where}: expected an array [N, 3072] under 'data', but received {got}."
        )
    key = next((key for key in keys if key in batch), keys[0])
    numbers: Any = batch.get(key)
    if not isinstance(numbers, list) or len(numbers) != len(pixels):
        got = str(len(numbers)) if isinstance(numbers, list) else type(numbers).__name__
        raise InvalidArgumentError(
            f"{where}: expected {len(pixels)} labels under {key!r}, "
            f"one per image, but received {got}."
        )
    labels = np.array(numbers)
    wrong = labels.dtype.kind not in "iu" or (labels < 0) | (labels >= _CLASSES[key])
    if np.any(wrong):
        at = int(np.argmax(wrong))
        raise InvalidArgumentError(
            f"{where}: expected labels from 0 to {_CLASSES[key] - 1} under {key!r}, "
            f"but received {numbers[at]!r} for image {at}."
        )
    return pixels.astype(np.uint8, copy=False), labels.astype(np.int64)


def _plain_data(content: bytes, where: str) -> dict[Any, Any]:
    """Unpickles a dict of arrays and plain data."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "batch")
        with open(path, "wb") as file:
            file.write(content)
        try:
            batch = read_pickle(path)
        except InvalidArgumentError as error:
            raise InvalidArgumentError(
                f"{where}: expected a pickled dict of arrays and plain data. {error}"
            ) from error
    if not isinstance(batch, dict):
        raise InvalidArgumentError(
            f"{where}: expected a pickled dict, but received {type(batch).__name__}."
        )
    return batch


def reader_creator(filename: str, sub_name: str, cycle: bool = False) -> Reader:
    """Makes a reader of an archive.

    Args:
        filename (str): the archive.
        sub_name (str): what the names of the batches contain: ``'data_batch'``, ``'test'``, ...
        cycle (bool, optional): start again at the end, without end. Default: False.

    Returns:
        callable: a reader creator of samples: pixels from 0 to 1, float32 [3072] in the order
        channel, row, column; and the label, an int.
    """

    def reader() -> Iterator[Sample]:
        while True:
            for pixels, labels in read_batches(filename, sub_name):
                for row, label in zip(pixels, labels.tolist()):
                    yield (row / 255.0).astype(np.float32), label
            if not cycle:
                return

    return reader


def _archive(number: int) -> str:
    if number == 10:
        return download(CIFAR10_URL, "cifar", CIFAR10_MD5)
    return download(CIFAR100_URL, "cifar", CIFAR100_MD5)


def train100() -> Reader:
    """Returns a reader of CIFAR-100 for training: 50,000 samples as in :func:`reader_creator`.

    Raises:
        RuntimeError: the archive is not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            print(callable(paddle.dataset.cifar.train100))  # True
    """
    return reader_creator(_archive(100), "train")


def test100() -> Reader:
    """Returns a reader of CIFAR-100 for tests: 10,000 samples as in :func:`reader_creator`.

    Raises:
        RuntimeError: the archive is not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            print(callable(paddle.dataset.cifar.test100))  # True
    """
    return reader_creator(_archive(100), "test")


def train10(cycle: bool = False) -> Reader:
    """Returns a reader of CIFAR-10 for training: 50,000 samples as in :func:`reader_creator`.

    Args:
        cycle (bool, optional): start again at the end, without end. Default: False.

    Raises:
        RuntimeError: the archive is not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            print(callable(paddle.dataset.cifar.train10))  # True
    """
    return reader_creator(_archive(10), "data_batch", cycle)


def test10(cycle: bool = False) -> Reader:
    """Returns a reader of CIFAR-10 for tests: 10,000 samples as in :func:`reader_creator`.

    Args:
        cycle (bool, optional): start again at the end, without end. Default: False.

    Raises:
        RuntimeError: the archive is not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            print(callable(paddle.dataset.cifar.test10))  # True
    """
    return reader_creator(_archive(10), "test_batch", cycle)


def fetch() -> None:
    """Downloads both archives, unless they are in the cache."""
    _archive(10)
    _archive(100)


guard_module(globals())
