"""Saved models through paddle.inference, beside torch, onnxruntime and real PaddlePaddles.

Every side takes arrays and gives arrays, in a process of its own; ours, PaddlePaddle's and
onnxruntime read the same files. A row is about one workload and one peer.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measure import Effort, Result, clock_for, interleave, merged
from benchmarks.options import LAUNCHES, Options, skipped
from benchmarks.saved_models import (
    FOLDER,
    MODELS,
    inputs,
    predictor_runner,
    prefix,
    save,
    torch_network,
)
from benchmarks.startup import first_row
from benchmarks.table import Row
from benchmarks.worker import Worker, WorkerFailed

GROUP = "inference"
MODULE = "benchmarks.inference"
SAVE = "save the models"
OURS, BFLOAT16, ENGINE = "ours", "ours in bfloat16", "ours by onnxruntime"
EAGER, COMPILED, RUNTIME = "torch", "torch.compile", "onnxruntime"
_FIRST = "numpy.random, paddle"  # 2.6.2 ends when the first is imported after the second
OWN_COST = "own cost of a Predictor"
LOADED = "ResNet50 loaded after import"
_LOAD = """
from paddle.inference import Config, create_predictor
create_predictor(Config({prefix!r} + ".pdmodel", {prefix!r} + ".pdiparams"))
"""
_SAME = {OURS: 1e-3, ENGINE: 1e-3, BFLOAT16: 5e-2}  # of the largest value


class Task(NamedTuple):
    """A workload.

    Attributes:
        model: of :data:`~benchmarks.saved_models.MODELS`.
        batch: rows of its inputs.
        bfloat16: the most that our time in bfloat16 may be of onnxruntime's; None: any.
        milliseconds: the most that ours may take; None: any.
    """

    model: str
    batch: int
    bfloat16: float | None = None
    milliseconds: float | None = None


TASKS = {
    "LeNet b1": Task("lenet", 1, milliseconds=0.06),
    "LeNet b64": Task("lenet", 64),
    "MobileNetV2 b1": Task("mobilenet_v2", 1),
    "ResNet50 b1": Task("resnet50", 1, bfloat16=0.45),
    "ResNet50 b8": Task("resnet50", 8),
    "BERT 4 layers b1 s128": Task("bert", 1, bfloat16=0.45),
    "CRNN, lines of five widths": Task("crnn", 1),
}
# How much of the peer's time ours may take.
MOST = {RUNTIME: 1.1}


# -- one side, in a process of its own ------------------------------------------------------------


def build(task: str, side: str) -> Callable[[], Any]:
    """The workload for a worker process."""
    if task == SAVE:
        return _Saver()
    if task == OWN_COST:
        return _bare(side)
    model, batch, *_ = TASKS[task]
    run = _runner(model, side)
    data = inputs(model, batch)
    for given in data:  # compiles what is compiled at the first call
        run(given)

    def step() -> None:
        for given in data:
            run(given)

    step.sample = lambda: [float(v) for v in np.ravel(run(data[0]))[:64]]  # type: ignore[attr-defined]
    return step


class _Saver:
    """Saves all models when it is asked to."""

    def __call__(self) -> None:
        pass

    def save(self) -> dict[str, str]:
        """Returns why models could not be exported to ONNX."""
        return {model: reason for model in MODELS if (reason := save(model))}


def _runner(model: str, side: str) -> Callable[[dict[str, np.ndarray]], np.ndarray]:
    """A function from inputs to the first output."""
    if side in (EAGER, COMPILED):
        return _torch_runner(model, side)
    if side == RUNTIME:
        return _runtime_runner(model)
    return _predictor_runner(model, side)


def _predictor_runner(model: str, side: str) -> Callable[[dict[str, np.ndarray]], np.ndarray]:
    """Our Predictor, or that of the PaddlePaddle that this process has."""
    from paddle.inference import Config

    config = Config(f"{prefix(model)}.pdmodel", f"{prefix(model)}.pdiparams")
    config.disable_gpu()
    if side == ENGINE:
        config.enable_onnxruntime()
    elif side == BFLOAT16:
        config.enable_mkldnn_bfloat16()
        if not config.mkldnn_bfloat16_enabled():
            raise RuntimeError("this processor has no instructions for bfloat16")
    elif side != OURS:
        config.enable_mkldnn()
        config.disable_glog_info()
    return predictor_runner(config)


def _torch_runner(model: str, side: str) -> Callable[[dict[str, np.ndarray]], np.ndarray]:
    import torch

    net = torch_network(model)
    if side == COMPILED:
        net = torch.compile(net, dynamic=model == "crnn")

    def run(values: dict[str, np.ndarray]) -> np.ndarray:
        with torch.inference_mode():
            return net(*[torch.from_numpy(v) for v in values.values()]).numpy()

    return run


def _runtime_runner(model: str) -> Callable[[dict[str, np.ndarray]], np.ndarray]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ["OMP_NUM_THREADS"])
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        f"{prefix(model)}.onnx", options, providers=["CPUExecutionProvider"]
    )
    return lambda values: session.run(None, values)[0]


def _bare(side: str) -> Callable[[], Any]:
    """A chain of tanh, as a Program that runs on handles that are filled, or as calls of ATen."""
    who, count = side.split()
    x = inputs("tanh1", 1)[0]["x"]
    if who == OURS:
        from paddle.inference import Config, create_predictor

        predictor = create_predictor(Config(prefix(f"tanh{count}")))
        predictor.get_input_handle("x").copy_from_cpu(x)
        return predictor.run
    import torch

    start, times = torch.from_numpy(x), range(int(count))
    torch.inference_mode(True).__enter__()  # for good: entering it costs more than an operator

    def run() -> Any:
        value = start
        for _ in times:
            value = torch.tanh(value)
        return value

    return run


# -- rows -----------------------------------------------------------------------------------------


def rows(options: Options) -> Iterator[Row]:
    names = [n for n in (*TASKS, OWN_COST, LOADED) if options.wants(GROUP, n)]
    if not names:
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FOLDER] = folder
        with Worker(MODULE, SAVE, OURS, 1) as worker:
            for model, why in worker.ask("call", "save").items():
                skipped(f"{GROUP}: {RUNTIME} for {model}", why)
        peers = _predictors(options)
        for threads in options.threads:
            for name in names:
                if name in TASKS:
                    yield from _task_rows(name, threads, options, peers)
                elif threads == 1:
                    yield from _own_rows(options) if name == OWN_COST else [_load_row(options)]


def _predictors(options: Options) -> dict[str, str]:
    """The real PaddlePaddles: side -> interpreter."""
    found = {}
    for python in filter(None, dict.fromkeys((options.oracle, *options.predictors))):
        asked = [python, "-P", "-c", "import paddle; print(paddle.__version__)"]
        done = subprocess.run(asked, capture_output=True, text=True, cwd="/")
        if done.returncode:
            skipped(f"{GROUP}: {python}", done.stderr.strip().splitlines()[-1])
        else:
            found[f"PaddlePaddle {done.stdout.split()[-1]}"] = python
    return found


def _task_rows(name: str, threads: int, options: Options, peers: dict[str, str]) -> Iterator[Row]:
    task = TASKS[name]
    result = _compare(name, threads, options, peers)
    if result is None:
        return
    ours = result.median(OURS) * 1e3
    if task.milliseconds is not None and threads == 1:
        yield Row(GROUP, f"{name}, ms", threads, result.clock, "ms", ours, None, ours, "value",
                  task.milliseconds, result.remark())  # fmt: skip
    for peer in result.samples:
        if peer.startswith(OURS):
            continue
        yield _peer_row(name, threads, result, OURS, peer, MOST.get(peer, 1.0))
    if RUNTIME not in result.samples:
        return
    for side, most in ((BFLOAT16, task.bfloat16), (ENGINE, 1.05)):
        if side in result.samples:
            yield _peer_row(name, threads, result, side, RUNTIME, most)


def _peer_row(
    name: str, threads: int, result: Result, side: str, peer: str, most: float | None
) -> Row:  # fmt: skip
    what = name if side == OURS else f"{name}, {side.removeprefix(OURS).strip()}"
    note = "" if peer == EAGER else f"over {peer}, not torch"
    return Row(
        GROUP, f"{what} / {peer}", threads, result.clock, "ms", result.median(side) * 1e3,
        result.median(peer) * 1e3, result.ratio(side, peer), target=most,
        note=result.remark(*filter(None, [note])),
    )  # fmt: skip


def _compare(name: str, threads: int, options: Options, peers: dict[str, str]) -> Result | None:
    """Measures all sides that there are, in turns; None where ours is none of them."""
    results: list[Result] = []
    launches = 1 if options.quick else LAUNCHES
    effort = options.effort(9, 0.3)
    share = Effort(max(3, -(-effort.rounds // launches)), effort.seconds)
    failed: set[str] = set()
    for _ in range(launches):
        with ExitStack() as stack:
            workers = _workers(stack, name, threads, peers, failed)
            if OURS not in workers:
                return None
            _check_same(name, workers)
            timers = {side: worker.time for side, worker in workers.items()}
            results.append(interleave(timers, share, clock_for(threads)))
    kept = set.intersection(*(set(r.samples) for r in results))
    for result in results:
        result.samples = {side: s for side, s in result.samples.items() if side in kept}
    return merged(results)


def _workers(
    stack: ExitStack, name: str, threads: int, peers: dict[str, str], failed: set[str]
) -> dict[str, Worker]:  # fmt: skip
    """Starts a process for each side; says once which sides fail."""
    started = {}
    for side in (OURS, BFLOAT16, ENGINE, EAGER, COMPILED, RUNTIME, *peers):
        if side in failed:
            continue
        python = (peers[side], _FIRST) if side in peers else ()
        try:
            started[side] = stack.enter_context(Worker(MODULE, name, side, threads, *python))
        except WorkerFailed as error:
            failed.add(side)
            skipped(f"{GROUP}: {name}, {side}", error)
    return started


def _check_same(name: str, workers: dict[str, Worker]) -> None:
    """Takes out sides that read our files and compute something else."""
    expected = np.array(workers[OURS].ask("call", "sample"))
    for side in [s for s in workers if s not in (OURS, EAGER, COMPILED)]:
        found = np.array(workers[side].ask("call", "sample"))
        apart = float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-12))
        if not apart <= _SAME.get(side, 1e-3):
            skipped(f"{GROUP}: {name}, {side}", f"its results are {apart:.2g} of ours apart")
            del workers[side]


def _own_rows(options: Options) -> Iterator[Row]:
    """What a run costs over the kernels: once, and for each operator."""
    sides = [f"{who} {count}" for count in (1, 101) for who in (OURS, "bare")]
    try:
        with ExitStack() as stack:
            workers = {s: stack.enter_context(Worker(MODULE, OWN_COST, s, 1)) for s in sides}
            timers = {side: worker.time for side, worker in workers.items()}
            result = interleave(timers, options.effort(21, 0.1), clock_for(1))
    except WorkerFailed as error:
        skipped(OWN_COST, error)
        return
    once = result.difference("ours 1", "bare 1") * 1e6
    all_ = result.difference("ours 101", "bare 101") * 1e6
    ours, bare = (result.median(f"{who} 1") * 1e6 for who in (OURS, "bare"))
    note = "over bare calls of ATen"
    yield Row(GROUP, f"{OWN_COST}, a run of one operator", 1, "cpu", "us", ours, bare, once, "more",
              5.0, note)  # fmt: skip
    ours, bare = (result.median(f"{who} 101") * 1e4 for who in (OURS, "bare"))
    yield Row(GROUP, f"{OWN_COST}, an operator", 1, "cpu", "us", ours, bare, (all_ - once) / 100,
              "more", 1.0, note)  # fmt: skip


def _load_row(options: Options) -> Row:
    script = _LOAD.format(prefix=prefix("resnet50"))
    return first_row(GROUP, LOADED, script, 1.5, 1, options)
