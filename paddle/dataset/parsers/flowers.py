"""The Oxford 102 category flowers: photos in a tar archive, labels and parts in MATLAB files."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.dataset.files import locate
from paddle.dataset.parsers.archives import missing, tar_files
from paddle.dataset.parsers.labels import check_labels

__all__: list[str] = []

FOLDER = "flowers"
_PREFIX = "http://paddlemodels.bj.bcebos.com/flowers/"
# By the argument that gives the file: address and checksum.
SOURCES = {
    "data_file": (_PREFIX + "102flowers.tgz", "52808999861908f626f3c1f4e79d11fa"),
    "label_file": (_PREFIX + "imagelabels.mat", "e0620be6f572b9609742df49c70aed4d"),
    "setid_file": (_PREFIX + "setid.mat", "a5357ecc9cb78c4bef273ce3793fc85c"),
}
# The larger part of the published split is the one trained on.
FLAGS = {"train": "tstid", "valid": "valid", "test": "trnid"}
KINDS = 102


class Part(NamedTuple):
    """The photos of a part: their numbers, and the labels, from 1 on, of all photos."""

    numbers: np.ndarray
    labels: np.ndarray


def path_of(api: str, argument: str, given: str | None, download: bool, shown: str = "") -> str:
    """Returns the path of one of the files.

    Args:
        api (str): name of the data set, for messages.
        argument (str): key of ``SOURCES``.
        given (str|None): the path that the user gave.
        download (bool): whether a file that is not in the cache is downloaded.
        shown (str): name of the argument that gives the file; '' where there is none.
    """
    return locate(api, shown, given, *SOURCES[argument], FOLDER, download)


def name_of(number: int) -> str:
    """The name of a photo in the archive."""
    return f"jpg/image_{number:05d}.jpg"


def read_part(label_file: str, setid_file: str, flag: str) -> Part:
    """Reads which photos a part has, and the labels.

    Args:
        label_file (str): ``imagelabels.mat``.
        setid_file (str): ``setid.mat``.
        flag (str): name of the part in it.

    Raises:
        ValueError: a file is damaged or lacks the part; a label or a number is out of range.
        RuntimeError: SciPy is not installed.
    """
    labels = matrix(label_file, "labels")
    check_labels(label_file, labels, 1, KINDS)
    numbers = matrix(setid_file, flag)
    if numbers.size and not 1 <= numbers.min() <= numbers.max() <= len(labels):
        raise InvalidArgumentError(
            f"{setid_file}: expected image numbers from 1 to {len(labels)}, the number of labels "
            f"in {label_file}, but received {numbers.min()} to {numbers.max()}."
        )
    return Part(numbers, labels)


def photos(data_file: str, part: Part) -> Iterator[tuple[str, bytes, int]]:
    """Yields names, contents and labels of the photos of a part, in the order of the archive.

    Raises:
        ValueError: the archive is damaged or lacks a photo.
    """
    wanted = {name_of(n): int(part.labels[n - 1]) for n in part.numbers.tolist()}
    left = dict.fromkeys(wanted)
    there: list[str] = []

    def want(name: str) -> bool:
        there.append(name)
        return name in wanted

    for name, content in tar_files(data_file, want):
        left.pop(name, None)
        yield name, content, wanted[name]
    if left:
        raise missing(data_file, next(iter(left)), there)


def matrix(path: str, name: str) -> np.ndarray:
    """Reads one flat array out of a MATLAB file."""
    try:
        loadmat = importlib.import_module("scipy.io").loadmat
    except ImportError as error:
        raise PreconditionNotMetError(
            f"{path}: expected SciPy, which reads the .mat label files, but it is not installed.",
            hint="pip install scipy",
        ) from error
    try:
        content = loadmat(path)
    except Exception as error:
        raise InvalidArgumentError(
            f"{path}: expected a MATLAB file, but reading it says: {error}."
        ) from error
    if name not in content:
        known = [key for key in content if not key.startswith("__")]
        raise InvalidArgumentError(
            f"{path}: expected a variable {name!r} in it, but it holds {known}."
        )
    return np.asarray(content[name]).ravel().astype(np.int64)
