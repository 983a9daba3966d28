"""What the data sets of 1.x share: where they are kept, downloads, samples in several files."""

from __future__ import annotations

import glob
import importlib
import io
import itertools
import os
import pickle
import re
from collections.abc import Callable, Iterator
from typing import Any

import paddle.dataset
from paddle.core.errors import InvalidArgumentError, MissingFileError
from paddle.core.guards import guard_module
from paddle.utils.download import dataset_home, fetch_file
from paddle.utils.fetching import md5_of

__all__ = ["DATA_HOME", "cluster_files_reader", "download", "md5file", "split"]

HOME = os.path.expanduser("~")
# For reading; data_home() is asked before each use, so that the environment may change later.
DATA_HOME = dataset_home()
_AT_IMPORT = DATA_HOME
# What errors name where the folder cannot be written.
SETTING = "the environment variable PADDLE_DATASET_HOME or DATA_HOME"


def data_home() -> str:
    """Returns the folder of all data sets: DATA_HOME if a program assigned it, else by environment.

    Examples:
        .. code-block:: python

            import os
            from paddle.dataset.common import data_home
            os.environ["PADDLE_DATASET_HOME"] = "/data"
            print(data_home())  # /data
            del os.environ["PADDLE_DATASET_HOME"]
    """
    return dataset_home() if DATA_HOME == _AT_IMPORT else DATA_HOME


def must_mkdirs(path: str) -> None:
    """Makes a folder, unless it is there.

    Args:
        path (str): the folder; those around it are made as well.

    Examples:
        .. code-block:: python

            import os, tempfile
            from paddle.dataset.common import must_mkdirs
            path = os.path.join(tempfile.mkdtemp(), "a", "b")
            must_mkdirs(path)
            print(os.path.isdir(path))  # True
    """
    os.makedirs(path, exist_ok=True)


def md5file(fname: str) -> str:
    """Returns the MD5 checksum of a file in hexadecimal.

    Args:
        fname (str): the file.

    Examples:
        .. code-block:: python

            import pathlib, tempfile
            from paddle.dataset.common import md5file
            path = pathlib.Path(tempfile.mkdtemp(), "empty")
            path.write_bytes(b"")
            print(md5file(str(path)))  # d41d8cd98f00b204e9800998ecf8427e
    """
    return md5_of(fname)


def download(url: str, module_name: str, md5sum: str | None, save_name: str | None = None) -> str:
    """Returns the path of a data set's file, downloading it unless the right one is in the cache.

    Args:
        url (str): where the file is.
        module_name (str): folder in the cache, below DATA_HOME.
        md5sum (str|None): its MD5 checksum; None does not check.
        save_name (str|None): its name in the cache; None takes the address's last part.

    Returns:
        str: the path.

    Raises:
        RuntimeError: the file is not there and cannot be fetched; the text says where to put it.
        ValueError: a name that leads out of DATA_HOME, or ``url`` is no address.

    Examples:
        .. code-block:: python

            import os, pathlib, tempfile
            from paddle.dataset import common

            source = pathlib.Path(tempfile.mkdtemp(), "words.txt")
            source.write_text("hello")
            os.environ["PADDLE_DATASET_HOME"] = tempfile.mkdtemp()
            path = common.download(source.as_uri(), "mine", common.md5file(str(source)))
            print(path.endswith("mine/words.txt"))  # True
            del os.environ["PADDLE_DATASET_HOME"]
    """
    for argument, name in (("module_name", module_name), ("save_name", save_name)):
        if name is not None and (
            ".." in name.split("/") or not re.fullmatch(r"[\w.\-][\w/.\-]*", name)
        ):
            raise InvalidArgumentError(
                f"download({argument}): expected letters, digits and any of '_-./' that name a "
                f"place below {data_home()}, but received {name!r}."
            )
    return fetch_file(
        url, os.path.join(data_home(), module_name), md5sum, save_name, setting=SETTING
    )


def fetch_all() -> None:
    """Downloads every data set that is not in the cache; several gigabytes.

    Examples:
        .. code-block:: python

            from paddle.dataset.common import fetch_all
            print(callable(fetch_all))  # True
    """
    for name in paddle.dataset.__all__:
        fetch = getattr(importlib.import_module(f"paddle.dataset.{name}"), "fetch", None)
        if fetch is not None:
            fetch()


class _TextOrBytes(io.BufferedWriter):
    """A file for pickle.dump, which writes bytes, and for json.dump, which writes text."""

    def write(self, data: Any) -> int:
        super().write(data.encode("utf-8") if isinstance(data, str) else data)
        return len(data)


def split(
    reader: Callable[[], Any],
    line_count: int,
    suffix: str = "%05d.pickle",
    dumper: Callable[[Any, Any], Any] = pickle.dump,
) -> None:
    """Writes a reader's samples to files of ``line_count`` each, lists that ``dumper`` writes.

    Args:
        reader (callable): a reader creator.
        line_count (int): samples in a file; the last one may have fewer.
        suffix (str, optional): names of the files, with a place for their number. Default:
            ``'%05d.pickle'``.
        dumper (callable, optional): called with the list and the open file, which takes text and
            bytes. Default: pickle.dump.

    Raises:
        TypeError: ``dumper`` is no function.
        ValueError: ``line_count`` is below 1, or ``suffix`` has no place for a number.

    Examples:
        .. code-block:: python

            import tempfile
            from paddle.dataset import common

            folder = tempfile.mkdtemp()
            common.split(lambda: iter(range(5)), 2, folder + "/%05d.pickle")
            reader = common.cluster_files_reader(folder + "/*.pickle", 2, 0)
            print(list(reader()))  # [0, 1, 4]
    """
    if not callable(dumper):
        raise TypeError(
            f"split(dumper): expected a function, but received {type(dumper).__name__}."
        )
    if line_count < 1:
        raise InvalidArgumentError(
            f"split(line_count): expected at least 1, but received {line_count}."
        )
    try:
        suffix % 0
    except TypeError:
        raise InvalidArgumentError(
            f"split(suffix): expected one place for a number such as '%05d', "
            f"but received {suffix!r}."
        ) from None
    samples = iter(reader())
    for number in itertools.count():
        lines = list(itertools.islice(samples, line_count))
        if not lines:
            return
        with _TextOrBytes(io.FileIO(suffix % number, "w")) as file:
            dumper(lines, file)


def cluster_files_reader(
    files_pattern: str,
    trainer_count: int,
    trainer_id: int,
    loader: Callable[[Any], Any] = pickle.load,
) -> Callable[[], Iterator[Any]]:
    """Makes a reader of one trainer's share of the files that :func:`split` wrote.

    Args:
        files_pattern (str): the files, as ``glob`` takes it.
        trainer_count (int): number of trainers.
        trainer_id (int): which one this is, from 0 on; it gets every ``trainer_count``-th file.
        loader (callable, optional): called with a file open for bytes, returns its samples.
            Default: pickle.load, which runs what the file says: open your own files only.

    Returns:
        callable: a reader creator. It raises RuntimeError where no file fits the pattern.

    Examples:
        .. code-block:: python

            import json, tempfile
            from paddle.dataset import common

            folder = tempfile.mkdtemp()
            common.split(lambda: iter("abc"), 2, folder + "/%d.json", json.dump)
            reader = common.cluster_files_reader(folder + "/*.json", 1, 0, json.load)
            print(list(reader()))  # ['a', 'b', 'c']
    """
    if not 0 <= trainer_id < trainer_count:
        raise InvalidArgumentError(
            f"cluster_files_reader(trainer_id): expected a number from 0 to trainer_count - 1 = "
            f"{trainer_count - 1}, but received {trainer_id}."
        )
    if not callable(loader):
        raise TypeError(
            f"cluster_files_reader(loader): expected a function, "
            f"but received {type(loader).__name__}."
        )

    def read() -> Iterator[Any]:
        names = sorted(glob.glob(files_pattern))
        if not names:
            raise MissingFileError(
                f"cluster_files_reader: expected files that fit {files_pattern}, but found none."
            )
        for name in names[trainer_id::trainer_count]:
            with open(name, "rb") as file:
                yield from loader(file)

    return read


guard_module(globals(), more=("data_home", "fetch_all", "must_mkdirs"))
