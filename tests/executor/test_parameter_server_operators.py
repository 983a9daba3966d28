"""Operators of parameter servers in a plan by itself: what works here, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.static as static
from paddle.core.dtype import VarType
from tests.executor.building import building, started


def test_split_ids_and_merge_ids_are_each_others_inverse() -> None:
    """As in 1.8.5: number n goes to part n % parts, in ascending order, each once."""
    with building() as (main, startup):
        ids, rows = static.data("ids", [5, 1], "int64"), static.data("rows", [8, 2])
        block = main.global_block()
        parts = [block.create_var(name=f"part{i}", dtype="int64", shape=[-1, 1]) for i in range(2)]
        block.append_op("split_ids", {"Ids": [ids]}, {"Out": parts})
        found = [paddle.gather(rows, paddle.reshape(p, [-1])) for p in parts]
        out = block.create_var(name="out", dtype="float32", shape=[-1, 2])
        block.append_op("merge_ids", {"Ids": [ids], "Rows": parts, "X": found}, {"Out": [out]})
    numbers = np.array([[4], [1], [4], [7], [2]])
    table = np.arange(16, dtype="float32").reshape(8, 2)
    got = static.Executor(paddle.CPUPlace()).run(
        main, {"ids": numbers, "rows": table}, [*parts, out], scope=started(startup)
    )
    assert [p.ravel().tolist() for p in got[:2]] == [[2, 4], [1, 7]]
    np.testing.assert_array_equal(got[2], table[numbers.ravel()])


def test_fake_init_gives_no_value() -> None:
    with building() as (main, startup):
        block = main.global_block()
        made = block.create_var(name="table", dtype="float32", persistable=True)
        block.append_op("fake_init", {}, {"Out": [made]}, {"shape": [3, 2]})
    assert tuple(made.shape) == (3, 2)
    scope = started(startup)
    static.Executor(paddle.CPUPlace()).run(main, scope=scope)
    held = scope.find_var("table")
    assert held is None or not held.is_initialized()


def test_what_a_cpu_cannot_do_alone() -> None:
    """Sending to nobody, and several devices for one process."""
    with building() as (main, startup):
        x = static.data("x", [2])
        main.global_block().append_op("send_v2", {"X": [x]}, {}, {"peer": 1})
    exe = static.Executor(paddle.CPUPlace())
    with pytest.raises(RuntimeError, match="no other process"):
        exe.run(main, {"x": np.ones(2, "float32")}, scope=started(startup))
    with building() as (main, startup):
        main.global_block().append_op("c_comm_init_all", {}, {}, {"devices": [0, 1]})
    with pytest.raises(NotImplementedError, match="one process works on one device"):
        exe.run(main, scope=started(startup))


def test_rings_of_one_process() -> None:
    """What 1.8.5 adds to connect processes does nothing where there is one."""
    with building() as (main, startup):
        block = main.global_block()
        told = block.create_var(name="id", type=VarType.RAW, persistable=True)
        x = static.data("x", [2])
        block.append_op("c_gen_nccl_id", {}, {"Out": [told]}, {"endpoint": "127.0.0.1:1"})
        block.append_op("c_comm_init", {"X": [told]}, {}, {"nranks": 1, "rank": 0})
        block.append_op("c_comm_init_all", {}, {}, {})
        block.append_op("broadcast", {"X": [x]}, {"Out": [x]}, {"root": 0})
        block.append_op("nop", {"X": [x]}, {"Out": [x]}, {})
    found = static.Executor(paddle.CPUPlace()).run(
        main, {"x": np.ones(2, "float32")}, [x], scope=started(startup)
    )
    assert found[0].tolist() == [1.0, 1.0]
