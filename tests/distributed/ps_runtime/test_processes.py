"""Two trainers and two servers as processes of the launcher; servers end without stop_worker."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SCRIPT = Path(__file__).with_name("script.py")


def launch(folder: Path, *args: str, launcher: tuple[str, ...] = ()) -> str:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "paddle.distributed.launch_ps", "--worker_num", "2",
         "--server_num", "2", "--log_dir", str(folder), *launcher, str(SCRIPT), *args],
        env=env, cwd=folder, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    logs = "".join(f"== {p.name}\n{p.read_text()}" for p in sorted(folder.glob("*log.*")))
    assert done.returncode == 0, done.stderr + logs
    return logs


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_two_and_two(tmp_path: Path, mode: str) -> None:
    logs = launch(tmp_path, mode)
    costs = re.findall(r"worker_index: \d, cost ([0-9.]+) to ([0-9.]+)", logs)
    assert len(costs) == 2 and all(float(b) < 0.8 * float(a) for a, b in costs), logs
    assert "Traceback" not in logs
    assert not list(tmp_path.glob("tables-*"))


@pytest.mark.slow
def test_a_server_that_is_killed_goes_on(tmp_path: Path) -> None:
    found = []
    for name, launcher in (("undisturbed", ()), ("kill", ("--max_restarts", "1"))):
        (tmp_path / name).mkdir()
        logs = launch(tmp_path / name, "sync", name, launcher=launcher)
        found.append(sorted(re.findall(r"worker_index: (\d), cost [0-9.]+ to ([0-9.]+)", logs)))
    assert (tmp_path / "kill" / "killed").exists()
    assert len(found[0]) == 2
    for (worker, want), (same, got) in zip(*found, strict=True):
        assert worker == same and abs(float(want) - float(got)) < 1e-5, found
