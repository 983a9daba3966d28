"""VOC2012: photos with a class for every pixel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core.guards import guard_module
from paddle.dataset.files import TarMembers, locate
from paddle.dataset.parsers import voc2012
from paddle.io import Dataset
from paddle.vision.datasets.common import check_arguments, decode

__all__ = []

_URL = "https://dataset.bj.bcebos.com/voc/VOCtrainval_11-May-2012.tar"


class VOC2012(Dataset):
    """Photos and segmentation masks of the Pascal VOC challenge of 2012.

    Args:
        data_file (str|None): ``VOCtrainval_11-May-2012.tar``, or None for the copy in
            ``~/.cache/paddle/dataset/voc2012``.
        mode (str): ``'train'`` (the trainval list), ``'valid'`` (val) or ``'test'`` (train).
        transform (callable|None): applied to each photo.
        download (bool): whether a missing archive is downloaded.
        backend (str|None): ``'pil'`` gives PIL images, ``'cv2'`` float32 arrays; None means
            ``paddle.vision.get_image_backend()``.

    Returns:
        Dataset: sample ``i`` is the photo ([H, W, 3]) and the mask ([H, W], class numbers).

    Raises:
        ValueError: the archive is damaged, or a wrong argument.
        RuntimeError: the archive is missing and cannot be downloaded.

    Examples:
        .. code-block:: python

            from paddle.vision.datasets import VOC2012
            try:
                VOC2012(data_file="/no/such/file")
            except RuntimeError as error:
                print("/no/such/file" in str(error))  # True
    """

    def __init__(
        self,
        data_file: str | None = None,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        modes = tuple(voc2012.FLAGS)
        mode, self.backend = check_arguments("VOC2012", mode, modes, transform, backend)
        self.flag = voc2012.FLAGS[mode]
        self.transform = transform
        self.data_file = locate(
            "VOC2012", "data_file", data_file, _URL, voc2012.MD5, voc2012.FOLDER, download
        )
        self._archive = TarMembers(self.data_file)
        pairs = voc2012.pairs(self._archive, self.flag)
        self.data = [photo for photo, _ in pairs]
        self.labels = [mask for _, mask in pairs]

    def __getitem__(self, idx: int) -> tuple[Any, Any]:
        image, mask = (
            decode(self._archive.read(name), f"{name} in {self.data_file}", self.backend)
            for name in (self.data[idx], self.labels[idx])
        )
        if self.backend == "cv2":
            image, mask = image.astype(np.float32), mask.astype(np.float32)
        if self.transform is not None:
            image = self.transform(image)
        return image, mask

    def __len__(self) -> int:
        return len(self.data)

    def __del__(self) -> None:
        archive = getattr(self, "_archive", None)
        if archive is not None:
            archive.close()


guard_module(globals())
