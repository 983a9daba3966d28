"""Files in HDFS by the command ``hadoop fs``: HDFSClient, multi_download, multi_upload."""

from __future__ import annotations

import logging
import os
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from paddle.core.errors import InvalidArgumentError

__all__ = ["HDFSClient", "multi_download", "multi_upload"]

_logger = logging.getLogger(__name__)


class HDFSClient:
    """Runs ``hadoop fs`` for single files and folders.

    What fails is logged with the command's last words, and gives False.

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
        self.pre_commands = [f"{hadoop_home}/bin/hadoop", "fs"]
        self.pre_commands += [f"-D{key}={value}" for key, value in configs.items()]

    def _run(self, *command: str, tries: int = 1, tells: bool = True) -> str | None:
        """What a command prints; None where it fails."""
        for _ in range(max(tries, 1)):
            done = subprocess.run([*self.pre_commands, *command], capture_output=True)
            if not done.returncode:
                return done.stdout.decode("utf8", "replace")
        if tells:
            words = done.stderr.decode("utf8", "replace").strip()[-500:]
            _logger.warning(
                "hadoop fs %s: status %d: %s", " ".join(command), done.returncode, words
            )
        return None

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
        target = hdfs_path
        if self.is_dir(hdfs_path):
            target = f"{hdfs_path.rstrip('/')}/{os.path.basename(local_path)}"
        if self.is_exist(target):
            if not overwrite:
                _logger.warning("HDFSClient.upload: %s is there already", target)
                return False
            self.delete(target)
        return self._run("-put", local_path, target, tries=retry_times) is not None

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
        if not self.is_exist(hdfs_path) or self.is_dir(hdfs_path):
            _logger.warning("HDFSClient.download: there is no file %s", hdfs_path)
            return False
        target = local_path
        if os.path.isdir(local_path):
            target = os.path.join(local_path, os.path.basename(hdfs_path))
        if os.path.exists(target):
            if not overwrite:
                _logger.warning("HDFSClient.download: %s is there already", target)
                return False
            os.remove(target)
        if self._run("-get", hdfs_path, target) is None:
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
        return self._run("-test", "-e", _path("is_exist", hdfs_path), tells=False) is not None

    def is_dir(self, hdfs_path: str | None = None) -> bool:
        """Whether there is a folder.

        Args:
            hdfs_path (str): the path.
        """
        return self._run("-test", "-d", _path("is_dir", hdfs_path), tells=False) is not None

    def delete(self, hdfs_path: str) -> bool:
        """Removes a file or a folder with all that is in it.

        Args:
            hdfs_path (str): the path.

        Returns:
            bool: whether it is away; what was not there is.
        """
        if not self.is_exist(hdfs_path):
            return True
        how = ("-rm", "-r") if self.is_dir(hdfs_path) else ("-rm",)
        return self._run(*how, hdfs_path) is not None

    def rename(self, hdfs_src_path: str, hdfs_dst_path: str, overwrite: bool = False) -> bool:
        """Moves a file or folder.

        Args:
            hdfs_src_path (str): what.
            hdfs_dst_path (str): its new path.
            overwrite (bool): remove before what is there. Default: False.

        Returns:
            bool: whether it was moved.
        """
        if not self.is_exist(hdfs_src_path):
            _logger.warning("HDFSClient.rename: there is no %s", hdfs_src_path)
            return False
        if self.is_exist(hdfs_dst_path):
            if not overwrite:
                _logger.warning("HDFSClient.rename: %s is there already", hdfs_dst_path)
                return False
            self.delete(hdfs_dst_path)
        return self._run("-mv", hdfs_src_path, hdfs_dst_path) is not None

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
        return self.is_exist(hdfs_path) or self._run("-mkdir", "-p", hdfs_path) is not None

    def ls(self, hdfs_path: str) -> list[str]:
        """The paths of what is in a folder, in order; none where there is no such folder.

        Args:
            hdfs_path (str): the folder.
        """
        return sorted(path for _, _, path in self._listed("-ls", hdfs_path))

    def lsr(self, hdfs_path: str, only_file: bool = True, sort: bool = True) -> list[str]:
        """The paths of what is in a folder and those below it.

        Args:
            hdfs_path (str): the folder.
            only_file (bool): leave folders out. Default: True.
            sort (bool): the oldest first. Default: True.
        """
        found = [each for each in self._listed("-lsr", hdfs_path) if not (only_file and each[0])]
        if sort:
            found.sort(key=lambda each: each[1])
        return [path for _, _, path in found]

    def _listed(self, how: str, hdfs_path: str) -> list[tuple[bool, str, str]]:
        """(whether it is a folder, date and time, path) of each line of a listing."""
        if not self.is_exist(hdfs_path):
            return []
        command = ("-ls", "-R") if how == "-lsr" else ("-ls",)
        found = []
        for line in (self._run(*command, hdfs_path) or "").splitlines():
            words = line.split(None, 7)
            if len(words) == 8:  # rights, copies, owner, group, size, date, time, path
                found.append((words[0].startswith("d"), f"{words[5]} {words[6]}", words[7]))
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
        list[str]: the copies.
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
        return list(pool.map(fetched, mine))


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
    for file in files:
        pool.submit(sent, file)
    pool.shutdown(wait=sync)
