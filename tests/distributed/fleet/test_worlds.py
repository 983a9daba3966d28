"""fleet.util between the workers, the servers and all processes, whatever place they meet at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
import paddle.distributed.fleet as fleet
from paddle.distributed import store
from paddle.distributed.fleet.base import worlds
from tests.distributed.fleet import training
from tests.distributed.ranks import Ranks


@pytest.fixture(scope="module")
def job() -> Iterator[Ranks]:
    """Two workers and one server more: which is which, each test says."""
    with Ranks(3) as started:
        yield started


def _role(**more: Any) -> Any:
    """Ranks 0 and 1 are workers, rank 2 is a server."""
    rank = dist.get_rank()
    endpoints = os.environ["PADDLE_TRAINER_ENDPOINTS"].split(",")
    role, index = (fleet.Role.WORKER, rank) if rank < 2 else (fleet.Role.SERVER, 0)
    return fleet.UserDefinedRoleMaker(
        current_id=index, role=role, worker_endpoints=endpoints[:2],
        server_endpoints=endpoints[2:], **more,
    )  # fmt: skip


def _exchanged() -> dict[str, Any]:
    """What comes out on this process, in its own world and in that of all."""
    rank, found = dist.get_rank(), {}
    for world in ("worker", "all") if fleet.is_worker() else ("server", "all"):
        fleet.util.barrier(world)
        numbers = np.array([[rank + 1, 10**15], [0, -rank]])
        for mode in ("sum", "max", "min"):
            found[f"{world} {mode}"] = fleet.util.all_reduce(numbers, mode, world).tolist()
        found[f"{world} gather"] = fleet.util.all_gather(rank, world)
        found[f"{world} floats"] = fleet.util.all_gather(rank / 2, world)
        found[f"{world} arrays"] = [a.tolist() for a in fleet.util.all_gather([rank, 7], world)]
    return found


BIG = 10**15
WORKER = {
    "worker sum": [[3, 2 * BIG], [0, -1]], "worker max": [[2, BIG], [0, 0]],
    "worker min": [[1, BIG], [0, -1]], "worker gather": [0, 1], "worker floats": [0.0, 0.5],
    "worker arrays": [[0, 7], [1, 7]],
}  # fmt: skip
SERVER = {
    "server sum": [[3, BIG], [0, -2]], "server max": [[3, BIG], [0, -2]],
    "server min": [[3, BIG], [0, -2]], "server gather": [2], "server floats": [1.0],
    "server arrays": [[2, 7]],
}  # fmt: skip
ALL = {
    "all sum": [[6, 3 * BIG], [0, -3]], "all max": [[3, BIG], [0, 0]],
    "all min": [[1, BIG], [0, -2]], "all gather": [0, 1, 2], "all floats": [0.0, 0.5, 1.0],
    "all arrays": [[0, 7], [1, 7], [2, 7]],
}  # fmt: skip
EXPECTED = [{**WORKER, **ALL}, {**WORKER, **ALL}, {**SERVER, **ALL}]


def _at_the_launchers_store() -> dict[str, Any]:
    fleet.init(_role())
    return _exchanged()


def test_the_launchers_store(job: Ranks) -> None:
    assert job.run(_at_the_launchers_store) == EXPECTED


def _at_a_file(folder: str) -> dict[str, Any]:
    fleet.init(_role(init_gloo=True, path=folder))
    return _exchanged()


def test_a_folder(job: Ranks, tmp_path: Path) -> None:
    assert job.run(_at_a_file, str(tmp_path / "meeting")) == EXPECTED


def _at_a_served_store(endpoint: str) -> dict[str, Any]:
    """Roles and meeting place from variables, as in a cloud."""
    rank, before = dist.get_rank(), dict(os.environ)
    workers = os.environ["PADDLE_TRAINER_ENDPOINTS"].split(",")[:2]
    server = os.environ["PADDLE_TRAINER_ENDPOINTS"].split(",")[2]
    ip, port = server.split(":")
    os.environ.update(
        PADDLE_WITH_GLOO="2", PADDLE_GLOO_RENDEZVOUS="3", PADDLE_GLOO_HTTP_ENDPOINT=endpoint,
        PADDLE_TRAINERS_NUM="2", PADDLE_TRAINER_ENDPOINTS=",".join(workers),
        PADDLE_PSERVERS_IP_PORT_LIST=server, POD_IP=ip, PADDLE_PORT=port,
        TRAINING_ROLE="TRAINER" if rank < 2 else "PSERVER",
    )  # fmt: skip
    del os.environ["PADDLE_JOB_STORE"]
    try:
        fleet.init(fleet.PaddleCloudRoleMaker())
        found = {f"{w} gather": fleet.util.all_gather(rank, w)
                 for w in (["worker", "all"] if rank < 2 else ["server", "all"])}  # fmt: skip
        fleet.util.barrier("all")
        return found
    finally:
        os.environ.clear()
        os.environ.update(before)


def test_a_served_store(job: Ranks) -> None:
    with store.listening_socket("127.0.0.1") as free:
        endpoint = f"127.0.0.1:{free.getsockname()[1]}"
    found = job.run(_at_a_served_store, endpoint)
    assert found == [{k: v for k, v in e.items() if "gather" in k} for e in EXPECTED]


def _collective() -> dict[str, Any]:
    fleet.init(is_collective=True)
    rank = fleet.worker_index()
    fleet.barrier_worker()
    found: dict[str, Any] = {
        "num": fleet.worker_num(), "first": fleet.is_first_worker(),
        "shard": fleet.util.get_file_shard(["a", "b", "c", "d"]),
        "sum": fleet.util.all_reduce([rank, 1.5]).tolist(),
        "acc": fleet.metrics.acc(np.array([float(rank)]), np.array([2.0])),
        "max": fleet.metrics.max(np.array([[rank]])).tolist(),
    }  # fmt: skip
    pos, neg = np.zeros((1, 4), "int64"), np.zeros((1, 4), "int64")
    pos[0, rank + 1], neg[0, rank] = 2, 3
    found["auc"] = fleet.metrics.auc(pos, neg)
    x = paddle.to_tensor([float(rank)])
    dist.all_reduce(x)
    found["ring"] = float(x)
    try:
        fleet.util.barrier("server")
    except RuntimeError as error:
        found["server"] = "not one of the servers" in str(error)
    return found


def test_a_collective_job(job: Ranks) -> None:
    pos, neg = np.array([[0, 2, 2, 2]]), np.array([[3, 3, 3, 0]])
    fleet.init(is_collective=True)
    common = {"num": 3, "sum": [3.0, 4.5], "acc": 0.5, "max": [[2]], "ring": 3.0, "server": True,
              "auc": fleet.metrics.auc(pos, neg)}  # fmt: skip
    shards = [["a", "b"], ["c"], ["d"]]
    for rank, found in enumerate(job.run(_collective)):
        assert found == {**common, "first": rank == 0, "shard": shards[rank]}


def _equal(ranks: list[dict[str, Any]], one: dict[str, Any]) -> None:
    """Three ranks give together what one process gives with the joined batch."""
    mean = np.mean([found["losses"] for found in ranks], axis=0)
    np.testing.assert_allclose(mean, one["losses"], rtol=1e-6, atol=1e-6)
    for found in ranks:
        np.testing.assert_allclose(found["weight"], one["weight"], rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(found["weight"], ranks[0]["weight"])


def test_dynamic_training_equals_one_process(job: Ranks) -> None:
    _equal(job.run(training.dynamic), training.dynamic())


def test_a_program_equals_one_process(job: Ranks, tmp_path: Path) -> None:
    one = training.in_a_program(str(tmp_path / "one"))
    assert one["exchanges"] == 0 and one["saved"]
    found = job.run(training.in_a_program, str(tmp_path / "several"))
    _equal(found, one)
    assert [f["exchanges"] for f in found] == [6] * 3
    assert [f["saved"] for f in found] == [True, False, False]


def test_fleet_of_1x_equals_one_process(job: Ranks, tmp_path: Path) -> None:
    found = job.run(training.of_1x, str(tmp_path))
    _equal(found, training.of_1x(str(tmp_path)))
    assert [f["ranks"] for f in found] == [[3.0]] * 3


def _by_hand() -> list[Any]:
    """A collective role given by hand, where no variable says so."""
    endpoints = os.environ["PADDLE_TRAINER_ENDPOINTS"].split(",")
    role = fleet.UserDefinedRoleMaker(
        is_collective=True, current_id=dist.get_rank(), worker_endpoints=endpoints
    )
    for name in ("PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM", "PADDLE_TRAINER_ENDPOINTS"):
        del os.environ[name]
    fleet.init(role)
    return [dist.get_rank(), dist.get_world_size(), fleet.util.all_gather(dist.get_rank())]


def test_a_collective_role_by_hand(job: Ranks) -> None:
    assert job.run(_by_hand) == [[rank, 3, [0, 1, 2]] for rank in range(3)]


def _at_the_first_worker(endpoints: list[str]) -> Any:
    """Roles by hand, and nothing in the environment: the first worker keeps the store."""
    before, stores = dict(os.environ), store._opened
    for name in ("PADDLE_JOB_STORE", "PADDLE_JOB_TOKEN", "PADDLE_TRAINER_ENDPOINTS"):
        del os.environ[name]
    store._opened = {}
    rank = int(os.environ["PADDLE_TRAINER_ID"])
    role, index = (fleet.Role.WORKER, rank) if rank < 2 else (fleet.Role.SERVER, 0)
    try:
        fleet.init(
            fleet.UserDefinedRoleMaker(
                current_id=index, role=role, worker_endpoints=endpoints[:2],
                server_endpoints=endpoints[2:],
            )
        )  # fmt: skip
        return fleet.util.all_gather(rank) if fleet.is_worker() else None
    finally:
        store._opened = stores
        os.environ.update(before)


def test_the_first_worker_keeps_the_store(job: Ranks) -> None:
    opened = [store.listening_socket("127.0.0.1") for _ in range(3)]
    endpoints = [f"127.0.0.1:{s.getsockname()[1]}" for s in opened]
    for s in opened:
        s.close()
    assert job.run(_at_the_first_worker, endpoints) == [[0, 1], [0, 1], None]


def _again(folder: str) -> str:
    """A second life at the same place, as after a restart of one process alone."""
    fleet.init(_role(init_gloo=True, path=folder))
    fleet.util.barrier("all")
    for key in [key for key in worlds._connections if key[0] == folder]:
        del worlds._connections[key]
    fleet.init(_role(init_gloo=True, path=folder))
    try:
        fleet.util.barrier("all")
    except RuntimeError as error:
        return str(error)
    return "nothing was said"


def test_a_second_life_is_told(job: Ranks, tmp_path: Path) -> None:
    for text in job.run(_again, str(tmp_path / "again")):
        assert "has connected to the others before" in text


def _different() -> None:
    fleet.init(_role())
    fleet.util.all_reduce(np.zeros(2 + dist.get_rank()), "sum", "all")


def test_different_shapes(job: Ranks) -> None:
    for error in job.run_each(_different, [()] * 3, alive=True):
        assert isinstance(error, ValueError)
        assert "rank 0: all_reduce([2] float64" in str(error)


def _contradicting() -> None:
    role = fleet.UserDefinedRoleMaker(
        is_collective=True, current_id=0, worker_endpoints=["127.0.0.1:1", "127.0.0.1:2"]
    )
    fleet.init(role)


def test_a_role_that_contradicts_the_environment(job: Ranks) -> None:
    for error in job.run_each(_contradicting, [()] * 3, alive=True):
        assert isinstance(error, ValueError)
        assert "worker 0 of 2, but the environment says" in str(error)


def _late(folder: str) -> str:
    """The server does not come; nothing but the folder says where processes meet."""
    before = dict(os.environ)
    for name in ("PADDLE_JOB_STORE", "PADDLE_JOB_TOKEN"):
        del os.environ[name]
    stores, store._opened = store._opened, {}
    try:
        paddle.set_flags({"FLAGS_dist_timeout": 4.0})
        fleet.init(_role(init_gloo=True, path=folder))
        fleet.util.barrier("all")
        if fleet.is_worker():
            fleet.util.barrier("all")
        return "nobody was late"
    except OSError as error:
        return str(error)
    finally:
        paddle.set_flags({"FLAGS_dist_timeout": 1800.0})
        store._opened = stores
        os.environ.update(before)


@pytest.mark.slow
def test_one_is_late(job: Ranks, tmp_path: Path) -> None:
    told = job.run(_late, str(tmp_path / "late"), timeout=60)
    assert told[2] == "nobody was late"
    for text in told[:2]:
        assert "barrier" in text and ("within 4 s" in text or "closed the connection" in text)
