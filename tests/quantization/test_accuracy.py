"""LeNet and a small MobileNet on real MNIST: what calibration and training with rounding cost."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle import quantization as q
from paddle.vision.datasets import MNIST

HOME = Path.home() / ".cache" / "paddle" / "dataset" / "mnist"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(not HOME.is_dir(), reason="scripts/fetch_mnist.sh was not run"),
]


def arrays(mode: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    data = MNIST(mode=mode)
    rows = [data[i] for i in range(count)]
    x = np.stack([np.asarray(r[0], "float32").reshape(1, 28, 28) for r in rows]) / 127.5 - 1
    return x, np.array([int(np.asarray(r[1]).ravel()[0]) for r in rows])


def train(model: nn.Layer, x: np.ndarray, y: np.ndarray, steps: int, rate: float) -> None:
    adam = paddle.optimizer.Adam(rate, parameters=model.parameters())
    random = np.random.RandomState(steps)
    model.train()
    for _ in range(steps):
        at = random.randint(0, len(x), 128)
        out = model(paddle.to_tensor(x[at]))
        paddle.nn.functional.cross_entropy(out, paddle.to_tensor(y[at])).backward()
        adam.step()
        adam.clear_grad()


def accuracy(model: nn.Layer, x: np.ndarray, y: np.ndarray) -> float:
    model.eval()
    parts = [model(paddle.to_tensor(part)).numpy().argmax(1) for part in np.split(x, 10)]
    return float(100 * np.mean(np.concatenate(parts) == y))


def mobilenet() -> nn.Layer:
    return paddle.vision.models.mobilenet_v1(scale=0.25, num_classes=10)


def at_32(x: np.ndarray) -> np.ndarray:
    """Images of 28x28 in one colour, as 32x32 in three."""
    wide = np.pad(x, ((0, 0), (0, 0), (2, 2), (2, 2)), constant_values=-1)
    return np.repeat(wide, 3, 1)


@pytest.mark.parametrize("make", [paddle.vision.models.LeNet, mobilenet])
def test_points_lost(make: Callable[[], nn.Layer]) -> None:
    (x, y), test = arrays("train", 20000), arrays("test", 10000)
    if make is mobilenet:
        x, test = at_32(x), (at_32(test[0]), test[1])
    paddle.seed(1)
    model = make()
    for steps, rate in ((400, 1e-3),) if make is not mobilenet else ((500, 4e-3), (300, 5e-4)):
        train(model, x, y, steps, rate)
    plain = accuracy(model, *test)
    print(f"{make.__name__}: floats {plain:.2f}", end="")
    assert plain > 94
    for values in (q.KLQuantizer(), q.AbsmaxQuantizer(), q.HistQuantizer()):
        ptq = q.ImperativePTQ(q.PTQConfig(values, q.PerChannelAbsmaxQuantizer()))
        watched = ptq.quantize(model, fuse=make is mobilenet)
        for part in np.split(x[:128], 4):
            watched(paddle.to_tensor(part))
        found = accuracy(ptq.convert(watched), *test)
        print(f", {type(values).__name__} {found:.2f}", end="")
        assert found > plain - 0.3
    tuned, aware = copy.deepcopy(model), copy.deepcopy(model)
    q.ImperativeQuantAware(weight_quantize_type="channel_wise_abs_max").quantize(aware)
    for net in (tuned, aware):
        train(net, x, y, 60, 2e-4)
    found, expected = accuracy(aware, *test), accuracy(tuned, *test)
    print(f"; trained on: floats {expected:.2f}, QAT {found:.2f}")
    assert found > expected - 0.1
