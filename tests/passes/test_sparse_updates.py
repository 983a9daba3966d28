"""The pass sparse_updates: tables are updated by the rows that were looked up."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.passes import sparse_updates
from tests.executor.building import building, put, run, started, value
from tests.passes.cases import same, types

IDS = np.array([[1, 3, 3], [5, 0, 1]], "int64")
MORE = np.array([[2, 2], [3, 7]], "int64")
FEED = {"ids": IDS, "more": MORE}


def looked_up(optimizer, sparse=True, twice=False, padding=None, clip=False, table_size=8):
    """A loss of rows of a table that is trained, and the table's parameter."""
    nn = paddle.static.nn
    ids = paddle.static.data("ids", [None, 3], "int64")
    more = paddle.static.data("more", [None, 2], "int64")
    attr = paddle.ParamAttr(name="table", need_clip=clip)
    size = [table_size, 4]
    found = nn.embedding(ids, size, is_sparse=sparse, padding_idx=padding, param_attr=attr)
    out = paddle.sum(found * found, axis=1)
    if twice:
        again = nn.embedding(more, size, is_sparse=sparse, param_attr=attr)
        out = out + paddle.sum(again * again, axis=1)
    else:
        out = out + paddle.sum(more.astype("float32"), axis=1, keepdim=True) * 0.1
    loss = paddle.mean(paddle.square(nn.fc(out, 1)))
    optimizer().minimize(loss)
    return loss


def sgd():
    return paddle.optimizer.SGD(0.1)


def lazy():
    return paddle.optimizer.Adam(0.1, lazy_mode=True)


def left(optimizer, feed=FEED, fetch=(), **options):
    with building() as (main, _):
        loss = looked_up(optimizer, **options)
    return types(main, feed, [loss, *fetch])


@pytest.mark.parametrize("optimizer", [sgd, lazy, lambda: paddle.optimizer.Adagrad(0.1)])
@pytest.mark.parametrize("twice", [False, True])
def test_it_fires(optimizer, twice):
    found = left(optimizer, twice=twice)
    assert found.count("rows_update") == 1 and "lookup_table_v2_grad" not in found
    assert "merged_update" in found  # the layer above


@pytest.mark.parametrize(
    ("optimizer", "options"),
    [
        (sgd, {"sparse": False}),
        (lambda: paddle.optimizer.Adam(0.1), {}),
        (lambda: paddle.optimizer.Momentum(0.1), {}),
        (lambda: paddle.optimizer.SGD(0.1, weight_decay=0.1), {}),
        (
            lambda: paddle.optimizer.SGD(0.1, grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)),
            {"clip": True},
        ),
        (sgd, {"fetch": ["table@GRAD"]}),
    ],
    ids=["dense", "Adam", "Momentum", "penalty", "clip", "fetched"],
)
def test_it_does_not_fire(optimizer, options):
    found = left(optimizer, **options)
    assert "rows_update" not in found and "lookup_table_v2_grad" in found


def test_row_numbers_that_are_overwritten():
    with building() as (main, _):
        loss = looked_up(sgd)
        block = main.global_block()
        at = next(i for i, op in enumerate(block.ops) if op.type == "sgd")
        block._insert_op(at, "scale", {"X": "ids"}, {"Out": "ids"}, {"scale": 0.0})
    assert "rows_update" not in types(main, FEED, [loss, "ids"])


def test_a_table_that_is_assigned_before():
    with building() as (main, startup):
        loss = looked_up(sgd)
        block = main.global_block()
        at = next(i for i, op in enumerate(block.ops) if op.type == "sgd")
        block._insert_op(at, "scale", {"X": "table"}, {"Out": "table"}, {"scale": 0.5})
    assert "rows_update" not in types(main, FEED, [loss])
    same(main, startup, FEED, [loss])


@pytest.mark.parametrize("padding", [None, 3])
@pytest.mark.parametrize("twice", [False, True])
def test_sgd_equals_the_dense_update(twice, padding):
    tables = []
    for sparse in (True, False):
        paddle.seed(4)
        with building() as (main, startup):
            loss = looked_up(sgd, sparse, twice, padding)
        same(main, startup, FEED, [loss])
        scope = started(startup)
        put = np.arange(32, dtype="float32").reshape(8, 4) / 16 - 1
        scope.var("table").get_tensor().set(put)
        weight = next(p.name for p in main.all_parameters() if p.name.endswith("w_0"))
        scope.var(weight).get_tensor().set(np.full([4, 1], 0.25, "float32"))
        losses = [run(main, FEED, [loss], scope)[0].item() for _ in range(3)]
        tables.append((losses, value(scope, "table")))
    np.testing.assert_allclose(tables[0][0], tables[1][0], rtol=1e-5)
    np.testing.assert_allclose(tables[0][1], tables[1][1], rtol=1e-5, atol=1e-6)


def test_lazy_adam_leaves_other_rows_alone():
    with building() as (main, startup):
        loss = looked_up(lazy)
    scope = started(startup)
    before = value(scope, "table").copy()
    for ids in (IDS, IDS[:1].repeat(2, 0)):
        run(main, {**FEED, "ids": ids}, [loss], scope)
    moved = np.abs(value(scope, "table") - before).sum(1) > 0
    assert np.flatnonzero(moved).tolist() == [0, 1, 3, 5]
    moment = next(v.name for v in main.list_vars() if "table_moment1" in v.name)
    assert (np.abs(value(scope, moment)).sum(1) > 0).tolist() == moved.tolist()


def test_dynamic_and_static_mode_agree():
    start = np.arange(32, dtype="float32").reshape(8, 4) / 16 - 1
    with building() as (main, startup):
        ids = paddle.static.data("ids", [None, 3], "int64")
        attr = paddle.ParamAttr(name="table")
        found = paddle.static.nn.embedding(ids, [8, 4], is_sparse=True, param_attr=attr)
        loss = paddle.mean(found * found)
        lazy().minimize(loss)
    scope = started(startup)
    scope.var("table").get_tensor().set(start.copy())
    for _ in range(3):
        run(main, {"ids": IDS}, [loss], scope)
    table = paddle.create_parameter(
        [8, 4], "float32", default_initializer=paddle.nn.initializer.Assign(start)
    )
    optimizer = paddle.optimizer.Adam(0.1, lazy_mode=True, parameters=[table])
    for _ in range(3):
        found = paddle.nn.functional.embedding(paddle.to_tensor(IDS), table, sparse=True)
        paddle.mean(found * found).backward()
        optimizer.step()
        optimizer.clear_grad()
    np.testing.assert_allclose(value(scope, "table"), table.numpy(), rtol=1e-5)


def several_tables(optimizer, sparse):
    """A loss of rows of three tables, two of one width, one looked up twice."""
    nn = paddle.static.nn
    ids = paddle.static.data("ids", [None, 3], "int64")
    more = paddle.static.data("more", [None, 2], "int64")
    parts = []
    for name, rows, size in [("a", ids, [8, 4]), ("b", more, [9, 4]), ("c", ids, [8, 2])]:
        attr = paddle.ParamAttr(name=name)
        parts.append(
            paddle.sum(nn.embedding(rows, size, is_sparse=sparse, param_attr=attr), axis=1)
        )
    attr = paddle.ParamAttr(name="a")
    parts[0] += paddle.sum(nn.embedding(more, [8, 4], is_sparse=sparse, param_attr=attr), axis=1)
    loss = paddle.mean(paddle.square(nn.fc(paddle.concat(parts, 1), 1)))
    optimizer().minimize(loss)
    return loss


def trained_tables(optimizer, sparse, steps=3):
    with building() as (main, startup):
        loss = several_tables(optimizer, sparse)
    scope = started(startup)
    names = [v.name for v in main.all_parameters()]
    for i, name in enumerate(names):
        put(scope, name, np.random.RandomState(i).rand(*value(scope, name).shape).astype("float32"))
    losses = [run(main, FEED, [loss], scope)[0].item() for _ in range(steps)]
    return losses, {n: value(scope, n) for n in names}


def test_tables_are_updated_by_one_operator():
    with building() as (main, _):
        loss = several_tables(lazy, True)
    assert types(main, FEED, [loss]).count("rows_update") == 1


def test_several_tables_equal_their_dense_updates():
    losses, sparse = trained_tables(sgd, True)
    expected, dense = trained_tables(sgd, False)
    np.testing.assert_allclose(losses, expected, rtol=1e-6)
    for name, found in sparse.items():
        np.testing.assert_allclose(found, dense[name], rtol=1e-6, atol=1e-7)


def test_several_tables_of_lazy_adam_move_their_rows_only():
    _, found = trained_tables(lazy, True)
    for seed, name, used in [
        (0, "a", {0, 1, 2, 3, 5, 7}),
        (1, "b", {2, 3, 7}),
        (2, "c", {0, 1, 3, 5}),
    ]:
        start = np.random.RandomState(seed).rand(*found[name].shape).astype("float32")
        moved = set(np.flatnonzero((found[name] != start).any(1)).tolist())
        assert moved == used, name


@pytest.mark.parametrize("count", [1, 6])
def test_uses_are_looked_up_once_for_all_tables(count, monkeypatch):
    made = []

    class Counted(sparse_updates.DefUse):
        def __init__(self, *args):
            super().__init__(*args)
            made.append(self)

    with building() as (main, _):
        ids = paddle.static.data("ids", [None, 3], "int64")
        rows = [paddle.static.nn.embedding(ids, [8, 4], is_sparse=True) for _ in range(count)]
        loss = paddle.mean(paddle.static.nn.fc(paddle.add_n(rows), 1))
        paddle.optimizer.Adam(0.1).minimize(loss)
    monkeypatch.setattr(sparse_updates, "DefUse", Counted)
    found = types(main, {"ids": IDS}, [loss])
    assert found.count("merged_update") == count + 1  # the tables' with rows ahead
    assert len(made) == 1
