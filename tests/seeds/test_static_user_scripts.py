"""Scripts of 2.0 as users write them for static graphs, with the numbers of PaddlePaddle 2.6.2.

Parameters get values drawn by NumPy, so that both frameworks start alike; the numbers behind
``as_there`` were printed there by the same script.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
import paddle.static as static
from tests.seeds.alike import as_there, fill, started, tensor, value

pytestmark = pytest.mark.usefixtures("fresh_static")


@pytest.fixture(autouse=True)
def _static_mode() -> None:
    paddle.enable_static()


def digits(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.RandomState(seed)
    y = rng.randint(0, 10, (n, 1)).astype("int64")
    x = rng.rand(n, 1, 28, 28).astype("float32") * 0.3
    for i, digit in enumerate(y[:, 0]):
        row, column = 2 + 12 * (digit // 5), 2 + 5 * (digit % 5)
        x[i, 0, row : row + 10, column : column + 4] += 1
    return x, y


# -- pictures --------------------------------------------------------------------------------------


class Digits(paddle.io.Dataset):
    def __init__(self, n: int) -> None:
        self.x, self.y = digits(n)

    def __getitem__(self, i: int) -> tuple:
        return self.x[i], self.y[i]

    def __len__(self) -> int:
        return len(self.x)


def test_lenet_with_a_data_loader() -> None:
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        img = static.data("img", [None, 1, 28, 28], "float32")
        label = static.data("label", [None, 1], "int64")
        x = F.max_pool2d(static.nn.conv2d(img, 6, 5, padding=2, act="relu"), 2, 2)
        x = F.max_pool2d(static.nn.conv2d(x, 16, 5, act="relu"), 2, 2)
        x = static.nn.fc(static.nn.fc(x, 120, activation="relu"), 84, activation="relu")
        logits = static.nn.fc(x, 10)
        loss = paddle.mean(F.cross_entropy(logits, label, reduction="none"))
        acc = static.accuracy(F.softmax(logits), label)
        test = main.clone(for_test=True)
        paddle.optimizer.Adam(1e-3).minimize(loss)
    exe = started(startup)
    fill(main, 0.1)
    loader = paddle.io.DataLoader(
        Digits(96), feed_list=[img, label], batch_size=16, drop_last=True,
        places=[paddle.CPUPlace()], return_list=False,
    )  # fmt: skip
    rows = [exe.run(main, feed=d, fetch_list=[loss, acc]) for _ in range(3) for d in loader()]
    as_there(
        rows,
        "2.3603 .0625; 2.3201 .0625; 2.275 .0625; 2.2533 .0625; 2.225 .0625; 2.2434 .0625;"
        "2.1622 .125; 2.1226 .3125; 2.0587 .625; 2.093 .375; 2.0302 .75; 2.0279 .8125;"
        "1.8967 .9375; 1.8145 .9375; 1.6981 .9375; 1.8073 .8125; 1.6664 .75; 1.6265 .8125",
    )
    x, y = digits(40, 1)
    as_there([exe.run(test, {"img": x, "label": y}, [loss.name, acc.name])], "1.4344 .925")


def test_residual_blocks_with_batch_norm() -> None:
    img = static.data("img", [None, 3, 8, 8])
    label = static.data("label", [None, 1], "int64")

    def block(x: Any, channels: int, stride: int = 1) -> Any:
        y = static.nn.conv2d(x, channels, 3, stride=stride, padding=1, bias_attr=False)
        y = static.nn.batch_norm(y, act="relu", momentum=0.9, epsilon=1e-5)
        y = static.nn.batch_norm(static.nn.conv2d(y, channels, 3, padding=1, bias_attr=False))
        return F.relu(paddle.add(static.nn.conv2d(x, channels, 1, stride, bias_attr=False), y))

    pooled = F.dropout(F.adaptive_avg_pool2d(block(block(img, 8), 16, 2), 1), 0.0)
    logits = static.nn.fc(paddle.flatten(pooled, 1), 4)
    cost, prob = F.softmax_with_cross_entropy(logits, label, return_softmax=True)
    loss = paddle.mean(cost)
    fetched = [loss, *(static.accuracy(prob, label, k=k) for k in (1, 2))]
    test = static.default_main_program().clone(for_test=True)
    decay = paddle.regularizer.L2Decay(1e-4)
    paddle.optimizer.Momentum(0.05, 0.9, weight_decay=decay, use_nesterov=True).minimize(loss)
    exe, rng, rows = started(), np.random.RandomState(0), []
    fill()
    for name in [f"batch_norm_{i}.w_2" for i in range(4)]:
        tensor(name).set(np.ones(value(name).shape, "float32"), paddle.CPUPlace())
    for _ in range(6):
        feed = {
            "img": rng.randn(8, 3, 8, 8).astype("float32"),
            "label": rng.randint(0, 4, (8, 1)).astype("int64"),
        }
        rows += [exe.run(feed=feed, fetch_list=fetched), exe.run(test, feed, fetched)]
    as_there(
        rows,
        "1.3637 .25 .625; 1.3581 .25 .625; 1.4122 .25 .375; 1.4015 .25 .375; 1.3993 .125 .375;"
        "1.3719 .125 .625; 1.4416 .25 .25; 1.4314 .25 .375; 1.3808 .375 .375; 1.3796 .375 .625;"
        "1.438 .25 .5; 1.422 .25 .5",
    )
    as_there(
        [value(f"batch_norm_{i}.w_{j}")[:3].reshape(3, 1) for i in (0, 3) for j in (1, 2)],
        "-.0776 -.1849 .092; .8742 1.1231 1.1527; .0864 .1913 .12; .5839 .5668 .5674",
    )


# -- text ------------------------------------------------------------------------------------------


def test_a_transformer() -> None:
    batch, time, size, heads, count = 4, 6, 16, 4, 25

    def attention(x: Any, mask: Any) -> Any:
        def split(t: Any) -> Any:
            return paddle.transpose(paddle.reshape(t, [0, 0, heads, size // heads]), [0, 2, 1, 3])

        q, k, v = (static.nn.fc(x, size, num_flatten_dims=2, bias_attr=False) for _ in range(3))
        weights = paddle.matmul(split(q), split(k), transpose_y=True) * (size // heads) ** -0.5
        weights = F.dropout(F.softmax(weights + mask), 0.0)
        out = paddle.transpose(paddle.matmul(weights, split(v)), [0, 2, 1, 3])
        return static.nn.fc(paddle.reshape(out, [0, 0, size]), size, num_flatten_dims=2)

    def layer(x: Any, mask: Any) -> Any:
        x = static.nn.layer_norm(x + attention(x, mask), begin_norm_axis=2)
        hidden = static.nn.fc(x, 32, num_flatten_dims=2, activation="gelu")
        out = static.nn.fc(hidden, size, num_flatten_dims=2)
        return static.nn.layer_norm(x + out, begin_norm_axis=2)

    words = static.data("words", [None, time], "int64")
    target = static.data("target", [None, time], "int64")
    places = np.arange(time)[:, None] / 10000 ** (np.arange(size)[None] / size)
    attr = paddle.ParamAttr(
        name="pe", trainable=False, initializer=paddle.nn.initializer.Assign(np.sin(places))
    )
    position = static.create_parameter([time, size], "float32", name="pe", attr=attr)
    empty = paddle.cast(paddle.equal(words, paddle.full_like(words, 0)), "float32")
    mask = paddle.unsqueeze(empty * -1e9, [1, 2])
    x = static.nn.embedding(words, [count, size], padding_idx=0) * size**0.5 + position
    for _ in range(2):
        x = layer(x, mask)
    logits = static.nn.fc(x, count, num_flatten_dims=2)
    soft = F.label_smooth(F.one_hot(target, count), epsilon=0.1)
    loss = paddle.mean(F.softmax_with_cross_entropy(logits, soft, soft_label=True))
    schedule = paddle.optimizer.lr.NoamDecay(size, 4)
    clip = paddle.nn.ClipGradByGlobalNorm(1.0)
    paddle.optimizer.Adam(schedule, beta1=0.9, beta2=0.997, epsilon=1e-9, grad_clip=clip).minimize(
        loss
    )
    exe, rng, rows = started(), np.random.RandomState(0), []
    fill()
    for _ in range(6):
        drawn = rng.randint(1, count, (batch, time)).astype("int64")
        drawn[1, 4:] = 0
        feed = {"words": drawn, "target": np.roll(drawn, 1, 1)}
        rows.append(exe.run(feed=feed, fetch_list=[loss]))
        schedule.step()
    as_there(rows, "3.2434; 3.205; 3.2715; 3.3445; 3.3078; 3.1677")


def test_clicks_with_accuracy_and_auc() -> None:
    ids = static.data("ids", [None, 3], "int64")
    dense, label = static.data("dense", [None, 4]), static.data("label", [None, 1], "int64")
    found = static.nn.embedding(ids, [20, 4], padding_idx=0)
    h = static.nn.fc(
        paddle.concat([paddle.reshape(found, [-1, 12]), dense], 1), 8, activation="relu"
    )
    prob = static.nn.fc(h, 2, activation="softmax")
    clicked = paddle.slice(prob, [1], [1], [2])
    loss = paddle.mean(F.log_loss(clicked, paddle.cast(label, "float32")))
    auc, batch_auc, _ = static.auc(prob, label, num_thresholds=2**12, slide_steps=2)
    acc = static.accuracy(prob, label)
    paddle.optimizer.Adam(0.02, lazy_mode=True).minimize(loss)
    exe, rng, rows = started(), np.random.RandomState(0), []
    fill()
    for _ in range(8):
        i, d = rng.randint(0, 20, (32, 3)).astype("int64"), rng.randn(32, 4).astype("float32")
        y = ((d.sum(1, keepdims=True) + (i[:, :1] > 10)) > 0.5).astype("int64")
        feed = {"ids": i, "dense": d, "label": y}
        rows.append(exe.run(feed=feed, fetch_list=[loss, auc, batch_auc, acc]))
    as_there(
        rows,
        ".6918 .56863 .56863 .59375; .64176 .71799 .71799 .75; .61081 .80187 .91105 .90625;"
        ".56556 .85098 .94995 .875; .6086 .84541 .89655 .78125; .51531 .86445 .89932 .875;"
        ".46879 .88639 .95933 .9375; .52202 .88892 .95208 .84375",
    )


# -- several Programs, several losses --------------------------------------------------------------


def test_a_gan_with_two_optimizers() -> None:
    def generator(z: Any) -> Any:
        return static.nn.fc(static.nn.fc(z, 16, activation="relu", name="g1"), 8,
                            activation="tanh", name="g2")  # fmt: skip

    def discriminator(x: Any) -> Any:
        h = static.nn.fc(x, 16, activation="relu", weight_attr="d1.w", bias_attr="d1.b")
        return static.nn.fc(h, 1, weight_attr="d2.w", bias_attr="d2.b")

    def bce(logits: Any, target: float) -> Any:
        return paddle.mean(
            F.binary_cross_entropy_with_logits(logits, paddle.full_like(logits, target))
        )

    d_program, g_program, startup = static.Program(), static.Program(), static.Program()
    with static.program_guard(d_program, startup):
        real, fake = static.data("real", [None, 8]), static.data("fake", [None, 8])
        d_loss = bce(discriminator(real), 1.0) + bce(discriminator(fake), 0.0)
        paddle.optimizer.Adam(2e-3, beta1=0.5).minimize(d_loss)
    with static.program_guard(g_program, startup):
        img = generator(static.data("z", [None, 4]))
        infer = g_program.clone(for_test=True)
        g_loss = bce(discriminator(img), 1.0)
        names = [p.name for p in g_program.all_parameters() if p.name.startswith("g")]
        paddle.optimizer.Adam(2e-3, beta1=0.5).minimize(g_loss, parameters=names)
    exe, rng, rows = started(startup), np.random.RandomState(0), []
    fill(d_program)
    fill(g_program)
    for _ in range(8):
        z = rng.randn(16, 4).astype("float32")
        (made,) = exe.run(infer, feed={"z": z}, fetch_list=[img])
        truth = (rng.randn(16, 8) * 0.1 + 0.5).astype("float32")
        first = exe.run(d_program, feed={"real": truth, "fake": made}, fetch_list=[d_loss])
        rows.append([*first, *exe.run(g_program, {"z": z}, [g_loss]), made.mean()])
    as_there(
        rows,
        "1.4178 .76693 .24649; 1.4121 .76533 .24738; 1.4041 .76657 .27522; 1.415 .75084 .22295;"
        "1.4079 .75381 .23911; 1.4053 .75247 .22984; 1.3968 .75031 .24137; 1.3981 .74588 .2092",
    )


def test_two_losses_and_gradients_clipped_by_hand() -> None:
    x, y = static.data("x", [None, 5]), static.data("y", [None, 1])
    label = static.data("label", [None, 1], "int64")
    h = static.nn.fc(x, 8, activation="relu")
    first = paddle.mean(F.square_error_cost(static.nn.fc(h, 1), y))
    second = paddle.mean(F.cross_entropy(static.nn.fc(h, 3), label, reduction="none"))
    loss = first + 0.5 * second
    sgd = paddle.optimizer.SGD(0.1)
    pairs = sgd.backward(loss)
    sgd.apply_gradients([(p, paddle.clip(g, -0.2, 0.2)) for p, g in pairs])
    exe, rng, rows = started(), np.random.RandomState(0), []
    fill()
    for _ in range(4):
        a = rng.randn(6, 5).astype("float32")
        feed = {"x": a, "y": a[:, :1], "label": rng.randint(0, 3, (6, 1)).astype("int64")}
        rows.append(exe.run(feed=feed, fetch_list=[loss, first, second]))
    as_there(
        rows, "2.8617 2.2857 1.1521; .69483 .056821 1.276; 1.4767 .91031 1.1327;"
        "1.6651 1.1141 1.102",
    )  # fmt: skip


def test_one_network_twice_a_frozen_layer_and_a_counter() -> None:
    """A siamese network; the loss is scaled down after three steps, which a counter tells."""
    a, b, same = (static.data(n, [None, w]) for n, w in (("a", 4), ("b", 4), ("same", 1)))
    a.stop_gradient = False

    def tower(x: Any) -> Any:
        x = static.nn.fc(x, 5, activation="relu", weight_attr=paddle.ParamAttr(name="t_w1"),
                         bias_attr=paddle.ParamAttr(name="t_b1"))  # fmt: skip
        frozen = paddle.ParamAttr(name="t_w2", trainable=False)
        return static.nn.fc(x, 3, weight_attr=frozen, bias_attr=False)

    distance = paddle.sum((tower(a) - tower(b)) ** 2, axis=1, keepdim=True)
    loss = paddle.mean(same * distance + (1 - same) * F.relu(1.0 - distance))
    step = static.create_global_var([1], 0.0, "float32", persistable=True, name="step")
    paddle.increment(step, 1.0)
    scaled = static.nn.cond(step > 3, lambda: loss * 0.1, lambda: loss * 1.0)
    paddle.optimizer.SGD(0.2).minimize(scaled)
    exe, rng, rows = started(), np.random.RandomState(0), []
    fill()
    kept = value("t_w2").copy()
    for _ in range(6):
        feed = {n: rng.randn(8, 4).astype("float32") for n in "ab"}
        feed["same"] = rng.randint(0, 2, (8, 1)).astype("float32")
        rows.append(exe.run(feed=feed, fetch_list=[loss, scaled, step]))
    as_there(
        rows, ".4827 .4827 1; .67408 .67408 2; .71212 .71212 3; .49029 .049029 4;"
        ".42548 .042548 5; .46947 .046947 6",
    )  # fmt: skip
    np.testing.assert_array_equal(value("t_w2"), kept)


# -- Python functions, control flow ----------------------------------------------------------------


def test_a_loss_in_python() -> None:
    def huber(p: Any, y: Any) -> np.ndarray:
        d = np.abs(np.array(p) - np.array(y))
        return np.where(d < 1, 0.5 * d * d, d - 0.5).astype("float32")

    def huber_grad(p: Any, y: Any, out: Any, d_out: Any) -> tuple:
        slope = np.clip(np.array(p) - np.array(y), -1, 1) * np.array(d_out)
        return slope.astype("float32"), np.zeros_like(np.array(y))

    x, y = static.data("x", [None, 3]), static.data("y", [None, 1])
    pred = static.nn.fc(x, 1)
    block = static.default_main_program().current_block()
    out = block.create_var(name="huber", shape=[-1, 1], dtype="float32")
    static.py_func(func=huber, x=[pred, y], out=out, backward_func=huber_grad)
    loss = paddle.mean(out)
    paddle.optimizer.SGD(0.3).minimize(loss)
    exe, rng, rows = started(), np.random.RandomState(0), []
    fill()
    for _ in range(6):
        a = rng.randn(8, 3).astype("float32")
        feed = {"x": a, "y": 3 * a.sum(1, keepdims=True)}
        rows.append(exe.run(feed=feed, fetch_list=[loss, pred.name + "@GRAD"]))
    as_there(
        rows, "5.2266 -.125; 3.9417 -.125; 3.8525 .125; 3.4691 -.010215; 3.8535 -.125; 2.0779 .125"
    )


def test_a_network_that_chooses_its_way() -> None:
    x, k = static.data("x", [None, 3]), static.data("k", [1], "int32")
    h = paddle.matmul(x, static.create_parameter([3, 3], "float32", name="w"))
    ways = {1: lambda: paddle.tanh(h), 2: lambda: h * 2.0}
    s = paddle.sum(static.nn.switch_case(k, ways, default=lambda: F.sigmoid(h)))
    c = static.nn.case([(s < 0.0, lambda: -s), (s > 5.0, lambda: s * s)], default=lambda: s + 1.0)

    def large() -> Any:
        return static.nn.cond(c > 3.0, lambda: c * 3.0, lambda: c * 2.0)

    loss = paddle.mean(static.nn.cond(c > 2.0, large, lambda: c * 0.5))
    paddle.optimizer.SGD(0.05).minimize(loss)
    exe, rng, rows = started(), np.random.RandomState(0), []
    fill()
    for i in range(9):
        feed = {"x": rng.randn(2, 3).astype("float32"), "k": np.array([i % 3 + 1], "int32")}
        rows.append(exe.run(feed=feed, fetch_list=[loss]))
    as_there(
        rows, ".84643; .54462; 11.122; .96343; .78831; 11.822; .041165; 5.4701; 12.795"
    )  # fmt: skip


def test_a_recurrent_network_of_while_loop() -> None:
    """The numbers are those of the same network in plain torch: 2.6.2 has another gradient."""
    time, batch, wide, size = 5, 4, 3, 6
    x, y = static.data("x", [time, batch, wide]), static.data("y", [batch, 1])
    wx = static.create_parameter([wide, size], "float32", name="wx")
    wh = static.create_parameter([size, size], "float32", name="wh")
    b = static.create_parameter([size], "float32", name="b", is_bias=True)

    def body(i: Any, h: Any) -> list:
        now = paddle.reshape(paddle.gather(x, i), [batch, wide])
        return [i + 1, paddle.tanh(paddle.matmul(now, wx) + paddle.matmul(h, wh) + b)]

    count = paddle.full([1], time, "int64")
    begin = [paddle.full([1], 0, "int64"), paddle.full([batch, size], 0.0, "float32")]
    _, last = static.nn.while_loop(lambda i, h: paddle.less_than(i, count), body, begin)
    loss = paddle.mean((static.nn.fc(last, 1) - y) ** 2)
    paddle.optimizer.Adam(0.05).minimize(loss)
    exe, rng, rows = started(), np.random.RandomState(0), []
    fill()
    for _ in range(8):
        a = rng.randn(time, batch, wide).astype("float32")
        feed = {"x": a, "y": a.sum((0, 2))[:, None]}
        rows.append(exe.run(feed=feed, fetch_list=[loss]))
    as_there(rows, "10.37108; 34.7612; 4.70217; 11.73679; 3.53647; 32.5857; 2.67784; 12.4603")


# -- data ------------------------------------------------------------------------------------------


def rows_of_data() -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.RandomState(0)
    for _ in range(20):
        a = rng.randn(4).astype("float32")
        yield a, a.sum(keepdims=True)


def lists_of_data() -> Iterator[list]:
    drawn = list(rows_of_data())
    for i in range(0, 20, 4):
        yield drawn[i : i + 4]


def batches_of_data() -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for listed in lists_of_data():
        yield np.stack([a for a, _ in listed]), np.stack([s for _, s in listed])


@pytest.mark.parametrize("kind", ["sample", "sample_list", "batch"])
def test_generators_feed_a_program(kind: str) -> None:
    """DataLoader.from_generator, which 2.6.2 has no longer; the losses are NumPy's."""
    x, y = static.data("x", [None, 4]), static.data("y", [None, 1])
    loader = paddle.io.DataLoader.from_generator(feed_list=[x, y], capacity=4)
    if kind == "sample":
        loader.set_sample_generator(rows_of_data, batch_size=4, places=paddle.CPUPlace())
    elif kind == "sample_list":
        loader.set_sample_list_generator(lists_of_data, places=paddle.CPUPlace())
    else:
        loader.set_batch_generator(batches_of_data, places=[paddle.CPUPlace()])
    loss = paddle.mean(F.square_error_cost(static.nn.fc(x, 1, bias_attr=False), y))
    paddle.optimizer.SGD(0.1).minimize(loss)
    exe, w, expected = started(), None, []
    fill()
    w = value("fc_0.w_0").copy()
    for a, s in [*batches_of_data()] * 2:
        expected.append(((a @ w - s) ** 2).mean())
        w -= 0.1 * 2 * a.T @ (a @ w - s) / 4
    got = [exe.run(feed=d, fetch_list=[loss])[0].item() for _ in range(2) for d in loader()]
    np.testing.assert_allclose(got, expected, rtol=1e-4)


def test_model_trains_and_says_that_it_needs_inputs() -> None:
    with pytest.raises(TypeError, match=r"Model\(inputs\): expected InputSpec.* in static mode"):
        paddle.Model(paddle.nn.Linear(2, 2))
    specs = [
        static.InputSpec([None, 2], "float32", "a"),
        static.InputSpec([None, 1], "float32", "s"),
    ]
    model = paddle.Model(paddle.nn.Linear(2, 1), *specs)
    model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), paddle.nn.MSELoss())
    a, s = np.ones([4, 2], "float32"), np.ones([4, 1], "float32")
    losses = [model.train_batch(a, s)[0].item() for _ in range(20)]
    assert losses[-1] < 1e-3 and losses[-1] < losses[0]
