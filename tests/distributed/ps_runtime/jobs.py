"""Jobs with parameter servers for tests: trainers are ranks, servers are threads of rank 0."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import paddle
from paddle.distributed import fleet, store
from paddle.distributed.ps.server import Server
from paddle.executor.scope import switch_scope

SLOW = 0.004  # a learning rate
_count = [0]
_running: list[Server] = []  # those that a failed test left


@contextmanager
def static() -> Iterator[tuple[Any, Any]]:
    """Static mode with new Programs, names and a scope of its own."""
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    main.random_seed = startup.random_seed = 7
    before = switch_scope(paddle.static.Scope())
    try:
        with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
            yield main, startup
    finally:
        switch_scope(before)
        paddle.disable_static()


def network(table: Any = None, **lookup: Any) -> Any:
    """Two slots of ids and some numbers; returns the loss and the score."""
    ids = [paddle.static.data(n, [None, 1], "int64") for n in ("a", "b")]
    dense = paddle.static.data("dense", [None, 3])
    label = paddle.static.data("label", [None, 1])
    start = paddle.nn.initializer.Constant(0.05)
    # Servers decay the rows that have a gradient, one process all: not here.
    attr = paddle.ParamAttr("words", start, regularizer=paddle.regularizer.L2Decay(0.0))
    make = table or paddle.static.nn.embedding
    told = lookup or ({} if table else {"is_sparse": True})
    rows = [paddle.reshape(make(i, [50, 4], param_attr=attr, **told), [-1, 4]) for i in ids]
    hidden = paddle.static.nn.fc(paddle.concat([*rows, dense], 1), 8, activation="tanh")
    score = paddle.static.nn.fc(hidden, 1)
    return paddle.mean(paddle.nn.functional.square_error_cost(score, label)), score


def batches(count: int, size: int = 8, seed: int = 0) -> list[dict[str, np.ndarray]]:
    """Records whose label follows from the ids and numbers."""
    rng = np.random.RandomState(seed)
    worth = np.random.RandomState(5).randn(50).astype("float32")
    found = []
    for _ in range(count):
        a, b = rng.randint(0, 50, (2, size, 1))
        dense = rng.rand(size, 3).astype("float32")
        label = (worth[a] + worth[b] + dense.sum(1, keepdims=True)).astype("float32") / 3
        found.append({"a": a, "b": b, "dense": dense, "label": label})
    return found


def strategy_of(mode: str, **configs: Any) -> Any:
    """The strategy of a mode."""
    made = fleet.DistributedStrategy()
    made.a_sync = mode != "sync"
    if mode == "geo":
        configs.setdefault("k_steps", 4)
    if configs:
        made.a_sync_configs = configs
    return made


class Job:
    """One trainer of a job whose servers are threads of rank 0."""

    def __init__(
        self, rank: int, trainers: int, optimizer: Any, strategy: Any, loss: Any,
        servers: int = 2, model: str | None = None, half_async: bool = False,
    ) -> None:  # fmt: skip
        _count[0] += 1
        endpoints = [f"127.0.0.1:{i + 1}" for i in range(servers)]
        fleet.init(
            fleet.UserDefinedRoleMaker(
                current_id=rank, role=fleet.Role.WORKER, worker_num=trainers,
                server_endpoints=endpoints,
            )
        )  # fmt: skip
        wrapped = fleet.distributed_optimizer(optimizer, strategy)
        self.runtime = fleet.fleet._started("test")
        self.runtime.half_async = half_async
        wrapped.minimize(loss)
        self.servers: list[Server] = []
        for left in _running:
            left.stop()
        _running.clear()
        key, plan = f"ps/{_count[0]}", self.runtime.plan
        if rank == 0:
            token = store.token()
            for i in range(servers):
                made = Server("127.0.0.1:0", plan.tables, trainers, plan.server_mode, token,
                              server=i, servers=servers)  # fmt: skip
                if model is not None:
                    made.load(model)
                made.start()
                self.servers.append(made)
                _running.append(made)
            told = json.dumps([s.endpoint for s in self.servers])
            if trainers > 1:
                store.job_store().set(key, told)
        else:
            told = store.job_store().get(key).decode()
        self.runtime.job.endpoints = json.loads(told)

    def end(self) -> None:
        """Leaves; rank 0 waits for the servers, which wait for all trainers."""
        fleet.stop_worker()
        for server in self.servers:
            assert server.wait(60)
            server.stop()
            _running.remove(server)


def train(
    mode: str, optimizer: Callable[[], Any], data: list, order: str = "worker first",
    rank: int = 0, trainers: int = 1, table: Any = None, lookup: dict | None = None,
    slower: int = -1, **more: Any,
) -> list[float]:  # fmt: skip
    """Trains one trainer's part and returns its losses; ``slower``: from this step with SLOW."""
    with static() as (main, startup):
        loss, _ = network(table, **(lookup or {}))
        job = Job(rank, trainers, optimizer(), strategy_of(mode, **more.pop("configs", {})), loss,
                  **more)  # fmt: skip
        exe = paddle.static.Executor()
        if order == "worker first":
            fleet.init_worker()
            exe.run(startup)
        else:
            exe.run(startup)
            fleet.init_worker()
        losses = []
        for step, batch in enumerate(data):
            if step == slower:
                fleet.set_lr(SLOW)
            losses.append(float(exe.run(main, feed=batch, fetch_list=[loss])[0].item()))
            if mode == "async":
                time.sleep(0.01)  # steps of real networks are longer than the way to a server
        job.end()
        return losses


def alone(optimizer: Callable[[], Any], data: list, slower: int = -1) -> list[float]:
    """The same in one process without servers."""
    with static() as (main, startup):
        loss, _ = network()
        made = optimizer()
        made.minimize(loss)
        exe = paddle.static.Executor()
        exe.run(startup)
        losses = []
        for step, batch in enumerate(data):
            if step == slower:
                made.set_lr(SLOW)
            losses.append(float(exe.run(main, feed=batch, fetch_list=[loss])[0].item()))
        return losses
