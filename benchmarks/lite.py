"""paddlelite beside our full engine: time, from start to the first answer, memory, sizes of files.

Every side runs the same saved model in a process of its own and takes and gives arrays.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.options import Options, compare_processes
from benchmarks.table import Row
from benchmarks.worker import ROOT, Worker

GROUP = "lite"
MODULE = "benchmarks.lite"
FOLDER = "PADDLE_BENCHMARK_LITE"  # environment: where the files are
SAVE = "save the models"
FULL, ENGINES = "ours", {"C": "c", "NumPy": "numpy"}
# Network -> the most that each engine may take of the full engine's time.
TASKS = {
    "MobileNetV1 b1": {"C": 3.0, "NumPy": 10.0},
    "ResNet50 b1": {"C": 3.0, "NumPy": 3.0},
}
START, RESIDENT = "MobileNetV1, start to first answer", "MobileNetV1, resident"
FILE, LIBRARY = "MobileNetV1, file of int8 weights / float", "C library"
_ALONE = """
import json, sys
sys.path.insert(0, {lite!r})
import numpy as np
from paddlelite.lite import MobileConfig, create_paddle_predictor
config = MobileConfig()
config.set_model_from_file({model!r})
config.set_engine({engine!r})
predictor = create_paddle_predictor(config)
predictor.get_input(0).from_numpy(np.ones((1, 3, 224, 224), "float32"))
predictor.run()
predictor.get_output(0).numpy()
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


def path(task: str, ending: str = "") -> str:
    """The files of a network begin with this."""
    return str(Path(os.environ[FOLDER]) / task.split()[0]) + ending


# -- one side, in a process of its own ------------------------------------------------------------


def build(task: str, side: str) -> Callable[[], Any]:
    """The workload for a worker process."""
    if task == SAVE:
        return _Saver()
    x = np.random.RandomState(0).rand(1, 3, 224, 224).astype("float32")
    run = _full(task) if side == FULL else _lite(task, ENGINES[side])
    run(x)

    def step() -> None:
        run(x)

    step.sample = lambda: [float(v) for v in np.ravel(run(x))]  # type: ignore[attr-defined]
    return step


class _Saver:
    """Saves the models, with float and with int8 weights, when it is asked to."""

    def __call__(self) -> None:
        pass

    def save(self) -> dict[str, int]:
        """Returns the sizes of the files."""
        import paddle
        from paddle.inference.lite_export import Opt
        from paddle.vision import models

        sizes = {}
        for task, make in zip(TASKS, (models.mobilenet_v1, models.resnet50)):
            paddle.seed(1)
            net = make()
            net.eval()
            spec = [paddle.static.InputSpec([None, 3, 224, 224], "float32")]
            paddle.jit.save(net, path(task), input_spec=spec)
            opt = Opt()
            opt.set_model_dir(path(task))
            for small in (False, True):
                opt.set_quant_model(small)
                opt.set_optimize_out(path(task, "_int8" if small else ""))
                made = opt.run()
                sizes[os.path.basename(made)] = os.path.getsize(made)
        return sizes


def _full(task: str) -> Callable[[np.ndarray], np.ndarray]:
    from paddle.inference import Config, create_predictor

    config = Config(path(task))
    config.disable_gpu()
    config.set_cpu_math_library_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    predictor = create_predictor(config)
    return lambda x: predictor.run([x])[0]


def _lite(task: str, engine: str) -> Callable[[np.ndarray], np.ndarray]:
    sys.path.insert(0, str(ROOT / "lite"))
    from paddlelite.lite import MobileConfig, create_paddle_predictor

    config = MobileConfig()
    config.set_model_from_file(path(task, ".nb"))
    config.set_engine(engine)
    if engine == "c":
        config.set_threads(int(os.environ["OMP_NUM_THREADS"]))
    predictor = create_paddle_predictor(config)
    given, out = predictor.get_input(0), predictor.get_output(0)

    def run(x: np.ndarray) -> np.ndarray:
        given.from_numpy(x)
        predictor.run()
        return out.numpy()

    return run


# -- rows -----------------------------------------------------------------------------------------


def rows(options: Options) -> Iterator[Row]:
    names = [n for n in (*TASKS, START, RESIDENT, FILE, LIBRARY) if options.wants(GROUP, n)]
    if not names:
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FOLDER] = folder
        with Worker(MODULE, SAVE, FULL, 1) as worker:
            sizes = worker.ask("call", "save")
        for threads in options.threads:
            for name in [n for n in names if n in TASKS]:
                yield from _task_rows(name, threads, options)
        if START in names or RESIDENT in names:
            yield from _alone_rows(options)
        if FILE in names:
            whole, small = (sizes[f"MobileNetV1{kind}.nb"] / 1e6 for kind in ("", "_int8"))
            yield Row(GROUP, FILE, 1, "size", "MB", small, whole, small / whole, target=0.27,
                      note="over the file of float weights")  # fmt: skip
        if LIBRARY in names:
            yield _library_row(folder)


def _task_rows(name: str, threads: int, options: Options) -> Iterator[Row]:
    sides = (FULL, *ENGINES)
    result = compare_processes(MODULE, name, sides, threads, options.effort(9, 0.5), _check_same)
    if result is None:
        return
    full = result.median(FULL) * 1e3
    for side in ENGINES:
        most = TASKS[name][side] if threads == 1 else None
        yield Row(GROUP, f"{name}, {side}", threads, result.clock, "ms", result.median(side) * 1e3,
                  full, result.ratio(side, FULL), target=most,
                  note=result.remark("over our full engine"))  # fmt: skip


def _check_same(workers: dict[str, Worker]) -> None:
    """All sides compute the same."""
    expected = np.array(workers[FULL].ask("call", "sample"))
    for side in ENGINES:
        found = np.array(workers[side].ask("call", "sample"))
        assert np.abs(found - expected).max() <= 1e-3 * np.abs(expected).max(), side


def _alone_rows(options: Options) -> Iterator[Row]:
    """A process that does nothing but answer once."""
    lite, model = str(ROOT / "lite"), path("MobileNetV1", ".nb")
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    for side, engine in ENGINES.items():
        code = _ALONE.format(lite=lite, model=model, engine=engine)
        times, memory = [], []
        for _ in range(1 + options.effort(7, 0).rounds):  # the first one reads files from disk
            begin = perf_counter()
            done = subprocess.run([sys.executable, "-I", "-c", code], env=env, check=True,
                                  stdout=subprocess.PIPE, text=True)  # fmt: skip
            times.append(perf_counter() - begin)
            memory.append(json.loads(done.stdout) / 1024)
        took, most = median(times[1:]), median(memory[1:])
        if options.wants(GROUP, START):
            yield Row(GROUP, f"{START}, {side}", 1, "wall", "s", took, None, took, "value", 0.6)
        if options.wants(GROUP, RESIDENT):
            yield Row(GROUP, f"{RESIDENT}, {side}", 1, "size", "MB", most, None, most, "value",
                      90.0, "at its highest")  # fmt: skip


def _library_row(folder: str) -> Row:
    build_it = [sys.executable, ROOT / "lite" / "build.py", "--out", folder]
    subprocess.run(build_it, check=True, stdout=subprocess.DEVNULL)
    largest = max(p.stat().st_size for p in Path(folder).rglob("libpaddle_lite.a")) / 1e6
    return Row(GROUP, LIBRARY, 1, "size", "MB", largest, None, largest, "value", 0.3)
