"""While, Switch, StaticRNN, IfElse and tensor arrays: what they compute and how they train."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.nn.initializer import Assign
from paddle.static import nn
from paddle.static.control import ConditionalBlock, IfElse, StaticRNN, Switch, While
from tests.static.harness import run, static

RNG = np.random.RandomState(3)
X = RNG.randn(4, 2, 3).astype("float32")  # time, batch, features
W = (RNG.randn(3, 5) * 0.5).astype("float32")
U = (RNG.randn(5, 5) * 0.5).astype("float32")


def parameter(name: str, value: np.ndarray):
    return paddle.create_parameter(
        list(value.shape), "float32", name=name, default_initializer=Assign(value)
    )


def train(build, feed: dict, steps: int, fetch: int = 1) -> list:
    """Losses of some steps of gradient descent, and what else ``build`` returns."""
    with static() as (main, startup):
        outs = build()
        outs = outs if isinstance(outs, tuple) else (outs,)
        paddle.optimizer.SGD(0.5).minimize(outs[0])
    exe, scope = paddle.static.Executor(), paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        exe.run(startup)
        return [exe.run(main, feed=feed, fetch_list=list(outs)) for _ in range(steps)]


def train_eagerly(forward, steps: int) -> list[float]:
    """Losses of the same network in dynamic mode; ``forward(w, u)``."""
    w, u = (paddle.to_tensor(v, stop_gradient=False) for v in (W, U))
    optimizer = paddle.optimizer.SGD(0.5, parameters=[w, u])
    losses = []
    for _ in range(steps):
        loss = forward(w, u)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
    return losses


def rnn_loss(w, u):
    """A recurrent network with Python's own loop."""
    h, total = paddle.full([2, 5], 0.1), 0.0
    for t in range(4):
        h = paddle.tanh(paddle.matmul(paddle.to_tensor(X[t]), w) + paddle.matmul(h, u))
        total = total + paddle.mean((h - 0.2) * (h - 0.2))
    return total / 4.0


@pytest.mark.parametrize("steps", [5])
def test_a_recurrent_network_of_arrays_trains_like_python(steps):
    arrays = paddle.tensor

    def build():
        x = paddle.static.data("x", [4, 2, 3])
        w, u = parameter("w", W), parameter("u", U)
        source = arrays.create_array("float32")
        for t in range(4):
            arrays.array_write(x[t], t, source)
        states = arrays.array_write(paddle.full([2, 5], 0.1), 0)

        def body(i, states):
            new = paddle.tanh(
                paddle.matmul(arrays.array_read(source, i), w)
                + paddle.matmul(arrays.array_read(states, i), u)
            )
            i = paddle.increment(i)
            return [i, arrays.array_write(new, i, states)]

        length = arrays.array_length(source)
        _, states = nn.while_loop(lambda i, s: i < length, body, [0, states])
        loss = 0.0
        for t in range(1, 5):
            h = arrays.array_read(states, t)
            loss = loss + paddle.mean((h - 0.2) * (h - 0.2))
        return loss / 4.0

    found = [step[0].item() for step in train(build, {"x": X}, steps)]
    np.testing.assert_allclose(found, train_eagerly(rnn_loss, steps), rtol=1e-4)
    assert found[-1] < 0.6 * found[0]


def static_rnn(w, u, x, start=None):
    rnn = StaticRNN()
    with rnn.step():
        word = rnn.step_input(x)
        if start is None:
            before = rnn.memory(shape=[-1, 5], batch_ref=word, init_value=0.1)
        else:
            before = rnn.memory(init=start)
        h = paddle.tanh(paddle.matmul(word, w) + paddle.matmul(before, u))
        rnn.update_memory(before, h)
        rnn.output(h, h * 2.0)
    return rnn()


def test_static_rnn_trains_like_python():
    def build():
        x = paddle.static.data("x", [4, 2, 3])
        h, double = static_rnn(parameter("w", W), parameter("u", U), x)
        return paddle.mean((h - 0.2) * (h - 0.2)), h, double

    found = train(build, {"x": X}, 4)
    assert found[0][1].shape == (4, 2, 5)
    np.testing.assert_allclose(found[0][2], found[0][1] * 2, rtol=1e-6)
    losses = [step[0].item() for step in found]
    np.testing.assert_allclose(losses, train_eagerly(rnn_loss, 4), rtol=1e-4)


def test_static_rnn_gradients_of_inputs_and_first_state():
    start = RNG.randn(2, 5).astype("float32")
    with static() as (main, startup):
        x, s = paddle.static.data("x", [4, 2, 3]), paddle.static.data("s", [2, 5])
        x.stop_gradient = s.stop_gradient = False
        h, double = static_rnn(parameter("w", W), parameter("u", U), x, s)
        grads = paddle.static.gradients(paddle.sum(h * h) + paddle.sum(double[3]), [x, s])
    found = run(main, startup, {"x": X, "s": start}, grads)
    a, b = (paddle.to_tensor(v, stop_gradient=False) for v in (X, start))
    state, loss = b, 0.0
    for t in range(4):
        state = paddle.tanh(
            paddle.matmul(a[t], paddle.to_tensor(W)) + paddle.matmul(state, paddle.to_tensor(U))
        )
        loss = loss + paddle.sum(state * state)
    (loss + paddle.sum(state * 2.0)).backward()
    np.testing.assert_allclose(found[0], a.grad.numpy(), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found[1], b.grad.numpy(), rtol=1e-4, atol=1e-6)


def test_static_rnn_is_the_operator_recurrent():
    with static() as (main, _):
        x = paddle.static.data("x", [4, 2, 3])
        static_rnn(parameter("w", W), parameter("u", U), x)
    op = main.global_block().ops[-1]
    assert op.type == "recurrent" and op.attr("has_states")
    assert op.input("inputs") == ["x"] and sorted(op.input("parameters")) == ["u", "w"]
    assert op.attr("ex_states") == ["static_rnn_0@mem_0"]
    assert main.block(1).var("x").shape == (2, 3)


def test_while_overwrites_variables_and_has_gradients():
    """The 1.x form, with values overwritten by the block that others still need."""
    with static() as (main, startup):
        x = paddle.static.data("x", [4, 3])
        x.stop_gradient = False
        i, n = paddle.full([1], 0, "int64"), paddle.full([1], 3, "int64")
        h = paddle.tanh(x)
        going = i < n
        with While(going).block():
            paddle.assign(paddle.sin(h * 2.0) + h, output=h)
            paddle.increment(i)
            paddle.assign(i < n, output=going)
        (grad,) = paddle.static.gradients(paddle.sum(h * h), [x])
    value = X[:, 0]
    found = run(main, startup, {"x": value}, [h, grad, i])
    a = paddle.to_tensor(value, stop_gradient=False)
    b = paddle.tanh(a)
    for _ in range(3):
        b = paddle.sin(b * 2.0) + b
    paddle.sum(b * b).backward()
    np.testing.assert_allclose(found[0], b.numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found[1], a.grad.numpy(), rtol=1e-4, atol=1e-5)
    assert found[2].item() == 3


def test_switch_runs_the_first_case_that_holds():
    with static() as (main, startup):
        x = paddle.static.data("x", [1])
        rate = paddle.static.create_global_var([1], 7.0, "float32", True, name="rate")
        with Switch() as switch:
            with switch.case(x < 1.0):
                paddle.assign(paddle.full([1], 1.0), output=rate)
            with switch.case(x < 2.0):
                paddle.assign(rate * 10.0, output=rate)
            with switch.default():
                paddle.assign(paddle.full([1], 3.0), output=rate)
    exe, scope = paddle.static.Executor(), paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        exe.run(startup)
        found = [
            exe.run(main, feed={"x": np.array([v], "float32")}, fetch_list=[rate])[0].item()
            for v in (1.5, 1.5, 0.0, 9.0)
        ]
        kept = scope.find_var("rate").get_tensor().numpy().item()
    assert found == [70.0, 700.0, 1.0, 3.0] and kept == 3.0


def test_a_block_may_be_the_first_to_write_a_persistable_variable():
    with static() as (main, _):
        x = paddle.static.data("x", [1])
        best = main.global_block().create_var(
            name="best", shape=[1], dtype="float32", persistable=True
        )
        with ConditionalBlock([x > 0.0], is_scalar_condition=True).block():
            paddle.assign(x * 1.0, output=best)
    exe, scope = paddle.static.Executor(), paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        exe.run(main, feed={"x": np.array([-1.0], "float32")})
        assert not scope.find_var("best").is_initialized()
        exe.run(main, feed={"x": np.array([2.0], "float32")})
        exe.run(main, feed={"x": np.array([-5.0], "float32")})
        assert scope.find_var("best").get_tensor().numpy().item() == 2.0


def test_gradient_of_a_block_that_overwrites_passes_where_it_does_not_run():
    with static() as (main, startup):
        x, c = paddle.static.data("x", [3]), paddle.static.data("c", [1])
        x.stop_gradient = False
        y = x * 2.0
        with ConditionalBlock([c > 0.0], is_scalar_condition=True).block():
            paddle.assign(y * y, output=y)
        (grad,) = paddle.static.gradients(paddle.sum(y), [x])
    value = np.array([1.0, 2.0, 3.0], "float32")
    taken = run(main, startup, {"x": value, "c": np.array([1.0], "float32")}, [y, grad])
    other = run(main, startup, {"x": value, "c": np.array([-1.0], "float32")}, [y, grad])
    np.testing.assert_allclose(taken[0], 4 * value**2)
    np.testing.assert_allclose(taken[1], 8 * value)
    np.testing.assert_allclose(other[0], 2 * value)
    np.testing.assert_allclose(other[1], [2.0, 2.0, 2.0])


@pytest.mark.parametrize("sign", [None, 1.0, -1.0])
def test_if_else_splits_the_rows_of_a_batch(sign):
    value = X.reshape(8, 3) if sign is None else np.abs(X.reshape(8, 3)) * np.float32(sign)
    with static() as (main, startup):
        x = paddle.static.data("x", [None, 3])
        x.stop_gradient = False
        ways = IfElse(paddle.sum(x, axis=1, keepdim=True) > 0.0)
        with ways.true_block():
            ways.output(ways.input(x) * 10.0)
        with ways.false_block():
            part = ways.input(x)
            ways.output(part * part)
        (out,) = ways()
        (grad,) = paddle.static.gradients(paddle.sum(out), [x])
    found = run(main, startup, {"x": value}, [out, grad])
    chosen = value.sum(1, keepdims=True) > 0
    np.testing.assert_allclose(found[0], np.where(chosen, value * 10, value**2), rtol=1e-6)
    expected = np.where(chosen, np.full_like(value, 10), 2 * value)
    np.testing.assert_allclose(found[1], expected, rtol=1e-6)


def test_arrays_are_lists_in_dynamic_mode():
    arrays = paddle.tensor
    x, i = paddle.ones([2]), paddle.zeros([1], "int64")
    array = arrays.array_write(x, i)
    assert isinstance(array, list) and arrays.array_length(array) == 1
    assert arrays.array_write(x * 2.0, paddle.ones([1], "int64"), array) is array
    assert arrays.array_read(array, 1).tolist() == [2.0, 2.0]
    assert arrays.create_array("float32") == []
    with pytest.raises(ValueError, match=r"from 0 to the array's length 2, but received 3"):
        arrays.array_write(x, 3, array)
    with pytest.raises(ValueError, match=r"below the array's length 2, but received 2"):
        arrays.array_read(array, 2)
    with pytest.raises(TypeError, match=r"array_read\(array\): expected a list"):
        arrays.array_read(x, 0)


def test_a_copy_of_an_array_is_an_array():
    arrays = paddle.tensor
    with static() as (main, startup):
        x = paddle.static.data("x", [2])
        first = arrays.array_write(x, 0)
        second = paddle.assign(first)
        arrays.array_write(x * 2.0, 1, second)
        lengths = [arrays.array_length(first), arrays.array_length(second)]
        c = paddle.static.data("c", [1])
        chosen = nn.cond(c > 0.0, lambda: first, lambda: second)
        lengths.append(arrays.array_length(chosen))
    feed = {"x": np.ones(2, "float32"), "c": np.array([-1.0], "float32")}
    assert [v.item() for v in run(main, startup, feed, lengths)] == [1, 2, 2]
