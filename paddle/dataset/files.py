"""Files of data sets: found in the cache or fetched, unpacked, read out of archives."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import tarfile
import tempfile
import zlib
from typing import Any

from paddle.core.errors import InvalidArgumentError, NotFoundError, UnavailableError
from paddle.dataset.common import SETTING, data_home
from paddle.utils.download import fetch_file

__all__: list[str] = []


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
            hint="delete the file, so that it is fetched again",
        ) from error


def locate(
    api: str, argument: str, given: str | None, url: str, md5: str, folder: str, download: bool
) -> str:
    """Returns the path of a dataset's file: the one given, the cached one, or a fresh download.

    Args:
        api (str): name of the dataset, for messages.
        argument (str): name of the argument that gives the file.
        given (str|None): its value.
        url (str): where the file can be had.
        md5 (str): its MD5 checksum.
        folder (str): name of the folder in the cache.
        download (bool): whether to download a file that is not in the cache.
    """
    if given:
        if not os.path.isfile(given):
            raise NotFoundError(
                f"{api}({argument}): expected a file at {given}, but there is none."
            )
        return given
    name = url.rsplit("/", 1)[1]
    cached = os.path.join(data_home(), folder, name)
    hint = f"put {name} into {os.path.dirname(cached)}, or give {argument}"
    if os.path.isfile(cached):
        return cached
    if not download:
        raise UnavailableError(
            f"{api}: {argument} is not given, download is False and there is no {cached}.",
            hint=hint,
        )
    return fetch_file(url, os.path.dirname(cached), md5, hint=hint, setting=SETTING)


class TarMembers:
    """Random access to the files in a tar archive, from several processes at once.

    Reading by position moves no shared file offset, so workers that inherited the file do not
    disturb each other. A compressed archive is unpacked to a temporary file without a name.

    Args:
        path (str): the archive.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._file = self._plain(path)
            with tarfile.open(fileobj=self._file, mode="r:") as archive:
                self._places = {m.name: (m.offset_data, m.size) for m in archive if m.isfile()}
        except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, OSError) as error:
            raise InvalidArgumentError(
                f"{path}: expected a complete tar archive, but reading it says: {error}.",
                hint="delete the file, so that it is fetched again",
            ) from error

    @staticmethod
    def _plain(path: str) -> Any:
        file = open(path, "rb")  # noqa: SIM115 - kept open for read()
        start = file.read(6)
        file.seek(0)
        openers = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}
        opener: Any = openers.get(start[:2])
        if opener is None:
            return file
        unpacked = tempfile.TemporaryFile()  # noqa: SIM115
        with file, opener(file) as packed:
            shutil.copyfileobj(packed, unpacked, 1 << 20)
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

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def close(self) -> None:
        """Closes the archive."""
        self._file.close()

    def __reduce__(self) -> Any:
        return TarMembers, (self.path,)
