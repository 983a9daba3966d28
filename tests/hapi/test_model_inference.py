"""Model.save(training=False) in dynamic mode: a model for inference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.nn as nn
from paddle import static
from paddle.static import InputSpec

X = np.random.RandomState(1).randn(5, 4).astype("float32")


class Net(nn.Layer):
    """Does something else in training, in Python."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.norm = nn.BatchNorm1D(3)

    def forward(self, x: Any) -> Any:
        y = self.norm(self.fc(x))
        if self.training:
            y = y * 100.0
        return y


class Decorated(Net):
    @paddle.jit.to_static
    def forward(self, x: Any) -> Any:
        return self.norm(self.fc(x))


def trained(network: nn.Layer, inputs: Any = None) -> paddle.Model:
    model = paddle.Model(network, inputs)
    model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
    model.train_batch([X], [np.ones([5, 3], "float32")])
    return model


def check(path: str, model: paddle.Model, rows: int = 2) -> None:
    x = X[:rows]
    layer = paddle.jit.load(path)
    layer.eval()
    with static.scope_guard(static.Scope()):
        exe = static.Executor(paddle.CPUPlace())
        program, feeds, fetches = static.load_inference_model(path, exe)
        (fetched,) = exe.run(program, {feeds[0]: x}, fetches)
    (want,) = model.predict_batch([x])
    np.testing.assert_allclose(layer(x).numpy(), want, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(fetched, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", [Net, Decorated])
def test_after_a_batch(kind: Any, tmp_path: Path) -> None:
    model = trained(kind())
    path = str(tmp_path / "deep" / "net")
    model.save(path, training=False)
    files = sorted(p.name for p in (tmp_path / "deep").iterdir())
    assert files == ["net.pdiparams", "net.pdiparams.info", "net.pdmodel"]
    assert model.network.training and model.network.norm.training
    check(path, model)  # with any number of samples


def test_with_inputs_and_no_batch(tmp_path: Path) -> None:
    model = paddle.Model(Net(), [InputSpec([None, 4], "float32", "features")])
    model.save(str(tmp_path / "net"), training=False)
    check(str(tmp_path / "net"), model)
    program = paddle.load(str(tmp_path / "net.pdmodel"))
    assert program.global_block().var("features").shape == (-1, 4)


def test_the_inputs_that_were_given_count(tmp_path: Path) -> None:
    model = trained(Net(), InputSpec([5, 4], "float32", "x"))
    model.save(str(tmp_path / "net"), training=False)
    assert paddle.load(str(tmp_path / "net.pdmodel")).global_block().var("x").shape == (5, 4)
    check(str(tmp_path / "net"), model, rows=5)


def test_parameters_come_back_into_a_model(tmp_path: Path) -> None:
    model = trained(Net())
    model.save(str(tmp_path / "net"), training=False)
    other = Net()
    other.set_state_dict(paddle.load(str(tmp_path / "net")))
    other.eval()
    (want,) = model.predict_batch([X])
    np.testing.assert_allclose(other(paddle.to_tensor(X)).numpy(), want, rtol=1e-5, atol=1e-6)


def test_shapes_that_are_not_known(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"shapes of the network's inputs are not known.*\n.*inputs="
    ):
        paddle.Model(Net()).save(str(tmp_path / "net"), training=False)
    assert not list(tmp_path.iterdir())
