"""Digits and clothes in files of the IDX format: MNIST and what is laid out like it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.dataset.files import locate, open_maybe_gzip
from paddle.dataset.parsers.labels import check_labels

__all__: list[str] = []

URL_PREFIX = "https://dataset.bj.bcebos.com/mnist/"
FOLDER = "mnist"
FILES = {
    ("train", "image"): "train-images-idx3-ubyte.gz",
    ("train", "label"): "train-labels-idx1-ubyte.gz",
    ("test", "image"): "t10k-images-idx3-ubyte.gz",
    ("test", "label"): "t10k-labels-idx1-ubyte.gz",
}
MD5 = {
    ("train", "image"): "f68b3c2dcbeaaa9fbdd348bbdeb94873",
    ("train", "label"): "d53e105ee54ea40749a09fcbcd1e9432",
    ("test", "image"): "9fb629c4189551a2d022fa330f9573f3",
    ("test", "label"): "ec29112dd5afa0611ce80d1b7f02629c",
}
LABEL_COUNT = 10
_IMAGE_MAGIC, _LABEL_MAGIC = 2051, 2049


def path_of(
    api: str,
    argument: str,
    given: str | None,
    part: tuple[str, str],
    download: bool,
    source: tuple[str, str, str] = (URL_PREFIX, "", FOLDER),
) -> str:
    """Returns the path of one of the four files, packed by gzip or not.

    Args:
        api (str): name of the data set, for messages.
        argument (str): name of the argument that gives the file; '' where there is none.
        given (str|None): its value.
        part (tuple): key of ``FILES``.
        download (bool): whether a file that is not in the cache is downloaded.
        source (tuple, optional): beginning of the address, checksum ('' for MNIST's), folder in
            the cache.
    """
    prefix, md5, folder = source
    names = ", ".join(name.removesuffix(".gz") for name in FILES.values())
    hint = f"put all four there, {names}, with .gz or without"
    if folder == FOLDER:
        hint += ", or run `make quickstart`, which fetches them"
    return locate(
        api, argument, given, prefix + FILES[part], md5 or MD5[part], folder, download, hint
    )


def load(
    api: str, image_path: str, label_path: str, label_count: int = LABEL_COUNT
) -> tuple[np.ndarray, np.ndarray]:
    """Reads two files that belong together.

    Args:
        api (str): name of the data set, for messages.
        image_path (str): an IDX file of images.
        label_path (str): an IDX file of labels.
        label_count (int, optional): labels are below it. Default: 10.

    Returns:
        tuple: bytes [N, H, W] and [N].

    Raises:
        ValueError: a file is damaged, they differ in length, or a label is out of range.
    """
    images = read_idx(image_path, _IMAGE_MAGIC, "images")
    labels = read_idx(label_path, _LABEL_MAGIC, "labels")
    if len(images) != len(labels):
        raise InvalidArgumentError(
            f"{api}: expected as many labels as images, but {image_path} holds "
            f"{len(images)} images and {label_path} {len(labels)} labels."
        )
    check_labels(label_path, labels, 0, label_count - 1)
    return images, labels


def read_idx(path: str, magic: int, what: str) -> np.ndarray:
    """Reads an IDX file of bytes: big-endian header (magic, sizes), then the values."""
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
