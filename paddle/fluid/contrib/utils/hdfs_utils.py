"""Files in HDFS by the command ``hadoop fs``: HDFSClient, multi_download, multi_upload."""

from __future__ import annotations

import logging
import os
import zipfile
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.distributed.fleet.utils import fs

__all__ = ["HDFSClient", "multi_download", "multi_upload"]

_logger = logging.getLogger(__name__)
_LIMIT = 300_000  # milliseconds of a command that copies nothing


class HDFSClient:
    """Files in HDFS, by the command ``bin/hadoop fs``, one at a time.

    What fails is logged with the command's last words, and gives False or an empty list.

    Args:
        hadoop_home (str): where ``bin/hadoop`` is.
        configs (dict): what stands behind ``-D``, such as ``fs.default.name`` and
            ``hadoop.job.ugi``.

    Examples:
        .. code-block:: python

            from paddle.fluid.contrib.utils import HDFSClient
            client = HDFSClient("/opt/hadoop", {"fs.default.name": "hdfs://host:9000"})
            print(client.pre_commands[-1])  # -Dfs.default.name=hdfs://host:9000
    """

    def __init__(self, hadoop_home: str, configs: dict[str, str]) -> None:
        # As long a pause as the limit: it tries once, and `_done` again where that is asked for.
        self._client = fs.HDFSClient(hadoop_home, configs, _LIMIT, _LIMIT)
        self.pre_commands = self._client.pre_commands

    def _done(self, work: Callable[[], Any], tries: int = 1) -> bool:
        """Whether something could be done; why not is logged."""
        for _ in range(max(tries, 1)):
            try:
                work()
            except (fs.FSFileExistsError, fs.FSFileNotExistsError) as error:
                _logger.warning("HDFSClient: %s", error)
                return False
            except fs.FSTimeOut as error:
                failed = error
            else:
                return True
        _logger.warning("HDFSClient: %s", failed)
        return False

    def _asked(self, question: Callable[[str], bool], hdfs_path: str) -> bool:
        """The answer to a question about a path; False where nobody answers."""
        answers: list[bool] = []
        return self._done(lambda: answers.append(question(hdfs_path))) and answers[0]

    def upload(
        self, hdfs_path: str, local_path: str, overwrite: bool = False, retry_times: int = 5
    ) -> bool:
        """Copies a file to HDFS.

        Args:
            hdfs_path (str): where to: a folder that is there, or the name of the file.
            local_path (str): the file.
            overwrite (bool): replace a file of that name. Default: False.
            retry_times (int): how often it is tried. Default: 5.

        Returns:
            bool: whether it was copied; a folder is not.
        """
        if not os.path.exists(local_path):
            raise FileNotFoundError(f"HDFSClient.upload(local_path): there is no {local_path}.")
        if os.path.isdir(local_path):
            _logger.warning("HDFSClient.upload takes files; %s is a folder", local_path)
            return False

        def copy() -> None:
            target = hdfs_path
            if self._client.is_dir(hdfs_path):
                target = f"{hdfs_path.rstrip('/')}/{os.path.basename(local_path)}"
            if overwrite:
                self._client.delete(target)
            self._client.upload(local_path, target)

        return self._done(copy, retry_times)

    def download(
        self, hdfs_path: str, local_path: str, overwrite: bool = False, unzip: bool = False
    ) -> bool:
        """Copies a file from HDFS.

        Args:
            hdfs_path (str): the file.
            local_path (str): where to: a folder that is there, or the name of the file.
            overwrite (bool): replace a file of that name. Default: False.
            unzip (bool): unpack the zip archive beside itself. Default: False.

        Returns:
            bool: whether it was copied; a folder is not, nor what does not exist.
        """
        target = local_path
        if os.path.isdir(local_path):
            target = os.path.join(local_path, os.path.basename(hdfs_path))

        def copy() -> None:
            if not self._client.is_file(hdfs_path):
                raise fs.FSFileNotExistsError(f"there is no file {hdfs_path}.")
            if overwrite and os.path.exists(target):
                os.remove(target)
            self._client.download(hdfs_path, target)

        if not self._done(copy):
            return False
        if unzip:
            with zipfile.ZipFile(target) as archive:
                archive.extractall(os.path.dirname(os.path.abspath(target)))
        return True

    def is_exist(self, hdfs_path: str | None = None) -> bool:
        """Whether there is a file or folder.

        Args:
            hdfs_path (str): the path.
        """
        return self._asked(self._client.is_exist, _path("is_exist", hdfs_path))

    def is_dir(self, hdfs_path: str | None = None) -> bool:
        """Whether there is a folder.

        Args:
            hdfs_path (str): the path.
        """
        return self._asked(self._client.is_dir, _path("is_dir", hdfs_path))

    def delete(self, hdfs_path: str) -> bool:
        """Removes a file or a folder with all that is in it.

        Args:
            hdfs_path (str): the path.

        Returns:
            bool: whether it is away; what was not there is.
        """
        return self._done(lambda: self._client.delete(hdfs_path))

    def rename(self, hdfs_src_path: str, hdfs_dst_path: str, overwrite: bool = False) -> bool:
        """Moves a file or folder.

        Args:
            hdfs_src_path (str): what.
            hdfs_dst_path (str): its new path.
            overwrite (bool): remove before what is there. Default: False.

        Returns:
            bool: whether it was moved.
        """
        return self._done(lambda: self._client.mv(hdfs_src_path, hdfs_dst_path, overwrite))

    @staticmethod
    def make_local_dirs(local_path: str) -> None:
        """Makes a folder on this machine, and those above it.

        Args:
            local_path (str): the folder.
        """
        os.makedirs(local_path, exist_ok=True)

    def makedirs(self, hdfs_path: str) -> bool:
        """Makes a folder in HDFS, and those above it.

        Args:
            hdfs_path (str): the folder.

        Returns:
            bool: whether it is there.
        """
        return self._done(lambda: self._client.mkdirs(hdfs_path))

    def ls(self, hdfs_path: str) -> list[str]:
        """The paths of what is in a folder, in order; none where there is no such folder.

        Args:
            hdfs_path (str): the folder.
        """
        return sorted(one.path for one in self._listed("-ls", hdfs_path))

    def lsr(self, hdfs_path: str, only_file: bool = True, sort: bool = True) -> list[str]:
        """The paths of what is in a folder and those below it.

        Args:
            hdfs_path (str): the folder.
            only_file (bool): leave folders out. Default: True.
            sort (bool): the oldest first. Default: True.
        """
        listed = self._listed("-ls", "-R", hdfs_path)
        found = [one for one in listed if not (only_file and one.folder)]
        if sort:
            found.sort(key=lambda one: one.when)
        return [one.path for one in found]

    def _listed(self, *how: str) -> list[fs.Listed]:
        """The lines of a listing, whose last argument is the folder."""
        found: list[fs.Listed] = []

        def look() -> None:
            if self._client.is_exist(how[-1]):
                found.extend(self._client.listed(*how))

        self._done(look)
        return found


def _path(method: str, value: str | None) -> str:
    if not value or not isinstance(value, str):
        raise InvalidArgumentError(
            f"HDFSClient.{method}(hdfs_path): expected a path, but received {value!r}."
        )
    return value


def _client(api: str, client: Any) -> None:
    if not isinstance(client, HDFSClient):
        raise TypeError(
            f"{api}(client): expected an HDFSClient, but received {type(client).__name__}."
        )


def multi_download(
    client: HDFSClient, hdfs_path: str, local_path: str, trainer_id: int, trainers: int,
    multi_processes: int = 5,
) -> list[str]:  # fmt: skip
    """Copies this trainer's share of a folder's files from HDFS, several at a time.

    Args:
        client (HDFSClient): what runs the commands.
        hdfs_path (str): the folder.
        local_path (str): where to; folders below stay folders.
        trainer_id (int): which trainer this is, below ``trainers``.
        trainers (int): how many there are.
        multi_processes (int): how many commands run at a time. Default: 5.

    Returns:
        list[str]: the copies that are there.
    """
    _client("multi_download", client)
    if not 0 <= trainer_id < trainers:
        raise InvalidArgumentError(
            f"multi_download(trainer_id): expected 0 to {trainers - 1}, but received {trainer_id}."
        )
    client.make_local_dirs(local_path)
    mine = client.lsr(hdfs_path, sort=True)[trainer_id::trainers]

    def fetched(path: str) -> str:
        target = os.path.join(local_path, os.path.relpath(path, hdfs_path))
        client.make_local_dirs(os.path.dirname(target))
        client.download(path, target)
        return target

    with ThreadPoolExecutor(max(multi_processes, 1)) as pool:
        return [target for target in pool.map(fetched, mine) if os.path.exists(target)]


def multi_upload(
    client: HDFSClient, hdfs_path: str, local_path: str, multi_processes: int = 5,
    overwrite: bool = False, sync: bool = True,
) -> None:  # fmt: skip
    """Copies the files of a folder, and of those below it, to HDFS, several at a time.

    Args:
        client (HDFSClient): what runs the commands.
        hdfs_path (str): where to.
        local_path (str): the folder.
        multi_processes (int): how many commands run at a time. Default: 5.
        overwrite (bool): replace files of the same names. Default: False.
        sync (bool): return when all is done; False: go on in the background. Default: True.
    """
    _client("multi_upload", client)
    files = [
        os.path.join(folder, name)
        for folder, _, names in sorted(os.walk(local_path)) for name in sorted(names)
    ]  # fmt: skip

    def sent(file: str) -> None:
        client.upload(f"{hdfs_path}/{os.path.relpath(file, local_path)}", file, overwrite)

    for folder in sorted({os.path.dirname(os.path.relpath(file, local_path)) for file in files}):
        client.makedirs(f"{hdfs_path}/{folder}".rstrip("/"))
    pool = ThreadPoolExecutor(max(multi_processes, 1))
    started = [pool.submit(sent, file) for file in files]
    pool.shutdown(wait=sync)
    for one in started:
        if sync:
            one.result()  # raises what the thread raised
        else:
            one.add_done_callback(_log_failure)


def _log_failure(done: Future) -> None:
    """Logs what a copy in the background raised."""
    if done.exception() is not None:
        _logger.error("multi_upload: %r", done.exception())
