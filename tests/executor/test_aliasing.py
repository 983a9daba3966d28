"""Kernels may return views: nothing that a user can see changes because of that."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import paddle
from paddle.executor.emitters.arrays import present
from paddle.static import Executor, Scope
from tests.executor.building import building, put, run, started, value


def weights(shape=(2, 3)):
    return np.arange(1, 1 + np.prod(shape), dtype="float32").reshape(shape)


def parameter(name="w", shape=(2, 3)):
    return paddle.static.create_parameter(list(shape), "float32", name=name)


def trained(look, fetch_w=True, optimizer=None):
    """A step of SGD on sum(w * x) whose Program also looks at ``w`` before its update."""
    with building() as (main, startup):
        x = paddle.static.data("x", [2, 3], "float32")
        w = parameter()
        seen = look(w)
        loss = paddle.sum(paddle.multiply(w, x))
        (optimizer or paddle.optimizer.SGD(0.5)).minimize(loss)
    scope = started(startup)
    put(scope, "w", weights())
    before, after = run(main, {"x": np.ones([2, 3], "float32")}, [seen, "w"], scope)
    return before, after, value(scope, "w")


VIEWS = {
    "reshape": (lambda w: paddle.reshape(w, [3, 2]), lambda w: w.reshape(3, 2)),
    "reshape to itself": (lambda w: paddle.reshape(w, [2, 3]), lambda w: w),
    "transpose": (lambda w: paddle.transpose(w, [1, 0]), lambda w: w.T),
    "slice": (lambda w: w[0:1], lambda w: w[0:1]),
    "split": (lambda w: paddle.split(w, 3, axis=1)[1], lambda w: w[:, 1:2]),
    "squeeze": (lambda w: paddle.unsqueeze(w, [0]), lambda w: w[None]),
    "cast": (lambda w: paddle.cast(w, "float32"), lambda w: w),
    "expand": (lambda w: paddle.expand(w, [2, 2, 3]), lambda w: np.broadcast_to(w, (2, 2, 3))),
    "assign": (lambda w: paddle.assign(w), lambda w: w),
    "scale by one": (lambda w: paddle.scale(w, 1.0), lambda w: w),
    "flatten": (lambda w: paddle.flatten(w), lambda w: w.reshape(-1)),
    "dropout in tests": (
        lambda w: paddle.nn.functional.dropout(w, 0.5, training=False), lambda w: w,
    ),
    "view of a view": (
        lambda w: paddle.reshape(paddle.transpose(w, [1, 0]), [3, 2, 1])[:, 1:],
        lambda w: w.T.reshape(3, 2, 1)[:, 1:],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", VIEWS)
@pytest.mark.parametrize("count", [1, 2], ids=["one update", "joined updates"])
def test_a_fetched_view_of_a_parameter_is_from_before_its_update(kind, count):
    look, expected = VIEWS[kind]
    with building() as (main, startup):
        x = paddle.static.data("x", [2, 3], "float32")
        ws = [parameter("w"), parameter("w2")][:count]
        seen = look(ws[0])
        loss = paddle.sum(paddle.add_n([paddle.multiply(w, x) for w in ws]))
        paddle.optimizer.SGD(0.5).minimize(loss)
    scope = started(startup)
    for name in ("w", "w2")[:count]:
        put(scope, name, weights())
    exe = Executor(paddle.CPUPlace())
    w = weights()
    for _ in range(3):
        before, after = exe.run(main, {"x": np.ones([2, 3], "float32")}, [seen, "w"], scope=scope)
        np.testing.assert_array_equal(before, expected(w))
        w = w - np.float32(0.5)
        np.testing.assert_array_equal(after, w)
        np.testing.assert_array_equal(value(scope, "w"), w)


@pytest.mark.parametrize(
    "make",
    [
        lambda: paddle.optimizer.SGD(0.5),
        lambda: paddle.optimizer.Momentum(0.5, 0.0),
        lambda: paddle.optimizer.Adam(0.5),
        lambda: paddle.optimizer.AdamW(0.5),
        lambda: paddle.optimizer.Adagrad(0.5),
        lambda: paddle.optimizer.RMSProp(0.5),
        lambda: paddle.optimizer.Lamb(0.5),
        lambda: paddle.optimizer.Adamax(0.5),
        lambda: paddle.optimizer.Adadelta(0.5),
    ],
    ids=["sgd", "momentum", "adam", "adamw", "adagrad", "rmsprop", "lamb", "adamax", "adadelta"],
)
def test_every_optimizer_leaves_views_alone(make):
    paddle.enable_static()
    with building():
        optimizer = make()
    before, after, held = trained(lambda w: paddle.reshape(w, [3, 2]), optimizer=optimizer)
    np.testing.assert_array_equal(before, weights().reshape(3, 2))
    assert (after < weights()).all()
    np.testing.assert_array_equal(after, held)


def test_an_operator_after_the_update_reads_the_old_view_and_the_new_value():
    with building() as (main, startup):
        counter = paddle.static.create_global_var([1], 5.0, "float32", persistable=True, name="n")
        old = paddle.reshape(counter, [1, 1])
        paddle.increment(counter)
        late = old * 10.0
        new = paddle.reshape(counter, [1, 1]) * 10.0
    scope = started(startup)
    got = run(main, {}, [late, new, old, counter], scope)
    assert [float(g.ravel()[0]) for g in got] == [50.0, 60.0, 5.0, 6.0]
    assert float(value(scope, "n")[0]) == 6.0


def test_a_users_view_of_a_parameter_stays():
    with building() as (main, startup):
        x = paddle.static.data("x", [2, 3], "float32")
        loss = paddle.sum(paddle.multiply(parameter(), x) + parameter("v"))
        paddle.optimizer.SGD(0.5).minimize(loss)
    scope = started(startup)
    put(scope, "w", weights())
    held = scope.find_var("w").get_tensor().tensor
    row = held[0]
    feed = {"x": np.ones([2, 3], "float32")}
    exe = Executor(paddle.CPUPlace())
    (got,) = exe.run(main, feed, ["w"], scope=scope)
    np.testing.assert_array_equal(row.numpy(), weights()[0])
    np.testing.assert_array_equal(got, weights() - 0.5)
    np.testing.assert_array_equal(held.numpy(), weights() - 0.5)  # the handle follows
    (got,) = exe.run(main, feed, ["w"], scope=scope)
    np.testing.assert_array_equal(got, weights() - 1.0)


def test_fetched_values_are_the_callers_own():
    with building() as (main, startup):
        x = paddle.static.data("x", [2, 3], "float32")
        w = parameter()
        same = paddle.reshape(x, [3, 2])
        loss = paddle.sum(paddle.multiply(w, x))
        paddle.optimizer.SGD(0.5).minimize(loss)
    scope = started(startup)
    put(scope, "w", weights())
    fed = np.ones([2, 3], "float32")
    for as_array in (True, False):
        got = run(main, {"x": fed}, ["w", same, x], scope, return_numpy=as_array)
        arrays = [np.array(g) for g in got]
        for g in got:
            if as_array:
                g[...] = 77.0
            else:
                g.tensor.fill_(77.0)
        assert (fed == 1.0).all()
        np.testing.assert_array_equal(value(scope, "w"), arrays[0])
    before = np.array(run(main, {"x": fed}, ["w"], scope, return_numpy=False)[0])
    kept = run(main, {"x": fed}, ["w"], scope, return_numpy=False)[0]
    run(main, {"x": fed}, ["w"], scope)
    np.testing.assert_array_equal(np.array(kept), before - 0.5)


# -- feeds -----------------------------------------------------------------------------------------


def test_feeds_stay_as_they_are():
    F = paddle.nn.functional
    with building() as (main, _):
        x = paddle.static.data("x", [4, 3], "float32")
        n = paddle.static.data("n", [1], "float32")
        a = F.relu(paddle.reshape(x, [3, 4]))
        b = F.relu(paddle.transpose(x, [1, 0]))
        c = paddle.exp(paddle.split(x, 2, axis=0)[0])
        d = paddle.tanh(paddle.cast(x, "float32"))
        e = paddle.increment(n)
        f = paddle.add_n([paddle.scale(x, 1.0), x])
        g = paddle.add_n([x])
        h = F.relu(g)
    x = np.random.RandomState(0).randn(4, 3).astype("float32")
    n = np.array([3.0], "float32")
    x.flags.writeable = n.flags.writeable = True
    kept = x.copy()
    got = run(main, {"x": x, "n": n}, [a, b, c, d, e, f, g, h])
    np.testing.assert_array_equal(x, kept)
    assert n[0] == 3.0
    np.testing.assert_array_equal(got[0], np.maximum(kept.reshape(3, 4), 0))
    np.testing.assert_array_equal(got[7], np.maximum(kept, 0))
    assert got[4][0] == 4.0


def test_feeds_that_cannot_be_written_are_taken_silently(recwarn):
    with building() as (main, _):
        x = paddle.static.data("x", [2, 3], "float32")
        y = x + 1.0
    fixed = np.broadcast_to(np.float32(1.0), (2, 3))
    backwards = np.arange(6, dtype="float32").reshape(2, 3)[::-1, ::-1]
    assert run(main, {"x": fixed}, [y])[0].tolist() == [[2.0] * 3] * 2
    np.testing.assert_array_equal(run(main, {"x": backwards}, [y])[0], backwards + 1)
    assert not recwarn.list


def test_a_tensor_that_is_fed_stays_as_it_is():
    with building() as (main, _):
        x = paddle.static.data("x", [2, 3], "float32")
        y = paddle.increment(paddle.static.data("n", [1], "float32"))
        z = paddle.nn.functional.relu(x)
    x = paddle.to_tensor(-weights())
    n = paddle.to_tensor([1.0])
    run(main, {"x": x, "n": n}, [y, z])
    np.testing.assert_array_equal(x.numpy(), -weights())
    assert n.numpy()[0] == 1.0


def test_a_fed_parameter_goes_to_the_scope_and_not_back_to_the_feed():
    with building() as (main, startup):
        x = paddle.static.data("x", [2, 3], "float32")
        loss = paddle.sum(paddle.multiply(parameter(), x))
        paddle.optimizer.SGD(0.5).minimize(loss)
    scope = started(startup)
    given = weights() * 10
    kept = given.copy()
    (got,) = run(main, {"x": np.ones([2, 3], "float32"), "w": given}, ["w"], scope)
    np.testing.assert_array_equal(given, kept)
    np.testing.assert_array_equal(got, kept - 0.5)
    np.testing.assert_array_equal(value(scope, "w"), kept - 0.5)


# -- persistable variables that an operator assigns ---------------------------------------------


def into(op_type, attrs, shape=(2, 3), slot="Out", extra=()):
    """A Program that writes a stored variable by one operator of a fed ``x``."""
    with building() as (main, _startup):
        x = paddle.static.data("x", list(shape), "float32")
        block = main.global_block()
        kept = block.create_var(name="kept", persistable=True, dtype="float32", shape=list(shape))
        outputs = {slot: kept}
        for name in extra:
            outputs[name] = block.create_var(name=name, dtype="float32", shape=list(shape))
        block.append_op(op_type, {"X": x}, outputs, attrs)
    return main


@pytest.mark.parametrize(
    "op_type, attrs, extra",
    [
        ("assign", {}, ()),
        ("cast", {"in_dtype": 5, "out_dtype": 5}, ()),
        ("reshape2", {"shape": [2, 3]}, ("XShape",)),
        ("scale", {"scale": 1.0}, ()),
        ("transpose2", {"axis": [0, 1]}, ("XShape",)),
        ("print", {}, ()),
        ("sum", {}, ()),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_a_stored_variable_does_not_share_memory_with_the_feed(op_type, attrs, extra, capsys):
    if op_type == "print":
        with building() as (main, _):
            x = paddle.static.data("x", [2, 3], "float32")
            block = main.global_block()
            kept = block.create_var(name="kept", persistable=True, dtype="float32", shape=[2, 3])
            block.append_op("print", {"In": x}, {"Out": kept}, {})
    else:
        main = into(op_type, attrs, extra=extra)
    with building() as (again, _):
        block = again.global_block()
        kept = block.create_var(name="kept", persistable=True, dtype="float32", shape=[2, 3])
        block.append_op("scale", {"X": kept}, {"Out": kept}, {"scale": 2.0})
        paddle.increment(block.create_var(name="n", persistable=True, dtype="float32", shape=[1]))
    scope = Scope()
    put(scope, "n", [1.0])
    fed = weights()
    run(main, {"x": fed}, [], scope)
    np.testing.assert_array_equal(value(scope, "kept"), weights())
    fed[...] = -1.0
    np.testing.assert_array_equal(value(scope, "kept"), weights())
    fed = weights()
    run(main, {"x": fed}, [], scope)
    scope.find_var("kept").get_tensor().tensor.fill_(9.0)
    np.testing.assert_array_equal(fed, weights())
    run(again, {}, [], scope)
    np.testing.assert_array_equal(fed, weights())
    assert (value(scope, "kept") == 18.0).all() and value(scope, "n")[0] == 2.0


@pytest.mark.parametrize("op_type", ["assign", "cast", "reshape2", "scale"])
def test_two_stored_variables_do_not_share_memory(op_type):
    attrs = {"cast": {"in_dtype": 5, "out_dtype": 5}, "reshape2": {"shape": [1]}}.get(op_type, {})
    with building() as (main, _):
        block = main.global_block()
        a, b = (
            block.create_var(name=n, persistable=True, dtype="float32", shape=[1]) for n in "ab"
        )
        block.append_op(op_type, {"X": a}, {"Out": b}, attrs)
    with building() as (count, _):
        a = count.global_block().create_var(name="a", persistable=True, dtype="float32", shape=[1])
        paddle.increment(a)
    scope = Scope()
    put(scope, "a", [1.0])
    run(main, {}, [], scope)
    run(count, {}, [], scope)
    assert value(scope, "a")[0] == 2.0 and value(scope, "b")[0] == 1.0


def test_a_stored_variable_written_twice_keeps_the_last_value():
    with building() as (main, _):
        x = paddle.static.data("x", [1], "float32")
        block = main.global_block()
        kept = block.create_var(name="kept", persistable=True, dtype="float32", shape=[1])
        block.append_op("scale", {"X": x}, {"Out": kept}, {"scale": 2.0})
        first = kept + 100.0
        block.append_op("scale", {"X": kept}, {"Out": kept}, {"scale": 3.0})
        paddle.increment(kept)
        second = kept + 100.0
    scope = Scope()
    got = run(main, {"x": np.array([1.0], "float32")}, [first, second, kept], scope)
    assert [float(g[0]) for g in got] == [102.0, 107.0, 7.0]
    assert value(scope, "kept")[0] == 7.0


def test_a_failed_run_leaves_assigned_variables_as_they_were():
    with building() as (main, _):
        x = paddle.static.data("x", [None, 2], "float32")
        block = main.global_block()
        kept = block.create_var(name="kept", persistable=True, dtype="float32", shape=[-1, 2])
        block.append_op("scale", {"X": x}, {"Out": kept}, {"scale": 2.0})
        y = paddle.matmul(kept, paddle.static.data("v", [None, 1], "float32"))
    scope = Scope()
    put(scope, "kept", [[7.0, 7.0]])
    with pytest.raises(ValueError):
        run(main, {"x": np.ones([1, 2], "float32"), "v": np.ones([3, 1], "float32")}, [y], scope)
    assert value(scope, "kept").tolist() == [[7.0, 7.0]]


def test_statistics_that_are_fed_stay_as_they_are():
    with building() as (main, _):
        x = paddle.static.data("x", [4, 3], "float32")
        mean, spread = (paddle.static.data(n, [3], "float32") for n in ("mean", "spread"))
        ones = paddle.ones([3])
        y = paddle.nn.functional.batch_norm(x, mean, spread, ones, ones, training=True)
    mean, spread = np.zeros(3, "float32"), np.ones(3, "float32")
    x = np.random.RandomState(0).randn(4, 3).astype("float32")
    run(main, {"x": x, "mean": mean, "spread": spread}, [y])
    assert (mean == 0).all() and (spread == 1).all()


def test_a_value_written_in_place_by_an_operator_is_a_copy():
    with building() as (main, _):
        x = paddle.static.data("x", [1], "float32")
        view = paddle.reshape(x, [1, 1])
        main.global_block().append_op("increment", {"X": x}, {"Out": x}, {"step": 1.0})
        again = x * 1.0
    x = np.array([1.0], "float32")
    got = run(main, {"x": x}, [view, again, "x"])
    assert [float(g.ravel()[0]) for g in got] == [1.0, 2.0, 2.0] and x[0] == 1.0


def test_a_sum_of_what_there_is_has_memory_of_its_own():
    term = torch.ones(3)
    assert present(None, term, None).data_ptr() != term.data_ptr()
    assert present(term, None, term).tolist() == [2.0, 2.0, 2.0]
    assert present(None, None) is None
