"""Tables with sparse gradients: equal to dense ones, or lazy; only the rows used are touched."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.core.selected_rows import RowsGradient
from paddle.nn import functional as F

R = np.random.RandomState(0)
TABLE = R.randn(6, 3).astype("float32")
IDS = [np.array([[0, 2], [2, 5]]), np.array([[1, 2], [1, 1]]), np.array([[5, 0], [3, 3]])]


def trained(make, sparse, padding_idx=None, steps=3, twice=False):
    """The table after some steps, and the optimizer's accumulators."""
    table = paddle.create_parameter(
        [6, 3], "float32", default_initializer=paddle.nn.initializer.Assign(TABLE)
    )
    other = paddle.create_parameter(
        [3], "float32", default_initializer=paddle.nn.initializer.Constant(0.5)
    )
    optimizer = make([table, other])
    for ids in IDS[:steps]:
        x = paddle.to_tensor(ids)
        out = F.embedding(x, table, padding_idx, sparse=sparse)
        loss = paddle.sum(out * out * other)
        if twice:
            loss = loss + paddle.sum(F.embedding(x + 0, table, sparse=sparse) * other)
        loss.backward()
        assert isinstance(table._grad, RowsGradient) is sparse
        optimizer.step()
        optimizer.clear_grad()
    state = {
        k.partition("_")[2]: v for k, v in optimizer.state_dict().items() if hasattr(v, "numpy")
    }
    return table.numpy(), other.numpy(), {k: v.numpy() for k, v in state.items()}


OPTIMIZERS = {
    "SGD": lambda p: paddle.optimizer.SGD(0.1, parameters=p),
    "SGD decay": lambda p: paddle.optimizer.SGD(0.1, parameters=p, weight_decay=0.1),
    "Momentum": lambda p: paddle.optimizer.Momentum(0.1, 0.9, parameters=p),
    "Adagrad": lambda p: paddle.optimizer.Adagrad(0.1, parameters=p),
    "RMSProp": lambda p: paddle.optimizer.RMSProp(0.1, parameters=p),
    "Lamb": lambda p: paddle.optimizer.Lamb(0.1, parameters=p),
    "clip": lambda p: paddle.optimizer.SGD(
        0.1, parameters=p, grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5)
    ),
    "clip each": lambda p: paddle.optimizer.Adagrad(
        0.1, parameters=p, grad_clip=paddle.nn.ClipGradByNorm(0.5)
    ),
}


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_sparse_gradient_trains_as_a_dense_one(name, twice):
    dense = trained(OPTIMIZERS[name], False, twice=twice)
    rows = trained(OPTIMIZERS[name], True, twice=twice)
    np.testing.assert_allclose(rows[0], dense[0], rtol=2e-5, atol=1e-6)
    np.testing.assert_allclose(rows[1], dense[1], rtol=2e-5, atol=1e-6)


def lazy_adam(beta1=0.9, beta2=0.999, rate=0.1, epsilon=1e-2):
    """The reference: rows that do not occur keep their moments and values."""
    w, m, v = TABLE.astype("float64"), np.zeros((6, 3)), np.zeros((6, 3))
    other, mo, vo = np.full(3, 0.5), np.zeros(3), np.zeros(3)

    def root(t):
        return np.sqrt(1 - beta2**t)

    def step(t):
        return rate * root(t) / (1 - beta1**t)

    for t, ids in enumerate(IDS, 1):
        g = np.zeros((6, 3))
        np.add.at(g, ids.ravel(), 2 * w[ids.ravel()] * other)
        go = (w[ids.ravel()] ** 2).sum(0)
        rows = np.unique(ids)
        m[rows] = beta1 * m[rows] + (1 - beta1) * g[rows]
        v[rows] = beta2 * v[rows] + (1 - beta2) * g[rows] ** 2
        mo, vo = beta1 * mo + (1 - beta1) * go, beta2 * vo + (1 - beta2) * go**2
        # PaddlePaddle's kernel for rows uses the powers of the next step.
        w[rows] -= step(t + 1) * m[rows] / (np.sqrt(v[rows]) + epsilon * root(t + 1))
        other = other - step(t) * mo / (np.sqrt(vo) + epsilon * root(t))
    return w, other


def test_lazy_adam():
    def make(params):
        return paddle.optimizer.Adam(0.1, parameters=params, lazy_mode=True, epsilon=1e-2)

    table, other, _ = trained(make, True)
    want = lazy_adam()
    np.testing.assert_allclose(table, want[0], rtol=1e-5)
    np.testing.assert_allclose(other, want[1], rtol=1e-5)
    assert (table[4] == TABLE[4]).all()  # a row that never occurs
    dense = trained(make, False)[0]
    assert np.abs(dense - table).max() > 1e-3  # a dense gradient moves every row that ever moved


# What 1.8.5 and 2.6.2 make of ADAM_TABLE in three steps, with lazy_mode False and True: for
# gradients of rows they correct the bias by the number of the next update.
ADAM_TABLE = (np.cos(np.arange(12) * 0.37) * 0.5).reshape(6, 2).astype("float32")
ADAM_ROWS = {
    False: [0.2706, 0.2369, 0.1545, 0.0119, -0.0709, -0.0216, -0.0956, -0.2192, -0.4337, -0.4330],
    True: [0.3404, 0.3066, 0.2177, 0.0732, -0.0185, -0.0739, -0.1505, -0.2746, -0.4337, -0.4330],
}


@pytest.mark.parametrize("lazy", ADAM_ROWS)
def test_adam_of_rows_counts_one_ahead(lazy):
    table = paddle.create_parameter(
        [6, 2], "float32", default_initializer=paddle.nn.initializer.Assign(ADAM_TABLE)
    )
    optimizer = paddle.optimizer.Adam(0.1, parameters=[table], lazy_mode=lazy)
    for ids in ([1, 3, 1, 0], [1, 2, 2, 0], [3, 3, 4, 4]):
        out = F.embedding(paddle.to_tensor(ids), table, sparse=True)
        paddle.mean(out * out).backward()
        optimizer.step()
        optimizer.clear_grad()
    np.testing.assert_allclose(table.numpy().ravel()[:10], ADAM_ROWS[lazy], atol=6e-5)


def test_lazy_adamw_decays_every_row():
    def make(params):
        return paddle.optimizer.AdamW(0.1, parameters=params, lazy_mode=True, weight_decay=0.5)

    table = trained(make, True)[0]
    np.testing.assert_allclose(table[4], TABLE[4] * 0.95**3, rtol=1e-6)


def test_the_padding_row_gets_nothing():
    make = OPTIMIZERS["SGD"]
    rows, dense = trained(make, True, padding_idx=2), trained(make, False, padding_idx=2)
    np.testing.assert_allclose(rows[0], dense[0], rtol=1e-6)
    assert (rows[0][2] == TABLE[2]).all()


def gradient(sparse, again=1, hook=None):
    table = paddle.to_tensor(TABLE, stop_gradient=False)
    if hook:
        table.register_hook(hook)
    for ids in IDS[:again]:
        paddle.sum(F.embedding(paddle.to_tensor(ids), table, sparse=sparse) ** 2).backward()
    return table


@pytest.mark.parametrize("again", [1, 3])
def test_to_others_it_is_a_dense_tensor(again):
    sparse, dense = gradient(True, again).grad, gradient(False, again).grad
    assert sparse.shape == [6, 3] and sparse.dtype == dense.dtype
    np.testing.assert_allclose((sparse * 2).numpy(), (dense * 2).numpy(), rtol=1e-6)
    assert str(sparse) == str(dense) or np.allclose(sparse.numpy(), dense.numpy())
    assert np.allclose(gradient(True, again).gradient(), dense.numpy())


def test_hooks_get_a_dense_gradient():
    seen = []
    table = gradient(True, hook=lambda g: seen.append(g.numpy()) or g * 2)
    np.testing.assert_allclose(table.grad.numpy(), 2 * seen[0])


def test_sparse_and_dense_uses_of_a_table_add_up():
    grads = []
    for sparse in (True, False):
        for first in (True, False):
            table = paddle.to_tensor(TABLE, stop_gradient=False)
            parts = [F.embedding(paddle.to_tensor(IDS[0]), table, sparse=sparse), table * 2.0]
            for part in parts if first else parts[::-1]:
                paddle.sum(part * part).backward()
            grads.append(table.grad.numpy())
            table = paddle.to_tensor(TABLE, stop_gradient=False)
            both = F.embedding(paddle.to_tensor(IDS[0]), table, sparse=sparse)
            (paddle.sum(both * both) + paddle.sum((table * 2.0) ** 2)).backward()
            grads.append(table.grad.numpy())
    for g in grads[1:]:
        np.testing.assert_allclose(g, grads[0], rtol=1e-5)


def test_second_order():
    results = []
    for sparse in (True, False):
        table = paddle.to_tensor(TABLE, stop_gradient=False)
        out = F.embedding(paddle.to_tensor(IDS[0]), table, padding_idx=5, sparse=sparse)
        (first,) = paddle.grad(paddle.sum(out**3), table, create_graph=True)
        (second,) = paddle.grad(paddle.sum(first * first), table)
        results.append((first.numpy(), second.numpy()))
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_a_table_that_was_computed_gets_a_dense_gradient():
    source = paddle.to_tensor(TABLE, stop_gradient=False)
    out = F.embedding(paddle.to_tensor(IDS[0]), source * 2.0, sparse=True)
    paddle.sum(out).backward()
    assert type(source._grad) is not RowsGradient and source.grad.numpy()[2, 0] == 4.0


def test_row_numbers_overwritten_before_backward_are_noticed():
    table = paddle.to_tensor(TABLE, stop_gradient=False)
    ids = paddle.to_tensor([1, 2])
    out = paddle.sum(F.embedding(ids, table, sparse=True))
    ids[0] = 3
    with pytest.raises(RuntimeError, match=r"overwritten"):
        out.backward()


def test_minimize_and_the_layer():
    paddle.seed(0)
    layer = paddle.nn.Embedding(50, 4, sparse=True)
    before = layer.weight.numpy()
    optimizer = paddle.optimizer.Adam(0.1, parameters=layer.parameters(), lazy_mode=True)
    loss = paddle.sum(layer(paddle.to_tensor([3, 7, 3])))
    loss.backward()
    optimizer.minimize(loss)
    moved = np.abs(layer.weight.numpy() - before).sum(1) > 0
    assert np.flatnonzero(moved).tolist() == [3, 7]
    assert layer.weight.grad.is_rows  # minimize looks at shapes, which must not make it dense


def test_several_tables_of_several_widths_at_once():
    """Tables of one width are merged as one; repeated rows, none, and widths apart."""
    rng = np.random.RandomState(7)
    ids = [rng.randint(0, n, 9) for n in (4, 50, 6, 30)]
    ids[3] = np.arange(9)  # nothing repeated
    results = []
    for sparse in (True, False):
        paddle.seed(2)
        tables = [
            paddle.nn.Embedding(n, w, sparse=sparse)
            for n, w in zip((4, 50, 6, 30), (3, 3, 5, 3), strict=True)
        ]
        parameters = [p for t in tables for p in t.parameters()]
        sgd = paddle.optimizer.SGD(0.1, parameters=parameters)
        for step in range(2):
            looked = [t(paddle.to_tensor(i)) for t, i in zip(tables, ids, strict=True)]
            sum(((v * (step + 1)) ** 2).sum() for v in looked).backward()
            sgd.step()
            sgd.clear_grad()
        results.append([p.numpy() for p in parameters])
    for rows, dense in zip(*results, strict=True):
        np.testing.assert_allclose(rows, dense, rtol=1e-5)


def test_merging_of_several_gradients():
    from paddle.ops.optimizer.row_updates import all_merged

    rng = np.random.RandomState(1)
    made = []
    for rows, width, count in ((5, 2, 12), (9, 2, 3), (4, 3, 8), (7, 2, 0)):
        index = paddle.to_tensor(rng.randint(0, rows, count))
        grad = paddle.to_tensor(rng.rand(count, width).astype("float32"))
        made.append(_sparse(index, grad, rows))
    for (index, values), each in zip(all_merged(made), made, strict=True):
        (alone,) = all_merged([each])
        np.testing.assert_array_equal(index.numpy(), alone[0].numpy())
        np.testing.assert_allclose(values.numpy(), alone[1].numpy(), rtol=1e-6)


def _sparse(index, grad, rows):
    from paddle.ops.optimizer.row_updates import gradient_of_rows

    return gradient_of_rows(grad._buf, index._buf, (rows, grad.shape[1]), -1)


@pytest.mark.parametrize("count", [0, 3, 255, 256, 700, 300])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_of_a_table_are_what_indexing_gives(count, dtype):
    from paddle.ops.optimizer.row_updates import rows_of

    rng = np.random.RandomState(count)
    table, index = rng.rand(3000, 16).astype(dtype), rng.randint(0, 3000, count)
    found = rows_of(paddle.to_tensor(table)._buf, paddle.to_tensor(index)._buf)
    np.testing.assert_array_equal(found.numpy(), table[index])


def test_a_table_looked_up_twice_sums_rows_and_goes_dense_only_with_a_dense_gradient():
    table = paddle.nn.Embedding(6, 2, sparse=True)
    ids = paddle.to_tensor([1, 4, 1])
    (table(ids).sum() + table(paddle.to_tensor([4])).sum() + table(ids).sum()).backward()
    assert table.weight.grad.is_rows
    table(ids).sum().backward()
    assert table.weight.grad.is_rows
    expected = np.zeros((6, 2), "float32")
    expected[1], expected[4] = 6, 4
    np.testing.assert_array_equal(table.weight.grad.numpy(), expected)
    (table.weight.sum() + table(ids).sum() + table(ids).sum()).backward()
    expected += 1
    expected[1] += 4
    expected[4] += 2
    np.testing.assert_array_equal(table.weight.grad.numpy(), expected)
