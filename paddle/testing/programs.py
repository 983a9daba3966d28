"""Fresh Programs and modes around a check: what was on before is on again behind it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from paddle.core import unique_name
from paddle.core.lod import LoDTensor
from paddle.core.mode import current_hook, recording, set_grad_enabled, set_recording
from paddle.core.place import computing_on, current_device, to_torch_device
from paddle.core.place_types import CPUPlace
from paddle.core.random import seed
from paddle.executor.executor import Executor
from paddle.executor.scope import Scope, scope_guard
from paddle.framework.mode import disable_static, enable_static
from paddle.ir.current import program_guard
from paddle.ir.program import Program


@contextlib.contextmanager
def static() -> Iterator[tuple[Program, Program]]:
    """Static mode with fresh Programs: yields (main, startup)."""
    main, startup = Program(), Program()
    with _as_before():
        enable_static()
        with program_guard(main, startup), unique_name.guard():
            yield main, startup


@contextlib.contextmanager
def dynamic(place: Any = None) -> Iterator[None]:
    """Dynamic mode with gradients on; Tensors are made at a place, where one is given."""
    device = current_device() if place is None else to_torch_device(place)
    with _as_before(), computing_on(device):
        disable_static()
        on = set_grad_enabled(True)
        try:
            yield
        finally:
            set_grad_enabled(on)


@contextlib.contextmanager
def _as_before() -> Iterator[None]:
    hook = current_hook() if recording() else None
    try:
        yield
    finally:
        set_recording(hook)


def run(
    main: Program, startup: Program, feed: dict[str, Any], fetch: list[Any], place: Any = None,
    return_numpy: bool = True,
) -> list[Any]:  # fmt: skip
    """Runs startup, then main in a scope of their own.

    Args:
        main, startup (Program): what runs.
        feed (dict): name -> array or LoDTensor.
        fetch (list): what is returned.
        place (Place, optional): where. Default: on the CPU.
        return_numpy (bool): arrays are returned, also for tensors with levels. Default: True.
    """
    with dynamic(), scope_guard(Scope()):
        executor = Executor(CPUPlace() if place is None else place)
        seed(7)
        executor.run(startup)
        found = executor.run(main, feed=feed, fetch_list=fetch, return_numpy=False)
    if not return_numpy:
        return found
    return [np.asarray(v) if isinstance(v, LoDTensor) else v for v in found]


def shape_fits(static_shape: Any, shape: Any) -> bool:
    """Whether an inferred shape agrees with a real one."""
    a, b = list(static_shape) or [1], list(shape) or [1]
    return len(a) == len(b) and all(m in (-1, n) for m, n in zip(a, b, strict=True))
