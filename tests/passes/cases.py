"""What tests of passes share: operators after passes, and runs with and without them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import paddle
from paddle.ir.program import Program
from paddle.passes import prepare
from paddle.static import Executor
from tests.executor.building import names_of, run_plainly, started


def prepared(main: Program, feed: Iterable[str], fetch: Any, **options: Any) -> Program:
    """The Program that a plan is made of."""
    return prepare(main, list(feed), names_of(fetch), **options)


def types(main: Program, feed: Iterable[str], fetch: Any, **options: Any) -> list[str]:
    """The operators of the global block after all passes."""
    return [op.type for op in prepared(main, feed, fetch, **options).global_block().ops]


def stored(main: Program, scope: Any) -> dict[str, np.ndarray]:
    """The values of all stored variables."""
    names = [v.name for v in main.list_vars() if v.persistable and v.name not in ("feed", "fetch")]
    found = {n: scope.find_var(n) for n in names}
    return {n: np.array(v.get_tensor()) for n, v in found.items() if v is not None}


def same(main: Program, startup: Program, feed: dict, fetch: Any, steps: int = 3) -> list:
    """Runs steps with and without passes; the results and all stored values have to be equal."""
    with_passes, plain = started(startup), started(startup)
    exe = Executor(paddle.CPUPlace())
    got: list = []
    for _ in range(steps):
        got = exe.run(main, feed=feed, fetch_list=fetch, scope=with_passes)
        expected = run_plainly(main, feed, fetch, plain)
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    after = stored(main, plain)
    for name, value in stored(main, with_passes).items():
        np.testing.assert_allclose(value, after[name], rtol=1e-5, atol=1e-6, err_msg=name)
    return got


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    """Random float32 numbers."""
    return np.random.RandomState(seed).randn(*shape).astype("float32")
