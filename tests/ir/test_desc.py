"""Descriptions of operators, variables, blocks and Programs."""

from __future__ import annotations

from typing import Any

import pytest

import paddle
import paddle.static as static
from paddle.core.dtype import VarType
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
    assert desc.attr_type("x_num_col_dims").name == "INT"
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
    with pytest.raises(IndexError, match="one of 8 operators, but received 99"):
        desc.op(99)
    loop = desc.op(desc.op_size() - 1)
    inner = main.desc.block(loop._block_attr_id("sub_block"))
    assert (loop.type(), inner.id, inner.parent) == ("while", 1, 0)
    assert inner.find_var("x") is None and inner.has_var_recursive("x")
    assert inner.op(0).block() == inner and inner.op(0).block() != desc
    assert main.desc.num_blocks() == 2 and main.desc.block(0) == desc
    assert block.desc.serialize_to_string() in main.desc.serialize_to_string()
