"""paddle.static.nn against PaddlePaddle: parameters, operators, results, gradients, statistics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from tests import rounding
from tests.static.harness import static as fresh
from tests.static.nn.cases import CASES, FORWARD, rng, values

FILE = Path(__file__).parents[2] / "data" / "static_nn.npz"
EXPECTED = dict(np.load(FILE))

# Where the operators differ on purpose: we record fewer of them, with the same numbers.
FEWER = ("weight_norm", "weight_norm_columns", "weight_norm_middle", "spectral_norm")


class Engine:
    """What a case sees of this package."""

    nn = static.nn
    ParamAttr = paddle.ParamAttr
    WeightNormParamAttr = static.WeightNormParamAttr
    create_parameter = staticmethod(static.create_parameter)

    def __init__(self, name: str) -> None:
        self.name = name
        self.feed: dict[str, np.ndarray] = {}

    def given(self, name: str, array: np.ndarray) -> Any:
        self.feed[name] = array
        var = static.data(name, [None, *array.shape[1:]], str(array.dtype))
        var.stop_gradient = array.dtype != np.float32
        return var

    def data(self, name: str, *shape: int) -> Any:
        return self.given(name, rng(self.name + name).randn(*shape).astype("float32"))

    def integers(self, name: str, high: int, *shape: int) -> Any:
        return self.given(name, rng(self.name + name).randint(0, high, shape).astype("int64"))


def expected_of(name: str, kind: str) -> dict[str, np.ndarray]:
    start = f"{name}/{kind}/"
    return {k[len(start) :]: v for k, v in EXPECTED.items() if k.startswith(start)}


@pytest.mark.parametrize("name", CASES)
def test_same_as_paddlepaddle(name: str) -> None:
    with fresh() as (main, startup):
        engine = Engine(name)
        outs = CASES[name](engine)
        kinds = [op.type for op in main.global_block().ops]
        if name not in FORWARD and str(outs[0].dtype).endswith("FP32"):
            static.append_backward(paddle.mean(paddle.square(outs[0])))
        parameters = main.all_parameters()
        shapes = {p.name: list(p.shape) for p in parameters}
        assert shapes == {k: v.tolist() for k, v in expected_of(name, "shape").items()}
        wanted = str(EXPECTED[f"{name}/operators"]).split()
        tail = len(wanted) - len(kinds)
        if name not in FEWER:
            assert wanted[: len(kinds)] == kinds and tail <= 2  # square and mean
        grads = list(expected_of(name, "grad"))
        paddle.disable_static()
        scope = static.Scope()
        with static.scope_guard(scope):
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            for p in parameters:
                p.set_value(values(name, p.name, p.shape))
            fetch = [*outs, *(g + "@GRAD" for g in grads)]
            got = exe.run(main, engine.feed, fetch)
            after = {k: scope.find_var(k).get_tensor().numpy() for k in expected_of(name, "after")}
    for i, value in enumerate(got[: len(outs)]):
        close(value, EXPECTED[f"{name}/out/{i}"])
    for grad, value in zip(grads, got[len(outs) :], strict=True):
        close(value, EXPECTED[f"{name}/grad/{grad}"])
    for key, value in after.items():
        close(value, EXPECTED[f"{name}/after/{key}"])


def close(got: np.ndarray, expected: np.ndarray) -> None:
    assert got.dtype == expected.dtype
    rounding.close(got, expected, terms=128, least=1.0)


def test_every_case_has_expected_numbers() -> None:
    assert {key.split("/")[0] for key in EXPECTED} == set(CASES)
