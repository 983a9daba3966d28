"""Sums over processes in buckets, and exchanges that begin early; in a ring of one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
import paddle.static as static
from paddle.core.op import C
from paddle.core.rings import Alone, rings
from paddle.distributed.transpiler.inserting import insert_allreduce
from paddle.passes import prepare
from tests.executor.building import building, started


def network(layers: int = 3, width: int = 4, **how: Any) -> tuple:
    with building() as (main, startup):
        x = static.data("x", [None, width])
        hidden = x
        for _ in range(layers):
            hidden = static.nn.fc(hidden, width)
        loss = paddle.mean(hidden)
        paddle.optimizer.SGD(0.1).minimize(loss)
        insert_allreduce(main, nranks=1, **how)
    return main, startup, loss


def rewritten(main: Any, fetch: list, **how: Any) -> list:
    return prepare(main, ["x"], fetch, **how).global_block().ops


def halves(ops: list) -> list[tuple[str, int]]:
    """Beginnings with the number of what they exchange, and ends."""
    return [(op.type[9:], len(op.inputs["X"])) if op.type == "exchange_begin" else ("end", 0)
            for op in ops if op.type.startswith("exchange_")]  # fmt: skip


def test_small_gradients_are_one_bucket() -> None:
    main, _startup, loss = network()
    ops = rewritten(main, [loss.name])
    assert halves(ops) == [("begin", 6), ("end", 0)]
    types = [op.type for op in ops]
    assert types.count("merged_update") == 1 and not any(t.startswith("c_") for t in types)
    assert rewritten(main, []) and halves(rewritten(main, [])) == halves(ops)  # whatever is fetched


def test_sizes_of_buckets() -> None:
    main, _, loss = network(bucket_mb=0.0)
    assert halves(rewritten(main, [loss.name])) == [("begin", 1)] * 6 + [("end", 0)] * 6
    main, _, loss = network(layers=4, width=400, bucket_mb=2.0)
    # A weight has 0.61 MB: the first bucket is closed at 1 MB, the others at 2.
    counts = [n for kind, n in halves(rewritten(main, [loss.name])) if kind == "begin"]
    assert counts == [4, 4] and sum(counts) == 8


def test_without_the_pass() -> None:
    main, _, loss = network()
    ops = rewritten(main, [loss.name], skipped=["fuse_all_reduce"])
    assert halves(ops) == [("begin", 1)] * 6 + [("end", 0)] * 6
    assert [o.type for o in ops].count("merged_update") == 1


def test_a_reader_closes_the_bucket() -> None:
    main, _, loss = network()
    block = main.global_block()
    sums = [i for i, op in enumerate(block.ops) if op.type == "c_allreduce_sum"]
    name = block.ops[sums[1]].inputs["X"][0]
    block.create_var(name="seen", dtype="float32", shape=[1])
    block._insert_op(sums[1] + 1, type="reduce_max", inputs={"X": [name]},
                     outputs={"Out": ["seen"]}, attrs={"reduce_all": True})  # fmt: skip
    ops = rewritten(main, [loss.name, "seen"])
    assert halves(ops)[:3] == [("begin", 2), ("end", 0), ("begin", 4)]
    at = [op.type for op in ops].index("reduce_max")
    assert ops[at - 1].type == "exchange_end"


class Recorded(Alone):
    """A ring of one that says it is of two, and writes down what is asked of it."""

    size = 2

    def __init__(self) -> None:
        self.calls: list[str] = []

    def all_reduce_async(self, buffer: Any, op: int = 0) -> Any:
        self.calls.append(f"begin {buffer.numel()}")
        buffer.mul_(2.0)
        calls = self.calls

        class Ended:
            def wait(self) -> None:
                calls.append("end")

        return Ended()


@pytest.fixture
def ring() -> Any:
    made = Recorded()
    with rings.here(made):
        yield made


@pytest.mark.parametrize("skipped", [(), ("overlap_exchanges",), ("fuse_all_reduce",)])
def test_values(ring: Recorded, skipped: tuple) -> None:
    """Gradients that are doubled by the exchange: as with twice the learning rate."""
    from paddle.executor.plan import Plan

    main, startup, _ = network(scale_loss=False)
    feed = np.random.RandomState(0).rand(5, 4).astype("float32")
    scope = started(startup)
    params = [p.name for p in main.all_parameters()]
    before = {n: np.array(scope.find_var(n).get_tensor()) for n in params}
    plan = Plan(prepare(main, ["x"], [], skipped=skipped), ["x"], [])
    plan.run(scope, [paddle.to_tensor(feed)._buf])
    with building() as (plain, _), static.scope_guard(static.Scope()):
        x = static.data("x", [None, 4])
        hidden = x
        for _ in range(3):
            hidden = static.nn.fc(hidden, 4)
        paddle.optimizer.SGD(0.2).minimize(paddle.mean(hidden))
        for name, mine in zip([p.name for p in plain.all_parameters()], params, strict=True):
            static.global_scope().var(name).get_tensor().set(before[mine], paddle.CPUPlace())
        for op in plain.global_block().ops:  # the rate lies in a variable that startup fills
            if op.type == "sgd":
                rate = static.global_scope().var(op.input("LearningRate")[0]).get_tensor()
                rate.set(np.array([0.2], "float32"), paddle.CPUPlace())
        static.Executor(paddle.CPUPlace()).run(plain, {"x": feed})
        for name, mine in zip([p.name for p in plain.all_parameters()], params, strict=True):
            want = np.array(static.global_scope().find_var(name).get_tensor())
            np.testing.assert_allclose(np.array(scope.find_var(mine).get_tensor()), want, rtol=1e-5)
    if not skipped:
        assert ring.calls == ["begin 60", "end"]


def test_exchange_inside_of_a_condition(ring: Recorded) -> None:
    with building() as (main, startup):
        x = static.data("x", [2])
        out = paddle.zeros([2])

        def exchanged() -> Any:
            block = static.default_main_program().current_block()
            made = paddle.assign(x)
            block.append_op("c_allreduce_sum", {"X": [made]}, {"Out": [made]}, {"ring_id": 0})
            return made * 1.0

        got = static.nn.cond(paddle.sum(x) > 0.0, exchanged, lambda: out)
    exe = static.Executor(paddle.CPUPlace())
    for value, expected in (([1.0, 2.0], [2.0, 4.0]), ([-1.0, -2.0], [0.0, 0.0])):
        feed = {"x": np.array(value, "float32")}
        assert exe.run(main, feed, [got], scope=started(startup))[0].tolist() == expected
    assert ring.calls == ["begin 2", "end"]


def test_exchanges_around_those_of_a_condition(ring: Recorded) -> None:
    with building() as (main, startup):
        x = static.data("x", [2])
        block = main.global_block()
        outer = paddle.assign(x)
        block.append_op("c_allreduce_sum", {"X": [outer]}, {"Out": [outer]}, {"ring_id": 0})

        def exchanged() -> Any:
            block = static.default_main_program().current_block()
            made = x + 10.0
            block.append_op("c_allreduce_sum", {"X": [made]}, {"Out": [made]}, {"ring_id": 0})
            return made * 1.0

        inner = static.nn.cond(paddle.sum(x) > 0.0, exchanged, lambda: x * 5.0)
        total = outer + inner
    exe = static.Executor(paddle.CPUPlace())
    for value, expected in (([1.0, 2.0], [24.0, 28.0]), ([-1.0, -2.0], [-7.0, -14.0])):
        feed = {"x": np.array(value, "float32")}
        assert exe.run(main, feed, [total], scope=started(startup))[0].tolist() == expected


def test_exchanges_are_kept_and_not_computed_once(ring: Recorded) -> None:
    with building() as (main, startup):
        value = paddle.full([3], 1.0)
        main.global_block().append_op("c_allreduce_sum", {"X": [value]}, {"Out": [value]}, {})
    exe = static.Executor(paddle.CPUPlace())
    for _ in range(3):
        assert exe.run(main, {}, [value], scope=started(startup))[0].tolist() == [2.0] * 3
    exe.run(main, {}, [], scope=started(startup))
    assert ring.calls.count("begin 3") == 4


@pytest.mark.parametrize("skipped", [(), ("overlap_exchanges",)])
@pytest.mark.parametrize("kind", ["c_allreduce_sum", "c_reduce_sum", "c_broadcast", "broadcast"])
def test_a_result_keeps_what_a_parameter_was(kind: str, skipped: tuple) -> None:
    """In a ring of one the result is the parameter's own memory, which the update writes into."""
    from paddle.executor.plan import Plan

    with building() as (main, startup):
        x = static.data("x", [None, 2])
        block = main.global_block()
        loss = paddle.mean(static.nn.fc(x, 1, bias_attr=False))
        weight = main.all_parameters()[0].name
        seen = block.create_var(name="seen", dtype="float32", shape=[2, 1]).name
        block.append_op(kind, {"X": [weight]}, {"Out": [seen]}, {"ring_id": 0})
        paddle.optimizer.SGD(0.1).minimize(loss)
    scope = started(startup)
    before = np.array(scope.find_var(weight).get_tensor())
    plan = Plan(prepare(main, ["x"], [seen], skipped=skipped), ["x"], [seen])
    (got,) = plan.run(scope, [paddle.ones([3, 2])._buf])
    np.testing.assert_array_equal(got.numpy(), before)
    assert (np.array(scope.find_var(weight).get_tensor()) != before).all()


@pytest.mark.parametrize("count", [1, 2])
def test_results_of_a_converted_function_are_there_before_its_backward(count: int) -> None:
    """Sums of forward join none of backward, and are not waited for behind them."""

    @paddle.jit.to_static
    def summed(x: Any) -> Any:
        return [C.c_allreduce_sum(x * float(k + 1)) for k in range(count)]

    x = paddle.to_tensor(np.ones((2, 3), "float32"), stop_gradient=False)
    outs = summed(x)
    np.testing.assert_array_equal(outs[-1].numpy(), np.full((2, 3), float(count)))
    (grad,) = paddle.grad([o.sum() for o in outs], x)
    np.testing.assert_array_equal(grad.numpy(), np.full((2, 3), sum(range(count + 1))))

    direct = paddle.jit.to_static(lambda x: C.c_allreduce_sum(x))
    np.testing.assert_array_equal(paddle.grad(direct(x).sum(), x)[0].numpy(), np.ones((2, 3)))
