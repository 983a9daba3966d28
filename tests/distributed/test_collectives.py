"""Collectives of two and three processes: values, groups, and calls that do not fit together."""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
from paddle.core.rings import rings
from tests.distributed.ranks import RankError, Ranks

DTYPES = ["float16", "bfloat16", "float32", "float64", "int8", "uint8", "int32", "int64"]


@pytest.fixture(scope="module")
def job() -> Iterator[Ranks]:
    with Ranks(3) as started:
        yield started


def _reductions() -> dict[str, list]:
    rank, found = dist.get_rank(), {}
    for dtype in DTYPES:
        for op in ("SUM", "MAX", "MIN", "PROD", "AVG"):
            if op == "AVG" and "int" in dtype:
                continue
            x = paddle.to_tensor([rank + 1, 2, 3 - rank]).astype(dtype)
            dist.all_reduce(x, op=getattr(dist.ReduceOp, op))
            found[f"{dtype} {op}"] = [
                x.dtype == getattr(paddle, dtype),
                x.astype("float64").numpy().tolist(),
            ]
    return found


EXPECTED = {
    "SUM": [6, 6, 6], "MAX": [3, 2, 3], "MIN": [1, 2, 1], "PROD": [6, 8, 6], "AVG": [2, 2, 2],
}  # fmt: skip


def test_all_reduce(job: Ranks) -> None:
    for found in job.run(_reductions):
        for name, (same, values) in found.items():
            assert values == EXPECTED[name.split()[1]], name
            assert same, name


def _others() -> dict[str, Any]:
    rank, found = dist.get_rank(), {}
    x = paddle.to_tensor([rank, 10.0])
    dist.reduce(x, dst=1)
    found["reduce"] = x.numpy().tolist()
    x = paddle.to_tensor([[rank, 1, 2], [3, 4, 5]])
    dist.broadcast(x, src=2)
    found["broadcast"] = x.numpy().tolist()
    parts: list = ["before"]
    dist.all_gather(parts, paddle.to_tensor([rank * 2]))
    found["all_gather"] = [parts[0], *(p.numpy().tolist() for p in parts[1:])]
    x = paddle.zeros([2])
    given = [paddle.full([2], float(i)) for i in range(3)] if rank == 1 else None
    dist.scatter(x, given, src=1)
    found["scatter"] = x.numpy().tolist()
    got: list = []
    dist.alltoall([paddle.to_tensor([rank * 10 + i]) for i in range(3)], got)
    found["alltoall"] = [int(p) for p in got]
    if rank == 0:
        dist.send(paddle.to_tensor([7, 8]), dst=2)
    elif rank == 2:
        x = paddle.zeros([2], "int64")
        dist.recv(x, src=0)
        found["recv"] = x.numpy().tolist()
    x = paddle.to_tensor(np.arange(6.0).reshape(2, 3)).t()  # not contiguous
    dist.all_reduce(x)
    found["strided"] = x.numpy().tolist()
    x = paddle.to_tensor([True, rank == 1])
    dist.all_reduce(x, op=dist.ReduceOp.MIN)
    found["bool"] = x.numpy().tolist()
    x = paddle.to_tensor([1 + 2j * rank])
    dist.all_reduce(x)
    found["complex"] = complex(x.numpy()[0])
    x = paddle.zeros([0, 3])
    dist.all_reduce(x)
    found["empty"] = x.shape
    dist.barrier()
    return found


def test_the_other_collectives(job: Ranks) -> None:
    zero, one, two = job.run(_others)
    assert [r["reduce"] for r in (zero, one, two)] == [[0, 10], [3, 30], [2, 10]]
    for rank, found in enumerate((zero, one, two)):
        assert found["broadcast"] == [[2, 1, 2], [3, 4, 5]]
        assert found["all_gather"] == ["before", [0], [2], [4]]
        assert found["scatter"] == [rank, rank]
        assert found["alltoall"] == [rank, 10 + rank, 20 + rank]
        assert found["strided"] == [[0, 9], [3, 12], [6, 15]]
        assert found["bool"] == [True, False]
        assert found["complex"] == 3 + 6j
        assert found["empty"] == [0, 3]
    assert two["recv"] == [7, 8]


def _groups() -> list:
    rank = dist.get_rank()
    first, second = dist.new_group([0, 2]), dist.new_group([2, 1])
    found: list = [first.id, first.rank, second.rank, dist.get_group(first.id) is first]
    for group in (first, second):
        if group.is_member():
            x = paddle.to_tensor([10**rank])
            dist.all_reduce(x, group=group)
            dist.broadcast(x, src=2, group=group.id)
            found.append(int(x))
        else:
            with pytest.raises(RuntimeError, match=r"this process is not in Group\(id="):
                dist.all_reduce(paddle.ones([1]), group=group)
    with pytest.raises(ValueError, match=r"expected one of the processes \[0, 1, 2\].* 3"):
        dist.broadcast(paddle.ones([1]), src=3)
    return found


def test_groups(job: Ranks) -> None:
    found = job.run(_groups)
    first = found[0][0]
    assert [f[1:] for f in found] == [
        [0, -1, True, 101],
        [-1, 0, True, 110],
        [1, 1, True, 101, 110],
    ]
    assert all(f[0] == first for f in found)


def _ring_and_groups() -> tuple[int, int]:
    """A ring of the first two processes alone, then groups; the ring has to stay what it is."""
    env, number = dist.ParallelEnv(), 40
    if env.rank < 2:
        rings.connect(number, env.trainer_endpoints[:2], env.rank)
        ring = rings.get(number)
    group = dist.new_group([1, 2])
    if env.rank < 2:
        assert rings.get(number) is ring
    if env.rank == 1:
        with pytest.raises(ValueError, match=r"expected a number that is free.*ranks=\[1, 2\]"):
            rings.connect(group.id, env.trainer_endpoints[:2], env.rank)
    x = paddle.to_tensor([10**env.rank])
    if group.is_member():
        dist.all_reduce(x, group=group.id)
    return group.id, int(x)


def test_groups_beside_rings_of_programs(job: Ranks) -> None:
    assert job.run(_ring_and_groups) == [(41, 1), (41, 110), (41, 110)]


def _tape() -> list:
    """A reduction between a call and backward: the gradient is that of what was computed with."""
    x = paddle.to_tensor([3.0], stop_gradient=False)
    y = x * x
    z = y.detach()
    dist.all_reduce(y)
    dist.all_reduce(x)
    (x0,) = (paddle.to_tensor([3.0], stop_gradient=False),)
    loss = x0 * x0
    dist.all_reduce(x0)
    loss.backward()
    return [x.numpy().tolist(), y.numpy().tolist(), z.numpy().tolist(), x0.grad.numpy().tolist()]


def test_the_tape_keeps_what_it_saved(job: Ranks) -> None:
    for found in job.run(_tape):
        assert found[0] == [9.0] and found[1] == [27.0] and found[3] == [6.0]


def _different(what: str) -> str:
    rank = dist.get_rank()
    x = paddle.ones([2, 3]) * (rank + 1)
    before = x.numpy().tolist()
    try:
        if what == "operation" and rank == 1:
            dist.broadcast(x, src=0)
        elif what == "shape":
            dist.all_reduce(x if rank else x[:1])
        elif what == "dtype":
            dist.all_reduce(x if rank else x.astype("int32"))
        elif what == "root":
            dist.broadcast(x, src=min(rank, 1))
        elif what == "group":
            dist.new_group([0, 1] if rank else [0, 2])
        else:
            dist.all_reduce(x)
    except ValueError as error:
        assert x.numpy().tolist() == before
        return str(error)
    return "no error"


DIFFERENT = {
    "operation": ["ranks 0, 2: all_reduce([2, 3] float32, op=SUM)", "rank 1: broadcast([2, 3]"],
    "shape": ["rank 0: all_reduce([1, 3] float32", "ranks 1, 2: all_reduce([2, 3] float32"],
    "dtype": ["rank 0: all_reduce([2, 3] int32", "ranks 1, 2: all_reduce([2, 3] float32"],
    "root": ["rank 0: broadcast([2, 3] float32, src=0)", "ranks 1, 2: broadcast([2, 3]"],
    "group": ["rank 0: new_group(ranks=[0, 2])", "ranks 1, 2: new_group(ranks=[0, 1])"],
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_calls_that_differ_are_refused_on_every_rank(job: Ranks, what: str) -> None:
    for text in job.run(_different, what):
        assert all(part in text for part in DIFFERENT[what]), text
    assert job.run(_different, "nothing") == ["no error"] * 3  # and the group still works


def _bad() -> None:
    x, rank = paddle.ones([2]), dist.get_rank()
    with pytest.raises(ValueError, match="one Tensor for each of 3 processes, but received 1"):
        dist.alltoall([x], [])
    with pytest.raises(
        ValueError, match=r"all_reduce\(op\): ReduceOp.AVG is not defined for int64"
    ):
        dist.all_reduce(paddle.to_tensor([1]), op=dist.ReduceOp.AVG)
    with pytest.raises(ValueError, match=r"expected ReduceOp.SUM.*'sum'"):
        dist.all_reduce(x, op="sum")
    with pytest.raises(ValueError, match="expected the number of another process"):
        dist.send(x, dst=rank)
    with pytest.raises(RuntimeError, match="there is no group 99"):
        dist.all_reduce(x, group=99)


def test_bad_arguments(job: Ranks) -> None:
    job.run(_bad)


def _other_timeout() -> None:
    with pytest.warns(UserWarning, match=r"timeout=7\): .* before, with 60 s, which stays"):
        dist.init_parallel_env(timeout=7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dist.init_parallel_env()
        dist.init_parallel_env(timeout=60)


def test_a_timeout_that_comes_too_late(job: Ranks) -> None:
    job.run(_other_timeout)


def _listening() -> list[str]:
    """The addresses at which this process listens, by the kernel's table."""
    inodes = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    found = []
    for table in ("tcp", "tcp6"):
        with open(f"/proc/self/net/{table}", encoding="ascii") as file:
            for line in list(file)[1:]:
                fields = line.split()
                if fields[3] == "0A" and fields[9] in inodes:
                    found.append(fields[1].split(":")[0])
    return found


# As the kernel's tables write 127.0.0.1; gRPC listens there through a socket of IPv6.
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F"}


def test_nothing_listens_beyond_the_loopback(job: Ranks) -> None:
    for addresses in [*job.run(_listening), _listening()]:
        assert set(addresses) <= LOOPBACK, addresses


def _die_or_wait(victim: int) -> str:
    if dist.get_rank() == victim:
        os.kill(os.getpid(), signal.SIGKILL)
    begin = time.monotonic()
    try:
        dist.all_reduce(paddle.ones([4]))
    except OSError as error:
        return f"{time.monotonic() - begin:.1f}|{error}"
    return "no error"


def test_the_others_name_the_rank_that_died(job: Ranks) -> None:
    found = job.run_each(_die_or_wait, [(1,)] * 3, alive=True)
    assert found[1] == "exit status -9"
    for rank in (0, 2):
        text = found[rank]
        assert isinstance(text, str), text
        assert "rank 1 failed (exit status -9) while rank" in text
        assert f"rank {rank} was in all_reduce" in text


def _late(sleeper: int, sends: bool) -> str:
    from paddle.distributed import group

    name, rank = f"late{sends}", dist.get_rank()
    small = group.connected(name, [0, 1, 2], rank, "127.0.0.1", 1.0)
    if sends and rank == 0:
        small.send(paddle.ones([1])._buf, sleeper)
    if sends and rank == sleeper:
        small.recv(paddle.ones([1])._buf, 0)
    if rank == sleeper:
        time.sleep(3)
        return "slept"
    try:
        small.all_reduce(paddle.ones([4])._buf)
    except OSError as error:
        return str(error)
    return "no error"


@pytest.mark.slow
@pytest.mark.parametrize("sends", [False, True])
def test_a_rank_that_hangs_is_named_after_the_timeout(job: Ranks, sends: bool) -> None:
    found = job.run(_late, 2, sends)
    for rank in (0, 1):
        assert "rank 2 did not come to the call within 1 s while rank" in found[rank], found[rank]


@pytest.mark.slow
def test_the_harness_tells_what_ranks_raised() -> None:
    with Ranks(2) as job:
        with pytest.raises(RankError, match=r"rank 0:[\s\S]*ZeroDivisionError"):
            job.run(divmod, 1, 0)
        assert job.run(oversleep, 0.0) == [None, None]
        with pytest.raises(RankError, match=r"did not end in time; its stacks[\s\S]*oversleep"):
            job.run(oversleep, timeout=2)


def oversleep(seconds: float = 60.0) -> None:
    """Sleeps where a stack shows it."""
    time.sleep(seconds)
