"""Looking into a run: FLAGS_check_nan_inf, PADDLE_DEBUG=plan, passes and time."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import paddle
import paddle.static as static
from paddle.core.errors import PreconditionNotMetError
from paddle.executor import debug
from paddle.executor.plan import Plan
from tests.executor.building import building, run, started

X = {"x": np.array([[1.0, 2.0], [3.0, 4.0]], "float32")}


@pytest.fixture
def checked():
    """Runs with FLAGS_check_nan_inf."""
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    yield
    paddle.set_flags({"FLAGS_check_nan_inf": False})


def data():
    return static.data("x", [None, 2])


def line_of(function, words):
    """The number of a line in a function of this file."""
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, text in enumerate(lines) if words in text)


# -- FLAGS_check_nan_inf ---------------------------------------------------------------------------


def logarithm(x):
    y = x * 2.0
    z = paddle.log(y - 4.0)
    return paddle.exp(z)


def test_the_operator_and_the_line_are_named(checked):
    with building() as (main, _):
        out = logarithm(data())
    with pytest.raises(PreconditionNotMetError) as caught:
        run(main, X, [out])
    text = str(caught.value)
    assert "Operator log output 'log_0.tmp_0' contains NaN or Inf: 1 NaN and 1 Inf among 4" in text
    assert "elements of shape [2, 2]" in text
    assert f'File "{__file__}", line {line_of(logarithm, "paddle.log")}, in logarithm' in text
    assert "z = paddle.log(y - 4.0)" in text


def test_finite_values_pass_and_the_flag_may_change_between_runs():
    with building() as (main, _):
        out = logarithm(data())
    exe, scope = static.Executor(paddle.CPUPlace()), static.Scope()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (free,) = exe.run(main, X, [out], scope=scope)
    assert np.isnan(free).any()
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        with pytest.raises(PreconditionNotMetError, match="NaN or Inf"):
            exe.run(main, X, [out], scope=scope)
        feed = {"x": X["x"] + 5.0}
        (fine,) = exe.run(main, feed, [out], scope=scope)
        np.testing.assert_allclose(fine, feed["x"] * 2 - 4, rtol=1e-5)
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})
    (again,) = exe.run(main, X, [out], scope=scope)
    np.testing.assert_array_equal(again, free)


def test_gradients_and_updates_are_checked(checked):
    def trained(rate):
        with building() as (main, startup):
            w = static.create_parameter([2], "float32", name="w")
            loss = paddle.mean(paddle.sqrt(paddle.abs(data() * w)))
            paddle.optimizer.SGD(rate).minimize(loss)
        return main, startup, loss

    main, startup, loss = trained(0.1)
    with pytest.raises(
        PreconditionNotMetError, match=r"Operator sqrt_grad output 'abs_0.tmp_0@GRAD"
    ):
        run(main, {"x": X["x"] * 0.0}, [loss], started(startup))
    main, startup, loss = trained(3e38)
    with pytest.raises(
        PreconditionNotMetError,
        match=r"Operator sgd output 'w' contains NaN or Inf: 0 NaN and 2 Inf",
    ):
        run(main, {"x": X["x"] * 1e6}, [loss], started(startup))


def test_every_operator_runs_by_itself(checked, monkeypatch):
    seen = []
    monkeypatch.setattr(
        debug, "check_finite", lambda op, *buffers: seen.append((op.type, len(buffers)))
    )
    with building() as (main, startup):
        loss = paddle.mean(paddle.nn.functional.relu(static.nn.fc(data(), 2)))
        paddle.optimizer.Adam(0.1).minimize(loss)
    run(main, X, [loss], started(startup))
    found = [name for name, _ in seen]
    top = [op.type for op in main.global_block().ops]
    assert found[-len(top) :] == top and found.count("adam") == 2
    assert "linear" not in found and "merged_update" not in found


def test_blocks_are_checked_inside(checked):
    with building() as (main, _):
        x = data()
        out = static.nn.cond(paddle.mean(x) > 0.0, lambda: paddle.log(-x), lambda: x)
    with pytest.raises(PreconditionNotMetError, match=r"Operator log output .*\n.*\n.*lambda"):
        run(main, X, [out])


def test_several_places_are_checked(checked):
    with building() as (main, _):
        out = logarithm(data())
    compiled = static.CompiledProgram(main).with_data_parallel(places=static.cpu_places(2))
    with pytest.raises(PreconditionNotMetError, match=r"Operator log output[\s\S]*in logarithm"):
        run(compiled, X, [out])


def test_other_types_than_floats_are_let_through(checked):
    with building() as (main, _):
        out = paddle.cast(data(), "int64") + 1
    assert run(main, X, [out])[0].tolist() == [[2, 3], [4, 5]]


# -- PADDLE_DEBUG ----------------------------------------------------------------------------------


def test_the_source_of_a_plan_is_printed_when_it_is_made(monkeypatch, capsys):
    monkeypatch.setenv("PADDLE_DEBUG", "plan")
    with building() as (main, _):
        out = paddle.tanh(data())
    exe, scope = static.Executor(paddle.CPUPlace()), static.Scope()
    exe.run(main, X, [out], scope=scope)
    text = capsys.readouterr().out
    assert f"# <plan {Plan.built}>: feed ['x'], fetch ['{out.name}']" in text
    assert "def step(x):" in text and "= tanh(x)" in text and "return (" in text
    exe.run(main, X, [out], scope=scope)
    assert capsys.readouterr().out == ""


def test_several_things_can_be_printed(monkeypatch, capsys):
    monkeypatch.setenv("PADDLE_DEBUG", "plan,passes")
    with building() as (main, _):
        out = paddle.tanh(data())
    run(main, X, [out])
    text = capsys.readouterr().out
    assert "# pass dead_code" in text and "def step(x):" in text


def test_the_time_of_operators(monkeypatch):
    monkeypatch.setenv("PADDLE_DEBUG", "time")
    monkeypatch.setattr(debug, "_times", {"before": [0.0, 0]})  # nothing is printed at the end
    with building() as (main, _):
        x = data()
        out = paddle.tanh(paddle.tanh(x)) + x
    for _ in range(3):
        run(main, X, [out])
    rows = {line.split()[0]: line.split() for line in debug.timings().splitlines()}
    assert rows["tanh"][1:3] == ["6", "calls"] and rows["elementwise_add"][1:3] == ["3", "calls"]
    assert all(row[-1] == "ms" and float(row[-2]) >= 0.0 for row in rows.values())


SCRIPT = """
import numpy as np, paddle
paddle.enable_static()
x = paddle.static.data("x", [None, 2])
out = paddle.tanh(x)
for _ in range(4):
    paddle.static.Executor().run(feed={"x": np.ones([1, 2], "float32")}, fetch_list=[out])
"""


def test_times_are_printed_when_the_process_ends():
    environment = {**os.environ, "PADDLE_DEBUG": "time"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "tanh" in done.stderr and "4 calls" in done.stderr
