"""Photos with a class for every pixel, in the tar archive of the Pascal VOC challenge of 2012."""

from __future__ import annotations

from paddle.dataset.files import TarMembers
from paddle.dataset.parsers.archives import text_lines

__all__: list[str] = []

FOLDER = "voc2012"
MD5 = "6cd6e144f989b92b3379bac3b3de84fd"
SET_FILE = "VOCdevkit/VOC2012/ImageSets/Segmentation/{}.txt"
DATA_FILE = "VOCdevkit/VOC2012/JPEGImages/{}.jpg"
LABEL_FILE = "VOCdevkit/VOC2012/SegmentationClass/{}.png"
# There are no masks for the published test part: all is trained on, tests take the training part.
FLAGS = {"train": "trainval", "valid": "val", "test": "train"}


def pairs(archive: TarMembers, flag: str) -> list[tuple[str, str]]:
    """Returns the names of photo and mask of each sample of a part.

    Args:
        archive (TarMembers): the archive.
        flag (str): name of the list of the part.

    Raises:
        ValueError: the archive lacks the list or one of the files, or the list is no UTF-8 text.
    """
    listed = SET_FILE.format(flag)
    lines = text_lines(archive.read(listed), f"{listed} in {archive.path}")
    names = [line.strip() for line in lines if line.strip()]
    found = [(DATA_FILE.format(name), LABEL_FILE.format(name)) for name in names]
    archive.check((name for pair in found for name in pair), listed)
    return found
