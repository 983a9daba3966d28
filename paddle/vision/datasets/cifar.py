"""Cifar10 and Cifar100, read from their archives of pickled batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core.guards import guard_module
from paddle.dataset.files import locate
from paddle.dataset.parsers import cifar
from paddle.io import Dataset
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
        ValueError: the archive is damaged, a label is out of range, or a wrong argument.
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

    _KIND = cifar.CIFAR10

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
        kind = self._KIND
        self.data_file = locate(
            api, "data_file", data_file, kind.url, kind.md5, cifar.FOLDER, download
        )
        self._images, self._labels = self._load(kind.parts[self.mode])

    def _load(self, part: str) -> tuple[np.ndarray, np.ndarray]:
        batches = list(cifar.batches(self.data_file, part, self._KIND))
        planes = np.concatenate([pixels for pixels, _ in batches]).reshape(-1, 3, 32, 32)
        labels = np.concatenate([numbers for _, numbers in batches])
        return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), labels

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

    _KIND = cifar.CIFAR100


guard_module(globals())
