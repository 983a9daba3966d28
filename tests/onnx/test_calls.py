"""Calls of the public functions and layers, recorded, give the same in onnxruntime."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import paddle
from paddle.core.errors import UnimplementedError
from paddle.core.op import REGISTRY
from paddle.ir.inference import normalize, persistables
from paddle.ir.randomness import random_in
from paddle.jit.models.exporting import needed_by
from paddle.onnx.model import to_onnx
from paddle.onnx.rules.registry import rule_of
from paddle.serialization.program_state import Stored
from tests.onnx.running import run
from tests.static import calls_functional, calls_layer, calls_tensor
from tests.static.harness import data, flat, static
from tests.static.values import FIXED, arrays_for

CALLS = {
    f"{kind}-{name}": call
    for kind, table in (
        ("tensor", calls_tensor.CALLS),
        ("functional", calls_functional.CALLS),
        ("layer", calls_layer.CALLS),
    )
    for name, call in table.items()
}
# What a rule refuses, for reasons that tests/onnx/exceptions.py has.
REFUSED = "complex numbers|only a run can tell|unknown size|not known|power"


def _compare(call: Callable, name: str) -> None:
    arrays = arrays_for(call)
    with static() as (main, startup):
        paddle.seed(7)
        found = flat(call(**{k: data(k, v, k not in FIXED) for k, v in arrays.items()}))
    fetches = list({v.name: v for v in found if v is not None}.values())
    needed = needed_by(main, {v.name for v in fetches})
    feeds = [main.global_block().var(k) for k in arrays if k in needed]
    program = normalize(main, feeds, fetches, scaled=False)
    if random_in(program) and any(
        REGISTRY[op.type].random and op.type not in ("dropout", "rnn", "rrelu")
        for op in program.global_block().ops
    ):
        return
    names = [v.name for v in fetches]
    with paddle.static.scope_guard(paddle.static.Scope()):
        exe = paddle.static.Executor(paddle.CPUPlace())
        exe.run(startup)
        feed = {v.name: arrays[v.name] for v in feeds}
        try:
            proto = to_onnx(program, Stored(persistables(program)), opset=0)
        except UnimplementedError as error:
            types = re.findall(r"^  (\w+) \(", str(error), re.MULTILINE)
            assert re.search(REFUSED, str(error)) or not any(map(rule_of, types)), error
            return
        expected = exe.run(program, feed=feed, fetch_list=names)
    for result, want in zip(run(proto, feed), expected, strict=True):
        assert (result.dtype, result.shape) == (want.dtype, want.shape)
        if want.dtype.kind == "f":
            size = max(float(np.nanmax(np.abs(want), initial=0)), 1e-2)
            np.testing.assert_allclose(result, want, 1e-4, 1e-4 * size)
        else:
            np.testing.assert_array_equal(result, want)


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_recorded_calls(name: str) -> None:
    _compare(CALLS[name], name)
