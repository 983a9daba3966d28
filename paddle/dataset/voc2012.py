"""Photos with masks as readers of 1.x; ``paddle.vision.datasets.VOC2012`` is the same as a class.

The functions of :mod:`paddle.dataset.image` are found here too, as in 1.x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from paddle.core.guards import guard_module
from paddle.dataset.common import download  # noqa: F401 - 1.x has it here, too
from paddle.dataset.files import TarMembers, locate
from paddle.dataset.image import *  # noqa: F403
from paddle.dataset.parsers import voc2012
from paddle.dataset.parsers.pictures import opened
from paddle.dataset.parsers.voc2012 import DATA_FILE, LABEL_FILE, SET_FILE  # noqa: F401

__all__ = ["test", "train", "val"]

VOC_URL = "http://host.robots.ox.ac.uk/pascal/VOC/voc2012/VOCtrainval_11-May-2012.tar"
VOC_MD5 = voc2012.MD5
CACHE_DIR = voc2012.FOLDER

Reader = Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]]


def _archive() -> str:
    return locate("paddle.dataset.voc2012", "", None, VOC_URL, VOC_MD5, CACHE_DIR, True)


def reader_creator(filename: str, sub_name: str) -> Reader:
    """Makes a reader of a part of the archive.

    Args:
        filename (str): the archive.
        sub_name (str): name of the part's list: ``'trainval'``, ``'train'`` or ``'val'``.

    Returns:
        callable: gives an iterator over pairs of a photo, uint8 [H, W, 3], red first, and its
        mask, uint8 [H, W], class numbers; 255 is undecided.

    Raises:
        ValueError: the archive is damaged, or lacks the part or one of its files.

    Examples:
        .. code-block:: python

            import os
            from paddle.dataset import common, voc2012
            path = os.path.join(common.data_home(), "voc2012", "VOCtrainval_11-May-2012.tar")
            photo, mask = next(voc2012.reader_creator(path, "val")())
            print(photo.shape[:2] == mask.shape)  # True
    """
    archive = TarMembers(filename)
    pairs = voc2012.pairs(archive, sub_name)

    def reader() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for pair in pairs:
            photo, mask = (
                np.array(opened(archive.read(name), f"{name} in {filename}")) for name in pair
            )
            yield photo, mask

    return reader


def train() -> Reader:
    """Makes a reader of the photos for training: all 2913.

    Returns:
        callable: gives an iterator over pairs of a photo, uint8 [H, W, 3], and its mask,
        uint8 [H, W].

    Examples:
        .. code-block:: python

            from paddle.dataset import voc2012
            photo, mask = next(voc2012.train()())
            print(photo.dtype, photo.shape[:2] == mask.shape)  # uint8 True
    """
    return reader_creator(_archive(), voc2012.FLAGS["train"])


def test() -> Reader:
    """Makes a reader of the 1464 photos of the published training part, as :func:`train`.

    Examples:
        .. code-block:: python

            from paddle.dataset import voc2012
            photo, mask = next(voc2012.test()())
            print(mask.ndim)  # 2
    """
    return reader_creator(_archive(), voc2012.FLAGS["test"])


def val() -> Reader:
    """Makes a reader of the 1449 photos for validation, as :func:`train`.

    Examples:
        .. code-block:: python

            from paddle.dataset import voc2012
            photo, mask = next(voc2012.val()())
            print(photo.ndim)  # 3
    """
    return reader_creator(_archive(), voc2012.FLAGS["valid"])


def fetch() -> None:
    """Downloads the archive, unless it is in the cache.

    Examples:
        .. code-block:: python

            from paddle.dataset import voc2012
            voc2012.fetch()
    """
    _archive()


guard_module(globals(), more=("fetch", "reader_creator"))
