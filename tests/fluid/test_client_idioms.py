"""What real libraries of 1.x do and 1.8.5 takes; they themselves are run in tests/clients."""

from __future__ import annotations

import copy
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid

CPU = fluid.CPUPlace()


@pytest.fixture
def main() -> Any:
    made, startup = fluid.Program(), fluid.Program()
    with fluid.unique_name.guard(), fluid.program_guard(made, startup):
        with fluid.scope_guard(fluid.Scope()):
            yield made, startup


def test_a_variable_is_true_as_it_is_there(main: Any) -> None:
    bias = fluid.data("bias", [None, 4])
    chosen = "with" if bias else "without"  # as PaddlePALM, Senta and PaddleHub ask
    assert chosen == "with" and (bias and bias.name) == "bias"
    with pytest.warns(RuntimeWarning, match=r"is always true as a Python\s+condition"):
        assert bool(bias > 3.0)
    with paddle.static.program_guard(paddle.static.Program()):  # of 2.0, nobody said fluid
        with pytest.raises(TypeError, match="cannot be a Python condition"):
            bool(paddle.static.data("x", [2]))


def test_labels_without_a_trailing_one(main: Any) -> None:
    chances, label = fluid.data("p", [None, 3]), fluid.data("label", [None], "int64")
    cost = fluid.layers.cross_entropy(chances, label)
    assert cost.shape == (-1,)
    feed = {"p": np.full([2, 3], 0.25, "float32"), "label": np.array([0, 2])}
    np.testing.assert_allclose(
        fluid.Executor(CPU).run(main[0], feed, [cost])[0], [np.log(4)] * 2, rtol=1e-6
    )
    wide = fluid.data("wide", [None, 5, 1], "int64")
    with pytest.raises(ValueError, match=r"label\): expected a Variable of 2 or 1 dimensions"):
        fluid.layers.cross_entropy(chances, wide)
    with pytest.raises(ValueError, match=r"expected shape \[7\].*\[2\]"):
        fluid.layers.cross_entropy(fluid.data("q", [7, 3]), fluid.data("two", [2], "int64"))


def test_a_branch_that_does_not_run_needs_no_feed(main: Any) -> None:
    task = fluid.data("task", [1], "int64")
    one, two = fluid.data("one", [2]), fluid.data("two", [2])
    out = fluid.layers.switch_case(
        task, {0: lambda: fluid.layers.scale(one, 2.0), 1: lambda: fluid.layers.scale(two, 3.0)}
    )
    exe, ones = fluid.Executor(CPU), np.ones(2, "float32")
    for number, name, value in ((0, "one", 2), (1, "two", 3)):
        feed = {"task": np.array([number]), name: ones}
        assert exe.run(main[0], feed, [out])[0].tolist() == [value] * 2
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"variable 'two' is needed by operator scale"):
            exe.run(main[0], {"task": np.array([1]), "one": ones}, [out])


def test_names_are_counted_by_a_copy_of_the_generator() -> None:
    with fluid.unique_name.guard():
        fluid.unique_name.generate("fc")
        kept = copy.deepcopy(fluid.unique_name.generator)  # as PaddleHub keeps one for a phase
        assert [fluid.unique_name.generate("fc"), kept("fc"), kept("fc")] == [
            "fc_1", "fc_1", "fc_2",
        ]  # fmt: skip
        with fluid.unique_name.guard(kept):
            assert fluid.unique_name.generate("fc") == "fc_3"
        with fluid.unique_name.guard(fluid.unique_name.generator):
            assert fluid.unique_name.generator("fc") == "fc_2"
        assert dict(fluid.unique_name.generator.ids) == {"fc": 3}
        assert dict(copy.copy(fluid.unique_name.generator).ids) == {"fc": 3}
        assert fluid.unique_name.generator.prefix == ""


def test_a_clone_of_a_parameter_is_a_variable(main: Any) -> None:
    fluid.layers.fc(fluid.data("x", [None, 2]), 3)
    weight = main[0].global_block().all_parameters()[0]
    other = fluid.Program()
    made = other.global_block()._clone_variable(weight, force_persistable=False)
    assert made.persistable and made.shape == (2, 3) and not other.all_parameters()


def test_a_model_is_saved_without_some_inputs(main: Any, tmp_path: Path) -> None:
    out = fluid.layers.fc(fluid.data("x", [None, 2]), 3)
    exe = fluid.Executor(CPU)
    exe.run(main[1])
    with pytest.warns(UserWarning, match=r"they need \['x'\] too"):
        fluid.io.save_inference_model(str(tmp_path / "a"), [], [out], exe, main[0])
    program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / "a"), exe)
    assert feeds == []
    x = np.ones([2, 2], "float32")
    assert exe.run(program, {"x": x}, fetches)[0].shape == (2, 3)


def test_a_tensor_without_value_is_an_empty_array(main: Any) -> None:
    held = fluid.global_scope().var("nothing").get_tensor()
    assert np.array(held).shape == (0,) and np.array(held).dtype == np.float64
    with pytest.raises(RuntimeError, match="nothing was set"):
        held._dtype()


def test_what_is_true_is_counted() -> None:
    with fluid.dygraph.guard():
        mask = fluid.dygraph.to_variable(np.array([[3, 0, 5], [0, 0, 1]])) != 0
        assert fluid.layers.reduce_sum(mask, -1).numpy().tolist() == [2, 1]


def test_a_reader_tells_how_many_batches_wait(main: Any) -> None:
    reader = fluid.layers.py_reader(4, [[-1, 2]], ["float32"], use_double_buffer=False)
    assert reader.queue.size() == 0


def test_names_of_the_native_module() -> None:
    from paddle.fluid.core_avx import AnalysisConfig, PaddleTensor, VarDesc
    from paddle.fluid.framework import IrGraph

    assert AnalysisConfig is fluid.core.AnalysisConfig and PaddleTensor is fluid.core.PaddleTensor
    assert VarDesc is fluid.core.VarDesc
    with pytest.raises(TypeError, match=r"expected core.Graph\(program.desc\), but got type"):
        IrGraph(fluid.core.Graph, for_test=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fluid.core_avx.VarDesc.VarType.FP32 == fluid.core.VarDesc.VarType.FP32
