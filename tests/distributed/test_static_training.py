"""Programs that several processes train: two ranks equal one process with the joined batch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
import paddle.fluid as fluid
import paddle.static as static
from paddle.core.rings import rings
from tests.distributed import static_programs as programs
from tests.distributed.ranks import Ranks

DATA = Path(__file__).parents[1] / "data" / "distributed"
LOSS = "mean_0.tmp_0"  # of the Programs there


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


def _local(nrings: int) -> tuple:
    """Trains by LocalSGD."""
    rank = dist.get_rank()
    paddle.enable_static()
    try:
        main, startup, loss = programs.network("SGD", seed=1 + rank)
        where = programs.endpoints()
        fluid.transpiler.collective.LocalSGD(nrings).transpile(
            startup, main, rank, ",".join(where), where[rank], False
        )
        feeds = [programs.part(f, rank, 2) for f in programs.batches()]
        return programs.train(main, startup, loss, feeds)
    finally:
        paddle.disable_static()


def test_parameters_averaged_after_each_step(job: Ranks) -> None:
    """The mean of parameters after a step of SGD is a step along the mean of gradients."""
    results = job.run(_local, 1)
    programs.same(results, programs.alone("SGD"), 1e-5)


def _compiled(name: str, places: int, how: str) -> tuple:
    """Trains a CompiledProgram of two trainers with some places each."""
    rank = dist.get_rank()
    paddle.enable_static()
    try:
        main, startup, loss = programs.network(name, seed=1 + rank)
        build = static.BuildStrategy()
        build.num_trainers, build.trainer_id = 2, rank
        build.fuse_all_reduce_ops = how != "one by one"
        if how == "transpiled":
            where = programs.endpoints()
            way = fluid.transpiler.collective.GradAllReduce(1)
            way.transpile(startup, main, rank, where, where[rank], False)
            build.num_trainers = 1
        compiled = static.CompiledProgram(main).with_data_parallel(
            loss.name, build, places=static.cpu_places(places)
        )
        feeds = [programs.part(f, rank, 2) for f in programs.batches()]
        return programs.train(main, startup, loss, feeds, compiled)
    finally:
        paddle.disable_static()


@pytest.mark.parametrize(
    ("name", "places", "how"),
    [("SGD", 1, "fused"), ("Adam", 1, "one by one"), ("Momentum", 2, "fused"),
     ("Momentum", 2, "transpiled"), ("Adam", 1, "transpiled"), ("Clipped", 2, "fused")],
)  # fmt: skip
def test_compiled_programs_of_two_trainers(job: Ranks, name: str, places: int, how: str) -> None:
    programs.same(job.run(_compiled, name, places, how), programs.alone(name))


def _normalizing(places: int, trainers: int, batch: bool = False) -> tuple:
    """A network with batch norm; batch: the statistics of the whole batch."""
    rank = dist.get_rank() if trainers > 1 else 0
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        startup.random_seed = 1
        with paddle.utils.unique_name.guard(), static.program_guard(main, startup):
            x, y = static.data("x", [None, 6]), static.data("y", [None, 1])
            middle = static.nn.batch_norm(static.nn.fc(x, 5), act="relu")
            loss = paddle.mean(paddle.square(static.nn.fc(middle, 1) - y))
            paddle.optimizer.SGD(0.1).minimize(loss)
        build = static.BuildStrategy()
        build.num_trainers, build.sync_batch_norm = trainers, batch
        compiled = static.CompiledProgram(main).with_data_parallel(
            loss.name, build, places=static.cpu_places(places)
        )
        feeds = [programs.part(f, rank, trainers) for f in programs.batches(8)]
        return programs.train(main, startup, loss, feeds, compiled)
    finally:
        paddle.disable_static()


def test_batch_norm_over_places_and_processes(job: Ranks) -> None:
    expected = _normalizing(1, 1)
    programs.same([_normalizing(4, 1, True)], expected, 2e-5)
    programs.same(job.run(_normalizing, 1, 2, True), expected, 2e-5)
    programs.same(job.run(_normalizing, 2, 2, True), expected, 2e-5)
    assert not np.allclose(_normalizing(4, 1)[0], expected[0], rtol=1e-3)


# -- Programs that PaddlePaddle transpiled (scripts/oracle/collective_programs.py) ---------------

_ADDED = ("c_sync_calc_stream", "c_sync_comm_stream", "c_allreduce_sum", "c_broadcast",
          "c_gen_nccl_id", "c_comm_init", "c_gen_xccl_id", "coalesce_tensor", "depend")  # fmt: skip


def _read(version: str, rank: int) -> list[Any]:
    return [
        static.Program.parse_from_string((DATA / f"{version}_{name}_{rank}.pdmodel").read_bytes())
        for name in ("main", "startup")
    ]


def _from_file(version: str) -> tuple:
    rank = dist.get_rank()
    rings.register(1, rings.get(0))  # a CPU build of 1.8.5 leaves out what connects
    paddle.enable_static()
    try:
        feeds = [programs.part(f, rank, 2) for f in programs.batches()]
        return programs.train(*_read(version, rank), LOSS, feeds)
    finally:
        paddle.disable_static()


def _file_alone(version: str) -> tuple:
    """The same Program without what was added, with the joined batches."""
    paddle.enable_static()
    try:
        main, startup = _read(version, 0)
        for program in (main, startup):
            block = program.global_block()
            kept = [op for op in block.ops if op.type not in _ADDED]
            block.ops = [op for op in kept if op.type != "scale"]
        return programs.train(main, startup, LOSS, programs.batches())
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("version", ["1.8.5", "2.6.2", "fleet"])
def test_programs_of_paddlepaddle(job: Ranks, version: str) -> None:
    programs.same(job.run(_from_file, version), _file_alone(version))


# -- tables by rows --------------------------------------------------------------------------------


def _tables(name: str, processes: int) -> tuple:
    """Two tables, one of which is looked up twice; ranks have different numbers of rows."""
    rank = dist.get_rank() if processes > 1 else 0
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        startup.random_seed = 1
        with paddle.utils.unique_name.guard(), static.program_guard(main, startup):
            a, b = static.data("a", [None], "int64"), static.data("b", [None, 1], "int64")
            one = static.nn.embedding(a, [9, 3], is_sparse=True, param_attr="t1")
            other = static.nn.embedding(a + 1, [9, 3], is_sparse=True, param_attr="t1")
            two = fluid.layers.embedding(b, [7, 2], is_sparse=True, param_attr="t2")
            found = paddle.concat([one * other, two], axis=1)
            loss = paddle.sum(paddle.square(found - 1.0)) / 6.0
            programs.optimizer(name).minimize(loss)
        where = programs.endpoints()
        if processes > 1:
            way = fluid.transpiler.collective.GradAllReduce(1)
            way.transpile(startup, main, rank, where, where[rank], False)
            for op in main.global_block().ops:  # the loss is a sum already
                if op.type == "scale" and op.input("X") == op.output("Out"):
                    op._set_attr("scale", 1.0)
        rng = np.random.RandomState(2)
        feeds = []
        for _ in range(6):
            whole = {"a": rng.randint(0, 8, 6), "b": rng.randint(0, 7, (6, 1))}
            cuts = {n: np.split(v, [2])[rank] for n, v in whole.items()}
            feeds.append(cuts if processes > 1 else whole)
        exe = static.Executor(paddle.CPUPlace())
        plan = exe.plan(main, ("a", "b"), [loss.name])
        types = [op.type for op in plan.program.global_block().ops]
        losses, params = programs.train(main, startup, loss, feeds)
        return [processes * v for v in losses], params, types
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("name", ["SGD", "Momentum"])
def test_tables_by_rows(job: Ranks, name: str) -> None:
    results = job.run(_tables, name, 2)
    expected = _tables(name, 1)
    programs.same([r[:2] for r in results], expected[:2], 1e-5)
    for *_, types in results:
        assert types.count("gather_rows") == 1 and "exchange_begin" not in types
        assert ("rows_update" in types) == (name == "SGD")
