"""Programs for tests: built afresh, run with all passes or plainly, in a scope of their own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

import paddle
from paddle.core import unique_name
from paddle.core.lod import LoDTensor
from paddle.executor.plan import Plan
from paddle.ir.cloning import clone
from paddle.static import Executor, Program, Scope, program_guard


@contextlib.contextmanager
def building() -> Iterator[tuple[Program, Program]]:
    """Static mode with fresh Programs and names: yields (main, startup)."""
    main, startup = Program(), Program()
    paddle.enable_static()
    try:
        with program_guard(main, startup), unique_name.guard():
            yield main, startup
    finally:
        paddle.disable_static()


def names_of(fetch: Any) -> list[str]:
    """The names of Variables."""
    return [f if isinstance(f, str) else f.name for f in fetch]


def started(startup: Program, seed: int = 5) -> Scope:
    """A scope in which a startup Program ran."""
    scope = Scope()
    paddle.seed(seed)
    Executor(paddle.CPUPlace()).run(startup, scope=scope)
    return scope


def run(main: Program, feed: dict, fetch: Any, scope: Scope | None = None, **options: Any) -> list:
    """One run by an Executor of its own; values with levels of sequences come as arrays too."""
    exe = Executor(paddle.CPUPlace())
    rest = {"return_numpy": False, **options}
    found = exe.run(main, feed=feed, fetch_list=fetch, scope=scope or Scope(), **rest)
    return found if "return_numpy" in options else [_plain(value) for value in found]


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return value.numpy() if isinstance(value, LoDTensor) else value


def run_plainly(main: Program, feed: dict, fetch: Any, scope: Scope | None = None) -> list:
    """One run without passes, without in-place forms, every value kept to the end."""
    import torch

    from paddle.executor.executor import fetched_array
    from paddle.passes.dead_code import remove_dead_code

    names = names_of(fetch)
    made = clone(main)
    if any(op.type in ("feed", "fetch") for op in made.global_block().ops):
        remove_dead_code(made, list(feed), names)
    plan = Plan(made, list(feed), names)
    with torch.no_grad():
        values = plan.run(scope or Scope(), [torch.from_numpy(np.array(v)) for v in feed.values()])
    return [fetched_array(v) for v in values]


def value(scope: Scope, name: str) -> np.ndarray:
    """A copy of what a scope holds."""
    return scope.find_var(name).get_tensor().numpy()


def put(scope: Scope, name: str, array: Any) -> None:
    """Puts an array into a scope."""
    made = array if isinstance(array, np.ndarray) else np.array(array, "float32")
    scope.var(name).get_tensor().set(made)
