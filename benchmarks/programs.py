"""Everyday programs from the start of the process to its end, beside a real PaddlePaddle."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from benchmarks.measure import Result, Sample
from benchmarks.options import Options, skipped
from benchmarks.table import Row
from benchmarks.worker import ROOT

GROUP = "programs"
SCRIPTS = sorted(
    path for path in (Path(__file__).parent / "everyday").glob("*.py") if path.stem != "__init__"
)


def once(python: str, script: Path) -> Sample:
    """Runs a script in a fresh process; the time is that of the process and what it starts."""
    env = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # both sides have compiled files, as installed ones do
    if python == sys.executable:
        env["PYTHONPATH"] = str(ROOT)
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [python, str(script)], env=env, cwd=folder, capture_output=True, text=True
        )
    wall, after = perf_counter() - wall, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{python} {script.name}: {done.stderr.strip()[-500:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Sample(wall, cpu)


def rows(options: Options) -> Iterator[Row]:
    asked = [script for script in SCRIPTS if options.wants(GROUP, script.stem)]
    if asked and not options.oracle:
        skipped(GROUP, "they need --oracle")
        return
    for script in asked:
        try:
            yield _row(script, options)
        except RuntimeError as error:
            skipped(f"{GROUP} {script.stem}", error)


def _row(script: Path, options: Options) -> Row:
    sides = {"ours": sys.executable, "PaddlePaddle": options.oracle}
    for python in sides.values():  # the first run reads the files from disk, and compiles ours
        once(python, script)
    result = Result("cpu", {side: [] for side in sides})
    for _ in range(options.effort(9, 0).rounds):
        for side, python in sides.items():
            result.samples[side].append(once(python, script))
    ours, peer = result.median("ours"), result.median("PaddlePaddle")
    value = result.ratio("ours", "PaddlePaddle")
    return Row(GROUP, script.stem, 1, "cpu", "s", ours, peer, value, "ratio", 1.0,
               "over PaddlePaddle, not torch")  # fmt: skip
