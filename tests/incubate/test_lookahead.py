"""LookAhead: the course of parameters, eagerly and in Programs; saving; bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
from paddle.incubate import LookAhead
from tests.static import harness

# By PaddlePaddle 2.6.2: SGD with rate 0.1 and a gradient of 2 from 1.0 on, alpha 0.5, k 3.
COURSE = [0.8, 0.6, 0.6, 0.4, 0.2, 0.3, 0.1, -0.1, 0.0, -0.2]


def _parameter(value: float) -> Any:
    first = paddle.nn.initializer.Constant(value)
    return paddle.create_parameter([1], "float32", default_initializer=first)


def _made(p: Any, **settings: Any) -> LookAhead:
    sgd = paddle.optimizer.SGD(0.1, parameters=[p])
    return LookAhead(sgd, **({"alpha": 0.5, "k": 3} | settings))


def _run(p: Any, lookahead: LookAhead, steps: int) -> list[float]:
    course = []
    for _ in range(steps):
        (p * 2.0).sum().backward()
        lookahead.step()
        lookahead.clear_grad()
        course.append(float(p))
    return course


def test_course() -> None:
    p = _parameter(1.0)
    np.testing.assert_allclose(_run(p, _made(p), 10), COURSE, atol=1e-6)


@pytest.mark.parametrize("alpha, expected", [(1.0, 0.4), (0.0, 0.8)])
def test_the_ends_of_alpha(alpha: float, expected: float) -> None:
    p = _parameter(1.0)
    assert _run(p, _made(p, alpha=alpha), 3)[-1] == pytest.approx(expected)


def test_minimize_is_a_step() -> None:
    p = _parameter(1.0)
    lookahead, course = _made(p), []
    for _ in range(6):
        loss = (p * 2.0).sum()
        loss.backward()
        ops, pairs = lookahead.minimize(loss)
        lookahead.clear_grad()
        course.append(float(p))
    assert ops == [] and pairs[0][0] is p
    np.testing.assert_allclose(course, COURSE[:6], atol=1e-6)


def test_frozen_parameters_stay() -> None:
    p, q = _parameter(1.0), _parameter(5.0)
    q.stop_gradient = True
    sgd = paddle.optimizer.SGD(0.1, parameters=[p, q])
    _run(p, LookAhead(sgd, k=1), 2)
    assert float(q) == 5.0


def test_training_goes_on_from_saved_state() -> None:
    p = _parameter(1.0)
    first = _made(p)
    _run(p, first, 3)
    state = {name: value.numpy() for name, value in first.state_dict().items()}
    assert [name.endswith("_slow_0") for name in state] == [True]
    again = _made(p)
    again.set_state_dict(state)
    np.testing.assert_allclose(_run(p, again, 7), COURSE[3:], atol=1e-6)


def test_learning_rate_is_the_inner_one() -> None:
    lookahead = _made(_parameter(1.0))
    lookahead.set_lr(0.25)
    assert lookahead.get_lr() == lookahead.inner_optimizer.get_lr() == 0.25


def test_programs() -> None:
    with harness.static() as (main, startup):
        first = paddle.nn.initializer.Constant(1.0)
        p = paddle.static.create_parameter([1], "float32", default_initializer=first)
        loss = paddle.sum(p * 2.0)
        LookAhead(paddle.optimizer.SGD(0.1), alpha=0.5, k=3).minimize(loss)
    scope, course = paddle.static.Scope(), []
    with paddle.static.scope_guard(scope):
        exe = paddle.static.Executor()
        exe.run(startup)
        for _ in range(10):
            exe.run(main)
            course.append(float(np.array(scope.find_var(p.name).get_tensor())[0]))
    np.testing.assert_allclose(course, COURSE, atol=1e-6)


def test_bad_input() -> None:
    sgd = paddle.optimizer.SGD(0.1, parameters=[_parameter(1.0)])
    with pytest.raises(TypeError, match="expected an Optimizer, but received NoneType"):
        LookAhead(None)
    for alpha in (-0.1, 1.5, "a"):
        with pytest.raises(ValueError, match=r"LookAhead\(alpha\): expected a number from 0 to 1"):
            LookAhead(sgd, alpha)
    for k in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match=r"LookAhead\(k\): expected a positive int"):
            LookAhead(sgd, 0.5, k)
