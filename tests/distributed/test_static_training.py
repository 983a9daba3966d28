"""Programs that several processes train: two ranks equal one process with the joined batch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import paddle
import paddle.distributed as dist
import paddle.fluid as fluid
from tests.distributed import static_programs as programs
from tests.distributed.ranks import Ranks


@pytest.fixture(scope="module")
def job() -> Iterator[Ranks]:
    with Ranks(2) as started:
        yield started


def _transpiled(name: str, nrings: int) -> tuple:
    """Trains by GradAllReduce; rank 1 begins with other values, which the broadcast replaces."""
    rank = dist.get_rank()
    paddle.enable_static()
    try:
        main, startup, loss = programs.network(name, seed=1 + rank)
        where = programs.endpoints()
        way = fluid.transpiler.collective.GradAllReduce(nrings)
        way.transpile(startup, main, rank, where, where[rank], False)
        feeds = [programs.part(f, rank, 2) for f in programs.batches()]
        return programs.train(main, startup, loss, feeds)
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("name", ["SGD", "Momentum", "Adam", "Clipped"])
def test_grad_all_reduce(job: Ranks, name: str) -> None:
    results = job.run(_transpiled, name, 1 if name == "SGD" else 2)
    programs.same(results, programs.alone(name))
