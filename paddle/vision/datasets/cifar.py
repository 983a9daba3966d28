"""Cifar10 and Cifar100, read from their archives of pickled batches."""

from __future__ import annotations

import os
import tarfile
import tempfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.dataset.files import locate
from paddle.io import Dataset
from paddle.serialization.pickles.reader import read_pickle
from paddle.vision.datasets.common import check_arguments

__all__ = []


class Cifar10(Dataset):
    """Small pictures of ten kinds: 50,000 for training, 10,000 for tests, 32 x 32 pixels in RGB.

    The batches in the archive are read by an unpickler that takes arrays and plain data only.

    Args:
        data_file (str|None): ``cifar-10-python.tar.gz``, or None for the copy in
            ``~/.cache/paddle/dataset/cifar``.
        mode (str): ``'train'`` or ``'test'``.
        transform (callable|None): applied to each image.
        download (bool): whether a missing archive is downloaded.
        backend (str|None): ``'pil'`` gives PIL images, ``'cv2'`` float32 arrays [32, 32, 3] with
            values 0 to 255; None means ``paddle.vision.get_image_backend()``.

    Returns:
        Dataset: sample ``i`` is the image and its label, an int64 array of one number.

    Raises:
        ValueError: the archive is damaged, or a wrong argument.
        RuntimeError: the archive is missing and cannot be downloaded.

    Examples:
        .. code-block:: python

            import io, os, pickle, tarfile, tempfile
            import numpy as np
            from paddle.vision.datasets import Cifar10

            batch = {b"data": np.zeros([2, 3072], "uint8"), b"labels": [7, 3]}
            content = pickle.dumps(batch, protocol=2)
            path = os.path.join(tempfile.mkdtemp(), "cifar-10-python.tar.gz")
            with tarfile.open(path, "w:gz") as archive:
                member = tarfile.TarInfo("cifar-10-batches-py/test_batch")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
            pictures = Cifar10(path, mode="test", backend="cv2")
            image, label = pictures[1]
            print(len(pictures), image.shape, label)  # 2 (32, 32, 3) 3
    """

    _URL = "https://dataset.bj.bcebos.com/cifar/cifar-10-python.tar.gz"
    _MD5 = "c58f30108f718f92721af3b95e74349a"
    _FLAGS = {"train": "data_batch", "test": "test_batch"}
    _LABELS = b"labels"

    def __init__(
        self,
        data_file: str | None = None,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        api = type(self).__name__
        self.mode, self.backend = check_arguments(api, mode, ("train", "test"), transform, backend)
        self.transform = transform
        self.data_file = locate(
            api, "data_file", data_file, self._URL, self._MD5, "cifar", download
        )
        self._images, self._labels = self._load(self._FLAGS[self.mode])

    def _load(self, flag: str) -> tuple[np.ndarray, np.ndarray]:
        images, labels = [], []
        try:
            with tarfile.open(self.data_file) as archive:
                for member in archive:
                    file = archive.extractfile(member) if flag in member.name else None
                    if file is not None:
                        pixels, numbers = self._batch(file.read(), member.name)
                        images.append(pixels)
                        labels.append(numbers)
        except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
            raise InvalidArgumentError(
                f"{self.data_file}: expected a complete tar archive, but reading it says: {error}.",
                hint="delete the file, so that it is fetched again",
            ) from error
        if not images:
            raise InvalidArgumentError(
                f"{self.data_file}: expected files named *{flag}* in the archive, but found none."
            )
        return np.concatenate(images), np.concatenate(labels)

    def _batch(self, content: bytes, name: str) -> tuple[np.ndarray, np.ndarray]:
        where = f"{name} in {self.data_file}"
        batch = _plain_data(content, where)
        batch = {k.encode() if isinstance(k, str) else k: v for k, v in batch.items()}
        pixels: Any = batch.get(b"data")
        numbers: Any = batch.get(self._LABELS)
        if not isinstance(pixels, np.ndarray) or pixels.shape[1:] != (3072,):
            is_array = isinstance(pixels, np.ndarray)
            got = str(list(pixels.shape)) if is_array else type(pixels).__name__
            raise InvalidArgumentError(
                f"{where}: expected an array [N, 3072] under 'data', but received {got}."
            )
        if not isinstance(numbers, list) or len(numbers) != len(pixels):
            got = str(len(numbers)) if isinstance(numbers, list) else type(numbers).__name__
            raise InvalidArgumentError(
                f"{where}: expected {len(pixels)} labels under {self._LABELS.decode()!r}, "
                f"one per image, but received {got}."
            )
        frames = pixels.astype(np.uint8, copy=False).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return np.ascontiguousarray(frames), np.array(numbers, dtype=np.int64)

    def __getitem__(self, idx: int) -> tuple[Any, np.ndarray]:
        image: Any = self._images[idx]
        if self.backend == "pil":
            from PIL import Image

            image = Image.fromarray(image)
        else:
            image = image.astype(np.float32)
        if self.transform is not None:
            image = self.transform(image)
        return image, np.array(self._labels[idx])

    def __len__(self) -> int:
        return len(self._labels)


class Cifar100(Cifar10):
    """Small pictures of a hundred kinds; the arguments are those of :class:`Cifar10`.

    Args:
        data_file (str|None): ``cifar-100-python.tar.gz``, or None for the copy in the cache.
        mode (str): ``'train'`` or ``'test'``.
        transform (callable|None): applied to each image.
        download (bool): whether a missing archive is downloaded.
        backend (str|None): ``'pil'`` or ``'cv2'``, see :class:`Cifar10`.

    Examples:
        .. code-block:: python

            from paddle.vision.datasets import Cifar10, Cifar100
            print(issubclass(Cifar100, Cifar10))  # True
    """

    _URL = "https://dataset.bj.bcebos.com/cifar/cifar-100-python.tar.gz"
    _MD5 = "eb9058c3a382ffc7106e4002c42a8d85"
    _FLAGS = {"train": "train", "test": "test"}
    _LABELS = b"fine_labels"


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


guard_module(globals())
