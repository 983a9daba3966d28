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

from tests.slim.run import stories_of
from tests.slim.stories import THEMES

ROOT = Path(__file__).resolve().parents[2]
SLIM = ROOT / ".venv" / "slim"

# What fails in PaddleSlim itself, whatever it runs on, and how.
OWN_FAULTS = {"the_space_of_inception_c": "IndexError"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (SLIM / "paddleslim").is_dir(), reason="`make clients` fetches PaddleSlim"
    ),
]


@functools.cache
def outcomes(theme: str) -> dict[str, Any]:
    """What became of the stories of a theme."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "outcomes.json"
        done = subprocess.run(
            [sys.executable, str(ROOT / "tests/slim/run.py"), str(SLIM), str(target), theme],
            env={**os.environ, "HOME": folder, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
            cwd=folder, capture_output=True, text=True,
        )  # fmt: skip
        assert target.is_file(), done.stderr[-3000:]
        return json.loads(target.read_text())


@pytest.mark.parametrize(
    ("theme", "name"), [(theme, each.name) for theme in THEMES for each in stories_of(theme)]
)
def test_a_story_comes_out(theme: str, name: str) -> None:
    found = outcomes(theme)[name]
    if name in OWN_FAULTS:
        assert found["error"].startswith(OWN_FAULTS[name])
    else:
        assert not found["error"], found["where"]


def test_every_module_can_be_imported() -> None:
    program = ROOT / "tests" / "slim" / "importing.py"
    done = subprocess.run(
        [sys.executable, str(program), str(SLIM)], capture_output=True, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["imported"] >= 148
    # parl is another package; the others are modules of PaddleSlim by names that it has not
    assert set(found["failed"].values()) <= {
        f"ModuleNotFoundError: No module named '{name}'"
        for name in ("parl", "tokenization", "one_shot_nas")
    }
