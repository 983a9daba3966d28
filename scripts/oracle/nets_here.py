"""Nets built here, trained for some steps here and in 2.6.2: cases for ours_in_262.py.

Every case builds a loss in the current Programs and returns what is fed and what is fetched.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import static
from paddle.ir.control.rnn import StaticRNN

Built = tuple[dict[str, np.ndarray], list[Any]]
CASES: dict[str, Callable[[], Built]] = {}
STEPS = 4


def case(function: Callable[[], Built]) -> Callable[[], Built]:
    CASES[function.__name__] = function
    return function


def _rng(name: str) -> np.random.RandomState:
    return np.random.RandomState(zlib.crc32(name.encode()) & 0x7FFFFFFF)


def _classifier() -> tuple[dict[str, np.ndarray], Any]:
    r = _rng("classifier")
    x, y = static.data("x", [None, 6]), static.data("y", [None, 1], "int64")
    hidden = static.nn.fc(x, 8, activation="relu")
    loss = paddle.mean(F.cross_entropy(static.nn.fc(hidden, 3), y))
    feeds = {"x": r.randn(5, 6).astype("float32"), "y": r.randint(0, 3, (5, 1)).astype("int64")}
    return feeds, loss


def _optimizer(name: str, make: Callable[[], Any]) -> None:
    def build() -> Built:
        feeds, loss = _classifier()
        make().minimize(loss)
        return feeds, [loss]

    CASES[f"optimizer_{name}"] = build


def _optimizers() -> None:
    o, clip, decay = paddle.optimizer, paddle.nn, paddle.regularizer
    for name in ("SGD", "Adagrad", "Adadelta", "Adam", "AdamW", "Adamax", "Lamb"):
        _optimizer(name.lower(), lambda n=name: getattr(o, n)(learning_rate=0.1))
    for cls in ("SGD", "Momentum", "Adam", "AdamW"):
        made = getattr(o, cls)
        for label, by in (
            ("value", clip.ClipGradByValue(0.02)),
            ("norm", clip.ClipGradByNorm(0.05)),
            ("global_norm", clip.ClipGradByGlobalNorm(0.1)),
        ):
            _optimizer(f"{cls.lower()}_clip_{label}",
                       lambda m=made, b=by: m(learning_rate=0.1, grad_clip=b))  # fmt: skip
        _optimizer(f"{cls.lower()}_decay", lambda m=made: m(learning_rate=0.1, weight_decay=0.2))
    _optimizer("momentum", lambda: o.Momentum(0.1, 0.8))
    _optimizer("momentum_nesterov", lambda: o.Momentum(0.1, 0.8, use_nesterov=True))
    _optimizer("adam_l1", lambda: o.Adam(0.1, weight_decay=decay.L1Decay(0.05)))
    _optimizer("momentum_l1", lambda: o.Momentum(0.1, weight_decay=decay.L1Decay(0.05)))
    _optimizer("rmsprop", lambda: o.RMSProp(0.01))
    _optimizer("rmsprop_centered", lambda: o.RMSProp(0.01, centered=True, momentum=0.5))
    _optimizer("adamw_not_all", lambda: o.AdamW(
        0.1, weight_decay=0.3, apply_decay_param_fun=lambda n: "w_0" in n))  # fmt: skip
    _optimizer("lamb_excluded", lambda: o.Lamb(
        0.1, exclude_from_weight_decay_fn=lambda p: "b_0" in p.name))  # fmt: skip
    for label, rate in (
        ("step", lambda: o.lr.StepDecay(0.1, 2)),
        ("warmup", lambda: o.lr.LinearWarmup(0.1, 3, 0.0, 0.1)),
        ("noam", lambda: o.lr.NoamDecay(8, 3)),
    ):
        _optimizer(f"rate_{label}", lambda r=rate: o.Momentum(r()))


_optimizers()


def _minimized(loss: Any, rate: float = 0.05) -> None:
    paddle.optimizer.SGD(rate).minimize(loss)


@case
def lenet() -> Built:
    r = _rng("lenet")
    image, y = static.data("image", [None, 1, 28, 28]), static.data("y", [None, 1], "int64")
    x = F.max_pool2d(F.relu(static.nn.batch_norm(static.nn.conv2d(image, 6, 5, padding=2))), 2, 2)
    x = F.avg_pool2d(F.relu(static.nn.conv2d(x, 16, 5)), 2, 2)
    logits = static.nn.fc(static.nn.fc(paddle.flatten(x, 1), 84, activation="relu"), 10)
    loss = paddle.mean(F.softmax_with_cross_entropy(logits, y))
    accuracy = static.accuracy(F.softmax(logits), y)
    _minimized(loss)
    feeds = {"image": r.randn(3, 1, 28, 28).astype("float32"), "y": r.randint(0, 10, (3, 1))}
    return feeds, [loss, accuracy]


def residual(x: Any, width: int, stride: int) -> Any:
    y = static.nn.conv2d(x, width, 3, stride, 1, bias_attr=False)
    y = static.nn.batch_norm(y, act="relu")
    y = static.nn.batch_norm(static.nn.conv2d(y, width, 3, 1, 1, bias_attr=False))
    if stride != 1 or x.shape[1] != width:
        x = static.nn.batch_norm(static.nn.conv2d(x, width, 1, stride, bias_attr=False))
    return F.relu(x + y)


@case
def resnet() -> Built:
    r = _rng("resnet")
    image, y = static.data("image", [None, 3, 16, 16]), static.data("y", [None, 1], "int64")
    x = static.nn.batch_norm(static.nn.conv2d(image, 8, 3, padding=1, bias_attr=False), act="relu")
    x = residual(residual(x, 8, 1), 16, 2)
    logits = static.nn.fc(F.adaptive_avg_pool2d(x, 1), 4)
    loss = paddle.mean(F.cross_entropy(logits, y))
    paddle.optimizer.Momentum(0.05, weight_decay=1e-3).minimize(loss)
    feeds = {"image": r.randn(3, 3, 16, 16).astype("float32"), "y": r.randint(0, 4, (3, 1))}
    return feeds, [loss]


@case
def embedding() -> Built:
    r = _rng("embedding")
    ids, y = static.data("ids", [None, 5], "int64"), static.data("y", [None, 1])
    x = static.nn.embedding(ids, [11, 8], padding_idx=0)
    out = static.nn.fc(paddle.mean(x, axis=1), 1)
    loss = paddle.mean(F.square_error_cost(out, y))
    paddle.optimizer.Adam(0.05).minimize(loss)
    feeds = {"ids": r.randint(0, 11, (4, 5)), "y": r.randn(4, 1).astype("float32")}
    return feeds, [loss]


@case
def embedding_sparse() -> Built:
    r = _rng("embedding")
    ids, y = static.data("ids", [None, 5], "int64"), static.data("y", [None, 1])
    x = static.nn.embedding(ids, [11, 8], is_sparse=True)
    loss = paddle.mean(F.square_error_cost(static.nn.fc(paddle.mean(x, axis=1), 1), y))
    _minimized(loss)
    feeds = {"ids": r.randint(0, 11, (4, 5)), "y": r.randn(4, 1).astype("float32")}
    return feeds, [loss]


@case
def dropout_test_and_layer_norm() -> Built:
    x = static.data("x", [None, 4, 6])
    y = static.nn.layer_norm(F.dropout(x, 0.0), begin_norm_axis=2)
    loss = paddle.mean(static.nn.fc(y, 3, num_flatten_dims=2) ** 2)
    _minimized(loss)
    return {"x": _rng("x").randn(2, 4, 6).astype("float32")}, [loss, y]


def _branching(name: str, sign: float) -> None:
    def build() -> Built:
        x = static.data("x", [None, 6])
        w = static.create_parameter([6, 2], "float32", name="w")
        v = static.create_parameter([2], "float32", name="v")
        y = static.nn.cond(
            paddle.sum(x) > 0.0, lambda: paddle.matmul(x, w) * v, lambda: x[:, 0:2] - v
        )
        loss = paddle.mean(y * y)
        _minimized(loss)
        return {"x": sign * np.abs(_rng("x").randn(3, 6)).astype("float32")}, [loss, y]

    CASES[name] = build


_branching("cond_taken", 1.0)
_branching("cond_other", -1.0)


@case
def cond_nested() -> Built:
    x = static.data("x", [2, 3])
    w = static.create_parameter([3, 3], "float32", name="w")
    s = paddle.sum(x)

    def inner() -> Any:
        return static.nn.cond(s > 1.0, lambda: x + 1.0, lambda: paddle.matmul(x, w))

    y = static.nn.cond(s > 0.0, inner, lambda: x * 2.0)
    loss = paddle.mean(y * y)
    _minimized(loss)
    return {"x": np.full([2, 3], 0.1, "float32")}, [loss, y]


@case
def switch_case() -> Built:
    i, x = static.data("i", [1], "int32"), static.data("x", [2, 3])
    w = static.create_parameter([2, 3], "float32", name="w")
    y = static.nn.switch_case(i, {1: lambda: x * w, 3: lambda: x + w}, default=lambda: x - w)
    loss = paddle.mean(y * y)
    _minimized(loss)
    return {"i": np.array([3], "int32"), "x": _rng("x").randn(2, 3).astype("float32")}, [loss, y]


@case
def while_plain() -> Built:
    x = static.data("x", [None, 4])
    i = paddle.full([1], 0, "int64")
    i, y = static.nn.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y * 1.5 + x], [i, x])
    return {"x": _rng("x").randn(2, 4).astype("float32")}, [y, i]


@case
def while_trained() -> Built:
    x = static.data("x", [2, 4])
    w = static.create_parameter([4, 4], "float32", name="w")
    i = paddle.full([1], 0, "int64")
    _, y = static.nn.while_loop(
        lambda i, y: i < 3, lambda i, y: [i + 1, paddle.tanh(paddle.matmul(y, w))], [i, x]
    )
    loss = paddle.mean(y * y)
    _minimized(loss, 0.5)
    return {"x": _rng("x").randn(2, 4).astype("float32")}, [loss, y]


@case
def arrays() -> Built:
    x = static.data("x", [2, 3])
    zero, one = paddle.full([1], 0, "int64"), paddle.full([1], 1, "int64")
    array = paddle.tensor.array_write(x, zero)
    array = paddle.tensor.array_write(x * 2.0, one, array)
    y = paddle.tensor.array_read(array, zero) + paddle.tensor.array_read(array, one)
    return {"x": np.ones([2, 3], "float32")}, [y, paddle.tensor.array_length(array)]


@case
def arrays_in_a_loop() -> Built:
    x = static.data("x", [4, 3])
    array = paddle.tensor.array_write(x, paddle.full([1], 0, "int64"))

    def body(i: Any, array: Any) -> list[Any]:
        value = paddle.tensor.array_read(array, i)
        return [i + 1, paddle.tensor.array_write(value * 2.0, i + 1, array)]

    i, array = static.nn.while_loop(
        lambda i, array: i < 3, body, [paddle.full([1], 0, "int64"), array]
    )
    last = paddle.tensor.array_read(array, i)
    return {"x": _rng("x").randn(4, 3).astype("float32")}, [last, i]


@case
def static_rnn() -> Built:
    x = static.data("x", [3, 2, 4])
    rnn = StaticRNN()
    with rnn.step():
        word = rnn.step_input(x)
        before = rnn.memory(shape=[-1, 5], batch_ref=word)
        hidden = static.nn.fc([word, before], 5, activation="tanh")
        rnn.update_memory(before, hidden)
        rnn.step_output(hidden)
    loss = paddle.mean(rnn())
    _minimized(loss)
    return {"x": _rng("x").randn(3, 2, 4).astype("float32")}, [loss]
