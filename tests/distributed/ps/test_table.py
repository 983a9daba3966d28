"""Tables: updates equal to local training, rounds of all trainers, entries, shrinking."""

import numpy as np
import pytest

import paddle
from paddle.core.errors import InvalidArgumentError
from paddle.distributed.ps.initial import CountFilter, Initial, Probability
from paddle.distributed.ps.messages import FRAME_LIMIT, Flag, Frame, Kind
from paddle.distributed.ps.rules import Rule
from paddle.distributed.ps.spec import TableSpec
from paddle.distributed.ps.table import Table

HEIGHT, WIDTH = 12, 4


def sparse(rule, **fields):
    return TableSpec(0, "t", "sparse", WIDTH, rule=rule, **fields)


def push(number, ids, values, flags=0, trainer=0):
    kind = Kind.PUSH if ids is not None else Kind.PUSH_DENSE
    given = None if ids is None else np.asarray(ids)
    return Frame(kind, 0, trainer, number, flags, given, np.asarray(values, "f4"))


LOCAL = {
    "sgd": (Rule("sgd", 0.1), lambda p: paddle.optimizer.SGD(0.1, p)),
    "sgd decay": (
        Rule("sgd", 0.1, l2=0.5),
        lambda p: paddle.optimizer.SGD(0.1, p, weight_decay=0.5),
    ),
    "sgd l1": (
        Rule("sgd", 0.1, l1=0.5),
        lambda p: paddle.optimizer.SGD(0.1, p, weight_decay=paddle.regularizer.L1Decay(0.5)),
    ),
    "sgd clip": (
        Rule("sgd", 0.1, clip=(-0.5, 0.5)),
        lambda p: paddle.optimizer.SGD(0.1, p, grad_clip=paddle.nn.ClipGradByValue(0.5)),
    ),
    "momentum": (
        Rule("momentum", 0.1, {"mu": 0.9, "use_nesterov": True}),
        lambda p: paddle.optimizer.Momentum(0.1, 0.9, p, use_nesterov=True),
    ),
    "adagrad": (
        Rule("adagrad", 0.1, {"epsilon": 1e-5}, {"moment": 0.5}),
        lambda p: paddle.optimizer.Adagrad(0.1, 1e-5, p, initial_accumulator_value=0.5),
    ),
    "adam": (
        Rule("adam", 0.1, {"beta1": 0.8}),
        lambda p: paddle.optimizer.Adam(0.1, 0.8, parameters=p, lazy_mode=True),
    ),
}


@pytest.mark.parametrize("name", LOCAL)
def test_dense_blocks_equal_local_training(name, tmp_path):
    rule, optimizer = LOCAL[name]
    rng = np.random.default_rng(0)
    start = rng.standard_normal((1, 30)).astype("f4")
    table = Table(TableSpec(0, "d", "dense", 30, rule=rule), tmp_path)
    assert (table.pull_dense() == 0).all()
    table.push(push(1, None, start, Flag.ASSIGN), 0.1)
    param = paddle.create_parameter([1, 30], "float32")
    param.set_value(start)
    local = optimizer([param])
    for i in range(5):
        grad = rng.standard_normal((1, 30)).astype("f4")
        table.push(push(i + 2, None, grad), table.rate(0))
        (param * paddle.to_tensor(grad)).sum().backward()
        local.step()
        local.clear_grad()
        np.testing.assert_allclose(table.pull_dense(), param.numpy(), rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("name", [n for n in LOCAL if n in ("sgd", "adagrad", "adam")])
def test_rows_equal_local_training(name, tmp_path):
    rule, optimizer = LOCAL[name]
    rng = np.random.default_rng(0)
    start = rng.standard_normal((HEIGHT, WIDTH)).astype("f4")
    table = Table(sparse(rule), tmp_path)
    table.push(push(1, range(HEIGHT), start, Flag.ASSIGN), 0.1)
    layer = paddle.nn.Embedding(HEIGHT, WIDTH, sparse=True)
    layer.weight.set_value(start)
    local = optimizer(layer.parameters())
    for i in range(6):
        ids = rng.integers(0, HEIGHT, 7)  # with repetition
        grad = rng.standard_normal((7, WIDTH)).astype("f4")
        found = table.pull(ids)
        np.testing.assert_allclose(found, layer.weight.numpy()[ids], rtol=2e-6, atol=1e-6)
        table.push(push(i + 2, ids, grad), table.rate(0))
        (layer(paddle.to_tensor(ids)) * paddle.to_tensor(grad)).sum().backward()
        local.step()
        local.clear_grad()
    np.testing.assert_allclose(
        table.pull(np.arange(HEIGHT)), layer.weight.numpy(), rtol=2e-6, atol=1e-6
    )


def test_momentum_of_rows_rests_where_there_is_no_gradient(tmp_path):
    table = Table(sparse(Rule("momentum", 1.0, {"mu": 0.5})), tmp_path)
    ones = np.ones((1, WIDTH))
    table.push(push(1, [1], ones), 1.0)
    table.push(push(2, [2], ones), 1.0)
    table.push(push(3, [1], ones), 1.0)
    assert table.pull(np.array([1, 2]))[:, 0].tolist() == [-2.5, -1.0]


def test_adam_goes_on_after_a_restart(tmp_path):
    rule = LOCAL["adam"][0]
    rng = np.random.default_rng(0)
    grads = rng.standard_normal((6, 3, WIDTH)).astype("f4")
    whole, parts = Table(sparse(rule), tmp_path / "a"), Table(sparse(rule), tmp_path / "b")
    for i, grad in enumerate(grads):
        frame = push(i + 1, [4, 5, 6], grad)
        whole.push(frame, 0.1)
        parts.push(frame, 0.1)
        parts = Table(sparse(rule), tmp_path / "b")
    ids = np.array([4, 5, 6])
    np.testing.assert_array_equal(whole.pull(ids), parts.pull(ids))


def test_a_round_averages_over_all_trainers(tmp_path):
    table = Table(sparse(Rule("sgd", 1.0)), tmp_path, trainers=2, sync=True)
    table.push(push(1, [1, 2], [[1.0] * 4, [2.0] * 4]), 1.0)
    table.push(push(1, [2, 3], [[4.0] * 4, [6.0] * 4], trainer=1), 1.0)
    assert (table.pull(np.arange(1, 4)) == 0).all()
    table.end_round(1, 1.0)
    assert table.pull(np.arange(1, 4))[:, 0].tolist() == [-0.5, -3.0, -3.0]
    table.end_round(1, 1.0)  # told again, as after a lost answer
    assert table.pull(np.arange(1, 4))[:, 0].tolist() == [-0.5, -3.0, -3.0]
    table.push(push(2, [1], [[2.0] * 4]), 1.0)  # only one trainer met the row: still the mean
    table.end_round(2, 1.0)
    assert table.pull(np.arange(1, 4))[:, 0].tolist() == [-1.5, -3.0, -3.0]


def test_a_round_of_a_block(tmp_path):
    table = Table(TableSpec(0, "d", "dense", 4, rule=Rule("sgd", 1.0)), tmp_path, 0, 1, 2, True)
    for trainer in (0, 1):
        table.push(push(1, None, np.full((1, 4), trainer + 1.0), trainer=trainer), 1.0)
    table.end_round(1, 1.0)
    assert table.pull_dense().tolist() == [[-1.5] * 4]


def test_a_round_without_rows_counts_for_adam(tmp_path):
    rule = LOCAL["adam"][0]
    table = Table(sparse(rule), tmp_path, trainers=1, sync=True)
    layer = paddle.nn.Embedding(HEIGHT, WIDTH, sparse=True)
    layer.weight.set_value(np.zeros((HEIGHT, WIDTH), "f4"))
    local = LOCAL["adam"][1](layer.parameters())
    for i, ids in enumerate([[1], [], [1, 2]]):
        ids = np.array(ids, np.int64)
        grad = np.full((len(ids), WIDTH), 0.5, "f4")
        if len(ids):
            table.push(push(i + 1, ids, grad), 0.1)
        table.end_round(i + 1, 0.1)
        (layer(paddle.to_tensor(ids)) * 0.5).sum().backward()
        local.step()
        local.clear_grad()
    np.testing.assert_allclose(
        table.pull(np.arange(3)), layer.weight.numpy()[:3], rtol=2e-6, atol=1e-7
    )


def test_differences_and_new_values(tmp_path):
    table = Table(sparse(Rule("adam", 0.1), initial=Initial(value=2.0)), tmp_path)
    table.push(push(1, [7, 8, 7], np.ones((3, 4)), Flag.DELTA), 0.1)
    assert table.pull(np.array([7, 8, 9]))[:, 0].tolist() == [4.0, 3.0, 2.0]
    table.push(push(2, [8, 7, 8], [[5.0] * 4, [6.0] * 4, [7.0] * 4], Flag.ASSIGN), 0.1)
    assert table.pull(np.array([7, 8, 9]))[:, 0].tolist() == [6.0, 7.0, 2.0]
    assert table.stat()["steps"] == 0


def test_looking_makes_nothing(tmp_path):
    initial = Initial("uniform")
    table = Table(sparse(Rule(), initial=initial), tmp_path)
    ids = np.array([3, -9, 3])
    seen = table.pull(ids, make=False)
    assert table.stat()["rows"] == 0
    np.testing.assert_array_equal(seen, initial.rows(ids, WIDTH))
    np.testing.assert_array_equal(seen, table.pull(ids))
    assert table.stat()["rows"] == 2


def test_count_filter(tmp_path):
    table = Table(
        sparse(Rule("sgd", 1.0), initial=Initial(value=1.0), entry=CountFilter(2)), tmp_path
    )
    ids = np.array([5, 5, 6])
    ones = np.ones((3, WIDTH))
    assert (table.pull(ids) == 0).all()  # 5 twice in one look-up counts once
    table.push(push(1, ids, ones), 1.0)  # nobody there yet: nothing to update
    assert table.stat()["rows"] == 0
    assert (table.pull(ids[:1]) == 1).all()
    table.push(push(2, ids, ones), 1.0)
    assert table.pull(np.array([5]))[0, 0] == -1.0
    assert (table.pull(np.array([6]), make=False) == 0).all()


def test_probability_entry(tmp_path):
    entry = Probability(0.5)
    table = Table(sparse(Rule(), initial=Initial(value=1.0), entry=entry), tmp_path)
    ids = np.arange(1000)
    np.testing.assert_array_equal(table.pull(ids)[:, 0] == 1, entry.lets_in(ids))
    assert table.stat()["rows"] == entry.lets_in(ids).sum()


def test_shrink(tmp_path):
    table = Table(sparse(Rule("adagrad", 1.0), initial=Initial("uniform")), tmp_path)
    table.pull(np.arange(100))
    table.push(push(1, [3, 50], np.ones((2, 4))), 1.0)
    assert table.shrink(2) == 0
    kept = np.array([3, 50, 99])
    values, moments = table.pull(kept), table.store.read(table.store.find(kept))[1]
    assert table.shrink(2) == 97
    assert table.stat()["rows"] == 3
    again = Table(table.spec, tmp_path)
    for one in (table, again):
        np.testing.assert_array_equal(one.pull(kept), values)
        np.testing.assert_array_equal(one.store.read(one.store.find(kept))[1], moments)
        assert not one.push(push(1, [3], np.ones((1, 4))), 1.0)  # pushes stay known
    assert again.shrink(2) == 0  # they were just touched
    assert again.shrink(2) == 3
    assert len(list(tmp_path.glob("g*"))) == 1


def test_rates(tmp_path):
    table = Table(sparse(Rule("sgd", lambda step: 0.5**step, factor=2.0)), tmp_path)
    assert [table.rate(s) for s in (0, 1, 3)] == [2.0, 1.0, 0.25]
    table.set_rate(0.125)
    assert table.rate(3) == 0.25
    assert Table(table.spec, tmp_path).rate(3) == 0.25


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Rule("lamb"), r"expected one of \['sgd', 'momentum', 'adagrad', 'adam', "),
        (lambda: Rule("adam", settings={"beta3": 1}), "expected settings among"),
        (lambda: Rule("momentum"), r"without \['mu'\]"),
        (lambda: Rule("adagrad", fill={"velocity": 1.0}), "expected accumulators among"),
        (lambda: TableSpec(-1, "t", "sparse", 4), "expected a number from 0"),
        (lambda: TableSpec(0, "t", "spares", 4), "'sparse' or 'dense'"),
        (lambda: TableSpec(0, "t", "sparse", 0), "expected 1 to"),
        (lambda: TableSpec(0, "t", "dense", FRAME_LIMIT), "divide a larger parameter"),
        (lambda: TableSpec(0, "t", "dense", 4, "int64"), "expected one of"),
    ],
)
def test_refused(make, words):
    with pytest.raises(InvalidArgumentError, match=words):
        make()
