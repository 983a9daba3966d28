"""The same layers in dynamic mode: they give the numbers that 1.8.5's Programs gave."""

from __future__ import annotations

import importlib
import json
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.core.op import REGISTRY
from paddle.fluid.layers import variable_making
from paddle.incubate import layer_helper
from paddle.nn.layer import parameters
from paddle.static.nn import helper
from tests.fluid.running import RANDOM, filled
from tests.fluid.test_cases import frozen, same_numbers

FAMILIES = ("layers_math", "layers_shape", "layers_make", "layers_nn", "layers_loss",
            "layers_distributions")  # fmt: skip
# What only a Program has.
STATIC = {
    "create_global_var", "create_global_var_unnamed", "step_counter", "step_counter_named", "auc",
    "py_func", "center_loss_steps", "training", "training_prediction", "batch_norm_steps",
}  # fmt: skip


class Eager:
    """fluid whose ``data`` gives the array itself."""

    def __init__(self, feeds: dict[str, Any]) -> None:
        self.feeds = feeds

    def __getattr__(self, name: str) -> Any:
        return getattr(fluid, name)

    def data(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return paddle.to_tensor(self.feeds[name])


def _cases() -> list[tuple[str, str]]:
    found = []
    for family in FAMILIES:
        module = importlib.import_module(f"tests.fluid.cases.{family}")
        names = [name.removeprefix("case_") for name in vars(module) if name.startswith("case_")]
        found += [(family, name) for name in names if name not in STATIC]
    return found


@pytest.mark.parametrize("family, name", _cases())
def test_gives_the_numbers_of_185(family: str, name: str, monkeypatch: Any) -> None:
    case = getattr(importlib.import_module(f"tests.fluid.cases.{family}"), f"case_{name}")
    if getattr(case, "needs", "relu") not in REGISTRY:
        pytest.skip(f"there is no operator {case.needs} yet")
    data = frozen(family)
    told = json.loads(bytes(data[f"case_{name}/told"]))
    _first_numbers(monkeypatch, [op[1]["Out"][0] for op in told["startup"] if op[0] in RANDOM])
    feeds = _feeds(case)
    with fluid.dygraph.guard(), fluid.unique_name.guard():
        _, fetches = case(Eager(feeds))
    for i, value in enumerate(fetches):
        want = data[f"case_{name}/out0.{i}"]
        same_numbers(f"out{i}", np.array(value.numpy()), want, getattr(case, "close", 1e-4))


def _feeds(case: Any) -> dict[str, Any]:
    paddle.enable_static()
    try:
        with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
            return case(fluid)[0]
    finally:
        paddle.disable_static()


def _first_numbers(monkeypatch: Any, names: list[str]) -> None:
    """Lets parameters that 1.8.5 filled by chance have the numbers that the case gave them."""
    real = parameters.make_parameter

    def make_parameter(*args: Any) -> Any:
        made = real(*args)
        if made is not None and isinstance(made, paddle.Tensor) and made.name in names:
            made.set_value(filled(made.shape, names.index(made.name)).astype("float32"))
        return made

    for module in (layer_helper, helper, variable_making):
        monkeypatch.setattr(module, "make_parameter", make_parameter)
