"""Descriptions of operators, variables, blocks and Programs."""

from __future__ import annotations

from typing import Any

import pytest

import paddle
import paddle.static as static
from paddle.core.dtype import VarType
from paddle.framework import core
from paddle.static import Program
from tests.executor.building import building


@pytest.fixture
def main() -> Any:
    with building() as (main, _):
        x = static.data("x", [None, 4])
        static.nn.fc(x, 3, activation="relu")
        i = paddle.zeros([1], "int64")
        static.nn.while_loop(lambda i: i < 10, lambda i: [i + 1], [i])
    return main


def test_what_an_operator_is(main: Program) -> None:
    op = main.global_block().ops[0]
    desc = op.desc
    assert (desc.type(), desc.input("X"), desc.output("Out")) == ("mul", ["x"], ["fc_0.tmp_0"])
    assert (desc.input_names(), desc.output_names()) == (["X", "Y"], ["Out"])
    assert desc.inputs() == {"X": ["x"], "Y": ["fc_0.w_0"]}
    assert desc.outputs() == {"Out": ["fc_0.tmp_0"]}
    assert desc.input_arg_names() == ["x", "fc_0.w_0"]
    assert desc.output_arg_names() == ["fc_0.tmp_0"]
    assert desc.attr_names() == [
        "op_device", "op_namescope", "op_role", "op_role_var", "x_num_col_dims", "y_num_col_dims",
    ]  # fmt: skip
    assert desc.has_attr("x_num_col_dims") and not desc.has_attr("nope")
    assert desc.attr("y_num_col_dims") == 1 == desc.get_attr_map()["y_num_col_dims"]
    assert {name: desc.attr_type(name).name for name in desc.attr_names()} == {
        "op_device": "STRING", "op_namescope": "STRING", "op_role": "INT", "op_role_var": "STRINGS",
        "x_num_col_dims": "INT", "y_num_col_dims": "INT",
    }  # fmt: skip
    with pytest.raises(RuntimeError, match=r"has no attribute 'Z'"):
        desc.attr_type("Z")
    assert desc == op.desc and desc != main.global_block().ops[1].desc
    assert {desc: 1}[op.desc] == 1
    message = desc.serialize_to_string()
    assert message.startswith(b"\n\x06\n\x01X\x12\x01x\n")
    for slot in (desc.input, desc.output, desc.attr):
        with pytest.raises(RuntimeError, match=r"has no .* 'Z'"):
            slot("Z")


def test_it_shows_what_the_operator_is_now(main: Program) -> None:
    op = main.global_block().ops[0]
    desc = op.desc
    op._set_attr("x_num_col_dims", 2)
    assert desc.attr("x_num_col_dims") == 2
    desc.get_attr_map()["op_role_var"].append("x")
    assert desc.attr("op_role_var") == []


def test_what_is_written_to_it_is_written_to_the_program(main: Program) -> None:
    block = main.global_block()
    made = block.desc.append_op()
    made.set_type("scale")
    made.set_input("X", ["fc_0.tmp_0"])
    made.set_output(b"Out", [b"scaled"])
    made._set_attr("scale", 3.0)
    made.check_attrs()
    out = block.desc.var(b"scaled")
    made.infer_var_type(block.desc)
    made.infer_shape(block.desc)
    assert block.ops[-1].type == "scale" and block.var("scaled").shape == (-1, 3) == tuple(
        out.shape()
    )
    made._rename_input("fc_0.tmp_0", "x")
    made._rename_output("scaled", "x4")
    block.desc._rename_var("scaled", "x4")
    made.infer_shape(block.desc)
    assert out.name() == "x4" and out.shape() == [-1, 4]
    found = static.Executor().run(main, {"x": [[1.0, 2.0, 3.0, 4.0]]}, ["x4"])[0]
    assert found.tolist() == [[3.0, 6.0, 9.0, 12.0]]
    made.remove_attr("scale")
    assert made.attr("scale") == 1.0
    first = block.desc._prepend_op()
    first.copy_from(made)
    assert block.ops[0].input("X") == ["x"] and first != made
    first.set_input("X", ["other"])
    assert made.input("X") == ["x"]
    made.remove_input("X")
    made.remove_output("Out")
    assert made.inputs() == made.outputs() == {}
    count = block.desc.op_size()
    block.desc._remove_op(count - 1, count)
    block.desc._remove_op(0, 1)
    block.desc._remove_var("x4")
    assert "scale" not in [op.type for op in block.ops] and not block.has_var("x4")


def test_what_is_written_to_a_variable() -> None:
    block = core.ProgramDesc().block(0)
    var = block.var("x")
    var.set_type(VarType.SELECTED_ROWS)
    var.set_shape([3, -1])
    var.set_dtype("int64")
    var.set_lod_level(2)
    var.set_stop_gradient(True)
    var.set_need_check_feed(True)
    var.set_name("y")
    told = block.find_var("y")
    assert (told.type(), told.shape(), told.dtype()) == (
        VarType.SELECTED_ROWS, [3, -1], VarType.INT64,
    )  # fmt: skip
    assert (told.lod_level(), told.stop_gradient(), told.need_check_feed()) == (2, True, True)
    assert not block.has_var("x") and core.VarDesc("alone").name() == "alone"


def test_a_reader_stands_for_several_tensors() -> None:
    desc = core.ProgramDesc()
    reader = desc.block(0).var("reader")
    with pytest.raises(ValueError, match=r"expected a READER.*but it is LOD_TENSOR"):
        reader.shapes()
    reader.set_type(VarType.READER)
    reader.set_shapes([[2, 3], [-1]])
    reader.set_dtypes(["float32", VarType.INT64])
    reader.set_lod_levels([0, 1])
    again = core.ProgramDesc()
    again.parse_from_string(desc.serialize_to_string())
    for told in (
        reader,
        again.block(0).var("reader"),
        core.ProgramDesc(desc).block(0).var("reader"),
    ):
        assert told.shapes() == [[2, 3], [-1]] and told.lod_levels() == [0, 1]
        assert told.dtypes() == [VarType.FP32, VarType.INT64]
    reader.set_dtypes([VarType.INT32])
    assert reader.shapes() == [[2, 3]] and again.block(0).var("reader").shapes()[1:] == [[-1]]


def test_kinds_of_attributes() -> None:
    desc = core.ProgramDesc()
    op = desc.block(0).append_op()
    op.set_type("unknown")
    values = {"INT": 1, "FLOAT": 0.5, "STRING": "a", "BOOL": True, "INTS": [1, 2], "FLOATS": [0.5],
              "STRINGS": ["a"], "BOOLS": [True, False], "LONG": 1 << 40}  # fmt: skip
    for name, value in values.items():
        op._set_attr(name, value)
        assert op.attr_type(name) == getattr(core.AttrType, name) and op.attr(name) == value
    inner = desc.append_block(desc.block(0))
    op.set_block_attr("sub_block", inner)
    op.set_blocks_attr("blocks", [inner, desc.block(0)])
    assert op._block_attr_id("sub_block") == 1 and op._blocks_attr_ids("blocks") == [1, 0]
    assert op.attr_type("sub_block") == core.AttrType.BLOCK and inner.parent == 0
    inner._set_forward_block_idx(0)
    assert inner.get_forward_block_idx() == 0 and desc.num_blocks() == 2


def test_what_cannot_be_written(main: Program) -> None:
    block = main.global_block()
    op, var = block.ops[0].desc, block.var("x").desc
    with pytest.raises(NotImplementedError, match=r"block.create_parameter"):
        var.set_is_parameter(True)
    with pytest.raises(AttributeError, match="OpDesc has no attribute 'typ'"):
        op.typ()
    with pytest.raises(TypeError, match=r"set_input: expected a list of names, but got str"):
        op.set_input("X", "x")
    with pytest.raises(TypeError, match=r"expected an OpDesc, but got int"):
        op.copy_from(3)
    with pytest.raises(IndexError, match=r"places from 0 to 8, but received 9"):
        block.desc._insert_op(9)
    with pytest.raises(IndexError, match=r"_remove_op\(start, end\): .* but received 99"):
        block.desc._remove_op(0, 99)
    with pytest.raises(ValueError, match=r"set_type: expected a VarType, but got 999"):
        var.set_type(999)
    with pytest.raises(ValueError, match=r"expected an int >= 0, but got -1"):
        var.set_lod_level(-1)
    with pytest.raises(
        TypeError, match=r"ProgramDesc: expected to describe a Program, but got int"
    ):
        core.ProgramDesc(3)


def test_what_libraries_of_1x_write(main: Program) -> None:
    op, block = main.global_block().ops[0], main.global_block()
    assert op.input("X") == ["x"]
    block.var("fc_0.w_0").desc.set_shape([4, 7])
    assert block.var("fc_0.w_0").shape == (4, 7) and block.var("fc_0.tmp_0").shape == (-1, 3)
    op.desc.infer_shape(block.desc)
    assert block.var("fc_0.tmp_0").shape == (-1, 7)
    op.desc.set_is_target(True)
    block.var("x").desc.set_persistable(True)
    main.desc.flush()
    assert op.is_target and block.var("x").persistable


def test_a_declared_slot_that_is_not_used_is_empty() -> None:
    with building() as (main, _):
        x = static.data("x", [2, 3, 8, 8])
        out = static.nn.conv2d(x, 2, 3, bias_attr=False)
        paddle.optimizer.SGD(0.1).minimize(paddle.mean(out))
    ops = {op.type: op for op in main.global_block().ops}
    assert ops["conv2d"].input("Bias") == ops["conv2d"].desc.input("ResidualData") == []
    assert ops["conv2d_grad"].input("Bias") == ops["conv2d_grad"].output("Bias@GRAD") == []
    with pytest.raises(RuntimeError, match=r"conv2d has no input 'Output'; it has"):
        ops["conv2d"].input("Output")


def test_what_variables_blocks_and_programs_are(main: Program) -> None:
    block = main.global_block()
    x, w = block.var("x").desc, block.var("fc_0.w_0").desc
    assert (x.name(), x.type(), x.shape(), x.dtype()) == (
        "x", VarType.LOD_TENSOR, [-1, 4], VarType.FP32,
    )  # fmt: skip
    assert (x.persistable(), x.lod_level(), x.stop_gradient()) == (False, 0, True)
    assert (x.is_parameter(), w.is_parameter(), x.need_check_feed()) == (False, True, True)
    assert x.serialize_to_string().startswith(b"\n\x01x")
    desc = block.desc
    assert (desc.id, desc.parent, desc.get_forward_block_idx()) == (0, -1, -1)
    assert [desc.op(i).type() for i in range(desc.op_size())] == [op.type for op in block.ops]
    assert desc.var(b"x") == x == desc.find_var("x") and desc.has_var(b"x")
    assert desc.find_var(b"nope") is None and not desc.has_var("nope")
    assert [v.name() for v in desc.all_vars()] == sorted(block.vars)
    made = desc.var("made")
    assert made.shape() == [] and block.has_var("made")
    desc._remove_var("made")
    with pytest.raises(IndexError, match="one of 8 operators, but received 99"):
        desc.op(99)
    loop = desc.op(desc.op_size() - 1)
    inner = main.desc.block(loop._block_attr_id("sub_block"))
    assert (loop.type(), inner.id, inner.parent) == ("while", 1, 0)
    assert inner.find_var("x") is None and inner.has_var_recursive("x")
    assert inner.op(0).block() == inner and inner.op(0).block() != desc
    assert main.desc.num_blocks() == 2 and main.desc.block(0) == desc
    assert block.desc.serialize_to_string() in main.desc.serialize_to_string()
