"""A harness for operators that stands on 2.0's native interface alone, as projects bring their own.

It records by protos and descriptions, runs gradient operators by themselves, and does the same with
Tensors through ``append_op`` in dynamic mode.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.fluid import core
from paddle.fluid.backward import append_backward
from paddle.fluid.framework import OpProtoHolder, Program
from paddle.fluid.op import Operator

LOD_TENSOR = core.VarDesc.VarType.LOD_TENSOR
PLACE = core.CPUPlace()


def numbers(*shape: int) -> np.ndarray:
    return np.random.RandomState(sum(shape)).uniform(0.1, 1, shape).astype("float32")


X, Y = numbers(3, 4), numbers(4, 5)
EXP = np.exp(X)
LABEL = np.array([[1], [0], [3]], "int64")
ROW = np.array([0.1], "float32")

# Operator, inputs, results, attributes, input and result of the gradient ("": none is compared).
CASES: list[tuple[str, dict, dict, dict, str, str]] = [
    ("mul", {"X": X, "Y": Y}, {"Out": X @ Y}, {"x_num_col_dims": 1}, "X", "Out"),
    ("relu", {"X": X - 0.5}, {"Out": np.maximum(X - 0.5, 0)}, {}, "X", "Out"),
    ("softmax", {"X": X}, {"Out": EXP / EXP.sum(1, keepdims=True)}, {"use_cudnn": False}, "X",
     "Out"),
    ("reshape2", {"X": X}, {"Out": X.reshape(2, 6)}, {"shape": [2, 6]}, "X", "Out"),
    ("concat", {"X": [("x0", X), ("x1", X)]}, {"Out": np.concatenate([X, X])}, {"axis": 0}, "x0",
     "Out"),
    ("split", {"X": X}, {"Out": [("o0", X[:, :1]), ("o1", X[:, 1:])]},
     {"axis": 1, "sections": [1, 3]}, "X", "o1"),
    ("softmax_with_cross_entropy", {"Logits": X, "Label": LABEL},
     {"Softmax": EXP / EXP.sum(1, keepdims=True),
      "Loss": -np.log(np.take_along_axis(EXP / EXP.sum(1, keepdims=True), LABEL, 1))},
     {}, "Logits", "Loss"),
    ("sgd", {"Param": X, "Grad": X, "LearningRate": ROW}, {"ParamOut": X * 0.9}, {}, "", ""),
    ("fill_constant", {}, {"Out": np.full([2, 3], 3.8, "float32")},
     {"shape": [2, 3], "value": 3.8}, "", ""),
]  # fmt: skip
DIFFERENTIABLE = [case for case in CASES if case[4]]


def named(values: dict) -> dict[str, np.ndarray]:
    """Every array by the name of its variable."""
    found = {}
    for slot, value in values.items():
        found.update(value if isinstance(value, list) else [(slot, value)])
    return found


def names(slots: list, values: dict) -> Iterator[tuple[Any, list[str]]]:
    """The slots that are used, with their variables; those of intermediate results too."""
    for slot in slots:
        given = values.get(slot.name)
        if given is None and (slot.dispensable or not slot.intermediate):
            assert slot.dispensable, slot.name
            continue
        assert slot.duplicable or not isinstance(given, list)
        yield slot, [n for n, _ in given] if isinstance(given, list) else [slot.name]


def record(case: tuple) -> tuple[Program, Any]:
    """A Program with the operator, and what was appended."""
    type, inputs, outputs, attrs, *_ = case
    proto = OpProtoHolder.instance().get_op_proto(type)
    program = Program()
    block = program.global_block()
    slots = []
    for declared, values in ((proto.inputs, inputs), (proto.outputs, outputs)):
        arrays, made = named(values), {}
        for slot, listed in names(declared, values):
            made[slot.name] = [
                block.create_var(name=n, dtype=arrays[n].dtype, shape=arrays[n].shape)
                if n in arrays
                else block.create_var(name=n, dtype="float32")
                for n in listed
            ]
        slots.append(made)
    op = block.append_op(type=type, inputs=slots[0], outputs=slots[1], attrs=dict(attrs))
    op.desc.infer_var_type(block.desc)
    op.desc.infer_shape(block.desc)
    return program, op


def feed(arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    found = {}
    for name, array in arrays.items():
        found[name] = core.LoDTensor()
        found[name].set(array, PLACE)
    return found


def run(program: Any, fed: dict, wanted: list[str]) -> list[Any]:
    return fluid.Executor(PLACE).run(program, feed=fed, fetch_list=wanted, return_numpy=False)


def static_gradient(case: tuple) -> np.ndarray:
    program, _ = record(case)
    block = program.global_block()
    loss = block.create_var(dtype="float32", shape=[1])
    block.append_op(type="mean", inputs={"X": [block.var(case[5])]}, outputs={"Out": [loss]})
    pairs = append_backward(loss=loss, parameter_list=[case[4]], no_grad_set=set())
    return np.array(run(program, feed(named(case[1])), [g for _, g in pairs])[0])


def tensors(case: tuple) -> tuple[dict, dict[str, Any]]:
    """Runs the operator on Tensors; every Tensor by its name."""
    type, inputs, outputs, attrs, *_ = case
    proto = OpProtoHolder.instance().get_op_proto(type)
    block = fluid.default_main_program().global_block()
    arrays, found = named(inputs), {}
    made_in: dict[str, list] = {}
    made_out: dict[str, list] = {}
    for slot, listed in names(proto.inputs, inputs):
        made_in[slot.name] = [fluid.dygraph.to_variable(arrays[n]) for n in listed]
        found.update(zip(listed, made_in[slot.name], strict=True))
    for tensor in found.values():
        tensor.stop_gradient = tensor.dtype != paddle.float32
    for slot, listed in names(proto.outputs, outputs):
        made_out[slot.name] = [
            block.create_var(name=n, dtype="float32", type=LOD_TENSOR, persistable=False,
                             stop_gradient=False)
            for n in listed
        ]  # fmt: skip
        found.update(zip(listed, made_out[slot.name], strict=True))
    block.append_op(type=type, inputs=made_in, outputs=made_out, attrs=attrs or None)
    return made_out, found


@pytest.fixture(autouse=True)
def _static() -> Iterator[None]:
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_results_in_both_modes(case: tuple) -> None:
    expected = named(case[2])
    program, _ = record(case)
    for name, value in zip(
        expected, run(program, feed(named(case[1])), list(expected)), strict=True
    ):
        np.testing.assert_allclose(np.array(value), expected[name], rtol=1e-5)
    with fluid.dygraph.guard(PLACE):
        _, found = tensors(case)
        for name, array in {**expected, **named(case[1])}.items():  # the inputs stay as they are
            held = found[name].value().get_tensor()
            np.testing.assert_allclose(np.array(held), array, rtol=1e-5)


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=lambda case: case[0])
def test_gradients_in_both_modes(case: tuple) -> None:
    expected = static_gradient(case)
    assert np.abs(expected).max() > 0
    with fluid.dygraph.guard(PLACE):
        _, found = tensors(case)
        block = fluid.default_main_program().global_block()
        loss = block.create_var(dtype=np.float32, type=LOD_TENSOR, shape=[1], stop_gradient=False)
        block.append_op(type="mean", inputs={"X": found[case[5]]}, outputs={"Out": [loss]})
        loss.backward()
        np.testing.assert_allclose(found[case[4]].gradient(), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=lambda case: case[0])
def test_gradient_operators_run_by_themselves(case: tuple) -> None:
    program, op = record(case)
    assert core.has_grad_op_maker(op.type)
    inputs = feed(named(case[1]))
    for name in op.output_arg_names:
        program.global_block().var(name).persistable = True
    results = dict(zip(op.output_arg_names, run(program, inputs, op.output_arg_names), strict=True))
    made, sources = core.get_grad_op_desc(op.desc, set(), [])
    target = Program()
    block = target.global_block()
    place, fed = core.Place(), {}
    place.set_place(PLACE)
    for desc in made:
        assert not core.has_grad_op_maker(desc.type()) or not desc.type().endswith("_grad")
        block.desc.append_op().copy_from(desc)
        for name in desc.input_arg_names() + desc.output_arg_names():
            like = program.global_block().var(sources.get(name, name))
            block.create_var(name=name, dtype=like.dtype, shape=like.shape, type=like.type)
    target._sync_with_cpp()
    for name in (n for desc in made for n in desc.input_arg_names()):
        value = {**results, **inputs}.get(sources.get(name, name))
        if value is not None and 0 not in value.shape():
            fed[name] = value._copy(place)
            assert np.array(fed[name]).tolist() == np.array(value).tolist()
    wanted = f"{case[4]}@GRAD"
    plain = [np.array(v) for v in run(target, fed, [wanted])]
    strategy = fluid.BuildStrategy()
    strategy.enable_inplace = True
    compiled = fluid.CompiledProgram(target).with_data_parallel(
        loss_name="", build_strategy=strategy, places=PLACE
    )
    np.testing.assert_array_equal(np.array(run(compiled, fed, [wanted])[0]), plain[0])
    assert plain[0].shape == named(case[1])[case[4]].shape


def test_an_operator_alone_by_finite_differences() -> None:
    case = CASES[0]
    scope = core.Scope()
    op = Operator("mul", X=["X"], Y=["Y"], Out=["Out"], x_num_col_dims=1)
    for name, array in named(case[1]).items():
        scope.var(name).get_tensor().set(array, PLACE)
    held = scope.find_var("X").get_tensor()

    def result() -> float:
        op.run(scope, PLACE)
        return np.array(scope.find_var("Out").get_tensor()).mean()

    before = held._get_float_element(5)
    held._set_float_element(5, before + 0.01)
    above = result()
    held._set_float_element(5, before - 0.01)
    slope = (above - result()) / 0.02
    assert abs(slope - static_gradient(case).ravel()[5]) < 1e-3


def test_kernels_and_flags_of_the_native_module() -> None:
    kernels = core._get_all_register_op_kernels()
    assert "CPUPlace" in kernels["mul"][0] and "mul_grad" in kernels
    assert "accuracy" in kernels and "accuracy_grad" not in kernels
    flags, name = core.globals(), "FLAGS_use_system_allocator"
    before = flags[name]
    flags[name] = True
    assert flags[name] is True
    flags[name] = before
