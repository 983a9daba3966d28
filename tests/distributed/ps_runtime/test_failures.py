"""What fails while a trainer exchanges with servers comes to its script, which goes on or ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import paddle
from paddle.core.errors import ExecutionTimeoutError, ExternalError
from paddle.core.selected_rows import Rows
from paddle.distributed import fleet
from paddle.distributed.ps import communicator, transpiled
from paddle.distributed.ps.client import Client
from paddle.distributed.ps.server import Server
from paddle.distributed.ps.spec import TableSpec
from tests.distributed.ps_runtime import jobs
from tests.distributed.ps_runtime.test_transpiled import free_port


def within(seconds: float, function: Callable[[], Any]) -> Any:
    """What a function raises, or None; it has to end soon."""
    found: list[Any] = []

    def run() -> None:
        try:
            function()
            found.append(None)
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert found, f"did not end within {seconds} s"
    return found[0]


class Away:
    """A client whose pushes fail."""

    def __init__(self) -> None:
        self.tries = 0

    def push_many(self, requests: list, **more: Any) -> None:
        self.tries += 1
        raise ExternalError("server 0 is away")

    def flush(self) -> None:
        pass


@pytest.mark.parametrize("ends", ["flush", "stop", "send"])
def test_a_push_that_fails_is_raised(ends: str) -> None:
    table = SimpleNamespace(name="words", table=0)
    plan: Any = SimpleNamespace(groups=[], sparse=[table], mode="async", scheduled=False)
    client = Away()
    exchange: Any = communicator.exchange_of(plan, client, {"send_queue_size": 2})
    grad = Rows(torch.zeros(1, dtype=torch.int64), torch.ones(1, 4), 10)

    def train() -> None:
        for _ in range(1 if ends != "send" else 10):
            exchange.send_rows(table, grad)
        while ends == "stop" and not client.tries:
            time.sleep(0.001)
        getattr(exchange, ends if ends != "send" else "flush")()

    assert isinstance(within(5, train), ExternalError)
    assert isinstance(within(5, exchange.stop), ExternalError)  # and threads have ended
    assert not exchange._threads


SAYS = """
import paddle
from paddle.distributed.ps.client import Client
Client.stop = lambda self, timeout=None: print("left")  # at exit a server in a thread is no more
"""
FLEET = """
from tests.distributed.ps_runtime import jobs
with jobs.static() as (main, startup):
    loss, _ = jobs.network()
    job = jobs.Job(0, 1, paddle.optimizer.SGD(0.1), jobs.strategy_of("sync"), loss)
    paddle.distributed.fleet.init_worker()
    exe = paddle.static.Executor()
    exe.run(startup)
    for batch in jobs.batches(2):
        exe.run(main, feed=batch)
"""
TRANSPILED = """
from tests.distributed.ps_runtime import test_transpiled as jobs
paddle.enable_static()
servers = [f"127.0.0.1:{jobs.free_port()}"]
made, startup, loss = jobs.cut("sgd", servers, 0, 1)
running = jobs.Serving(*made.get_pserver_programs(servers[0]))
made, startup, loss = jobs.cut("sgd", servers, 0, 1)
jobs.losses_of(made.get_trainer_program(), startup, loss, jobs.data()[:2])
"""


@pytest.mark.parametrize("script", [FLEET, TRANSPILED], ids=["fleet", "transpiled"])
@pytest.mark.parametrize("crash", [False, True])
def test_who_crashes_does_not_say_that_it_left(script: str, crash: bool) -> None:
    """Else servers would end, or go on without it, as if all were well."""
    done = subprocess.run([sys.executable, "-c", SAYS + script + "1 / 0\n" * crash],
                          cwd=Path(__file__).parents[3], capture_output=True, text=True,
                          timeout=100)  # fmt: skip
    assert (done.returncode != 0) == crash, done.stderr
    assert ("left" in done.stdout) != crash, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("pushes", [False, True])
def test_who_leaves_tells_all_servers(pushes: bool) -> None:
    """Also where one of them is away, or a push failed."""
    tables = [TableSpec(i, f"t{i}", "dense", 2, server=i) for i in range(2)]
    servers = [Server("127.0.0.1:0", tables, server=i, servers=2) for i in range(2)]
    for server in servers:
        server.start()
    client = Client([s.endpoint for s in servers], deadline=1.0)
    client.push_dense(0, np.ones(2, np.float32))
    servers[0].stop()
    if pushes:
        client.push_dense(0, np.ones(2, np.float32), wait=False)
    with pytest.raises(ExternalError, match="server 0"):
        client.stop()
    assert servers[1].wait(5)
    servers[1].stop()


def test_who_leaves_tells_all_servers_of_a_transpiled_program(monkeypatch: Any) -> None:
    told: list[str] = []
    trainer = transpiled.NamedTrainer(0)
    for name in ("a", "b", "c"):

        def stop(name: str = name) -> None:
            told.append(name)
            if name == "a":
                raise ExternalError("a is away")

        trainer._clients[name] = SimpleNamespace(stop=stop)
    monkeypatch.setattr(transpiled, "_trainers", [trainer])
    with pytest.raises(ExternalError, match="a is away"):
        transpiled.close_all()
    assert told == ["a", "b", "c"]


KILLED = """
import os, signal, sys
from tests.distributed.ps_runtime import jobs, test_failures
with jobs.static() as (main, startup):
    exe, loss = test_failures.joined(1, sys.argv[1], sys.argv[2])
    for batch in jobs.batches(3, seed=1):
        exe.run(main, feed=batch)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def joined(rank: int, mode: str, endpoint: str, servers: list | None = None) -> tuple[Any, Any]:
    """One of two trainers, ready to train; the first one starts the server."""
    loss, _ = jobs.network()
    fleet.init(
        fleet.UserDefinedRoleMaker(
            current_id=rank, role=fleet.Role.WORKER, worker_num=2, server_endpoints=[endpoint]
        )
    )
    sgd = paddle.optimizer.SGD(0.1)
    fleet.distributed_optimizer(sgd, jobs.strategy_of(mode)).minimize(loss)
    if servers is not None:
        plan = fleet.fleet._started("test").plan
        servers.append(Server(endpoint, plan.tables, 2, plan.server_mode))
        servers[0].start()
    exe = paddle.static.Executor()
    exe.run(paddle.static.default_startup_program())
    fleet.init_worker()
    return exe, loss


@pytest.mark.parametrize("mode", ["async", "sync"])
def test_a_trainer_that_is_killed(mode: str) -> None:
    """Without steps in common the other goes on; else the barrier names who is missing."""
    endpoint = f"127.0.0.1:{free_port()}"
    servers: list[Server] = []
    command = [sys.executable, "-c", KILLED, mode, endpoint]
    child = subprocess.Popen(command, cwd=Path(__file__).parents[3])
    before = paddle.get_flags("FLAGS_rpc_deadline")
    try:
        with jobs.static() as (main, _):
            exe, loss = joined(0, mode, endpoint, servers)
            whole = jobs.batches(6)
            for batch in whole[:3]:
                exe.run(main, feed=batch)
            assert child.wait(60) == -signal.SIGKILL
            paddle.set_flags({"FLAGS_rpc_deadline": 2000})
            if mode == "sync":
                with pytest.raises(ExecutionTimeoutError, match=r"trainer\(s\) 1 of 2"):
                    exe.run(main, feed=whole[3])
            else:
                for batch in whole[3:]:
                    assert np.isfinite(exe.run(main, feed=batch, fetch_list=[loss])[0]).all()
            fleet.stop_worker()
            assert not servers[0].wait(0.2)  # it may come back
    finally:
        paddle.set_flags(before)
        child.kill()
        for server in servers:
            server.stop()
