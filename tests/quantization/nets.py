"""The small net that was quantised in PaddlePaddle, and what was seen there."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import paddle
from paddle import fluid, static

DATA = Path(__file__).with_name("data")


class Net(NamedTuple):
    main: Any
    test: Any
    startup: Any
    out: str
    loss: str
    weights: list[str]


def seen(name: str) -> dict[str, np.ndarray]:
    with np.load(DATA / f"{name}.npz") as file:
        return dict(file)


def build(of_1x: bool) -> Net:
    """The net, trained by SGD; with the names that it has in PaddlePaddle."""
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        out, loss = _net_1x() if of_1x else _net()
        test = main.clone(for_test=True)
        sgd = fluid.optimizer.SGD if of_1x else paddle.optimizer.SGD
        sgd(0.05).minimize(loss)
    return Net(main, test, startup, out.name, loss.name, [p.name for p in main.all_parameters()])


def _net() -> Any:
    F = paddle.nn.functional
    x, y = static.data("x", [None, 1, 8, 8]), static.data("y", [None, 1], "int64")
    p = F.avg_pool2d(F.relu(static.nn.conv2d(x, 4, 3)), 2, 2)
    e = static.nn.conv2d(p, 4, 3, groups=4, padding=1, use_cudnn=False) + p
    f = static.nn.fc(e, 6, activation="relu")
    out = F.softmax(paddle.matmul(f, static.create_parameter([6, 5], "float32", name="last.w")))
    return out, paddle.mean(F.cross_entropy(out, y, use_softmax=False))


def _net_1x() -> Any:
    layers = fluid.layers
    x, y = fluid.data("x", [None, 1, 8, 8]), fluid.data("y", [None, 1], "int64")
    p = layers.pool2d(layers.conv2d(x, 4, 3, act="relu"), 2, "avg", 2)
    d = layers.conv2d(p, 4, 3, groups=4, padding=1, use_cudnn=False)
    f = layers.fc(layers.elementwise_add(d, p), 6, act="relu")
    out = layers.softmax(layers.fc(f, 5))
    return out, layers.mean(layers.cross_entropy(out, y))


def held(name: str) -> np.ndarray:
    return np.array(static.global_scope().find_var(name).get_tensor())
