"""Records a call into a fresh Program, runs it, and runs the same call eagerly."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import paddle
from paddle.core import unique_name
from paddle.core.lod import LoDTensor
from paddle.ir.current import program_guard
from paddle.ir.program import Program
from paddle.ir.variable import Variable


@contextlib.contextmanager
def static() -> Iterator[tuple[Program, Program]]:
    """Static mode with fresh Programs: yields (main, startup)."""
    main, startup = Program(), Program()
    paddle.enable_static()
    try:
        with program_guard(main, startup), unique_name.guard():
            yield main, startup
    finally:
        paddle.disable_static()


def data(name: str, array: np.ndarray, batch: bool = False, stop_gradient: bool = True) -> Variable:
    """A fed Variable of the shape of an array; with ``batch`` its first size is unknown."""
    shape = list(array.shape)
    if batch and shape:
        shape[0] = -1
    made = paddle.static.default_main_program().global_block().create_var(
        name=name, shape=shape, dtype=array.dtype, is_data=True, need_check_feed=True,
        stop_gradient=stop_gradient,
    )  # fmt: skip
    return made


def flat(value: Any) -> list[Any]:
    """The Tensors or Variables of a (nested) result, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in flat(item)]
    return [value]


def run(
    main: Program, startup: Program, feed: dict[str, np.ndarray], fetch: list[Variable]
) -> list[Any]:
    """Runs startup, then main with the Executor; returns arrays."""
    paddle.disable_static()
    scope = paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        exe = paddle.static.Executor(paddle.CPUPlace())
        paddle.seed(7)
        exe.run(startup)
        found = exe.run(main, feed=feed, fetch_list=fetch, return_numpy=False)
    return [np.asarray(v) if isinstance(v, LoDTensor) else v for v in found]


def shape_fits(static_shape: Any, shape: Any) -> bool:
    """Whether an inferred shape agrees with a real one."""
    a, b = list(static_shape) or [1], list(shape) or [1]
    return len(a) == len(b) and all(m in (-1, n) for m, n in zip(a, b, strict=True))


def both(
    call: Callable, arrays: dict[str, np.ndarray], batch: bool = False, fixed: Any = ()
) -> tuple[list[Any], list[Any], list[Variable]]:
    """Runs ``call(**arguments)`` eagerly and in a Program.

    Args:
        call: what is run.
        arrays: its arguments.
        batch: whether the first dimension of Variables is unknown, but for those named ``fixed``.

    Returns:
        (eager results, static results, Variables of the static results), flat.
    """
    paddle.seed(7)
    with unique_name.guard():
        eager = flat(call(**{k: paddle.to_tensor(v) for k, v in arrays.items()}))
    with static() as (main, startup):
        paddle.seed(7)
        found = flat(call(**{k: data(k, v, batch and k not in fixed) for k, v in arrays.items()}))
    assert all(isinstance(v, Variable) for v in found if v is not None), found
    got = run(main, startup, arrays, [v for v in found if v is not None])
    return [e.numpy() for e in eager if e is not None], got, [v for v in found if v is not None]
