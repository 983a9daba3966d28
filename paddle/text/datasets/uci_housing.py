"""UCIHousing: prices of houses in Boston."""

from __future__ import annotations

from operator import index

import numpy as np

from paddle.core.guards import guard_module
from paddle.dataset.files import check_mode, locate
from paddle.dataset.parsers import uci_housing
from paddle.dataset.parsers.uci_housing import MD5, URL
from paddle.framework import get_default_dtype
from paddle.io import Dataset

__all__ = []


class UCIHousing(Dataset):
    """Thirteen numbers about each of 506 districts of Boston, and the price of houses there.

    Args:
        data_file (str|None): ``housing.data``, lines of 14 numbers, or None for the copy in
            ``~/.cache/paddle/dataset/uci_housing``.
        mode (str): ``'train'`` for the first four fifths, ``'test'`` for the others.
        download (bool): whether a missing file is downloaded.

    Returns:
        Dataset: sample ``i`` are the features [13], each without its mean and divided by its range
        over the whole set, and the price [1], arrays of the default data type.

    Raises:
        ValueError: a line is malformed, or a wrong argument.
        RuntimeError: the file is missing and cannot be downloaded.

    Examples:
        .. code-block:: python

            from paddle.text.datasets import UCIHousing

            houses = UCIHousing(mode="train")
            features, price = houses[0]
            print(features.shape, features.dtype, price.shape)  # (13,) float32 (1,)
    """

    def __init__(
        self, data_file: str | None = None, mode: str = "train", download: bool = True
    ) -> None:
        self.mode = check_mode("UCIHousing", mode, ("train", "test"))
        self.data_file = locate(
            "UCIHousing", "data_file", data_file, URL, MD5, uci_housing.FOLDER, download
        )
        self.data = uci_housing.load(self.data_file)[self.mode == "test"]
        self.dtype = get_default_dtype()

    def __getitem__(self, idx: int) -> tuple[np.ndarray, np.ndarray]:
        # A row, where NumPy would also take lists, None and the like.
        row = self.data[range(len(self.data))[index(idx)]].astype(self.dtype)
        return row[:-1], row[-1:]

    def __len__(self) -> int:
        return len(self.data)


guard_module(globals())
