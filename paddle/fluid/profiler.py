"""The profiler of 1.x: times the operators of Programs and of dygraph, by a table and a trace."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any

from paddle.core.mode import recording
from paddle.core.place import current_backend
from paddle.executor import debug
from paddle.utils import profiler as eager

__all__ = ["cuda_profiler", "profiler", "reset_profiler", "start_profiler", "stop_profiler"]

_STATES = ("CPU", "GPU", "All")
_TRACERS = ("Default", "OpDetail", "AllOpDetail")
_PATH = "/tmp/profile"
_ORDERS = {
    None: "event first end time", "default": "event first end time", "calls": "number of calls",
    "total": "total time", "max": "maximum time", "min": "minimum time", "ave": "average time",
}  # fmt: skip


class _Watcher:
    """Notes the time between the end of one operator of a Program and that of the next."""

    def __init__(self) -> None:
        self.last = time.perf_counter()

    def starts(self) -> None:
        self.last = time.perf_counter()

    def __call__(self, op: Any, *results: Any) -> None:
        now = time.perf_counter()
        eager.record.calls.append((op.type, self.last, now - self.last))
        self.last = time.perf_counter()


_on = [False]


def _check(what: str, value: Any, allowed: Any) -> None:
    if value not in allowed:
        raise ValueError(f"{what}: expected one of {list(allowed)}, but received {value!r}.")


def start_profiler(state: str, tracer_option: str = "Default") -> None:
    """Begins to time operators.

    Args:
        state (str): ``CPU``, ``GPU`` or ``All``.
        tracer_option (str): ``Default``, ``OpDetail`` or ``AllOpDetail``; operators are timed as a
            whole in all of them. Default: Default.

    Raises:
        ValueError: another state or option.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            fluid.profiler.start_profiler("CPU")
            with fluid.dygraph.guard():
                fluid.layers.ones([2], "float32")
            fluid.profiler.stop_profiler("total", "trace.json")
    """
    _check("start_profiler(state)", state, _STATES)
    _check("start_profiler(tracer_option)", tracer_option, _TRACERS)
    if _on[0]:
        return
    _on[0] = True
    debug.watch(_Watcher())
    if not recording():
        eager.start_profiler(state, tracer_option)


def stop_profiler(sorted_key: str | None = None, profile_path: str = _PATH) -> None:
    """Ends timing, prints the table and writes the trace.

    Args:
        sorted_key (str, optional): ``calls``, ``total``, ``max``, ``min`` or ``ave``; None and
            ``default`` keep the order of the first calls.
        profile_path (str): where the trace goes: JSON that chrome://tracing and Perfetto show.

    Raises:
        ValueError: another key.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            fluid.profiler.start_profiler("CPU")
            with fluid.dygraph.guard():
                fluid.layers.ones([2], "float32")
            fluid.profiler.stop_profiler("calls", "trace.json")
    """
    _check("stop_profiler(sorted_key)", sorted_key, _ORDERS)
    if not _on[0]:
        return
    _on[0] = False
    debug.watch(None)
    calls = list(eager.record.calls)
    eager.write_trace(profile_path)
    if eager.record.on:
        eager.stop_profiler(None, profile_path)
    eager.record.calls.clear()
    print(_report(calls, sorted_key), file=sys.stdout)


def reset_profiler() -> None:
    """Forgets what was timed so far.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            fluid.profiler.start_profiler("CPU")
            with fluid.dygraph.guard():
                fluid.layers.ones([2], "float32")
            fluid.profiler.reset_profiler()
            fluid.profiler.stop_profiler(profile_path="trace.json")
    """
    eager.record.calls.clear()


@contextlib.contextmanager
def profiler(
    state: str,
    sorted_key: str | None = None,
    profile_path: str = _PATH,
    tracer_option: str = "Default",
) -> Iterator[None]:
    """Times the operators of a block.

    Args:
        state (str): see :func:`start_profiler`.
        sorted_key (str, optional): see :func:`stop_profiler`.
        profile_path (str): see :func:`stop_profiler`.
        tracer_option (str): see :func:`start_profiler`. Default: Default.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main, fluid.Program()):
                y = paddle.static.data("x", [None, 2]) * 2.0
            exe = fluid.Executor(fluid.CPUPlace())
            with fluid.profiler.profiler("CPU", "total", "profile.json"):
                exe.run(main, {"x": np.ones([1, 2], "float32")}, [y])
    """
    start_profiler(state, tracer_option)
    try:
        yield
    finally:
        stop_profiler(sorted_key, profile_path)


def cuda_profiler(
    output_file: str, output_mode: str | None = None, config: list[str] | None = None
) -> Any:
    """Would steer nvprof, which CUDA no longer has.

    Args:
        output_file (str): where nvprof would write.
        output_mode (str, optional): ``kvp`` or ``csv``.
        config (list[str], optional): counters.

    Raises:
        NotImplementedError: always; it says what to use instead.
    """
    return eager.cuda_profiler(output_file, output_mode, config)


def _report(calls: list[tuple[str, float, float]], order: str | None) -> str:
    """The table, in the form of 1.x."""
    times: dict[str, list[float]] = {}
    for name, _, seconds in calls:
        times.setdefault(name, []).append(seconds * 1e3)
    rows: list[dict[str, Any]] = [
        {"name": n, "calls": len(t), "total": sum(t), "min": min(t), "max": max(t),
         "ave": sum(t) / len(t)}
        for n, t in times.items()
    ]  # fmt: skip
    if order not in (None, "default"):
        rows.sort(key=lambda row: row[order], reverse=True)
    whole = sum(sum(t) for t in times.values())
    lines = [
        "", "------------------------->     Profiling Report     <-------------------------", "",
        f"Place: {'CPU' if current_backend().host else 'All'}", "Time unit: ms",
        f"Sorted by {_ORDERS[order]} in descending order in the same thread", "",
        f"Total time: {whole:.6g}", "",
        "-------------------------       Event Summary       -------------------------", "",
        f"{'Event':<36} {'Calls':<11} {'Total':<11} {'Min.':<11} {'Max.':<11} {'Ave.':<11} Ratio.",
    ]  # fmt: skip
    for row in rows:
        name = f"thread0::{row['name']}"
        part = row["total"] / whole if whole else 0.0
        figures = " ".join(f"{row[key]:<11.6g}" for key in ("total", "min", "max", "ave"))
        lines.append(f"{name:<36} {row['calls']:<11} {figures} {part:.6g}")
    return "\n".join(lines)
