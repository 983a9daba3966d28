"""Gradients of Programs beside differences, as PaddlePaddle's own tests ask for them."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.static as static
from paddle.testing.gradient_checker import (
    double_grad_check,
    grad_check,
    prog_scope,
    triple_grad_check,
)

VALUES = np.random.RandomState(0).uniform(0.2, 1, (2, 3))


@pytest.fixture(autouse=True)
def _static():
    paddle.enable_static()
    yield
    paddle.disable_static()


def leaf(name: str = "x"):
    return static.data(name, [2, 3], "float64")


@prog_scope()
def test_all_orders():
    x, y = leaf("x"), leaf("y")
    z = paddle.tanh(x) * y + x
    assert grad_check([x, y], z, x_init=[VALUES, VALUES + 1])
    assert double_grad_check([x, y], z, x_init=[VALUES, VALUES + 1])
    assert triple_grad_check([x, y], z, x_init=[VALUES, VALUES + 1])
    assert double_grad_check([x, y], z * z, [VALUES, VALUES], y_grads=[VALUES])


@prog_scope()
def test_parameters_have_the_values_of_the_scope():
    w = paddle.create_parameter([3, 2], "float64")
    x = leaf()
    out = paddle.matmul(x, w)
    assert grad_check([x], out, x_init=VALUES, place=paddle.CPUPlace())
    assert double_grad_check([w], paddle.matmul(paddle.ones([2, 3], "float64"), w) ** 2)


@prog_scope()
def test_wrong_gradients_are_found():
    class Wrong(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, d):
            (x,) = ctx.saved_tensor()
            return d * x

    x = leaf()
    y = Wrong.apply(x)
    with pytest.raises(AssertionError, match=r"order 1 of x: 6 of 6 elements .* worst at \["):
        grad_check(x, y, x_init=VALUES)
    assert grad_check(x, y, x_init=VALUES, raise_exception=False) is False
    with pytest.raises(AssertionError, match=r"y does not depend on \['x'\]"):
        grad_check(x, leaf("other") * 2.0, x_init=VALUES)
    with pytest.raises(ValueError, match=r"x_init\): expected 1 of them"):
        grad_check(x, y, x_init=[VALUES, VALUES])
    with pytest.raises(TypeError, match="expected Variables, but received ndarray"):
        grad_check(x, VALUES)
