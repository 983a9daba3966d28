"""Where a plan looks for results of rank 0: only at what can be one."""

from __future__ import annotations

import numpy as np

import paddle
from paddle import static


def test_a_plan_looks_at_what_can_be_of_rank_0_alone(monkeypatch, capsys):
    monkeypatch.setenv("PADDLE_DEBUG", "plan")
    main, startup, scope = static.Program(), static.Program(), static.Scope()
    paddle.enable_static()
    try:
        with static.program_guard(main, startup), static.scope_guard(scope):
            x = static.data("x", [None, 1, 6, 6])
            image = static.nn.conv2d(x, 4, 3)
            flat = paddle.flatten(paddle.transpose(image, [0, 2, 3, 1]), 1)
            loss = paddle.mean(static.nn.fc(paddle.concat([flat, flat], 1), 3))
            paddle.optimizer.SGD(0.1).minimize(loss)
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            capsys.readouterr()
            exe.run(main, {"x": np.ones([2, 1, 6, 6], "float32")}, [loss])
    finally:
        paddle.disable_static()
    guards = [line for line in capsys.readouterr().out.splitlines() if ".dim()" in line]
    assert guards and all("mean" in line for line in guards)
