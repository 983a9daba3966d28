"""Starting a static script with the same parameters as in PaddlePaddle, and comparing numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import paddle
import paddle.static as static


def started(startup: Any = None) -> Any:
    exe = static.Executor(paddle.CPUPlace())
    exe.run(startup or static.default_startup_program())
    return exe


def tensor(name: str) -> Any:
    return static.global_scope().find_var(name).get_tensor()


def value(name: str) -> np.ndarray:
    return np.array(tensor(name))


def fill(program: Any = None, scale: float = 0.2) -> None:
    """Gives the parameters values, in the order of their names; variances are positive."""
    rng = np.random.RandomState(3)
    for p in sorted(
        (program or static.default_main_program()).all_parameters(), key=lambda p: p.name
    ):
        drawn = (rng.randn(*p.shape) * scale).astype("float32")
        if "norm" in p.name and p.name.endswith("w_2"):
            drawn = np.ones_like(drawn)
        tensor(p.name).set(drawn, paddle.CPUPlace())


def as_there(rows: Any, text: str, tolerance: float = 2e-3) -> None:
    """Asserts that rows of values are those that a text lists, rows separated by semicolons."""
    expected = [[float(word) for word in line.split()] for line in text.split(";")]
    got = [[float(np.ravel(v)[0]) for v in row] for row in rows]
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=1e-4)
