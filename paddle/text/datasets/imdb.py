"""Imdb: reviews of films, praising or not."""

from __future__ import annotations

import numpy as np

from paddle.core.guards import guard_module
from paddle.dataset.files import check_mode, locate
from paddle.dataset.parsers import imdb
from paddle.dataset.parsers.imdb import MD5, URL
from paddle.io import Dataset
from paddle.reader.prefetch import check_count

__all__ = []


class Imdb(Dataset):
    """Reviews of films as numbers of their words, 25,000 for training and as many for tests.

    Texts are lowered, and punctuation is dropped; other characters than those of ASCII stay as the
    bytes they are, whatever their encoding.

    Args:
        data_file (str|None): ``aclImdb_v1.tar.gz``, or None for the copy in
            ``~/.cache/paddle/dataset/imdb``.
        mode (str): ``'train'`` or ``'test'``.
        cutoff (int): words that come so often in the whole set, or less, are unknown. Default: 150.
        download (bool): whether a missing archive is downloaded.

    Attributes:
        word_idx (dict): word, as bytes, -> number, frequent words first; at last ``'<unk>'``.

    Returns:
        Dataset: sample ``i`` is the review, an int64 array [number of words], and its label, an
        int64 array [1]: 0 for praise, 1 for blame. All those that praise come first.

    Raises:
        ValueError: the archive is damaged or lacks reviews, or a wrong argument.
        RuntimeError: the archive is missing and cannot be downloaded.

    Examples:
        .. code-block:: python

            from paddle.text.datasets import Imdb

            reviews = Imdb(mode="train", cutoff=0)
            words, label = reviews[0]
            print(words.dtype, words.max() < len(reviews.word_idx), label)  # int64 True [0]
    """

    def __init__(
        self,
        data_file: str | None = None,
        mode: str = "train",
        cutoff: int = imdb.CUTOFF,
        download: bool = True,
    ) -> None:
        self.mode = check_mode("Imdb", mode, ("train", "test"))
        check_count("Imdb", "cutoff", cutoff, 0)
        self.data_file = locate("Imdb", "data_file", data_file, URL, MD5, imdb.FOLDER, download)
        self.word_idx, self.docs, self.labels = imdb.labelled(self.data_file, self.mode, cutoff)

    def __getitem__(self, idx: int) -> tuple[np.ndarray, np.ndarray]:
        return self.docs[idx].copy(), np.array([self.labels[idx]], np.int64)

    def __len__(self) -> int:
        return len(self.docs)


guard_module(globals())
