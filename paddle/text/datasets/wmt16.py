"""WMT16: captions of pictures, English and German."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.guards import guard_module
from paddle.dataset.files import check_mode, locate
from paddle.dataset.parsers import wmt16
from paddle.dataset.parsers.translation import turned
from paddle.dataset.parsers.wmt16 import DATA_MD5, DATA_URL
from paddle.io import Dataset

__all__ = []


class WMT16(Dataset):
    """English captions of pictures and their German translations (Multi30K).

    Args:
        data_file (str|None): ``wmt16.tar.gz``, or None for the copy in
            ``~/.cache/paddle/dataset/wmt16``.
        mode (str): ``'train'``, ``'test'`` or ``'val'``.
        src_dict_size (int): how many words of the language translated from are known, the most
            frequent ones in the texts for training, with the marks ``'<s>'``, ``'<e>'`` and
            ``'<unk>'``, which come first; at least 3, more than there are is all. It has to be
            given.
        trg_dict_size (int): the same for the language translated to.
        lang (str): what is translated from: ``'en'`` or ``'de'``.
        download (bool): whether a missing archive is downloaded.

    Returns:
        Dataset: sample ``i`` are three int64 arrays: the sentence with both marks; its translation
        with the mark of its start; the same with the mark of its end.

    Raises:
        ValueError: the archive is damaged or lacks a file, or a wrong argument.
        RuntimeError: the archive is missing and cannot be downloaded.

    Examples:
        .. code-block:: python

            from paddle.text.datasets import WMT16

            pairs = WMT16(mode="val", src_dict_size=50, trg_dict_size=50, lang="en")
            source, target, following = pairs[0]
            print(source[0], target[0], (target[1:] == following[:-1]).all(), following[-1])
            # 0 0 True 1
    """

    def __init__(
        self,
        data_file: str | None = None,
        mode: str = "train",
        src_dict_size: int = -1,
        trg_dict_size: int = -1,
        lang: str = "en",
        download: bool = True,
    ) -> None:
        self.mode = check_mode("WMT16", mode, ("train", "test", "val"))
        wmt16.check_language("WMT16", "lang", lang)
        self.lang = lang
        target = wmt16.other(lang)
        self.src_dict_size, self.trg_dict_size = wmt16.checked_sizes(
            "WMT16", src_dict_size=(src_dict_size, lang), trg_dict_size=(trg_dict_size, target)
        )
        self.data_file = locate(
            "WMT16", "data_file", data_file, DATA_URL, DATA_MD5, wmt16.FOLDER, download
        )
        name = f"wmt16/{self.mode}"
        corpus = wmt16.Corpus(self.data_file, name)
        self.src_dict = corpus.dictionary(lang, self.src_dict_size)
        self.trg_dict = corpus.dictionary(target, self.trg_dict_size)
        self.data = list(corpus.pairs(name, self.src_dict, self.trg_dict, lang))

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        return tuple(np.array(numbers, np.int64) for numbers in self.data[idx])

    def __len__(self) -> int:
        return len(self.data)

    def get_dict(self, lang: str, reverse: bool = False) -> dict[Any, Any]:
        """Returns the dictionary of a language.

        Args:
            lang (str): ``'en'`` or ``'de'``.
            reverse (bool): False: word -> number. True: number -> word. Default: False.
        """
        wmt16.check_language("get_dict", "lang", lang)
        return turned(self.src_dict if lang == self.lang else self.trg_dict, reverse)


guard_module(globals())
