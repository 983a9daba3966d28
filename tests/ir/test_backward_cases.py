"""append_backward and gradients in less usual cases: overwritten values, blocks, third order."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.ir.autodiff.backward import append_backward, gradients
from paddle.nn.initializer import Assign
from paddle.static import nn
from tests.executor.building import building, run, run_plainly, started, value

RNG = np.random.RandomState(0)
X = RNG.randn(3, 4).astype("float32")
W = (RNG.randn(4, 4) * 0.5).astype("float32")
V = (RNG.randn(4, 4) * 0.5).astype("float32")


def zero():
    return paddle.full([1], 0, "int64")


def parameter(name, array):
    return static.create_parameter(
        list(array.shape), "float32", name=name, default_initializer=Assign(array)
    )


def looped(x, w, times=3):
    if static.Variable is type(x):
        return nn.while_loop(
            lambda i, h: i < times,
            lambda i, h: [i + 1, paddle.tanh(paddle.matmul(h, w))],
            [zero(), x],
        )[1]
    for _ in range(times):
        x = paddle.tanh(paddle.matmul(x, w))
    return x


def test_gradient_of_the_result_of_a_loop_is_not_that_of_its_start():
    with building() as (main, startup):
        x, w = static.data("x", [None, 4]), parameter("w", W)
        x.stop_gradient = False
        start = paddle.matmul(x, w)
        h = looped(start, w)
        y = h * h
        found = gradients([paddle.mean(y), paddle.sum(h)], [x, start, w, h, y])
    got = run(main, {"x": X}, found, scope=started(startup))
    x, w = paddle.to_tensor(X, stop_gradient=False), paddle.to_tensor(W, stop_gradient=False)
    start = paddle.matmul(x, w)
    h = looped(start, w)
    y = h * h
    expected = paddle.grad([paddle.mean(y), paddle.sum(h)], [x, start, w, h, y])
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-4, atol=1e-6)


def test_no_gradient_goes_through_blocked_variables_of_a_block():
    inner = []

    def body(i, h):
        inner.append(paddle.matmul(h, w))
        return [i + 1, paddle.tanh(inner[0]) + h]

    with building() as (main, startup):
        x, w = static.data("x", [None, 4]), parameter("w", W)
        h = nn.while_loop(lambda i, h: i < 3, body, [zero(), paddle.matmul(x, parameter("v", V))])
        pairs = append_backward(paddle.mean(h[1]), no_grad_set={inner[0].name})
    assert [p.name for p, _ in pairs] == ["v"]
    (got,) = run(main, {"x": X}, [pairs[0][1]], scope=started(startup))
    np.testing.assert_allclose(got, X.T @ np.full((3, 4), 1 / 12), rtol=1e-5)


def layered(x, inside):
    def layer():
        return nn.fc(x, 4, activation="tanh", name="a")

    def again(i, h):
        return [i + 1, nn.fc(h, 4, activation="tanh", weight_attr="w", bias_attr="b")]

    if inside:
        h = nn.cond(paddle.mean(x) > -1e9, layer, lambda: nn.fc(x, 4, name="no"))
        return nn.while_loop(lambda i, h: i < 3, again, [zero(), h])[1]
    h = layer()
    for _ in range(3):
        h = again(0, h)[1]
    return h


def test_layers_with_parameters_in_blocks_have_the_gradients_of_layers_outside():
    """A pass joins product and bias; the gradient blocks must not lose what they need."""
    found = []
    for inside in (True, False):
        with building() as (main, startup):
            h = layered(static.data("x", [None, 4]), inside)
            loss = paddle.mean(h * h)
            grads = [g for p, g in append_backward(loss) if not p.name.startswith("no")]
        scope = started(startup)
        for i, name in enumerate(["a.w_0", "a.b_0", "w", "b"]):
            array = W + i if name.startswith(("a.w", "w")) else W[i]
            scope.var(name).get_tensor().set(array)
        found += [run(main, {"x": X}, [loss, *grads], scope=scope)]
        found += [run_plainly(main, {"x": X}, [loss, *grads], scope=scope)]
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def thrice(call, x, grad):
    y = call(x)
    first = grad(paddle.sum(y * y * y), x)
    second = grad(paddle.sum(first * first * x), x)
    return grad(paddle.sum(second * second * x), x)


CALLS = {
    "concat": lambda v: paddle.concat([v, v * v], 1)[:, 1:6] ** 2,
    "split": lambda v: paddle.multiply(*paddle.split(v * v, 2, 1)),
    "softmax": paddle.nn.functional.softmax,
    "product": lambda v: paddle.matmul(v, v, transpose_y=True),
    "layer_norm": lambda v: paddle.nn.functional.layer_norm(v, [4]),
}


@pytest.mark.parametrize("name", CALLS)
def test_third_order_equals_dynamic_mode(name):
    x = paddle.to_tensor(X * 0.7, stop_gradient=False)
    expected = thrice(CALLS[name], x, lambda a, b: paddle.grad(a, b, create_graph=True)[0])
    with building() as (main, _):
        x = static.data("x", [3, 4])
        x.stop_gradient = False
        third = thrice(CALLS[name], x, lambda a, b: gradients(a, b)[0])
    (got,) = run(main, {"x": X * 0.7}, [third])
    np.testing.assert_allclose(
        got, expected.numpy(), rtol=2e-3, atol=1e-3 * np.abs(expected.numpy()).max()
    )


def test_gradient_descent_inside_a_loop():
    with building() as (main, startup):
        x, w = static.data("x", [None, 4]), parameter("w", W)

        def body(i, _):
            loss = paddle.mean(paddle.matmul(x, w) ** 2)
            (g,) = gradients(loss, [w])
            paddle.assign(w - 0.1 * g, output=w)
            return [i + 1, loss]

        _, last = nn.while_loop(lambda i, _: i < 3, body, [zero(), paddle.zeros([1])])
    scope = started(startup)
    (got,) = run(main, {"x": X}, [last], scope=scope)
    w = W
    for _ in range(3):
        loss = np.mean((X @ w) ** 2)
        w = w - 0.1 * X.T @ (2 * X @ w) / 12
    np.testing.assert_allclose(got, [loss], rtol=1e-5)
    np.testing.assert_allclose(value(scope, "w"), w, rtol=1e-5, atol=1e-6)


def test_what_is_fed_may_be_a_checkpoint():
    with building() as (main, _):
        x, w = static.data("x", [None, 4]), parameter("w", W)
        h = paddle.tanh(paddle.matmul(x, w))
        append_backward(paddle.mean(paddle.tanh(h)), checkpoints=[x, h])
    assert any("subprog" in v.name for v in main.list_vars())


def test_clipping_by_global_norm_names_every_parameter():
    with building() as (main, _):
        x = static.data("x", [None, 4])
        loss = paddle.mean(nn.fc(x, 2, name="a"))
        clip = paddle.nn.ClipGradByGlobalNorm(1.0)
        paddle.optimizer.SGD(0.1, grad_clip=clip).minimize(loss)
    ops = [op for op in main.global_block().ops if op.type == "squared_l2_norm"]
    assert sorted(op.attrs["op_role_var"] for op in ops) == [
        ["a.b_0", "a.b_0@GRAD"], ["a.w_0", "a.w_0@GRAD"]
    ]  # fmt: skip


def test_wrong_arguments_of_gradients():
    with building():
        x, w = static.data("x", [None, 4]), parameter("w", W)
        loss = paddle.mean(paddle.matmul(x, w))
        other = static.Program().global_block().create_var(name="w", shape=[1], dtype="float32")
        with pytest.raises(ValueError, match=r"gradients\(inputs\).*'w' belongs to another"):
            gradients(loss, [other])
        with pytest.raises(ValueError, match=r"target_gradients\).*FP32.*INT64"):
            gradients(loss, [w], [paddle.full([1], 1, "int64")])
        with pytest.raises(ValueError, match=r"gradients\(targets\): expected at least one"):
            gradients([], [w])
        assert gradients(loss, []) == []
