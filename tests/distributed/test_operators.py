"""What the operators that exchange values give over two processes, recorded and at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
import paddle.static as static
from paddle.core.dtype import VarType
from paddle.core.op import C
from paddle.ops.optimizer import dgc
from tests.distributed.ranks import Ranks


@pytest.fixture(scope="module")
def job() -> Iterator[Ranks]:
    with Ranks(2) as started:
        yield started


def _x(rank: int) -> np.ndarray:
    """What a rank has."""
    return np.arange(8, dtype="float32").reshape(4, 2) + 10 * rank


A, B = _x(0), _x(1)
# Operator, attributes, what the two ranks get.
FORWARD: list[tuple[str, dict, list[np.ndarray]]] = [
    ("c_allreduce_sum", {}, [A + B] * 2),
    ("c_allreduce_max", {}, [B] * 2),
    ("c_allreduce_min", {}, [A] * 2),
    ("c_allreduce_prod", {}, [A * B] * 2),
    ("mp_allreduce_sum", {}, [A + B] * 2),
    ("allreduce", {"reduce_type": 1}, [A * B] * 2),
    ("c_reduce_sum", {"root_id": 1}, [A, A + B]),
    ("c_reduce_max", {"root_id": 0}, [B, B]),
    ("c_reduce_min", {"root_id": 1}, [A, A]),
    ("c_reduce_prod", {"root_id": 0}, [A * B, B]),
    ("c_broadcast", {"root": 1}, [B] * 2),
    ("c_allgather", {"nranks": 2}, [np.concatenate([A, B])] * 2),
    ("c_reducescatter", {"nranks": 2}, [(A + B)[:2], (A + B)[2:]]),
    ("c_scatter", {"root": 1, "nranks": 2}, [B[:2], B[2:]]),
    ("alltoall", {}, [np.concatenate([A[:2], B[:2]]), np.concatenate([A[2:], B[2:]])]),
    ("c_concat", {"nranks": 2}, [np.concatenate([A, B], 1)] * 2),
    ("c_identity", {}, [A, B]),
    ("barrier", {}, [A, B]),
]
# Operator, attributes, the gradients that the two ranks get of (rank + 1) * sum.
BACKWARD: list[tuple[str, dict, list[float]]] = [
    ("c_allreduce_sum", {}, [3, 3]),
    ("c_allreduce_sum", {"use_model_parallel": True}, [1, 2]),
    ("mp_allreduce_sum", {}, [1, 2]),
    ("c_identity", {}, [3, 3]),
    ("c_allgather", {"nranks": 2}, [3, 3]),
]


def _recorded(name: str, attrs: dict, value: np.ndarray, gradient: bool = False) -> list:
    """Results of the operator in a Program, by passes and one by one."""
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main, static.Program()):
            x = static.data("x", list(value.shape))
            x.stop_gradient = not gradient
            block = main.global_block()
            out = block.create_var(name="out", dtype="float32", shape=[-1])
            block.append_op(name, {"X": [x]}, {"Out": [out]}, attrs)
            found = [out]
            if gradient:
                loss = paddle.sum(out) * float(dist.get_rank() + 1)
                found = static.gradients(loss, x)
        return static.Executor(paddle.CPUPlace()).run(main, {"x": value}, found)
    finally:
        paddle.disable_static()


def _forward() -> list[list[np.ndarray]]:
    rank, found = dist.get_rank(), []
    for name, attrs, _ in FORWARD:
        more = {"rank": rank} if name == "c_concat" else {}
        at_once = getattr(C, name)(paddle.to_tensor(_x(rank)), **attrs, **more).numpy()
        found.append([at_once, _recorded(name, attrs | more, _x(rank))[0]])
    return found


def test_values(job: Ranks) -> None:
    for rank, found in enumerate(job.run(_forward)):
        for (name, _, expected), got in zip(FORWARD, found, strict=True):
            for value in got:
                np.testing.assert_array_equal(value, expected[rank], err_msg=name)


def _backward() -> list[list[np.ndarray]]:
    rank, found = dist.get_rank(), []
    for name, attrs, _ in BACKWARD:
        x = paddle.to_tensor(_x(rank), stop_gradient=False)
        (paddle.sum(getattr(C, name)(x, **attrs)) * (rank + 1)).backward()
        found.append([x.grad.numpy(), _recorded(name, attrs, _x(rank), True)[0]])
    return found


def test_gradients(job: Ranks) -> None:
    for rank, found in enumerate(job.run(_backward)):
        for (name, _, expected), got in zip(BACKWARD, found, strict=True):
            for value in got:
                np.testing.assert_array_equal(value, np.full((4, 2), expected[rank]), name)


def _columns() -> list[np.ndarray]:
    """Gradients of columns that are divided and joined again."""
    rank = dist.get_rank()
    x = paddle.to_tensor(np.ones([2, 4], "float32"), stop_gradient=False)
    mine = C.c_split(x, rank=rank, nranks=2) * float(rank + 2)
    whole = C.c_concat(mine, rank=rank, nranks=2)
    paddle.sum(whole * paddle.to_tensor([[1.0, 2, 3, 4]])).backward()
    return [whole.numpy(), x.grad.numpy()]


def test_columns(job: Ranks) -> None:
    for whole, gradient in job.run(_columns):
        np.testing.assert_array_equal(whole, np.tile([2.0, 2, 3, 3], (2, 1)))
        np.testing.assert_array_equal(gradient, np.tile([2.0, 4, 9, 12], (2, 1)))


CLASSES, ROWS = 6, 5


def _logits() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.RandomState(0)
    label = rng.randint(0, CLASSES, (ROWS, 1))
    label[2] = -100
    return rng.randn(ROWS, CLASSES).astype("float32"), label


def _divided_classes() -> list[np.ndarray]:
    rank, (logits, label) = dist.get_rank(), _logits()
    mine = np.split(logits, 2, 1)[rank]
    x = paddle.to_tensor(mine, stop_gradient=False)
    softmax, loss = C.c_softmax_with_cross_entropy(x, paddle.to_tensor(label), rank=rank, nranks=2)
    paddle.sum(loss * paddle.to_tensor(np.arange(ROWS, dtype="float32")[:, None])).backward()
    return [softmax.numpy(), loss.numpy(), x.grad.numpy()]


def test_classes_that_are_divided(job: Ranks) -> None:
    logits, label = _logits()
    x = paddle.to_tensor(logits, stop_gradient=False)
    loss = paddle.nn.functional.softmax_with_cross_entropy(x, paddle.to_tensor(label))
    paddle.sum(loss * paddle.to_tensor(np.arange(ROWS, dtype="float32")[:, None])).backward()
    results = job.run(_divided_classes)
    softmax = paddle.nn.functional.softmax(paddle.to_tensor(logits)).numpy()
    np.testing.assert_allclose(np.concatenate([r[0] for r in results], 1), softmax, rtol=1e-5)
    for _, got, _ in results:
        np.testing.assert_allclose(got, loss.numpy(), rtol=1e-5)
    gradient = np.concatenate([r[2] for r in results], 1)
    np.testing.assert_allclose(gradient, x.grad.numpy(), rtol=1e-5, atol=1e-6)


def _divided_table() -> list[np.ndarray]:
    rank = dist.get_rank()
    table = paddle.to_tensor(np.split(TABLE, 2)[rank], stop_gradient=False)
    part = C.c_embedding(table, paddle.to_tensor(IDS), start_index=3 * rank)
    rows = C.mp_allreduce_sum(part)
    paddle.sum(rows * rows).backward()
    return [rows.numpy(), table.grad.numpy()]


TABLE = np.arange(12, dtype="float32").reshape(6, 2)
IDS = np.array([0, 5, 3, 0])


def test_table_that_is_divided(job: Ranks) -> None:
    results = job.run(_divided_table)
    expected = np.zeros_like(TABLE)
    np.add.at(expected, IDS, 2 * TABLE[IDS])
    for rows, _ in results:
        np.testing.assert_array_equal(rows, TABLE[IDS])
    np.testing.assert_array_equal(np.concatenate([r[1] for r in results]), expected)


def _batch_norm(layout: str) -> list[np.ndarray]:
    """Ranks have 3 and 5 of 8 rows."""
    rank = dist.get_rank()
    x, slope = (np.split(v, [3])[rank] for v in _images(layout))
    return _normalized(C.sync_batch_norm, x, slope, layout)


def _normalized(op: Any, x: np.ndarray, slope: np.ndarray, layout: str) -> list[np.ndarray]:
    given = paddle.to_tensor(x, stop_gradient=False)
    scale = paddle.to_tensor(np.array([1.0, 2, 3], "float32"), stop_gradient=False)
    bias = paddle.to_tensor(np.array([0.0, 1, 2], "float32"), stop_gradient=False)
    mean, variance = paddle.zeros([3]), paddle.ones([3])
    out = op(given, scale, bias, mean, variance, None, data_layout=layout)[0]
    paddle.sum(out * paddle.to_tensor(slope)).backward()
    tensors = [out, given.grad, scale.grad, bias.grad, mean, variance]
    return [t.numpy() for t in tensors]


def _images(layout: str) -> list[np.ndarray]:
    rng = np.random.RandomState(1)
    shape = (8, 3, 4, 4) if layout == "NCHW" else (8, 4, 4, 3)
    return [rng.randn(*shape).astype("float32") for _ in range(2)]


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_batch_norm_over_processes(job: Ranks, layout: str) -> None:
    results = job.run(_batch_norm, layout)
    expected = _normalized(C.batch_norm, *_images(layout), layout)
    for i, (one, two) in enumerate(zip(*results, strict=True)):
        joined = np.concatenate([one, two]) if i < 2 else one + two if i < 4 else one
        np.testing.assert_allclose(joined, expected[i], rtol=1e-4, atol=1e-5)


def _recorded_functions() -> list[list]:
    rank, got = dist.get_rank(), []
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main):
            x = static.data("x", [2, 2])
            summed, mean, sent, part = (paddle.assign(x) for _ in range(4))
            dist.all_reduce(summed)
            dist.all_reduce(mean, op=dist.ReduceOp.AVG)
            dist.broadcast(sent, src=1)
            dist.all_gather(got, x)
            dist.scatter(part, [x, x * 2.0] if rank == 0 else None, src=0)
            dist.alltoall([x, x + 100.0], got)
            dist.barrier()
            came = static.data("came", [2, 2])
            if rank == 0:
                dist.send(x, dst=1)
                dist.recv(came, src=1)
            else:
                dist.recv(came, src=0)
                dist.send(came * 3.0, dst=0)
        wanted = [summed, mean, sent, part, *got, came]
        feed = {"x": _x(rank)[:2], "came": np.zeros([2, 2], "float32")}
        return [v.tolist() for v in static.Executor(paddle.CPUPlace()).run(main, feed, wanted)]
    finally:
        paddle.disable_static()


def test_recorded_functions(job: Ranks) -> None:
    a, b = A[:2], B[:2]
    for rank, found in enumerate(job.run(_recorded_functions)):
        expected = [
            a + b, (a + b) / 2, b, a * (rank + 1), a, b, a + 100 * rank, b + 100 * rank,
            a * 3 if rank == 0 else a,
        ]  # fmt: skip
        assert found == [e.tolist() for e in expected]


def _rings() -> list[float]:
    """Rings that operators make: one of both ranks in the other order, one of rank 1 alone."""
    rank, where = dist.get_rank(), dist.ParallelEnv().trainer_endpoints
    from paddle.core.rings import rings

    paddle.enable_static()
    try:
        main = static.Program()
        block = main.global_block()
        with static.program_guard(main):
            for ring, listed in ((7, [1, 0]), (8, [rank])):
                told = block.create_var(name=f"id{ring}", type=VarType.RAW)
                mine = listed.index(rank)
                attrs = {
                    "rank": mine, "endpoint": where[rank],
                    "other_endpoints": [where[r] for r in listed if r != rank],
                }  # fmt: skip
                block.append_op("c_gen_nccl_id", {}, {"Out": [told]}, attrs)
                attrs = {"nranks": len(listed), "rank": mine, "ring_id": ring}
                block.append_op("c_comm_init", {"X": [told]}, {}, attrs)
        static.Executor(paddle.CPUPlace()).run(main)
        made = rings.get(7)
        static.Executor(paddle.CPUPlace()).run(main)
        assert rings.get(7) is made
    finally:
        paddle.disable_static()
    rings.register(8, rings.alone)
    x = paddle.to_tensor([float(rank)])
    return [float(C.c_broadcast(x, root=0, ring_id=7)), float(C.c_allreduce_sum(x, ring_id=8))]


def test_rings_that_a_program_makes(job: Ranks) -> None:
    assert job.run(_rings) == [[1.0, 0.0], [1.0, 1.0]]


def _different(kind: str) -> str:
    """What is said of a Program that is not the same on both ranks."""
    rank = dist.get_rank()
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main):
            dtype = "int32" if kind == "dtype" and rank else "float32"
            x = static.data("x", [2 + rank if kind == "shape" else 2], dtype)
            if kind == "operator" and rank:
                dist.broadcast(x, src=0)
            else:
                dist.all_reduce(x)
        exe = static.Executor(paddle.CPUPlace())
        with pytest.raises(ValueError, match="ring 0") as caught:
            exe.run(main, {"x": np.ones(x.shape, dtype)}, [x])
        return str(caught.value)
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("kind", ["dtype", "shape", "operator"])
def test_programs_that_differ(job: Ranks, kind: str) -> None:
    for text in job.run(_different, kind):
        assert "rank 0: a Program that exchanges over ring 0" in text
        assert "rank 1: a Program that exchanges over ring 0" in text


@pytest.mark.parametrize("numel", [1, 5000, 2**24 + 1, 3 * 2**24 + 7, 10**9 + 7])
@pytest.mark.parametrize("sparsity", [0.0, 0.5, 0.999])
def test_the_number_of_compressed_elements_is_exact(numel: int, sparsity: float) -> None:
    """It goes from `dgc` to `dgc_allreduce` as float32: one more would not fit what is packed."""
    count = dgc._sent(numel, sparsity)
    assert 1 <= count <= numel and int(np.float32(count)) == count
    assert count >= int(numel * (1.0 - sparsity)) * (1 - 2**-23)
