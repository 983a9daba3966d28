"""The passes of quantisation: numbers and Programs as in PaddlePaddle 1.8.5 and 2.6.2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import quantization as q
from paddle import static
from paddle.fluid import core
from paddle.fluid.framework import IrGraph
from tests.quantization.nets import DATA, build, held, seen

CPU = paddle.CPUPlace()
PRODUCTS = ["conv2d", "depthwise_conv2d", "mul", "matmul_v2"]


@pytest.fixture(autouse=True)
def _static() -> Iterator[None]:
    paddle.enable_static()
    with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard():
        yield
    paddle.disable_static()


def quantized(program: Any, test: bool, kind: str, weight: str, **more: Any) -> IrGraph:
    graph = IrGraph(core.Graph(program.desc), for_test=test)
    q.QuantizationTransformPass(
        activation_quantize_type=kind, weight_quantize_type=weight, quantizable_op_type=PRODUCTS,
        **more,
    ).apply(graph)  # fmt: skip
    q.AddQuantDequantPass().apply(graph)
    q.OutScaleForTrainingPass().apply(graph)
    return graph


def kinds(graph: IrGraph) -> list[str]:
    return [op.type for op in graph.to_program().global_block().ops]


@pytest.mark.parametrize(
    "name, kind, weight",
    [
        ("185-abs_max", "abs_max", "abs_max"),
        ("185-range_abs_max", "range_abs_max", "abs_max"),
        ("262-moving_average_abs_max", "moving_average_abs_max", "channel_wise_abs_max"),
        ("262-range_abs_max", "range_abs_max", "abs_max"),
    ],
)
def test_trained_and_frozen_as_in_paddlepaddle(name: str, kind: str, weight: str) -> None:
    there = seen(name)
    net = build(name.startswith("185"))
    exe = static.Executor()
    exe.run(net.startup)
    for w in net.weights:
        net.main.global_block().var(w).set_value(there[f"before/{w}"])
    train = quantized(net.main, False, kind, weight).to_program()
    graph = quantized(net.test, True, kind, weight)
    losses = [
        exe.run(train, feed={"x": x, "y": y}, fetch_list=[net.loss])[0].item()
        for x, y in zip(there["x"][:3], there["y"], strict=False)
    ]
    np.testing.assert_allclose(losses, there["losses"], rtol=2e-5)
    for w in net.weights:
        np.testing.assert_allclose(held(w), there[f"after/{w}"], rtol=1e-4, atol=2e-6)
    q.OutScaleForInferencePass().apply(graph)
    q.QuantizationFreezePass(None, CPU, weight_quantize_type=weight).apply(graph)
    frozen = graph.to_program()
    counted = (*PRODUCTS, "relu", "softmax")
    marked = [op for op in frozen.global_block().ops if op.type in counted]
    found = [op.attr("out_threshold") for op in marked]
    # 2.6.2 keeps the scale of a result and that of a product's value in one variable: the 5th.
    same = [i for i in range(7) if i != 4 or name.startswith("185")]
    np.testing.assert_allclose(np.array(found)[same], there["thresholds"][same], rtol=2e-4)
    for w in net.weights:
        # 2.6.2 takes the scales of before the last update, 1.8.5 those of the weights as they are.
        off = np.abs(held(w) - there[f"steps/{w}"])
        assert off.max() <= (1.01 if name.startswith("185") else 2.01), w
        assert (off > 1e-4).mean() < (0.05 if name.startswith("185") else 0.6), w
    feed = {"x": there["x"][3], "y": there["y"][3]}
    out = exe.run(frozen, feed=feed, fetch_list=[net.out])[0]
    tolerance = 1e-4 if name.startswith("185") else 4e-3
    np.testing.assert_allclose(out, there["frozen"], atol=tolerance)
    q.ConvertToInt8Pass(None, CPU).apply(graph)
    for w in (n for n in net.weights if f"int8/{n}" in there):
        assert held(f"{w}.int8").dtype == np.int8 and (held(f"{w}.int8") == held(w)).all()
    mobile = kinds(q.TransformForMobilePass().apply(graph))
    assert mobile.count("quantize") == mobile.count("dequantize") == 4


@pytest.mark.parametrize("name", ["185-moving_average_abs_max", "262-moving_average_abs_max"])
def test_what_paddlepaddle_quantised_runs_here(name: str) -> None:
    folder = DATA / name
    there = seen(f"{name}/seen" if name.startswith("185") else name)
    exe = static.Executor()
    if name.startswith("185"):
        loaded = paddle.fluid.io.load_inference_model(str(folder), exe, params_filename="params")
    else:
        loaded = static.load_inference_model(str(folder / "model"), exe)
    program, feeds, fetches = loaded
    out = exe.run(program, feed={feeds[0]: there["x"][3]}, fetch_list=fetches)[0]
    np.testing.assert_allclose(out, there["frozen"], atol=1e-5)


def test_the_form_of_a_program_for_training() -> None:
    net = build(of_1x=False)
    static.Executor().run(net.startup)
    graph = quantized(net.main, False, "moving_average_abs_max", "channel_wise_abs_max")
    block = graph.to_program().global_block()
    conv = next(op for op in block.ops if op.type == "conv2d")
    assert conv.input("Input") == ["x.quantized.dequantized"]
    assert conv.input("Filter") == ["conv2d_0.w_0.quantized.dequantized"]
    assert conv.attr("quantization_type") == "qat_with_weight"
    back = next(op for op in block.ops if op.type == "conv2d_grad")
    assert back.input("Filter") == conv.input("Filter")
    assert back.output("Filter@GRAD") == ["conv2d_0.w_0@GRAD"]
    steps = next(op for op in block.ops if op.type == "fake_quantize_moving_average_abs_max")
    assert steps.input("InScale") == steps.output("OutScale") == ["x.scale"]
    assert block.var("x.scale").persistable and held("x.scale").item() == np.float32(0.001)


def test_one_weight_of_two_products_is_quantised_once() -> None:
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x = static.data("x", [None, 4])
        w = static.create_parameter([4, 4], "float32", name="shared")
        out = paddle.matmul(paddle.matmul(x, w), w)
    exe = static.Executor()
    exe.run(startup)
    feed = {"x": np.random.RandomState(0).randn(8, 4).astype("float32")}
    plain = exe.run(main, feed=feed, fetch_list=[out.name])[0]
    graph = IrGraph(core.Graph(main.desc), for_test=True)
    q.QuantizationTransformPass(quantizable_op_type=["matmul_v2"]).apply(graph)
    assert sum(op.input("X") == ["shared"] for op in graph.topology_sort()) == 1
    q.QuantizationFreezePass(None, CPU).apply(graph)
    name = graph.out_node_mapping_table[out.name]
    found = exe.run(graph.to_program(), feed=feed, fetch_list=[name])[0]
    assert np.abs(found - plain).max() < 0.03 * np.abs(plain).max()


def test_bad_input() -> None:
    net = build(of_1x=False)
    graph = IrGraph(core.Graph(net.test.desc), for_test=True)
    with pytest.raises(TypeError, match="expected an IrGraph"):
        q.QuantizationTransformPass().apply(net.test)
    with pytest.raises(ValueError, match="weight_quantize_type"):
        q.QuantizationTransformPass(weight_quantize_type="large")
    with pytest.raises(ValueError, match=r"'relu'"):
        q.QuantizationTransformPass(quantizable_op_type=["relu"])
    with pytest.raises(ValueError, match="from 2 to 16 bits"):
        q.QuantizationTransformPass(weight_bits=40).apply(graph)
    with pytest.raises(ValueError, match="none of the operators without a weight"):
        q.AddQuantDequantPass(quantizable_op_type=["conv2d"])
    static.Executor().run(net.startup)
    again = quantized(net.test, True, "abs_max", "abs_max")
    q.QuantizationFreezePass(None, CPU).apply(again)
    with pytest.raises(ValueError, match="quantised already"):
        q.QuantizationFreezePass(None, CPU).apply(quantized(net.test, True, "abs_max", "abs_max"))
    weight = held("conv2d_0.w_0").astype("float32")
    weight[0] = np.nan
    net.test.global_block().var("conv2d_0.w_0").set_value(weight)
    with pytest.raises(ValueError, match=r"'conv2d_0.w_0' has NaN or infinities"):
        q.QuantizationFreezePass(None, CPU).apply(quantized(net.test, True, "abs_max", "abs_max"))
