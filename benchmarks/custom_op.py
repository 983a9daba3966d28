"""Operators loaded from C++: a call beside the built-in relu, building, loading."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.measure import interleave, local, processor_seconds
from benchmarks.options import Options, skipped
from benchmarks.table import Row
from benchmarks.worker import ROOT

GROUP = "custom_op"
SOURCE = ROOT / "tests" / "native" / "sources" / "relu_21.cc"
CHAIN = 100  # operators of a Program
CALL, LARGE, PROGRAM = "eager 4x4 call", "1M floats", "in a Program, an operator of 100"
LOAD, BUILD, HEADER = "load of a built library", "build of the relu", "compile of the header alone"
TARGETS = {CALL: 5.0, LARGE: 1.1, PROGRAM: 1.0, LOAD: 20.0, BUILD: 3.0, HEADER: 1.0}

LOADING = """
import json, sys, time
import paddle
from paddle.utils.cpp_extension import load
wall, cpu = time.perf_counter(), time.process_time()
load("relu", [sys.argv[1]], build_directory=sys.argv[2])
print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu]))
"""
ORACLE = """
import json, sys, time
import paddle
from paddle.utils.cpp_extension import load
module = load(name="relu_of_oracle", sources=[sys.argv[1]], build_directory=sys.argv[2])
x = paddle.rand([4, 4])
def best(call):
    times = []
    for _ in range(7):
        start = time.process_time()
        for _ in range(5000):
            call()
        times.append((time.process_time() - start) / 5000)
    return sorted(times)[3]
print(json.dumps([best(lambda: module.custom_relu(x)), best(lambda: paddle.nn.functional.relu(x))]))
"""


def rows(options: Options) -> Iterator[Row]:
    asked = [name for name in TARGETS if options.wants(GROUP, name)]
    if not asked:
        return
    import paddle
    from paddle.utils.cpp_extension import load

    with tempfile.TemporaryDirectory() as folder:
        before = processor_seconds()
        module = load("relu", [str(SOURCE)], build_directory=folder)
        built = processor_seconds() - before
        if CALL in asked:
            x = paddle.to_tensor(np.random.rand(4, 4).astype("float32"))
            relu = paddle.nn.functional.relu
            yield _more(CALL, lambda: module.custom_relu(x), lambda: relu(x), options)
        if LARGE in asked:
            yield _large(module, options)
        if PROGRAM in asked:
            yield _program(module, options)
        if LOAD in asked:
            taken = [_told(LOADING, sys.executable, folder)[1] for _ in range(5)]
            yield Row(GROUP, LOAD, 1, "cpu", "ms", 1e3 * median(taken), None, 1e3 * median(taken),
                      "value", TARGETS[LOAD])  # fmt: skip
        if BUILD in asked:
            yield Row(GROUP, BUILD, 1, "cpu", "s", built, None, built, "value", TARGETS[BUILD])
        if HEADER in asked:
            alone = median(_header(folder) for _ in range(3))
            yield Row(GROUP, HEADER, 1, "cpu", "s", alone, None, alone, "value", TARGETS[HEADER])
        if CALL in asked and options.oracle:
            yield from _oracle(options.oracle, folder)


def _more(name: str, ours: Callable, peer: Callable, options: Options, count: int = 1) -> Row:
    result = interleave(
        {"loaded": local(ours), "built in": local(peer)}, options.effort(21, 0.02), "cpu"
    )
    value = 1e6 * result.difference("loaded", "built in") / count
    return Row(GROUP, name, 1, "cpu", "us", 1e6 * result.median("loaded") / count,
               1e6 * result.median("built in") / count, value, "more", TARGETS[name],
               "over the built-in relu, not torch")  # fmt: skip


def _large(module: Any, options: Options) -> Row:
    import torch

    import paddle

    x = paddle.rand([1 << 20]) - 0.5
    buffer = torch.from_numpy(x.numpy())
    torch.set_num_threads(1)
    sides = {"loaded": lambda: module.custom_relu(x), "torch": lambda: torch.relu(buffer)}
    result = interleave(
        {side: local(call) for side, call in sides.items()}, options.effort(21, 0.05), "cpu"
    )
    value = result.ratio("loaded", "torch")
    return Row(GROUP, LARGE, 1, "cpu", "us", 1e6 * result.median("loaded"),
               1e6 * result.median("torch"),
               value, "ratio", TARGETS[LARGE])  # fmt: skip


def _program(module: Any, options: Options) -> Row:
    import paddle
    from paddle import static

    x = np.random.rand(4, 4).astype("float32")
    runs = []
    for function in (module.custom_relu, paddle.nn.functional.relu):
        paddle.enable_static()
        try:
            main = static.Program()
            with static.program_guard(main, static.Program()):
                value = static.data("x", [4, 4], "float32")
                for _ in range(CHAIN):
                    value = function(value)
                exe = static.Executor()
                runs.append(_run(exe, main, x, value))
        finally:
            paddle.disable_static()
    return _more(PROGRAM, runs[0], runs[1], options, CHAIN)


def _run(exe: Any, main: Any, x: np.ndarray, value: Any) -> Callable:
    return lambda: exe.run(main, feed={"x": x}, fetch_list=[value])


def _told(code: str, python: str, folder: str) -> list[float]:
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    if python == sys.executable:
        env["PYTHONPATH"] = str(ROOT)
    else:
        env.pop("PYTHONPATH", None)
    done = subprocess.run(
        [python, "-c", code, str(SOURCE), folder], env=env, cwd=folder, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-500:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def _header(folder: str) -> float:
    from paddle.sysconfig import get_include

    source = Path(folder) / "header.cc"
    source.write_text('#include "paddle/extension.h"\n')
    before = processor_seconds()
    subprocess.run(
        ["g++", "-std=c++17", f"-I{get_include()}", "-c", str(source), "-o", os.devnull], check=True
    )
    return processor_seconds() - before


def _oracle(python: str, folder: str) -> Iterator[Row]:
    before = processor_seconds()
    try:
        loaded, built_in = _told(ORACLE, python, folder)
    except RuntimeError as error:
        skipped(f"{GROUP} with PaddlePaddle", error)
        return
    spent = processor_seconds() - before
    yield Row(GROUP, f"{CALL}, PaddlePaddle's own", 1, "cpu", "us", 1e6 * loaded,
              1e6 * built_in, 1e6 * (loaded - built_in), "more", None,
              f"its relu beside; building and all took {spent:.1f} s")  # fmt: skip
