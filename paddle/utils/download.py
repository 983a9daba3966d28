"""Files of the cache: weights and data sets, downloaded, checked, and unpacked if need be."""

from __future__ import annotations

import os
import urllib.parse

from paddle.core.errors import InvalidArgumentError
from paddle.utils.fetching import Wanted, fetch
from paddle.utils.unpacking import is_archive, unpack

__all__ = ["get_weights_path_from_url"]

DOWNLOAD_RETRY_LIMIT = Wanted.attempts  # a program may assign another
WEIGHTS_HOME = os.path.expanduser("~/.cache/paddle/hapi/weights")


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
    return _path_from_url(
        _wanted(url, WEIGHTS_HOME, md5sum, setting="paddle.utils.download.WEIGHTS_HOME"), True
    )


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
        ValueError: ``url`` is no address, or an archive is damaged or would write outside of
            ``root_dir``.

    Examples:
        .. code-block:: python

            import pathlib, tempfile
            from paddle.utils.download import get_path_from_url

            source = pathlib.Path(tempfile.mkdtemp(), "words.txt")
            source.write_text("hello")
            path = get_path_from_url(source.as_uri(), root_dir=tempfile.mkdtemp())
            print(open(path).read())  # hello
    """
    return _path_from_url(_wanted(url, root_dir, md5sum, setting="root_dir"), check_exist)


def _path_from_url(wanted: Wanted, check_exist: bool) -> str:
    """Fetches a file, and unpacks it if it is an archive."""
    name = os.path.basename(wanted.path)
    unpacked: list[str] = []

    def prepare(path: str) -> None:
        # Before the archive gets its name: one that is in the cache was unpacked to the end.
        if is_archive(path):
            unpacked.append(unpack(path, name, replace=True))

    fetch(wanted, check_exist, prepare)
    if not unpacked and is_archive(wanted.path):
        unpacked.append(unpack(wanted.path, name, replace=False))
    return unpacked[0] if unpacked else wanted.path


def fetch_file(
    url: str,
    folder: str,
    md5sum: str | None = None,
    name: str | None = None,
    hint: str = "",
    setting: str = "",
) -> str:
    """Returns the path of a file in a folder, downloading it unless it is there.

    Args:
        url (str): where the file is.
        folder (str): where it is kept; made if needed.
        md5sum (str|None): its MD5 checksum; None does not check.
        name (str|None): its name there; None takes the address's last part.
        hint (str): what the user can do when the download fails.
        setting (str): what moves the folder, for the error where it cannot be written.
    """
    wanted = _wanted(url, folder, md5sum, name, hint, setting)
    fetch(wanted)
    return wanted.path


def _wanted(
    url: str,
    folder: str,
    md5sum: str | None,
    name: str | None = None,
    hint: str = "",
    setting: str = "",
) -> Wanted:
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
    return Wanted(url, path, md5sum, hint, setting, DOWNLOAD_RETRY_LIMIT)
