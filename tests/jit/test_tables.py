"""Tables with sparse gradients in converted functions: kept as rows, equal to the dense ones."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.core.selected_rows import RowsGradient
from paddle.nn import functional as F

VALUES = np.random.RandomState(0).randn(8, 3).astype("float32")
IDS = np.array([[1, 3, 3], [5, 0, 1]])


def once(ids, table, sparse):
    return paddle.sum(F.embedding(ids, table, sparse=sparse) ** 2)


def twice(ids, table, sparse):
    padded = F.embedding(ids + 1, table, padding_idx=4, sparse=sparse)
    return once(ids, table, sparse) + paddle.sum(padded * 3.0)


def mixed(ids, table, sparse):
    return once(ids, table, sparse) + paddle.sum(table * 0.5)


def parameter():
    table = paddle.to_tensor(VALUES, stop_gradient=False)
    table.persistable = True
    return table


def gradient(loss_of, sparse, convert=True):
    """The gradient that a function of row numbers and a table leaves there."""
    table = parameter()

    def loss(ids):
        return loss_of(ids, table, sparse)

    (paddle.jit.to_static(loss) if convert else loss)(paddle.to_tensor(IDS)).backward()
    return table


@pytest.mark.parametrize("loss_of", [once, twice])
def test_they_are_kept_as_rows(loss_of):
    table = gradient(loss_of, True)
    assert isinstance(table._grad, RowsGradient) and table._grad.is_rows
    dense = gradient(loss_of, False)
    assert not isinstance(dense._grad, RowsGradient)
    np.testing.assert_allclose(table.grad.numpy(), dense.grad.numpy(), rtol=1e-6)
    eager = gradient(loss_of, True, convert=False)
    np.testing.assert_allclose(table.grad.numpy(), eager.grad.numpy(), rtol=1e-6)


def test_a_table_with_other_uses_has_a_dense_gradient():
    table = gradient(mixed, True)
    assert not isinstance(table._grad, RowsGradient)
    np.testing.assert_allclose(table.grad.numpy(), gradient(mixed, False).grad.numpy(), rtol=1e-6)


def test_two_walks_over_one_graph():
    table = parameter()
    loss = paddle.jit.to_static(lambda ids: once(ids, table, True))(paddle.to_tensor(IDS))
    loss.backward(retain_graph=True)
    first = np.array(table.grad.numpy())
    loss.backward()
    np.testing.assert_allclose(table.grad.numpy(), 2 * first, rtol=1e-6)


def test_a_hook_gets_the_whole_gradient():
    table = parameter()
    seen = []
    table.register_hook(lambda grad: seen.append(grad.numpy()))
    paddle.jit.to_static(lambda ids: once(ids, table, True))(paddle.to_tensor(IDS)).backward()
    assert seen[0].shape == (8, 3)
    np.testing.assert_allclose(seen[0], gradient(once, False).grad.numpy(), rtol=1e-6)


def test_grad_of_a_table():
    table = parameter()
    loss = paddle.jit.to_static(lambda ids: once(ids, table, True))(paddle.to_tensor(IDS))
    (found,) = paddle.grad(loss, [table])
    np.testing.assert_allclose(found.numpy(), gradient(once, False).grad.numpy(), rtol=1e-6)


class Scaled(paddle.nn.Layer):
    """Looks up in a table that it computes before, or is given."""

    def __init__(self):
        super().__init__()
        self.table = self.create_parameter([8, 3])

    @paddle.jit.to_static
    def looked_up(self, ids):
        return paddle.sum(F.embedding(ids, self.table, sparse=True) ** 2)


def test_a_table_that_is_replaced_by_one_that_was_computed():
    layer = Scaled()
    ids = paddle.to_tensor(IDS)
    layer.looked_up(ids).backward()
    assert isinstance(layer.table._grad, RowsGradient)
    source = paddle.to_tensor(VALUES, stop_gradient=False)
    del layer._parameters["table"]
    object.__setattr__(layer, "table", source * 2.0)
    layer.looked_up(ids).backward()
    np.testing.assert_allclose(
        source.grad.numpy(), 4.0 * gradient(once, False).grad.numpy(), rtol=1e-6
    )


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "Adagrad", "Momentum"])
def test_training_as_eager(optimizer):
    def trained(convert):
        table = parameter()
        table.trainable = True
        rule = getattr(paddle.optimizer, optimizer)(0.1, parameters=[table])

        def loss(ids):
            return twice(ids, table, True)

        step = paddle.jit.to_static(loss) if convert else loss
        for shift in range(3):
            step(paddle.to_tensor((IDS + shift) % 7)).backward()
            rule.step()
            rule.clear_grad()
        return table.numpy()

    np.testing.assert_allclose(trained(True), trained(False), rtol=1e-5, atol=1e-6)
