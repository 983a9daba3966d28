"""Gradients where blocks overwrite variables from outside, against Python doing the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.nn.initializer import Assign
from paddle.static import nn
from tests.executor.building import building, run, run_plainly, started

RNG = np.random.RandomState(0)
X = RNG.randn(3, 4).astype("float32")
W = (RNG.randn(4, 4) * 0.5).astype("float32")


class Python:
    """Runs a case with Python's own if and for; the variables are in a dict."""

    def __init__(self, values: dict) -> None:
        self.values = values

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.values[name] = value * 1.0

    def when(self, condition, yes, no=lambda: None):
        return (yes if bool(condition) else no)()

    def times(self, count, body, state=None):
        for _ in range(count):
            state = body(state)
        return state


class Recorded(Python):
    """Records a case: a write overwrites the variable."""

    def __setitem__(self, name: str, value: Any) -> None:
        paddle.assign(value * 1.0, output=self.values[name])

    def when(self, condition, yes, no=lambda: None):
        return nn.cond(condition, yes, no)

    def times(self, count, body, state=None):
        def step(i, *state):
            found = body(state[0] if state else None)
            return [i + 1, found] if state else [i + 1]

        start = [paddle.full([1], 0, "int64"), *([] if state is None else [state])]
        found = nn.while_loop(lambda i, *state: i < count, step, start)
        return found[1] if state is not None else None


def yes(e):
    return paddle.mean(e["x"]) > -9.0


def no(e):
    return paddle.mean(e["x"]) > 9.0


def reads_only_the_shape(e):
    e.when(yes(e), lambda: e.__setitem__("b", e["a"] + e["b"]))


def nested_in_a_block(e):
    def inner():
        e.when(no(e), lambda: e.__setitem__("b", e["a"]))
        e["a"] = e.times(1, lambda h: paddle.tanh(e["b"]) + h, e["a"])

    e.when(yes(e), inner)


def forgets_the_value_before(e):
    def inner():
        e["a"] = e.when(yes(e), lambda: e["x"] * 1.0, lambda: e["b"] * 1.0)

    e.when(yes(e), inner)


def reads_what_it_wrote(e):
    def inner():
        e["a"] = e["x"]
        e.when(no(e), lambda: None, lambda: e.__setitem__("b", e["a"] * e["b"]))

    e.when(yes(e), inner)


def loop_walked_twice(e):
    """The gradient of what only later iterations read is found on a second walk."""

    def body(h):
        e.when(
            yes(e), lambda: e.__setitem__("c", e["c"]), lambda: e.__setitem__("a", e["c"] * e["a"])
        )
        return paddle.tanh(e["b"]) + h * 0.5

    e["c"] = e.times(2, body, e["c"] * 1.0)


def writes_in_a_loop(e):
    def body(h):
        e["b"] = e["b"] * 0.5 + h
        e.when(no(e), lambda: e.__setitem__("a", e["b"]), lambda: e.__setitem__("c", e["a"]))
        return paddle.tanh(paddle.matmul(h, e["w"]) + e["b"])

    e["a"] = e.times(3, body, e["a"] * 1.0)


def grows(e):
    """The gradient of concat needs the size from before."""
    for _ in range(2):
        e["a"] = paddle.concat([e["a"], paddle.matmul(e["a"][:1], e["w"])])
    e["a"] = e["a"][1:4]


CASES = [
    reads_only_the_shape, nested_in_a_block, forgets_the_value_before, reads_what_it_wrote,
    loop_walked_twice, writes_in_a_loop, grows,
]  # fmt: skip


def network(kind, case, x, w):
    values = {"x": x, "w": w, "a": x * 1.0, "b": paddle.matmul(x, w), "c": paddle.tanh(x)}
    for name in "abc":
        values[name].stop_gradient = False
    e = kind(values)
    case(e)
    return paddle.mean(e["a"] * e["b"]) + paddle.mean(e["c"])


@pytest.mark.parametrize("case", CASES, ids=lambda f: f.__name__)
def test_gradients_are_those_of_python(case):
    x, w = (paddle.to_tensor(v, stop_gradient=False) for v in (X, W))
    loss = network(Python, case, x, w)
    loss.backward()
    with building() as (main, startup):
        u = static.data("x", [3, 4])
        u.stop_gradient = False
        v = static.create_parameter([4, 4], "float32", default_initializer=Assign(W))
        out = network(Recorded, case, u, v)
        fetch = [out, *static.gradients(out, [u, v])]
    expected = [loss.numpy(), x.grad.numpy(), w.grad.numpy()]
    scope = started(startup)
    for way in (run, run_plainly):
        for got, value in zip(way(main, {"x": X}, fetch, scope), expected, strict=True):
            np.testing.assert_allclose(got, value, rtol=1e-4, atol=1e-6)
