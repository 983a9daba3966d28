"""Training with parameter servers against one process, in all modes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import paddle
from tests.distributed.ps_runtime import jobs
from tests.distributed.ranks import Ranks

L2 = paddle.regularizer.L2Decay(0.01)
OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: paddle.optimizer.SGD(0.1, weight_decay=L2),
    "momentum": lambda: paddle.optimizer.Momentum(
        0.05, 0.9, grad_clip=paddle.nn.ClipGradByValue(0.05)
    ),
    "adagrad": lambda: paddle.optimizer.Adagrad(0.05, initial_accumulator_value=0.1),
    "adam": lambda: paddle.optimizer.Adam(0.01, lazy_mode=True),
    "adamax": lambda: paddle.optimizer.Adamax(0.01),
    "rmsprop": lambda: paddle.optimizer.RMSProp(0.01, centered=True, momentum=0.9),
}


@pytest.fixture(scope="module")
def two() -> Iterator[Ranks]:
    with Ranks(2) as job:
        yield job


def half(rank: int, data: list) -> list:
    return [{k: v[rank::2] for k, v in batch.items()} for batch in data]


def run_rank(mode: str, name: str, count: int, order: str, more: dict) -> list[float]:
    rank = paddle.distributed.get_rank()
    data = half(rank, jobs.batches(count, 16))
    return jobs.train(mode, OPTIMIZERS[name], data, order, rank, 2, **more)


@pytest.mark.parametrize("order", ["worker first", "startup first"])
@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_one_trainer_equals_one_process(name: str, order: str) -> None:
    """With one trainer, sync mode is what one process does."""
    # On servers rows without a gradient keep their moments: there the table is a dense one.
    lookup = {"is_sparse": name not in ("adamax", "momentum", "rmsprop")}
    data = jobs.batches(12)
    got = jobs.train("sync", OPTIMIZERS[name], data, order, lookup=lookup)
    np.testing.assert_allclose(got, jobs.alone(OPTIMIZERS[name], data), rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_a_learning_rate_reaches_the_servers(name: str) -> None:
    data = jobs.batches(8)
    got = jobs.train("sync", OPTIMIZERS[name], data, slower=4)
    np.testing.assert_allclose(got, jobs.alone(OPTIMIZERS[name], data, 4), rtol=2e-6, atol=1e-6)


def test_a_learning_rate_before_the_servers_are_there() -> None:
    with jobs.static():
        loss, _ = jobs.network()
        job = jobs.Job(0, 1, OPTIMIZERS["sgd"](), jobs.strategy_of("sync"), loss)
        with pytest.raises(RuntimeError, match="init_worker"):
            paddle.distributed.fleet.set_lr(0.2)
        paddle.distributed.fleet.init_worker()
        job.end()


def test_two_trainers_in_step_equal_the_joined_batch(two: Ranks) -> None:
    parts = two.run(run_rank, "sync", "sgd", 20, "startup first", {})
    whole = jobs.alone(OPTIMIZERS["sgd"], jobs.batches(20, 16))
    np.testing.assert_allclose(np.mean(parts, 0), whole, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("mode", "more"),
    [
        ("async", {}),
        ("async", {"configs": {"max_merge_var_num": 4, "send_queue_size": 2,
                               "independent_recv_thread": True, "thread_pool_size": 2,
                               "min_send_grad_num_before_recv": 2, "send_wait_times": 2}}),
        ("async", {"half_async": True}),
        ("geo", {}),
    ],
)  # fmt: skip
def test_two_trainers_learn(two: Ranks, mode: str, more: dict) -> None:
    parts = two.run(run_rank, mode, "adagrad" if mode != "geo" else "sgd", 60, "worker first", more)
    for losses in parts:
        assert np.mean(losses[-10:]) < 0.5 * np.mean(losses[:5]), losses


def test_rows_by_any_id() -> None:
    """sparse_embedding takes ids beyond its size, and entries keep rare ids out."""
    entry = paddle.fluid.entry_attr.CountFilterEntry(100)

    def adam() -> Any:
        return paddle.optimizer.Adam(0.01)

    data = jobs.batches(6)
    for batch in data:
        batch["a"] = batch["a"] + (1 << 60)
    losses = jobs.train("async", adam, data, table=paddle.static.nn.sparse_embedding)
    assert np.isfinite(losses).all()
    rare = jobs.train("sync", adam, data, table=paddle.static.nn.sparse_embedding,
                      lookup={"entry": entry})  # fmt: skip
    assert rare[0] != losses[0]  # rows that are not let in are zeros


def test_schedules_go_on_at_the_servers() -> None:
    def optimizer() -> Any:
        return paddle.optimizer.SGD(paddle.optimizer.lr.ExponentialDecay(0.2, 0.5))

    def stepped() -> list[float]:
        with jobs.static() as (main, startup):
            loss, _ = jobs.network()
            scheduler = paddle.optimizer.lr.ExponentialDecay(0.2, 0.5)
            paddle.optimizer.SGD(scheduler).minimize(loss)
            exe = paddle.static.Executor()
            exe.run(startup)
            found = []
            for i, batch in enumerate(jobs.batches(9)):
                if i and i % 3 == 0:
                    scheduler.step()
                found.append(float(exe.run(main, feed=batch, fetch_list=[loss])[0].item()))
            return found

    got = jobs.train("sync", optimizer, jobs.batches(9), configs={"lr_decay_steps": 3})
    np.testing.assert_allclose(got, stepped(), rtol=2e-6)


def test_schedules_of_1x() -> None:
    def optimizer() -> Any:
        return paddle.fluid.optimizer.SGD(paddle.fluid.layers.exponential_decay(0.2, 2, 0.5, True))

    got = jobs.train("sync", optimizer, jobs.batches(6))
    np.testing.assert_allclose(got, jobs.alone(optimizer, jobs.batches(6)), rtol=2e-6)


@pytest.mark.parametrize(
    ("optimizer", "text"),
    [
        (lambda: paddle.optimizer.SGD(0.1, grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)),
         "ClipGradByGlobalNorm"),
        (lambda: paddle.optimizer.SGD(0.1, grad_clip=paddle.nn.ClipGradByNorm(1.0)),
         "ClipGradByNorm"),
        (lambda: paddle.optimizer.Lamb(0.1), "lamb"),
        (lambda: paddle.optimizer.SGD(paddle.optimizer.lr.ReduceOnPlateau(0.1)), "ReduceOnPlateau"),
    ],
)  # fmt: skip
def test_what_servers_cannot_do_is_named(optimizer: Callable, text: str) -> None:
    with pytest.raises(NotImplementedError, match=text):
        jobs.train("sync", optimizer, [])
