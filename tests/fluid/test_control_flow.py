"""Control flow of fluid beyond the cases: wrong use, empty sequences, gradients, dynamic mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid

layers = fluid.layers


@pytest.fixture
def program() -> Iterator[Any]:
    paddle.enable_static()
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        yield fluid.default_main_program()
    paddle.disable_static()


def run(feed: dict, fetches: list, **kwargs: Any) -> list:
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    return exe.run(fluid.default_main_program(), feed, fetches, **kwargs)


def rows(array: Any, *lengths: list[int]) -> Any:
    return fluid.create_lod_tensor(np.array(array, "float32"), list(lengths), fluid.CPUPlace())


def summed(x: Any, **kwargs: Any) -> Any:
    """The running sums of sequences, by a DynamicRNN."""
    rnn = layers.DynamicRNN()
    with rnn.block():
        row = rnn.step_input(x)
        total = rnn.memory(shape=[1], **kwargs)
        new = total + row
        rnn.update_memory(total, new)
        rnn.output(new)
    return rnn()


# -- sequences ------------------------------------------------------------------------------------


@pytest.mark.parametrize("lengths", [[2, 0, 3], [0, 5], [1, 1, 1, 1, 1], [5]])
def test_dynamic_rnn_over_empty_and_equal_sequences(program: Any, lengths: list[int]) -> None:
    x = fluid.data("x", [None, 1], lod_level=1)
    (found,) = run({"x": rows(np.ones([5, 1]), lengths)}, [summed(x)], return_numpy=False)
    want = np.concatenate([np.arange(n) + 1 for n in lengths])
    np.testing.assert_array_equal(np.array(found)[:, 0], want)
    assert found.recursive_sequence_lengths() == [lengths]


def test_dynamic_rnn_passes_gradients_to_every_row(program: Any) -> None:
    x = fluid.data("x", [None, 1], lod_level=1)
    x.stop_gradient = False
    loss = layers.reduce_sum(summed(x))
    (gradient,) = fluid.gradients([loss], [x])
    feed = {"x": rows(np.ones([6, 1]), [1, 3, 2])}
    (found,) = run(feed, [gradient], return_numpy=False)
    np.testing.assert_array_equal(np.array(found)[:, 0], [1, 3, 2, 1, 2, 1])


def test_a_program_runs_with_other_lengths(program: Any) -> None:
    x = fluid.data("x", [None, 1], lod_level=1)
    out = summed(x)
    for lengths in ([3, 1], [1, 2, 4], [2]):
        (found,) = run({"x": rows(np.ones([sum(lengths), 1]), lengths)}, [out], return_numpy=False)
        want = np.concatenate([np.arange(n) + 1 for n in lengths])
        np.testing.assert_array_equal(np.array(found)[:, 0], want)


def test_if_else_splits_sequences(program: Any) -> None:
    x = fluid.data("x", [None, 1], lod_level=1)
    key = fluid.data("key", [None, 1], "bool")
    ways = layers.IfElse(key)
    with ways.true_block():
        ways.output(ways.input(x) * 10.0)
    with ways.false_block():
        ways.output(ways.input(x) - 1.0)
    (out,) = ways()
    feed = {"x": rows([[1], [2], [3], [4]], [1, 2, 1]), "key": np.array([[True], [False], [True]])}
    (found,) = run(feed, [out], return_numpy=False)
    np.testing.assert_array_equal(np.array(found)[:, 0], [10, 1, 2, 40])


# -- gradients ------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen, want", [(0.0, 3.0), (2.0, 2.0)])
def test_what_switch_may_overwrite_keeps_its_gradient(
    program: Any, chosen: float, want: float
) -> None:
    x, key = fluid.data("x", [1]), fluid.data("key", [1])
    x.stop_gradient = False
    y = x * 2.0
    with layers.Switch() as switch, switch.case(key < 1.0):
        layers.assign(x * 3.0, y)
    (gradient,) = fluid.gradients([y], [x])
    feed = {"x": np.ones([1], "float32"), "key": np.array([chosen], "float32")}
    np.testing.assert_array_equal(run(feed, [gradient])[0], [want])


def test_an_array_filled_before_and_in_a_loop(program: Any) -> None:
    x = fluid.data("x", [1])
    x.stop_gradient = False
    i, n = layers.fill_constant([1], "int64", 0), layers.fill_constant([1], "int64", 2)
    array = layers.array_write(x * 5.0, i)
    going = layers.less_than(i, n)
    with layers.While(going).block():
        layers.increment(i, 1)
        layers.array_write(x * 2.0, i, array)
        layers.less_than(i, n, cond=going)
    joined, sizes = layers.tensor_array_to_tensor(array, axis=0)
    (gradient,) = fluid.gradients([layers.reduce_sum(joined)], [x])
    found = run({"x": np.ones([1], "float32")}, [joined, sizes, gradient])
    assert [list(part) for part in found] == [[5, 2, 2], [1, 1, 1], [9]]


def test_while_loop_changes_the_variables_it_is_given(program: Any) -> None:
    i, n = layers.fill_constant([1], "int64", 0), layers.fill_constant([1], "int64", 3)
    layers.while_loop(lambda i, n: layers.less_than(i, n), lambda i, n: [i + 1, n], [i, n])
    assert run({}, [i])[0] == [3]


# -- wrong use ------------------------------------------------------------------------------------


def _while_without_end() -> None:
    n = layers.fill_constant([1], "int64", 1)
    with layers.While(layers.less_than(n, n)).block():
        layers.increment(n)


def _memory_first() -> None:
    rnn = layers.DynamicRNN()
    with rnn.block():
        rnn.memory(shape=[1])


def _no_output() -> None:
    rnn = layers.DynamicRNN()
    with rnn.block():
        rnn.step_input(fluid.data("x", [None, 1], lod_level=1))
    rnn()


def _unknown_memory() -> None:
    rnn = layers.DynamicRNN()
    with rnn.block():
        row = rnn.step_input(fluid.data("x", [None, 1], lod_level=1))
        rnn.update_memory(row, row)


def _compared(**kwargs: Any) -> Callable:
    def call() -> None:
        layers.less_than(fluid.data("x", [1]), fluid.data("y", [1], **kwargs))

    return call


WRONG = [
    (_while_without_end, ValueError, "never writes its condition"),
    (lambda: layers.While(fluid.data("x", [1])), TypeError, "expected a bool Variable"),
    (lambda: layers.While(fluid.data("x", [2], "bool")), ValueError, "expected one element"),
    (_memory_first, RuntimeError, "step_input to be called before"),
    (_no_output, ValueError, "the step has no output"),
    (_unknown_memory, ValueError, "expected what memory returned"),
    (lambda: layers.DynamicRNN()(), RuntimeError, "only after the 'with rnn.block"),
    (lambda: layers.DynamicRNN().output(fluid.data("x", [1])), RuntimeError, "inside of 'with rnn"),
    (_compared(dtype="int64"), TypeError, "of one data type, but received .*FP32 and .*INT64"),
    (lambda: layers.less_than(1, 2), TypeError, "expected a Variable, but received int"),
    (lambda: layers.equal(*[fluid.data("x", [1])] * 2, cond=3), TypeError, "expected a bool Var"),
    (lambda: layers.increment(fluid.data("x", [2])), ValueError, r"but received shape \[2\]"),
    (lambda: layers.is_empty([1]), TypeError, "expected a Variable, but received list"),
    (lambda: layers.piecewise_decay([1, 2], [0.1]), ValueError, "1 rates and 2 boundaries"),
    (lambda: layers.noam_decay("4", 2), TypeError, "d_model.*received str"),
    (lambda: layers.tensor_array_to_tensor(fluid.data("x", [1])), TypeError, "a tensor array"),
    (lambda: layers.cond(fluid.data("x", [1], "bool"), 3), TypeError, "expected a function"),
    (
        lambda: layers.reorder_lod_tensor_by_rank(*[fluid.data("x", [1])] * 2),
        TypeError,
        "what lod_rank_table returned",
    ),
    (lambda: layers.RNNCell()(1, 2), NotImplementedError, "call"),
]


@pytest.mark.parametrize("call, kind, told", WRONG)
def test_wrong_use_is_told(program: Any, call: Callable, kind: type, told: str) -> None:
    with pytest.raises(kind, match=told):
        call()


def test_rows_without_levels_are_refused_when_it_runs(program: Any) -> None:
    out = summed(fluid.data("x", [None, 1], lod_level=1))
    with pytest.raises(ValueError, match="split into sequences, but received shape"):
        run({"x": np.ones([2, 1], "float32")}, [out])


def test_rows_and_mask_of_other_numbers(program: Any) -> None:
    x, mask = fluid.data("x", [None, 1]), fluid.data("mask", [None, 1], "bool")
    yes, _ = layers.control_flow.split_lod_tensor(x, mask)
    with pytest.raises(ValueError, match="each of the 3 rows, but it has 2"):
        run({"x": np.ones([3, 1], "float32"), "mask": np.ones([2, 1], "bool")}, [yes])


# -- dynamic mode ---------------------------------------------------------------------------------


def test_functions_of_control_flow_run_in_dynamic_mode() -> None:
    with fluid.dygraph.guard():
        one, two = (fluid.dygraph.to_variable(np.array([n], "float32")) for n in (1, 2))
        flag = layers.less_than(two, one)
        assert not bool(flag)
        layers.less_than(one, two, cond=flag)
        assert bool(flag)
        assert float(layers.cond(flag, lambda: one, lambda: two)) == 1
        assert float(layers.increment(one, 2.0)) == 3 == float(one)
        (found,) = layers.while_loop(
            lambda x: layers.less_than(x, two * 5), lambda x: [x * 2], [two]
        )
        assert float(found) == 16
        array = layers.array_write(one, 0)
        layers.array_write(two, 1, array)
        joined, sizes = layers.tensor_array_to_tensor(array, axis=0)
        assert joined.numpy().tolist() == [3, 2] and sizes.numpy().tolist() == [1, 1]
        assert not bool(layers.is_empty(one))


def _recurrent(x: Any, lengths: Any) -> list:
    cell = layers.GRUCell(2, fluid.ParamAttr(initializer=fluid.initializer.Constant(0.3)))
    out, last = layers.rnn(cell, x, sequence_length=lengths)
    return [out, last]


def test_rnn_in_dynamic_mode_is_that_of_programs(program: Any) -> None:
    x = np.sin(np.arange(12)).reshape(2, 3, 2).astype("float32")
    n = np.array([2, 3])
    feeds = fluid.data("x", [2, 3, 2]), fluid.data("n", [2], "int64")
    want = run({"x": x, "n": n}, _recurrent(*feeds))
    with fluid.dygraph.guard():
        found = _recurrent(*(fluid.dygraph.to_variable(value) for value in (x, n)))
        for a, b in zip(found, want, strict=True):
            np.testing.assert_allclose(a.numpy(), b, rtol=1e-5)


def test_schedules_of_layers_are_objects_in_dynamic_mode() -> None:
    with fluid.dygraph.guard():
        made = [
            layers.noam_decay(4, 2), layers.exponential_decay(0.1, 2, 0.5),
            layers.piecewise_decay([1], [0.1, 0.2]), layers.cosine_decay(0.1, 2, 3),
            layers.polynomial_decay(0.1, 2), layers.inverse_time_decay(0.1, 2, 0.5),
            layers.natural_exp_decay(0.1, 2, 0.5), layers.linear_lr_warmup(0.1, 2, 0.0, 0.1),
        ]  # fmt: skip
    names = ["Noam", "Exponential", "Piecewise", "Cosine", "Polynomial", "InverseTime"]
    want = [f"{n}Decay" for n in [*names, "NaturalExp"]] + ["LinearLrWarmup"]
    assert [type(each).__name__ for each in made] == want
