"""The passes for oneDNN: scales in attributes, weights on steps, what a predictor computes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import quantization as q
from paddle import static
from paddle.fluid import core
from paddle.fluid.framework import IrGraph
from tests.quantization.nets import DATA

FOLDER = DATA / "ptq-262"
FILES = {"model_filename": "model.pdmodel", "params_filename": "model.pdiparams"}
CPU = paddle.CPUPlace()


@pytest.fixture(autouse=True)
def _static() -> Iterator[None]:
    paddle.enable_static()
    with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard():
        yield
    paddle.disable_static()


def loaded(exe: Any) -> tuple[Any, list, list, np.ndarray, np.ndarray]:
    with np.load(DATA / "ptq-262" / "seen.npz") as file:
        x = file["x"]
    ptq = q.PostTrainingQuantization(
        exe, static.global_scope(), str(FOLDER), **FILES, data_loader=[{"x": x}], algo="abs_max",
        quantizable_op_type=["conv2d", "depthwise_conv2d", "mul", "matmul_v2"],
    )  # fmt: skip
    program = ptq.quantize()
    out = exe.run(program, feed={"x": x}, fetch_list=ptq.fetches)[0]
    return program, ptq.feeds, ptq.fetches, x, out


def predicted(folder: Path, x: np.ndarray) -> np.ndarray:
    config = paddle.inference.Config(*(str(folder / name) for name in FILES.values()))
    config.disable_glog_info()
    predictor = paddle.inference.create_predictor(config)
    predictor.get_input_handle("x").copy_from_cpu(x)
    predictor.run()
    return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()


def saved(made: Any, feeds: list, fetches: list, exe: Any, folder: Path) -> None:
    block = made.global_block()
    outs = [block.var(v.name) for v in fetches]
    paddle.fluid.io.save_inference_model(str(folder), feeds, outs, exe, made, **FILES)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("kind", ["Quant2Int8MkldnnPass", "QuantInt8MkldnnPass"])
def test_what_the_predictor_computes(kind: str, tmp_path: Path) -> None:
    exe = static.Executor(CPU)
    program, feeds, fetches, x, out = loaded(exe)
    graph = IrGraph(core.Graph(program.desc), for_test=True)
    if kind == "QuantInt8MkldnnPass":
        made = q.QuantInt8MkldnnPass(static.global_scope(), CPU).apply(graph).to_program()
    else:
        kinds = {"conv2d", "fc"}
        made = q.Quant2Int8MkldnnPass(kinds, _place=CPU, _core=core).apply(graph).to_program()
    ops = made.global_block().ops
    assert not [op for op in ops if op.type.startswith("fake_")]
    conv = next(op for op in ops if op.type == "conv2d")
    back = next(op for op in program.global_block().ops if op.type.startswith("fake_channel"))
    scales = np.array(static.global_scope().find_var(back.input("Scales")[0]).get_tensor())
    np.testing.assert_allclose(conv.attr("Scale_weights"), 127 / scales, rtol=1e-6)
    assert conv.attr("force_fp32_output") and conv.attr("Scale_in") > 0
    changed = {op.type for op in ops if op.attrs.get("Scale_in", 1.0) != 1.0}
    wanted = {"conv2d", "mul"}
    assert changed == (wanted | {"depthwise_conv2d", "matmul_v2"} if kind[5] == "I" else wanted)
    saved(made, feeds, fetches, exe, tmp_path)
    off = 5e-3 if kind[5] == "2" else 2e-5  # some products are in floats there
    np.testing.assert_allclose(predicted(tmp_path, x), out, atol=off)


def test_in_floats_it_computes_the_same() -> None:
    exe = static.Executor(CPU)
    program, feeds, fetches, x, out = loaded(exe)
    graph = IrGraph(core.Graph(program.desc), for_test=True)
    made = q.Quant2Int8MkldnnPass(set()).prepare_and_optimize_fp32(graph).to_program()
    kinds = [op.type for op in made.global_block().ops]
    assert not [k for k in kinds if "quantize" in k] and "conv2d" in kinds
    found = exe.run(made, feed={feeds[0]: x}, fetch_list=[v.name for v in fetches])[0]
    assert np.abs(found - out).max() < 5e-3  # values are not rounded, weights are


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("weight", ["abs_max", "channel_wise_abs_max"])
def test_of_a_layer_that_was_trained(weight: str, tmp_path: Path) -> None:
    paddle.disable_static()
    net = paddle.nn.Sequential(paddle.nn.Conv2D(1, 3, 3), paddle.nn.Flatten(),
                               paddle.nn.Linear(108, 4))  # fmt: skip
    aware = q.ImperativeQuantAware(weight_quantize_type=weight)
    aware.quantize(net)
    x = np.random.RandomState(0).randn(4, 1, 8, 8).astype("float32")
    for _ in range(3):
        net(paddle.to_tensor(x))
    net.eval()
    out = net(paddle.to_tensor(x)).numpy()
    spec = [static.InputSpec([None, 1, 8, 8], "float32")]
    aware.save_quantized_model(net, str(tmp_path / "net"), spec)
    paddle.enable_static()
    exe = static.Executor(CPU)
    program, feeds, fetches = static.load_inference_model(str(tmp_path / "net"), exe)
    graph = IrGraph(core.Graph(program.desc), for_test=True)
    made = q.Qat2Int8MkldnnPass({"conv2d", "mul", "matmul_v2"}).apply(graph).to_program()
    (tmp_path / "int8").mkdir()
    outs = [made.global_block().var(v.name) for v in fetches]
    paddle.fluid.io.save_inference_model(str(tmp_path / "int8"), feeds, outs, exe, made, **FILES)
    config = paddle.inference.Config(*(str(tmp_path / "int8" / n) for n in FILES.values()))
    predictor = paddle.inference.create_predictor(config)
    predictor.get_input_handle(feeds[0]).copy_from_cpu(x)
    predictor.run()
    found = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    np.testing.assert_allclose(found, out, atol=0.02)


def test_what_is_skipped_and_bad_input() -> None:
    exe = static.Executor(CPU)
    program = loaded(exe)[0]
    graph = IrGraph(core.Graph(program.desc), for_test=True)
    skip = {op.id() for op in graph.all_op_nodes() if op.name() == "conv2d"}
    made = q.Quant2Int8MkldnnPass({"conv2d", "mul"}, skip).apply(graph).to_program()
    ops = {op.type: op for op in made.global_block().ops}
    assert ops["mul"].attr("Scale_x") and not ops["conv2d"].attrs.get("force_fp32_output")
    with pytest.raises(ValueError, match="no operator of the graph is quantised"):
        q.QuantInt8MkldnnPass().apply(IrGraph(core.Graph(made.desc), for_test=True))
    with pytest.raises(TypeError, match="expected an IrGraph"):
        q.QatInt8MkldnnPass().apply(program)


def test_drawing_while_it_runs_is_refused():
    for kind in (q.Quant2Int8MkldnnPass, q.Qat2Int8MkldnnPass):
        with pytest.raises(NotImplementedError, match=r"graph\.draw"):
            kind({"mul"}, _debug=True)
