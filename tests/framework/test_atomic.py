"""Files that are written together, and what dead processes leave behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paddle.serialization.files import atomic
from paddle.serialization.files.atomic import FileSet, atomic_files, atomic_write, remove_abandoned

HERE = f".paddle-{atomic._machine()}-123-0123456789ab.tmp"
ELSEWHERE = ".paddle-00000000-123-0123456789ab.tmp"
OLDER = ".paddle-123-0123456789ab.tmp"  # names of before the machine was told


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_next_save_removes_what_a_dead_process_left(tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "from paddle.serialization.files.atomic import atomic_write\n"
        "with atomic_write(sys.argv[1]) as file:\n"
        "    file.write(b'half'); file.flush(); os.kill(os.getpid(), 9)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "x")]
    assert subprocess.run(command, check=False).returncode == -9
    (left,) = names(tmp_path)
    assert left.endswith(".tmp")
    with atomic_write(str(tmp_path / "y")) as file:
        file.write(b"whole")
    assert names(tmp_path) == ["y"]


def test_what_is_being_written_stays(tmp_path: Path) -> None:
    with atomic_write(str(tmp_path / "x")) as file:
        file.write(b"1")
        with atomic_write(str(tmp_path / "y")) as other:
            other.write(b"2")
        remove_abandoned(str(tmp_path))
        assert len(names(tmp_path)) == 2
    assert names(tmp_path) == ["x", "y"]
    assert (tmp_path / "x").read_bytes() == b"1"


def test_files_of_other_machines_are_left_for_a_day(tmp_path: Path) -> None:
    for name in (HERE, ELSEWHERE, OLDER, ".paddle-notes.tmp", "x.tmp"):
        (tmp_path / name).write_bytes(b"")
    remove_abandoned(str(tmp_path))
    assert names(tmp_path) == sorted([ELSEWHERE, OLDER, ".paddle-notes.tmp", "x.tmp"])
    for name in (ELSEWHERE, OLDER):
        os.utime(tmp_path / name, (1e9, 1e9))
    remove_abandoned(str(tmp_path))
    assert names(tmp_path) == sorted([".paddle-notes.tmp", "x.tmp"])


def test_a_system_without_locks_removes_nothing(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(atomic, "fcntl", None)
    (tmp_path / HERE).write_bytes(b"")
    with atomic_write(str(tmp_path / "x")) as file:
        file.write(b"1")
    assert names(tmp_path) == [HERE, "x"]


def test_none_of_several_files_takes_its_name_if_one_fails(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(RuntimeError, match="stop"), atomic_files(FileSet()) as files:
        files.open(str(tmp_path / "a")).write(b"new")
        files.open(str(tmp_path / "below" / "b")).write(b"new")
        raise RuntimeError("stop")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert names(tmp_path) == ["a", "below"] and not names(tmp_path / "below")


def test_files_are_renamed_in_order_when_all_are_whole(tmp_path: Path, monkeypatch: Any) -> None:
    events: list[str] = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (events.append("sync"), sync(fd))[1])
    monkeypatch.setattr(
        os, "replace", lambda a, b: (events.append(os.path.basename(b)), replace(a, b))[1]
    )
    with atomic_files(FileSet()) as files:
        for name in ("b", "a", "c"):
            files.open(str(tmp_path / name)).write(name.encode())
    assert events[:6] == ["sync", "sync", "sync", "b", "a", "c"]
