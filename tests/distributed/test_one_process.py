"""paddle.distributed in one process: who it is, and collectives of one."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
from paddle.distributed import c10d, staged


@pytest.fixture
def x() -> paddle.Tensor:
    return paddle.to_tensor([1.0, 2.0])


# -- who the process is ----------------------------------------------------------------------------


def test_a_process_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM", "PADDLE_TRAINER_ENDPOINTS"):
        monkeypatch.delenv(name, raising=False)
    assert (dist.get_rank(), dist.get_world_size()) == (0, 1)
    env = paddle.distributed.ParallelEnv()
    assert (env.rank, env.local_rank, env.nranks, env.world_size) == (0, 0, 1, 1)
    assert (env.device_id, env.dev_id, env.nrings) == (0, 0, 1)
    assert (env.current_endpoint, env.trainer_endpoints) == ("", [""])
    with pytest.warns(UserWarning, match="training in one process does not support it"):
        assert dist.init_parallel_env() is None


def test_a_process_that_a_launcher_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    monkeypatch.setenv("PADDLE_TRAINER_ENDPOINTS", "a:1,b:2")
    monkeypatch.setenv("PADDLE_CURRENT_ENDPOINT", "b:2")
    monkeypatch.setenv("FLAGS_selected_gpus", "3,4")
    env = dist.ParallelEnv()
    assert (env.rank, env.world_size, env.device_id) == (1, 2, 3)
    assert (env.current_endpoint, env.trainer_endpoints) == ("b:2", ["a:1", "b:2"])
    for call in (dist.new_group, dist.barrier, lambda: dist.all_reduce(paddle.ones([1]))):
        with pytest.raises(RuntimeError, match=r"one of 2 processes[\s\S]*init_parallel_env"):
            call()


def test_an_environment_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_TRAINER_ID", "first")
    with pytest.raises(ValueError, match="PADDLE_TRAINER_ID: expected a number, but it is 'first'"):
        dist.get_rank()


CONTRADICTIONS = {
    "PADDLE_TRAINER_ID: expected a number from 0 to 1": {"PADDLE_TRAINER_ID": "2"},
    "PADDLE_TRAINER_ENDPOINTS: expected 2 addresses": {"PADDLE_TRAINER_ENDPOINTS": "127.0.0.1:1"},
    "PADDLE_CURRENT_ENDPOINT: expected '127.0.0.1:1'": {"PADDLE_CURRENT_ENDPOINT": "127.0.0.1:9"},
}


@pytest.mark.parametrize("told", CONTRADICTIONS)
def test_an_environment_that_contradicts_itself(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    good = {
        "PADDLE_TRAINER_ID": "0", "PADDLE_TRAINERS_NUM": "2",
        "PADDLE_TRAINER_ENDPOINTS": "127.0.0.1:1,127.0.0.1:2",
        "PADDLE_CURRENT_ENDPOINT": "127.0.0.1:1",
    }  # fmt: skip
    for name, value in {**good, **CONTRADICTIONS[told]}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=told):
        dist.init_parallel_env()


def test_a_limit_of_time_that_is_none() -> None:
    for bad in (0, -1, "soon", True):
        with pytest.raises(ValueError, match=r"init_parallel_env\(timeout\): expected a positive"):
            dist.init_parallel_env(timeout=bad)


def test_the_paths_that_client_libraries_use() -> None:
    from paddle.distributed.parallel import ParallelEnv, init_parallel_env

    assert ParallelEnv is dist.ParallelEnv and init_parallel_env is dist.init_parallel_env
    assert paddle.callbacks.ParallelEnv is ParallelEnv and paddle.device.ParallelEnv is ParallelEnv
    assert paddle.DataParallel is dist.DataParallel
    assert dist.split is not __import__("sys").modules["paddle.distributed.split"]


# -- collectives -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("op", ["SUM", "MAX", "MIN", "PROD"])
def test_reductions_of_one_value_are_the_value(dtype: str, op: str) -> None:
    value = paddle.to_tensor([1, 2], dtype)
    assert dist.all_reduce(value, op=getattr(dist.ReduceOp, op)) is None
    dist.reduce(value, 0, getattr(dist.ReduceOp, op), 0)
    dist.broadcast(value, 0)
    assert value.numpy().tolist() == [1, 2] and value.dtype == paddle.to_tensor([1], dtype).dtype


def test_gathered_values_are_copies(x: paddle.Tensor) -> None:
    got: list = []
    dist.all_gather(got, x)
    dist.alltoall([x * 3], got)
    x[0] = 9.0
    assert [t.numpy().tolist() for t in got] == [[1.0, 2.0], [3.0, 6.0]]


def test_scatter_writes_into_the_tensor(x: paddle.Tensor) -> None:
    weight = paddle.nn.Linear(2, 1).bias
    with paddle.no_grad():
        dist.scatter(weight, [paddle.to_tensor([5.0])], src=0)
    assert weight.numpy().tolist() == [5.0] and not weight.stop_gradient
    other = paddle.to_tensor([7.0, 8.0])
    dist.scatter(x, [other])
    other[0] = 0.0
    assert x.numpy().tolist() == [7.0, 8.0]


def test_groups(x: paddle.Tensor) -> None:
    group = dist.new_group([0])
    assert (group.ranks, group.nranks, group.rank, group.world_size) == ([0], 1, 0, 1)
    assert group.is_member() and group.get_group_rank(0) == 0 and group.get_group_rank(4) == -1
    assert dist.get_group(group.id) is group and dist.get_group(0) is dist.get_group()
    assert (dist.get_rank(group), dist.get_world_size(group)) == (0, 1)
    for chosen in (group, group.id, 0, None):
        dist.all_reduce(x, group=chosen)
        dist.barrier(chosen)
        dist.wait(x, chosen)
    assert dist.new_group().ranks == [0] and dist.new_group().id != group.id


BAD = [
    (lambda x: dist.reduce(x, 3), ValueError, r"reduce\(dst\): expected one of .*\[0\].* 3"),
    (lambda x: dist.broadcast(x, -1), ValueError, r"broadcast\(src\): .* received -1"),
    (lambda x: dist.broadcast(x, "0"), TypeError, r"broadcast\(src\): .* received '0'"),
    (lambda x: dist.scatter(x, [x], 1), ValueError, r"scatter\(src\): .* received 1"),
    (lambda x: dist.scatter(x, [x, x]), ValueError, r"scatter\(tensor_list\): .* 1 .* received 2"),
    (lambda x: dist.scatter(x), TypeError, r"scatter\(tensor_list\): .* received NoneType"),
    (lambda x: dist.scatter(x, [paddle.ones([3])]), ValueError, r"shape \[2\].* shape \[3\]"),
    (lambda x: dist.all_reduce(x, op=9), ValueError, r"all_reduce\(op\): .*ReduceOp.* received 9"),
    (lambda x: dist.all_reduce([1.0]), TypeError, r"all_reduce\(tensor\): .* received list"),
    (lambda x: dist.all_reduce(x.astype("int16")), TypeError, r"\(tensor\): .*float32.* int16"),
    (lambda x: dist.all_reduce(x, group="g"), TypeError, r"all_reduce\(group\): .* received 'g'"),
    (lambda x: dist.all_reduce(x, group=77), Exception, r"there is no group 77"),
    (lambda x: dist.all_gather(x, x), TypeError, r"all_gather\(tensor_list\): expected a list"),
    (lambda x: dist.alltoall([], []), ValueError, r"alltoall\(in_tensor_list\): .* received 0"),
    (lambda x: dist.alltoall([x], ()), TypeError, r"alltoall\(out_tensor_list\): .*tuple"),
    (lambda x: dist.send(x, 0), ValueError, r"send\(dst\): .* this process"),
    (lambda x: dist.recv(x, 1), ValueError, r"recv\(src\): .* received 1"),
    (lambda x: dist.wait(3), TypeError, r"wait\(tensor\): .* received int"),
    (lambda x: dist.new_group([0, 1]), ValueError, r"from 0 to 0, but received 1"),
    (lambda x: dist.new_group([0, 0]), ValueError, r"each process once, .*\[0, 0\]"),
    (lambda x: dist.new_group([]), ValueError, r"each process once"),
    (lambda x: dist.new_group(backend="mpi"), ValueError, r"'gloo', 'nccl' or None.*'mpi'"),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(BAD)))
def test_bad_arguments(case: int, x: paddle.Tensor) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call(x)


def test_programs_record_operators() -> None:
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            value = paddle.static.data("x", [2], "float32")
            got: list = []
            dist.all_reduce(value, op=dist.ReduceOp.MAX)
            dist.all_reduce(value, op=dist.ReduceOp.AVG)
            dist.reduce(value, dst=0)
            dist.broadcast(value, src=0)
            dist.all_gather(got, value)
            dist.scatter(value, [value], src=0)
            dist.alltoall([value], got)
            dist.barrier()
            dist.wait(value)
        types = [op.type for op in main.global_block().ops]
        assert types == [
            "c_allreduce_max", "c_allreduce_sum", "scale", "c_reduce_sum", "c_broadcast",
            "c_allgather", "concat", "c_scatter", "concat", "alltoall", "fill_constant", "barrier",
        ]  # fmt: skip
        exe = paddle.static.Executor(paddle.CPUPlace())
        found = exe.run(main, feed={"x": np.array([1.0, 2.0], "float32")}, fetch_list=[value, *got])
        assert [f.tolist() for f in found] == [[1.0, 2.0]] * 3
    finally:
        paddle.disable_static()


def test_what_cannot_be_recorded() -> None:
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            value = paddle.static.data("x", [2], "float32")
            with pytest.raises(TypeError, match=r"all_reduce\(tensor\): expected a Variable"):
                dist.all_reduce(np.ones(2))
            with pytest.raises(ValueError, match=r"broadcast\(src\): expected one of"):
                dist.broadcast(value, src=3)
            with pytest.raises(ValueError, match=r"reduce\(op\)"):
                dist.reduce(value, 0, dist.ReduceOp.AVG)
            with pytest.raises(ValueError, match="one Variable for each of 1"):
                dist.scatter(value, [], src=0)
    finally:
        paddle.disable_static()


# -- split -----------------------------------------------------------------------------------------


def test_split_is_the_whole_layer() -> None:
    ones = paddle.nn.initializer.Constant(1.0)
    x = paddle.ones([2, 4])
    for axis in (0, 1):
        out = dist.split(x, (4, 3), "linear", axis, 1, True, ones, False)
        np.testing.assert_array_equal(out.numpy(), np.full([2, 3], 4.0, "float32"))
    ids = paddle.to_tensor([0, 5])
    assert dist.split(ids, (6, 3), "embedding", weight_attr=ones).shape == [2, 3]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"operation": "conv"}, r"split\(operation\): expected 'linear' or 'embedding'.*'conv'"),
        ({"size": (4,)}, r"split\(size\): expected two positive ints.*\(4,\)"),
        ({"axis": 2}, r"split\(axis\): expected 0 or 1 for 'linear'.* 2"),
        ({"operation": "embedding", "axis": 1}, r"split\(axis\): expected 0 for 'embedding'"),
        ({"num_partitions": 2}, r"split\(num_partitions\): .*processes, 1, but received 2"),
    ],
)
def test_bad_splits(arguments: dict, words: str) -> None:
    given = {"x": paddle.ones([2, 4]), "size": (4, 3), "operation": "linear", **arguments}
    with pytest.raises(ValueError, match=words):
        dist.split(**given)


class _Work:
    """An exchange that is over."""

    def wait(self) -> None:
        pass


def test_what_follows_an_exchange_is_done_once() -> None:
    """Waiting twice must not divide an average again, or undo what was computed since."""
    average, copied = np.full(2, 6.0), np.zeros(2)

    def halve() -> None:
        average[:] /= 2

    pending = c10d._Pending(None, _Work(), "all_reduce", halve)
    returned = staged._Returned(_Work(), lambda: copied.fill(1.0))
    for work in (pending, returned):
        work.wait()
    copied += 1
    for work in (pending, returned):
        work.wait()
    assert average.tolist() == [3.0, 3.0] and copied.tolist() == [2.0, 2.0]
