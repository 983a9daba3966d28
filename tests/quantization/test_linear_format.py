"""``onnx_format``: ``quantize_linear`` and ``dequantize_linear``, and bytes as weights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn, static
from paddle import quantization as q
from paddle.static.ir_graph import Graph, IrGraph
from tests.quantization.nets import DATA

FOLDER = DATA / "ptq-262"
THERE = DATA / "linear-262"
FILES = {"model_filename": "model.pdmodel", "params_filename": "model.pdiparams"}
TYPES = ["conv2d", "depthwise_conv2d", "mul", "matmul_v2", "pool2d", "elementwise_add"]


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard():
        yield
    paddle.disable_static()


@pytest.fixture(scope="module")
def x() -> np.ndarray:
    with np.load(FOLDER / "seen.npz") as file:
        return file["x"]


def quantised(x: np.ndarray, **more: Any) -> q.PostTrainingQuantization:
    exe = static.Executor(paddle.CPUPlace())
    data = [{"x": part} for part in np.array_split(x, 4)]
    ptq = q.PostTrainingQuantization(
        exe, model_dir=str(FOLDER), **FILES, data_loader=data, quantizable_op_type=TYPES,
        algo="abs_max", **more,
    )  # fmt: skip
    ptq.quantize()
    return ptq


def run(ptq: q.PostTrainingQuantization, x: np.ndarray) -> np.ndarray:
    exe = static.Executor(paddle.CPUPlace())
    return exe.run(ptq.program, feed={"x": x}, fetch_list=ptq.fetches, scope=ptq.scope)[0]


def loaded(prefix: Path, x: np.ndarray) -> tuple[Any, np.ndarray]:
    exe = static.Executor(paddle.CPUPlace())
    program, feeds, fetches = static.load_inference_model(str(prefix), exe)
    return program, exe.run(program, feed={feeds[0]: x}, fetch_list=fetches)[0]


def predicted(prefix: Path, x: np.ndarray, whole: bool) -> np.ndarray:
    config = paddle.inference.Config(f"{prefix}.pdmodel", f"{prefix}.pdiparams")
    if whole:
        config.enable_mkldnn_int8()
    predictor = paddle.inference.create_predictor(config)
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(x)
    predictor.run()
    return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()


@pytest.mark.parametrize("weights", ["abs_max", "channel_wise_abs_max"])
@pytest.mark.parametrize("bits", [8, 16])
def test_numbers_are_those_of_the_other_form(x: np.ndarray, weights: str, bits: int) -> None:
    paddle.enable_static()
    more = {"weight_quantize_type": weights, "weight_bits": bits}
    old, new = quantised(x, **more), quantised(x, **more, onnx_format=True)
    kinds = [op.type for op in new.program.global_block().ops]
    assert {"quantize_linear", "dequantize_linear"} <= set(kinds)
    assert not [kind for kind in kinds if kind.startswith("fake_")]
    values = [
        v for v in new.program.list_vars() if v.persistable and v.name.endswith(f".int{bits}")
    ]
    assert len(values) == 4
    for var in values:
        held = np.array(new.scope.find_var(var.name).get_tensor())
        assert held.dtype == f"int{bits}" and np.abs(held).max() == 2 ** (bits - 1) - 1
    np.testing.assert_allclose(run(new, x), run(old, x), atol=2e-3)  # halves go another way


def test_saved_loaded_and_served(x: np.ndarray, tmp_path: Path) -> None:
    paddle.enable_static()
    ptq = quantised(x, onnx_format=True)
    out = run(ptq, x)
    ptq.save_quantized_model(str(tmp_path), **FILES)
    program, again = loaded(tmp_path / "model", x)
    np.testing.assert_array_equal(again, out)
    assert program.global_block().var("conv2d_0.w_0.int8").dtype == paddle.int8
    paddle.disable_static()
    np.testing.assert_allclose(predicted(tmp_path / "model", x, False), out, atol=1e-5)
    np.testing.assert_allclose(predicted(tmp_path / "model", x, True), out, atol=0.01)


def test_a_model_of_paddlepaddle_runs_here(x: np.ndarray) -> None:
    """2.6.2 quantised and ran it (scripts/oracle/quantization_linear_262.py)."""
    with np.load(THERE / "seen.npz") as file:
        there = dict(file)
    paddle.enable_static()
    _, out = loaded(THERE / "model", there["x"])
    np.testing.assert_allclose(out, there["out"], atol=1e-5)
    paddle.disable_static()
    np.testing.assert_allclose(predicted(THERE / "model", x, True), out, atol=0.01)


@pytest.mark.parametrize("weights", ["abs_max", "channel_wise_abs_max"])
def test_a_layer_that_was_trained(weights: str, tmp_path: Path) -> None:
    paddle.seed(3)
    net = nn.Sequential(nn.Conv2D(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 5))
    x = np.random.RandomState(0).randn(16, 1, 8, 8).astype("float32")
    spec = [static.InputSpec([None, 1, 8, 8], "float32", "x")]
    aware = q.ImperativeQuantAware(weight_quantize_type=weights, onnx_format=True)
    aware.quantize(net)
    adam = paddle.optimizer.Adam(1e-3, parameters=net.parameters())
    for _ in range(5):
        net(paddle.to_tensor(x)).square().mean().backward()
        adam.step()
        adam.clear_grad()
    net.eval()
    out = net(paddle.to_tensor(x)).numpy()
    aware.save_quantized_model(net, str(tmp_path / "net"), input_spec=spec)
    again = paddle.jit.load(str(tmp_path / "net"))(paddle.to_tensor(x)).numpy()
    np.testing.assert_allclose(again, out, atol=0.02 * np.abs(out).max())
    paddle.enable_static()
    program, _ = loaded(tmp_path / "net", x)
    kinds = [op.type for op in program.global_block().ops]
    assert kinds.count("quantize_linear") == 2 and kinds.count("dequantize_linear") == 4
    assert not [kind for kind in kinds if kind.startswith("fake_")]


def test_whole_numbers_as_floats(x: np.ndarray) -> None:
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        static.nn.fc(static.data("x", [None, 3]), 4, weight_attr="linear.w")
    static.Executor().run(startup)
    graph = IrGraph(Graph(main), for_test=True)
    at = static.global_scope(), paddle.CPUPlace()
    types = ["mul", "matmul_v2"]
    q.QuantizationTransformPass(
        *at, activation_quantize_type="range_abs_max", quantizable_op_type=types
    ).apply(graph)
    q.ReplaceFakeQuantDequantPass(*at).apply(graph)
    q.QuantWeightPass(*at, save_int_weight=False).apply(graph)
    held = np.array(at[0].find_var("linear.w.steps").get_tensor())
    assert held.dtype == np.float32 and (held == held.round()).all() and np.abs(held).max() == 127


def test_bad_input(x: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"onnx_format=True.*'abs_max'"):
        q.ImperativeQuantAware(activation_quantize_type="abs_max", onnx_format=True)
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        out = static.nn.fc(static.data("x", [None, 3]), 4, weight_attr="bad.w")
        test = main.clone(for_test=True)
        paddle.optimizer.SGD(0.1).minimize(out.mean())
    static.Executor().run(startup)
    at = static.global_scope(), paddle.CPUPlace()
    types = ["mul", "matmul_v2"]
    graph = IrGraph(Graph(test), for_test=True)
    q.QuantizationTransformPass(*at, quantizable_op_type=types).apply(graph)
    with pytest.raises(ValueError, match="scale of 'x' is taken from each batch"):
        q.ReplaceFakeQuantDequantPass(*at).apply(graph)
    with pytest.raises(ValueError, match="expected a Program for inference"):
        q.ReplaceFakeQuantDequantPass(*at).apply(IrGraph(Graph(main)))
    ptq = quantised(x)
    with pytest.raises(ValueError, match=r"read by a product.*QuantizationFreezePass"):
        q.ReplaceFakeQuantDequantPass(ptq.scope, at[1]).apply(IrGraph(Graph(ptq.program), True))
    with pytest.raises(TypeError, match="expected an IrGraph"):
        q.QuantWeightPass(*at).apply(ptq.program)
