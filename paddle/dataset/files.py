"""Files of data sets: found in the cache or fetched, unpacked, read out of archives."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import shutil
import tarfile
import tempfile
import urllib.parse
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from paddle.core.errors import InvalidArgumentError, NotFoundError, UnavailableError
from paddle.dataset.common import SETTING, data_home
from paddle.utils.download import fetch_file
from paddle.utils.unpacking import DAMAGE

__all__: list[str] = []

_REFETCH = "delete the file, so that it is fetched again"


@contextmanager
def reading(path: str, kind: str) -> Iterator[None]:
    """Turns what libraries say of a damaged file into an error that names it."""
    try:
        yield
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except DAMAGE as error:
        said = (str(error) or type(error).__name__).splitlines()[0].rstrip(":")
        raise InvalidArgumentError(
            f"{path}: expected a complete {kind}, but reading it says: {said}.", hint=_REFETCH
        ) from error


def open_maybe_gzip(path: str) -> bytes:
    """Returns the contents of a file, unpacked where its first bytes say gzip.

    Raises:
        RuntimeError: there is no such file.
        ValueError: the packed data is damaged.
    """
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        raise NotFoundError(f"expected a file at {path}, but there is none.") from None
    if content[:2] != b"\x1f\x8b":
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise InvalidArgumentError(
            f"{path} is damaged: expected a complete gzip file, but unpacking it says: {error}.",
            hint=_REFETCH,
        ) from error


def check_mode(api: str, mode: Any, modes: tuple[str, ...]) -> str:
    """Returns the part of a data set that is asked for, in lower case.

    Args:
        api (str): name of the data set, for messages.
        mode (str): the part, in any case.
        modes (tuple): the parts there are.
    """
    if not isinstance(mode, str) or mode.lower() not in modes:
        raise InvalidArgumentError(
            f"{api}(mode): expected one of {list(modes)}, but received {mode!r}."
        )
    return mode.lower()


def locate(
    api: str,
    argument: str,
    given: str | None,
    url: str,
    md5: str,
    folder: str,
    download: bool,
    hint: str = "",
) -> str:
    """Returns the path of a dataset's file: the one given, the cached one, or a fresh download.

    Args:
        api (str): name of the dataset, for messages.
        argument (str): name of the argument that gives the file; '' where there is none.
        given (str|None): its value.
        url (str): where the file can be had.
        md5 (str): its MD5 checksum.
        folder (str): name of the folder in the cache.
        download (bool): whether to download a file that is not in the cache.
        hint (str): what else the user can do where the file is missing.
    """
    if given is not None and not isinstance(given, (str, os.PathLike)):
        raise TypeError(
            f"{api}({argument}): expected the path of a file, a str, "
            f"but received {type(given).__name__}."
        )
    if given:
        if not os.path.isfile(given):
            raise NotFoundError(
                f"{api}({argument}): expected a file at {given}, but there is none."
            )
        return os.fspath(given)
    in_url = url.rsplit("/", 1)[1]
    name = urllib.parse.unquote(in_url).rpartition("/")[2]
    home = os.path.join(data_home(), folder)
    # All that reads .gz files reads them unpacked; PaddlePaddle leaves %2F in the cache's names.
    for known in (name.removesuffix(".gz"), name, in_url):
        if os.path.isfile(os.path.join(home, known)):
            return os.path.join(home, known)
    hint = ", or ".join(
        [
            f"put {name} into {home}",
            *([f"give {argument}"] if argument else []),
            *filter(None, [hint]),
        ]
    )
    if not download:
        raise UnavailableError(
            f"{api}: {argument} is not given, download is False and there is no "
            f"{os.path.join(home, name)}.",
            hint=hint,
        )
    return fetch_file(url, home, md5, hint=hint, setting=SETTING)


def open_packed(path: str) -> IO[bytes]:
    """Opens a file for reading, unpacked where its first bytes say gzip, bzip2 or xz."""
    file = open(path, "rb")  # noqa: SIM115 - the caller closes it
    start = file.read(2)
    file.seek(0)
    openers = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}
    if start not in openers:
        return file
    file.close()
    return openers[start](path)  # type: ignore[operator]


class TarMembers:
    """Random access to the files in a tar archive, from several processes at once.

    Reading by position moves no shared file offset, so workers that inherited the file do not
    disturb each other. A compressed archive is unpacked to a temporary file without a name.

    Args:
        path (str): the archive.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        with reading(path, "tar archive"):
            self._file = self._plain(path)
            with tarfile.open(fileobj=self._file, mode="r:") as archive:
                self._places = {m.name: (m.offset_data, m.size) for m in archive if m.isfile()}

    @staticmethod
    def _plain(path: str) -> Any:
        file = open_packed(path)
        if isinstance(file, io.BufferedReader):  # not packed
            return file
        unpacked = tempfile.TemporaryFile()  # noqa: SIM115
        with file:
            shutil.copyfileobj(file, unpacked, 1 << 20)
        unpacked.seek(0)
        return unpacked

    def read(self, name: str) -> bytes:
        """Returns the contents of a member.

        Raises:
            ValueError: there is none of that name, or the archive ends before its end.
        """
        place = self._places.get(name)
        if place is None:
            raise InvalidArgumentError(f"{self.path}: expected {name} in it, but it is missing.")
        offset, size = place
        content = os.pread(self._file.fileno(), size, offset)
        if len(content) != size:
            raise InvalidArgumentError(
                f"{self.path} is damaged: expected {size} bytes of {name}, "
                f"but received {len(content)}."
            )
        return content

    def check(self, names: Iterable[str], source: str) -> None:
        """Raises ValueError for the first of ``names`` that is missing.

        Args:
            names (Iterable[str]): names of files.
            source (str): what says that they are there, for the message.
        """
        for name in names:
            if name not in self._places:
                raise InvalidArgumentError(
                    f"{self.path}: expected {name} in it, as {source} says, but it is missing.",
                    hint=_REFETCH,
                )

    def close(self) -> None:
        """Closes the archive."""
        file = getattr(self, "_file", None)  # none where opening it failed
        if file is not None:
            file.close()

    def __del__(self) -> None:
        self.close()

    def __reduce__(self) -> Any:
        return TarMembers, (self.path,)
