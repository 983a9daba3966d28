"""GradScaler: scaled losses, divided gradients, left-out steps, the factor's way."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.amp import GradScaler


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
