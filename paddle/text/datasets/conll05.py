"""Conll05st: sentences with the parts that their predicates give them."""

from __future__ import annotations

import numpy as np

from paddle.core.guards import guard_module
from paddle.dataset.files import locate
from paddle.dataset.parsers import conll05
from paddle.dataset.parsers.conll05 import (
    DATA_MD5,
    DATA_URL,
    EMB_MD5,
    EMB_URL,
    TRGDICT_MD5,
    TRGDICT_URL,
    VERBDICT_MD5,
    VERBDICT_URL,
    WORDDICT_MD5,
    WORDDICT_URL,
)
from paddle.io import Dataset

__all__ = []


class Conll05st(Dataset):
    """The tests of CoNLL-2005 (sections of the Wall Street Journal), which are free of charge.

    A sentence comes once for each of its predicates.

    Args:
        data_file (str|None): ``conll05st-tests.tar.gz``; for this and the others None means the
            copy in ``~/.cache/paddle/dataset/conll05st``.
        word_dict_file (str|None): ``wordDict.txt``, a word in each line; its place is its number.
        verb_dict_file (str|None): ``verbDict.txt``, likewise for predicates.
        target_dict_file (str|None): ``targetDict.txt``, likewise for labels.
        emb_file (str|None): ``emb``, word vectors; only :meth:`get_embedding` tells where it is.
        download (bool): whether missing files are downloaded.

    Returns:
        Dataset: sample ``i`` are nine int64 arrays [length of the sentence]: the words; the words
        two before, one before, at, one and two behind the predicate, each repeated; the predicate,
        repeated; 1 for these five words and 0 for others; the labels.

    Raises:
        ValueError: the archive is damaged, or a line is malformed.
        RuntimeError: a file is missing and cannot be downloaded.

    Examples:
        .. code-block:: python

            from paddle.text.datasets import Conll05st

            sentences = Conll05st()
            words, *around, predicate, mark, labels = sentences[0]
            print(len(around), len(words) == len(labels), set(mark.tolist()) <= {0, 1})
            # 5 True True
    """

    def __init__(
        self,
        data_file: str | None = None,
        word_dict_file: str | None = None,
        verb_dict_file: str | None = None,
        target_dict_file: str | None = None,
        emb_file: str | None = None,
        download: bool = True,
    ) -> None:
        def found(argument: str, given: str | None, url: str, md5: str) -> str:
            return locate("Conll05st", argument, given, url, md5, conll05.FOLDER, download)

        self.data_file = found("data_file", data_file, DATA_URL, DATA_MD5)
        self.word_dict_file = found("word_dict_file", word_dict_file, WORDDICT_URL, WORDDICT_MD5)
        self.verb_dict_file = found("verb_dict_file", verb_dict_file, VERBDICT_URL, VERBDICT_MD5)
        self.target_dict_file = found(
            "target_dict_file", target_dict_file, TRGDICT_URL, TRGDICT_MD5
        )
        self.emb_file = found("emb_file", emb_file, EMB_URL, EMB_MD5)
        self._numbers = conll05.Numbers(
            conll05.load_dict(self.word_dict_file),
            conll05.load_dict(self.verb_dict_file),
            conll05.load_label_dict(self.target_dict_file),
        )
        self.word_dict, self.predicate_dict, self.label_dict = self._numbers
        self._sentences = list(conll05.sentences(self.data_file))

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        fields = self._numbers.sample(self._sentences[idx])
        return tuple(np.array(field, np.int64) for field in fields)

    def __len__(self) -> int:
        return len(self._sentences)

    def get_dict(self) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
        """Returns the dictionaries of words, predicates and labels; each gives numbers."""
        return self.word_dict, self.predicate_dict, self.label_dict

    def get_embedding(self) -> str:
        """Returns the path of the file with word vectors."""
        return self.emb_file


guard_module(globals())
