"""``python -m paddle.inference.benchmark MODEL``: latency, throughput and where the time goes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter, process_time
from typing import Any

import numpy as np

from paddle.core.allocator import most_resident, resident
from paddle.core.errors import FrameworkError
from paddle.executor.inference_values import buffer_of, with_lod
from paddle.executor.profiling import OperatorTime, Profile
from paddle.executor.threads import number, with_threads
from paddle.inference.command_line import (
    add_engine,
    add_model,
    add_shapes,
    config_of,
    files_of,
    pairs,
    positive,
    program_of,
    shapes_of,
)
from paddle.inference.config import Config
from paddle.inference.engine import Native
from paddle.inference.example_inputs import Example, example_inputs
from paddle.inference.predictor import Predictor, create_predictor
from paddle.inference.signature import Signature

_WHERE = "paddle.inference.benchmark"
_PERCENTILES = (50, 90, 99)
_SLOWEST = 10  # operators that the text lists one by one
_PROFILED_RUNS = 10


def measure(
    config: Config,
    inputs: Mapping[str, Example],
    warmup: int = 5,
    repeats: int | None = None,
    seconds: float = 3.0,
) -> dict[str, Any]:
    """Loads a model and times its runs.

    Args:
        config (Config): the model, and how to run it.
        inputs (Mapping[str, Example]): input -> what is fed in every run.
        warmup (int): runs before the clock starts. Default: 5.
        repeats (int, optional): runs that are timed.
        seconds (float): for how long runs are timed where ``repeats`` is None. Default: 3.0.

    Returns:
        dict: ``load_s`` is the time from the Config to a Predictor, ``first_run_ms`` that of the
        first run; ``latency_ms`` has ``mean min p50 p90 p99`` of ``run()``, ``processor_ms`` the
        processor time of a run, by all threads, which other programs disturb less; ``copies_ms``
        the median of copying inputs in and outputs out; ``throughput`` runs and samples a second;
        ``memory_mb`` the resident memory before loading, after it, and the most there was.
    """
    before = resident()
    start = perf_counter()
    predictor = create_predictor(config)
    loaded = perf_counter() - start
    after = resident()
    _feed(predictor, inputs)
    first = _timed(predictor.run)
    for _ in range(warmup):
        predictor.run()
    processor = process_time()
    taken = _samples(predictor.run, repeats, seconds)
    processor = process_time() - processor
    copies = [_timed(lambda: _copy(predictor, inputs)) for _ in range(min(len(taken), 20))]
    samples = next((x.array.shape[0] for x in inputs.values() if x.array.ndim), 1)
    return {
        "load_s": loaded,
        "first_run_ms": first * 1e3,
        "runs": len(taken),
        "latency_ms": _statistics(taken),
        "processor_ms": processor / len(taken) * 1e3,
        "copies_ms": float(np.median(copies)) * 1e3,
        "throughput": {
            "runs_per_s": len(taken) / sum(taken),
            "samples_per_s": samples * len(taken) / sum(taken),
        },
        "memory_mb": {
            "before": before / 2**20,
            "loaded": after / 2**20,
            "most": max(most_resident(), after) / 2**20,  # the kernel counts both in portions
        },
    }


def profile(
    config: Config,
    inputs: Mapping[str, Example],
    threads: int | None = None,
    runs: int = _PROFILED_RUNS,
) -> Profile:
    """Runs a model with a clock behind every operator, by our own kernels.

    Args:
        config (Config): the model, and how to run it.
        inputs (Mapping[str, Example]): input -> what is fed in every run.
        threads (int, optional): that compute; None: as many as the process has.
        runs (int): how many. Default: 10.
    """
    times = Profile()
    run = Native(config.read_model(), config, times)
    buffers = [_buffer(inputs[expected.name]) for expected in run.expected]
    count = number() if threads is None else threads
    with_threads(count, run.call, buffers)  # what is done once is no part of a run
    times.clear()
    for _ in range(runs):
        with_threads(count, run.call, buffers)
    return times


def _buffer(example: Example) -> Any:
    return with_lod(buffer_of(example.array), example.lod)


def _feed(predictor: Predictor, inputs: Mapping[str, Example]) -> None:
    for name, example in inputs.items():
        handle = predictor.get_input_handle(name)
        handle.copy_from_cpu(example.array)
        handle.set_lod(example.lod)


def _copy(predictor: Predictor, inputs: Mapping[str, Example]) -> None:
    _feed(predictor, inputs)
    for name in predictor.get_output_names():
        predictor.get_output_handle(name).copy_to_cpu()


def _timed(function: Callable[[], Any]) -> float:
    start = perf_counter()
    function()
    return perf_counter() - start


def _samples(run: Callable[[], Any], repeats: int | None, seconds: float) -> list[float]:
    if repeats is not None:
        return [_timed(run) for _ in range(repeats)]
    taken: list[float] = []
    until = perf_counter() + seconds
    while not taken or perf_counter() < until:
        taken.append(_timed(run))
    return taken


def _statistics(taken: Sequence[float]) -> dict[str, float]:
    times = np.asarray(taken) * 1e3
    found = {"mean": float(times.mean()), "min": float(times.min())}
    return found | {f"p{p}": float(np.percentile(times, p)) for p in _PERCENTILES}


# -- the command ----------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m {_WHERE}",
        description="Times a saved model, and tells where its time goes.",
    )
    add_model(parser)
    add_shapes(parser, "of an input")
    parser.add_argument(
        "--dtype", action="append", default=[], metavar="NAME=int64", help="of an input"
    )
    parser.add_argument(
        "--batch", type=positive, default=1, help="first size of inputs that leave it open"
    )
    add_engine(parser)
    parser.add_argument("--warmup", type=int, default=5, help="runs that are not timed (5)")
    parser.add_argument("--repeats", type=positive, help="runs that are timed")
    parser.add_argument("--seconds", type=float, default=3.0, help="in place of --repeats (3)")
    parser.add_argument("--no-profile", action="store_true", help="do not time operators")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Runs the command.

    Args:
        argv (list[str], optional): the command line; None: this process's.

    Returns:
        int: 0, or 1 where the model cannot be run.
    """
    parser = _parser()
    given = parser.parse_args(argv)
    files = files_of(parser, given)
    shapes = shapes_of(parser, given)
    dtypes = pairs(parser, "--dtype", given.dtype)
    try:
        config = config_of(files, given)
        program = program_of(files, _WHERE)
        inputs = example_inputs(program, given.batch, shapes, dtypes)
        found = measure(config, inputs, given.warmup, given.repeats, given.seconds)
        times = None
        if not (given.no_profile or given.onnxruntime):
            times = profile(config, inputs, given.threads)
    except (FrameworkError, NotImplementedError, ImportError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    about = _about(files, config, Signature.of(program), inputs) | found
    if times is not None:
        about["operators"] = _accounts(times)
    print(json.dumps(about, indent=1) if given.json else text(about))
    return 0


def _about(
    files: tuple[str, ...], config: Config, signature: Signature, inputs: Mapping[str, Example]
) -> dict[str, Any]:
    return {
        "model": " ".join(files),
        "inputs": {
            name: {
                "shape": list(x.array.shape), "dtype": str(x.array.dtype), "assumed": x.assumed,
            }
            for name, x in inputs.items()
        },
        "outputs": [str(output) for output in signature.outputs],
        "engine": "onnxruntime" if config.onnxruntime_enabled() else "pypaddle",
        "bfloat16": config.mkldnn_bfloat16_enabled(),
        "threads": config.cpu_math_library_num_threads(),
        "passes": [] if config.onnxruntime_enabled() else config.passes(),
    }  # fmt: skip


def _accounts(times: Profile) -> dict[str, Any]:
    def record(account: OperatorTime) -> dict[str, Any]:
        filled = {k: v for k, v in account._asdict().items() if v != ""}
        filled["ms"] = filled.pop("seconds") * 1e3 / _PROFILED_RUNS
        filled["calls"] /= _PROFILED_RUNS
        return filled

    return {
        "by_type": [record(account) for account in times.types()],
        "slowest": [record(account) for account in times.operators()[:_SLOWEST]],
    }


def text(about: Mapping[str, Any]) -> str:
    """Returns what was found as text.

    Args:
        about (Mapping): as the command prints it with ``--json``.
    """
    lines = [f"model       {about['model']}"]
    for name, made in about["inputs"].items():
        assumed = f" ({made['assumed']})" if made["assumed"] else ""
        lines.append(f"input       {name}: {made['dtype']} {made['shape']}{assumed}")
    lines += [f"output      {output}" for output in about["outputs"]]
    precision = "bfloat16 where it is fast" if about["bfloat16"] else "as saved"
    lines.append(
        f"engine      {about['engine']}, {about['threads']} threads, precision {precision}"
    )
    lines.append(f"passes      {', '.join(about['passes']) or 'none'}")
    memory = about["memory_mb"]
    lines.append(f"load        {about['load_s']:.3f} s; first run {about['first_run_ms']:.3f} ms")
    lines.append(
        f"memory      {memory['before']:.0f} MB before loading, {memory['loaded']:.0f} MB after "
        f"it, {memory['most']:.0f} MB at the most"
    )
    latency = "  ".join(f"{name} {value:.3f}" for name, value in about["latency_ms"].items())
    lines.append(f"latency ms  {latency}  ({about['runs']} runs)")
    lines.append(f"processor   {about['processor_ms']:.3f} ms a run")
    lines.append(f"copies ms   {about['copies_ms']:.3f} (inputs in and outputs out, not in a run)")
    speed = about["throughput"]
    lines.append(
        f"throughput  {speed['runs_per_s']:.1f} runs/s, {speed['samples_per_s']:.1f} samples/s"
    )
    if "operators" in about:
        lines += ["", *_operator_lines(about["operators"])]
    return "\n".join(lines)


def _operator_lines(accounts: Mapping[str, Any]) -> list[str]:
    total = sum(account["ms"] for account in accounts["by_type"]) or 1.0
    lines = [f"operators, one by one: {total:.3f} ms a run", "", "      ms   share  calls  type"]
    lines += [
        f"{a['ms']:8.3f}  {a['ms'] / total:5.1%}  {a['calls']:5.0f}  {a['type']}"
        for a in accounts["by_type"]
    ]
    lines += ["", "      ms   share  slowest operators, what they make, its shape"]
    lines += [
        f"{a['ms']:8.3f}  {a['ms'] / total:5.1%}  {a['type']} {a.get('output', '')} "
        f"{a.get('shapes', '')}"
        for a in accounts["slowest"]
    ]
    return lines


if __name__ == "__main__":
    sys.exit(main())
