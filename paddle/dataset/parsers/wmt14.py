"""French sentences and English translations, a part of WMT14 in a tar archive (wmt14.tgz)."""

from __future__ import annotations

from collections.abc import Iterator

from paddle.dataset.parsers.archives import tar_members, text_lines
from paddle.dataset.parsers.translation import Pair, pairs, require_marks

__all__: list[str] = []

URL_DEV_TEST = "http://www-lium.univ-lemans.fr/~schwenk/cslm_joint_paper/data/dev+test.tgz"
MD5_DEV_TEST = "7d7897317ddd8ba0ae5c5fa7248d3ff5"
URL_TRAIN = "http://paddlemodels.bj.bcebos.com/wmt/wmt14.tgz"
MD5_TRAIN = "0791583d57d5beb693b9414c5b36798c"
URL_MODEL = "http://paddlemodels.bj.bcebos.com/wmt%2Fwmt14.tgz"
MD5_MODEL = "0cb4a5366189b6acba876491c8724fa3"
FOLDER = "wmt14"

DICTIONARIES = ("src.dict", "trg.dict")
FILES = {mode: f"{mode}/{mode}" for mode in ("train", "test", "gen")}
_LONGEST = 80  # of the source with its marks, and of the target without

Dictionaries = tuple[dict[str, int], dict[str, int]]


def dictionaries(path: str, size: int) -> Dictionaries:
    """Source and target dictionary, the first ``size`` words of each.

    Raises:
        ValueError: the archive is damaged or lacks a dictionary.
    """
    return _dictionaries(path, tar_members(path, DICTIONARIES), size)


def _dictionaries(path: str, contents: dict[str, bytes], size: int) -> Dictionaries:
    source, target = (_numbered(contents[n], f"{n} in {path}", size) for n in DICTIONARIES)
    return source, target


def _numbered(content: bytes, where: str, size: int) -> dict[str, int]:
    words = text_lines(content, where)[:size]
    return require_marks({word.strip(): number for number, word in enumerate(words)}, where)


def load(path: str, name: str, size: int) -> tuple[Dictionaries, Iterator[Pair]]:
    """Reads a file of pairs: the dictionaries and an iterator over the pairs, long ones left out.

    Args:
        path (str): the archive.
        name (str): the file in it, such as ``'train/train'``; the end of its path is enough.
        size (int): number of words in each dictionary.

    Raises:
        ValueError: the archive is damaged or lacks a file.
    """
    contents = tar_members(path, [*DICTIONARIES, name])
    known = _dictionaries(path, contents, size)
    lines = text_lines(contents[name], f"{name} in {path}")
    short = (
        pair
        for pair in pairs(lines, *known)
        if len(pair.source) <= _LONGEST and len(pair.target) <= _LONGEST + 1
    )
    return known, short
