"""Derivatives of every order through the control flow of Programs."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.static import gradients, nn
from paddle.static.control import IfElse, StaticRNN
from tests.static.control_harness import compare, recorded
from tests.static.harness import data, run, static

X = np.random.RandomState(5).rand(3, 4) + 0.2
W = np.random.RandomState(6).rand(4, 4) * 0.5
FACTORS = np.linspace(0.5, 1.5, 12).reshape(3, 4)


def counter():
    return paddle.zeros([1], "int64")


def taken(x, w):
    y = nn.cond(paddle.sum(x) > 0.0, lambda: paddle.tanh(x) * paddle.matmul(x, w), lambda: x * 2.0)
    return paddle.sum(y * y)


def not_taken(x, w):
    y = nn.cond(paddle.sum(x) < 0.0, lambda: paddle.matmul(x, w), lambda: paddle.sin(x) * x)
    return paddle.sum(y * y * paddle.mean(w))


def several_results(x, w):
    a, b = nn.cond(
        paddle.sum(x) > 0.0,
        lambda: (paddle.exp(x * 0.3), paddle.matmul(x, w)),
        lambda: (x, x),
    )
    return paddle.sum(a * b) + paddle.mean(b**3)


def switch(x, w):
    def pick(at):
        return nn.switch_case(
            paddle.full([1], at, "int64"),
            [lambda: paddle.tanh(x) * x, lambda: paddle.matmul(x, w) ** 2],
            default=lambda: x**3,
        )

    return paddle.sum(pick(0) * pick(1)) + paddle.mean(pick(7))


def case(x, w):
    large, small = paddle.sum(x) > 1e3, paddle.sum(x) > 1e-3
    y = nn.case(
        [(large, lambda: x * 9.0), (small, lambda: paddle.matmul(x, w) * paddle.sin(x))],
        default=lambda: paddle.exp(x),
    )
    return paddle.mean(y * y * y)


def loop(x, w):
    def body(i, h):
        return [i + 1, paddle.tanh(paddle.matmul(h, w)) * 1.5 + x * x]

    _, h = nn.while_loop(lambda i, h: i < 3, body, [counter(), x])
    return paddle.sum(h * h)


def no_iteration(x, w):
    _, h = nn.while_loop(
        lambda i, h: i < 0, lambda i, h: [i + 1, paddle.matmul(h, w)], [counter(), x * x]
    )
    return paddle.sum(h**3 * paddle.matmul(x, w))


def nested(x, w):
    def inner(h):
        step = lambda j, k: [j + 1, paddle.sin(paddle.matmul(k, w)) * x]
        return nn.while_loop(lambda j, k: j < 2, step, [counter(), h])[1]

    def body(i, h):
        k = inner(h)
        k = nn.cond(
            paddle.sum(k) > 1.0, lambda: paddle.tanh(k) + x * k * k, lambda: k * paddle.exp(x)
        )
        return [i + 1, k]

    _, h = nn.while_loop(lambda i, h: i < 3, body, [counter(), x])
    return paddle.sum(h * h)


def array(x, w):
    read, write = paddle.tensor.array_read, paddle.tensor.array_write

    def body(i, h, kept):
        new = paddle.tanh(h) * x + read(kept, i)
        return [i + 1, new, write(paddle.matmul(new, w) * new, i + 1, kept)]

    kept = write(paddle.sin(x), counter())
    _, h, kept = nn.while_loop(lambda i, h, a: i < 3, body, [counter(), x, kept])
    return paddle.sum(h * h) + paddle.sum(read(kept, counter() + 2) * h)


def by_rows(x, w):
    """Of some rows one side is computed, of the others the other one."""
    above = paddle.sum(x, axis=1, keepdim=True) > 2.9
    if paddle.in_dynamic_mode():
        mask = above.astype("float64")
        y = mask * paddle.tanh(x) * x + (1.0 - mask) * paddle.matmul(x, w) ** 2
    else:
        either = IfElse(above)
        with either.true_block():
            rows = either.input(x)
            either.output(paddle.tanh(rows) * rows)
        with either.false_block():
            either.output(paddle.matmul(either.input(x), w) ** 2)
        (y,) = either()
    return paddle.sum(y * y)


NETWORKS = [
    taken, not_taken, several_results, switch, case, loop, no_iteration, nested, array,
    by_rows,
]  # fmt: skip


def derivative(network, x, w, order):
    """A derivative with respect to x, each one summed with weights for the next."""
    y = network(x, w)
    for k in range(order):
        (y,) = paddle.grad(y, [x], create_graph=True)
        if k + 1 < order:
            y = paddle.sum(y * x * 0.3)
    return y


@pytest.mark.parametrize(
    ("network", "order"), [*((n, 2) for n in NETWORKS), (taken, 3), (loop, 3), (array, 3)]
)
def test_orders_as_in_dynamic_mode(network, order):
    a = paddle.to_tensor(X, stop_gradient=False)
    expected = derivative(network, a, paddle.to_tensor(W), order)
    with static() as (main, startup):
        x, w = data("x", X, stop_gradient=False), data("w", W)
        found = derivative(network, x, w, order)
    (got,) = run(main, startup, {"x": X, "w": W}, [found])
    np.testing.assert_allclose(got, expected.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("network", [several_results, nested, array])
def test_second_order_is_finite_differences_of_the_first(network):
    with static() as (main, startup):
        x, w = data("x", X, stop_gradient=False), data("w", W)
        (first,) = gradients(network(x, w), x)
        (second,) = gradients(first, x, target_gradients=data("v", FACTORS))
    feed = {"x": X, "w": W, "v": FACTORS}
    (got,) = run(main, startup, feed, [second])
    for at in ((0, 0), (1, 3), (2, 1)):
        step = np.zeros_like(X)
        step[at] = 1e-5
        up, down = (run(main, startup, {**feed, "x": X + s}, [first])[0] for s in (step, -step))
        slope = ((up - down) * FACTORS).sum() / 2e-5
        np.testing.assert_allclose(got[at], slope, rtol=1e-6)


@pytest.mark.parametrize("network", NETWORKS)
def test_gradient_penalty_with_append_backward(network):
    """What trains a parameter is a gradient with respect to the input."""

    def build(x, w):
        x.stop_gradient = False
        y = network(x, w)
        (grad,) = paddle.grad(y, [x], create_graph=True)
        return paddle.mean((paddle.sqrt(paddle.sum(grad * grad, axis=1)) - 1.0) ** 2) + y

    compare(build, {"x": X}, {"w": W}, rtol=1e-9)


def scanned(x, w):
    """The steps of a recurrence, with memory, sequence and two results."""

    def step(row, state):
        state = paddle.tanh(paddle.matmul(state, w) + row * row)
        return state, state * row

    start = paddle.mean(x, axis=0, keepdim=True)
    if paddle.in_dynamic_mode():
        state, steps = start, []
        for at in range(3):
            state, out = step(x[at : at + 1], state)
            steps.append((state, out))
        a, b = (paddle.concat(list(part)) for part in zip(*steps, strict=True))
    else:
        rnn, rows = StaticRNN(), paddle.unsqueeze(x, 1)
        with rnn.step():
            state = rnn.memory(init=start)
            row = rnn.step_input(rows)
            new, out = step(row, state)
            rnn.update_memory(state, new)
            rnn.step_output(new)
            rnn.step_output(out)
        a, b = (paddle.squeeze(part, 1) for part in rnn())
    return paddle.sum(a * b) + paddle.mean(a**3)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_static_rnn(order):
    test_orders_as_in_dynamic_mode(scanned, order)

    def build(x, w):
        x.stop_gradient = False
        (grad,) = paddle.grad(scanned(x, w), [x], create_graph=True)
        return paddle.mean(grad * grad)

    if order == 2:
        compare(build, {"x": X}, {"w": W}, rtol=1e-9)


def test_a_static_rnn_inside_of_a_branch_says_what_to_do():
    with static():
        x, w = data("x", X, stop_gradient=False), data("w", W)
        y = nn.cond(paddle.sum(x) > 0.0, lambda: scanned(x, w), lambda: paddle.sum(x))
        (first,) = gradients(y, x)
        with pytest.raises(
            NotImplementedError, match=r"recurrent operator inside(.|\n)*while_loop"
        ):
            gradients(first, x)


def test_an_unknown_batch():
    def build(x, w):
        x.stop_gradient = False
        (grad,) = paddle.grad(nested(x, w), [x], create_graph=True)
        return paddle.mean(grad * grad)

    compare(build, {"x": X}, {"w": W}, batch=True, rtol=1e-9)


def test_a_gradient_inside_of_a_loop_is_differentiated():
    """Steps of gradient descent, and how their end depends on the start: meta-learning."""

    def build(x, w):
        def body(i, h):
            (grad,) = paddle.grad(paddle.sum(paddle.tanh(paddle.matmul(h, w)) ** 2), [h],
                                  create_graph=True)  # fmt: skip
            return [i + 1, h - 0.1 * grad]

        start = paddle.matmul(x, w)
        start.stop_gradient = False
        _, h = nn.while_loop(lambda i, h: i < 3, body, [counter(), start])
        return paddle.sum(h * h)

    compare(build, {"x": X}, {"w": W}, rtol=1e-9)


def test_dropout_inside_of_a_loop_keeps_its_mask():
    with static() as (main, startup):
        main.random_seed = 3
        x = data("x", X, stop_gradient=False)
        body = lambda i, h: [i + 1, paddle.nn.functional.dropout(h, 0.5) * x]
        _, h = nn.while_loop(lambda i, h: i < 2, body, [counter(), x])
        (first,) = gradients(paddle.sum(h), x)
        (second,) = gradients(paddle.sum(first), x)
    result, one, two = run(main, startup, {"x": X}, [h, first, second])
    # Of x * masks * x**2 the derivatives are 3 x**2 * masks and 6 x * masks.
    masks = result / X**3
    assert set(np.round(np.unique(masks), 6)) <= {0.0, 4.0}
    np.testing.assert_allclose(one, 3 * X**2 * masks)
    np.testing.assert_allclose(two, 6 * X * masks)


def test_the_first_order_stays_as_it_was():
    """Values are kept in arrays only where the gradient of a gradient asks for it."""

    def build(x, w):
        x.stop_gradient = False
        y = loop(x, w)
        (seen,) = gradients(y, x)  # looked at, not differentiated
        build.seen = seen
        return y * 2.0

    main, _, _, grads = recorded(build, {"x": X}, {"w": W})
    types = [op.type for block in main.blocks for op in block.ops]
    assert types.count("while_grad") == 2 and "write_to_array" not in types
    assert build.seen.name != grads["w"]


def test_two_gradients_of_second_order_share_what_is_kept():
    with static() as (main, startup):
        x, w = data("x", X, stop_gradient=False), data("w", W)
        (first,) = gradients(loop(x, w), x)
        (a,) = gradients(paddle.sum(first), x)
        kept = [op.type for block in main.blocks for op in block.ops].count("write_to_array")
        (b,) = gradients(paddle.sum(first * first), x)
    assert kept > 0
    found = run(main, startup, {"x": X, "w": W}, [a, b])
    t = paddle.to_tensor(X, stop_gradient=False)
    (first,) = paddle.grad(loop(t, paddle.to_tensor(W)), [t], create_graph=True)
    for got, of in zip(found, (first, first * first), strict=True):
        (want,) = paddle.grad(of.sum(), [t], retain_graph=True)
        np.testing.assert_allclose(got, want.numpy(), rtol=1e-9)


def test_the_backward_of_a_py_func_has_no_gradient():
    def square(x):
        return np.array(x) ** 2

    def backward(x, y, dy):
        return 2.0 * np.array(x) * np.array(dy)

    with static():
        x = data("x", X, stop_gradient=False)
        out = (
            paddle.static.default_main_program()
            .current_block()
            .create_var(name="out", shape=[3, 4], dtype="float64")
        )
        paddle.static.py_func(square, x, out, backward_func=backward)
        (first,) = gradients(out, x)
        with pytest.raises(NotImplementedError, match=r"backward_func of a py_func(.|\n)*PyLayer"):
            gradients(first, x)
