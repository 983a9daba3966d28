"""Operators called by name: paddle.framework.core.ops, and the tracer."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.fluid.framework import _dygraph_tracer
from paddle.framework import core


def test_operands_then_attributes() -> None:
    x = paddle.to_tensor([[3.0, 1.0, 2.0]], stop_gradient=False)
    values, at = core.ops.argsort(x, "axis", 1, "descending", True)
    assert values.tolist() == [[3.0, 2.0, 1.0]] and at.tolist() == [[0, 2, 1]]
    (values * paddle.to_tensor([1.0, 2.0, 3.0])).sum().backward()
    assert x.grad.tolist() == [[1.0, 3.0, 2.0]]
    assert core.ops.relu(x).tolist() == x.tolist()


def test_operands_that_may_be_missing() -> None:
    x, rois = paddle.ones([1, 2, 4, 4]), paddle.to_tensor([[0.0, 0.0, 3.0, 3.0]])
    number = paddle.to_tensor([1], dtype="int32")
    size = ("pooled_height", 2, "pooled_width", 2)
    assert core.ops.roi_align(x, rois, number, *size).shape == [1, 2, 2, 2]
    prior, target = paddle.to_tensor([[0.0, 0.0, 2.0, 2.0]]), paddle.zeros([1, 1, 4])
    box = core.ops.box_coder(
        prior, None, target, "code_type", "decode_center_size", "variance", [0.1, 0.1, 0.2, 0.2]
    )
    assert box.shape == [1, 1, 4]
    # three of four slots, of which two are needed: those in front
    assert core.ops.dropout(x, None, "dropout_prob", 0.0)[0].shape == [1, 2, 4, 4]


def test_engines_change_nothing() -> None:
    x = paddle.ones([2, 2])
    assert core.ops.softmax(x, "axis", -1, "use_cudnn", False).tolist() == [[0.5, 0.5]] * 2


def test_counts_of_results_and_tensors_written_to_say_nothing() -> None:
    x = paddle.ones([1, 2, 2, 2])
    one, zero, mean, var = paddle.ones([2]), paddle.zeros([2]), paddle.zeros([2]), paddle.ones([2])
    out = core.ops.batch_norm(x, one, zero, mean, var, mean, var, "momentum", 0.5, "is_test", False)
    assert out[0].shape == x.shape and mean.tolist() == [0.5, 0.5]
    rois = paddle.to_tensor([[0.0, 0.0, 10.0, 10.0], [0.0, 0.0, 400.0, 400.0]])
    levels, _, counts = core.ops.distribute_fpn_proposals(
        rois, paddle.to_tensor([2], dtype="int32"), 4, 4, "min_level", 2, "max_level", 5,
        "refer_level", 4, "refer_scale", 224,
    )  # fmt: skip
    assert [level.shape[0] for level in levels] == [1, 0, 1, 0] and len(counts) == 4


def test_results_are_written_into_given_tensors() -> None:
    x, one, zero = paddle.to_tensor([[1.0], [3.0]]), paddle.ones([1]), paddle.zeros([1])
    mean, var, mean_out, var_out = (paddle.zeros([1]) for _ in range(4))
    y, *found, saved_mean, _, _ = core.ops.batch_norm(
        x, one, zero, mean, var, mean_out, var_out, "momentum", 0.5, "is_test", False
    )
    assert found[0] is mean_out and found[1] is var_out and y.shape == [2, 1]
    assert (mean.item(), mean_out.item(), saved_mean.item()) == (0.0, 1.0, 2.0)
    out, scale = paddle.zeros([1]), paddle.zeros([1])
    made = core.ops.fake_quantize_dequantize_abs_max(x, out, scale, "bit_length", 8)
    assert made[0] is out and made[1] is scale and scale.item() == 3.0 and out.shape == [2, 1]
    right, total = paddle.zeros([1], "int32"), paddle.zeros([1], "int32")
    label = paddle.to_tensor([[0], [1]])
    share, *counts = core.ops.accuracy(x, label, label, right, total)
    assert share.item() == 1.0 and counts[0] is right and right.item() == total.item() == 2


def test_what_is_written_into_operands_comes_back() -> None:
    param, grad, rate = paddle.ones([2]), paddle.ones([2]), paddle.to_tensor([0.5])
    assert core.ops.sgd(param, rate, grad, param) is param and param.tolist() == [0.5, 0.5]
    first, second, b1, b2 = (paddle.zeros([2]), paddle.zeros([2]), paddle.to_tensor([0.9]),
                             paddle.to_tensor([0.999]))  # fmt: skip
    state = (param, first, second, b1, b2)
    found = core.ops.adam(param, grad, rate, first, second, b1, b2, *state, "epsilon", 1e-8)
    assert len(found) == 5 and all(a is b for a, b in zip(found, state, strict=True))
    scale = paddle.to_tensor([1.0])
    out = paddle.zeros([2])
    found = core.ops.fake_quantize_dequantize_moving_average_abs_max(
        grad, scale, None, None, out, scale, None, None, "is_test", True
    )
    assert found[0] is out and found[1] is scale and found[2:] == (None, None)


def test_slots_are_in_the_order_of_paddle() -> None:
    table = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    ids = paddle.to_tensor([1, 0])
    rows = core.ops.lookup_table_v2(table, ids, "is_sparse", False, "is_distributed", False)
    assert rows.tolist() == [[3.0, 4.0], [1.0, 2.0]]
    with pytest.raises(ValueError, match="has no 'is_distributed'"):  # a switch that is on
        core.ops.lookup_table_v2(table, ids, "is_distributed", True)
    chosen = core.ops.multiplex(paddle.to_tensor([[1], [0]], dtype="int32"), [table, -table])
    assert chosen.tolist() == [[-1.0, -2.0], [3.0, 4.0]]


def test_wrong_calls() -> None:
    x = paddle.ones([2])
    with pytest.raises(AttributeError, match="there is no operator 'nothing'"):
        core.ops.nothing
    assert not hasattr(core.ops, "nothing")
    with pytest.raises(ValueError, match=r"core\.ops\.matmul_v2: expected 2 to 2 .*but got 1"):
        core.ops.matmul_v2(x)
    with pytest.raises(ValueError, match="names of attributes and their values in turn"):
        core.ops.argsort(x, "axis")
    with pytest.raises(ValueError, match=r"attrs.*'argsort' has no 'ax'; it has \['axis'"):
        core.ops.argsort(x, "ax", 0)
    assert "operators called by name" in repr(core.ops)


def test_the_tracer_writes_into_tensors() -> None:
    x, out = paddle.to_tensor([1.0, 2.0], stop_gradient=False), paddle.zeros([1])
    _dygraph_tracer().trace_op("scale", {"X": [x]}, {"Out": [out]}, {"scale": 3.0})
    assert out.tolist() == [3.0, 6.0]
    out.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    with pytest.raises(ValueError, match=r"trace_op\(inputs\): operator 'scale' has no 'Y'"):
        _dygraph_tracer().trace_op("scale", {"Y": x}, {"Out": out}, {})


def test_the_tracer_turns_gradients_off() -> None:
    tracer = _dygraph_tracer()
    assert tracer._has_grad is True
    tracer._has_grad = False
    try:
        assert (paddle.to_tensor([1.0], stop_gradient=False) * 2).stop_gradient
    finally:
        tracer._has_grad = True
    paddle.enable_static()
    try:
        assert _dygraph_tracer() is None
    finally:
        paddle.disable_static()


def test_guard_and_to_variable() -> None:
    from paddle.fluid import dygraph

    paddle.enable_static()
    try:
        with dygraph.guard(paddle.CPUPlace()):
            x = dygraph.to_variable(np.arange(3), name="counted", dtype="float32")
            assert paddle.in_dynamic_mode() and x.numpy().tolist() == [0.0, 1.0, 2.0]
            assert x.name == "counted" and dygraph.to_variable(x) is x
            assert dygraph.to_variable([1, 2]).tolist() == [1, 2]
        assert not paddle.in_dynamic_mode()
    finally:
        paddle.disable_static()
    with pytest.raises(NotImplementedError, match="leave the argument out"):
        dygraph.to_variable(np.zeros(3), zero_copy=True)


def test_dygraph_only() -> None:
    from paddle.fluid.framework import dygraph_only

    @dygraph_only
    def answer() -> int:
        return 42

    assert answer() == 42
    paddle.enable_static()
    try:
        with pytest.raises(RuntimeError, match=r"answer\(\) works in dynamic mode"):
            answer()
    finally:
        paddle.disable_static()


def test_functions_of_fluid_layers() -> None:
    from paddle.fluid import layers

    x = paddle.to_tensor([[1, 2]])
    assert layers.expand_as(x, paddle.zeros([2, 4])).tolist() == [[1, 2, 1, 2]] * 2
    filled = layers.fill_constant_batch_size_like(
        paddle.zeros([3, 5]), [7, -1], "float64", 2, input_dim_idx=1, output_dim_idx=1
    )
    assert filled.shape == [7, 5] and str(filled.dtype).endswith("FP64")
    a = paddle.to_tensor([[1.0, 2.0]])
    assert layers.matmul(a, a, transpose_y=True, alpha=0.5).tolist() == [[2.5]]
    assert layers.where(paddle.to_tensor([[True, False, True]])).tolist() == [[0, 0], [0, 2]]
