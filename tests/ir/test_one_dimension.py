"""Scalars in saved Programs: a reshape to [1] where a later release would lose the dimension."""

from __future__ import annotations

import numpy as np

import paddle
from paddle import static
from paddle.serialization.program.one_dimension import keep_one_dimension


def program_of(build):
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main, static.Program()):
            x = static.data("x", [2, 3], "float32")
            out = build(x)
        return main, out
    finally:
        paddle.disable_static()


def ops_of(build) -> list[str]:
    main, _ = program_of(build)
    keep_one_dimension(main)
    return [op.type for op in main.global_block().ops]


def test_scalars_that_are_joined_get_their_dimension():
    assert ops_of(lambda x: paddle.concat([x.sum(), x[0, 1]])) == [
        "reduce_sum", "reshape2", "slice", "reshape2", "concat",
    ]  # fmt: skip
    through = ops_of(lambda x: paddle.concat([x.sum() * 2.0 + 1.0]))
    assert through == ["reduce_sum", "reshape2", "scale", "scale", "concat"]


def test_nothing_is_added_where_only_arithmetic_follows():
    assert ops_of(lambda x: x / x.sum() + 1.0) == ["reduce_sum", "elementwise_div", "scale"]
    assert "reshape2" not in ops_of(lambda x: paddle.concat([x.sum(axis=0), x[0]]))


def test_values_stay():
    main, out = program_of(lambda x: paddle.stack([x.max(), x.mean(), x[1, 2]]))
    keep_one_dimension(main)
    x = np.arange(6, dtype="float32").reshape(2, 3)
    paddle.enable_static()
    try:
        (got,) = static.Executor().run(main, feed={"x": x}, fetch_list=[out])
    finally:
        paddle.disable_static()
    np.testing.assert_array_equal(got, np.array([[5.0], [2.5], [5.0]], "float32"))
