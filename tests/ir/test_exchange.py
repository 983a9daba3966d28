"""Programs made here: what is written for PaddlePaddle 2.6.2, and what it computed with that.

here_net_*.zip was written by `scripts/oracle/ours_in_262.py nets --freeze`: Programs of
scripts/oracle/nets_here.py as bytes, first values, and the numbers that 2.6.2 got. Freeze them
again when operators are recorded differently on purpose.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core.op import C
from paddle.executor.executor import Executor
from paddle.executor.scope import Scope
from paddle.ir.autodiff.backward import gradients
from paddle.ir.cloning import clone
from paddle.ir.program import Program
from paddle.serialization.program import proto
from tests import rounding
from tests.static.harness import data, run
from tests.static.harness import static as recording

sys.path.insert(0, str(Path(__file__).parent))
import corpus_cases

HERE = corpus_cases.names("here_net")


@pytest.fixture(scope="session")
def nets() -> Any:
    """scripts/oracle/nets_here.py"""
    path = Path(__file__).parents[2] / "scripts" / "oracle" / "nets_here.py"
    spec = importlib.util.spec_from_file_location("nets_here", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def close(found: Any, expected: np.ndarray, name: str) -> None:
    found = np.asarray(found)
    assert found.dtype == expected.dtype, name
    assert found.shape == (expected.shape or (1,)), name
    rounding.close(found, expected.reshape(found.shape), terms=128, least=1.0, name=name)


@pytest.mark.parametrize("name", HERE)
def test_the_same_net_is_still_written_like_that(name: str, nets: Any) -> None:
    case = corpus_cases.read_case(name)
    with recording() as (main, _):
        feeds, fetches = nets.CASES[case.meta["case"]]()
    assert [v.name for v in fetches] == case.meta["fetches"]
    assert sorted(feeds) == sorted(case.meta["feeds"])
    frozen = proto.from_bytes(case.files["main.pb"])
    assert str(proto.from_bytes(proto.to_bytes(main))) == str(frozen)
    assert proto.to_bytes(main) == case.files["main.pb"]


@pytest.mark.parametrize("name", HERE)
def test_262_gets_the_same_numbers(name: str) -> None:
    """The file runs here as it did there, step by step, and leaves the same values."""
    case = corpus_cases.read_case(name)
    program = proto.from_bytes(case.files["main.pb"])
    executor, scope = Executor(paddle.CPUPlace()), Scope()
    for key, value in case.values("params.npz").items():
        scope.var(key).get_tensor().set(value, paddle.CPUPlace())
    rates, found = case.meta.get("rates"), []
    for step in range(case.meta["steps"]):
        if rates:
            value = np.array([rates["values"][step]], "float32")
            scope.var(rates["variable"]).get_tensor().set(value, paddle.CPUPlace())
        feed = case.values("feeds.npz")
        found.append(executor.run(program, feed, case.meta["fetches"], scope=scope))
    for key, value in case.values("expected.npz").items():
        if key.startswith("after/"):
            stored = scope.find_var(key.removeprefix("after/")).get_tensor().numpy()
            close(stored, value, key)
            continue
        at = int(key.removeprefix("fetch_"))
        for step, run_ in enumerate(found):
            close(run_[at], value[step], f"{key} of step {step}")


def test_a_model_with_two_inputs_is_what_262_loaded(tmp_path: Path) -> None:
    """here_words.zip: 2.6.2 ran it by load_inference_model and as a layer of jit.load."""
    case = corpus_cases.read_case("here_words")
    case.unpack(tmp_path)
    executor = Executor(paddle.CPUPlace())
    paddle.enable_static()
    try:
        with static.scope_guard(Scope()):
            program, feeds, fetches = static.load_inference_model(
                str(tmp_path / "model" / "net"), executor
            )
            found = executor.run(program, case.values("feeds.npz"), fetches)
            assert feeds == ["ids", "lengths"]
            ops = [op for op in program.global_block().ops if op.type == "feed"]
            inputs = [program.global_block().var(n) for n in feeds]
            again = static.serialize_program(inputs, fetches, program=program)
    finally:
        paddle.disable_static()
    # jit.load of 2.6.2 takes the inputs from the last feed operator to the first.
    ops = [op for op in proto.from_bytes(again).global_block().ops if op.type == "feed"]
    assert [(op.attr("col"), op.output("Out")) for op in ops] == [(1, ["lengths"]), (0, ["ids"])]
    close(found[0], case.values("oracle.npz")["fetch_0"], "fetch_0")


# -- what is added for 2.6.2 ----------------------------------------------------------------------


def written(record: Any, backward: bool = False) -> dict[str, Any]:
    """Records what a function computes of x [2, 3]; returns the operators written, by type."""
    with recording() as (main, _):
        x = data("x", np.zeros([2, 3], "float32"), stop_gradient=False)
        out = record(x)
        if backward:
            gradients([out], [x])
    again = proto.from_bytes(proto.to_bytes(main))
    return {op.type: op for op in again.global_block().ops}


def test_attributes_that_262_insists_on() -> None:
    ops = written(lambda x: paddle.unstack(x, 1)[0], backward=True)
    assert ops["unstack"].attr("num") == ops["unstack_grad"].attr("num") == 3
    assert written(lambda x: paddle.split(x, 3, axis=-1)[0])["split"].attr("axis") == 1
    wide = written(lambda x: paddle.expand_as(x, paddle.ones([4, 2, 3])), backward=True)
    assert wide["expand_as_v2"].attr("target_shape") == [4, 2, 3]
    assert wide["expand_as_v2_grad"].attr("target_shape") == [4, 2, 3]
    cut = written(lambda x: paddle.strided_slice(x, [0, 1], [0, 2], [2, 0], [1, -1]))
    assert cut["strided_slice"].attr("infer_flags") == [1, 1]
    flags = written(lambda x: x[paddle.full([1], 1, "int64")])["slice"].attr("infer_flags")
    assert flags == [-1]


def test_slots_and_results_that_262_insists_on() -> None:
    ops = written(lambda x: paddle.nn.functional.layer_norm(x, 3))
    assert ops["layer_norm"].input("Scale") == ops["layer_norm"].input("Bias") == []
    assert written(lambda x: paddle.tile(x, [2, 1]))["tile"].input("RepeatTimes") == []
    ops = written(lambda x: C.meshgrid([x[0], x[1]])[0], backward=True)
    grid = ops["meshgrid_grad"]
    assert grid.input("outputs@GRAD") == grid.input("Out@GRAD") != []


def normalised(x: Any) -> Any:
    weights = [data(n, np.ones(3, "float32")) for n in ("mean", "variance", "scale")]
    bias = data("bias", np.ones(3, "float32"), stop_gradient=False)
    return paddle.nn.functional.batch_norm(x, *weights, bias, training=True)


def test_gradients_of_scale_and_bias_come_together() -> None:
    with recording() as (main, _):
        x = data("x", np.zeros([2, 3], "float32"), stop_gradient=False)
        out = normalised(x)
        gradients([out], [x, main.global_block().var("bias")])
    again = proto.from_bytes(proto.to_bytes(main)).global_block()
    op = next(op for op in again.ops if op.type == "batch_norm_grad")
    assert op.output("Bias@GRAD") == ["bias@GRAD"]
    assert op.output("Scale@GRAD") == ["scale@GRAD@UNUSED"]
    assert again.var("scale@GRAD@UNUSED").shape == (3,)
    made = next(op for op in main.global_block().ops if op.type == "batch_norm_grad")
    assert "Scale@GRAD" not in made.outputs  # the Program itself stays as it is


def test_a_gradient_that_would_be_overwritten_is_copied() -> None:
    def replace(x: Any) -> Any:
        y = x * 1.0
        y[1] = x[0]
        return y * 1.0

    feed = {"x": np.arange(6, dtype="float32").reshape(2, 3)}
    with recording() as (main, startup):
        x = data("x", feed["x"], stop_gradient=False)
        found = gradients([replace(x)], [x])
        again = proto.from_bytes(proto.to_bytes(main))
    op = next(op for op in again.global_block().ops if op.type == "set_value_grad")
    assert op.input("Out@GRAD") != op.output("Input@GRAD")
    expected = run(main, startup, feed, found)[0]
    np.testing.assert_array_equal(expected, [[2, 2, 2], [0, 0, 0]])
    values = run(again, Program(), feed, [again.global_block().var(found[0].name)])
    np.testing.assert_array_equal(values[0], expected)


@pytest.mark.parametrize("name", ["while_trained", "static_rnn", "arrays_in_a_loop"])
def test_nothing_is_added_twice(name: str) -> None:
    data_ = corpus_cases.read_case(f"here_net_{name}").files["main.pb"]
    assert proto.to_bytes(proto.from_bytes(data_)) == data_
    assert proto.to_bytes(clone(proto.from_bytes(data_))) == data_


def test_where_broadcasts_by_operators_that_others_have() -> None:
    ops = written(lambda x: paddle.where(paddle.isfinite(x), x, 1.0))
    assert ops["expand_as_v2"].input("X") == ops["fill_constant"].output("Out")
    feed = {"a": np.array([[1.0], [-1.0]], "float32"), "b": np.array([[5.0, 6.0]], "float32")}
    with recording() as (main, startup):
        a, b = (data(n, v) for n, v in feed.items())
        out = paddle.where(a > 0.0, a, b)  # none has the result's shape: the operator itself
    assert "expand_as_v2" not in [op.type for op in main.global_block().ops]
    np.testing.assert_array_equal(run(main, startup, feed, [out])[0], [[1, 1], [5, 6]])
