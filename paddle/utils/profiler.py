"""Times operators: how often each ran, how long it took, and when, for a trace viewer."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from paddle.core import mode
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import Guarded
from paddle.core.op import C, py

__all__ = ["Profiler", "ProfilerOptions", "get_profiler"]

_STATES = ("CPU", "GPU", "All")
_ORDERS = ("calls", "total", "max", "min", "ave", "default", None)
_PATH = "/tmp/profile"
_TRACERS = ("Default", "OpDetail", "AllOpDetail")


class _Record:
    """The calls of operators while profiling is on: (operator, start, seconds)."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, float, float]] = []
        self.inner: Any = None  # who took over operator calls before
        self.on = False
        self.wait = False  # whether to wait for the GPU, so that its time is counted

    def __call__(self, op: Any, args: tuple, attrs: dict[str, Any]) -> Any:
        start = time.perf_counter()
        with mode.hooked(self.inner):
            result = getattr(C, op.name)(*args, **{py(k): v for k, v in attrs.items()})
        if self.wait:
            _synchronize()
        self.calls.append((op.name, start, time.perf_counter() - start))
        return result


record = _Record()


def _synchronize() -> None:
    from paddle.device.wait import synchronize

    synchronize()


def _check(api: str, name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        raise InvalidArgumentError(
            f"{api}({name}): expected one of {list(allowed)}, but received {value!r}."
        )


def start_profiler(state: str, tracer_option: str = "Default") -> None:
    """Begins to time the operators of this thread in eager mode.

    Args:
        state (str): "CPU", or "GPU" or "All", which wait for the GPU after every operator.
        tracer_option (str, optional): "Default", "OpDetail" or "AllOpDetail"; operators are timed
            as a whole in all of them. Default: "Default".

    Raises:
        ValueError: another state or option.
        NotImplementedError: static mode is on.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.utils import profiler
            profiler.start_profiler("CPU")
            paddle.ones([2, 2]).sum()
            profiler.stop_profiler("total", profile_path="profile.json")
    """
    _check("start_profiler", "state", state, _STATES)
    _check("start_profiler", "tracer_option", tracer_option, _TRACERS)
    if mode.recording():
        raise NotImplementedError(
            "start_profiler: operators of a Program are not timed here; run the script with "
            "PADDLE_DEBUG=time in the environment, which prints the time of every operator."
        )
    if record.on:
        return
    record.wait = state != "CPU"
    record.inner = mode.current_hook()
    record.on = True
    mode._install(record)


def stop_profiler(sorted_key: str | None = None, profile_path: str = _PATH) -> None:
    """Ends timing, prints a table of the operators and writes a trace.

    Args:
        sorted_key (str, optional): "calls", "total", "max", "min", "ave", or "default" for the
            order of first calls. Default: None, no table.
        profile_path (str, optional): where the trace goes: JSON that chrome://tracing and Perfetto
            show.

    Raises:
        ValueError: another key.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.utils import profiler
            profiler.start_profiler("CPU")
            paddle.ones([2, 2]).sum()
            profiler.stop_profiler("calls", profile_path="profile.json")
    """
    _check("stop_profiler", "sorted_key", sorted_key, _ORDERS)
    if not record.on:
        return
    record.on = False
    if mode.current_hook() is record:
        mode._install(record.inner)
    if sorted_key is not None:
        print(_table(sorted_key), file=sys.stdout)
    write_trace(profile_path)
    record.calls.clear()


def reset_profiler() -> None:
    """Forgets what was timed so far.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.utils import profiler
            with profiler.profiler("CPU", "total", "profile.json"):
                paddle.ones([2, 2]).sum()
                profiler.reset_profiler()  # leave out the first step
                paddle.ones([2, 2]).mean()
    """
    record.calls.clear()


def _table(order: str) -> str:
    """A line per operator."""
    times: dict[str, list[float]] = {}
    for name, _, seconds in record.calls:
        times.setdefault(name, []).append(seconds * 1e3)
    rows: list[dict[str, Any]] = [
        {"name": n, "calls": len(t), "total": sum(t), "min": min(t), "max": max(t),
         "ave": sum(t) / len(t)}
        for n, t in times.items()
    ]  # fmt: skip
    if order != "default":
        rows.sort(key=lambda row: row[order], reverse=True)
    whole = sum(row["total"] for row in rows) or 1.0
    lines = [
        f"{'Event':32}{'Calls':>8}{'Total':>12}{'Min.':>12}{'Max.':>12}{'Ave.':>12}{'Ratio.':>10}"
    ]
    for row in rows:
        figures = "".join(f"{row[key]:12.6f}" for key in ("total", "min", "max", "ave"))
        lines.append(f"{row['name']:32}{row['calls']:8}{figures}{row['total'] / whole:10.4f}")
    return "Times in milliseconds\n" + "\n".join(lines)


def write_trace(path: str) -> None:
    events = [
        {"name": name, "ph": "X", "ts": start * 1e6, "dur": seconds * 1e6, "pid": os.getpid(),
         "tid": 0, "cat": "operator"}
        for name, start, seconds in record.calls
    ]  # fmt: skip
    with open(path, "w", encoding="utf8") as file:
        json.dump({"traceEvents": events, "displayTimeUnit": "ms"}, file)


@contextlib.contextmanager
def profiler(
    state: str,
    sorted_key: str | None = None,
    profile_path: str = _PATH,
    tracer_option: str = "Default",
) -> Iterator[None]:
    """Times the operators of a block.

    Args:
        state (str): as for :func:`start_profiler`.
        sorted_key (str, optional): as for :func:`stop_profiler`. Default: None.
        profile_path (str, optional): where the trace goes.
        tracer_option (str, optional): as for :func:`start_profiler`. Default: "Default".

    Examples:
        .. code-block:: python

            import paddle
            from paddle.utils import profiler
            with profiler.profiler("CPU", "total", "profile.json"):
                paddle.ones([2, 2]).sum()
    """
    _check("profiler", "sorted_key", sorted_key, _ORDERS)
    start_profiler(state, tracer_option)
    try:
        yield
    finally:
        stop_profiler(sorted_key, profile_path)


def cuda_profiler(
    output_file: str, output_mode: str | None = None, config: list[str] | None = None
) -> Any:
    """Would steer nvprof, which CUDA no longer has.

    Raises:
        NotImplementedError: always; it says what to use instead.

    Examples:
        .. code-block:: python

            from paddle.utils import profiler
            try:
                profiler.cuda_profiler("out.nvprof")
            except NotImplementedError as error:
                print(error)
    """
    raise NotImplementedError(
        "cuda_profiler: nvprof's interface was removed from CUDA; use profiler.profiler('GPU', "
        "...), or run the script under `nsys profile`."
    )


class ProfilerOptions(Guarded):
    """Settings of :class:`Profiler`.

    Args:
        options (dict, optional): ``state`` ("CPU", "GPU" or "All"; "All"), ``sorted_key``
            ("default"), ``tracer_level`` ("Default"), ``batch_range`` (the first step timed and the
            one before which timing ends; [0, the largest int]), ``output_thread_detail`` (False is
            all there is), ``profile_path`` ("none": no file), ``timeline_path`` ("none"),
            ``op_summary_path`` ("none").

    Raises:
        ValueError: there is no such setting.

    Examples:
        .. code-block:: python

            from paddle.utils import ProfilerOptions
            options = ProfilerOptions({"batch_range": [10, 20], "state": "CPU"})
            print(options["state"], options["sorted_key"])  # CPU default
    """

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        self.options: dict[str, Any] = {
            "state": "All", "sorted_key": "default", "tracer_level": "Default",
            "batch_range": [0, sys.maxsize], "output_thread_detail": False,
            "profile_path": "none", "timeline_path": "none", "op_summary_path": "none",
        }  # fmt: skip
        for name, value in (options or {}).items():
            self[name]  # raises where there is none
            self.options[name] = value
        if self.options["output_thread_detail"]:
            raise NotImplementedError(
                "ProfilerOptions(output_thread_detail): only the operators of the thread that "
                "starts the profiler are timed; leave it False and profile in each thread."
            )

    def with_state(self, state: str) -> ProfilerOptions:
        """Returns the same settings with another state.

        Args:
            state (str): "CPU", "GPU" or "All".
        """
        _check("ProfilerOptions.with_state", "state", state, _STATES)
        made = ProfilerOptions(self.options)
        made.options["state"] = state
        return made

    def __getitem__(self, name: str) -> Any:
        """Returns a setting; a path that was set to "none" is None."""
        if name not in self.options:
            raise InvalidArgumentError(
                f"ProfilerOptions: there is no setting {name!r}; expected one of "
                f"{list(self.options)}."
            )
        value = self.options[name]
        return None if value == "none" else value


_current: Profiler | None = None


class Profiler(Guarded):
    """Times operators of the steps that the settings name.

    Args:
        enabled (bool, optional): whether anything is timed. Default: True.
        options (ProfilerOptions, optional): Default: None, ``ProfilerOptions()``.

    Examples:
        .. code-block:: python

            import paddle
            options = paddle.utils.ProfilerOptions({"batch_range": [1, 3], "state": "CPU"})
            with paddle.utils.Profiler(options=options) as profiler:
                for step in range(4):
                    paddle.ones([2, 2]).sum()
                    profiler.record_step()
    """

    def __init__(self, enabled: bool = True, options: ProfilerOptions | None = None) -> None:
        self.profiler_options = options if options is not None else ProfilerOptions()
        self.batch_id = 0
        self.enabled = enabled
        self._running = False

    def __enter__(self) -> Profiler:
        global _current
        self._before, _current = _current, self
        if self.enabled and self.profiler_options["batch_range"][0] == 0:
            self.start()
        return self

    def __exit__(self, exception_type: Any, exception_value: Any, traceback: Any) -> None:
        global _current
        _current = self._before
        self.stop()

    def start(self) -> None:
        """Begins timing now."""
        if self.enabled and not self._running:
            start_profiler(self.profiler_options["state"], self.profiler_options["tracer_level"])
            self._running = True

    def stop(self) -> None:
        """Ends timing, prints the table and writes the files that the settings name."""
        if not self._running:
            return
        self._running = False
        summary = self.profiler_options["op_summary_path"]
        order = self.profiler_options["sorted_key"]
        if summary is not None:
            with open(summary, "w", encoding="utf8") as file:
                file.write(_table(order or "default") + "\n")
        if self.profiler_options["timeline_path"] is not None:
            write_trace(self.profiler_options["timeline_path"])
        stop_profiler(order, self.profiler_options["profile_path"] or os.devnull)

    def reset(self) -> None:
        """Forgets what was timed so far."""
        reset_profiler()

    def record_step(self, change_profiler_status: bool = True) -> None:
        """Says that a step is over; starts and stops timing by the range of the settings.

        Args:
            change_profiler_status (bool, optional): whether it may start and stop. Default: True.
        """
        self.batch_id += 1
        if not (self.enabled and change_profiler_status):
            return
        first, last = self.profiler_options["batch_range"]
        if self.batch_id == first:
            self.reset()
            self.start()
        elif self.batch_id == last:
            self.stop()


def get_profiler() -> Profiler:
    """Returns the Profiler whose block is running, or a new one.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.utils.get_profiler().enabled)  # True
    """
    global _current
    if _current is None:
        _current = Profiler()
    return _current
