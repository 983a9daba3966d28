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
