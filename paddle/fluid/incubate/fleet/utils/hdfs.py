"""Fleet of 1.x: files in HDFS, with 1.x's names over 2.0's client."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from paddle.distributed.fleet.base.util_factory import file_shard
from paddle.distributed.fleet.utils import fs

__all__ = ["HDFSClient"]

_SLEEP = 3000  # milliseconds between two tries, as in 1.x
_TRIES = 5


class HDFSClient:
    """Files in HDFS, by the command ``bin/hadoop fs``.

    Args:
        hadoop_home (str): where Hadoop is installed.
        configs (dict): settings, such as ``"fs.default.name"`` and ``"hadoop.job.ugi"``.

    Examples:
        .. code-block:: python

            from paddle.fluid.incubate.fleet.utils.hdfs import HDFSClient
            client = HDFSClient("/opt/hadoop", {"fs.default.name": "hdfs://host:9000"})
            print(client.split_files(["a", "b", "c"], 0, 2))  # ['a', 'b']
    """

    def __init__(self, hadoop_home: str, configs: Any) -> None:
        self._given = (hadoop_home, configs)
        self._client = self._with_tries(_TRIES)

    def _with_tries(self, count: int) -> fs.HDFSClient:
        return fs.HDFSClient(*self._given, time_out=(count + 1) * _SLEEP, sleep_inter=_SLEEP)

    def cat(self, hdfs_path: Any = None) -> str:
        """Returns the text of a file; nothing if it is not there.

        Args:
            hdfs_path (str): the file.
        """
        return self._client.cat(hdfs_path).strip()

    def is_exist(self, hdfs_path: Any = None) -> bool:
        """Says whether there is such a file or folder.

        Args:
            hdfs_path (str): the file or folder.
        """
        return self._client.is_exist(hdfs_path)

    def is_dir(self, hdfs_path: Any = None) -> bool:
        """Says whether there is such a folder.

        Args:
            hdfs_path (str): the folder.
        """
        return self._client.is_dir(hdfs_path)

    def is_file(self, hdfs_path: Any = None) -> bool:
        """Says whether there is such a file.

        Args:
            hdfs_path (str): the file.
        """
        return self._client.is_file(hdfs_path)

    def delete(self, hdfs_path: str) -> bool:
        """Deletes a file, or a folder with all that is in it; it need not be there.

        Args:
            hdfs_path (str): what is deleted.

        Returns:
            bool: True.
        """
        self._client.delete(hdfs_path)
        return True

    def rename(self, hdfs_src_path: str, hdfs_dst_path: str, overwrite: bool = False) -> bool:
        """Moves a file or folder.

        Args:
            hdfs_src_path (str): what is moved.
            hdfs_dst_path (str): where to.
            overwrite (bool): whether what is there is deleted before.

        Returns:
            bool: False where there is no source, or a target that may not be overwritten.
        """
        try:
            self._client.mv(hdfs_src_path, hdfs_dst_path, overwrite)
        except (fs.FSFileExistsError, fs.FSFileNotExistsError):
            return False
        return True

    @staticmethod
    def make_local_dirs(local_path: str) -> None:
        """Makes a folder on this machine; it may be there already.

        Args:
            local_path (str): the folder.
        """
        os.makedirs(local_path, exist_ok=True)

    def makedirs(self, hdfs_path: str) -> bool:
        """Makes a folder, and those around it; it may be there already.

        Args:
            hdfs_path (str): the folder.

        Returns:
            bool: True.
        """
        self._client.mkdirs(hdfs_path)
        return True

    def ls(self, hdfs_path: str) -> list[str]:
        """Returns the paths of what is in a folder; none if it is not there.

        Args:
            hdfs_path (str): the folder.
        """
        if not self.is_exist(hdfs_path):
            return []
        return [one.path for one in self._client.listed("-ls", hdfs_path)]

    def lsr(self, hdfs_path: str, excludes: Any = ()) -> list[str]:
        """Returns the paths of the files in a folder and in all folders in it.

        Args:
            hdfs_path (str): the folder.
            excludes (list[str]): paths that are left out.
        """
        if not self.is_exist(hdfs_path):
            return []
        listed = self._client.listed("-ls", "-R", hdfs_path)
        return [one.path for one in listed if not one.folder and one.path not in excludes]

    @staticmethod
    def split_files(files: list[str], trainer_id: int, trainers: int) -> list[str]:
        """Returns which files one of several trainers takes.

        Args:
            files (list[str]): all files.
            trainer_id (int): which trainer.
            trainers (int): how many there are.
        """
        return file_shard(files, trainer_id, trainers)

    def download(
        self,
        hdfs_path: str,
        local_path: str,
        multi_processes: int = 5,
        overwrite: bool = False,
        retry_times: int = 5,
    ) -> list[str]:
        """Copies what is in a folder to this machine.

        Args:
            hdfs_path (str): the folder.
            local_path (str): where to; made if need be.
            multi_processes (int): how many are copied at a time.
            overwrite (bool): delete what is there of the same name.
            retry_times (int): how often a failing command is tried again.

        Returns:
            list[str]: the files that are there now.
        """
        self.make_local_dirs(local_path)
        client = self._with_tries(retry_times)

        def copy(path: str) -> None:
            target = os.path.join(local_path, os.path.basename(path))
            if overwrite:
                fs.LocalFS().delete(target)
            client.download(path, target)

        _at_a_time(copy, self.ls(hdfs_path), multi_processes)
        return [os.path.join(top, name) for top, _, names in os.walk(local_path) for name in names]

    def upload(
        self,
        hdfs_path: str,
        local_path: str,
        multi_processes: int = 5,
        overwrite: bool = False,
        retry_times: int = 5,
    ) -> None:
        """Copies a file, or what is in a folder, from this machine.

        Args:
            hdfs_path (str): where to; made if need be.
            local_path (str): the file or folder.
            multi_processes (int): how many are copied at a time.
            overwrite (bool): delete what is there before.
            retry_times (int): how often a failing command is tried again.
        """
        if not os.path.exists(local_path):
            return
        paths = [local_path]
        if os.path.isdir(local_path):
            paths = [os.path.join(local_path, name) for name in sorted(os.listdir(local_path))]
        client = self._with_tries(retry_times)
        if overwrite:
            client.delete(hdfs_path)
        client.mkdirs(hdfs_path)

        def copy(path: str) -> None:
            client.upload(path, f"{hdfs_path.rstrip('/')}/{os.path.basename(path)}")

        _at_a_time(copy, paths, multi_processes)

    def upload_dir(self, dest_dir: str, local_dir: str, overwrite: bool = False) -> bool:
        """Copies a folder from this machine into a folder, which is made if need be.

        Args:
            dest_dir (str): the folder that will hold it.
            local_dir (str): the folder that is copied.
            overwrite (bool): delete what is there of the same name.

        Returns:
            bool: True.
        """
        if overwrite:
            name = os.path.basename(os.path.normpath(local_dir))
            self._client.delete(f"{dest_dir.rstrip('/')}/{name}")
        self._client.upload_dir(local_dir, dest_dir)
        return True


def _at_a_time(copy: Any, paths: list[str], count: int) -> None:
    with ThreadPoolExecutor(max(count, 1)) as pool:
        list(pool.map(copy, paths))
