"""Limits of a Program's run: off by default, and then not in the function at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core.errors import ExecutionTimeoutError
from paddle.executor.plan import Plan

OFF = {"FLAGS_run_limit_seconds": 0, "FLAGS_run_limit_steps": 0}


@pytest.fixture(autouse=True)
def no_limits() -> Iterator[None]:
    yield
    paddle.set_flags(OFF)


@pytest.fixture
def static_mode() -> Iterator[None]:
    paddle.enable_static()
    with static.scope_guard(static.Scope()):
        yield
    paddle.disable_static()


def counting(limit: str = "n") -> tuple[Any, Any]:
    """A Program that counts from 0 to what is fed."""
    main = static.Program()
    with static.program_guard(main, static.Program()):
        n = static.data("n", [1], "int64")
        i = paddle.zeros([1], "int64")
        (out,) = static.nn.while_loop(lambda i: i < n, lambda i: [i + 1], [i])
    return main, out


def run(exe: Any, main: Any, out: Any, n: int) -> int:
    return int(exe.run(main, feed={"n": np.array([n])}, fetch_list=[out])[0][0])


def test_nothing_is_written_without_a_limit(
    static_mode: None, capfd: Any, monkeypatch: Any
) -> None:
    monkeypatch.setenv("PADDLE_DEBUG", "plan")
    main, out = counting()
    exe = static.Executor(paddle.CPUPlace())
    assert run(exe, main, out, 3) == 3
    assert "limit" not in capfd.readouterr().out
    paddle.set_flags({"FLAGS_run_limit_steps": 5})
    assert run(exe, main, out, 3) == 3
    assert "limit.step()" in capfd.readouterr().out


def test_steps_of_loops_are_limited(static_mode: None) -> None:
    main, out = counting()
    exe = static.Executor(paddle.CPUPlace())
    assert run(exe, main, out, 50) == 50
    paddle.set_flags({"FLAGS_run_limit_steps": 10})
    assert run(exe, main, out, 10) == 10
    with pytest.raises(ExecutionTimeoutError, match=r"FLAGS_run_limit_steps=10 steps"):
        run(exe, main, out, 11)
    assert run(exe, main, out, 10) == 10  # every run counts anew
    paddle.set_flags(OFF)
    built = Plan.built
    assert run(exe, main, out, 50) == 50  # the plan of before
    assert Plan.built == built


def test_a_loop_without_end_is_stopped(static_mode: None) -> None:
    """A counter that is never written: what a damaged Program may do."""
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data("x", [1])
        i = paddle.zeros([1])
        (out,) = static.nn.while_loop(lambda i: i < 1.0, lambda i: [i + x], [i])
    exe = static.Executor(paddle.CPUPlace())
    for flag, value in (("steps", 1000), ("seconds", 0.05)):
        paddle.set_flags({**OFF, f"FLAGS_run_limit_{flag}": value})
        with pytest.raises(RuntimeError, match=f"FLAGS_run_limit_{flag}={value}"):
            exe.run(main, feed={"x": np.zeros(1, "float32")}, fetch_list=[out])
        exe.run(main, feed={"x": np.ones(1, "float32")}, fetch_list=[out])


def test_a_straight_program_is_stopped_between_operators(
    static_mode: None, monkeypatch: Any
) -> None:
    from paddle.executor import limits

    clock = iter(range(0, 1000, 3))
    main = static.Program()
    with static.program_guard(main, static.Program()):
        y = static.data("x", [1])
        for _ in range(20):
            y = paddle.cumsum(y)
    exe = static.Executor(paddle.CPUPlace())
    paddle.set_flags({"FLAGS_run_limit_seconds": 20})
    monkeypatch.setattr(limits.time, "monotonic", lambda: next(clock))
    with pytest.raises(ExecutionTimeoutError, match=r"(?s)limit_seconds=20\.0.*cumsum"):
        exe.run(main, feed={"x": np.ones(1, "float32")}, fetch_list=[y])


@pytest.mark.parametrize("places", [1, 2])
def test_compiled_programs_are_limited(static_mode: None, places: int) -> None:
    main, out = counting()
    compiled = static.CompiledProgram(main)
    if places > 1:
        compiled = compiled.with_data_parallel(places=static.cpu_places(places))
    exe = static.Executor(paddle.CPUPlace())
    feed = [{"n": np.array([6])}] * places if places > 1 else {"n": np.array([6])}
    exe.run(compiled, feed=feed, fetch_list=[out])
    paddle.set_flags({"FLAGS_run_limit_steps": 5})
    with pytest.raises(ExecutionTimeoutError):
        exe.run(compiled, feed=feed, fetch_list=[out])


@pytest.mark.parametrize("trained", [False, True])
def test_converted_functions_are_limited(trained: bool) -> None:
    @paddle.jit.to_static
    def repeat(x: Any, n: Any) -> Any:
        while n > 0:
            x = x * 2
            n = n - 1
        return x

    def call(count: int) -> Any:
        x = paddle.ones([2])
        x.stop_gradient = not trained
        y = repeat(x, paddle.to_tensor([count]))
        if trained:
            y.sum().backward()
            assert x.grad.numpy().tolist() == [2.0**count] * 2
        return y

    assert call(6).numpy()[0] == 64
    paddle.set_flags({"FLAGS_run_limit_steps": 5, "FLAGS_run_limit_seconds": 60})
    assert call(5).numpy()[0] == 32
    with pytest.raises(ExecutionTimeoutError):
        call(6)
    paddle.set_flags(OFF)
    assert call(6).numpy()[0] == 64


def test_deep_nests_count_together(static_mode: None) -> None:
    main = static.Program()
    with static.program_guard(main, static.Program()):
        total = paddle.zeros([1], "int64")

        def nest(depth: int, total: Any) -> Any:
            if not depth:
                return total + 1
            i = paddle.zeros([1], "int64")
            _, total = static.nn.while_loop(
                lambda i, t: i < 2, lambda i, t: [i + 1, nest(depth - 1, t)], [i, total]
            )
            return total

        out = nest(3, total)
    exe = static.Executor(paddle.CPUPlace())
    paddle.set_flags({"FLAGS_run_limit_steps": 14})  # 2 + 4 + 8
    assert int(exe.run(main, fetch_list=[out])[0][0]) == 8
    paddle.set_flags({"FLAGS_run_limit_steps": 13})
    with pytest.raises(ExecutionTimeoutError):
        exe.run(main, fetch_list=[out])


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), "soon", None])
@pytest.mark.parametrize("flag", ["FLAGS_run_limit_seconds", "FLAGS_run_limit_steps"])
def test_limits_that_are_none(flag: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"{flag}: expected (int|float), finite and at least 0"):
        paddle.set_flags({flag: value})
    assert paddle.get_flags(flag)[flag] == 0
