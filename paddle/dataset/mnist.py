"""MNIST: handwritten digits, in files of the IDX format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from paddle.core.errors import InvalidArgumentError, UnavailableError
from paddle.core.guards import guard_module
from paddle.dataset.common import SETTING, data_home
from paddle.dataset.files import open_maybe_gzip
from paddle.utils.download import fetch_file

__all__ = ["test", "train"]

_FILES = {
    ("train", "image"): "train-images-idx3-ubyte",
    ("train", "label"): "train-labels-idx1-ubyte",
    ("test", "image"): "t10k-images-idx3-ubyte",
    ("test", "label"): "t10k-labels-idx1-ubyte",
}
URL_PREFIX = "https://dataset.bj.bcebos.com/mnist/"
TRAIN_IMAGE_URL = f"{URL_PREFIX}{_FILES['train', 'image']}.gz"
TRAIN_IMAGE_MD5 = "f68b3c2dcbeaaa9fbdd348bbdeb94873"
TRAIN_LABEL_URL = f"{URL_PREFIX}{_FILES['train', 'label']}.gz"
TRAIN_LABEL_MD5 = "d53e105ee54ea40749a09fcbcd1e9432"
TEST_IMAGE_URL = f"{URL_PREFIX}{_FILES['test', 'image']}.gz"
TEST_IMAGE_MD5 = "9fb629c4189551a2d022fa330f9573f3"
TEST_LABEL_URL = f"{URL_PREFIX}{_FILES['test', 'label']}.gz"
TEST_LABEL_MD5 = "ec29112dd5afa0611ce80d1b7f02629c"

_IMAGE_MAGIC, _LABEL_MAGIC = 2051, 2049
_CLASSES = 10
_BUFFER = 100

Sample = tuple[np.ndarray, int]
Reader = Callable[[], Iterator[Sample]]


def find(
    api: str,
    mode: str,
    kind: str,
    md5: str,
    download: bool = True,
    name: str = "mnist",
    url_prefix: str = URL_PREFIX,
) -> str:
    """Returns the path of one of the four files, packed by gzip or not.

    Args:
        api (str): who asks, for messages.
        mode (str): ``'train'`` or ``'test'``.
        kind (str): ``'image'`` or ``'label'``.
        md5 (str): checksum of the packed file.
        download (bool): whether it is fetched if it is not in the cache.
        name (str): its folder in the cache.
        url_prefix (str): the address it is fetched from, up to the file's name.
    """
    file, folder = _FILES[mode, kind], os.path.join(data_home(), name)
    for path in (os.path.join(folder, file), os.path.join(folder, file + ".gz")):
        if os.path.isfile(path):
            return path
    hint = f"put the four files {', '.join(_FILES.values())} (or the same with .gz) into {folder}"
    if name == "mnist":
        hint += ", or run `make quickstart`, which fetches them"
    if not download:
        raise UnavailableError(
            f"{api}: {kind}_path is not given, download is False and there is no {file} in "
            f"{folder}.",
            hint=hint,
        )
    return fetch_file(f"{url_prefix}{file}.gz", folder, md5, hint=hint, setting=SETTING)


def read_files(api: str, image_path: str, label_path: str) -> tuple[np.ndarray, np.ndarray]:
    """Reads images and their labels, and sees to it that they belong together.

    Args:
        api (str): who asks, for messages.
        image_path (str): the IDX file of images.
        label_path (str): the IDX file of labels.

    Returns:
        tuple: uint8 images [N, H, W] and uint8 labels [N].
    """
    images = read_idx(image_path, _IMAGE_MAGIC, "images")
    labels = read_idx(label_path, _LABEL_MAGIC, "labels")
    if len(images) != len(labels):
        raise InvalidArgumentError(
            f"{api}: expected as many labels as images, but {image_path} holds "
            f"{len(images)} images and {label_path} {len(labels)} labels."
        )
    if len(labels) and labels.max() >= _CLASSES:
        at = int(np.argmax(labels >= _CLASSES))
        raise InvalidArgumentError(
            f"{label_path}: expected labels from 0 to {_CLASSES - 1}, but received {labels[at]} "
            f"for image {at}."
        )
    return images, labels


def read_idx(path: str, magic: int, what: str) -> np.ndarray:
    """Reads an IDX file of bytes: big-endian header (magic, sizes), then the values.

    Args:
        path (str): the file, packed by gzip or not.
        magic (int): the number it begins with, which tells the number of dimensions.
        what (str): what it holds, for messages.
    """
    content = open_maybe_gzip(path)
    dims = magic & 0xFF
    header = (
        np.frombuffer(content[: 4 * (1 + dims)], dtype=">u4").tolist()
        if (len(content) >= 4 * (1 + dims))
        else None
    )
    if header is None:
        raise _damaged(path, f"a header of {4 * (1 + dims)} bytes", f"{len(content)} bytes in all")
    if header[0] != magic:
        raise _damaged(path, f"the magic number {magic} of a file of {what}", f"{header[0]}")
    shape: Sequence[int] = header[1:]
    # Python integers: sizes that a hostile header makes up cannot overflow.
    expected = 4 * (1 + dims) + int(np.prod(shape, dtype=object))
    if len(content) != expected:
        sizes = " x ".join(map(str, shape))
        raise _damaged(path, f"{expected} bytes for {sizes} {what}", f"{len(content)}")
    return np.frombuffer(content, dtype=np.uint8, offset=4 * (1 + dims)).reshape(shape)


def _damaged(path: str, expected: str, received: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{path} is damaged or not an IDX file: expected {expected}, but received {received}.",
        hint="delete the file, so that it is fetched again",
    )


def reader_creator(image_filename: str, label_filename: str, buffer_size: int) -> Reader:
    """Makes a reader of two files.

    Args:
        image_filename (str): the IDX file of images, packed by gzip or not.
        label_filename (str): the IDX file of labels.
        buffer_size (int): how many samples are converted at once.

    Returns:
        callable: a reader creator of samples: pixels from -1 to 1, float32 [784], and the label,
        an int.
    """
    if buffer_size < 1:
        raise InvalidArgumentError(
            f"reader_creator(buffer_size): expected at least 1, but received {buffer_size}."
        )

    def reader() -> Iterator[Sample]:
        images, labels = read_files("reader_creator", image_filename, label_filename)
        rows = images.reshape(len(images), -1)
        for start in range(0, len(rows), buffer_size):
            pixels = rows[start : start + buffer_size].astype(np.float32)
            # In three steps, as they round: readers always gave exactly these numbers.
            pixels = pixels / 255.0 * 2.0 - 1.0
            yield from zip(pixels, labels[start : start + buffer_size].tolist())

    return reader


def train() -> Reader:
    """Returns a reader of the digits for training: 60,000 samples as in :func:`reader_creator`.

    The files are those of the cache, as ``make quickstart`` puts them there, or are downloaded.

    Raises:
        RuntimeError: they are not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            print(callable(paddle.dataset.mnist.train))  # True
    """
    return reader_creator(*_paths("train"), _BUFFER)


def test() -> Reader:
    """Returns a reader of the digits for tests: 10,000 samples as in :func:`reader_creator`.

    The files are those of the cache, as ``make quickstart`` puts them there, or are downloaded.

    Raises:
        RuntimeError: they are not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            print(callable(paddle.dataset.mnist.test))  # True
    """
    return reader_creator(*_paths("test"), _BUFFER)


def _paths(mode: str) -> tuple[str, str]:
    checksums = {
        "train": (TRAIN_IMAGE_MD5, TRAIN_LABEL_MD5), "test": (TEST_IMAGE_MD5, TEST_LABEL_MD5),
    }  # fmt: skip
    image, label = checksums[mode]
    api = f"paddle.dataset.mnist.{mode}"
    return find(api, mode, "image", image), find(api, mode, "label", label)


def fetch() -> None:
    """Downloads the four files, unless they are in the cache."""
    for mode in ("train", "test"):
        _paths(mode)


guard_module(globals())
