"""Trainings that ranks run through fleet, and one process runs with the joined batch."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import paddle
import paddle.distributed.fleet as fleet
from paddle import static

STEPS, EACH = 6, 8


def _batch(step: int, rank: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """A rank's part of a step's data: that of all where there is one."""
    rng = np.random.RandomState(step)
    x = rng.randn(3 * EACH, 32).astype("float32")
    y = (x[:, :1] + x[:, 1:2] > 0).astype("int64")
    each = 3 * EACH // count
    return x[rank * each : (rank + 1) * each], y[rank * each : (rank + 1) * each]


def dynamic() -> dict[str, Any]:
    """Losses and weights of a network that ``fleet.distributed_model`` wraps."""
    fleet.init(is_collective=True)
    rank, count = fleet.worker_index(), fleet.worker_num()
    paddle.seed(7 + rank)  # the first process's parameters are everybody's
    net = paddle.nn.Sequential(paddle.nn.Linear(32, 16), paddle.nn.Tanh(), paddle.nn.Linear(16, 2))
    opt = paddle.optimizer.Momentum(0.1, parameters=net.parameters())
    opt = fleet.distributed_optimizer(opt)
    model = fleet.distributed_model(net)
    losses = []
    for step in range(STEPS):
        x, y = (paddle.to_tensor(v) for v in _batch(step, rank, count))
        loss = paddle.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
        opt.clear_grad()
        losses.append(float(loss))
    return {"losses": losses, "weight": net[0].weight.numpy()}


def mlp(input_x: Any, input_y: Any, hid_dim: int = 128, label_dim: int = 2) -> Any:
    """The network of the guide (6.2.2)."""
    fc_1 = static.nn.fc(x=input_x, size=hid_dim, activation="tanh")
    fc_2 = static.nn.fc(x=fc_1, size=hid_dim, activation="tanh")
    prediction = static.nn.fc(x=[fc_2], size=label_dim, activation="softmax")
    return paddle.mean(paddle.fluid.layers.cross_entropy(input=prediction, label=input_y))


def in_a_program(folder: str) -> dict[str, Any]:
    """The guide's collective training, and what is saved afterwards."""
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup), paddle.utils.unique_name.guard():
            return _in_a_program(folder)
    finally:
        paddle.disable_static()


def _in_a_program(folder: str) -> dict[str, Any]:
    paddle.seed(11)
    input_x = static.data(name="x", shape=[None, 32], dtype="float32")
    input_y = static.data(name="y", shape=[None, 1], dtype="int64")
    cost = mlp(input_x, input_y)
    optimizer = paddle.optimizer.SGD(learning_rate=0.1)
    role = fleet.PaddleCloudRoleMaker(is_collective=True)
    fleet.init(role)
    optimizer = fleet.distributed_optimizer(optimizer)
    optimizer.minimize(cost)
    rank, count = fleet.worker_index(), fleet.worker_num()
    with static.scope_guard(paddle.fluid.Scope()):
        exe = static.Executor(paddle.CPUPlace())
        exe.run(static.default_startup_program())
        losses = []
        for step in range(STEPS):
            x, y = _batch(step, rank, count)
            losses.append(exe.run(feed={"x": x, "y": y}, fetch_list=[cost.name])[0].item())
        fleet.save_persistables(exe, os.path.join(folder, str(rank)))
        weight = np.array(static.global_scope().find_var("fc_0.w_0").get_tensor())
    ops = [op.type for op in static.default_main_program().global_block().ops]
    return {
        "losses": losses, "weight": weight, "exchanges": ops.count("c_allreduce_sum"),
        "saved": os.path.isdir(os.path.join(folder, str(rank))),
    }  # fmt: skip


def of_1x(folder: str) -> dict[str, Any]:
    """The same with ``fluid.incubate.fleet.collective``."""
    import paddle.fluid as fluid
    from paddle.fluid.incubate.fleet.base import role_maker
    from paddle.fluid.incubate.fleet.collective import DistributedStrategy
    from paddle.fluid.incubate.fleet.collective import fleet as old

    paddle.enable_static()
    try:
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            paddle.seed(11)
            cost = mlp(fluid.data("x", [None, 32]), fluid.data("y", [None, 1], "int64"))
            old.init(role_maker.PaddleCloudRoleMaker(is_collective=True))
            opt = old.distributed_optimizer(fluid.optimizer.SGD(0.1), DistributedStrategy())
            opt.minimize(cost)
        rank, count, losses = old.worker_index(), old.worker_num(), []
        with fluid.scope_guard(fluid.Scope()):
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(old.startup_program)
            for step in range(STEPS):
                x, y = _batch(step, rank, count)
                losses.append(exe.run(old.main_program, {"x": x, "y": y}, [cost])[0].item())
            weight = np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor())
            if old.is_first_worker():
                old.save_persistables(exe, os.path.join(folder, "one"))
            out = np.zeros(1)
            old.all_reduce_worker([rank], out)
        return {"losses": losses, "weight": weight, "ranks": out.tolist()}
    finally:
        paddle.disable_static()
