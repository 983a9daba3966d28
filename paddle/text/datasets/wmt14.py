"""WMT14: French sentences and their English translations."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.guards import guard_module
from paddle.dataset.files import check_mode, locate
from paddle.dataset.parsers import wmt14
from paddle.dataset.parsers.translation import check_size, turned
from paddle.dataset.parsers.wmt14 import MD5_TRAIN, URL_TRAIN
from paddle.io import Dataset

__all__ = []


class WMT14(Dataset):
    """French sentences and their English translations, a small part of WMT14.

    Pairs with a sentence of more than 80 words are left out.

    Args:
        data_file (str|None): ``wmt14.tgz``, or None for the copy in
            ``~/.cache/paddle/dataset/wmt14``.
        mode (str): ``'train'``, ``'test'`` or ``'gen'``.
        dict_size (int): how many words of each dictionary are known, with the marks ``'<s>'``,
            ``'<e>'`` and ``'<unk>'``, which come first; at least 3. It has to be given.
        download (bool): whether a missing archive is downloaded.

    Returns:
        Dataset: sample ``i`` are three int64 arrays: the French sentence with both marks; the
        English one with the mark of its start; the same with the mark of its end.

    Raises:
        ValueError: the archive is damaged or lacks a file, or a wrong argument.
        RuntimeError: the archive is missing and cannot be downloaded.

    Examples:
        .. code-block:: python

            from paddle.text.datasets import WMT14

            pairs = WMT14(mode="train", dict_size=50)
            source, target, following = pairs[0]
            print(source[0], target[0], (target[1:] == following[:-1]).all(), following[-1])
            # 0 0 True 1
    """

    def __init__(
        self,
        data_file: str | None = None,
        mode: str = "train",
        dict_size: int = -1,
        download: bool = True,
    ) -> None:
        self.mode = check_mode("WMT14", mode, tuple(wmt14.FILES))
        check_size("WMT14", "dict_size", dict_size)
        self.dict_size = dict_size
        self.data_file = locate(
            "WMT14", "data_file", data_file, URL_TRAIN, MD5_TRAIN, wmt14.FOLDER, download
        )
        known, pairs = wmt14.load(self.data_file, wmt14.FILES[self.mode], dict_size)
        self.src_dict, self.trg_dict = known
        self.data = list(pairs)

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        return tuple(np.array(numbers, np.int64) for numbers in self.data[idx])

    def __len__(self) -> int:
        return len(self.data)

    def get_dict(self, reverse: bool = False) -> tuple[dict[Any, Any], dict[Any, Any]]:
        """Returns the French and the English dictionary.

        Args:
            reverse (bool): False: word -> number. True: number -> word. Default: False.
        """
        return turned(self.src_dict, reverse), turned(self.trg_dict, reverse)


guard_module(globals())
