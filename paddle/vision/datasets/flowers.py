"""Flowers: the Oxford 102 category flower photos."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core.guards import guard_module
from paddle.dataset.files import TarMembers
from paddle.dataset.parsers import flowers
from paddle.io import Dataset
from paddle.vision.datasets.common import check_arguments, decode

__all__ = []


class Flowers(Dataset):
    """Photos of 102 kinds of flowers; reading the label files needs SciPy.

    Args:
        data_file (str|None): ``102flowers.tgz``, or None for the copy in
            ``~/.cache/paddle/dataset/flowers``.
        label_file (str|None): ``imagelabels.mat``, or None likewise.
        setid_file (str|None): ``setid.mat``, or None likewise.
        mode (str): ``'train'``, ``'valid'`` or ``'test'``.
        transform (callable|None): applied to each image.
        download (bool): whether missing files are downloaded.
        backend (str|None): ``'pil'`` gives PIL images, ``'cv2'`` float32 arrays [H, W, 3] with
            values 0 to 255; None means ``paddle.vision.get_image_backend()``.

    Returns:
        Dataset: sample ``i`` is the image and its label, an int64 array of shape [1], from 1 on.

    Raises:
        ValueError: a file is damaged, a label is out of range, or a wrong argument.
        RuntimeError: a file is missing and cannot be downloaded, or SciPy is not installed.

    Examples:
        .. code-block:: python

            from paddle.vision.datasets import Flowers
            try:
                Flowers(data_file="/no/such/file")
            except RuntimeError as error:
                print("/no/such/file" in str(error))  # True
    """

    def __init__(
        self,
        data_file: str | None = None,
        label_file: str | None = None,
        setid_file: str | None = None,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        modes = tuple(flowers.FLAGS)
        mode, self.backend = check_arguments("Flowers", mode, modes, transform, backend)
        self.flag = flowers.FLAGS[mode]
        self.transform = transform
        given = {"data_file": data_file, "label_file": label_file, "setid_file": setid_file}
        self.data_file, self.label_file, self.setid_file = (
            flowers.path_of("Flowers", argument, path, download, argument)
            for argument, path in given.items()
        )
        self.indexes, self.labels = flowers.read_part(self.label_file, self.setid_file, self.flag)
        self._images = TarMembers(self.data_file)
        names = (flowers.name_of(number) for number in self.indexes.tolist())
        self._images.check(names, self.setid_file)

    def __getitem__(self, idx: int) -> tuple[Any, np.ndarray]:
        number = int(self.indexes[idx])
        name = flowers.name_of(number)
        image = decode(self._images.read(name), f"{name} in {self.data_file}", self.backend)
        if self.backend == "cv2":
            image = image.astype(np.float32)
        if self.transform is not None:
            image = self.transform(image)
        return image, np.array([self.labels[number - 1]], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.indexes)


guard_module(globals())
