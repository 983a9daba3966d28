"""Kills a process of a training half-way; the training ends with the loss of an undisturbed one.

``python examples/distributed/elastic/run.py`` starts train.py twice under the launcher, in two
processes: once undisturbed, and once so that a process dies. The launcher starts both again, and
they go on from their last checkpoint.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

TRAIN = Path(__file__).with_name("train.py")


def run(folder: Path, *words: str) -> str:
    """Runs a training; returns its last line."""
    done = subprocess.run(
        [sys.executable, "-m", "paddle.distributed.launch", "--nproc_per_node", "2",
         "--max_restarts", "1", "--log_dir", str(folder / "log"),
         str(TRAIN), "--checkpoint", str(folder / "run.pdckpt"), *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    sys.stderr.write(done.stderr)
    print(done.stdout, end="")
    if done.returncode:
        raise SystemExit(f"the training failed with exit status {done.returncode}")
    return done.stdout.splitlines()[-1]


def main() -> tuple[str, str]:
    """Returns the last lines of the two trainings."""
    with tempfile.TemporaryDirectory() as folder:
        print("undisturbed:")
        undisturbed = run(Path(folder, "undisturbed"))
        print("with a process that dies at step 37:")
        killed = run(Path(folder, "killed"), "--kill-at", "37")
    print("the same loss" if killed == undisturbed else "ANOTHER LOSS")
    return undisturbed, killed


if __name__ == "__main__":
    lines = main()
    sys.exit(int(lines[0] != lines[1]))
