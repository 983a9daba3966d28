"""Runs the whole suite as another machine would: one row of a table, the next one in each turn.

    python scripts/run_variation.py            the row of this turn; then this process is pytest
    python scripts/run_variation.py --list     the table
    VARIATION=3 python scripts/run_variation.py -x    a row by its number; arguments go to pytest

The turn is the number of commits, and of days where that is not known, so that every row has its
turn soon. WORKERS in the environment goes before the row's number of processes.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Variation:
    """One way to run the suite.

    Attributes:
        name (str): what differs.
        environment (Mapping): variables that are set.
        workers (int): pytest processes.
        in_random_order (bool): in an order drawn from the commit's seed, which is printed.
        slow (bool): with the tests marked slow.
    """

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    workers: int = 2
    in_random_order: bool = True
    slow: bool = True


_AVX2 = {"ONEDNN_MAX_CPU_ISA": "AVX2"}
TABLE = (
    Variation("the files' own order", in_random_order=False),
    Variation("ATen without vectors", {"ATEN_CPU_CAPABILITY": "default"}),
    Variation("four processes", workers=4),
    Variation("ATen and oneDNN of AVX2", {"ATEN_CPU_CAPABILITY": "avx2", **_AVX2}),
    Variation("oneDNN of AVX2", _AVX2),
    Variation("one process", workers=1, slow=False),  # takes twice as long
    Variation("kernels chosen by measuring", {"FLAGS_kernel_tuning": "1"}),
)


def commit(root: Path = ROOT) -> tuple[int, int]:
    """Returns the turn, which grows from commit to commit, and a seed of the commit's own.

    So a run can be repeated: the same commit has the same row and the same order.
    """
    try:
        told = subprocess.run(
            ["git", "log", "--format=%h"], cwd=root, capture_output=True, text=True
        )
        names = told.stdout.split() if told.returncode == 0 else []
    except OSError:
        names = []
    if len(names) > 1:
        return len(names), int(names[0], 16) % 10**6
    days = int(time.time() // 86400)  # a shallow clone has one commit
    return days, days


def chosen(given: str | None, number: int) -> int:
    """Returns the row of a turn, or the one that the environment names.

    Args:
        given (str|None): a row's number as text.
        number (int): the turn.

    Raises:
        SystemExit: there is no such row.
    """
    if not given:
        return number % len(TABLE)
    if not given.isdigit() or int(given) >= len(TABLE):
        raise SystemExit(f"VARIATION: expected 0 to {len(TABLE) - 1}, but got {given!r}")
    return int(given)


def command(row: Variation, workers: str | None, seed: int) -> list[str]:
    """Returns the arguments of Python that run the suite."""
    words = ["-m", "pytest", "-q", "-n", workers or str(row.workers), "--dist", "worksteal"]
    if not row.slow:
        words += ["-m", "not slow"]
    return [*words, "--random-order", str(seed)] if row.in_random_order else words


def main(arguments: list[str]) -> None:
    """Prints what is run, and becomes it."""
    if arguments == ["--list"]:
        for i, row in enumerate(TABLE):
            words = [f"{k}={v}" for k, v in row.environment.items()]
            print(f"{i}  {row.name}: {shlex.join([*words, *command(row, None, 0)])}")
        return
    number, seed = commit()
    at = chosen(os.environ.get("VARIATION"), number)
    row = TABLE[at]
    words = [*command(row, os.environ.get("WORKERS"), seed), *arguments]
    shown = [f"{k}={v}" for k, v in row.environment.items()] + ["python", *words]
    print(f"variation {at} of {len(TABLE)}, {row.name}: {shlex.join(shown)}", flush=True)
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}  # the processes share the cores
    os.chdir(ROOT)
    os.execve(
        sys.executable, [sys.executable, *words], {**os.environ, **threads, **row.environment}
    )


if __name__ == "__main__":
    main(sys.argv[1:])
