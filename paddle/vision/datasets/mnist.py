"""MNIST and FashionMNIST, read from files in the IDX format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddle.core.guards import guard_module
from paddle.dataset.parsers import mnist
from paddle.io import Dataset
from paddle.vision.datasets.common import check_arguments
from paddle.vision.datasets.pixelwise import pixel_table

__all__ = []


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
        ValueError: a file is damaged, a label is not below 10 (a subclass sets ``LABEL_COUNT`` for
            files with more kinds), or a wrong argument.
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

    NAME = mnist.FOLDER
    URL_PREFIX = mnist.URL_PREFIX
    TRAIN_IMAGE_MD5 = mnist.MD5["train", "image"]
    TRAIN_LABEL_MD5 = mnist.MD5["train", "label"]
    TEST_IMAGE_MD5 = mnist.MD5["test", "image"]
    TEST_LABEL_MD5 = mnist.MD5["test", "label"]
    # A subclass for files with more kinds in the same format sets it.
    LABEL_COUNT = mnist.LABEL_COUNT

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
        self.image_path = self._located("image", image_path, download)
        self.label_path = self._located("label", label_path, download)
        self.images, labels = mnist.load(api, self.image_path, self.label_path, self.LABEL_COUNT)
        self.labels = labels.astype(np.int64)[:, None]

    def _located(self, kind: str, given: str | None, download: bool) -> str:
        """Returns the path of a file: the one given, or the cache's, downloaded if need be."""
        checksum = getattr(self, f"{self.mode}_{kind}_md5".upper())
        source = (self.URL_PREFIX, checksum, self.NAME)
        part = (self.mode, kind)
        return mnist.path_of(type(self).__name__, f"{kind}_path", given, part, download, source)

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


guard_module(globals())
