"""Control flow: branches, loops and arrays of converted functions, and static control flow."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

import paddle
from paddle.onnx.model import newest_opset
from paddle.static import InputSpec
from tests.onnx.running import run

SPEC = [InputSpec([None, 3], "float32", "x")]


def rows(count: int, sign: float = 1.0) -> np.ndarray:
    return np.random.RandomState(count).rand(count, 3).astype("float32") * sign


def branch(x):
    if x.mean() > 0:
        y = x + 1
    else:
        y = x - 1
    return y


def both(x):
    total = paddle.zeros([1])
    if x.shape[0] > 1 and x.sum() > 0:
        total = total + 1
        if x.max() > 0.5:
            x = x * 2
    else:
        total = total - 1
    return x, total


def loop(x):
    step, total = paddle.zeros([1], "int64"), paddle.zeros_like(x)
    while step < 4:
        total = total + x * step.astype("float32")
        step += 1
    return total, step


def leaving(x):
    step = paddle.zeros([1], "int64")
    while step < 5:
        if x.sum() > 10:
            x = x / 2
        else:
            x = x * 1.7 + step.astype("float32")
        if step > 3:
            break
        step += 1
    return x, step


def array(x):
    made = []
    for i in range(paddle.shape(x)[0]):
        made.append(x[i] * 2)
    return paddle.concat(made)


def over_rows(x):
    total = paddle.zeros([3])
    for row in x:
        total = total * 0.5 + row
    return total


def early(x):
    if x.mean() > 0:
        return x * 2
    return x - 1


FUNCTIONS = [branch, both, loop, leaving, array, over_rows, early]


def same(function: Any, path: Any, opset: int) -> Any:
    converted = paddle.jit.to_static(function)
    paddle.onnx.export(converted, str(path), input_spec=SPEC, opset_version=opset)
    proto = onnx.load(f"{path}.onnx")
    onnx.checker.check_model(proto, full_check=True)
    for x in (rows(1), rows(2), rows(4, -1.0), rows(3, 9.0)):
        expected = function(paddle.to_tensor(x))
        expected = expected if isinstance(expected, tuple) else (expected,)
        for result, want in zip(run(proto, {"x": x}), expected, strict=True):
            assert (result.dtype, result.shape) == (want.numpy().dtype, want.numpy().shape)
            np.testing.assert_allclose(result, want.numpy(), 1e-5, 1e-5)
    return proto


@pytest.mark.parametrize("opset", [9, 17, newest_opset()])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_converted_functions(function, opset, tmp_path):
    same(function, tmp_path / "net", opset)


def test_what_stands_for_control_flow(tmp_path):
    def kinds(function):
        return {n.op_type for n in same(function, tmp_path / "net", 9).graph.node}

    assert "If" in kinds(branch) and "Loop" in kinds(loop)
    assert {"Loop", "ConcatFromSequence"} <= kinds(array)


def test_static_control_flow(tmp_path):
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main, paddle.static.Program()):
            x = paddle.static.data("x", [None, 3])
            index = paddle.static.data("index", [1], "int32")
            y = paddle.static.nn.switch_case(
                index, {0: lambda: x + 1, 1: lambda: x * 2}, lambda: x - 1
            )
            low = paddle.static.nn.cond(paddle.mean(y) > 1, lambda: y, lambda: -y)
        paddle.onnx.export(main, str(tmp_path / "net"), output_spec=[low])
        proto = onnx.load(str(tmp_path / "net.onnx"))
        exe = paddle.static.Executor(paddle.CPUPlace())
        for i in range(3):
            feed = {"x": rows(2), "index": np.array([i], "int32")}
            (want,) = exe.run(main, feed, [low])
            np.testing.assert_allclose(run(proto, feed)[0], want, 1e-6)
    finally:
        paddle.disable_static()
