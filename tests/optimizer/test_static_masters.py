"""multi_precision in static Programs: float32 copies of parameters of 16 bits."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core import unique_name
from tests import rounding
from tests.optimizer.test_static import building, executor

OPTIMIZERS = ["Momentum", "Adam", "AdamW"]
SLOTS = ["Param", "ParamOut", "MasterParam", "MasterParamOut"]
START, SLOPE = np.array([1.0, -2.0, 0.5], "float32"), np.array([0.5, 0.25, -1.0], "float32")


def recorded(name: str, dtype: str, multi: bool = True) -> Any:
    """A parameter whose gradient is fed, and its optimizer."""
    parameter = static.create_parameter(
        [3], dtype, attr=paddle.ParamAttr(initializer=paddle.nn.initializer.Assign(START))
    )
    slope = static.data("slope", [3], dtype)
    options = {"multi_precision": True} if multi else {}
    optimizer = getattr(paddle.optimizer, name)(1e-3, **options)
    optimizer.minimize(paddle.sum(parameter * slope))
    return parameter, optimizer


def feed(dtype: str) -> dict[str, Any]:
    return {"slope": paddle.to_tensor(SLOPE).astype(dtype)}


@contextlib.contextmanager
def eagerly() -> Iterator[None]:
    """Dynamic mode inside of static mode."""
    paddle.disable_static()
    try:
        yield
    finally:
        paddle.enable_static()


def exact(name: str) -> np.ndarray:
    """The value in the scope as float32."""
    with eagerly():
        held = static.global_scope().find_var(name).get_tensor().tensor
        return held.astype("float32").numpy()


def run(exe: Any, main: Any, dtype: str, count: int = 1) -> None:
    with eagerly():
        given = feed(dtype)
    for _ in range(count):
        exe.run(main, feed=given)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_masters_go_on_where_16_bits_do_not(name: str, dtype: str) -> None:
    with building() as (main, startup, _):
        low, optimizer = recorded(name, dtype)
        run(executor(startup), main, dtype, 20)
        (master,) = optimizer._recorded.masters.values()
        copy, rounded = exact(master.name), exact(low.name)
        top = main.global_block()
        op = next(o for o in top.ops if o.type == name.lower())
        assert [[*op.inputs.get(s, []), *op.outputs.get(s, [])] for s in SLOTS] == [
            [low.name], [low.name], [master.name], [master.name]
        ]  # fmt: skip
        assert op.attr("multi_precision") is True
        kept = op.inputs.get("Moment1") or op.inputs["Velocity"]
        assert top.var(kept[0]).dtype == master.dtype == paddle.float32
    with building() as (main, startup, _):
        high, _ = recorded(name, "float32")
        run(executor(startup), main, "float32", 20)
        np.testing.assert_allclose(copy, exact(high.name), rtol=1e-6)
    assert np.abs(copy - rounded).max() > 0
    paddle_round = paddle.to_tensor(copy).astype(dtype).astype("float32").numpy()
    np.testing.assert_array_equal(rounded, paddle_round)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_same_as_in_dynamic_mode(name: str) -> None:
    with building() as (main, startup, _):
        low, optimizer = recorded(name, "bfloat16")
        run(executor(startup), main, "bfloat16", 5)
        held = optimizer.state_dict()
        wanted = {k: v.numpy() for k, v in held.items() if k != "master_weights"}
        masters = {k: v.numpy() for k, v in held["master_weights"].items()}
        first = low.name
    with unique_name.guard():
        weight = paddle.create_parameter([3], "bfloat16", name=first)
        weight.set_value(paddle.to_tensor(START).astype("bfloat16"))
        eager = getattr(paddle.optimizer, name)(1e-3, parameters=[weight], multi_precision=True)
        for _ in range(5):
            paddle.sum(weight * feed("bfloat16")["slope"]).backward()
            eager.step()
            eager.clear_grad()
        state = eager.state_dict()
    assert {k: v.name for k, v in state.pop("master_weights").items()} == {
        first: f"{first}_fp32_master_0"
    }
    np.testing.assert_allclose(masters[first], eager._master_weights[first].numpy(), rtol=1e-6)
    assert state.keys() == wanted.keys()
    for key, value in state.items():
        np.testing.assert_allclose(wanted[key], value.numpy(), rtol=1e-5, err_msg=key)


def test_parameters_of_32_bits_have_no_master() -> None:
    with building() as (main, startup, _):
        _, optimizer = recorded("Adam", "float32")
        run(executor(startup), main, "float32")
        op = main.global_block().ops[-1]
        assert op.type == "adam" and not op.inputs.get("MasterParam")
        assert "multi_precision" not in op.attrs
        assert "master_weights" not in optimizer.state_dict()


def test_a_new_value_of_the_parameter_reaches_its_master() -> None:
    with building() as (main, startup, _):
        low, optimizer = recorded("Momentum", "bfloat16")
        exe = executor(startup)
        run(exe, main, "bfloat16", 3)
        with eagerly():
            value = paddle.full([3], 8.0, "bfloat16")
        low.set_value(value)
        run(exe, main, "bfloat16")
        assert np.abs(exact(optimizer._recorded.masters[low.name].name) - 8.0).max() < 0.05


def test_state_is_saved_and_goes_on(tmp_path: Path) -> None:
    path = str(tmp_path / "x.pdopt")
    with building() as (main, startup, _):
        low, optimizer = recorded("Adam", "bfloat16")
        exe = executor(startup)
        run(exe, main, "bfloat16", 3)
        paddle.save(optimizer.state_dict(), path)
        with eagerly():
            weights = static.global_scope().find_var(low.name).get_tensor().tensor.clone()
        run(exe, main, "bfloat16", 30)
        wanted = exact(optimizer._recorded.masters[low.name].name)
    with building() as (main, startup, _):
        low, optimizer = recorded("Adam", "bfloat16")
        exe = executor(startup)
        low.set_value(weights)
        optimizer.set_state_dict(paddle.load(path))
        run(exe, main, "bfloat16", 30)
        np.testing.assert_array_equal(exact(optimizer._recorded.masters[low.name].name), wanted)
        with pytest.warns(UserWarning, match=r"master_weights\['stranger'\]"):
            optimizer.set_state_dict({"master_weights": {"stranger": START}})


def test_sgd_of_a_program_with_a_master(tmp_path: Path) -> None:
    with building() as (main, startup, _):
        block = main.global_block()
        for name, dtype in (("w", "float16"), ("m", "float32"), ("r", "float32")):
            block.create_var(name=name, shape=[1 if name == "r" else 3], dtype=dtype,
                             persistable=True)  # fmt: skip
        static.data("slope", [3], "float16")
        block.append_op(
            "sgd",
            {"Param": "w", "Grad": "slope", "LearningRate": "r", "MasterParam": "m"},
            {"ParamOut": "w", "MasterParamOut": "m"},
            {"multi_precision": True},
        )
        for name, value in (("w", START.astype("float16")), ("m", START), ("r", [1e-5])):
            static.global_scope().var(name).get_tensor().set(np.asarray(value))
        static.global_scope().var("r").get_tensor().set(np.array([1e-5], "float32"))
        run(executor(startup), main, "float16", 10)
        rounding.close(exact("m"), START - 1e-4 * SLOPE, terms=3 * 10)
        np.testing.assert_array_equal(exact("w"), exact("m").astype("float16").astype("float32"))
