"""Unpacks tar and zip archives beside themselves, all or nothing, and never outside of a folder."""

from __future__ import annotations

import lzma
import os
import shutil
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from paddle.core.errors import InvalidArgumentError

__all__: list[str] = []

_ENDINGS = (".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".tar", ".zip")
# What the libraries raise for damaged archives; OSError also stands for bad gzip headers.
DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError, OSError,
    NotImplementedError,  # zipfile: a method of compression that there is not
)  # fmt: skip
_SCRATCH = ".unpacking-"
_ABANDONED_SECONDS = 24 * 3600


def is_archive(path: str) -> bool:
    """Says whether a file is a tar archive, compressed or not, or a zip archive."""
    return tarfile.is_tarfile(path) or zipfile.is_zipfile(path)


def unpack(archive: str, name: str, replace: bool) -> str:
    """Unpacks an archive into its folder and returns what came: one file or folder.

    Args:
        archive (str): the file.
        name (str): the name it has or will have; a folder is called like it where the archive
            holds more than one thing.
        replace (bool): whether to take the place of what is there; otherwise that will do.

    Raises:
        ValueError: the archive is damaged, or would write outside of its folder.
    """
    folder = os.path.dirname(archive)
    shown = os.path.join(folder, name)
    with _reading(shown):
        names = _members(archive, shown)
    tops = {PurePosixPath(member).parts[0] for member in names}
    base = name
    for ending in _ENDINGS:
        base = base.removesuffix(ending)
    single = next(iter(tops)) if len(tops) == 1 else None
    target = os.path.join(folder, single or base)
    if os.path.basename(target) == name:
        target += ".unpacked"
    if os.path.exists(target) and not replace:
        return target
    _remove_abandoned(folder)
    scratch = tempfile.mkdtemp(prefix=_SCRATCH, dir=folder)
    try:
        inside = os.path.join(scratch, "new")
        os.mkdir(inside)
        with _reading(shown):
            _extract(archive, inside)
        _place(os.path.join(inside, single) if single else inside, target, scratch, replace)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return target


def _place(made: str, target: str, scratch: str, replace: bool) -> None:
    """Gives what was unpacked its name in one step, so that nobody sees half of it."""
    if os.path.lexists(target):
        if not replace:
            return  # another process was faster
        os.replace(target, os.path.join(scratch, "old"))
    try:
        os.replace(made, target)
    except OSError:
        # Another process may have come between: its folder was unpacked from the same archive.
        if not os.path.exists(target):
            raise


def _remove_abandoned(folder: str) -> None:
    """Removes what processes that were killed a day ago or earlier have left."""
    for entry in os.scandir(folder):
        with suppress(OSError):
            old = time.time() - entry.stat().st_mtime > _ABANDONED_SECONDS
            if entry.name.startswith(_SCRATCH) and old:
                shutil.rmtree(entry.path, ignore_errors=True)


@contextmanager
def _reading(shown: str) -> Iterator[None]:
    """Says of errors on the way which archive is damaged; a full disk is no damage."""
    try:
        yield
    except DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise InvalidArgumentError(
            f"download: the archive {shown} is damaged: unpacking it says: {error}.",
            hint="delete the file, so that it is fetched again",
        ) from error


def _members(archive: str, shown: str) -> list[str]:
    """Returns the names in an archive after making sure that all stay inside of a folder."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            names = zipped.namelist()
        odd = [member for member in names if _leaves(member)]
    else:
        with tarfile.open(archive) as tarred:
            members = tarred.getmembers()
        names = [member.name for member in members]
        odd = [m.name for m in members if _leaves(m.name) or not (m.isfile() or m.isdir())]
    if odd:
        raise InvalidArgumentError(
            f"download: the archive {shown} is refused: expected files and folders inside of "
            f"it, but it holds {odd[0]!r}, which is a link, a device or a path leading outside."
        )
    return [member for member in names if member.strip("./")]


def _leaves(name: str) -> bool:
    path = PurePosixPath(name.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts or ":" in path.parts[:1]


def _extract(archive: str, folder: str) -> None:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            zipped.extractall(folder)
        return
    with tarfile.open(archive) as tarred:
        # The names were checked; the filter also drops odd permissions and owners.
        if hasattr(tarfile, "data_filter"):
            tarred.extractall(folder, filter="data")
        else:
            for member in tarred.getmembers():
                member.mode = 0o755 if member.isdir() else 0o644
                tarred.extract(member, folder, set_attrs=False)
    for path in Path(folder).rglob("*"):
        if path.is_symlink():
            path.unlink()
