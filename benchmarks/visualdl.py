"""VisualDL: logging and reading scalars, and importing, beside the real one (`--visualdl PYTHON`).

Each side runs in processes of its own, one after another in turns: the text of the program is the
same for both, and only one of the two packages can be called `visualdl` in a process. What the
callback costs is measured in one process, an epoch with it and one without in turns.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import Effort, Result, Sample, clock_for, interleave, local, merged
from benchmarks.options import LAUNCHES, Options, skipped
from benchmarks.table import UNITS, Row
from benchmarks.worker import Worker, WorkerFailed

GROUP = "visualdl"
MODULE = "benchmarks.visualdl"
FIT = "Model.fit with the callback"
MOST = 1.03
"""What the callback may cost."""
ROOT = Path(__file__).resolve().parents[1]
POINTS = 100_000

PROGRAM = """
import sys, tempfile, time
task, path = sys.argv[1:]
started = time.perf_counter(), time.process_time()
def took(what):
    print(what, time.perf_counter() - started[0], time.process_time() - started[1])
import visualdl
took("import")
from visualdl import LogReader, LogWriter
took("both")
if task == "write":
    writer = LogWriter(path)
    for step in range(1000):
        writer.add_scalar("train/loss", step * 0.5, step)
    started = time.perf_counter(), time.process_time()
    for step in range(20000):
        writer.add_scalar("train/loss", step * 0.5, step)
    took("write")
    writer.close()
if task == "read":
    started = time.perf_counter(), time.process_time()
    rows = LogReader(file_path=path).get_data("scalar", "train/loss")
    took("read")
    assert len(rows) == int(sys.stdin.read()) and rows[-1].value == (len(rows) - 1) * 0.5
"""


def _run(python: str, task: str, path: str) -> dict[str, tuple[float, float]]:
    """Runs a task; gives the seconds, and seconds of processors, of what it measures."""
    ours = python == sys.executable
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT) if ours else ""}
    done = subprocess.run(
        [python, "-c", PROGRAM, task, path],
        cwd="/",
        env=environment,
        input=str(POINTS),
        capture_output=True,
        text=True,
        check=True,
    )
    found = {}
    for line in done.stdout.splitlines():
        name, *numbers = line.split()
        if len(numbers) == 2 and name in ("import", "both", "write", "read"):
            found[name] = (float(numbers[0]), float(numbers[1]))
    return found


def _measured(
    options: Options, task: str, path: str, clock: int
) -> dict[str, dict[str, float]] | None:
    """Runs both sides in turns; gives the medians of each."""
    sides = {"ours": sys.executable}
    if options.visualdl:
        sides["real"] = options.visualdl
    samples: dict[str, dict[str, list[float]]] = {side: {} for side in sides}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(3 if options.quick else 7):
            for side, python in sides.items():
                place = path or os.path.join(folder, f"{side}{number}")
                try:
                    found = _run(python, task, place)
                except (OSError, subprocess.CalledProcessError) as error:
                    skipped(f"{GROUP} {task} of {side}", getattr(error, "stderr", error) or error)
                    if side == "ours":
                        return None
                    continue
                for name, seconds in found.items():
                    samples[side].setdefault(name, []).append(seconds[clock])
    return {
        side: {name: statistics.median(numbers) for name, numbers in measured.items()}
        for side, measured in samples.items()
    }


def rows(options: Options) -> Iterator[Row]:
    """What a scalar costs, what it takes to read many, to import the package, and the callback."""
    for threads in options.threads:
        if options.wants(GROUP, FIT):
            yield from _fit_row(options, threads)
    if 1 not in options.threads:
        return
    names = {"write": "add_scalar", "read": "read 100,000 scalars", "import": "import visualdl"}
    targets = {"write": 10.0, "read": 0.5, "import": 0.25}
    with tempfile.TemporaryDirectory() as folder:
        path = _log(folder)
        for task, name in names.items():
            if not options.wants(GROUP, name):
                continue
            # importing reads files, and is what a user waits for: the wall clock
            clock = 0 if task == "import" else 1
            found = _measured(options, task, path if task == "read" else "", clock)
            if found is None:
                continue
            per = 20_000 if task == "write" else 1
            ours = found["ours"][task] / per
            note = "no --visualdl" if not options.visualdl else "no result of the real one"
            if found.get("real"):
                real = found["real"][task] / per
                note = f"real {_shown(task, real)}, {real / ours:.1f} times ours"
            if task == "import":
                note += f"; LogWriter and LogReader too: {found['ours']['both']:.2f} s"
                if found.get("real"):
                    note += f", real {found['real']['both']:.2f} s"
            unit = "us" if task == "write" else "s"
            shown = ours * UNITS[unit]
            yield Row(
                GROUP, name, 1, "wall" if clock == 0 else "cpu", unit, shown, None, shown,
                "value", targets[task], note,
            )  # fmt: skip


def _shown(task: str, seconds: float) -> str:
    return f"{seconds * 1e6:.1f} us" if task == "write" else f"{seconds:.2f} s"


def _log(folder: str) -> str:
    """Writes the log that both sides read."""
    from visualdl import LogWriter

    with LogWriter(folder) as writer:
        for step in range(POINTS):
            writer.add_scalar("train/loss", step * 0.5, step)
    return writer.file_name


# -- the callback ----------------------------------------------------------------------------------
class Epochs:
    """LeNet's epoch on MNIST, with a log for the board and without."""

    def __init__(self) -> None:
        from benchmarks.fit import Fit

        self.fit = Fit()
        self.folder = tempfile.TemporaryDirectory()
        self.number = 0

    def __call__(self) -> None:
        """Runs an epoch without a log."""
        self.fit()

    def logged(self) -> None:
        """Runs an epoch that is logged."""
        import paddle

        self.number += 1
        folder = os.path.join(self.folder.name, str(self.number))
        self.fit.epoch(verbose=2, callbacks=paddle.callbacks.VisualDL(folder))

    def rough(self) -> list[list[list[float]]]:
        return self.measured(3)

    def thorough(self) -> list[list[list[float]]]:
        return self.measured(9)

    def measured(self, rounds: int) -> list[list[list[float]]]:
        """Takes samples of both in turns: seconds of the wall clock and of processors."""
        sides = {"ours": local(self.logged), "without": local(self)}
        found = interleave(sides, Effort(rounds, 0.5), "cpu").samples
        return [[[s.wall, s.cpu] for s in found[side]] for side in sides]


def build(task: str, side: str) -> Callable[[], None]:
    """The workload for a worker process."""
    return Epochs()


def _fit_row(options: Options, threads: int) -> Iterator[Row]:
    """What an epoch takes with the callback, over one without."""
    clock = clock_for(threads)
    results = []
    try:
        for _ in range(LAUNCHES):
            with Worker(MODULE, FIT, "ours", threads) as worker:
                ours, without = worker.ask("call", "rough" if options.quick else "thorough")
            samples = {"ours": ours, "without": without}
            results.append(
                Result(clock, {key: [Sample(*s) for s in row] for key, row in samples.items()})
            )
    except WorkerFailed as error:
        skipped(FIT, error)
        return
    result = merged(results)
    yield Row(
        GROUP, FIT, threads, clock, "ms", result.median("ours") * 1e3,
        result.median("without") * 1e3, result.ratio("ours", "without"), target=MOST,
        note="beside the same epoch without it, in one process; LeNet b64, 6400 images",
    )  # fmt: skip
