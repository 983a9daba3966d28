"""Files on this machine, and in HDFS by a stand-in for the command ``hadoop``."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from paddle.distributed.fleet.utils import HDFSClient, LocalFS
from paddle.distributed.fleet.utils.fs import (
    ExecuteError,
    FSFileExistsError,
    FSFileNotExistsError,
    FSShellCmdAborted,
    FSTimeOut,
)

STAND_IN = Path(__file__).with_name("hadoop.sh")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that stands for HDFS; ``home`` beside it is Hadoop's."""
    command = tmp_path / "home" / "bin" / "hadoop"
    command.parent.mkdir(parents=True)
    command.symlink_to(STAND_IN)
    made = tmp_path / "hdfs"
    made.mkdir()
    monkeypatch.setenv("FAKE_HDFS", str(made))
    return made


def _client(root: Path, time_out: int = 60000) -> HDFSClient:
    configs = {"fs.default.name": "hdfs://host:1", "hadoop.job.ugi": "user,pass word"}
    return HDFSClient(str(root.parent / "home"), configs, time_out=time_out, sleep_inter=10)


def _replace(root: Path, script: str) -> None:
    """Makes the command another one."""
    command = root.parent / "home" / "bin" / "hadoop"
    command.unlink()
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)


def _all_calls(fs: Any, top: str) -> None:
    """What both kinds do alike."""
    assert not fs.is_exist(top) and fs.ls_dir(top) == ([], []) and fs.list_dirs(top) == []
    fs.mkdirs(f"{top}/a/b")
    fs.mkdirs(f"{top}/a/b")
    fs.touch(f"{top}/a/f")
    fs.touch(f"{top}/a/f")
    with pytest.raises(FSFileExistsError):
        fs.touch(f"{top}/a/f", exist_ok=False)
    assert fs.is_dir(f"{top}/a") and not fs.is_file(f"{top}/a")
    assert fs.is_file(f"{top}/a/f") and not fs.is_dir(f"{top}/a/f") and fs.is_exist(f"{top}/a/f")
    assert not fs.is_file(f"{top}/none") and not fs.is_dir(f"{top}/none")
    assert fs.ls_dir(f"{top}/a") == (["b"], ["f"]) and fs.list_dirs(f"{top}/a") == ["b"]
    with pytest.raises(FSFileNotExistsError):
        fs.mv(f"{top}/none", f"{top}/g")
    fs.touch(f"{top}/a/g")
    with pytest.raises(FSFileExistsError):
        fs.mv(f"{top}/a/f", f"{top}/a/g")
    fs.mv(f"{top}/a/f", f"{top}/a/g", overwrite=True)
    fs.rename(f"{top}/a/g", f"{top}/a/h")
    assert fs.ls_dir(f"{top}/a") == (["b"], ["h"])
    fs.delete(f"{top}/a/h")
    fs.delete(f"{top}/a")
    fs.delete(f"{top}/a")
    assert fs.ls_dir(top) == ([], [])


def test_local(tmp_path: Path) -> None:
    fs = LocalFS()
    _all_calls(fs, str(tmp_path / "top"))
    assert not fs.need_upload_download()
    (tmp_path / "file").touch()
    with pytest.raises(FSFileExistsError, match="a file already"):
        fs.mkdirs(str(tmp_path / "file"))
    for name in ("upload", "download", "upload_dir"):
        with pytest.raises(NotImplementedError, match="on this machine"):
            getattr(fs, name)("a", "b")


def test_hdfs(root: Path) -> None:
    _all_calls(_client(root), "/top")
    first = (root / ".log").read_text().splitlines()[0]
    assert "[-Dhadoop.job.ugi=user,pass word]" in first  # one argument: no shell reads it


def test_copies(root: Path, tmp_path: Path) -> None:
    client = _client(root)
    assert client.need_upload_download()
    source = tmp_path / "with space; rm -rf x"
    source.mkdir()
    (source / "f").write_text("text\nmore")
    client.upload(str(source), "/up")
    assert (root / "up" / "f").read_text() == client.cat("/up/f") == "text\nmore"
    assert client.cat("/none") == ""
    with pytest.raises(FSFileExistsError):
        client.upload(str(source), "/up")
    with pytest.raises(FSFileNotExistsError):
        client.upload(str(tmp_path / "none"), "/up2")
    client.upload_dir(str(source) + "/", "/deep/er")
    assert client.list_dirs("/deep/er") == [source.name]
    client.download("/up", str(tmp_path / "down"))
    assert (tmp_path / "down" / "f").read_text() == "text\nmore"
    with pytest.raises(FSFileExistsError):
        client.download("/up", str(tmp_path / "down"))
    with pytest.raises(FSFileNotExistsError):
        client.download("/none", str(tmp_path / "down2"))


@pytest.mark.parametrize("command", ["-test", "-put", "-ls"])
def test_is_tried_again(root: Path, tmp_path: Path, command: str) -> None:
    (tmp_path / "f").write_text("1")
    (root / ".fail").write_text(f"{command} 2 255")
    client = _client(root)
    client.upload(str(tmp_path / "f"), "/f")
    assert client.ls_dir("/") == ([], ["f"])
    assert (root / ".fail").read_text() == f"{command} 0 255"


def test_gives_up(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / ".fail").write_text("-test 1 255")
    client = _client(root)
    with pytest.raises(ExecuteError, match="exit status 255: Connection refused") as failed:
        client._run("-test", "-e", "/f")
    calls: list[tuple] = []

    def fails(*args: str, **given: Any) -> None:
        calls.append(args)
        raise failed.value

    monkeypatch.setattr(client, "_run", fails)
    client._time_out = 100
    with pytest.raises(FSTimeOut, match=r"gave up after [\d.]+ s: .*Connection refused"):
        client.is_exist("/f")
    assert len(calls) > 1


def test_aborted_is_a_failure(root: Path) -> None:
    (root / ".fail").write_text("-test 1 134")
    client = _client(root)
    with pytest.raises(FSShellCmdAborted, match="134"):
        client._run("-test", "-e", "/f")
    assert issubclass(FSShellCmdAborted, ExecuteError)
    assert not client.is_exist("/f")


def test_a_command_that_hangs(root: Path) -> None:
    _replace(root, "exec sleep 60")
    with pytest.raises(FSTimeOut, match="did not end"):
        _client(root, time_out=200).is_exist("/f")


def test_a_copy_may_take_long(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {}

    def run(command: list[str], **given: Any) -> Any:
        limits[next(arg for arg in command if arg in ("-test", "-put", "-get"))] = given["timeout"]
        return ended(command, **given)

    ended = subprocess.run
    monkeypatch.setattr(subprocess, "run", run)
    (tmp_path / "f").write_text("1")
    client = _client(root)
    client.upload(str(tmp_path / "f"), "/f")
    client.download("/f", str(tmp_path / "g"))
    assert limits == {"-test": 60.0, "-put": None, "-get": None}


def test_a_cluster_that_is_down_is_no_missing_file(root: Path) -> None:
    client = _client(root)
    client._sleep_inter = client._time_out  # tried once
    _replace(root, 'echo "test: Call From a to b failed: Connection refused" >&2; exit 1')
    with pytest.raises(FSTimeOut, match="Connection refused"):
        client.delete("/f")
    _replace(root, """echo "test: \\`/f': No such file or directory" >&2; exit 1""")
    assert not client.is_exist("/f")


def test_a_move_whose_answer_was_lost(root: Path) -> None:
    """It fails, but what was to be moved has moved."""
    client = _client(root)
    client.touch("/f")
    _replace(root, f'{STAND_IN} "$@" || exit $?\ncase "$*" in *-mv*) exit 255;; esac')
    client.mv("/f", "/g")
    assert client.ls_dir("/") == ([], ["g"])


def test_there_is_no_hadoop(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no command"):
        HDFSClient(str(tmp_path), None).is_exist("/f")
    with pytest.raises(TypeError, match="expected a dict"):
        HDFSClient(str(tmp_path), ["a"])  # type: ignore[arg-type]
