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


def launch(folder: Path, *args: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "paddle.distributed.launch_ps", "--worker_num", "2",
         "--server_num", "2", "--log_dir", str(folder), str(SCRIPT), *args],
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
