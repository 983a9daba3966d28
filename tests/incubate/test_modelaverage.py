"""ModelAverage: means over windows, eagerly and in Programs; saving; bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
from paddle.incubate import ModelAverage
from tests.static import harness

# By PaddlePaddle 2.6.2: the means after each step, of a parameter that is 1, 2, ... 10.
MEANS = [1.0, 1.5, 2.0, 3.5, 4.0, 5.5, 6.0, 7.5, 8.0, 9.5]
WINDOW = {"min_average_window": 2, "max_average_window": 4}


def _made(**settings: Any) -> tuple[Any, ModelAverage]:
    p = paddle.create_parameter([1], "float32")
    return p, ModelAverage(0.15, parameters=[p], **(WINDOW | settings))


def test_means() -> None:
    p, average = _made()
    for step, mean in enumerate(MEANS, 1):
        p.set_value(np.float32([step]))
        average.step()
        with average.apply():
            assert float(p) == pytest.approx(mean)
        assert float(p) == step


def test_a_wide_window_takes_all() -> None:
    p, average = _made(min_average_window=100, max_average_window=200)
    for step in range(1, 10):
        p.set_value(np.float32([step]))
        average.minimize(p.sum())
    with average.apply():
        assert float(p) == pytest.approx(5.0)


def test_restoring_later() -> None:
    p, average = _made()
    for step in (1.0, 3.0):
        p.set_value(np.float32([step]))
        average.step()
    with average.apply(need_restore=False):
        assert float(p) == 2.0
    assert float(p) == 2.0
    average.restore()
    assert float(p) == 3.0


def test_an_error_in_the_block_restores_too() -> None:
    p, average = _made()
    p.set_value(np.float32([1.0]))
    average.step()
    p.set_value(np.float32([7.0]))
    with pytest.raises(KeyError), average.apply():
        assert float(p) == 1.0
        raise KeyError
    assert float(p) == 7.0


def test_state() -> None:
    p, average = _made()
    for step in (1.0, 2.0, 3.0):
        p.set_value(np.float32([step]))
        average.step()
    state = {name: value.numpy() for name, value in average.state_dict().items()}
    assert {name.removeprefix(f"{p.name}_") for name in state} == {
        "sum_1_0", "sum_2_0", "sum_3_0", "num_accumulates_0", "old_num_accumulates_0",
        "num_updates_0",
    }  # fmt: skip
    again = ModelAverage(0.15, parameters=[p], **WINDOW)
    again.set_state_dict(state)
    p.set_value(np.float32([4.0]))
    again.step()
    with again.apply():
        assert float(p) == pytest.approx(MEANS[3])


def test_programs() -> None:
    with harness.static() as (main, startup):
        first = paddle.nn.initializer.Constant(0.0)
        p = paddle.static.create_parameter([1], "float32", default_initializer=first)
        paddle.optimizer.SGD(0.1).minimize(paddle.sum(p * -10.0))
        average = ModelAverage(0.15, **WINDOW)
        with pytest.raises(TypeError, match="expected an Executor, but received NoneType"):
            with average.apply():
                pass
    scope = paddle.static.Scope()

    def value() -> float:
        return float(np.array(scope.find_var(p.name).get_tensor())[0])

    with paddle.static.scope_guard(scope):
        exe = paddle.static.Executor()
        exe.run(startup)
        for step, mean in enumerate(MEANS, 1):
            exe.run(main)
            with average.apply(exe):
                assert value() == pytest.approx(mean)
            assert value() == pytest.approx(step)
        with average.apply(exe, need_restore=False):
            pass
        assert value() == pytest.approx(MEANS[-1])
        average.restore(exe)
        assert value() == pytest.approx(10)


def test_bad_input() -> None:
    p, average = _made()
    with pytest.raises(RuntimeError, match=r"step\(\) was not called"):
        with average.apply():
            pass
    with pytest.raises(RuntimeError, match=r"expected apply\(\) before"):
        average.restore()
    with pytest.raises(TypeError, match="expected None in dynamic mode, but received int"):
        average.restore(3)
    with pytest.raises(ValueError, match="expected at most max_average_window = 4"):
        _made(min_average_window=5)
    with pytest.raises(ValueError, match=r"minimize\(parameters\): expected None"):
        average.minimize(p.sum(), parameters=[p])
    with pytest.raises(ValueError, match=r"\(average_window_rate\): expected a share of at least"):
        paddle.incubate.ModelAverage(-0.5, parameters=[p])


def test_what_was_restored_is_not_restored_again() -> None:
    p, average = _made()
    average.step()
    with average.apply():
        pass
    p.set_value(p.numpy() + 1)
    with pytest.raises(RuntimeError, match=r"expected apply\(\) before"):
        average.restore()
