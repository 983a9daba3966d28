"""Imikolov: sentences of the Penn Treebank, for models of language."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.dataset.files import check_mode, locate
from paddle.dataset.parsers import imikolov
from paddle.dataset.parsers.imikolov import MD5, URL
from paddle.io import Dataset
from paddle.reader.prefetch import check_count

__all__ = []

_FILES = {"train": imikolov.TRAIN, "test": imikolov.TEST}


class Imikolov(Dataset):
    """Sentences of the Penn Treebank: words in a row, or what is read beside what follows.

    Args:
        data_file (str|None): ``simple-examples.tgz``, or None for the copy in
            ``~/.cache/paddle/dataset/imikolov``.
        data_type (str): ``'NGRAM'``: samples are ``window_size`` words in a row. ``'SEQ'``: samples
            are sentences.
        window_size (int): for ``'NGRAM'`` the number of words, at least 1. For ``'SEQ'`` only
            sentences are taken that have, with the mark of their start, no more words; -1 takes
            all.
        mode (str): ``'train'`` or ``'test'``.
        min_word_freq (int): words that come so often in the files for training and validation, or
            less, are unknown. Default: 50.
        download (bool): whether a missing archive is downloaded.

    Attributes:
        word_idx (dict): word, as bytes, -> number, frequent words first; ``'<s>'`` and ``'<e>'``
            stand for start and end of a sentence, ``'<unk>'``, the last one, for other words.

    Returns:
        Dataset: sample ``i`` is for ``'NGRAM'`` a tuple of ``window_size`` int64 arrays of one
        number, shape []; for ``'SEQ'`` two int64 arrays of equal length: the sentence from its
        start on, and the same one word later, up to its end.

    Raises:
        ValueError: the archive is damaged or lacks a file, or a wrong argument.
        RuntimeError: the archive is missing and cannot be downloaded.

    Examples:
        .. code-block:: python

            from paddle.text.datasets import Imikolov

            grams = Imikolov(data_type="NGRAM", window_size=3, min_word_freq=0)
            print(len(grams[0]), int(grams[0][0]) == grams.word_idx["<s>"])  # 3 True
            lines = Imikolov(data_type="SEQ", min_word_freq=0)
            read, following = lines[0]
            print((read[1:] == following[:-1]).all())  # True
    """

    def __init__(
        self,
        data_file: str | None = None,
        data_type: str = "NGRAM",
        window_size: int = -1,
        mode: str = "train",
        min_word_freq: int = imikolov.MIN_WORD_FREQ,
        download: bool = True,
    ) -> None:
        if not isinstance(data_type, str) or data_type.upper() not in ("NGRAM", "SEQ"):
            raise InvalidArgumentError(
                f"Imikolov(data_type): expected 'NGRAM' or 'SEQ', but received {data_type!r}."
            )
        self.data_type = data_type.upper()
        self.mode = check_mode("Imikolov", mode, tuple(_FILES))
        check_count("Imikolov", "window_size", window_size, 1 if self.data_type == "NGRAM" else -1)
        check_count("Imikolov", "min_word_freq", min_word_freq, 0)
        self.window_size = window_size
        self.min_word_freq = min_word_freq
        self.data_file = locate(
            "Imikolov", "data_file", data_file, URL, MD5, imikolov.FOLDER, download
        )
        self.word_idx = imikolov.dictionary(self.data_file, min_word_freq)
        lines = imikolov.sentences(self.data_file, _FILES[self.mode])
        make: Any = imikolov.ngrams if self.data_type == "NGRAM" else imikolov.sequences
        self.data = list(make(lines, self.word_idx, window_size))

    def word_count(
        self, f: Iterable[Any], word_freq: dict[Any, int] | None = None
    ) -> dict[Any, int]:
        """Counts words, and a start and an end for each line.

        Args:
            f (Iterable): lines, texts or bytes.
            word_freq (dict|None): counts to add to; None starts with none.

        Returns:
            dict: word -> how often it came.
        """
        counts = {} if word_freq is None else word_freq
        imikolov.counted(f, counts)
        return counts

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        return tuple(np.array(part, np.int64) for part in self.data[idx])

    def __len__(self) -> int:
        return len(self.data)


guard_module(globals())
