"""Layers that are calibrated: what they compute afterwards, what is saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle import quantization as q

X = np.random.RandomState(0).randn(16, 1, 8, 8).astype("float32")


def net() -> nn.Layer:
    paddle.seed(4)
    return nn.Sequential(
        nn.Conv2D(1, 4, 3), nn.BatchNorm2D(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 5)
    )


@pytest.mark.parametrize(
    "values",
    [
        q.AbsmaxQuantizer(),
        q.HistQuantizer(hist_percent=0.9999),
        q.KLQuantizer(),
        q.KLQuantizer(kept=True),
    ],
)
@pytest.mark.parametrize("weights", [q.AbsmaxQuantizer(), q.PerChannelAbsmaxQuantizer()])
def test_it_computes_about_the_same(
    values: q.BaseQuantizer, weights: q.BaseQuantizer, tmp_path: Path
) -> None:
    model = net()
    model.eval()
    plain = model(paddle.to_tensor(X)).numpy()
    ptq = q.ImperativePTQ(q.PTQConfig(values, weights))
    watched = ptq.quantize(model)
    for part in np.split(X, 4):
        watched(paddle.to_tensor(part))
    path = str(tmp_path / "net")
    spec = [paddle.static.InputSpec([None, 1, 8, 8], "float32")]
    ptq.save_quantized_model(watched, path, input_spec=spec)
    out = paddle.jit.load(path)(paddle.to_tensor(X)).numpy()
    off = np.abs(out - plain) / np.abs(plain).max()
    assert off.mean() < 0.01
    if values.algorithm != "KL":  # as published, which cuts off large values of so few data
        assert off.max() < 0.05
    assert [type(layer).__name__ for layer in watched][::4] == ["QuantizedConv2D",
                                                                "QuantizedLinear"]  # fmt: skip
    assert type(model[0]) is nn.Conv2D
    if isinstance(values, q.AbsmaxQuantizer):
        assert watched[0]._fake_quant_input._scale.item() == np.abs(X).max()


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="no layer has seen data"):
        q.ImperativePTQ().convert(q.ImperativePTQ().quantize(net()))
    with pytest.raises(ValueError, match="is for weights"):
        q.PTQConfig(q.PerChannelAbsmaxQuantizer(), q.AbsmaxQuantizer())
    with pytest.raises(TypeError, match="expected a PTQConfig"):
        q.ImperativePTQ(3)
    watched = q.ImperativePTQ().quantize(net())
    with pytest.raises(ValueError, match=r"'conv2d_\d+' has NaN or infinities"):
        watched(paddle.to_tensor(X * np.inf))
