"""Control flow of the corpus for PaddlePaddle 1.8.5: functional and block forms."""

from __future__ import annotations

import numpy as np
from corpus import Built, Corpus, rng

import paddle.fluid as fluid

layers = fluid.layers


def vector(name: str, rows: int = 3):
    feeds = {"x": rng(name).randn(rows, 4).astype("float32")}
    return feeds, fluid.data("x", [None, 4])


def constant(value, dtype: str = "int64"):
    return layers.fill_constant([1], dtype, value)


def branches(choice: float):
    """cond, with a nested one, whose branches return two values."""

    def build():
        feeds, x = vector("branches")
        feeds["choice"] = np.full((1,), choice, "float32")
        flag = fluid.data("choice", [1])

        def inner():
            return layers.cond(flag > 2.0, lambda: x * 3.0, lambda: x - 1.0)

        first, second = layers.cond(
            flag > 0.0,
            lambda: (inner(), layers.reduce_sum(x, dim=1)),
            lambda: (layers.tanh(x), layers.reduce_max(x, dim=1)),
        )
        return Built(feeds, [first, second, layers.mean(first)])

    return build


def choices(index: int):
    def build():
        feeds, x = vector("choices")
        feeds["index"] = np.full((1,), index, "int32")
        which = fluid.data("index", [1], "int32")
        a = layers.switch_case(
            which, {1: lambda: x + 1.0, 3: lambda: x * x}, default=lambda: x * -1.0
        )
        b = layers.case(
            [
                (which < constant(2, "int32"), lambda: layers.exp(x)),
                (which > constant(5, "int32"), lambda: layers.abs(x)),
            ],
            default=lambda: layers.zeros_like(x),
        )
        rate = layers.create_global_var([1], 0.0, "float32", True, name="rate")
        with layers.Switch() as switch:
            with switch.case(which < constant(2, "int32")):
                layers.assign(constant(0.1, "float32"), rate)
            with switch.default():
                layers.assign(constant(0.2, "float32"), rate)
        return Built(feeds, [a, b, rate])

    return build


def branch_training(choice: float):
    def build():
        feeds, x = vector("branch_training", 5)
        feeds["choice"] = np.full((1,), choice, "float32")
        flag = fluid.data("choice", [1])
        hidden = layers.fc(x, 6, act="relu")
        w = layers.create_parameter([6, 2], "float32", name="w")
        v = layers.create_parameter([6, 2], "float32", name="v")
        out = layers.cond(
            flag > 0.0,
            lambda: layers.matmul(hidden, w),
            lambda: layers.matmul(hidden, v) + layers.matmul(hidden, w),
        )
        loss = layers.mean(layers.square(out - 1.0))
        fluid.optimizer.SGD(0.1).minimize(loss)
        return Built(feeds, [loss])

    return build


def loop():
    feeds, x = vector("loop")
    i, n = constant(0), constant(5)

    def body(i, x, total):
        x = layers.tanh(x) * 1.5
        return [i + 1, x, total + layers.reduce_sum(x)]

    total = constant(0.0, "float32")
    i, y, total = layers.while_loop(lambda i, x, t: layers.less_than(i, n), body, [i, x, total])
    return Built(feeds, [i, y, total])


def loop_arrays():
    """The class While with arrays written before and inside the loop."""
    feeds, x = vector("loop_arrays", 4)
    source = layers.create_array("float32")
    for k in range(4):
        layers.array_write(x[k], constant(k), source)
    i = constant(0)
    n = layers.array_length(source)
    target = layers.create_array("float32")
    layers.array_write(layers.fill_constant([4], "float32", 0.0), i, target)
    going = layers.less_than(i, n)
    loop = layers.While(going)
    with loop.block():
        item = layers.array_read(source, i)
        last = layers.array_read(target, i)
        layers.increment(i, 1, in_place=True)
        layers.array_write(last * 0.5 + item, i, target)
        layers.less_than(i, n, cond=going)
    last = layers.array_read(target, i)
    stacked, sizes = layers.tensor_array_to_tensor(target, 0, use_stack=True)
    joined, _ = layers.tensor_array_to_tensor(target, 0)
    return Built(feeds, [i, layers.array_length(target), last, stacked, sizes, joined])


def loop_training():
    """Gradients through a While that reads and writes arrays."""
    feeds, x = vector("loop_training", 5)
    i, n = constant(0), constant(3)
    i.stop_gradient = n.stop_gradient = True
    states = layers.array_write(layers.fc(x, 4, act="tanh"), i)
    going = layers.less_than(i, n)
    loop = layers.While(going)
    with loop.block():
        state = layers.array_read(states, i)
        following = layers.fc(state, 4, act="tanh", param_attr="w", bias_attr=False)
        layers.increment(i, 1, in_place=True)
        layers.array_write(following, i, states)
        layers.less_than(i, n, cond=going)
    loss = layers.mean(layers.square(layers.array_read(states, i) - 0.5))
    fluid.optimizer.SGD(0.2).minimize(loss)
    return Built(feeds, [loss])


def static_rnn():
    feeds = {"x": rng("static_rnn").randn(4, 2, 3).astype("float32")}
    x = fluid.data("x", [4, 2, 3])
    x.stop_gradient = False
    rnn = layers.StaticRNN()
    with rnn.step():
        word = rnn.step_input(x)
        previous = rnn.memory(shape=[-1, 5], batch_ref=word, init_value=0.1)
        hidden = layers.fc([word, previous], 5, act="tanh")
        rnn.update_memory(previous, hidden)
        rnn.step_output(hidden)
    out = rnn()
    loss = layers.mean(layers.square(out - 0.2))
    fluid.optimizer.SGD(0.5).minimize(loss)
    return Built(feeds, [out, loss])


def if_else():
    """IfElse splits rows by a mask and merges the two results."""
    feeds, x = vector("if_else", 5)
    limit = layers.fill_constant_batch_size_like(x, [-1, 1], "float32", 0.0)
    choose = layers.IfElse(layers.greater_than(layers.reduce_sum(x, 1, True), limit))
    with choose.true_block():
        choose.output(choose.input(x) * 2.0)
    with choose.false_block():
        choose.output(choose.input(x) - 10.0)
    return Built(feeds, [choose()[0]])


def printing():
    feeds, x = vector("printing")
    y = layers.Print(x * 2.0, message="twice", summarize=2)
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
    corpus.case("static_rnn", static_rnn, steps=3)
    corpus.case("if_else", if_else)
    corpus.case("print", printing)
