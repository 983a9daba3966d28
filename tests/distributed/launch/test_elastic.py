"""The example in which a process dies: the training ends with the loss of an undisturbed one."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.distributed.launch.jobs import ROOT


@pytest.mark.slow
def test_the_example_ends_with_the_same_loss() -> None:
    done = subprocess.run(
        [sys.executable, "examples/distributed/elastic/run.py"],
        cwd=ROOT, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(r"step 60, loss \d+\.\d{9}", done.stdout)) == 2
    assert "rank 0 goes on from step 32" in done.stdout and "the same loss" in done.stdout
    assert "rank 1 failed: killed by signal 9 (SIGKILL); all processes are started" in done.stderr
