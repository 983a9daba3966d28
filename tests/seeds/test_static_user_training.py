"""How users of 2.0 steer the training of a Program, with the numbers of PaddlePaddle 2.6.2.

Schedules, clips, regularizers, moving averages; stopping and resuming. As in
test_static_user_scripts.py the numbers were printed there by the same script.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
import paddle.static as static
from tests.seeds.alike import as_there, fill, started

pytestmark = pytest.mark.usefixtures("fresh_static")


@pytest.fixture(autouse=True)
def _static_mode() -> None:
    paddle.enable_static()


# -- what can be said about an update --------------------------------------------------------------

LR = paddle.optimizer.lr
SCHEDULES: dict[str, tuple[Callable[[], Any], str]] = {
    "noam": (
        lambda: LR.NoamDecay(d_model=16, warmup_steps=3, learning_rate=1.0),
        "0 .048113 .096225 .14434 .125 .1118 .10206 .094491; .017954",
    ),
    "piecewise": (
        lambda: LR.PiecewiseDecay([3, 6], [0.1, 0.05, 0.01]),
        ".1 .1 .1 .05 .05 .05 .01 .01; .0014504",
    ),
    "cosine": (
        lambda: LR.CosineAnnealingDecay(0.1, T_max=5),
        ".1 .090451 .065451 .034549 .0095492 0 .0095492 .034549; .0016441",
    ),
    "warm-up": (
        lambda: LR.LinearWarmup(LR.PolynomialDecay(0.1, 5, 0.01), 3, 0.0, 0.1),
        "0 .033333 .066667 .1 .082 .064 .046 .028; .0010646",
    ),
    "exponential": (
        lambda: LR.ExponentialDecay(0.1, 0.9),
        ".1 .09 .081 .0729 .06561 .059049 .053144 .04783; .0029715",
    ),
    "natural": (
        lambda: LR.NaturalExpDecay(0.1, 0.5),
        ".1 .060653 .036788 .022313 .013534 .0082085 .0049787 .0030197; .0011866",
    ),
    "inverse": (
        lambda: LR.InverseTimeDecay(0.1, 0.5),
        ".1 .066667 .05 .04 .033333 .028571 .025 .022222; .00001181",
    ),
    "step": (
        lambda: LR.StepDecay(0.1, 2, 0.5),
        ".1 .1 .05 .05 .025 .025 .0125 .0125; .0000031335",
    ),
    "milestones": (
        lambda: LR.MultiStepDecay(0.1, [2, 5], 0.5),
        ".1 .1 .05 .05 .05 .025 .025 .025; .00052199",
    ),
    "function": (
        lambda: LR.LambdaDecay(0.1, lambda epoch: 0.95**epoch),
        ".1 .095 .09025 .085737 .081451 .077378 .073509 .069834; .0036071",
    ),
    "plateau": (
        lambda: LR.ReduceOnPlateau(0.1, patience=1),
        ".1 .1 .1 .1 .01 .01 .001 .001; .00040959",
    ),
}  # the learning rates of eight steps; the loss in the last of them


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules(name: str) -> None:
    make, expected = SCHEDULES[name]
    loss = paddle.mean(static.nn.fc(static.data("x", [None, 3]), 1) ** 2)
    schedule = make()
    momentum = paddle.optimizer.Momentum(schedule, momentum=0.9)
    momentum.minimize(loss)
    exe, rates = started(), []
    fill()
    for _ in range(8):
        (got,) = exe.run(feed={"x": np.ones([4, 3], "float32")}, fetch_list=[loss])
        rates.append(momentum.get_lr())
        schedule.step(*[got] if name == "plateau" else [])
    there, last = expected.split(";")
    np.testing.assert_allclose(rates, [float(r) for r in there.split()], rtol=1e-4)
    np.testing.assert_allclose(got, [float(last)], rtol=5e-3)


CLIPS = {
    "norm": lambda: paddle.nn.ClipGradByNorm(0.5),
    "global": lambda: paddle.nn.ClipGradByGlobalNorm(0.5),
    "value": lambda: paddle.nn.ClipGradByValue(0.1),
}
DECAYS = {
    "l2": lambda: paddle.regularizer.L2Decay(0.1),
    "l1": lambda: paddle.regularizer.L1Decay(0.1),
    "none": lambda: None,
    "number": lambda: 0.01,
}
AFTER_FOUR = {  # the losses of the third and fourth step
    "norm": "66.607 94.158; 66.609 94.454; 66.605 94.099; 66.606 94.104",
    "global": "66.843 94.274; 66.864 96.38; 66.956 94.154; 66.948 94.163",
    "value": "66.492 93.814; 67.01 97.036; 66.475 93.761; 66.477 93.766",
}


@pytest.mark.parametrize("clip", CLIPS)
@pytest.mark.parametrize("decay", DECAYS)
def test_clips_and_regularizers(clip: str, decay: str) -> None:
    x, y = static.data("x", [None, 3]), static.data("y", [None, 1])
    own = paddle.ParamAttr(regularizer=paddle.regularizer.L1Decay(0.05))
    h = static.nn.fc(x, 4, activation="tanh", weight_attr=own)
    unclipped = paddle.ParamAttr(need_clip=False, learning_rate=2.0)
    loss = paddle.mean(F.square_error_cost(static.nn.fc(h, 1, bias_attr=unclipped), y))
    paddle.optimizer.Adam(0.05, weight_decay=DECAYS[decay](), grad_clip=CLIPS[clip]()).minimize(
        loss
    )
    exe, rng, rows = started(), np.random.RandomState(0), []
    fill()
    for _ in range(4):
        a = rng.randn(8, 3).astype("float32")
        feed = {"x": a, "y": 5 * a.sum(1, keepdims=True)}
        rows.append(exe.run(feed=feed, fetch_list=[loss])[0].item())
    expected = AFTER_FOUR[clip].split(";")[list(DECAYS).index(decay)]
    np.testing.assert_allclose(rows[2:], [float(v) for v in expected.split()], rtol=1e-4)


def test_moving_averages() -> None:
    x = static.data("x", [None, 5])
    hidden = static.nn.fc(x, 10, activation="relu")
    cost = paddle.mean(hidden)
    test = static.default_main_program().clone(for_test=True)
    paddle.optimizer.Adam(0.01).minimize(cost)
    ema = static.ExponentialMovingAverage(0.9)
    ema.update()
    exe, rng = started(), np.random.RandomState(0)
    fill()
    ones = {"x": np.ones([2, 5], "float32")}

    def shown() -> np.ndarray:
        return exe.run(test, feed=ones, fetch_list=[hidden.name])[0][0, 1:3, None]

    rows = []
    for _ in range(3):
        for _ in range(3):
            exe.run(feed={"x": rng.rand(6, 5).astype("float32")}, fetch_list=[cost.name])
        with ema.apply(exe):
            rows.append(shown())
        rows.append(shown())
    with ema.apply(exe, need_restore=False):
        rows.append(shown())
    rows.append(shown())
    ema.restore(exe)
    rows.append(shown())
    as_there(
        rows,
        ".79527 .27119; .74075 .21649; .69319 .17016; .56395 .043372; .58228 .063529; .38787 0;"
        ".58228 .063529; .58228 .063529; .38787 0",
    )


# -- files -----------------------------------------------------------------------------------------


def test_stop_and_resume(tmp_path: Path) -> None:
    x, y = static.data("x", [None, 6]), static.data("y", [None, 1], "int64")
    h = static.nn.batch_norm(static.nn.fc(x, 12, activation="relu"))
    pred = static.nn.fc(h, 3, activation="softmax")
    loss = paddle.mean(F.nll_loss(paddle.log(pred), paddle.reshape(y, [-1])))
    schedule = paddle.optimizer.lr.StepDecay(0.01, 3)
    adam = paddle.optimizer.Adam(schedule)
    adam.minimize(loss)
    main, exe, rng = static.default_main_program(), started(), np.random.RandomState(0)
    fill()
    batches = [
        {"x": rng.randn(8, 6).astype("float32"), "y": rng.randint(0, 3, (8, 1)).astype("int64")}
        for _ in range(10)
    ]

    def train(part: list) -> list[float]:
        losses = []
        for feed in part:
            losses.append(exe.run(main, feed=feed, fetch_list=[loss])[0].item())
            schedule.step()
        return losses

    as_there([[v] for v in train(batches[:3])], "1.1837; 1.0916; 1.2986")
    path = str(tmp_path / "checkpoints" / "step3")
    static.save(main, path)
    paddle.save(schedule.state_dict(), path + ".schedule")
    expected = train(batches[3:])

    exe.run(static.default_startup_program())
    static.load(main, path, exe)
    schedule.set_state_dict(paddle.load(path + ".schedule"))
    assert train(batches[3:]) == expected

    state = static.load_program_state(path)
    assert {"fc_0.w_0", "batch_norm_0.w_1", "fc_0.w_0_moment1_0"} <= set(state)
    with static.scope_guard(static.Scope()):
        exe.run(static.default_startup_program())
        static.set_program_state(main, state)
        schedule.set_state_dict(paddle.load(path + ".schedule"))
        assert train(batches[3:]) == expected
