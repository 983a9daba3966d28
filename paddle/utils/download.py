"""Downloads files into the cache: checked, repeated on failure, and never left half done."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path, PurePosixPath

from paddle.core.errors import InvalidArgumentError, PermissionDeniedError, UnavailableError

__all__ = ["get_weights_path_from_url"]

WEIGHTS_HOME = os.path.expanduser("~/.cache/paddle/hapi/weights")
DOWNLOAD_RETRY_LIMIT = 3

_TIMEOUT_SECONDS = 30
_CHUNK = 1 << 20
_PAUSE_SECONDS = 0.5


def dataset_home() -> str:
    """Returns the folder data sets are kept in.

    ``$PADDLE_DATASET_HOME``, else ``$DATA_HOME``, else ``~/.cache/paddle/dataset``.
    """
    given = os.environ.get("PADDLE_DATASET_HOME") or os.environ.get("DATA_HOME")
    return os.path.expanduser(given or "~/.cache/paddle/dataset")


def is_url(path: str) -> bool:
    """Says whether a path is an address to download from (http, https or file).

    Args:
        path (str): a path or an address.

    Examples:
        .. code-block:: python

            from paddle.utils.download import is_url
            print(is_url("https://host/file.tar"), is_url("/tmp/file.tar"))  # True False
    """
    return isinstance(path, str) and path.startswith(("http://", "https://", "file://"))


def md5_of(path: str) -> str:
    """Returns the MD5 checksum of a file in hexadecimal."""
    digest = hashlib.md5(usedforsecurity=False)
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _get_unique_endpoints(trainer_endpoints: list[str]) -> set[str]:
    """The first endpoint of every host: one process of each downloads (PaddleNLP imports it)."""
    first: dict[str, str] = {}
    for endpoint in sorted(trainer_endpoints):
        first.setdefault(endpoint.partition(":")[0], endpoint)
    return set(first.values())


def get_weights_path_from_url(url: str, md5sum: str | None = None) -> str:
    """Returns the path of a weights file, downloading it unless it is in the cache.

    Args:
        url (str): where the file is.
        md5sum (str|None): its MD5 checksum; None does not check.

    Returns:
        str: a path below ``~/.cache/paddle/hapi/weights``.

    Examples:
        .. code-block:: python

            import os, pathlib, tempfile
            from paddle.utils import download

            source = pathlib.Path(tempfile.mkdtemp(), "net.pdparams")
            source.write_bytes(b"weights")
            download.WEIGHTS_HOME = tempfile.mkdtemp()
            path = download.get_weights_path_from_url(source.as_uri())
            print(os.path.basename(path))  # net.pdparams
    """
    return get_path_from_url(url, WEIGHTS_HOME, md5sum)


def get_path_from_url(
    url: str, root_dir: str, md5sum: str | None = None, check_exist: bool = True
) -> str:
    """Downloads a file, unpacks it if it is a tar or zip archive, and returns where it is.

    Args:
        url (str): http, https or file address.
        root_dir (str): folder to keep the file in; made if needed.
        md5sum (str|None): MD5 checksum of the download; None does not check.
        check_exist (bool): whether a file that is there already, and passes the check, will do.

    Returns:
        str: the file, or for an archive what was unpacked: its one folder or file, else a folder
        named like the archive.

    Raises:
        RuntimeError: the download fails three times, or the checksum is wrong each time.
        ValueError: ``url`` is no address, or an archive would write outside of ``root_dir``.

    Examples:
        .. code-block:: python

            import pathlib, tempfile
            from paddle.utils.download import get_path_from_url

            source = pathlib.Path(tempfile.mkdtemp(), "words.txt")
            source.write_text("hello")
            path = get_path_from_url(source.as_uri(), root_dir=tempfile.mkdtemp())
            print(open(path).read())  # hello
    """
    path, fresh = _fetched(url, root_dir, md5sum, check_exist)
    if tarfile.is_tarfile(path) or zipfile.is_zipfile(path):
        return _unpacked(path, fresh)
    return path


def fetch_file(
    url: str, folder: str, md5sum: str | None, name: str | None = None, hint: str = ""
) -> str:
    """Returns the path of a file in a folder, downloading it unless it is there.

    Args:
        url (str): where the file is.
        folder (str): where it is kept; made if needed.
        md5sum (str|None): its MD5 checksum; None does not check.
        name (str|None): its name there; None takes the address's last part.
        hint (str): what the user can do when the download fails.
    """
    return _fetched(url, folder, md5sum, True, hint, name)[0]


def _fetched(
    url: str,
    folder: str,
    md5sum: str | None,
    check_exist: bool,
    hint: str = "",
    name: str | None = None,
) -> tuple[str, bool]:
    """Returns the path of a downloaded file, and whether it is new."""
    if not is_url(url):
        raise InvalidArgumentError(
            f"download: expected an http, https or file address, but received {url!r}."
        )
    name = name or urllib.parse.unquote(urllib.parse.urlsplit(url).path).rpartition("/")[2]
    if name in ("", ".", ".."):
        raise InvalidArgumentError(
            f"download: expected an address that ends in a file name, but received {url!r}."
        )
    path = os.path.join(folder, name)
    if check_exist and os.path.isfile(path) and (md5sum is None or md5_of(path) == md5sum):
        return path, False
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError as error:
        raise PermissionDeniedError(
            f"download: cannot make the folder {folder}: {error}."
        ) from error
    reasons = []
    for attempt in range(DOWNLOAD_RETRY_LIMIT):
        if attempt:
            time.sleep(_PAUSE_SECONDS * attempt)
        try:
            _download(url, path, md5sum)
            return path, True
        except (OSError, ValueError) as error:
            reasons.append(str(error))
            if isinstance(error, urllib.error.HTTPError) and 400 <= error.code < 500:
                break  # asking again will not change the answer
    raise UnavailableError(
        f"download: {url} could not be fetched to {path}: {reasons[-1]} "
        f"({len(reasons)} of {DOWNLOAD_RETRY_LIMIT} attempts).",
        hint=hint or f"check the network, or put the file there yourself: {path}",
    )


def _download(url: str, path: str, md5sum: str | None) -> None:
    """Fetches once, to a temporary name that becomes ``path`` only when all is well."""
    print(f"Downloading {url} to {path}", file=sys.stderr)
    digest = hashlib.md5(usedforsecurity=False)
    handle, part = tempfile.mkstemp(prefix=os.path.basename(path) + ".", dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, "wb") as file:
            request = urllib.request.Request(url, headers={"User-Agent": "pypaddle"})
            with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:
                announced = answer.headers.get("Content-Length")
                while chunk := answer.read(_CHUNK):
                    digest.update(chunk)
                    file.write(chunk)
            size = file.tell()
        if announced is not None and announced.isdigit() and size != int(announced):
            raise OSError(f"expected {announced} bytes, but received {size}")
        if md5sum is not None and digest.hexdigest() != md5sum:
            raise OSError(f"expected MD5 {md5sum}, but received {digest.hexdigest()}")
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def _unpacked(archive: str, fresh: bool) -> str:
    """Unpacks an archive beside itself, unless that was done before, and returns what came."""
    folder = os.path.dirname(archive)
    names = _members(archive)
    tops = {PurePosixPath(name).parts[0] for name in names if PurePosixPath(name).parts}
    base = os.path.basename(archive)
    for ending in (".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".tar", ".zip"):
        base = base.removesuffix(ending)
    single = next(iter(tops)) if len(tops) == 1 else None
    target = os.path.join(folder, single or base)
    if os.path.abspath(target) == os.path.abspath(archive):
        target += ".unpacked"
    if os.path.exists(target) and not fresh:
        return target
    scratch = tempfile.mkdtemp(prefix=base + ".", dir=folder)
    try:
        _extract(archive, scratch)
        if os.path.isdir(target):
            shutil.rmtree(target)
        os.replace(os.path.join(scratch, single) if single else scratch, target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return target


def _members(archive: str) -> list[str]:
    """Returns the names in an archive after making sure that all stay inside of a folder."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            names = zipped.namelist()
        odd = [name for name in names if _leaves(name)]
    else:
        with tarfile.open(archive) as tarred:
            members = tarred.getmembers()
        names = [member.name for member in members]
        odd = [m.name for m in members if _leaves(m.name) or not (m.isfile() or m.isdir())]
    if odd:
        raise InvalidArgumentError(
            f"download: the archive {archive} is refused: expected files and folders inside of "
            f"it, but it holds {odd[0]!r}, which is a link, a device or a path leading outside."
        )
    return [name for name in names if name.strip("./")]


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
