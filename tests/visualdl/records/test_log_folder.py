"""Folders of logs: what is a run, and what changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.visualdl.records.logs import small_log
from visualdl.log_folder import LogFolders

DATA = b"".join(small_log())


def log(folder: Path, name: str = "vdlrecords.1700000000.log") -> Path:
    """Makes a log in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(DATA)
    return folder / name


def test_folders_in_folders_are_runs(tmp_path: Path) -> None:
    for name in ("a", "a/train", "b/c/d"):
        log(tmp_path / name)
    log(tmp_path / "a", "vdlrecords.1700000001.log.second")
    (tmp_path / "a" / "notes.txt").write_text("no log")
    folders = LogFolders(str(tmp_path))
    changes = folders.refresh()
    names = [str(tmp_path / name) for name in ("a", "a/train", "b/c/d")]
    assert changes.added == names == list(folders.runs)
    assert [os.path.basename(path) for path in folders.runs[names[0]].files] == [
        "vdlrecords.1700000000.log",
        "vdlrecords.1700000001.log.second",
    ]
    assert not folders.refresh()


def test_several_folders_and_one_within_another(tmp_path: Path) -> None:
    log(tmp_path / "a" / "x")
    log(tmp_path / "b")
    folders = LogFolders([str(tmp_path / "a"), str(tmp_path / "b"), str(tmp_path / "a" / "x")])
    folders.refresh()
    assert list(folders.runs) == [str(tmp_path / "a" / "x"), str(tmp_path / "b")]


def test_a_folder_that_comes_later(tmp_path: Path) -> None:
    folders = LogFolders(tmp_path / "later")
    assert not folders.refresh() and not folders.runs
    (tmp_path / "later").mkdir()
    assert not folders.refresh()
    log(tmp_path / "later")
    assert folders.refresh().added == [str(tmp_path / "later")]


def test_runs_that_go_and_come_again(tmp_path: Path) -> None:
    path = log(tmp_path / "a")
    name = str(tmp_path / "a")
    folders = LogFolders(str(tmp_path))
    folders.refresh()
    assert len(folders.runs[name].files[str(path)].read()) == 17
    path.unlink()
    assert folders.refresh().gone == [name] and not folders.runs
    log(tmp_path / "a")
    assert folders.refresh().added == [name]
    assert len(folders.runs[name].files[str(path)].read()) == 17
    path.write_bytes(DATA[:200])
    assert folders.refresh().reset == [name]
    assert len(folders.runs[name].files[str(path)].read()) == 2


def test_one_of_two_files_goes(tmp_path: Path) -> None:
    log(tmp_path / "a")
    second = log(tmp_path / "a", "vdlrecords.1700000001.log")
    folders = LogFolders(str(tmp_path))
    folders.refresh()
    second.unlink()
    assert folders.refresh().reset == [str(tmp_path / "a")]


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_links_lead_nowhere_outside(tmp_path: Path) -> None:
    outside = log(tmp_path / "outside")
    inside = log(tmp_path / "logs" / "a")
    (tmp_path / "logs" / "linked").symlink_to(tmp_path / "outside")
    (tmp_path / "logs" / "b").mkdir()
    (tmp_path / "logs" / "b" / outside.name).symlink_to(outside)
    (tmp_path / "logs" / "c").mkdir()
    (tmp_path / "logs" / "c" / inside.name).symlink_to(inside)
    folders = LogFolders(str(tmp_path / "logs"))
    folders.refresh()
    assert list(folders.runs) == [str(tmp_path / "logs" / "a"), str(tmp_path / "logs" / "c")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_are_no_logs(tmp_path: Path) -> None:
    """Who opens one waits for its other end."""
    log(tmp_path / "a")
    os.mkfifo(tmp_path / "a" / "vdlrecords.1700000001.log")
    folders = LogFolders(str(tmp_path))
    folders.refresh()
    assert len(folders.runs[str(tmp_path / "a")].files) == 1


def test_a_given_folder_may_be_a_link(tmp_path: Path) -> None:
    log(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    folders = LogFolders(str(tmp_path / "link"))
    folders.refresh()
    assert list(folders.runs) == [str(tmp_path / "link")]
