"""Files: finding, reading, backing up, and writing them so that none is ever half written."""

from __future__ import annotations

import codecs
import contextlib
import datetime
import io
import os
import shutil
import tempfile
import tokenize
from collections.abc import Iterator

SUFFIXES = (".py", ".ipynb")
_SKIPPED = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules", ".ipynb_checkpoints"})


def find(path: str) -> Iterator[str]:
    """Yield the files to work on: the path itself, or what lies below it, in a fixed order.

    Links to folders are not followed. A link to a file counts as the file if that lies below the
    path, which is then yielded once; a link that leads elsewhere is left alone.
    """
    if not os.path.isdir(path):
        yield path
        return
    top = os.path.realpath(path)
    seen = set()
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(f for f in folders if f not in _SKIPPED)
        for name in sorted(names):
            if not name.endswith(SUFFIXES):
                continue
            full = os.path.join(folder, name)
            real = os.path.realpath(full)
            if os.path.islink(full):
                if os.path.commonpath([top, real]) != top or not os.path.isfile(real):
                    continue
            if real not in seen:
                seen.add(real)
                yield full


def decode(data: bytes) -> tuple[str, str, bytes]:
    """Return the text of a Python file, its encoding, and its byte order mark.

    Raises:
        SyntaxError, UnicodeDecodeError: the encoding is not known, or not kept to.
    """
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    if encoding == "utf-8-sig":
        encoding = "utf-8"
    return data[len(mark) :].decode(encoding), encoding, mark


def encode(text: str, encoding: str, mark: bytes) -> bytes:
    """Return the bytes of a text in the encoding that the file had."""
    return mark + text.encode(encoding)


def read(path: str) -> bytes:
    """Return the bytes of a file; a folder, a pipe or a device is refused."""
    if not os.path.isfile(path):
        raise OSError("is not a file" if os.path.exists(path) else "there is no such file")
    with open(path, "rb") as file:
        return file.read()


def write(path: str, data: bytes) -> None:
    """Put `data` in a file's place: after a crash there is the old file or the new one.

    The bytes go to a file beside it, onto the disk, and then take its name; a link keeps
    pointing where it does, and the permissions stay.
    """
    real = os.path.realpath(path)
    folder = os.path.dirname(real)
    if not os.access(real, os.W_OK):
        raise PermissionError(f"{path} cannot be written to")
    handle, temporary = tempfile.mkstemp(
        prefix=f".{os.path.basename(real)}.", suffix=".tmp", dir=folder
    )
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(real, temporary)
        os.replace(temporary, real)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    with contextlib.suppress(OSError):
        directory = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def back_up(path: str, folder: str) -> str:
    """Copy a file to `folder` as NAME_backup_TIMESTAMP, and return where it is."""
    folder = os.path.expanduser(folder)
    os.makedirs(folder, exist_ok=True)
    while True:
        now = datetime.datetime.now().strftime("%Y_%m_%d_%H_%M_%S_%f")
        name = os.path.join(folder, f"{os.path.basename(path)}_backup_{now}")
        try:
            with open(name, "xb") as copy, open(path, "rb") as original:
                shutil.copyfileobj(original, copy)
                copy.flush()
                os.fsync(copy.fileno())
            return name
        except FileExistsError:
            continue
