"""Flowers: photos of 102 kinds of flowers, an archive of JPEGs and two MATLAB files."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.guards import guard_module
from paddle.dataset.common import download
from paddle.dataset.files import TarMembers
from paddle.dataset.image import *  # noqa: F403 - these names are found here, too
from paddle.dataset.image import images_in_tar, load_image_bytes, simple_transform
from paddle.reader import map_readers, xmap_readers

__all__ = ["test", "train", "valid"]

_PREFIX = "http://paddlemodels.bj.bcebos.com/flowers/"
DATA_URL = _PREFIX + "102flowers.tgz"
LABEL_URL = _PREFIX + "imagelabels.mat"
SETID_URL = _PREFIX + "setid.mat"
DATA_MD5 = "52808999861908f626f3c1f4e79d11fa"
LABEL_MD5 = "e0620be6f572b9609742df49c70aed4d"
SETID_MD5 = "a5357ecc9cb78c4bef273ce3793fc85c"
# The larger part of the published split is the one trained on.
TRAIN_FLAG = "tstid"
TEST_FLAG = "trnid"
VALID_FLAG = "valid"

_CLASSES = 102
_MEAN = [103.94, 116.78, 123.68]

Reader = Callable[[], Iterator[Any]]


def member(number: int) -> str:
    """Returns the name of an image in the archive.

    Args:
        number (int): its number, from 1 on.
    """
    return f"jpg/image_{number:05d}.jpg"


def labels_and_numbers(
    label_file: str, setid_file: str, dataset_name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Reads the labels of all images, from 1 to 102, and the numbers of the images of a part.

    Args:
        label_file (str): ``imagelabels.mat``.
        setid_file (str): ``setid.mat``.
        dataset_name (str): the part: ``'tstid'``, ``'trnid'`` or ``'valid'``.

    Raises:
        RuntimeError: SciPy is not installed.
        ValueError: a file is damaged, or does not fit the other one.
    """
    labels, numbers = _matrix(label_file, "labels"), _matrix(setid_file, dataset_name)
    if labels.size and not 1 <= labels.min() <= labels.max() <= _CLASSES:
        raise InvalidArgumentError(
            f"{label_file}: expected labels from 1 to {_CLASSES}, "
            f"but received {labels.min()} to {labels.max()}."
        )
    if numbers.size and not 1 <= numbers.min() <= numbers.max() <= len(labels):
        raise InvalidArgumentError(
            f"{setid_file}: expected image numbers from 1 to {len(labels)}, the number of labels "
            f"in {label_file}, but received {numbers.min()} to {numbers.max()}."
        )
    return labels, numbers


def _matrix(path: str, name: str) -> np.ndarray:
    """Reads one flat array out of a MATLAB file."""
    try:
        from scipy.io import loadmat
    except ImportError as error:
        raise PreconditionNotMetError(
            "flowers: expected SciPy, which reads the .mat label files, but it is not installed.",
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


def default_mapper(is_train: bool, sample: tuple[bytes, int]) -> tuple[np.ndarray, int]:
    """Decodes a photo and prepares it for a network of 224 x 224 pixels.

    Args:
        is_train (bool): crop at a random place and mirror half of the photos.
        sample (tuple): the encoded photo, and its label.

    Returns:
        tuple: float32 [150528], in the order channel (blue, green, red), row, column; the label.
    """
    content, label = sample
    image = simple_transform(load_image_bytes(content), 256, 224, is_train, mean=_MEAN)
    return image.flatten(), label


train_mapper = functools.partial(default_mapper, True)
test_mapper = functools.partial(default_mapper, False)


def reader_creator(
    data_file: str,
    label_file: str,
    setid_file: str,
    dataset_name: str,
    mapper: Callable[[Any], Any],
    buffered_size: int = 1024,
    use_xmap: bool = True,
    cycle: bool = False,
) -> Reader:
    """Makes a reader of a part of the photos, in the order of the archive.

    Args:
        data_file (str): ``102flowers.tgz``.
        label_file (str): ``imagelabels.mat``.
        setid_file (str): ``setid.mat``.
        dataset_name (str): the part: ``'tstid'``, ``'trnid'`` or ``'valid'``.
        mapper (callable): called with the encoded photo and its label, from 0 to 101.
        buffered_size (int, optional): how many photos may be under way. Default: 1024.
        use_xmap (bool, optional): call ``mapper`` in up to four threads; samples come as they are
            ready. Default: True.
        cycle (bool, optional): start again at the end, without end. Default: False.

    Returns:
        callable: a reader creator of what ``mapper`` returns.
    """

    def reader() -> Iterator[tuple[bytes, int]]:
        labels, numbers = labels_and_numbers(label_file, setid_file, dataset_name)
        wanted = {member(n): int(labels[n - 1]) - 1 for n in numbers.tolist()}
        archive = TarMembers(data_file)
        try:
            for name in wanted:
                if name not in archive:
                    archive.read(name)  # says what is missing, before anything is trained on
            while True:
                yield from images_in_tar(archive, wanted)
                if not cycle:
                    return
        finally:
            archive.close()

    if use_xmap:
        return xmap_readers(mapper, reader, min(4, os.cpu_count() or 1), buffered_size)
    return map_readers(mapper, reader)


def train(
    mapper: Callable[[Any], Any] = train_mapper,
    buffered_size: int = 1024,
    use_xmap: bool = True,
    cycle: bool = False,
) -> Reader:
    """Returns a reader of the 6,149 photos for training.

    Args:
        mapper (callable, optional): called with the encoded photo and its label, from 0 to 101.
            Default: :func:`default_mapper` for training.
        buffered_size (int, optional): how many photos may be under way. Default: 1024.
        use_xmap (bool, optional): call ``mapper`` in up to four threads. Default: True.
        cycle (bool, optional): start again at the end, without end. Default: False.

    Raises:
        RuntimeError: files are not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            print(callable(paddle.dataset.flowers.train))  # True
    """
    return _reader(TRAIN_FLAG, mapper, buffered_size, use_xmap, cycle)


def test(
    mapper: Callable[[Any], Any] = test_mapper,
    buffered_size: int = 1024,
    use_xmap: bool = True,
    cycle: bool = False,
) -> Reader:
    """Returns a reader of the 1,020 photos for tests.

    Args:
        mapper (callable, optional): called with the encoded photo and its label, from 0 to 101.
            Default: :func:`default_mapper` for tests.
        buffered_size (int, optional): how many photos may be under way. Default: 1024.
        use_xmap (bool, optional): call ``mapper`` in up to four threads. Default: True.
        cycle (bool, optional): start again at the end, without end. Default: False.

    Raises:
        RuntimeError: files are not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            print(callable(paddle.dataset.flowers.test))  # True
    """
    return _reader(TEST_FLAG, mapper, buffered_size, use_xmap, cycle)


def valid(
    mapper: Callable[[Any], Any] = test_mapper, buffered_size: int = 1024, use_xmap: bool = True
) -> Reader:
    """Returns a reader of the 1,020 photos for validation.

    Args:
        mapper (callable, optional): called with the encoded photo and its label, from 0 to 101.
            Default: :func:`default_mapper` for tests.
        buffered_size (int, optional): how many photos may be under way. Default: 1024.
        use_xmap (bool, optional): call ``mapper`` in up to four threads. Default: True.

    Raises:
        RuntimeError: files are not in the cache and cannot be downloaded.

    Examples:
        .. code-block:: python

            import paddle
            print(callable(paddle.dataset.flowers.valid))  # True
    """
    return _reader(VALID_FLAG, mapper, buffered_size, use_xmap, False)


def _reader(flag: str, mapper: Any, buffered_size: int, use_xmap: bool, cycle: bool) -> Reader:
    return reader_creator(*_paths(), flag, mapper, buffered_size, use_xmap, cycle)


def _paths() -> tuple[str, str, str]:
    return (
        download(DATA_URL, "flowers", DATA_MD5),
        download(LABEL_URL, "flowers", LABEL_MD5),
        download(SETID_URL, "flowers", SETID_MD5),
    )


def fetch() -> None:
    """Downloads the three files, unless they are in the cache."""
    _paths()


guard_module(globals())
