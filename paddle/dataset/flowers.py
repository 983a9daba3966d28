"""Photos of flowers as readers of 1.x; ``paddle.vision.datasets.Flowers`` is the same as a class.

The functions of :mod:`paddle.dataset.image` are found here too, as in 1.x.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.dataset.common import download  # noqa: F401 - 1.x has it here, too
from paddle.dataset.image import *  # noqa: F403
from paddle.dataset.image import load_image_bytes, simple_transform
from paddle.dataset.parsers import flowers
from paddle.reader import map_readers, xmap_readers

__all__ = ["test", "train", "valid"]

(DATA_URL, DATA_MD5), (LABEL_URL, LABEL_MD5), (SETID_URL, SETID_MD5) = flowers.SOURCES.values()
TRAIN_FLAG, TEST_FLAG, VALID_FLAG = (flowers.FLAGS[mode] for mode in ("train", "test", "valid"))

Mapper = Callable[[tuple[bytes, int]], Any]
Reader = Callable[[], Iterator[Any]]
_MEAN = (103.94, 116.78, 123.68)  # of blue, green and red in photos
_MOST_THREADS = 4


def default_mapper(is_train: bool, sample: tuple[bytes, int]) -> tuple[np.ndarray, int]:
    """Turns an image file into the numbers that a network takes.

    Args:
        is_train (bool): whether to cut and mirror at random, or to take the middle.
        sample (tuple): the file's bytes, and the label.

    Returns:
        tuple: a flat float32 array of 3 x 224 x 224 values, less the channels' means; the label.

    Examples:
        .. code-block:: python

            import io
            from PIL import Image
            from paddle.dataset import flowers

            file = io.BytesIO()
            Image.new("RGB", (300, 280)).save(file, "JPEG")
            pixels, label = flowers.default_mapper(False, (file.getvalue(), 7))
            print(pixels.shape, label)  # (150528,) 7
    """
    content, label = sample
    made = simple_transform(load_image_bytes(content), 256, 224, is_train, mean=_MEAN)
    return made.flatten(), label


train_mapper = functools.partial(default_mapper, True)
test_mapper = functools.partial(default_mapper, False)


def reader_creator(
    data_file: str,
    label_file: str,
    setid_file: str,
    dataset_name: str,
    mapper: Mapper,
    buffered_size: int = 1024,
    use_xmap: bool = True,
    cycle: bool = False,
) -> Reader:
    """Makes a reader of a part of the photos.

    Args:
        data_file (str): ``102flowers.tgz``.
        label_file (str): ``imagelabels.mat``.
        setid_file (str): ``setid.mat``.
        dataset_name (str): the part in it: ``'tstid'``, ``'trnid'`` or ``'valid'``.
        mapper (callable): called with each pair of an image file's bytes and a label, from 0 on.
        buffered_size (int, optional): how many samples wait, read or mapped. Default: 1024.
        use_xmap (bool, optional): whether up to four threads map; the order stays. Default: True.
        cycle (bool, optional): whether to begin again at the end, without end. Default: False.

    Returns:
        callable: gives an iterator over what the mapper returns, in the archive's order.

    Raises:
        ValueError: a file is damaged or lacks the part.
        RuntimeError: SciPy, which reads the .mat files, is not installed.

    Examples:
        .. code-block:: python

            import os
            from paddle.dataset import common, flowers
            names = ("102flowers.tgz", "imagelabels.mat", "setid.mat")
            paths = [os.path.join(common.data_home(), "flowers", name) for name in names]
            reader = flowers.reader_creator(*paths, "tstid", lambda sample: sample[1])
            print(all(0 <= label < 102 for label in reader()))  # True
    """
    if buffered_size < 1:
        raise InvalidArgumentError(
            f"flowers(buffered_size): expected at least 1, but received {buffered_size}."
        )
    part = flowers.read_part(label_file, setid_file, dataset_name)

    def read() -> Iterator[tuple[str, bytes, int]]:
        while True:
            yield from flowers.photos(data_file, part)
            if not cycle or not part.numbers.size:
                return

    def mapped(photo: tuple[str, bytes, int]) -> Any:
        name, content, label = photo
        try:
            return mapper((content, label - 1))
        except InvalidArgumentError as error:
            said = str(error).removeprefix("(InvalidArgument) ")
            raise InvalidArgumentError(f"{name} in {data_file}: {said}") from error

    if not use_xmap:
        return map_readers(mapped, read)
    threads = min(_MOST_THREADS, os.cpu_count() or 1)
    return xmap_readers(mapped, read, threads, buffered_size, order=True)


def train(
    mapper: Mapper = train_mapper,
    buffered_size: int = 1024,
    use_xmap: bool = True,
    cycle: bool = False,
) -> Reader:
    """Makes a reader of the photos for training, 6149 of the true archive.

    Args:
        mapper (callable, optional): called with each pair of an image file's bytes and a label.
            Default: :func:`default_mapper` for training.
        buffered_size (int, optional): how many samples wait, read or mapped. Default: 1024.
        use_xmap (bool, optional): whether up to four threads map. Default: True.
        cycle (bool, optional): whether to begin again at the end, without end. Default: False.

    Returns:
        callable: gives an iterator over pairs of a flat float32 array and a label from 0 to 101.

    Examples:
        .. code-block:: python

            from paddle.dataset import flowers
            pixels, label = next(flowers.train()())
            print(pixels.shape, pixels.dtype)  # (150528,) float32
    """
    return _part("train", mapper, buffered_size, use_xmap, cycle)


def test(
    mapper: Mapper = test_mapper,
    buffered_size: int = 1024,
    use_xmap: bool = True,
    cycle: bool = False,
) -> Reader:
    """Makes a reader of the photos for tests, 1020 of the true archive.

    Args:
        mapper (callable, optional): as for :func:`train`. Default: :func:`default_mapper` for
            tests.
        buffered_size (int, optional): how many samples wait, read or mapped. Default: 1024.
        use_xmap (bool, optional): whether up to four threads map. Default: True.
        cycle (bool, optional): whether to begin again at the end, without end. Default: False.

    Examples:
        .. code-block:: python

            from paddle.dataset import flowers
            pixels, label = next(flowers.test(use_xmap=False)())
            print(pixels.shape, 0 <= label < 102)  # (150528,) True
    """
    return _part("test", mapper, buffered_size, use_xmap, cycle)


def valid(mapper: Mapper = test_mapper, buffered_size: int = 1024, use_xmap: bool = True) -> Reader:
    """Makes a reader of the photos for validation, 1020 of the true archive.

    Args:
        mapper (callable, optional): as for :func:`train`. Default: :func:`default_mapper` for
            tests.
        buffered_size (int, optional): how many samples wait, read or mapped. Default: 1024.
        use_xmap (bool, optional): whether up to four threads map. Default: True.

    Examples:
        .. code-block:: python

            from paddle.dataset import flowers
            content, label = next(flowers.valid(mapper=lambda sample: sample)())
            print(type(content), 0 <= label < 102)  # <class 'bytes'> True
    """
    return _part("valid", mapper, buffered_size, use_xmap, False)


def _part(mode: str, mapper: Mapper, buffered_size: int, use_xmap: bool, cycle: bool) -> Reader:
    data, labels, setid = _files()
    flag = flowers.FLAGS[mode]
    return reader_creator(data, labels, setid, flag, mapper, buffered_size, use_xmap, cycle)


def _files() -> list[str]:
    return [flowers.path_of("paddle.dataset.flowers", n, None, True) for n in flowers.SOURCES]


def fetch() -> None:
    """Downloads the three files, unless they are in the cache.

    Examples:
        .. code-block:: python

            from paddle.dataset import flowers
            flowers.fetch()
    """
    _files()


guard_module(globals(), more=("default_mapper", "fetch", "reader_creator"))
