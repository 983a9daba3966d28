"""Runs a program that uses a client library by itself: such libraries change global things."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / ".venv" / "clients"
REASON = "`make clients` fetches the client libraries"


def results_of(program: str, folder: Path, *arguments: str) -> dict[str, np.ndarray]:
    """Returns the arrays that a program of this folder writes.

    Args:
        program (str): its file name; its first argument is the file of results.
        folder (Path): an empty one, which is its home, too.
        *arguments: more arguments.
    """
    script = ROOT / "tests" / "clients" / program
    env = {
        **os.environ, "HOME": str(folder), "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join([str(CLIENTS), str(ROOT)]),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, str(script), str(folder / "results.npz"), *arguments],
        env=env, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(np.load(folder / "results.npz"))


def expected(library: str) -> dict[str, np.ndarray]:
    """Returns what PaddlePaddle 2.6.2 gives, from scripts/oracle/clients_262.py."""
    return dict(np.load(ROOT / "tests" / "data" / f"{library}.npz"))


def alike(got: np.ndarray, known: np.ndarray, rtol: float = 1e-4, atol: float = 1e-5) -> None:
    """Asserts that two results are the same: texts and integers exactly, others nearly."""
    assert got.shape == known.shape
    if known.dtype.kind in "USiub":
        assert got.tolist() == known.tolist()
    else:
        np.testing.assert_allclose(got, known, rtol=rtol, atol=atol)
