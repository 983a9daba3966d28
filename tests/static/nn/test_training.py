"""Nets of paddle.static.nn train: statistics, test Programs, weight norm, averages, seed code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from tests.static.harness import static as fresh

nn = static.nn


class Session:
    """A startup Program that has run, and runs of others in its scope."""

    def __init__(self, startup: Any) -> None:
        paddle.disable_static()
        self.scope = static.Scope()
        self.exe = static.Executor(paddle.CPUPlace())
        self.run(startup)

    def run(self, program: Any, feed: Any = None, fetch: Any = None) -> list[np.ndarray]:
        return self.exe.run(program, feed, fetch, scope=self.scope)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.scope.find_var(name).get_tensor().numpy().copy()


def batch(seed: int = 0, rows: int = 8) -> dict[str, np.ndarray]:
    """Images whose class is which half is brighter."""
    r = np.random.RandomState(seed)
    label = r.randint(0, 2, (rows, 1))
    image = r.rand(rows, 1, 8, 8).astype("float32")
    image[:, :, :, :4] += (label == 0).reshape(-1, 1, 1, 1)
    image[:, :, :, 4:] += (label == 1).reshape(-1, 1, 1, 1)
    return {"image": image, "label": label}


def test_conv_net_with_batch_norm() -> None:
    with fresh() as (main, startup):
        paddle.seed(3)
        image, label = (
            static.data("image", [None, 1, 8, 8]),
            static.data("label", [None, 1], "int64"),
        )
        hidden = nn.conv2d(image, 4, 3, stride=2, bias_attr=False)
        hidden = nn.batch_norm(hidden, act="relu", momentum=0.5)
        p = nn.fc(hidden, 2, activation="softmax")
        loss = nn.mean(nn.cross_entropy(p, label))
        share = static.accuracy(p, label)
        test = main.clone(for_test=True)
        paddle.optimizer.Adam(0.04).minimize(loss)
    session = Session(startup)
    before = session["batch_norm_0.w_1"], session["batch_norm_0.w_2"]
    np.testing.assert_array_equal(before, [np.zeros(4), np.ones(4)])
    losses = [session.run(main, batch(i), [loss])[0].item() for i in range(30)]
    assert losses[-1] < 0.25 * losses[0]
    after = session["batch_norm_0.w_1"], session["batch_norm_0.w_2"]
    assert (np.abs(after[0]) > 1e-3).all() and (np.abs(after[1] - 1) > 1e-3).all()
    # The test Program uses the statistics and leaves them alone.
    feed = batch(100, rows=32)
    seen = session.run(test, feed, [share, "conv2d_0.tmp_0", "batch_norm_0.tmp_3"])
    assert seen[0].item() >= 0.9
    gamma, beta = session["batch_norm_0.w_0"], session["batch_norm_0.b_0"]
    mean, variance, gamma, beta = (a.reshape(1, 4, 1, 1) for a in (*after, gamma, beta))
    np.testing.assert_allclose(
        seen[2], (seen[1] - mean) / np.sqrt(variance + 1e-5) * gamma + beta, rtol=1e-4, atol=1e-5
    )
    again = session["batch_norm_0.w_1"], session["batch_norm_0.w_2"]
    np.testing.assert_array_equal(again, after)
    # A row by itself gives what it gives in the batch, and a training run changes the statistics.
    one = session.run(test, {k: v[:1] for k, v in feed.items()}, ["batch_norm_0.tmp_3"])[0]
    np.testing.assert_allclose(one, seen[2][:1], rtol=1e-4, atol=1e-5)
    session.run(main, feed, [loss])
    assert (session["batch_norm_0.w_1"] != after[0]).all()


def test_running_statistics_follow_the_momentum() -> None:
    x = np.random.RandomState(1).randn(6, 3, 2).astype("float32") * 3 + 1
    with fresh() as (main, startup):
        rate = static.data("rate", [1])
        nn.batch_norm(static.data("x", [None, 3, 2]), momentum=rate, moving_mean_name="m")
    session = Session(startup)
    for momentum in (0.75, 0.25):
        expected = momentum * session["m"] + (1 - momentum) * x.mean((0, 2))
        session.run(main, {"x": x, "rate": np.array([momentum], "float32")})
        np.testing.assert_allclose(session["m"], expected, rtol=1e-5)


def test_seed_mlp() -> None:
    """The single-machine net of the guide, with its old argument names."""

    def mlp(input_x: Any, input_y: Any, hid_dim: int = 128, label_dim: int = 2) -> Any:
        fc_1 = nn.fc(input=input_x, size=hid_dim, act="tanh")
        fc_2 = nn.fc(input=fc_1, size=hid_dim, act="tanh")
        prediction = nn.fc(input=[fc_2], size=label_dim, act="softmax")
        cost = nn.cross_entropy(input=prediction, label=input_y)
        return nn.mean(x=cost)

    r = np.random.RandomState(0)
    x = r.random_sample((128, 32)).astype("float32")
    y = (x[:, :1] > 0.5).astype("int64")
    with fresh() as (main, startup):
        paddle.seed(1)
        cost = mlp(static.data("x", [None, 32]), static.data("y", [None, 1], "int64"))
        paddle.optimizer.SGD(learning_rate=0.1).minimize(cost)
        assert [p.name for p in main.all_parameters()] == [
            f"fc_{i}.{k}_0" for i in range(3) for k in "wb"
        ]
    session = Session(startup)
    costs = [session.run(main, {"x": x, "y": y}, [cost.name])[0].item() for _ in range(60)]
    assert costs[0] == pytest.approx(np.log(2), abs=0.15) and costs[-1] < 0.45


@pytest.mark.parametrize(("dim", "axes"), [(None, (0, 1)), (0, (1,)), (1, (0,))])
def test_weight_norm_trains_direction_and_length(dim: Any, axes: tuple) -> None:
    x = np.random.RandomState(2).randn(7, 5).astype("float32")
    with fresh() as (main, startup):
        attr = static.WeightNormParamAttr(dim, name="w", learning_rate=0.5)
        out = nn.fc(static.data("x", [None, 5]), 3, weight_attr=attr, bias_attr=False)
        loss = paddle.mean(out * out * out)
        paddle.optimizer.SGD(0.1).minimize(loss)
    session = Session(startup)
    v, g = session["w_v"].astype("float64"), session["w_g"].astype("float64")
    length = np.sqrt((v**2).sum(axes, keepdims=True))
    np.testing.assert_allclose(g, length, rtol=1e-6)  # at first the weight is v
    np.testing.assert_allclose(session.run(main, {"x": x}, [out])[0], x @ v, rtol=1e-4, atol=1e-5)
    w = v * g / length
    y = x.astype("float64") @ w
    dw = x.T.astype("float64") @ (3 * y**2 / y.size)
    dg = (dw * v / length).sum(axes, keepdims=True)
    dv = g / length * (dw - v * (dw * v).sum(axes, keepdims=True) / length**2)
    np.testing.assert_allclose(session["w_g"], g - 0.05 * dg, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(session["w_v"], v - 0.05 * dv, rtol=1e-4, atol=1e-5)
    v, g = session["w_v"].astype("float64"), session["w_g"].astype("float64")
    rebuilt = v * g / np.sqrt((v**2).sum(axes, keepdims=True))
    got = session.run(main, {"x": x}, [out])[0]
    np.testing.assert_allclose(got, x @ rebuilt, rtol=1e-4, atol=1e-5)


def test_weight_norm_in_a_class_of_paddle_nn() -> None:
    attr = static.WeightNormParamAttr(0, name="w", do_model_average=False, need_clip=False)
    with fresh() as (main, _):
        paddle.nn.Linear(4, 3, weight_attr=attr)(static.data("x", [None, 4]))
        found = {p.name: (p.shape, p.need_clip) for p in main.all_parameters()}
        assert found["w_v"] == ((4, 3), False) and found["w_g"] == ((4, 1), False)
    with pytest.raises(RuntimeError, match=r"paddle\.nn\.utils\.weight_norm"):
        paddle.nn.Linear(4, 3, weight_attr=attr)
    with fresh():
        wrong = static.WeightNormParamAttr(2)
        with pytest.raises(ValueError, match=r"\[0, 1\] of a weight of shape \[4, 3\].* 2"):
            nn.fc(static.data("x", [None, 4]), 3, weight_attr=wrong)
    with pytest.raises(TypeError, match=r"dim.*'0'"):
        static.WeightNormParamAttr("0")


def averaged(decay: float, **options: Any) -> tuple[Any, Any, Any, Any]:
    with fresh() as (main, startup):
        x = static.data("x", [None, 2])
        out = nn.fc(x, 1, bias_attr=paddle.ParamAttr(do_model_average=False))
        loss = paddle.mean(paddle.square(out - 1.0))
        test = main.clone(for_test=True)
        if options.pop("scheduled", False):
            steps = static.create_global_var([1], 0, "int64", persistable=True, name="steps")
            paddle.increment(steps, 1)
            options["thres_steps"] = steps
        paddle.optimizer.SGD(0.1).minimize(loss)
        ema = static.ExponentialMovingAverage(decay, **options)
        ema.update()
    return Session(startup), main, test, ema


@pytest.mark.parametrize("scheduled", [False, True])
def test_moving_average(scheduled: bool) -> None:
    session, main, test, ema = averaged(0.9, scheduled=scheduled, name="slow.")
    feed = {"x": np.random.RandomState(4).rand(6, 2).astype("float32")}
    average, rate = np.zeros((2, 1)), 0.9
    for step in range(1, 5):
        session.run(main, feed)
        rate = min(0.9, (1 + step) / (10 + step)) if scheduled else 0.9
        average = rate * average + (1 - rate) * session["fc_0.w_0"]
        np.testing.assert_allclose(session["slow.fc_0.w_0_ema_0"], average, rtol=1e-5)
    own, bias = session["fc_0.w_0"], session["fc_0.b_0"]
    out = test.global_block().ops[-1].output_arg_names
    with static.scope_guard(session.scope):
        with ema.apply(session.exe):
            np.testing.assert_allclose(session["fc_0.w_0"], average / (1 - rate**4), rtol=1e-5)
            np.testing.assert_array_equal(session["fc_0.b_0"], bias)  # left out
            session.run(test, feed, out)
        np.testing.assert_array_equal(session["fc_0.w_0"], own)
        with pytest.raises(KeyError), ema.apply(session.exe):
            raise KeyError("an error inside puts the parameters back too")
        np.testing.assert_array_equal(session["fc_0.w_0"], own)
        with ema.apply(session.exe, need_restore=False):
            pass
        assert (session["fc_0.w_0"] != own).all()
        ema.restore(session.exe)
        np.testing.assert_array_equal(session["fc_0.w_0"], own)
    assert session["@EMA_STEP_COUNTER@"].item() == 4  # the test Program does not count


def test_moving_average_before_the_first_step() -> None:
    session, _, _, ema = averaged(0.5)
    with static.scope_guard(session.scope), ema.apply(session.exe):
        np.testing.assert_array_equal(session["fc_0.w_0"], np.zeros((2, 1)))


def test_two_moving_averages_of_one_program() -> None:
    with fresh() as (main, startup):
        out = nn.fc(static.data("x", [None, 2]), 1)
        paddle.optimizer.SGD(0.1).minimize(paddle.mean(out))
        pair = [static.ExponentialMovingAverage(d, name=f"{d}/") for d in (0.5, 0.75)]
        for ema in pair:
            ema.update()
    session = Session(startup)
    total = [np.zeros((2, 1)), np.zeros((2, 1))]
    for _ in range(3):
        session.run(main, {"x": np.ones((1, 2), "float32")})
        total = [d * t + (1 - d) * session["fc_0.w_0"] for d, t in zip((0.5, 0.75), total)]
    with static.scope_guard(session.scope):
        for ema, t, d in zip(pair, total, (0.5, 0.75), strict=True):
            with ema.apply(session.exe):
                np.testing.assert_allclose(session["fc_0.w_0"], t / (1 - d**3), rtol=1e-5)


def test_moving_average_wrong_use() -> None:
    with pytest.raises(RuntimeError, match="dynamic mode"):
        static.ExponentialMovingAverage(0.9)
    with fresh():
        with pytest.raises(RuntimeError, match="no parameters to average"):
            static.ExponentialMovingAverage(0.9)
        x = static.data("x", [None, 2])
        nn.fc(x, 1)
        with pytest.raises(ValueError, match=r"decay\): expected a number in \[0, 1\), got 1"):
            static.ExponentialMovingAverage(1)
        with pytest.raises(TypeError, match=r"decay\): expected a float, but received str"):
            static.ExponentialMovingAverage("0.9")
        with pytest.raises(TypeError, match=r"thres_steps\): expected a Variable or None, got int"):
            static.ExponentialMovingAverage(0.9, thres_steps=5)
        with pytest.raises(ValueError, match=r"expected shape \[1\], but received \[-1, 2\]"):
            static.ExponentialMovingAverage(0.9, thres_steps=x)
        with pytest.raises(TypeError, match="name"):
            static.ExponentialMovingAverage(0.9, name=3)
        ema = static.ExponentialMovingAverage(0.9)
        ema.update()
        with pytest.raises(RuntimeError, match="already"):
            ema.update()
        other = static.ExponentialMovingAverage(0.9)
        with static.program_guard(static.Program()), pytest.raises(RuntimeError, match="same"):
            other.update()
