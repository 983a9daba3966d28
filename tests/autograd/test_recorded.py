"""paddle.grad while a Program is recorded: static mode, and functions that are converted."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.jit import to_static


def _x(*values):
    return paddle.to_tensor(np.array(values, "float32"), stop_gradient=False)


def _grads(function, *xs):
    results = function(*xs)
    total = sum((r.sum() for r in results if r is not None), paddle.zeros([1]))
    if not total.stop_gradient:
        total.backward()
    found = [None if r is None else r.numpy() for r in results]
    found += [None if x.grad is None else x.grad.numpy() for x in xs]
    for x in xs:
        x.clear_grad()
    return found


def first(x, y):
    return paddle.grad((x * x * y).sum(), [x, y])


def second(x, y):
    dx, dy = paddle.grad((x * x * x * y).sum(), [x, y], create_graph=True)
    return dx * dy, dx


def weighted(x, y):
    z = x * x
    return paddle.grad([z, y * x], x, [paddle.full_like(z, 3.0), None], create_graph=True)


def unused(x, y):
    return paddle.grad((x * 2).sum(), [x, y], allow_unused=True)


def blocked(x, y):
    z = x * x
    return paddle.grad((z * x + y).sum(), [x], no_grad_vars=z)


def of_a_condition(x, y):
    z = x * y
    if z.sum() > 0:
        z = z * x
    return paddle.grad(z.sum(), [x, y])


@pytest.mark.parametrize("function", [first, second, weighted, unused, blocked, of_a_condition])
def test_same_as_eager(function):
    inputs = _x(1.0, 2.0, -3.0), _x(0.5, -1.0, -2.0)
    expected = _grads(function, *inputs)
    for a, b in zip(expected, _grads(to_static(function), *inputs), strict=True):
        assert (a is None) == (b is None)
        if a is not None and a.any():  # zeros may stand for no gradient
            np.testing.assert_allclose(a, b, rtol=1e-6)


def test_static_mode():
    paddle.enable_static()
    try:
        with static.program_guard(static.Program(), static.Program()):
            x = static.data("x", [2])
            x.stop_gradient = False
            (dx,) = paddle.grad(x * x * x, x, create_graph=True)
            (ddx,) = paddle.grad(dx, [x])
            exe = static.Executor()
            feed = {"x": np.array([1.0, 2.0], "float32")}
            results = exe.run(static.default_main_program(), feed, [dx, ddx])
    finally:
        paddle.disable_static()
    assert [r.tolist() for r in results] == [[3, 12], [6, 12]]


def test_parameters_as_inputs():
    net = paddle.nn.Linear(2, 1)

    @to_static
    def norm_of_gradient(x):
        return paddle.grad((net(x) ** 2).sum(), net.weight, create_graph=True)[0].norm()

    x = paddle.ones([1, 2])
    value = norm_of_gradient(x)
    value.backward()
    out = net(x).numpy().item()
    np.testing.assert_allclose(value.numpy(), [abs(2 * out) * 2**0.5], rtol=1e-5)
    slope = np.sign(out) * 2 * 2**0.5
    np.testing.assert_allclose(net.weight.grad.numpy(), [[slope], [slope]], rtol=1e-5)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda x: paddle.grad(x * 2, 3.0), TypeError, r"grad\(inputs\).*received float"),
        (lambda x: paddle.grad(x * 2, x * 3), ValueError, "do not depend on input 0"),
        (lambda x: paddle.grad(x * 2, x.detach()), RuntimeError, "stop_gradient=True"),
        (lambda x: paddle.grad([x, x], x, [None]), ValueError, "expected 2 gradients, one per"),
        (lambda x: paddle.grad([], x), ValueError, "at least one Tensor"),
        (lambda x: paddle.grad(x, x, only_inputs=False), ValueError, "only_inputs"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        to_static(lambda_of(call))(_x(1.0))


def lambda_of(call):
    def function(x):
        return call(x)

    return function
