"""Saved models in 8 bits beside the same in float32, and beside onnxruntime's 8 bits.

Every side reads the same files, in a process of its own; ranges are calibrated on what is fed. The
ratio is of our 8 bits to our float32 and, in a row of its own, to onnxruntime in 8 bits. Where a
processor has AMX, all is measured a second time without it (``ONEDNN_MAX_CPU_ISA``).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measure import Effort, Result, clock_for, interleave, merged
from benchmarks.options import LAUNCHES, Options, skipped
from benchmarks.saved_models import FOLDER, inputs, predictor_runner, prefix, save
from benchmarks.table import Row
from benchmarks.worker import Worker, WorkerFailed

GROUP = "int8"
MODULE = "benchmarks.int8"
OURS, FLOATS, RUNTIME = "ours", "ours in float32", "onnxruntime in 8 bits"
SAVE = "save the models"
ISA, WITHOUT_AMX = "ONEDNN_MAX_CPU_ISA", "AVX512_CORE_VNNI"
_FEW = 4  # rows to calibrate with


class Task(NamedTuple):
    """A workload of one row.

    Attributes:
        model: of :data:`~benchmarks.saved_models.MODELS`.
        most: the most that our time in 8 bits may be of ours in float32.
        without_amx: the same on processors without AMX.
    """

    model: str
    most: float
    without_amx: float


TASKS = {
    "ResNet50 b1": Task("resnet50", 0.22, 0.38),
    "MobileNetV2 b1": Task("mobilenet_v2", 0.5, 0.5),
    "BERT 4 layers b1 s128": Task("bert", 0.35, 0.35),
}
# How much of onnxruntime's time ours may take, with AMX and without.
OVER_RUNTIME = (1.0, 1.2)


# -- one side, in a process of its own ------------------------------------------------------------


def build(task: str, side: str) -> Callable[[], Any]:
    """The workload for a worker process."""
    if task == SAVE:
        return _Saver()
    model = TASKS[task].model
    run = _runtime_runner(model) if side == RUNTIME else _runner(model, side)
    [given] = inputs(model, 1)
    run(given)
    return lambda: run(given)


class _Saver:
    """Saves all models when it is asked to."""

    def __call__(self) -> None:
        pass

    def save(self) -> dict[str, str]:
        """Returns why models could not be exported to ONNX."""
        return {t.model: reason for t in TASKS.values() if (reason := save(t.model))}


def _runner(model: str, side: str) -> Callable[[dict[str, np.ndarray]], np.ndarray]:
    """Our Predictor."""
    from paddle.inference import Config

    config = Config(f"{prefix(model)}.pdmodel", f"{prefix(model)}.pdiparams")
    config.disable_gpu()
    if side == OURS:
        [data] = inputs(model, _FEW)
        config.enable_quantizer()
        config.quantizer_config().set_quant_data(list(data.values()))
        config.quantizer_config().set_quant_batch_size(_FEW)
    return predictor_runner(config)


def _runtime_runner(model: str) -> Callable[[dict[str, np.ndarray]], np.ndarray]:
    """onnxruntime with the model that its own tool quantises, in the form that it has for CPUs."""
    import onnxruntime
    from onnxruntime.quantization import (
        CalibrationDataReader,
        QuantFormat,
        QuantType,
        quantize_static,
    )
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Reader(CalibrationDataReader):
        def __init__(self) -> None:
            self.left = iter(inputs(model, _FEW))

        def get_next(self) -> dict[str, np.ndarray] | None:
            return next(self.left, None)

    plain, ready, made = (f"{prefix(model)}{end}.onnx" for end in ("", ".ready", ".int8"))
    if not Path(made).exists():
        quant_pre_process(plain, ready, skip_symbolic_shape=True)
        quantize_static(
            ready, made, Reader(), quant_format=QuantFormat.QDQ, per_channel=True,
            activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
        )  # fmt: skip
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ["OMP_NUM_THREADS"])
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(made, options, providers=["CPUExecutionProvider"])
    return lambda values: session.run(None, values)[0]


# -- rows -----------------------------------------------------------------------------------------


def rows(options: Options) -> Iterator[Row]:
    names = [n for n in TASKS if options.wants(GROUP, n)]
    if not names:
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FOLDER] = folder
        with Worker(MODULE, SAVE, OURS, 1) as worker:
            for model, why in worker.ask("call", "save").items():
                skipped(f"{GROUP}: {RUNTIME} for {model}", why)
        for threads in options.threads:
            for name in names:
                yield from _rows(name, threads, options, has_amx())
                if has_amx():
                    yield from _rows(name, threads, options, amx=False)


def has_amx() -> bool:
    """Says whether oneDNN multiplies bytes by AMX here."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return "amx_int8" in text and os.environ.get(ISA, "AMX").upper().endswith("AMX")


def _rows(name: str, threads: int, options: Options, amx: bool) -> Iterator[Row]:
    before = os.environ.get(ISA)
    if has_amx() and not amx:
        os.environ[ISA] = WITHOUT_AMX
    try:
        result = _compare(name, threads, options)
    finally:
        if before is None:
            os.environ.pop(ISA, None)
        else:
            os.environ[ISA] = before
    if result is None:
        return
    task = TASKS[name]
    limits = {
        FLOATS: task.most if amx else task.without_amx,
        RUNTIME: OVER_RUNTIME[0] if amx else OVER_RUNTIME[1],
    }
    ours = result.median(OURS) * 1e3
    for side, most in limits.items():
        if side in result.samples:
            yield Row(
                GROUP, f"{name}{'' if amx else ', no AMX'} / {side}", threads, result.clock, "ms",
                ours, result.median(side) * 1e3, result.ratio(OURS, side), target=most,
                note=result.remark(f"over {side}, not torch"),
            )  # fmt: skip


def _compare(name: str, threads: int, options: Options) -> Result | None:
    """Measures all sides in turns; None where ours does not run."""
    launches = 1 if options.quick else LAUNCHES
    effort = options.effort(9, 0.3)
    share = Effort(max(3, -(-effort.rounds // launches)), effort.seconds)
    results: list[Result] = []
    failed: set[str] = set()
    for _ in range(launches):
        with ExitStack() as stack:
            workers = {}
            for side in (OURS, FLOATS, RUNTIME):
                if side in failed:
                    continue
                try:
                    workers[side] = stack.enter_context(Worker(MODULE, name, side, threads))
                except WorkerFailed as error:
                    failed.add(side)
                    skipped(f"{GROUP}: {name}, {side}", error)
            if OURS not in workers or FLOATS not in workers:
                return None
            timers = {side: worker.time for side, worker in workers.items()}
            results.append(interleave(timers, share, clock_for(threads)))
    kept = set.intersection(*(set(r.samples) for r in results))
    for result in results:
        result.samples = {side: s for side, s in result.samples.items() if side in kept}
    return merged(results)
