"""A process that holds one side of a workload and times it on request, and its other end.

``Worker(module, task, side)`` starts it; then it answers requests, one line of JSON each. A process
of its own keeps apart what is process-wide: the allocator's policy, the threads, resident memory.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.measure import Sample, time_calls

ROOT = Path(__file__).resolve().parent.parent
KEPT = "torch, kept memory"
"""The side of torch that has our allocator policy but nothing else of ours."""


class WorkerFailed(RuntimeError):
    """The workload raised; the message is the last line of what it raised."""


class Worker:
    """Our end of a worker process.

    Args:
        module: module of benchmarks with a function ``build(task, side)``.
        task: name of the workload.
        side: ``ours``, ``torch`` or :data:`KEPT`; handed to ``build``.
        threads: computing threads of the process.
        python: interpreter; another one is the one of a real PaddlePaddle, or of JAX.
        preload: what another interpreter imports before it sees the folder of this project.
    """

    def __init__(
        self,
        module: str,
        task: str,
        side: str,
        threads: int,
        python: str = sys.executable,
        preload: str = "paddle",
    ) -> None:
        env = {**os.environ, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
        first = f"import {preload}; " if python != sys.executable else ""
        code = (
            f"{first}import sys; sys.path.insert(0, {str(ROOT)!r}); "
            f"from benchmarks.worker import serve; serve({module!r}, {task!r}, {side!r}, {threads})"
        )
        self._process = subprocess.Popen(
            [python, "-I" if first else "-P", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if first else None,
            env=env,
            text=True,
            cwd=ROOT,
        )
        self._receive()

    def _receive(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise WorkerFailed(f"the process ended with {self._process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise WorkerFailed(answer["error"])
        return answer["value"]

    def ask(self, request: str, *args: Any) -> Any:
        """Has the other end run one of the functions of :class:`_Served`."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([request, *args]) + "\n")
        self._process.stdin.flush()
        return self._receive()

    def time(self, number: int) -> Sample:
        """A :data:`~benchmarks.measure.Timer` of the workload."""
        return Sample(*self.ask("time", number))

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exc: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


class _Served:
    """What a worker answers; ``built`` is a function, its ``attributes`` further ones."""

    def __init__(self, built: Any) -> None:
        self.built = built
        gc.collect()

    def time(self, number: int) -> list[float]:
        sample = time_calls(self.built, number)
        return [sample.wall, sample.cpu]

    def results(self, number: int) -> list[float]:
        """What so many runs return, as numbers."""
        found = [self.built() for _ in range(number)]
        return [float(value.detach() if hasattr(value, "detach") else value) for value in found]

    def call(self, name: str) -> Any:
        """Calls another function of the workload."""
        return getattr(self.built, name)()

    def memory(self) -> list[float]:
        """Resident memory now and at its highest, in MB."""
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return [pages * os.sysconf("SC_PAGE_SIZE") / 2**20, most / 2**10]


def keep_freed_memory() -> None:
    """Applies paddle's allocator policy without importing paddle."""
    path = ROOT / "paddle" / "core" / "allocator.py"
    spec = importlib.util.spec_from_file_location("allocator_alone", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.keep_freed_memory()


def serve(module: str, task: str, side: str, threads: int) -> None:
    """Answers requests until the pipe closes. Prints of the workload go to stderr."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(value: Any, key: str = "value") -> None:
        answers.write(json.dumps({key: value}) + "\n")
        answers.flush()

    try:
        if side == KEPT:
            keep_freed_memory()
        # a real PaddlePaddle next to torch is asking for trouble, and JAX comes without it
        if "paddle" not in sys.modules and "jax" not in sys.modules:
            import torch

            torch.set_num_threads(threads)
        served = _Served(importlib.import_module(module).build(task, side))
        answer("ready")
        for line in sys.stdin:
            request, *args = json.loads(line)
            answer(getattr(served, request)(*args))
    except Exception as error:
        answer(f"{type(error).__name__}: {error}".splitlines()[0], "error")
