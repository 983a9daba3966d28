"""Saved parameters and tables, read by other numbers of servers, and models for inference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.distributed import fleet
from tests.distributed.ps_runtime import jobs


def adam() -> Any:
    return paddle.optimizer.Adam(0.02, lazy_mode=True)


def trained(data: list, folder: Path | None = None, model: Path | None = None) -> Any:
    """Losses of training; saved at the end, or begun from what was saved."""
    with jobs.static() as (main, startup):
        loss, score = jobs.network()
        job = jobs.Job(0, 1, adam(), jobs.strategy_of("sync"), loss)
        exe = paddle.static.Executor()
        exe.run(startup)
        fleet.init_worker()
        losses = [float(exe.run(main, feed=b, fetch_list=[loss])[0].item()) for b in data]
        scores = None
        if folder is not None:
            fleet.save_persistables(exe, str(folder))
        if model is not None:
            fleet.save_inference_model(exe, str(model), ["a", "b", "dense"], [score])
            block = main.global_block()
            kept = block.ops
            block.ops = [op for op in kept if op.type not in ("send", "send_barrier", "recv")]
            main.note_change()
            scores = exe.run(main, feed=jobs.batches(1)[0], fetch_list=[score])[0]
        job.end()
        return losses, scores


@pytest.mark.parametrize("servers", [1, 2, 3])
def test_training_goes_on_with_other_servers(tmp_path: Path, servers: int) -> None:
    data = jobs.batches(12)
    whole, _ = trained(data)
    first, _ = trained(data[:6], tmp_path)
    files = {p.name for p in tmp_path.iterdir() if p.is_file()}
    assert files == {"fc_0.w_0", "fc_0.b_0", "fc_1.w_0", "fc_1.b_0"}
    assert sorted(p.name for p in (tmp_path / "version-1").iterdir()) == [
        "server-0-of-2", "server-1-of-2",
    ]  # fmt: skip
    rest = resumed(data[6:], tmp_path, servers)
    np.testing.assert_allclose(first + rest, whole, rtol=2e-6)


def resumed(data: list, folder: Path, servers: int) -> list[float]:
    with jobs.static() as (main, startup):
        loss, _ = jobs.network()
        job = jobs.Job(0, 1, adam(), jobs.strategy_of("sync"), loss, servers, str(folder))
        fleet.init_worker()
        exe = paddle.static.Executor()
        exe.run(startup)
        losses = [float(exe.run(main, feed=b, fetch_list=[loss])[0].item()) for b in data]
        job.end()
        return losses


def test_a_saved_model_runs_alone(tmp_path: Path) -> None:
    _, want = trained(jobs.batches(8), model=tmp_path / "model")
    config = paddle.inference.Config(str(tmp_path / "model"))
    predictor = paddle.inference.create_predictor(config)
    batch = jobs.batches(1)[0]
    for name in predictor.get_input_names():
        predictor.get_input_handle(name).copy_from_cpu(batch[name])
    predictor.run()
    got = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_tables_too_large_are_served(tmp_path: Path) -> None:
    before = paddle.get_flags("FLAGS_ps_join_limit")
    paddle.set_flags({"FLAGS_ps_join_limit": 0})
    try:
        with pytest.warns(UserWarning, match="DistributedInfer"):
            _, want = trained(jobs.batches(8), model=tmp_path)
    finally:
        paddle.set_flags(before)
    assert (tmp_path / "__model__").exists() and (tmp_path / "version-1").is_dir()
    with jobs.static() as (main, startup):
        loss, score = jobs.network()
        infer = fleet.utils.DistributedInfer(main, startup)
        job = jobs.Job(0, 1, adam(), jobs.strategy_of("async"), loss, 1, str(tmp_path))
        exe = paddle.static.Executor()
        infer.init_distributed_infer_env(exe, loss, dirname=str(tmp_path))
        program = infer.get_dist_infer_program()
        assert "distributed_lookup_table" in [op.type for op in program.global_block().ops]
        got = exe.run(program, feed=jobs.batches(1)[0], fetch_list=[score])[0]
        rows = job.runtime.job.client.stat()[0]["tables"]
        fleet.shrink(1)
        job.end()
    np.testing.assert_allclose(got, want, rtol=1e-5)
    assert rows


def test_not_connected(tmp_path: Path) -> None:
    with jobs.static() as (main, startup):
        loss, _ = jobs.network()
        job = jobs.Job(0, 1, adam(), jobs.strategy_of("sync"), loss)
        exe = paddle.static.Executor()
        exe.run(startup)
        with pytest.raises(RuntimeError, match="init_worker"):
            fleet.save_persistables(exe, str(tmp_path))
        exe.run(main, feed=jobs.batches(1)[0], fetch_list=[loss])  # connects by itself
        job.end()
        with pytest.raises(RuntimeError, match=r"after fleet\.stop_worker"):
            exe.run(main, feed=jobs.batches(1)[0], fetch_list=[loss])
        with pytest.raises(RuntimeError, match="server"):
            fleet.run_server()


def test_a_part_is_refused(tmp_path: Path) -> None:
    """What would be saved or loaded otherwise than asked for is not."""
    with jobs.static():
        loss, _ = jobs.network()
        fleet.init(
            fleet.UserDefinedRoleMaker(
                current_id=0, role=fleet.Role.SERVER, worker_num=1, server_endpoints=["127.0.0.1:1"]
            )
        )
        fleet.distributed_optimizer(adam(), jobs.strategy_of("sync")).minimize(loss)
        with pytest.raises(NotImplementedError, match="var_names"):
            fleet.init_server(str(tmp_path), var_names=["fc_0.w_0"])
        with pytest.raises(NotImplementedError, match="mode"):
            fleet.save_persistables(None, str(tmp_path), mode=1)


@pytest.mark.parametrize(("threshold", "left"), [(1, [0, 0]), (1.5, [10, 4]), (2, [10, 4])])
def test_shrink_drops_what_so_many_calls_passed_by(threshold: float, left: list) -> None:
    with jobs.static():
        loss, _ = jobs.network()
        job = jobs.Job(0, 1, adam(), jobs.strategy_of("async"), loss)
        exe = paddle.static.Executor()
        exe.run(paddle.static.default_startup_program())
        fleet.init_worker()
        trainer = job.runtime.job
        table, rows = trainer.plan.sparse[0].table, paddle.fluid.communicator.LargeScaleKV()
        found = []
        trainer.client.pull_sparse(table, np.arange(10))
        for _ in range(2):
            fleet.shrink(threshold)
            found.append(rows.size("words"))
            if found[-1]:
                trainer.client.pull_sparse(table, np.arange(4))
        assert found == left
        job.end()
