"""Two directions of a GRU network become one operator, and compute what they computed."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import paddle
import paddle.fluid as fluid
from paddle.executor.executor import feed_buffer
from paddle.executor.plan import Plan
from paddle.ir.cloning import clone
from paddle.static import Executor
from tests.executor.building import building, names_of, started
from tests.passes.cases import normal, types


def network(**second):
    """Two directions over rows of one sequence or several: (main, startup, results)."""
    with building() as (main, startup):
        x = fluid.data("x", [None, 9], lod_level=1)
        ahead = fluid.layers.dynamic_gru(x, 3)
        back = fluid.layers.dynamic_gru(x, 3, **{"is_reverse": True, **second})
        out = fluid.layers.sequence_pool(fluid.layers.concat([ahead, back], axis=1), "sum")
    return main, startup, [ahead, back, out]


def rows(*lengths):
    return fluid.create_lod_tensor(normal(sum(lengths), 9), [list(lengths)], fluid.CPUPlace())


def run_plainly(main, feed, fetch, scope):
    """What comes out without passes; levels stay on what is fed."""
    buffers = [feed_buffer(v, None, n, torch.device("cpu")) for n, v in feed.items()]
    with torch.no_grad():
        return Plan(clone(main), list(feed), names_of(fetch)).run(scope, buffers)


def run_both(main, startup, feed, fetch):
    """With the pass and without it, from the same weights; and once more with other weights."""
    scope, exe = started(startup), Executor(paddle.CPUPlace())
    for _ in range(2):
        options = {"feed": feed, "fetch_list": fetch, "scope": scope, "return_numpy": False}
        got = exe.run(main, **options)
        wanted = run_plainly(main, feed, fetch, scope)
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_allclose(np.array(a), b.numpy(), rtol=1e-5, atol=1e-6)
        assert got[0].lod() == got[1].lod() == feed["x"].lod()
        weight = scope.find_var(main.all_parameters()[2].name).get_tensor()
        weight.set(np.array(weight) + 0.5, fluid.CPUPlace())


@pytest.mark.parametrize("lengths", [(1,), (5,), (2, 4), (3, 3)], ids=str)
@pytest.mark.parametrize("second", [{}, {"is_reverse": False}], ids=["back", "ahead"])
def test_both_directions_are_one_operator(lengths, second):
    main, startup, fetch = network(**second)
    found = types(main, ["x"], fetch)
    assert "gru" not in found and found.count("gru_pair") == 1
    run_both(main, startup, {"x": rows(*lengths)}, fetch)


def test_the_other_formula():
    with building() as (main, startup):
        x = fluid.data("x", [None, 9], lod_level=1)
        options = {"origin_mode": True, "candidate_activation": "relu"}
        fetch = [fluid.layers.dynamic_gru(x, 3, is_reverse=back, **options) for back in (1, 0)]
    assert types(main, ["x"], fetch).count("gru_pair") == 1
    run_both(main, startup, {"x": rows(4)}, fetch)


@pytest.mark.parametrize(
    "second",
    [{"candidate_activation": "relu"}, {"origin_mode": True}, {"h_0": True}, {"bias_attr": False}],
    ids=lambda s: next(iter(s)),
)
def test_what_differs_stays(second):
    if "h_0" in second:
        with building() as (main, _):
            x = fluid.data("x", [None, 9], lod_level=1)
            first = fluid.data("h", [None, 3])
            fetch = [fluid.layers.dynamic_gru(x, 3, h_0=h) for h in (None, first)]
    else:
        main, _, fetch = network(**second)
    assert "gru_pair" not in types(main, ["x"], fetch)


def test_one_behind_the_other_stays():
    with building() as (main, _):
        x = fluid.data("x", [None, 9], lod_level=1)
        first = fluid.layers.dynamic_gru(x, 3)
        second = fluid.layers.dynamic_gru(fluid.layers.fc(first, 9), 3)
    assert "gru_pair" not in types(main, ["x"], [second])


def test_what_is_kept_for_gradients_may_be_fetched():
    main, _, fetch = network()
    [gates] = next(op for op in main.global_block().ops if op.type == "gru").outputs["BatchGate"]
    assert "gru_pair" not in types(main, ["x"], [*fetch, main.global_block().var(gates)])


def test_programs_that_train_stay():
    with building() as (main, _):
        x = fluid.data("x", [None, 9], lod_level=1)
        both = [fluid.layers.dynamic_gru(x, 3, is_reverse=back) for back in (False, True)]
        loss = fluid.layers.mean(fluid.layers.concat(both, axis=1))
        fluid.optimizer.SGD(0.1).minimize(loss)
    assert types(main, ["x"], [loss]).count("gru") == 2
