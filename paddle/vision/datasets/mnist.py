"""MNIST and FashionMNIST, read from files in the IDX format."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, UnavailableError
from paddle.core.guards import guard_module
from paddle.dataset.common import SETTING, data_home
from paddle.dataset.files import open_maybe_gzip
from paddle.io import Dataset
from paddle.utils.download import fetch_file
from paddle.vision.datasets.common import check_arguments
from paddle.vision.datasets.pixelwise import pixel_table

__all__ = []

_IMAGE_MAGIC, _LABEL_MAGIC = 2051, 2049
_FILES = {
    ("train", "image"): "train-images-idx3-ubyte",
    ("train", "label"): "train-labels-idx1-ubyte",
    ("test", "image"): "t10k-images-idx3-ubyte",
    ("test", "label"): "t10k-labels-idx1-ubyte",
}


class MNIST(Dataset):
    """Handwritten digits: 60,000 images for training and 10,000 for tests, 28 x 28 grey pixels.

    The four files are looked for in ``~/.cache/paddle/dataset/mnist`` (``$PADDLE_DATASET_HOME``
    replaces the part before ``mnist``), packed by gzip or not, and downloaded if they are not
    there.

    Args:
        image_path (str|None): an IDX file of images, or None for the cache.
        label_path (str|None): an IDX file of labels, or None for the cache.
        mode (str): ``'train'`` or ``'test'``.
        transform (callable|None): applied to each image.
        download (bool): whether files that are missing are downloaded.
        backend (str|None): ``'pil'`` gives PIL images, ``'cv2'`` float32 arrays [28, 28] with
            values 0 to 255; None means ``paddle.vision.get_image_backend()``.

    Returns:
        Dataset: sample ``i`` is the image and its label, an int64 array of shape [1].

    Raises:
        ValueError: a file is damaged, or a wrong argument.
        RuntimeError: a file is missing and cannot be downloaded.

    Examples:
        .. code-block:: python

            import os, struct, tempfile
            import numpy as np
            from paddle.vision.datasets import MNIST

            folder = tempfile.mkdtemp()
            images, labels = os.path.join(folder, "images"), os.path.join(folder, "labels")
            with open(images, "wb") as file:
                file.write(struct.pack(">4I", 2051, 2, 28, 28) + bytes(2 * 784))
            with open(labels, "wb") as file:
                file.write(struct.pack(">2I", 2049, 2) + bytes([7, 3]))
            digits = MNIST(images, labels, mode="test", backend="cv2")
            image, label = digits[1]
            print(len(digits), image.shape, label)  # 2 (28, 28) [3]
    """

    NAME = "mnist"
    URL_PREFIX = "https://dataset.bj.bcebos.com/mnist/"
    TRAIN_IMAGE_MD5 = "f68b3c2dcbeaaa9fbdd348bbdeb94873"
    TRAIN_LABEL_MD5 = "d53e105ee54ea40749a09fcbcd1e9432"
    TEST_IMAGE_MD5 = "9fb629c4189551a2d022fa330f9573f3"
    TEST_LABEL_MD5 = "ec29112dd5afa0611ce80d1b7f02629c"

    def __init__(
        self,
        image_path: str | None = None,
        label_path: str | None = None,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        api = type(self).__name__
        self.mode, self.backend = check_arguments(api, mode, ("train", "test"), transform, backend)
        self.transform = transform
        self.image_path = image_path or self._located("image", download)
        self.label_path = label_path or self._located("label", download)
        self.images = _read_idx(self.image_path, _IMAGE_MAGIC, "images")
        self.labels = _read_idx(self.label_path, _LABEL_MAGIC, "labels").astype(np.int64)[:, None]
        if len(self.images) != len(self.labels):
            raise InvalidArgumentError(
                f"{api}: expected as many labels as images, but {self.image_path} holds "
                f"{len(self.images)} images and {self.label_path} {len(self.labels)} labels."
            )

    def _located(self, kind: str, download: bool) -> str:
        """Returns the path of a file in the cache, where a download puts it if need be."""
        name = _FILES[self.mode, kind]
        folder = os.path.join(data_home(), self.NAME)
        for path in (os.path.join(folder, name), os.path.join(folder, name + ".gz")):
            if os.path.isfile(path):
                return path
        names = ", ".join(_FILES.values())
        hint = f"put the four files {names} (or the same with .gz) into {folder}"
        if self.NAME == "mnist":
            hint += ", or run `make quickstart`, which fetches them"
        if not download:
            raise UnavailableError(
                f"{type(self).__name__}: {kind}_path is not given, download is False and there is "
                f"no {name} in {folder}.",
                hint=hint,
            )
        checksum = getattr(self, f"{self.mode}_{kind}_md5".upper())
        return fetch_file(
            f"{self.URL_PREFIX}{name}.gz", folder, checksum, hint=hint, setting=SETTING
        )

    def __getitem__(self, idx: int) -> tuple[Any, np.ndarray]:
        image: Any = self.images[idx]
        if self.backend == "pil":
            from PIL import Image

            image = Image.fromarray(image)
        else:
            image = image.astype(np.float32)
        if self.transform is not None:
            image = self.transform(image)
        return image, self.labels[idx].copy()

    def __len__(self) -> int:
        return len(self.labels)

    def _whole_batches(self) -> Callable[[Sequence[int]], list] | None:
        """Returns a quick way from sample numbers to a collated batch, if there is one now.

        The DataLoader asks once per pass; a transform that was changed counts from then on.
        """
        if type(self).__getitem__ is not MNIST.__getitem__:
            return None
        table = pixel_table(self.transform, self.backend)
        if table is None:
            return None

        def batch(indices: Sequence[int]) -> list:
            rows = np.asarray(indices, dtype=np.int64)
            return [table.apply(self.images[rows]), self.labels[rows]]

        return batch


class FashionMNIST(MNIST):
    """Pictures of clothes in the format of :class:`MNIST`, with the same arguments.

    The four files have the names MNIST's have, in ``~/.cache/paddle/dataset/fashion-mnist``.

    Args:
        image_path (str|None): an IDX file of images, or None for the cache.
        label_path (str|None): an IDX file of labels, or None for the cache.
        mode (str): ``'train'`` or ``'test'``.
        transform (callable|None): applied to each image.
        download (bool): whether files that are missing are downloaded.
        backend (str|None): ``'pil'`` or ``'cv2'``, see :class:`MNIST`.

    Examples:
        .. code-block:: python

            from paddle.vision.datasets import FashionMNIST, MNIST
            print(issubclass(FashionMNIST, MNIST))  # True
    """

    NAME = "fashion-mnist"
    URL_PREFIX = "https://dataset.bj.bcebos.com/fashion_mnist/"
    TRAIN_IMAGE_MD5 = "8d4fb7e6c68d591d4c3dfef9ec88bf0d"
    TRAIN_LABEL_MD5 = "25c81989df183df01b3e8a0aad5dffbe"
    TEST_IMAGE_MD5 = "bef4ecab320f06d8554ea6380940ec79"
    TEST_LABEL_MD5 = "bb300cfdad3c16e7a12a480ee83cd310"


def _read_idx(path: str, magic: int, what: str) -> np.ndarray:
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


guard_module(globals())
