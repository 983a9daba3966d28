"""Control flow and zero-dimensional tensors of the corpus for PaddlePaddle 2.6.2."""

from __future__ import annotations

import numpy as np
from corpus import Built, Corpus, rng

import paddle
from paddle import static


def vector(name: str, rows: int = 3):
    feeds = {"x": rng(name).randn(rows, 4).astype("float32")}
    return feeds, static.data("x", [None, 4])


def branches(choice: float):
    """cond, with a nested one, whose branches return two values."""

    def build():
        feeds, x = vector("branches")
        feeds["choice"] = np.full((1,), choice, "float32")
        flag = static.data("choice", [1])

        def inner():
            return static.nn.cond(flag > 2.0, lambda: x * 3.0, lambda: x - 1.0)

        first, second = static.nn.cond(
            flag > 0.0,
            lambda: (inner(), paddle.sum(x, axis=1)),
            lambda: (paddle.tanh(x), paddle.max(x, axis=1)),
        )
        return Built(feeds, [first, second, first.mean()])

    return build


def choices(index: int):
    def build():
        feeds, x = vector("choices")
        feeds["index"] = np.full((1,), index, "int32")
        which = static.data("index", [1], "int32")
        a = static.nn.switch_case(which, {1: lambda: x + 1.0, 3: lambda: x * x}, default=lambda: -x)
        b = static.nn.case(
            [(which < 2, lambda: paddle.exp(x)), (which > 5, lambda: paddle.abs(x))],
            default=lambda: paddle.zeros_like(x),
        )
        return Built(feeds, [a, b])

    return build


def branch_training(choice: float):
    """Two parameters in each branch; only those of the branch taken get a gradient."""

    def build():
        feeds, x = vector("branch_training", 5)
        feeds["choice"] = np.full((1,), choice, "float32")
        flag = static.data("choice", [1])
        hidden = static.nn.fc(x, 6, activation="relu")
        w = static.create_parameter([6, 2], "float32", name="w")
        v = static.create_parameter([6, 2], "float32", name="v")
        out = static.nn.cond(
            flag > 0.0,
            lambda: paddle.matmul(hidden, w),
            lambda: paddle.matmul(hidden, v) + paddle.matmul(hidden, w),
        )
        loss = paddle.mean(paddle.square(out - 1.0))
        paddle.optimizer.SGD(0.1).minimize(loss)
        return Built(feeds, [loss])

    return build


def loop():
    feeds, x = vector("loop")
    i = paddle.full([1], 0, "int64")
    n = paddle.full([1], 5, "int64")

    def body(i, x, total):
        x = paddle.tanh(x) * 1.5
        return [i + 1, x, total + paddle.sum(x)]

    total = paddle.zeros([1])
    i, y, total = static.nn.while_loop(lambda i, x, t: i < n, body, [i, x, total])
    return Built(feeds, [i, y, total])


def loop_arrays():
    """Reads one tensor array and writes another in a loop with a condition inside."""
    feeds, x = vector("loop_arrays", 4)
    source = paddle.tensor.create_array("float32")
    for k in range(4):
        index = paddle.full([1], k, "int64")
        source = paddle.tensor.array_write(x[k], index, source)
    target = paddle.tensor.create_array("float32")
    i = paddle.full([1], 0, "int64")
    target = paddle.tensor.array_write(paddle.zeros([4]), i, target)

    def body(i, target):
        item = paddle.tensor.array_read(source, i)
        last = paddle.tensor.array_read(target, i)
        following = static.nn.cond(
            paddle.sum(item) > 0.0, lambda: last + item, lambda: last * 0.5 + item
        )
        i = paddle.increment(i)
        paddle.tensor.array_write(following, i, target)
        return [i, target]

    i, target = static.nn.while_loop(
        lambda i, t: i < paddle.tensor.array_length(source), body, [i, target]
    )
    length = paddle.tensor.array_length(target)
    last = paddle.tensor.array_read(target, i)
    stacked, _ = paddle.tensor.manipulation.tensor_array_to_tensor(target, 0, True)
    return Built(feeds, [i, length, last, stacked])


def loop_training():
    feeds, x = vector("loop_training", 5)
    w = static.create_parameter([4, 4], "float32", name="w")
    i = paddle.full([1], 0, "int64")
    n = paddle.full([1], 3, "int64")
    state = static.nn.fc(x, 4, activation="tanh")

    def body(i, state):
        return [i + 1, paddle.tanh(paddle.matmul(state, w))]

    i, state = static.nn.while_loop(lambda i, s: i < n, body, [i, state])
    loss = paddle.mean(paddle.square(state - 0.5))
    paddle.optimizer.SGD(0.2).minimize(loss)
    return Built(feeds, [loss])


def rank_zero():
    """Reductions to [] and what follows from them; 2.0 would say [1]."""
    feeds, x = vector("rank_zero")
    mean = paddle.mean(x)
    total = paddle.sum(x)
    largest = paddle.max(x)
    item = x[0, 1]
    full = paddle.full([], 2.5)
    stacked = paddle.stack([mean, total, largest])
    shapes = [
        paddle.shape(mean),
        paddle.unsqueeze(mean, 0),
        paddle.reshape(total, [1, 1]),
        paddle.reshape(x[0:1, 0:1], []),
        paddle.squeeze(x[0:1, 0:1]),
        paddle.expand(mean, [2, 3]),
        paddle.numel(x),
        paddle.argmax(x),
        paddle.dot(x[0], x[1]),
        paddle.norm(x),
        paddle.all(x > -100.0),
        paddle.trace(x),
    ]
    return Built(feeds, [mean, total, largest, item, full * mean, stacked] + shapes)


def rank_zero_training():
    feeds, x = vector("rank_zero_training", 5)
    factor = static.create_parameter([], "float32", name="factor")
    out = static.nn.fc(x, 2) * factor
    loss = paddle.mean(paddle.square(out - 1.0)) + 0.1 * paddle.sum(paddle.abs(out))
    paddle.optimizer.Adam(0.05, grad_clip=paddle.nn.ClipGradByGlobalNorm(0.4)).minimize(loss)
    return Built(feeds, [loss])


def printing():
    feeds, x = vector("printing")
    y = static.Print(x * 2.0, message="twice", summarize=2)
    static.nn.control_flow.Assert(paddle.all(y < 1000.0), [y])
    return Built(feeds, [y])


def write(corpus: Corpus) -> None:
    """Write all cases of this file."""
    corpus.case("cond_false", branches(-1.0))
    corpus.case("cond_true", branches(1.0))
    corpus.case("cond_nested", branches(3.0))
    for index in (1, 3, 7):
        corpus.case(f"switch_case_{index}", choices(index))
    corpus.case("cond_training_taken", branch_training(1.0), steps=3)
    corpus.case("cond_training_other", branch_training(-1.0), steps=3)
    corpus.case("while_loop", loop)
    corpus.case("while_arrays", loop_arrays)
    corpus.case("while_training", loop_training, steps=3)
    corpus.case("rank_zero", rank_zero)
    corpus.case("rank_zero_training", rank_zero_training, steps=3)
    corpus.case("print_assert", printing)
