"""Regression as a Program with known sizes, batch norm and clipped gradients, saved and loaded."""

import tempfile

import numpy as np

import paddle
from paddle import static

paddle.enable_static()
paddle.seed(1)
rng = np.random.RandomState(0)
main, startup = static.Program(), static.Program()
with static.program_guard(main, startup):
    x = static.data("x", [16, 13], "float32")
    y = static.data("y", [16, 1], "float32")
    hidden = static.nn.batch_norm(static.nn.fc(x, 32, activation="relu"))
    guess = static.nn.fc(paddle.nn.functional.dropout(hidden, 0.1), 1)
    loss = paddle.mean(paddle.nn.functional.square_error_cost(guess, y))
    rate = paddle.optimizer.lr.StepDecay(0.01, 2)
    clip = paddle.nn.ClipGradByNorm(1.0)
    paddle.optimizer.Momentum(rate, grad_clip=clip, weight_decay=1e-4).minimize(loss)
exe = static.Executor(paddle.CPUPlace())
exe.run(startup)
for _step in range(4):
    feed = {"x": rng.rand(16, 13).astype("float32"), "y": rng.rand(16, 1).astype("float32")}
    (value,) = exe.run(main, feed=feed, fetch_list=[loss])
    rate.step()
with tempfile.TemporaryDirectory() as folder:
    static.save(main, f"{folder}/model")
    static.load(main, f"{folder}/model", exe)
assert np.isfinite(value).all()
paddle.disable_static()
