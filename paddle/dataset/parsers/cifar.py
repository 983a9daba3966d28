"""Small pictures in the tar archives of pickled batches that CIFAR-10 and CIFAR-100 come in."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.dataset.parsers.archives import missing, tar_files
from paddle.dataset.parsers.labels import check_labels
from paddle.serialization.pickles.reader import read_pickle

__all__: list[str] = []

URL_PREFIX = "https://dataset.bj.bcebos.com/cifar/"
FOLDER = "cifar"
PIXELS = 3 * 32 * 32


class Kind(NamedTuple):
    """One of the two sets: its archive, the names of its parts, where and how many its labels."""

    url: str
    md5: str
    parts: dict[str, str]
    labels: bytes
    label_count: int


CIFAR10 = Kind(
    URL_PREFIX + "cifar-10-python.tar.gz",
    "c58f30108f718f92721af3b95e74349a",
    {"train": "data_batch", "test": "test_batch"},
    b"labels",
    10,
)
CIFAR100 = Kind(
    URL_PREFIX + "cifar-100-python.tar.gz",
    "eb9058c3a382ffc7106e4002c42a8d85",
    {"train": "train", "test": "test"},
    b"fine_labels",
    100,
)


def batches(path: str, part: str, *kinds: Kind) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yields the batches of a part: bytes [N, 3072], red, green and blue planes, and labels [N].

    Args:
        path (str): the archive.
        part (str): in the names of the files that count.
        *kinds (Kind): what the archive may be.

    Raises:
        ValueError: the archive is damaged or lacks the part; a batch holds something else; a label
            is out of range.
    """
    there: list[str] = []

    def wanted(name: str) -> bool:
        there.append(name)
        return part in name

    found = False
    for name, content in tar_files(path, wanted):
        found = True
        yield _batch(content, f"{name} in {path}", kinds)
    if not found:
        raise missing(path, f"files named *{part}*", there)


def _batch(content: bytes, where: str, kinds: tuple[Kind, ...]) -> tuple[np.ndarray, np.ndarray]:
    batch = _plain_data(content, where)
    batch = {k.encode() if isinstance(k, str) else k: v for k, v in batch.items()}
    pixels: Any = batch.get(b"data")
    if not isinstance(pixels, np.ndarray) or pixels.shape[1:] != (PIXELS,):
        is_array = isinstance(pixels, np.ndarray)
        got = str(list(pixels.shape)) if is_array else type(pixels).__name__
        raise InvalidArgumentError(
            f"{where}: expected an array [N, {PIXELS}] under 'data', but received {got}."
        )
    kind = next((kind for kind in kinds if kind.labels in batch), kinds[0])
    numbers: Any = batch.get(kind.labels)
    if not isinstance(numbers, list) or len(numbers) != len(pixels):
        got = str(len(numbers)) if isinstance(numbers, list) else type(numbers).__name__
        raise InvalidArgumentError(
            f"{where}: expected {len(pixels)} labels under {kind.labels.decode()!r}, "
            f"one per image, but received {got}."
        )
    if not all(isinstance(number, (int, np.integer)) for number in numbers):
        raise InvalidArgumentError(
            f"{where}: expected whole numbers under {kind.labels.decode()!r}, "
            f"but received {numbers[:3]}..."
        )
    labels = np.array(numbers, dtype=np.int64)
    check_labels(where, labels, 0, kind.label_count - 1)
    return pixels.astype(np.uint8, copy=False), labels


def _plain_data(content: bytes, where: str) -> dict[Any, Any]:
    """Unpickles a dict of arrays and plain data; nothing the pickle names is called."""
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
