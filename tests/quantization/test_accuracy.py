"""LeNet and a small MobileNet on real MNIST: what calibration and training with rounding cost."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
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


Form = Callable[[np.ndarray], np.ndarray]
"""Makes of images of 28x28 what a network takes."""


def train(
    model: nn.Layer, x: np.ndarray, y: np.ndarray, form: Form, steps: int, rate: float, seed: int
) -> None:
    adam = paddle.optimizer.Adam(rate, parameters=model.parameters())
    random = np.random.RandomState(seed)
    model.train()
    for _ in range(steps):
        at = random.randint(0, len(x), 128)
        out = model(paddle.to_tensor(form(x[at])))
        paddle.nn.functional.cross_entropy(out, paddle.to_tensor(y[at])).backward()
        adam.step()
        adam.clear_grad()


def accuracy(model: nn.Layer, x: np.ndarray, y: np.ndarray, form: Form) -> float:
    model.eval()
    parts = [model(paddle.to_tensor(form(part))).numpy().argmax(1) for part in np.split(x, 50)]
    return float(100 * np.mean(np.concatenate(parts) == y))


def mobilenet() -> nn.Layer:
    return paddle.vision.models.mobilenet_v1(scale=0.25, num_classes=10)


def at_32(x: np.ndarray) -> np.ndarray:
    """Images of 28x28 in one colour, as 32x32 in three."""
    wide = np.pad(x, ((0, 0), (0, 0), (2, 2), (2, 2)), constant_values=-1)
    return np.repeat(wide, 3, 1)


@pytest.fixture
def same_kernels() -> Iterator[None]:
    """Kernels chosen by measuring differ from run to run, and with them the numbers."""
    before = paddle.get_flags("FLAGS_kernel_tuning")
    paddle.set_flags({"FLAGS_kernel_tuning": 0})
    yield
    paddle.set_flags(before)


@pytest.mark.parametrize("make", [paddle.vision.models.LeNet, mobilenet])
def test_points_lost(make: Callable[[], nn.Layer], same_kernels: None) -> None:
    """On all 50,000 images that were not trained on: of 10,000, ten are within the noise."""
    (x, y), test = arrays("train", 60000), arrays("test", 10000)
    unseen = np.concatenate([test[0], x[20000:]]), np.concatenate([test[1], y[20000:]])
    x, y = x[:20000], y[:20000]
    form = at_32 if make is mobilenet else lambda images: images
    paddle.seed(1)
    model = make()
    for steps, rate in ((400, 1e-3),) if make is not mobilenet else ((500, 4e-3), (300, 5e-4)):
        train(model, x, y, form, steps, rate, seed=steps)
    assert accuracy(model, *test, form) > 94
    plain = accuracy(model, *unseen, form)
    print(f"{make.__name__}: floats {plain:.2f}", end="")
    for values in (q.KLQuantizer(), q.AbsmaxQuantizer(), q.HistQuantizer()):
        ptq = q.ImperativePTQ(q.PTQConfig(values, q.PerChannelAbsmaxQuantizer()))
        watched = ptq.quantize(model, fuse=make is mobilenet)
        for part in np.split(x[:128], 4):
            watched(paddle.to_tensor(form(part)))
        found = accuracy(ptq.convert(watched), *unseen, form)
        print(f", {type(values).__name__} {found:.2f}", end="")
        assert found > plain - 0.3
    lost = []
    for seed in range(4):
        tuned, aware = copy.deepcopy(model), copy.deepcopy(model)
        q.ImperativeQuantAware(weight_quantize_type="channel_wise_abs_max").quantize(aware)
        for net in (tuned, aware):
            train(net, x, y, form, 120, 2e-4, seed)
        lost.append(accuracy(tuned, *unseen, form) - accuracy(aware, *unseen, form))
    print("; lost by training with rounding:", [f"{one:.2f}" for one in lost])
    assert np.mean(lost) < 0.1
