"""TracedLayer: a run recorded as a Program, called, and saved for inference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.nn as nn
from paddle import static
from paddle.jit import TracedLayer
from tests.jit.cases.saved_cases import batch


class SimpleFcLayer(nn.Layer):
    """The example of the guide: a Tensor that is no parameter is part of the model."""

    def __init__(self, rows: int, features: int, size: int) -> None:
        super().__init__()
        self._linear = nn.Linear(features, size)
        self._offset = paddle.to_tensor(batch(5, rows, size))

    def forward(self, x: Any) -> Any:
        return self._linear(x) + self._offset


def same(got: Any, want: Any) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-5, atol=1e-6)


def test_example_of_the_guide(tmp_path: Path) -> None:
    layer = SimpleFcLayer(3, 4, 2)
    x = paddle.to_tensor(batch())
    out, traced = TracedLayer.trace(layer, inputs=[x])
    same(out, layer(x))
    assert not out.stop_gradient
    (again,) = traced([x])
    same(again, out)
    prefix = str(tmp_path / "model")
    traced.save_inference_model(prefix, feed=[0], fetch=[0])
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "model.pdiparams", "model.pdiparams.info", "model.pdmodel",
    ]  # fmt: skip
    with static.scope_guard(static.Scope()):
        exe = paddle.Executor(paddle.CPUPlace())
        program, feeds, fetches = static.load_inference_model(prefix, exe)
        (fetched,) = exe.run(program, feed={feeds[0]: batch()}, fetch_list=fetches)
    same(fetched, out)
    same(paddle.jit.load(prefix)(x), out)
    assert sorted(paddle.load(prefix)) == ["_linear.bias", "_linear.weight", "_offset"]


def test_what_depends_on_shapes_is_decided_once() -> None:
    def func(x: Any) -> Any:
        if x.shape[0] > 1:
            return paddle.cast(x, "float64")
        return paddle.cast(x, "int64")

    out, traced = TracedLayer.trace(func, inputs=[paddle.to_tensor(batch())])
    assert out.dtype == paddle.float64
    assert traced([paddle.to_tensor(batch(rows=1))])[0].dtype == paddle.float64
    assert [op.type for op in traced.program.global_block().ops] == ["cast"]


def test_what_depends_on_values_is_refused() -> None:
    def func(x: Any) -> Any:
        return x if x.sum() > 0 else -x

    with pytest.raises(RuntimeError, match=r"Python condition(?s:.)*paddle\.jit\.to_static"):
        TracedLayer.trace(func, inputs=[paddle.to_tensor(batch())])


def test_parameters_stay_those_of_the_layer() -> None:
    layer = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1D(3))
    x = paddle.to_tensor(batch())
    _, traced = TracedLayer.trace(layer, [x])
    means = [layer[1]._mean.numpy()]
    traced([x])  # in training mode, as it was traced
    means.append(layer[1]._mean.numpy())
    layer(x)
    means.append(layer[1]._mean.numpy())
    assert abs(means[2]).max() > abs(means[1]).max() > abs(means[0]).max() > 0
    layer[0].weight.set_value(layer[0].weight * 2.0)
    layer.eval()
    _, traced = TracedLayer.trace(layer, [x])
    layer[0].bias.set_value(layer[0].bias + 1.0)
    same(traced([x])[0], layer(x))


def test_python_code_runs_with_its_values_left_alone() -> None:
    class Counting(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", paddle.zeros([1]))

        def forward(self, x: Any) -> Any:
            self.count = self.count + 1.0
            return x + self.count

    layer = Counting()
    out, traced = TracedLayer.trace(layer, [paddle.to_tensor(batch())])
    same(out, batch() + 1.0)
    assert layer.count.numpy().tolist() == [1.0]
    same(traced([paddle.to_tensor(batch())])[0], batch() + 1.0)  # the buffer as it was traced


def test_several_inputs_and_outputs(tmp_path: Path) -> None:
    def func(x: Any, y: Any) -> Any:
        return {"b": [x + y], "a": y * 3.0}

    x, y = paddle.to_tensor(batch(1)), paddle.to_tensor(batch(2))
    out, traced = TracedLayer.trace(func, [x, y])
    assert sorted(out) == ["a", "b"]
    first, second = traced((x.numpy(), y))
    same(first, y * 3.0)
    same(second, x + y)
    traced.save_inference_model(str(tmp_path / "one"), feed=[1], fetch=[0])
    same(paddle.jit.load(str(tmp_path / "one"))(y), y * 3.0)
    traced.save_inference_model(str(tmp_path / "two"), fetch=[1, 0])
    loaded = paddle.jit.load(str(tmp_path / "two"))
    same(loaded(x, y)[0], x + y)
    same(loaded(x, y)[1], y * 3.0)
    with pytest.raises(ValueError, match=r"outputs \[1\] need the inputs .* at positions \[1\]"):
        traced.save_inference_model(str(tmp_path / "no"), feed=[0], fetch=[1])


def test_other_numbers_of_rows(tmp_path: Path) -> None:
    layer = nn.Linear(4, 3)
    _, traced = TracedLayer.trace(layer, [paddle.to_tensor(batch())])
    more = paddle.to_tensor(batch(rows=7))
    same(traced([more])[0], layer(more))
    traced.save_inference_model(str(tmp_path / "net"))
    same(paddle.jit.load(str(tmp_path / "net"))(more), layer(more))


def test_strategies() -> None:
    layer = nn.Linear(4, 3)
    x = paddle.to_tensor(batch())
    _, traced = TracedLayer.trace(layer, [x])
    build, execution = static.BuildStrategy(), static.ExecutionStrategy()
    build.enable_inplace = True
    execution.num_threads = 1
    traced.set_strategy(build_strategy=build, exec_strategy=execution)
    same(traced([x])[0], layer(x))
    with pytest.raises(ValueError, match="compiled already"):
        traced.set_strategy(build)
    _, traced = TracedLayer.trace(layer, [x])
    with pytest.raises(TypeError, match=r"build_strategy\): expected a BuildStrategy, .* int"):
        traced.set_strategy(3)
    with pytest.raises(TypeError, match=r"exec_strategy\): expected a ExecutionStrategy"):
        traced.set_strategy(exec_strategy=build)


def test_made_from_its_parts() -> None:
    layer = nn.Linear(4, 3)
    x = paddle.to_tensor(batch())
    _, traced = TracedLayer.trace(layer, [x])
    feeds, fetches = traced._feed_names, traced._fetch_names
    made = TracedLayer(traced.program, layer.parameters(), feeds, fetches)
    same(made([x])[0], layer(x))
    with pytest.raises(TypeError, match=r"program\): expected a Program, but received int"):
        TracedLayer(3, [], [], [])
    with pytest.raises(ValueError, match=r"feed_names\): the Program has no variable 'z'"):
        TracedLayer(traced.program, [], ["z"], fetches)


def test_wrong_arguments(tmp_path: Path) -> None:
    x = paddle.to_tensor(batch())
    with pytest.raises(TypeError, match=r"trace\(layer\): expected a Layer, .* int"):
        TracedLayer.trace(3, [x])
    with pytest.raises(TypeError, match=r"trace\(layer\): expected a Layer, .* ReLU"):
        TracedLayer.trace(nn.ReLU, [x])
    with pytest.raises(TypeError, match=r"inputs\): expected \[1\] to be a Tensor, .* ndarray"):
        TracedLayer.trace(nn.ReLU(), [x, batch()])
    with pytest.raises(ValueError, match="expected it to return Tensors, but it returned NoneType"):
        TracedLayer.trace(lambda x: None, [x])
    _, traced = TracedLayer.trace(nn.ReLU(), x)
    with pytest.raises(ValueError, match=r"expected 1 inputs, .* but received 2"):
        traced([x, x])
    with pytest.raises(TypeError, match=r"expected a Tensor for input .* but received str"):
        traced(["x"])
    path = str(tmp_path / "net")
    for given, error, text in (
        ({"feed": 0}, TypeError, r"feed\): expected a list of ints, but received int"),
        ({"feed": ["x"]}, TypeError, r"feed\): expected ints, but it holds 'x'"),
        ({"fetch": [1]}, ValueError, r"fetch\): expected positions from 0 to 0, .* received 1"),
    ):
        with pytest.raises(error, match=text):
            traced.save_inference_model(path, **given)
    with pytest.raises(ValueError, match=r"dirname\): .* is a folder"):
        traced.save_inference_model(str(tmp_path))
    assert not list(tmp_path.iterdir())
