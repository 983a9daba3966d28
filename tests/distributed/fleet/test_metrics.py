"""fleet.metrics equals 2.6.2's in one process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed.fleet as fleet

REAL = json.loads((Path(__file__).parents[2] / "data/fleet/metrics_262.json").read_text())
GIVEN, FOUND = REAL["given"], REAL["found"]


def test_equal_to_2_6_2() -> None:
    fleet.init(is_collective=True)
    x = np.array(GIVEN["x"], "float32")
    for name in ("sum", "max", "min"):
        got = getattr(fleet.metrics, name)(x)
        assert got.tolist() == FOUND[name] and got.dtype == x.dtype
    pos, neg = np.array(GIVEN["pos"]), np.array(GIVEN["neg"])
    got = [fleet.metrics.auc(p, n) for p, n in ((pos, neg), (pos, neg * 0), (pos * 0, neg * 0))]
    np.testing.assert_allclose(got, FOUND["auc"], rtol=1e-15)
    for name in ("mae", "rmse", "mse", "acc"):
        assert getattr(fleet.metrics, name)(np.array([12.5]), np.array([40.0])) == FOUND[name]


def test_variables_and_names() -> None:
    fleet.init(is_collective=True)
    main, startup = paddle.static.Program(), paddle.static.Program()
    scope = paddle.fluid.Scope()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main, startup):
            var = paddle.static.create_global_var([3], 2.5, "float32", persistable=True, name="v")
        exe = paddle.static.Executor(paddle.CPUPlace())
        with paddle.static.scope_guard(scope):
            exe.run(startup)
            assert fleet.metrics.sum(var).tolist() == [2.5] * 3
        assert fleet.metrics.max("v", scope).tolist() == [2.5] * 3
        with pytest.raises(RuntimeError, match="no variable 'w'"):
            fleet.metrics.min("w", scope)
    finally:
        paddle.disable_static()


def test_another_util() -> None:
    class Twice:
        def all_reduce(self, values: np.ndarray, mode: str) -> Any:
            return values * 2 if mode == "sum" else values

    assert fleet.metrics.sum([1, 2], util=Twice()).tolist() == [2, 4]
    assert fleet.metrics.acc([1], [4], util=Twice()) == 0.25


def test_refused() -> None:
    with pytest.raises(TypeError, match="expected an array"):
        fleet.metrics.sum(object())
    with pytest.raises(RuntimeError, match=r"fleet\.init"):
        fleet.metrics.sum([1.0])
