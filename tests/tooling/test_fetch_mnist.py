"""scripts/fetch_mnist.sh: skips what is there, and says what to do where npm is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "fetch_mnist.sh"
SIZES = {
    "train-images-idx3-ubyte": 47040016,
    "train-labels-idx1-ubyte": 60008,
    "t10k-images-idx3-ubyte": 7840016,
    "t10k-labels-idx1-ubyte": 10008,
}
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def _run(target: Path, path: str) -> subprocess.CompletedProcess[str]:
    bash = shutil.which("bash")
    assert bash is not None
    env = {**os.environ, "PATH": path}
    return subprocess.run([bash, SCRIPT, target], env=env, capture_output=True, text=True)


def _tools_without_npm(folder: Path) -> str:
    folder.mkdir()
    for tool in ("wc", "mktemp", "rm", "cat", "mkdir", "basename"):
        found = shutil.which(tool)
        assert found is not None
        (folder / tool).symlink_to(found)
    return str(folder)


def _write(target: Path, sizes: dict[str, int]) -> None:
    target.mkdir()
    for name, size in sizes.items():
        with (target / name).open("wb") as file:
            file.truncate(size)  # sparse: the size is what counts here


@needs_bash
def test_complete_files_are_left_alone(tmp_path: Path) -> None:
    _write(tmp_path / "mnist", SIZES)
    done = _run(tmp_path / "mnist", _tools_without_npm(tmp_path / "bin"))
    assert done.returncode == 0
    assert "already in" in done.stdout


@needs_bash
def test_without_npm_the_message_names_npm_and_the_folder(tmp_path: Path) -> None:
    target = tmp_path / "mnist"
    done = _run(target, _tools_without_npm(tmp_path / "bin"))
    assert done.returncode == 1
    assert "npm is needed" in done.stderr and str(target) in done.stderr
    assert not target.exists()


@needs_bash
def test_a_truncated_file_does_not_count_as_there(tmp_path: Path) -> None:
    _write(tmp_path / "mnist", {**SIZES, "t10k-labels-idx1-ubyte": 5})
    done = _run(tmp_path / "mnist", _tools_without_npm(tmp_path / "bin"))
    assert done.returncode == 1
    assert "npm is needed" in done.stderr
