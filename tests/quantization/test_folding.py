"""Norms folded into convolutions before calibration, in Programs and in Layers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn, static
from paddle import quantization as q

X = np.random.RandomState(0).randn(8, 2, 8, 8).astype("float32")


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard():
        yield
    paddle.disable_static()


class Net(nn.Layer):
    def __init__(self, bias: bool) -> None:
        super().__init__()
        self.first = nn.Conv2D(2, 4, 3, bias_attr=None if bias else False)
        self.first_norm = nn.BatchNorm2D(4)
        self.part = nn.Sequential(nn.Conv2D(4, 4, 3, groups=4), nn.BatchNorm2D(4), nn.ReLU())
        self.alone = nn.BatchNorm2D(4)

    def forward(self, x: Any) -> Any:
        return self.alone(self.part(nn.functional.relu(self.first_norm(self.first(x)))))


def trained(bias: bool = False) -> Net:
    paddle.seed(2)
    net = Net(bias)
    for _ in range(3):
        net(paddle.to_tensor(X * 2 + 1))
    net.eval()
    return net


@pytest.mark.parametrize("bias", [False, True])
def test_layers(bias: bool) -> None:
    net = trained(bias)
    plain = net(paddle.to_tensor(X)).numpy()
    ptq = q.ImperativePTQ(q.PTQConfig(q.AbsmaxQuantizer(), q.PerChannelAbsmaxQuantizer()))
    watched = ptq.quantize(net, fuse=True)
    kinds = [type(layer).__name__ for layer in watched.sublayers()]
    assert kinds == ["Conv2D", "Identity", "Sequential", "Conv2D", "Identity", "ReLU",
                     "BatchNorm2D"]  # fmt: skip
    np.testing.assert_allclose(watched(paddle.to_tensor(X)).numpy(), plain, atol=1e-5)
    made = ptq.convert(watched)
    assert np.abs(made(paddle.to_tensor(X)).numpy() - plain).max() < 0.05 * np.abs(plain).max()
    assert type(net.first_norm) is nn.BatchNorm2D  # a copy was changed


def test_some_layers() -> None:
    net = trained()
    watched = q.ImperativePTQ().quantize(net, fuse=True, fuse_list=[["part.0", "part.1"]])
    assert type(watched.first_norm) is nn.BatchNorm2D and type(watched.part[1]) is nn.Identity


def test_bad_lists() -> None:
    for pairs, text in (([["first", "none"]], r"there is no \['none'\]"), ([["first"]], "pairs"),
                        ([["first_norm", "first"]], "are BatchNorm2D and Conv2D")):  # fmt: skip
        with pytest.raises(ValueError, match=text):
            q.ImperativePTQ().quantize(trained(), fuse=True, fuse_list=pairs)


def test_programs(tmp_path: Path) -> None:
    net = trained()
    paddle.jit.save(net, str(tmp_path / "net"), [static.InputSpec([None, 2, 8, 8], "float32", "x")])
    plain = net(paddle.to_tensor(X)).numpy()
    paddle.enable_static()
    exe = static.Executor(paddle.CPUPlace())
    off = {}
    for fold in (False, True):
        ptq = q.PostTrainingQuantization(
            exe, model_dir=str(tmp_path / "net"), data_loader=[{"x": X}], algo="abs_max",
            optimize_model=fold,
        )  # fmt: skip
        program = ptq.quantize()
        kinds = [op.type for op in program.global_block().ops]
        assert kinds.count("batch_norm") == (1 if fold else 3)
        out = exe.run(program, feed={"x": X}, fetch_list=ptq.fetches, scope=ptq.scope)[0]
        off[fold] = np.abs(out - plain).max() / np.abs(plain).max()
        assert off[fold] < 0.05
        ptq.save_quantized_model(str(tmp_path / f"q{fold}"), "model", "params")
    program, feeds, fetches = static.load_inference_model(
        str(tmp_path / "qTrue"), exe, model_filename="model", params_filename="params"
    )
    again = exe.run(program, feed={feeds[0]: X}, fetch_list=fetches)[0]
    np.testing.assert_array_equal(again, out)
