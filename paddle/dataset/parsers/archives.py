"""Reads members of tar and zip archives and their lines; says where an archive is wrong."""

from __future__ import annotations

import gzip
import re
import tarfile
import zipfile
from collections.abc import Callable, Collection, Iterator
from typing import IO, Any

from paddle.core.errors import InvalidArgumentError
from paddle.dataset.files import open_packed, reading

_BLOCK = 512
_SHOWN = 6


def tar_files(path: str, wanted: Callable[[str], Any]) -> Iterator[tuple[str, bytes]]:
    """Yields names and contents of the regular files of a tar archive, in its order.

    Archives of many small files are read several times as fast as by tarfile, which takes over
    where a header is anything but a plain one.

    Args:
        path (str): the archive, packed by gzip, bzip2, xz, or not at all.
        wanted (callable): called with a name; contents are read where the result is true.

    Raises:
        ValueError: the archive is damaged, or no tar archive.
    """
    with reading(path, "tar archive"):
        seen, is_plain = 0, True
        with open_packed(path) as file:
            while is_plain and (header := _next_header(file)) is not None:
                block, name, size = header
                is_plain = size is not None
                if size is not None:
                    content = _content(file, block, name, size, wanted)
                    if content is not None:
                        yield name, content
                    seen += 1
            # The checksum of packed data comes last. Without it tarfile takes a damaged header for
            # the end.
            while file.read(1 << 16):
                pass
        if not is_plain:
            yield from _by_tarfile(path, wanted, seen)


def _next_header(file: IO[bytes]) -> tuple[bytes, str, int | None] | None:
    """The next header, its name and size; no size where it is not plain, None at the end."""
    block = file.read(_BLOCK)
    if not block.strip(b"\0"):
        return None
    plain = block[257:263] in (b"ustar\0", b"ustar ") and block[156:157] in b"05"
    if not plain or (block[262:263] == b"\0" and block[345:346] != b"\0"):
        return block, "", None
    try:
        size = int(block[124:136].rstrip(b"\0 "), 8)
        return block, block[: block.index(b"\0")].decode(), size
    except ValueError:  # large sizes, names of 100 bytes, names in other encodings
        return block, "", None


def _content(
    file: IO[bytes], block: bytes, name: str, size: int, wanted: Callable[[str], Any]
) -> bytes | None:
    """Reads what follows a header; None for folders and what is not wanted."""
    content = file.read(size + -size % _BLOCK)
    if len(content) < size:
        raise EOFError(f"{name} has {size} bytes, but only {len(content)} are there")
    return content[:size] if block[156:157] == b"0" and wanted(name) else None


def _by_tarfile(path: str, wanted: Callable[[str], Any], seen: int) -> Iterator[tuple[str, bytes]]:
    """The rest of :func:`tar_files` after ``seen`` members."""
    with tarfile.open(path) as archive:
        for number, member in enumerate(archive):
            if number >= seen and member.isfile() and wanted(member.name):
                file: Any = archive.extractfile(member)
                content = file.read()
                if len(content) < member.size:
                    raise EOFError(
                        f"{member.name} has {member.size} bytes, but only {len(content)} are there"
                    )
                yield member.name, content


def tar_members(path: str, names: Collection[str]) -> dict[str, bytes]:
    """Returns the files of a tar archive whose paths end in ``names``, which all must be there.

    Args:
        path (str): the archive.
        names (Collection[str]): ends of paths, such as ``"train/train"``.

    Returns:
        dict: name -> content. Of several files with one end, all contents in the archive's order.

    Raises:
        ValueError: the archive is damaged or lacks a file.
    """
    found: dict[str, bytes] = {}
    there: list[str] = []

    def end(name: str) -> str | None:
        return next((n for n in names if name == n or name.endswith("/" + n)), None)

    def wanted(name: str) -> str | None:
        there.append(name)
        return end(name)

    for name, content in tar_files(path, wanted):
        known = end(name) or name
        found[known] = found.get(known, b"") + content
    for name in names:
        if name not in found:
            raise missing(path, name, there)
    return found


def missing(path: str, name: str, there: Collection[str]) -> InvalidArgumentError:
    """The error for an archive that lacks a file; it tells some of those that are there."""
    shown = ", ".join(list(there)[:_SHOWN]) + (", ..." if len(there) > _SHOWN else "")
    held = f"it holds {shown}" if there else "it holds no files"
    return InvalidArgumentError(
        f"{path}: expected {name} in the archive, but {held}.",
        hint="give the archive that the documentation of the data set names",
    )


def zip_members(path: str, names: Collection[str]) -> dict[str, bytes]:
    """Returns files of a zip archive by name.

    Args:
        path (str): the archive.
        names (Collection[str]): full names inside of it.

    Raises:
        ValueError: the archive is damaged or lacks a file.
    """
    with reading(path, "zip archive"), zipfile.ZipFile(path) as archive:
        there = archive.namelist()
        for name in names:
            if name not in there:
                raise missing(path, name, [n for n in there if not n.endswith("/")])
        return {name: archive.read(name) for name in names}


def gunzipped(content: bytes, where: str) -> bytes:
    """Unpacks a gzip file that lay in an archive."""
    with reading(where, "gzip file"):
        return gzip.decompress(content)


def text_lines(content: bytes, where: str, encoding: str = "utf-8") -> list[str]:
    """Decodes a text and splits it at newlines, which are left out.

    Args:
        content (bytes): the text.
        where (str): its name, for messages.
        encoding (str): how it is encoded.

    Raises:
        ValueError: a byte that the encoding does not have; the text names the line.
    """
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise InvalidArgumentError(
            f"{where}, line {line}: expected {encoding.upper()} text, but byte "
            f"{content[error.start]:#04x} in column {column} is none.",
            hint="convert the file, or take the archive that the data set comes in",
        ) from error
    lines = re.split("\r?\n", text)
    return lines[:-1] if lines[-1] == "" else lines


def wrong_line(where: str, number: int, line: str, expected: str) -> InvalidArgumentError:
    """The error for a line that is not what it should be.

    Args:
        where (str): the file.
        number (int): number of the line, from 1 on.
        line (str): the line.
        expected (str): what it should be.
    """
    shown = line if len(line) <= 80 else line[:77] + "..."
    return InvalidArgumentError(
        f"{where}, line {number}: expected {expected}, but received {shown!r}."
    )
