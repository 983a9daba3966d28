"""Programs that are written through descriptions, as code for 2.0's native objects does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
import paddle.static as static
from paddle.core.dtype import VarType
from paddle.fluid import core
from paddle.static import Program
from tests.executor.building import building


def _written() -> tuple[Program, Any]:
    """A Program with ``out = relu(mul(x, y))``, and the description of its block."""
    main = Program()
    block = main.desc.block(0)
    for name, shape in ((b"x", [-1, 4]), (b"y", [4, 3])):
        var = block.var(name)
        var.set_type(VarType.LOD_TENSOR)
        var.set_shape(shape)
        var.set_dtype(VarType.FP32)
    product = block.append_op()
    product.set_type("mul")
    product.set_input("X", ["x"])
    product.set_input("Y", ["y"])
    product.set_output("Out", ["product"])
    product._set_attr("x_num_col_dims", 1)
    last = block.append_op()
    last.set_type("relu")
    last.set_input("X", ["product"])
    last.set_output("Out", ["out"])
    for op in (product, last):
        op.check_attrs()
        op.infer_var_type(block)
        op.infer_shape(block)
    return main, block


def test_a_program_that_was_written_by_descriptions_runs() -> None:
    main, block = _written()
    assert block.find_var(b"out").shape() == [-1, 3] and block.op_size() == 2
    assert [op.type for op in main.global_block().ops] == ["mul", "relu"]
    x, y = np.float32(np.arange(8).reshape(2, 4) - 4), np.ones([4, 3], "float32")
    [out] = static.Executor().run(main, feed={"x": x, "y": y}, fetch_list=["out"])
    np.testing.assert_allclose(out, np.maximum(x @ y, 0))
    again = Program.parse_from_string(main.desc.serialize_to_string())
    assert [op.type for op in again.global_block().ops] == ["mul", "relu"]


def test_shapes_that_do_not_fit_are_told() -> None:
    _, block = _written()
    block.var("y").set_shape([5, 3])
    with pytest.raises(ValueError, match="mul"):
        block.op(0).infer_shape(block)
    block.op(1).set_type("no_such_operator")
    for check in (block.op(1).check_attrs, block.op(1).infer_shape):
        with pytest.raises(RuntimeError, match="'no_such_operator' has not been registered"):
            check()
    block.op(0)._set_attr("x_num_col_dims", "one")
    with pytest.raises(ValueError, match="'x_num_col_dims' to be of the kind INT"):
        block.op(0).check_attrs()


def test_types_are_found_before_shapes() -> None:
    _, block = _written()
    cast = block.append_op()
    cast.set_type("cast")
    cast.set_input("X", ["out"])
    cast.set_output("Out", ["whole"])
    cast._set_attr("in_dtype", int(VarType.FP32))
    cast._set_attr("out_dtype", int(VarType.INT64))
    cast.infer_var_type(block)
    found = block.find_var("whole")
    assert (found.dtype(), found.shape()) == (VarType.INT64, [])
    cast.infer_shape(block)
    assert found.shape() == [-1, 3]


def test_operators_are_inserted_copied_renamed_and_removed() -> None:
    main, block = _written()
    copy = block._prepend_op()
    copy.copy_from(block.op(2))
    assert copy.type() == "relu" and copy.input("X") == ["product"]
    copy._rename_input("product", "x")
    copy.set_output("Out", [b"positive"])
    copy.infer_shape(block)
    assert block.op(2).input("X") == ["product"]  # a copy shares nothing
    middle = block._insert_op(2)
    middle.set_type("scale")
    assert [block.op(i).type() for i in range(4)] == ["relu", "mul", "scale", "relu"]
    block._remove_op(2, 3)
    copy.set_is_target(True)
    assert copy.is_target() and not block.op(1).is_target()
    x = np.float32([[-1, 2, -3, 4]])
    feed = {"x": x, "y": np.eye(4, 3, dtype="float32")}
    [positive] = static.Executor().run(main, feed=feed, fetch_list=["positive"])
    np.testing.assert_array_equal(positive, np.maximum(x, 0))
    with pytest.raises(IndexError, match="expected places from 0 to 3, but received 9"):
        block._remove_op(2, 9)


def test_attributes_of_each_kind() -> None:
    main, block = _written()
    op = block.op(0)
    values = {"an_int": 1, "a_float": 1.5, "a_text": "t", "a_bool": True, "ints": [1, 2],
              "floats": [0.5, 1.5], "texts": ["a", "b"], "bools": [True, False]}  # fmt: skip
    for name, value in values.items():
        op._set_attr(name, value)
        assert op.attr(name) == value and op.has_attr(name)
    kinds = ["INT", "FLOAT", "STRING", "BOOL", "INTS", "FLOATS", "STRINGS", "BOOLS"]
    assert [core.AttrType(op.attr_type(n)).name for n in values] == kinds
    inner = main.desc.append_block(block)
    op.set_block_attr("inside", inner)
    assert op._block_attr_id("inside") == inner.id == 1 and inner.parent == 0
    assert core.AttrType(op.attr_type("inside")).name == "BLOCK"
    op.set_blocks_attr("both", [inner])
    assert core.AttrType(op.attr_type("both")).name == "BLOCKS"
    op.remove_attr("ints")
    assert not op.has_attr("ints") and main.current_block_idx == 0


def test_variables() -> None:
    main, block = _written()
    x = block.var("x")
    assert x == block.var(b"x")
    x.set_lod_level(1)
    x.set_persistable(True)
    x.set_stop_gradient(True)
    x.set_need_check_feed(True)
    found = main.global_block().var("x")
    assert (found.lod_level, found.persistable, found.stop_gradient) == (1, True, True)
    assert found.need_check_feed and x.need_check_feed()
    block._rename_var(b"x", b"rows")
    assert block.op(0).input("X") == ["rows"] and x.name() == "rows"
    x.set_name("x")
    assert block.op(0).input("X") == ["x"] and not block.has_var("rows")
    block._remove_var(b"y")
    assert block.find_var("y") is None
    block._set_forward_block_idx(0)
    assert block.get_forward_block_idx() == 0


def test_descriptions_of_programs_are_made_and_copied() -> None:
    empty = core.ProgramDesc()
    assert empty.num_blocks() == 1 and empty.block(0).op_size() == 0
    main, block = _written()
    for made in (core.ProgramDesc(main.desc), core.ProgramDesc(main.desc.serialize_to_string())):
        made.block(0).op(1).set_type("tanh")
        assert block.op(1).type() == "relu" and made != main.desc
        other = Program()
        other.desc = made
        other._sync_with_cpp()
        assert [op.type for op in other.global_block().ops] == ["mul", "tanh"]


def test_a_plan_follows_what_is_written() -> None:
    main, block = _written()
    feed = {"x": -np.ones([1, 4], "float32"), "y": np.ones([4, 3], "float32")}
    exe = static.Executor()
    assert exe.run(main, feed=feed, fetch_list=["out"])[0].max() == 0
    block.op(1).set_type("abs")
    assert exe.run(main, feed=feed, fetch_list=["out"])[0].min() == 4


def test_gradient_operators_of_one_operator() -> None:
    with building() as (main, _):
        x, y = static.data("x", [2, 3]), static.data("y", [3, 4])
        x.stop_gradient = y.stop_gradient = False
        paddle.matmul(x, y)
        paddle.scale(x, 2.0)
    product, scale = (op.desc for op in main.global_block().ops)
    before = main.desc.serialize_to_string()
    [made], names = core.get_grad_op_desc(product, set(), [])
    out = product.output("Out")[0]
    assert made.type() == "matmul_v2_grad"
    assert names == {"x@GRAD": "x", "y@GRAD": "y", f"{out}@GRAD": out}
    assert made.output("X@GRAD") == ["x@GRAD"] and made.output("Y@GRAD") == ["y@GRAD"]
    [made], names = core.get_grad_op_desc(product, {"y@GRAD"}, [])
    assert set(names) == {"x@GRAD", f"{out}@GRAD"} and made.output_arg_names() == ["x@GRAD"]
    [made], _ = core.get_grad_op_desc(scale, set(), [])
    assert made.type() == "scale" and made.attr("scale") == 2.0
    assert main.desc.serialize_to_string() == before

    target = Program()  # the gradient goes on in another Program
    block = target.global_block()
    for name, shape in (("x", [2, 3]), ("scale_0.tmp_0@GRAD", [2, 3])):
        block.create_var(name=name, shape=shape, dtype="float32")
    block.desc.append_op().copy_from(made)
    target._sync_with_cpp()
    block.ops[0].desc.infer_shape(block.desc)
    feed = {n: np.ones([2, 3], "float32") for n in made.input_arg_names()}
    [found] = static.Executor().run(target, feed=feed, fetch_list=["x@GRAD"])
    np.testing.assert_array_equal(found, np.full([2, 3], 2.0))


def test_an_operator_with_blocks_is_not_differentiated_alone() -> None:
    with building() as (main, _):
        i = paddle.zeros([1], "int64")
        static.nn.while_loop(lambda i: i < 3, lambda i: [i + 1], [i])
    loop = main.global_block().ops[-1].desc
    with pytest.raises(NotImplementedError, match="has blocks of its own"):
        core.get_grad_op_desc(loop, set(), [])
    with pytest.raises(NotImplementedError, match="append_backward"):
        core.get_grad_op_desc(loop, set(), [main.desc.block(1)])
