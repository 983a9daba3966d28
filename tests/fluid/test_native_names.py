"""What tests and tools of 1.x ask of the native module: operators, flags, gradients, the mode."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.fluid import core
from paddle.fluid.backward import calc_gradient
from paddle.fluid.dygraph.base import switch_to_static_graph
from paddle.fluid.framework import OpProtoHolder, _dygraph_guard, grad_var_name


def test_questions_about_operators():
    assert core.op_support_gpu("conv2d") and core.has_infer_inplace("relu")
    assert not core.has_infer_inplace("matmul_v2")
    assert core.is_float16_supported(core.CPUPlace())
    proto = OpProtoHolder.instance().get_op_proto("mul")
    assert [slot.name for slot in proto.inputs] == ["X", "Y"]
    assert "relu" in {proto.type for proto in core.get_all_op_protos()}
    for ask in (core.op_support_gpu, OpProtoHolder.instance().get_op_proto):
        with pytest.raises(ValueError, match="no operator 'relu9'"):
            ask("relu9")


def test_what_protos_say():
    proto = OpProtoHolder.instance().get_op_proto("batch_norm")
    hidden = [slot.name for slot in proto.outputs if slot.intermediate]
    assert hidden == ["SavedMean", "SavedVariance"]
    assert not any(slot.intermediate for slot in proto.inputs)
    kinds = {attr.name: attr.type for attr in proto.attrs}
    assert kinds["epsilon"] == core.AttrType.FLOAT and kinds["is_test"] == core.AttrType.BOOL
    reshape = OpProtoHolder.instance().get_op_proto("reshape2")
    assert {slot.name: slot.dispensable for slot in reshape.inputs} == {
        "X": False, "Shape": True, "ShapeTensor": True,
    }  # fmt: skip


def test_questions_about_gradients():
    assert core.has_grad_op_maker("tanh") and core.has_non_empty_grad_op_maker("scale")
    assert not core.has_non_empty_grad_op_maker("equal")
    slots = {"X": ["x"], "Y": ["y"], "Out@GRAD": ["o@GRAD"]}
    ask = core.infer_no_need_buffer_slots
    assert ask("elementwise_add_grad", slots, {"X@GRAD": ["x@GRAD"]}, {}) == {"X", "Y"}
    assert ask("elementwise_mul_grad", slots, {"X@GRAD": ["x@GRAD"]}, {}) == set()
    assert ask("tanh", {"X": ["x"]}, {"Out": ["o"]}, {}) == set()
    for unknown in (core.has_grad_op_maker, lambda name: ask(name, {}, {}, {})):
        with pytest.raises(ValueError, match="no operator 'relu9'"):
            unknown("relu9")


def test_append_op_with_tensors_runs_the_operator():
    with fluid.dygraph.guard():
        x = paddle.to_tensor([-1.0, 2.0], stop_gradient=False)
        out = fluid.framework._varbase_creator(dtype="float32")
        block = fluid.default_main_program().global_block()
        before = len(block.ops)
        op = block.append_op(
            type="scale", inputs={"X": [x]}, outputs={"Out": [out]}, attrs={"scale": 3.0}
        )
        assert (op.type, op.attr("scale"), len(block.ops)) == ("scale", 3.0, before)
        np.testing.assert_array_equal(out.numpy(), [-3.0, 6.0])
        out.sum().backward()
        np.testing.assert_array_equal(x.gradient(), [3.0, 3.0])
        with pytest.raises(ValueError, match=r"Block.append_op.*no operator 'relu9'"):
            block.append_op(type="relu9", inputs={"X": [x]}, outputs={"Out": [out]})


def test_flags_as_a_mapping():
    flags = core.globals()
    before = flags["FLAGS_check_nan_inf"]
    flags["FLAGS_check_nan_inf"] = not before
    assert paddle.get_flags("FLAGS_check_nan_inf") == {"FLAGS_check_nan_inf": not before}
    flags["FLAGS_check_nan_inf"] = before
    assert "FLAGS_check_nan_inf" in flags and "FLAGS_no" not in flags
    assert len(flags) == len(list(flags)) and "FLAGS_use_mkldnn" in list(flags)
    with pytest.raises(ValueError, match="cannot be taken away"):
        del flags["FLAGS_check_nan_inf"]


def test_flags_of_parts_that_are_not_there_can_be_set_and_say_so_once():
    name = "FLAGS_eager_delete_tensor_gb"
    with pytest.warns(UserWarning, match=f"{name} has no effect here"):
        fluid.set_flags({name: 1})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fluid.set_flags({name: 2.5})
    assert fluid.get_flags([name, "FLAGS_benchmark"]) == {name: 2.5, "FLAGS_benchmark": False}
    with pytest.raises(ValueError, match="expected float, but received 'much'"):
        fluid.set_flags({name: "much"})
    fluid.set_flags({name: 0.0})


def test_names_and_versions():
    assert grad_var_name("w") == "w@GRAD" and core.kGradVarSuffix() == "@GRAD"
    assert core.kEmptyVarName() == "@EMPTY@"
    assert core._is_program_version_supported(0)
    assert not core._is_program_version_supported(-1)
    assert core.is_compiled_with_mkldnn() in (True, False)


def test_a_decorated_function_is_static_and_a_guard_dynamic():
    @switch_to_static_graph
    def built():
        main = fluid.Program()
        with fluid.program_guard(main, fluid.Program()):
            x = fluid.data("x", [2])
            x.stop_gradient = False
            one = calc_gradient(fluid.layers.square(x), x)
            both = calc_gradient([x * 2.0], [x, x])
            with _dygraph_guard(object()):
                assert paddle.in_dynamic_mode()
        assert isinstance(both, list)
        feed = {"x": np.array([1, 3], "float32")}
        return fluid.Executor(fluid.CPUPlace()).run(main, feed=feed, fetch_list=[one])[0]

    np.testing.assert_array_equal(built(), [2, 6])
