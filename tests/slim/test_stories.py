"""PaddleSlim from the registry runs unmodified: its stories come out, a process for each theme."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.slim.run import later, stories_of
from tests.slim.stories import THEMES

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {"2.2.2": ROOT / ".venv" / "slim", "2.1.1": ROOT / ".venv" / "slim-2.1.1"}
MODULES = {"2.2.2": 148, "2.1.1": 137}  # that can be imported, at least

# What fails in PaddleSlim itself, whatever it runs on, and how.
OWN_FAULTS = {"the_space_of_inception_c": "IndexError"}

pytestmark = pytest.mark.slow


def folder_of(version: str) -> str:
    """Where a release lies; skips the test if it is not there."""
    folder = FOLDERS[version]
    if not (folder / "paddleslim").is_dir():
        pytest.skip("`make clients` fetches PaddleSlim")
    return str(folder)


@functools.cache
def outcomes(folder: str, theme: str) -> dict[str, Any]:
    """What became of the stories of a theme."""
    with tempfile.TemporaryDirectory() as home:
        target = Path(home) / "outcomes.json"
        done = subprocess.run(
            [sys.executable, str(ROOT / "tests/slim/run.py"), folder, str(target), theme],
            env={**os.environ, "HOME": home, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
            cwd=home, capture_output=True, text=True,
        )  # fmt: skip
        assert target.is_file(), done.stderr[-3000:]
        return json.loads(target.read_text())


@pytest.mark.parametrize(
    ("version", "theme", "name"),
    [
        (version, theme, each.name)
        for version in FOLDERS
        for theme in THEMES
        for each in stories_of(theme)
        if not each.not_before or not later(each.not_before, version)
    ],
)
def test_a_story_comes_out(version: str, theme: str, name: str) -> None:
    found = outcomes(folder_of(version), theme)[name]
    if name in OWN_FAULTS:
        assert found["error"].startswith(OWN_FAULTS[name])
    else:
        assert not found["error"], found["where"]


@pytest.mark.parametrize("version", FOLDERS)
def test_every_module_can_be_imported(version: str) -> None:
    program = ROOT / "tests" / "slim" / "importing.py"
    done = subprocess.run(
        [sys.executable, str(program), folder_of(version)], capture_output=True, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["imported"] >= MODULES[version]
    # parl is another package; the others are modules of PaddleSlim by names that it has not
    assert set(found["failed"].values()) <= {
        f"ModuleNotFoundError: No module named '{name}'"
        for name in ("parl", "tokenization", "one_shot_nas")
    }
