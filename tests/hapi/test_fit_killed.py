"""Model.fit in processes that are killed, or interrupted, and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hapi.fit_runs import EPOCHS, STEPS

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


def run(folder: Path, *args: object) -> subprocess.CompletedProcess:
    folder.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-m", "tests.hapi.fit_runs", str(folder), *map(str, args)],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def noted(folder: Path) -> list[str]:
    """What was noted, in the order of the training; a run that goes on repeats steps."""
    return sorted(set((folder / "losses").read_text().split("\n")))


@pytest.mark.parametrize(
    "kind, workers, number, last",
    [
        ("eager", 0, signal.SIGKILL, STEPS + 3),
        ("eager", 2, signal.SIGKILL, STEPS + 2),
        ("static", 2, signal.SIGINT, 2 * STEPS - 1),  # after the last step of an epoch
    ],
)
def test_a_run_that_ends_early_goes_on(
    tmp_path: Path, kind: str, workers: int, number: int, last: int
) -> None:
    whole = run(tmp_path / "whole", kind, workers)
    assert whole.returncode == 0, whole.stderr
    killed = tmp_path / "killed"
    first = run(killed, kind, workers, int(number), last)
    assert first.returncode == -number, first.stderr  # Python raises SIGINT again
    assert not (killed / "history").exists()
    if number == signal.SIGINT:
        where = os.path.abspath(killed / "ck" / "interrupted")
        assert f"epoch 2, after step {STEPS}; checkpoint saved at {where}." in first.stdout
        assert f"model.load({where!r})" in first.stdout
    second = run(killed, kind, workers)
    assert second.returncode == 0, second.stderr
    expected = noted(tmp_path / "whole")
    assert noted(killed) == expected and len(expected) == EPOCHS * (STEPS + 1) + 1
    assert (killed / "history").read_text() == (tmp_path / "whole" / "history").read_text()
    assert list((killed / "ck").glob("1_*")) == []  # that of the middle of the epoch
