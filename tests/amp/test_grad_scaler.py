"""GradScaler: scaled losses, divided gradients, left-out steps, the factor's way."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.amp import GradScaler
from paddle.core.selected_rows import RowsGradient


def step(scaler, optimizer, w, value):
    """One step on the loss ``sum(w * value)``; says whether the parameter moved."""
    before = w.numpy()
    scaled = scaler.scale(paddle.sum(w * value))
    scaled.backward()
    scaler.minimize(optimizer, scaled)
    optimizer.clear_grad()
    return not np.array_equal(before, w.numpy())


@pytest.fixture
def w():
    return paddle.create_parameter(
        [2], "float32", default_initializer=paddle.nn.initializer.Constant(1.0)
    )


def test_the_update_is_that_of_the_plain_loss(w):
    optimizer = paddle.optimizer.SGD(0.5, parameters=[w])
    assert step(GradScaler(init_loss_scaling=128.0), optimizer, w, 2.0)
    assert w.numpy().tolist() == [0.0, 0.0]


def test_the_factor_grows_and_shrinks(w):
    optimizer = paddle.optimizer.SGD(0.0, parameters=[w])
    scaler = GradScaler(
        init_loss_scaling=8.0, incr_ratio=4.0, decr_ratio=0.25, incr_every_n_steps=2,
        decr_every_n_nan_or_inf=2,
    )  # fmt: skip
    seen = []
    for value in (1.0, 1.0, 1.0, np.inf, np.nan, 1.0, np.inf, 1.0, 1.0):
        step(scaler, optimizer, w, float(value))
        seen.append(scaler.scale(paddle.ones([1])).item())
    assert seen == [8.0, 32.0, 32.0, 32.0, 8.0, 8.0, 8.0, 8.0, 32.0]


def test_a_step_that_overflows_is_left_out(w):
    momentum = paddle.optimizer.Momentum(0.1, 0.9, parameters=[w])
    scaler = GradScaler()
    assert not step(scaler, momentum, w, float("inf"))
    assert step(scaler, momentum, w, 1.0)
    np.testing.assert_allclose(w.numpy(), [0.9, 0.9], rtol=1e-6)


def test_fixed_and_disabled(w):
    optimizer = paddle.optimizer.SGD(0.0, parameters=[w])
    fixed = GradScaler(
        init_loss_scaling=8.0, decr_every_n_nan_or_inf=1, use_dynamic_loss_scaling=False
    )
    step(fixed, optimizer, w, float("inf"))
    assert fixed.scale(paddle.ones([1])).item() == 8.0
    loss = paddle.ones([1])
    assert GradScaler(enable=False).scale(loss) is loss


def _trained_table(scaler, level):
    """Lazy Adam on a table of which two rows are used in each of two steps."""
    paddle.seed(3)
    table = paddle.nn.Embedding(6, 3, sparse=True)
    before = table.weight.numpy()
    optimizer = paddle.optimizer.Adam(0.1, parameters=table.parameters(), lazy_mode=True)
    for ids in ([0, 1, 0], [1, 2, 2]):
        with paddle.amp.auto_cast(level=level):
            loss = table(paddle.to_tensor(ids)).sum()
        loss = scaler.scale(loss)
        loss.backward()
        assert isinstance(table.weight.grad, RowsGradient) and table.weight.grad.is_rows
        scaler.minimize(optimizer, loss)
        assert table.weight.grad.is_rows
        optimizer.clear_grad()
    return before, table.weight.numpy()


@pytest.mark.filterwarnings("ignore:mixed precision on a CPU")
@pytest.mark.parametrize("level", ["O0", "O1", "O2"])
def test_gradients_of_rows_stay_gradients_of_rows(level):
    """So that lazy Adam leaves the other rows alone, moments and all."""
    _, plain = _trained_table(GradScaler(enable=False), "O0")
    before, after = _trained_table(GradScaler(init_loss_scaling=8.0), level)
    np.testing.assert_array_equal(after[3:], before[3:])
    np.testing.assert_allclose(after, plain, rtol=1e-5)


def test_a_row_that_overflows_leaves_the_step_out():
    table = paddle.nn.Embedding(4, 2, sparse=True)
    before = table.weight.numpy()
    optimizer = paddle.optimizer.SGD(0.1, parameters=table.parameters())
    scaler = GradScaler(init_loss_scaling=8.0)
    scaled = scaler.scale((table(paddle.to_tensor([1])) * float("inf")).sum())
    scaled.backward()
    scaler.minimize(optimizer, scaled)
    np.testing.assert_array_equal(table.weight.numpy(), before)


def test_no_gradient_at_all_is_fine(w):
    loss = paddle.ones([1])
    GradScaler().minimize(paddle.optimizer.SGD(1.0, parameters=[w]), loss)
    assert w.numpy().tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"init_loss_scaling": 0}, ValueError, "init_loss_scaling.*above 0.*0"),
        ({"incr_ratio": 1.0}, ValueError, "incr_ratio.*above 1"),
        ({"decr_ratio": 1.5}, ValueError, "decr_ratio.*between 0 and 1.*1.5"),
        ({"incr_every_n_steps": 0}, ValueError, "incr_every_n_steps.*from 1 on"),
        ({"init_loss_scaling": "big"}, TypeError, "init_loss_scaling.*number.*str"),
    ],
)
def test_wrong_arguments(kwargs, error, text):
    with pytest.raises(error, match=text):
        GradScaler(**kwargs)


def test_scale_wants_a_tensor():
    with pytest.raises(TypeError, match=r"scale\(var\).*Tensor.*float"):
        GradScaler().scale(1.0)


def test_state_goes_on():
    def made(**options):
        return paddle.amp.GradScaler(init_loss_scaling=64.0, incr_every_n_steps=2, **options)

    def run(scaler, gradients):
        p = paddle.create_parameter([1], "float32")
        sgd = paddle.optimizer.SGD(0.0, parameters=[p])
        found = []
        for value in gradients:
            p.grad = paddle.to_tensor([value])
            scaler.minimize(sgd, p)
            found.append(scaler.state_dict()["scale"].item())
        return found

    steps = [1.0, float("inf"), 1.0, float("nan"), float("inf"), 1.0, 1.0, 1.0]
    whole = run(made(), steps)
    first = made()
    run(first, steps[:4])
    state = first.state_dict()
    assert state["decr_count"] == 1 and state["incr_count"] == 0
    again = paddle.amp.GradScaler()
    again.load_state_dict(state)
    assert run(again, steps[4:]) == whole[4:]
    assert paddle.amp.GradScaler(enable=False).state_dict() == {}


def test_bad_states():
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
    good = scaler.state_dict()
    with pytest.raises(TypeError, match=r"load_state_dict: expected a dict, but received list"):
        scaler.load_state_dict([])
    for text, state in {
        "received no scale, incr_count": {},
        "expected one float as 'scale', but received str": {**good, "scale": "x"},
        "expected one int as 'incr_count', but received list": {**good, "incr_count": [1]},
        "expected 'scale' from 0 on, but received nan": {**good, "scale": float("nan")},
        "expected 'decr_count' from 0 on, but received -1": {**good, "decr_count": -1},
    }.items():
        with pytest.raises(ValueError, match=text):
            scaler.load_state_dict(state)
    assert scaler.state_dict() == good
