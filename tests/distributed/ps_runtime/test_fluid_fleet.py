"""Fleet of 1.x with parameter servers: its strategies, and training by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.distributed.ps.server import Server
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.parameter_server import distribute_transpiler, pslib
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (
    distributed_strategy as strategies,
)
from tests.distributed.ps_runtime import jobs

Factory = strategies.StrategyFactory


def train(strategy: Any, batches: list) -> list[float]:
    with jobs.static():
        loss, _ = jobs.network()
        fleet = distribute_transpiler.DistributedTranspiler()
        fleet.init(
            role_maker.UserDefinedRoleMaker(
                0, role_maker.Role.WORKER, 1, ["127.0.0.1:1", "127.0.0.1:2"]
            )
        )
        fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), strategy).minimize(loss)
        runtime = fleet._fleet._runtime_handle
        servers = [
            Server("127.0.0.1:0", runtime.plan.tables, 1, runtime.plan.server_mode, server=i,
                   servers=2)
            for i in range(2)
        ]  # fmt: skip
        for server in servers:
            server.start()
        runtime.job.endpoints = [server.endpoint for server in servers]
        exe = fluid.Executor(fluid.CPUPlace())
        fleet.init_worker()
        exe.run(fleet.startup_program)
        found = [
            float(exe.run(fleet.main_program, feed=b, fetch_list=[loss])[0].item()) for b in batches
        ]
        table = fluid.communicator.LargeScaleKV()
        assert 0 < table.size("words") <= 50
        with pytest.raises(RuntimeError, match="'others'"):
            table.size("others")
        fleet.stop_worker()
        for server in servers:
            assert server.wait(30)
            server.stop()
        return found


def alone(batches: list) -> list[float]:
    return jobs.alone(lambda: fluid.optimizer.SGD(0.1), batches)


def transpiling(**told: Any) -> Any:
    config = fluid.DistributeTranspilerConfig()
    for name, value in told.items():
        setattr(config, name, value)
    return config


@pytest.mark.parametrize(
    "strategy",
    [None, Factory.create_sync_strategy(), Factory.create_half_async_strategy(), transpiling(),
     {"sync_mode": True}],
)  # fmt: skip
def test_one_trainer_in_step_equals_one_process(strategy: Any) -> None:
    batches = jobs.batches(8)
    np.testing.assert_allclose(train(strategy, batches), alone(batches), rtol=2e-6)


@pytest.mark.parametrize(
    "strategy", [Factory.create_async_strategy(), Factory.create_geo_strategy(3)]
)
def test_one_trainer_learns(strategy: Any) -> None:
    losses = train(strategy, jobs.batches(40))
    assert np.mean(losses[-8:]) < 0.6 * np.mean(losses[:4])


def test_strategies() -> None:
    geo = Factory.create_geo_strategy(7)
    assert geo.get_program_config().geo_sgd_need_push_nums == 7
    assert strategies.configs_of(geo) == (
        "geo", {"k_steps": 7, "send_wait_times": 5, "thread_pool_size": 5},
    )  # fmt: skip
    sync = Factory.create_sync_strategy()
    sync.set_trainer_runtime_config({"communicator_send_queue_size": "9"})
    assert sync.get_trainer_runtime_config().get_communicator_flags()[
        "communicator_send_queue_size"
    ] == "1"  # fmt: skip
    with pytest.raises(ValueError, match="no 'nothing'"):
        sync.set_program_config({"nothing": 1})
    with pytest.raises(TypeError, match="dict"):
        sync.set_build_strategy(3)
    with pytest.raises(NotImplementedError, match="StrategyFactory"):
        strategies.DistributedStrategy().check_program_config()
    assert "TrainerRuntimeConfig Overview" in repr(sync.get_trainer_runtime_config())
    with jobs.static(), pytest.raises(TypeError, match="StrategyFactory"):
        distribute_transpiler.fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), 3)


SPLIT = {"sync_mode": False, "runtime_split_send_recv": True}


@pytest.mark.parametrize(
    ("told", "mode"),
    [
        ({}, "sync"), ({"geo_sgd_mode": True}, "sync"), ({"sync_mode": False}, "half_async"),
        ({"sync_mode": False, "geo_sgd_mode": True}, "half_async"), (SPLIT, "async"),
        ({**SPLIT, "half_async": True}, "half_async"),
        ({**SPLIT, "geo_sgd_mode": True, "geo_sgd_need_push_nums": 7}, "geo"),
    ],
)  # fmt: skip
def test_a_config_says_the_mode_as_in_185(told: dict, mode: str) -> None:
    config = transpiling(**told, min_block_size=77)
    for given in (config, config, {**told, "min_block_size": 77}):
        with jobs.static():
            sgd = fluid.optimizer.SGD(0.1)
        strategy = distribute_transpiler.TranspilerOptimizer(sgd, given)._strategy
        got, configs = strategies.configs_of(strategy)
        assert got == mode and configs.get("k_steps") == (7 if mode == "geo" else None)
        assert strategy.get_program_config().min_block_size == 77


def test_what_pslib_needs() -> None:
    with pytest.raises(NotImplementedError, match="MPI"):
        pslib.fleet.init()
