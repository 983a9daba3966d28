"""Files on this machine and in HDFS behind one interface; HDFS by the command ``hadoop``."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from paddle.core.errors import ArgumentTypeError, MissingFileError

__all__ = ["HDFSClient", "LocalFS"]

F = TypeVar("F", bound=Callable[..., Any])
_ABORTED = 134
_COPIES = ("-put", "-get", "-cat")
_SAY_EVERY = 30.0  # seconds between messages of a call that is tried again and again


class ExecuteError(Exception):
    """A command failed."""


class FSFileExistsError(Exception):
    """What was to be made is there already."""


class FSFileNotExistsError(Exception):
    """What was to be read is not there."""


class FSTimeOut(Exception):
    """A command failed again and again until its time was over."""


class FSShellCmdAborted(ExecuteError):
    """A command was aborted."""


class FS:
    """What both kinds of files have in common."""


class LocalFS(FS):
    """Files on this machine.

    Examples:
        .. code-block:: python

            import os, tempfile
            from paddle.distributed.fleet.utils import LocalFS
            files = LocalFS()
            folder = tempfile.mkdtemp()
            files.mkdirs(os.path.join(folder, "a"))
            files.touch(os.path.join(folder, "b"))
            print(files.ls_dir(folder))  # (['a'], ['b'])
    """

    def ls_dir(self, fs_path: str) -> tuple[list[str], list[str]]:
        """Returns the names of the folders and of the files in a folder; none if it is not there.

        Args:
            fs_path (str): the folder.
        """
        if not self.is_exist(fs_path):
            return [], []
        dirs: list[str] = []
        files: list[str] = []
        for name in sorted(os.listdir(fs_path)):
            (dirs if os.path.isdir(os.path.join(fs_path, name)) else files).append(name)
        return dirs, files

    def list_dirs(self, fs_path: str) -> list[str]:
        """Returns the names of the folders in a folder; none if it is not there.

        Args:
            fs_path (str): the folder.
        """
        return self.ls_dir(fs_path)[0]

    def mkdirs(self, fs_path: str) -> None:
        """Makes a folder, and those around it; it may be there already.

        Args:
            fs_path (str): the folder.

        Raises:
            FSFileExistsError: there is a file of that name.
        """
        if os.path.isfile(fs_path):
            raise FSFileExistsError(f"{fs_path} is a file already.")
        os.makedirs(fs_path, exist_ok=True)

    def rename(self, fs_src_path: str, fs_dst_path: str) -> None:
        """Gives a file or folder another name.

        Args:
            fs_src_path (str): what is renamed.
            fs_dst_path (str): the new name.
        """
        os.rename(fs_src_path, fs_dst_path)

    def delete(self, fs_path: str) -> None:
        """Deletes a file, or a folder with all that is in it; it need not be there.

        Args:
            fs_path (str): what is deleted.
        """
        if os.path.isdir(fs_path) and not os.path.islink(fs_path):
            shutil.rmtree(fs_path)
        elif os.path.lexists(fs_path):
            os.remove(fs_path)

    def need_upload_download(self) -> bool:
        """Says whether files have to be copied to this machine: no."""
        return False

    def upload(self, local_path: str, fs_path: str) -> None:
        """Is not there: nothing has to be copied."""
        raise _nothing_to_copy("upload")

    def download(self, fs_path: str, local_path: str) -> None:
        """Is not there: nothing has to be copied."""
        raise _nothing_to_copy("download")

    def upload_dir(self, local_dir: str, dest_dir: str) -> None:
        """Is not there: nothing has to be copied."""
        raise _nothing_to_copy("upload_dir")

    def is_file(self, fs_path: str) -> bool:
        """Says whether there is such a file.

        Args:
            fs_path (str): the file.
        """
        return os.path.isfile(fs_path)

    def is_dir(self, fs_path: str) -> bool:
        """Says whether there is such a folder.

        Args:
            fs_path (str): the folder.
        """
        return os.path.isdir(fs_path)

    def is_exist(self, fs_path: str) -> bool:
        """Says whether there is such a file or folder.

        Args:
            fs_path (str): the file or folder.
        """
        return os.path.exists(fs_path)

    def touch(self, fs_path: str, exist_ok: bool = True) -> None:
        """Makes an empty file.

        Args:
            fs_path (str): the file.
            exist_ok (bool): whether it may be there already; then it stays as it is.

        Raises:
            FSFileExistsError: it is there and must not be.
        """
        _check_touch(self, fs_path, exist_ok)
        with open(fs_path, "a"):
            pass

    def mv(
        self, src_path: str, dst_path: str, overwrite: bool = False, test_exists: bool = False
    ) -> None:
        """Moves a file or folder.

        Args:
            src_path (str): what is moved.
            dst_path (str): where to.
            overwrite (bool): whether what is there is deleted before.
            test_exists (bool): has no meaning here: it is always looked first.

        Raises:
            FSFileNotExistsError: there is no ``src_path``.
            FSFileExistsError: there is a ``dst_path``.
        """
        _check_move(self, src_path, dst_path, overwrite)
        self.rename(src_path, dst_path)


def _nothing_to_copy(method: str) -> NotImplementedError:
    return NotImplementedError(
        f"LocalFS.{method}: the files are on this machine, as need_upload_download() says."
    )


def _check_touch(fs: Any, path: str, exist_ok: bool) -> None:
    if not exist_ok and fs.is_exist(path):
        raise FSFileExistsError(f"{path} is there already.")


def _check_move(fs: Any, src: str, dst: str, overwrite: bool) -> None:
    if not fs.is_exist(src):
        raise FSFileNotExistsError(f"there is no {src}.")
    if overwrite and fs.is_exist(dst):
        fs.delete(dst)
    if fs.is_exist(dst):
        raise FSFileExistsError(f"{dst} is there already.")


def retried(method: F) -> F:
    """A method of a client that is tried again while commands fail, until its time is over."""

    @functools.wraps(method)
    def trying(self: Any, *args: Any, **kwargs: Any) -> Any:
        begin = said = time.monotonic()
        while True:
            try:
                return method(self, *args, **kwargs)
            except ExecuteError as error:
                now = time.monotonic()
                if now - begin + self._sleep_inter / 1000 >= self._time_out / 1000:
                    raise FSTimeOut(
                        f"{method.__name__.strip('_')}{args}: gave up after "
                        f"{now - begin:.1f} s: {error}"
                    ) from error
                if now - said >= _SAY_EVERY:
                    print(f"hadoop: {error}; trying again after {now - begin:.0f} s")
                    said = now
            time.sleep(self._sleep_inter / 1000)

    return trying  # type: ignore[return-value]


class Listed(NamedTuple):
    """A line of a listing.

    Attributes:
        folder (bool): whether it is a folder.
        path (str): its path.
        size (int): its bytes.
        when (str): date and time of the last change; later ones are greater.
    """

    folder: bool
    path: str
    size: int
    when: str


def _failed_test(words: str) -> bool:
    """Whether ``-test`` found nothing out: it ends with 1 then too, but says why."""
    said = [line for line in words.splitlines() if line.startswith("test: ")]
    return any("does not exist" not in line and "No such file" not in line for line in said)


class HDFSClient(FS):
    """Files in HDFS, by the command ``bin/hadoop fs``.

    A command that fails is tried again until the time is over. Paths reach the command as they are:
    no shell reads them.

    Args:
        hadoop_home (str): where Hadoop is installed.
        configs (dict): settings, such as ``"fs.default.name"`` and ``"hadoop.job.ugi"``.
        time_out (int): milliseconds until a call gives up; a copy that goes on is not ended.
            Default: five minutes.
        sleep_inter (int): milliseconds between two tries.

    Raises:
        FSTimeOut: a command failed until the time was over; has its last words.
        FileNotFoundError: there is no command ``hadoop``.

    Examples:
        .. code-block:: python

            from paddle.distributed.fleet.utils import HDFSClient
            client = HDFSClient("/opt/hadoop", {"fs.default.name": "hdfs://host:9000"})
            print(client.need_upload_download())  # True
    """

    def __init__(
        self, hadoop_home: str, configs: Any, time_out: int = 300000, sleep_inter: int = 1000
    ) -> None:
        if configs is not None and not isinstance(configs, dict):
            raise ArgumentTypeError(
                f"HDFSClient(configs): expected a dict, but received {type(configs).__name__}."
            )
        home = os.path.expandvars(hadoop_home)
        self.pre_commands = [os.path.join(home, "bin", "hadoop"), "fs"]
        self.pre_commands += [f"-D{name}={value}" for name, value in (configs or {}).items()]
        self._time_out, self._sleep_inter = time_out, sleep_inter

    def _run(self, *args: str, allowed: tuple[int, ...] = (0,)) -> tuple[int, str]:
        """Runs a command once: its exit status and what it printed."""
        command = [*self.pre_commands, *args]
        # A copy takes as long as its file is large.
        limit = None if args[0] in _COPIES else max(self._time_out / 1000, 0.1)
        try:
            ended = subprocess.run(
                command, capture_output=True, text=True, errors="replace",
                stdin=subprocess.DEVNULL, timeout=limit,
            )  # fmt: skip
        except FileNotFoundError:
            raise MissingFileError(
                f"HDFSClient: there is no command {command[0]!r}.",
                hint="hadoop_home is the folder that has bin/hadoop",
            ) from None
        except subprocess.TimeoutExpired as error:
            raise ExecuteError(f"{' '.join(args)} did not end") from error
        words = " ".join((ended.stderr.strip() or ended.stdout.strip()).splitlines()[-3:])
        told = f"{' '.join(args)}: exit status {ended.returncode}: {words}"
        if ended.returncode in (_ABORTED, -6):
            raise FSShellCmdAborted(told)
        if ended.returncode not in allowed or _failed_test(ended.stderr):
            raise ExecuteError(told)
        return ended.returncode, ended.stdout

    @retried
    def _test(self, kind: str, fs_path: str) -> bool:
        return self._run("-test", kind, fs_path, allowed=(0, 1))[0] == 0

    @retried
    def _do(self, *args: str) -> str:
        return self._run(*args)[1]

    def is_exist(self, fs_path: str) -> bool:
        """Says whether there is such a file or folder.

        Args:
            fs_path (str): the file or folder.
        """
        return self._test("-e", fs_path)

    def is_dir(self, fs_path: str) -> bool:
        """Says whether there is such a folder.

        Args:
            fs_path (str): the folder.
        """
        return self._test("-d", fs_path)

    def is_file(self, fs_path: str) -> bool:
        """Says whether there is such a file.

        Args:
            fs_path (str): the file.
        """
        return self.is_exist(fs_path) and not self.is_dir(fs_path)

    def listed(self, *args: str) -> list[Listed]:
        """Returns what a listing has.

        Args:
            *args: ``-ls``, its options, and a path.
        """
        found = []
        for line in self._do(*args).splitlines():
            parts = line.split(None, 7)
            if len(parts) == 8:
                when = f"{parts[5]} {parts[6]}"
                found.append(Listed(parts[0].startswith("d"), parts[7], int(parts[4]), when))
        return found

    def ls_dir(self, fs_path: str) -> tuple[list[str], list[str]]:
        """Returns the names of the folders and of the files in a folder; none if it is not there.

        Args:
            fs_path (str): the folder.
        """
        if not self.is_exist(fs_path):
            return [], []
        dirs: list[str] = []
        files: list[str] = []
        for one in self.listed("-ls", fs_path):
            (dirs if one.folder else files).append(os.path.basename(one.path))
        return dirs, files

    def list_dirs(self, fs_path: str) -> list[str]:
        """Returns the names of the folders in a folder; none if it is not there.

        Args:
            fs_path (str): the folder.
        """
        return self.ls_dir(fs_path)[0]

    def mkdirs(self, fs_path: str) -> None:
        """Makes a folder, and those around it; it may be there already.

        Args:
            fs_path (str): the folder.
        """
        if not self.is_exist(fs_path):
            self._do("-mkdir", "-p", fs_path)

    def delete(self, fs_path: str) -> None:
        """Deletes a file, or a folder with all that is in it; it need not be there.

        Args:
            fs_path (str): what is deleted.
        """
        if self.is_exist(fs_path):
            self._do("-rm", "-r", fs_path)

    def need_upload_download(self) -> bool:
        """Says whether files have to be copied to this machine: yes."""
        return True

    def touch(self, fs_path: str, exist_ok: bool = True) -> None:
        """Makes an empty file.

        Args:
            fs_path (str): the file.
            exist_ok (bool): whether it may be there already; then it stays as it is.

        Raises:
            FSFileExistsError: it is there and must not be.
        """
        _check_touch(self, fs_path, exist_ok)
        if not self.is_exist(fs_path):
            self._do("-touchz", fs_path)

    def rename(self, fs_src_path: str, fs_dst_path: str) -> None:
        """Gives a file or folder another name.

        Args:
            fs_src_path (str): what is renamed.
            fs_dst_path (str): the new name.
        """
        self.mv(fs_src_path, fs_dst_path)

    def mv(
        self, fs_src_path: str, fs_dst_path: str, overwrite: bool = False, test_exists: bool = True
    ) -> None:
        """Moves a file or folder.

        Args:
            fs_src_path (str): what is moved.
            fs_dst_path (str): where to.
            overwrite (bool): whether what is there is deleted before.
            test_exists (bool): whether to look before; False saves the commands for it.

        Raises:
            FSFileNotExistsError: there is no ``fs_src_path``.
            FSFileExistsError: there is a ``fs_dst_path``.
        """
        if test_exists:
            _check_move(self, fs_src_path, fs_dst_path, overwrite)
        elif overwrite:
            self.delete(fs_dst_path)
        self._move(fs_src_path, fs_dst_path)

    @retried
    def _move(self, src: str, dst: str) -> None:
        try:
            self._run("-mv", src, dst)
        except ExecuteError:
            # It may have been done, and only the answer was lost.
            if self.is_exist(src) or not self.is_exist(dst):
                raise

    def upload(self, local_path: str, fs_path: str) -> None:
        """Copies a file or folder from this machine.

        Args:
            local_path (str): what is copied.
            fs_path (str): where to.

        Raises:
            FSFileNotExistsError: there is no ``local_path``.
            FSFileExistsError: there is a ``fs_path``.
        """
        if not os.path.exists(local_path):
            raise FSFileNotExistsError(f"there is no {local_path}.")
        if self.is_exist(fs_path):
            raise FSFileExistsError(f"{fs_path} is there already.")
        self._put(local_path, fs_path)

    @retried
    def _put(self, local_path: str, fs_path: str) -> None:
        try:
            self._run("-put", local_path, fs_path)
        except ExecuteError:
            self.delete(fs_path)  # a part of it
            raise

    def upload_dir(self, local_dir: str, dest_dir: str) -> None:
        """Copies a folder from this machine into a folder, which is made if need be.

        Args:
            local_dir (str): the folder that is copied.
            dest_dir (str): the folder that will hold it.
        """
        self.mkdirs(dest_dir)
        name = os.path.basename(os.path.normpath(local_dir))
        self.upload(local_dir, f"{dest_dir.rstrip('/')}/{name}")

    def download(self, fs_path: str, local_path: str) -> None:
        """Copies a file or folder to this machine.

        Args:
            fs_path (str): what is copied.
            local_path (str): where to.

        Raises:
            FSFileNotExistsError: there is no ``fs_path``.
            FSFileExistsError: there is a ``local_path``.
        """
        if os.path.exists(local_path):
            raise FSFileExistsError(f"{local_path} is there already.")
        if not self.is_exist(fs_path):
            raise FSFileNotExistsError(f"there is no {fs_path}.")
        self._get(fs_path, local_path)

    @retried
    def _get(self, fs_path: str, local_path: str) -> None:
        try:
            self._run("-get", fs_path, local_path)
        except ExecuteError:
            LocalFS().delete(local_path)  # a part of it
            raise

    def cat(self, fs_path: str) -> str:
        """Returns the text of a file; nothing if it is not there.

        Args:
            fs_path (str): the file.
        """
        return self._do("-cat", fs_path) if self.is_file(fs_path) else ""
