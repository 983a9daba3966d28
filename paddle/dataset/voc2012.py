"""VOC2012: photos with a class for every pixel, in one archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from paddle.core.guards import guard_module
from paddle.dataset.common import download
from paddle.dataset.files import TarMembers
from paddle.dataset.image import *  # noqa: F403 - these names are found here, too
from paddle.dataset.image import decode

__all__ = ["test", "train", "val"]

VOC_URL = "http://host.robots.ox.ac.uk/pascal/VOC/voc2012/VOCtrainval_11-May-2012.tar"
VOC_MD5 = "6cd6e144f989b92b3379bac3b3de84fd"
SET_FILE = "VOCdevkit/VOC2012/ImageSets/Segmentation/{}.txt"
DATA_FILE = "VOCdevkit/VOC2012/JPEGImages/{}.jpg"
LABEL_FILE = "VOCdevkit/VOC2012/SegmentationClass/{}.png"
CACHE_DIR = "voc2012"

Reader = Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]]


def members(archive: TarMembers, sub_name: str) -> list[tuple[str, str]]:
    """Returns the names of the photos and masks of a part.

    Args:
        archive (TarMembers): the archive.
        sub_name (str): the part: ``'trainval'``, ``'train'`` or ``'val'``.

    Raises:
        ValueError: the archive does not list such a part.
    """
    names = archive.text(SET_FILE.format(sub_name)).split()
    return [(DATA_FILE.format(name), LABEL_FILE.format(name)) for name in names]


def reader_creator(filename: str, sub_name: str) -> Reader:
    """Makes a reader of a part of the archive.

    Args:
        filename (str): ``VOCtrainval_11-May-2012.tar``.
        sub_name (str): the part: ``'trainval'``, ``'train'`` or ``'val'``.

    Returns:
        callable: a reader creator of samples: the photo, uint8 [H, W, 3] in the order red, green,
        blue; and the mask, uint8 [H, W] of class numbers.
    """
    archive = TarMembers(filename)
    listed = members(archive, sub_name)

    def reader() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for photo, mask in listed:
            yield (
                decode(archive.read(photo), f"{photo} in {filename}"),
                decode(archive.read(mask), f"{mask} in {filename}"),
            )

    return reader


def train() -> Reader:
    """Returns a reader of all 2,913 photos and masks, see :func:`reader_creator`.

    Raises:
        RuntimeError: the archive is not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            print(callable(paddle.dataset.voc2012.train))  # True
    """
    return reader_creator(download(VOC_URL, CACHE_DIR, VOC_MD5), "trainval")


def test() -> Reader:
    """Returns a reader of the 1,464 photos and masks of the archive's part ``train``.

    There are no masks for the published test part.

    Raises:
        RuntimeError: the archive is not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            print(callable(paddle.dataset.voc2012.test))  # True
    """
    return reader_creator(download(VOC_URL, CACHE_DIR, VOC_MD5), "train")


def val() -> Reader:
    """Returns a reader of the 1,449 photos and masks for validation.

    Raises:
        RuntimeError: the archive is not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            print(callable(paddle.dataset.voc2012.val))  # True
    """
    return reader_creator(download(VOC_URL, CACHE_DIR, VOC_MD5), "val")


guard_module(globals())
