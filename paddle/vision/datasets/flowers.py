"""Flowers: the Oxford 102 category flower photos."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.guards import guard_module
from paddle.dataset.files import TarMembers, locate
from paddle.io import Dataset
from paddle.vision.datasets.common import check_arguments, decode

__all__ = []

_PREFIX = "http://paddlemodels.bj.bcebos.com/flowers/"
_SOURCES = {
    "data_file": ("102flowers.tgz", "52808999861908f626f3c1f4e79d11fa"),
    "label_file": ("imagelabels.mat", "e0620be6f572b9609742df49c70aed4d"),
    "setid_file": ("setid.mat", "a5357ecc9cb78c4bef273ce3793fc85c"),
}
# The larger part of the published split is the one trained on.
_FLAGS = {"train": "tstid", "valid": "valid", "test": "trnid"}


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
        ValueError: a file is damaged, or a wrong argument.
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
        mode, self.backend = check_arguments("Flowers", mode, tuple(_FLAGS), transform, backend)
        self.flag = _FLAGS[mode]
        self.transform = transform
        paths = {}
        given = {"data_file": data_file, "label_file": label_file, "setid_file": setid_file}
        for argument, path in given.items():
            name, md5 = _SOURCES[argument]
            paths[argument] = locate(
                "Flowers", argument, path, _PREFIX + name, md5, "flowers", download
            )
        self.data_file = paths["data_file"]
        self.label_file = paths["label_file"]
        self.setid_file = paths["setid_file"]
        self.labels = _matrix(self.label_file, "labels")
        self.indexes = _matrix(self.setid_file, self.flag)
        if self.indexes.size and not 1 <= self.indexes.min() <= self.indexes.max() <= len(
            self.labels
        ):
            raise InvalidArgumentError(
                f"{self.setid_file}: expected image numbers from 1 to {len(self.labels)}, the "
                f"number of labels in {self.label_file}, but received "
                f"{self.indexes.min()} to {self.indexes.max()}."
            )
        self._images = TarMembers(self.data_file)

    def __getitem__(self, idx: int) -> tuple[Any, np.ndarray]:
        number = int(self.indexes[idx])
        name = f"jpg/image_{number:05d}.jpg"
        image = decode(self._images.read(name), f"{name} in {self.data_file}", self.backend)
        if self.backend == "cv2":
            image = image.astype(np.float32)
        if self.transform is not None:
            image = self.transform(image)
        return image, np.array([self.labels[number - 1]], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.indexes)


def _matrix(path: str, name: str) -> np.ndarray:
    """Reads one flat array out of a MATLAB file."""
    try:
        from scipy.io import loadmat
    except ImportError as error:
        raise PreconditionNotMetError(
            "Flowers: expected SciPy, which reads the .mat label files, but it is not installed.",
            hint="pip install scipy",
        ) from error
    try:
        content = loadmat(path)
    except Exception as error:
        raise InvalidArgumentError(
            f"{path}: expected a MATLAB file, but reading it says: {error}."
        ) from error
    if name not in content:
        known = [key for key in content if not key.startswith("__")]
        raise InvalidArgumentError(
            f"{path}: expected a variable {name!r} in it, but it holds {known}."
        )
    return np.asarray(content[name]).ravel().astype(np.int64)


guard_module(globals())
