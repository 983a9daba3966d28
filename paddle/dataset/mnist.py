"""Handwritten digits as readers of 1.x; ``paddle.vision.datasets.MNIST`` is the same as a class."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.dataset.parsers import mnist

__all__ = ["test", "train"]

URL_PREFIX = mnist.URL_PREFIX
TRAIN_IMAGE_URL = URL_PREFIX + mnist.FILES["train", "image"]
TRAIN_LABEL_URL = URL_PREFIX + mnist.FILES["train", "label"]
TEST_IMAGE_URL = URL_PREFIX + mnist.FILES["test", "image"]
TEST_LABEL_URL = URL_PREFIX + mnist.FILES["test", "label"]
TRAIN_IMAGE_MD5 = mnist.MD5["train", "image"]
TRAIN_LABEL_MD5 = mnist.MD5["train", "label"]
TEST_IMAGE_MD5 = mnist.MD5["test", "image"]
TEST_LABEL_MD5 = mnist.MD5["test", "label"]

Reader = Callable[[], Iterator[tuple[np.ndarray, int]]]
_AT_A_TIME = 100


def _path(mode: str, kind: str) -> str:
    return mnist.path_of("paddle.dataset.mnist", "", None, (mode, kind), True)


def reader_creator(image_filename: str, label_filename: str, buffer_size: int) -> Reader:
    """Makes a reader of two files in the IDX format, packed by gzip or not.

    Args:
        image_filename (str): the images.
        label_filename (str): their labels.
        buffer_size (int): how many images are turned into floats at a time.

    Returns:
        callable: gives an iterator over pairs of a flat float32 array from -1 to 1, and an int. It
        raises ValueError where a file is damaged.

    Examples:
        .. code-block:: python

            import struct
            from paddle.dataset import mnist

            with open("images", "wb") as file:
                file.write(struct.pack(">4I", 2051, 2, 28, 28) + bytes(2 * 784))
            with open("labels", "wb") as file:
                file.write(struct.pack(">2I", 2049, 2) + bytes([7, 3]))
            image, label = next(mnist.reader_creator("images", "labels", 100)())
            print(image.shape, image.dtype, label)  # (784,) float32 7
    """
    if buffer_size < 1:
        raise InvalidArgumentError(
            f"reader_creator(buffer_size): expected at least 1, but received {buffer_size}."
        )

    def reader() -> Iterator[tuple[np.ndarray, int]]:
        images, labels = mnist.load("paddle.dataset.mnist", image_filename, label_filename)
        for start in range(0, len(labels), buffer_size):
            frames = images[start : start + buffer_size]
            pixels = frames.reshape(len(frames), -1).astype(np.float32) / 255.0 * 2.0 - 1.0
            yield from zip(pixels, labels[start : start + buffer_size].tolist(), strict=True)

    return reader


def train() -> Reader:
    """Makes a reader of the 60,000 images for training.

    Returns:
        callable: gives an iterator over pairs of 784 pixels, float32 from -1 to 1, and the digit.

    Examples:
        .. code-block:: python

            from paddle.dataset import mnist
            image, label = next(mnist.train()())
            print(image.shape, 0 <= label <= 9)  # (784,) True
    """
    return _part("train")


def test() -> Reader:
    """Makes a reader of the 10,000 images for tests, as :func:`train`.

    Examples:
        .. code-block:: python

            from paddle.dataset import mnist
            image, label = next(mnist.test()())
            print(image.min() >= -1, image.max() <= 1)  # True True
    """
    return _part("test")


def _part(mode: str) -> Reader:
    return reader_creator(_path(mode, "image"), _path(mode, "label"), _AT_A_TIME)


def fetch() -> None:
    """Downloads the four files, unless they are in the cache.

    Examples:
        .. code-block:: python

            from paddle.dataset import mnist
            mnist.fetch()
    """
    for part in mnist.FILES:
        _path(*part)


guard_module(globals(), more=("fetch", "reader_creator"))
