"""Complete static scripts as a user of 2.0 writes them, beside the same in dynamic mode."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
import paddle.static as static

pytestmark = pytest.mark.usefixtures("fresh_static")


@pytest.fixture(autouse=True)
def _static() -> None:
    np.random.seed(0)
    paddle.seed(0)
    paddle.enable_static()


def values(program: Any = None) -> dict[str, np.ndarray]:
    """Copies of a Program's parameters."""
    program = program or static.default_main_program()
    scope = static.global_scope()
    return {
        p.name: np.array(scope.find_var(p.name).get_tensor()).copy()
        for p in program.all_parameters()
    }


def dynamic_losses(
    parameters: dict[str, np.ndarray],
    network: Callable[[dict[str, Any], tuple], Any],
    optimizer: Callable[[list], Any],
    batches: list[tuple],
) -> tuple[list[float], dict[str, np.ndarray]]:
    """The same training in dynamic mode: losses, and the parameters at the end."""
    paddle.disable_static()
    held = {}
    for name, value in parameters.items():
        held[name] = paddle.create_parameter(value.shape, "float32", name="dynamic_" + name)
        held[name].set_value(value)
    adam = optimizer(list(held.values()))
    losses = []
    for batch in batches:
        loss = network(held, tuple(paddle.to_tensor(b) for b in batch))
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(loss.item())
    return losses, {n: p.numpy() for n, p in held.items()}


def same(got: dict[str, np.ndarray], expected: dict[str, np.ndarray], tolerance: float) -> None:
    for name, value in expected.items():
        np.testing.assert_allclose(got[name], value, rtol=tolerance, atol=tolerance, err_msg=name)


def digits(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Made-up digits: a bright square whose place tells the class, on noise."""
    labels = np.arange(count) % 10
    images = np.random.rand(count, 1, 14, 14).astype("float32") * 0.3
    for image, label in zip(images, labels):
        row, column = 1 + 6 * (label // 5), 1 + 2 * (label % 5)
        image[0, row : row + 5, column : column + 3] = 1.0
    return images, labels.reshape(-1, 1).astype("int64")


# -- digits: training and test program, an inference model -----------------------------------------


def test_a_convolutional_network(tmp_path: Path) -> None:
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        image = static.data("image", [None, 1, 14, 14], "float32")
        label = static.data("label", [None, 1], "int64")
        hidden = static.nn.conv2d(image, num_filters=8, filter_size=3, padding=1)
        hidden = static.nn.batch_norm(hidden, act="relu")
        hidden = F.max_pool2d(hidden, kernel_size=2, stride=2)
        hidden = static.nn.conv2d(hidden, num_filters=16, filter_size=3, act="relu")
        hidden = F.dropout(F.max_pool2d(hidden, 2, 2), 0.2)
        prediction = static.nn.fc(hidden, 10, activation="softmax")
        loss = paddle.mean(static.nn.cross_entropy(prediction, label))
        accuracy = static.accuracy(input=prediction, label=label)
        test_program = main.clone(for_test=True)
        paddle.optimizer.Adam(0.01).minimize(loss)

    exe = static.Executor(paddle.CPUPlace())
    exe.run(startup)
    images, labels = digits(128)
    for _ in range(6):
        for i in range(0, 128, 32):
            feed = {"image": images[i : i + 32], "label": labels[i : i + 32]}
            exe.run(main, feed=feed, fetch_list=[loss, accuracy])

    unseen, expected = digits(50)
    feed = {"image": unseen, "label": expected}
    cost, rate = exe.run(test_program, feed=feed, fetch_list=[loss, accuracy])
    assert rate.item() >= 0.9
    again = exe.run(test_program, feed=feed, fetch_list=[loss, accuracy])
    assert again[0].item() == cost.item()  # no dropout, and the statistics stay

    path = str(tmp_path / "lenet" / "inference")
    static.save_inference_model(path, [image], [prediction], exe, program=main)
    with static.scope_guard(static.Scope()):
        program, feed_names, fetches = static.load_inference_model(path, exe)
        assert feed_names == ["image"]
        assert "label" not in program.global_block().vars
        (scores,) = exe.run(program, feed={"image": unseen}, fetch_list=fetches)
    assert (scores.argmax(1) == expected[:, 0]).mean() == pytest.approx(rate.item())
    np.testing.assert_allclose(scores.sum(1), 1.0, rtol=1e-5)


def test_layers_of_paddle_nn_in_a_program() -> None:
    """The same Layer in both modes, from the same first values."""
    paddle.disable_static()
    net = paddle.vision.models.LeNet()
    first = {name: value.numpy() for name, value in net.state_dict().items()}
    x = np.random.rand(4, 1, 28, 28).astype("float32")
    y = np.array([[1], [5], [0], [9]], "int64")
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    expected = []
    for _ in range(3):
        loss = F.cross_entropy(net(paddle.to_tensor(x)), paddle.to_tensor(y))
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        expected.append(loss.item())

    paddle.enable_static()
    image, label = static.data("image", [None, 1, 28, 28]), static.data("label", [None, 1], "int64")
    net = paddle.vision.models.LeNet()
    loss = F.cross_entropy(net(image), label)
    paddle.optimizer.SGD(0.1).minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    net.set_state_dict(first)
    got = [exe.run(feed={"image": x, "label": y}, fetch_list=[loss])[0].item() for _ in range(3)]
    np.testing.assert_allclose(got, expected, rtol=1e-4)


# -- text ------------------------------------------------------------------------------------------


def test_a_text_classifier() -> None:
    """Embeddings of the words, averaged over the words that are there."""
    words = static.data("words", [None, 8], "int64")
    label = static.data("label", [None, 1], "int64")
    table = static.nn.embedding(words, size=[50, 16], padding_idx=0, is_sparse=True)
    there = paddle.unsqueeze(paddle.cast(words > 0, "float32"), [2])
    mean = paddle.sum(table * there, axis=1) / paddle.sum(there, axis=1)
    logits = static.nn.fc(static.nn.fc(mean, 16, activation="tanh"), 2)
    loss = F.cross_entropy(logits, label)
    right = static.accuracy(F.softmax(logits), label)
    paddle.optimizer.Adam(0.02).minimize(loss)

    exe = static.Executor()
    exe.run(static.default_startup_program())
    first = values()
    assert (first["embedding_0.w_0"][0] != 0).any()  # looked up as zeros all the same

    batches = []
    for _ in range(40):
        ids = np.random.randint(1, 50, (16, 8))
        lengths = np.random.randint(3, 9, (16, 1))
        ids[np.arange(8) >= lengths] = 0
        low, high = ((ids > 0) & (ids < 25)).sum(1), (ids >= 25).sum(1)
        batches.append((ids, (low > high).astype("int64").reshape(-1, 1)))
    run = [exe.run(feed={"words": w, "label": y}, fetch_list=[loss, right]) for w, y in batches]
    assert np.mean([r[1] for r in run[-10:]]) > 0.85

    def network(p: dict[str, Any], batch: tuple) -> Any:
        ids, target = batch
        found = F.embedding(ids, p["embedding_0.w_0"], padding_idx=0, sparse=True)
        mask = paddle.unsqueeze(paddle.cast(ids > 0, "float32"), [2])
        x = paddle.sum(found * mask, axis=1) / paddle.sum(mask, axis=1)
        x = F.tanh(F.linear(x, p["fc_0.w_0"], p["fc_0.b_0"]))
        return F.cross_entropy(F.linear(x, p["fc_1.w_0"], p["fc_1.b_0"]), target)

    end = values()
    losses, expected = dynamic_losses(
        first, network, lambda p: paddle.optimizer.Adam(0.02, parameters=p), batches
    )
    np.testing.assert_allclose([r[0].item() for r in run], losses, rtol=1e-3)
    same(end, expected, 1e-3)


def test_word2vec_with_a_shared_table() -> None:
    """The n-gram model of the book: four words predict the next, one table for all of them."""
    size, count = 12, 30
    names = ["firstw", "secondw", "thirdw", "fourthw"]
    inputs = [static.data(n, [None, 1], "int64") for n in names]
    next_word = static.data("nextw", [None, 1], "int64")
    shared = paddle.ParamAttr(name="shared_w")
    embedded = [
        paddle.reshape(static.nn.embedding(w, [count, size], param_attr=shared), [-1, size])
        for w in inputs
    ]
    hidden = static.nn.fc(paddle.concat(embedded, axis=1), 32, activation="sigmoid")
    predict = static.nn.fc(hidden, count, activation="softmax")
    avg_cost = paddle.mean(static.nn.cross_entropy(input=predict, label=next_word))
    paddle.optimizer.RMSProp(0.01).minimize(avg_cost)
    params = [p.name for p in static.default_main_program().all_parameters()]
    assert params.count("shared_w") == 1
    sums = [op for op in static.default_main_program().block(0).ops if op.type == "sum"]
    assert [len(op.input("X")) for op in sums] == [4]  # four gradients of one table

    exe = static.Executor()
    exe.run(static.default_startup_program())
    first = values()
    text = np.arange(200) * 7 % count
    rows = np.stack([text[i : i + 5] for i in range(64)])
    feed = {n: rows[:, i : i + 1] for i, n in enumerate([*names, "nextw"])}
    costs = [exe.run(feed=feed, fetch_list=[avg_cost])[0].item() for _ in range(60)]
    assert costs[-1] < 0.3 * costs[0]

    def network(p: dict[str, Any], batch: tuple) -> Any:
        x = paddle.concat([F.embedding(batch[0][:, i], p["shared_w"]) for i in range(4)], axis=1)
        x = F.sigmoid(F.linear(x, p["fc_0.w_0"], p["fc_0.b_0"]))
        x = F.softmax(F.linear(x, p["fc_1.w_0"], p["fc_1.b_0"]))
        return F.nll_loss(paddle.log(x), batch[0][:, 4])

    losses, _ = dynamic_losses(
        first, network, lambda p: paddle.optimizer.RMSProp(0.01, parameters=p), [(rows,)] * 10
    )
    np.testing.assert_allclose(costs[:10], losses, rtol=1e-3)


# -- control flow ----------------------------------------------------------------------------------


def test_linear_regression_within_a_while_loop() -> None:
    """Gradient descent as part of the graph: the loop stops when the gradient is small."""
    x, y = static.data("x", [None, 3]), static.data("y", [None, 1])

    def gradient(w: Any) -> Any:
        return 2.0 * paddle.matmul(x, paddle.matmul(x, w) - y, transpose_x=True) / 64.0

    def far(i: Any, w: Any) -> Any:
        return paddle.logical_and(i < 500, paddle.max(paddle.abs(gradient(w))) > 1e-3)

    def step(i: Any, w: Any) -> list:
        return [i + 1, w - 0.2 * gradient(w)]

    i = paddle.zeros([1], "int64")
    steps, w = static.nn.while_loop(far, step, [i, paddle.zeros([3, 1])])
    rows = np.random.randn(64, 3).astype("float32")
    truth = np.array([[1.0], [-2.0], [0.5]], "float32")
    count, found = static.Executor().run(feed={"x": rows, "y": rows @ truth}, fetch_list=[steps, w])
    np.testing.assert_allclose(found, truth, atol=5e-3)
    assert 5 < count.item() < 200

    w_np, n = np.zeros([3, 1], "float32"), 0
    while n < 500:
        grad = 2 * rows.T @ (rows @ w_np - rows @ truth) / 64
        if abs(grad).max() <= 1e-3:
            break
        w_np, n = w_np - np.float32(0.2) * grad, n + 1
    assert abs(count.item() - n) <= 1
    np.testing.assert_allclose(found, w_np, atol=1e-3)


def test_training_through_cond_and_while_loop() -> None:
    """A loss by cases, and a layer that is applied as often as the feed says."""
    x, y = static.data("x", [None, 4]), static.data("y", [None, 4])
    times = static.data("times", [1], "int64")
    weight = static.create_parameter([4, 4], "float32", name="w")

    def body(i: Any, h: Any) -> list:
        return [i + 1, paddle.tanh(paddle.matmul(h, weight))]

    _, out = static.nn.while_loop(lambda i, h: i < times, body, [paddle.zeros([1], "int64"), x])
    error = paddle.mean(paddle.abs(out - y))
    loss = static.nn.cond(error < 0.3, lambda: error * error, lambda: 0.6 * error - 0.09)
    paddle.optimizer.SGD(0.5).minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    first = values()
    batches = [
        (np.random.rand(8, 4).astype("float32"), np.full([8, 4], 0.2, "float32"), np.array([n]))
        for n in (1, 3, 2, 3, 0, 1) * 3
    ]
    got = [
        exe.run(feed={"x": a, "y": b, "times": n}, fetch_list=[loss])[0].item()
        for a, b, n in batches
    ]

    def network(p: dict[str, Any], batch: tuple) -> Any:
        h, target, count = batch
        for _ in range(count.item()):
            h = paddle.tanh(paddle.matmul(h, p["w"]))
        distance = paddle.mean(paddle.abs(h - target))
        return distance * distance if distance < 0.3 else 0.6 * distance - 0.09

    end = values()
    trained = [b for b in batches if b[2][0]]  # without a round there is no gradient
    losses, expected = dynamic_losses(
        first, network, lambda p: paddle.optimizer.SGD(0.5, parameters=p), trained
    )
    np.testing.assert_allclose([v for v, b in zip(got, batches) if b[2][0]], losses, rtol=1e-4)
    same(end, expected, 1e-4)


# -- two Programs, one set of parameters -----------------------------------------------------------


def generator(noise: Any) -> Any:
    return static.nn.fc(
        static.nn.fc(noise, 8, activation="relu", weight_attr="g_w1", bias_attr="g_b1"),
        1, weight_attr="g_w2", bias_attr="g_b2",
    )  # fmt: skip


def discriminator(value: Any) -> Any:
    return static.nn.fc(
        static.nn.fc(value, 8, activation="relu", weight_attr="d_w1", bias_attr="d_b1"),
        1, weight_attr="d_w2", bias_attr="d_b2",
    )  # fmt: skip


def test_a_gan_of_two_programs() -> None:
    startup, d_program, g_program = static.Program(), static.Program(), static.Program()

    def loss_of(logits: Any, target: float) -> Any:
        return F.binary_cross_entropy_with_logits(logits, paddle.full_like(logits, target))

    with static.program_guard(d_program, startup):
        real, noise = static.data("real", [None, 1]), static.data("noise", [None, 2])
        d_loss = loss_of(discriminator(real), 1.0) + loss_of(discriminator(generator(noise)), 0.0)
        names = [p.name for p in d_program.all_parameters() if p.name.startswith("d_")]
        paddle.optimizer.Adam(0.01).minimize(d_loss, startup, parameters=names)
    with static.program_guard(g_program, startup):
        noise = static.data("noise", [None, 2])
        fake = generator(noise)
        g_loss = loss_of(discriminator(fake), 1.0)
        names = [p.name for p in g_program.all_parameters() if p.name.startswith("g_")]
        paddle.optimizer.Adam(0.01).minimize(g_loss, startup, parameters=names)

    exe = static.Executor()
    exe.run(startup)
    assert set(values(d_program)) == set(values(g_program))

    def changed(run: Callable[[], Any]) -> set[str]:
        before = values(d_program)
        run()
        return {n[0] for n, v in values(d_program).items() if (v != before[n]).any()}

    def batch() -> dict[str, np.ndarray]:
        return {"noise": np.random.randn(32, 2).astype("float32")}

    def truth() -> dict[str, np.ndarray]:
        return {"real": 3.0 + 0.2 * np.random.randn(32, 1).astype("float32"), **batch()}

    assert changed(lambda: exe.run(d_program, feed=truth())) == {"d"}
    assert changed(lambda: exe.run(g_program, feed=batch())) == {"g"}
    before = exe.run(g_program, feed=batch(), fetch_list=[fake])[0].mean()
    for _ in range(150):
        exe.run(d_program, feed=truth(), fetch_list=[d_loss])
        exe.run(g_program, feed=batch(), fetch_list=[g_loss])
    after = exe.run(g_program, feed=batch(), fetch_list=[fake])[0].mean()
    assert abs(after - 3.0) < abs(before - 3.0) - 1.0


# -- everything that can be said about an update ---------------------------------------------------


def test_schedule_clip_regularizer_and_moving_average() -> None:
    x, y = static.data("x", [None, 4]), static.data("y", [None, 1])
    loss = F.mse_loss(static.nn.fc(static.nn.fc(x, 6, activation="tanh"), 1), y)
    schedule = paddle.optimizer.lr.PiecewiseDecay([3, 6], [0.1, 0.05, 0.01])

    def optimizer(rate: Any, parameters: Any = None) -> Any:
        return paddle.optimizer.Momentum(
            rate, 0.9, parameters=parameters,
            weight_decay=paddle.regularizer.L2Decay(0.01),
            grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5),
        )  # fmt: skip

    optimizer(schedule).minimize(loss)
    ema = static.ExponentialMovingAverage(0.8)
    ema.update()
    exe = static.Executor()
    exe.run(static.default_startup_program())
    first = values()
    batches = []
    for _ in range(9):
        rows = np.random.randn(16, 4).astype("float32")
        batches.append((rows, 3 * rows.sum(1, keepdims=True)))
    got, averages, rates = [], {n: np.zeros_like(v) for n, v in first.items()}, []
    for a, b in batches:
        got.append(exe.run(feed={"x": a, "y": b}, fetch_list=[loss])[0].item())
        rates.append(round(schedule.get_lr(), 4))
        schedule.step()
        averages = {n: 0.8 * averages[n] + 0.2 * v for n, v in values().items()}
    assert rates == [0.1] * 3 + [0.05] * 3 + [0.01] * 3

    end = values()
    with ema.apply(exe):
        same(values(), {n: v / (1 - 0.8**9) for n, v in averages.items()}, 1e-5)
    same(values(), end, 0)

    def network(p: dict[str, Any], batch: tuple) -> Any:
        hidden = F.tanh(F.linear(batch[0], p["fc_0.w_0"], p["fc_0.b_0"]))
        return F.mse_loss(F.linear(hidden, p["fc_1.w_0"], p["fc_1.b_0"]), batch[1])

    again = paddle.optimizer.lr.PiecewiseDecay([3, 6], [0.1, 0.05, 0.01])

    class Stepping:
        """Steps the schedule with the optimizer."""

        def __init__(self, parameters: list) -> None:
            self.inner = optimizer(again, parameters)

        def step(self) -> None:
            self.inner.step()
            again.step()

        def clear_grad(self) -> None:
            self.inner.clear_grad()

    losses, expected = dynamic_losses(first, network, Stepping, batches)
    np.testing.assert_allclose(got, losses, rtol=1e-4)
    same(end, expected, 1e-4)
