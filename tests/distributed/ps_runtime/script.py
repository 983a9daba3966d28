"""The MLP of the guide (6.2.2) with parameter servers, in smaller steps; run by the launcher."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np

import paddle
import paddle.distributed.fleet as fleet
import paddle.distributed.fleet.base.role_maker as role_maker

paddle.enable_static()
paddle.seed(3)


def mlp(input_x, input_y, hid_dim=128, label_dim=2):
    fc_1 = paddle.static.nn.fc(x=input_x, size=hid_dim, activation="tanh")
    fc_2 = paddle.static.nn.fc(x=fc_1, size=hid_dim, activation="tanh")
    prediction = paddle.static.nn.fc(x=[fc_2], size=label_dim, activation="softmax")
    cost = paddle.nn.functional.cross_entropy(prediction, input_y, use_softmax=False)
    return paddle.mean(x=cost)


MARK = Path(os.environ["PADDLE_LOG_DIR"]) / "kill"


def die_when_asked():
    while not MARK.exists():
        time.sleep(0.01)
    MARK.with_name("killed").touch()
    os.kill(os.getpid(), signal.SIGKILL)


rng = np.random.RandomState(int(os.environ.get("PADDLE_TRAINER_ID", 0)))


def gen_data():
    x = rng.random_sample((128, 32)).astype("float32") - 0.5
    return {"x": x, "y": (x.sum(1, keepdims=True) > 0).astype("int64")}


input_x = paddle.static.data(name="x", shape=[None, 32], dtype="float32")
input_y = paddle.static.data(name="y", shape=[None, 1], dtype="int64")
cost = mlp(input_x, input_y)
optimizer = paddle.optimizer.SGD(learning_rate=0.1)
role = role_maker.PaddleCloudRoleMaker()
fleet.init(role)
strategy = paddle.distributed.fleet.DistributedStrategy()
strategy.a_sync = sys.argv[1] != "sync"
optimizer = fleet.distributed_optimizer(optimizer, strategy)
optimizer.minimize(cost)
if fleet.is_server():
    fleet.init_server()
    if "kill" in sys.argv and fleet.server_index() == 0 and not MARK.exists():
        threading.Thread(target=die_when_asked, daemon=True).start()
    fleet.run_server()
elif fleet.is_worker():
    place = paddle.CPUPlace()
    exe = paddle.static.Executor(place)
    exe.run(paddle.static.default_startup_program())
    fleet.init_worker()
    costs = []
    for step in range(150):
        if step == 50 and "kill" in sys.argv and fleet.is_first_worker():
            MARK.touch()
        cost_val = exe.run(
            program=paddle.static.default_main_program(), feed=gen_data(), fetch_list=[cost.name]
        )
        costs.append(cost_val[0].item())
        if strategy.a_sync:
            time.sleep(0.01)  # steps of real networks are longer than the way to a server
    first, last = np.mean(costs[:10]), np.mean(costs[-20:])
    print(f"worker_index: {fleet.worker_index()}, cost {first:.4f} to {last:.6f}")
    # Nothing stops the worker, as in the guide.
