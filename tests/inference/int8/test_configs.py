"""Weights of bytes in every Config, what is measured, and what is wrong with models and data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import quantization, static
from paddle.inference import Config, create_predictor
from paddle.ops.quantization import int8_tuning
from paddle.ops.quantization.int8_tuning import Place
from paddle.static.ir_graph import Graph, IrGraph
from tests.inference.int8_nets import Net, conv, net, rounded, run, types
from tests.inference.test_int8 import needs_bytes

W = (np.random.RandomState(0).randn(8, 8, 3, 3) * 0.1).astype("float32")
X = np.random.RandomState(1).randn(2, 8, 8, 8).astype("float32")


# -- weights that ConvertToInt8Pass made bytes ----------------------------------------------------


@pytest.fixture(scope="session", params=["abs_max", "channel_wise_abs_max"])
def converted(request, tmp_path_factory):
    """A net that was trained with quantisation, frozen and converted; what it gave when frozen."""
    folder, kind = str(tmp_path_factory.mktemp("converted") / "net"), request.param
    paddle.enable_static()
    try:
        with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard():
            return folder, _convert(folder, kind)
    finally:
        paddle.disable_static()


def _convert(prefix: str, kind: str) -> tuple[np.ndarray, np.ndarray]:
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x = static.data("x", [None, 3, 8, 8])
        hidden = static.nn.conv2d(x, 4, 3, act="relu")
        hidden = static.nn.conv2d(hidden, 4, 3, groups=4, padding=1, use_cudnn=False)
        out = static.nn.fc(hidden, 5)
        test = main.clone(for_test=True)
        loss = paddle.mean(out * out)
        paddle.optimizer.SGD(0.01).minimize(loss)
    exe, scope, place = static.Executor(), static.global_scope(), paddle.CPUPlace()
    exe.run(startup)
    graphs = [IrGraph(Graph(p.desc), for_test=p is test) for p in (main, test)]
    products = ["conv2d", "depthwise_conv2d", "mul", "matmul_v2"]
    for graph in graphs:
        quantization.QuantizationTransformPass(
            scope=scope, place=place, weight_quantize_type=kind, quantizable_op_type=products,
            activation_quantize_type="moving_average_abs_max",
        ).apply(graph)  # fmt: skip
    given = np.random.RandomState(3).rand(4, 3, 8, 8).astype("float32")
    for _ in range(20):
        exe.run(graphs[0].to_program(), feed={"x": given}, fetch_list=[loss.name])
    frozen = graphs[1]
    quantization.QuantizationFreezePass(
        scope, place, weight_quantize_type=kind, quantizable_op_type=products
    ).apply(frozen)
    [expected] = exe.run(frozen.to_program(), feed={"x": given}, fetch_list=[out.name])
    program = quantization.ConvertToInt8Pass(scope, place, products).apply(frozen).to_program()
    [again] = exe.run(program, feed={"x": given}, fetch_list=[out.name])
    np.testing.assert_array_equal(again, expected)
    block = program.global_block()
    static.save_inference_model(
        prefix, [block.var("x")], [block.var(out.name)], exe, program=program
    )
    return given, expected


HOW = {
    "plain": lambda c: None,
    "no passes": lambda c: c.switch_ir_optim(False),
    "oneDNN": lambda c: c.enable_mkldnn(),
    "bytes": lambda c: c.enable_mkldnn_int8(),
    "quantizer": lambda c: c.enable_quantizer(),
    "bfloat16": lambda c: c.enable_mkldnn_bfloat16(),
}


@pytest.mark.filterwarnings("ignore:.*runs in floats")
@pytest.mark.parametrize("how", HOW)
def test_weights_of_bytes_in_a_config(converted, how):
    prefix, (given, expected) = converted
    config = Config(f"{prefix}.pdmodel", f"{prefix}.pdiparams")
    HOW[how](config)
    [found] = create_predictor(config).run([given])
    # The products' inputs, of which sums near zero are made, may round to the next of 255 steps.
    tolerance = 1e-5 if how in ("plain", "no passes", "oneDNN") else 0.1
    assert np.linalg.norm(found - expected) <= tolerance * np.linalg.norm(expected)


@needs_bytes
def test_weights_of_bytes_make_products_of_bytes(converted):
    kinds = types(Net.read(converted[0]).integers())
    assert kinds[:3] == ["int8_quantize", "int8_conv2d", "int8_conv2d"]
    assert kinds.count("int8_linear") == 1 and "cast" not in kinds


def test_a_model_brings_its_ranges(converted):
    """Data of the quantizer are not needed, and change nothing."""
    prefix, (given, _) = converted
    found = []
    for data in ([], [np.ones([1, 3, 8, 8], "float32")]):
        config = Config(f"{prefix}.pdmodel", f"{prefix}.pdiparams")
        config.enable_quantizer()
        config.quantizer_config().set_quant_data(data)
        found.append(create_predictor(config).run([given])[0])
    np.testing.assert_array_equal(*found)


def test_a_word_where_bytes_stay_floats(converted, monkeypatch):
    monkeypatch.setattr("paddle.ops.quantization.int8.usable", lambda: False)
    prefix = converted[0]
    config = Config(f"{prefix}.pdmodel", f"{prefix}.pdiparams")
    config.enable_mkldnn_int8()
    with pytest.warns(UserWarning, match="runs in floats, for this CPU"):
        create_predictor(config)


# -- what is measured -----------------------------------------------------------------------------


@pytest.fixture
def measuring(tmp_path, monkeypatch):
    """Measuring is on, and nothing was found yet."""
    from paddle.core import tuning

    monkeypatch.setenv("PADDLE_KERNEL_CACHE", str(tmp_path))
    paddle.set_flags({"FLAGS_int8_tune": True})
    tuning.forget()
    yield
    paddle.set_flags({"FLAGS_int8_tune": False})
    tuning.forget()


def two(x):
    hidden = paddle.nn.functional.relu(conv(rounded(x, 2.5), "a", W))
    return conv(rounded(hidden, 4.0), "b", W)


@needs_bytes
def test_what_is_slower_stays_in_floats(measuring, monkeypatch):
    asked = []

    def measured(forms, at):
        asked.append(at)
        return "floats" if at.behind else "bytes"

    monkeypatch.setattr(int8_tuning, "_measured", measured)
    saved = net(two, [-1, 8, 8, 8])
    made = saved.integers()
    assert types(made) == ["int8_quantize", "int8_conv2d", "conv2d"]
    assert asked == [Place(False, True), Place(True, False)]
    [found], [expected] = run(made, X), run(saved.prepared(), X)
    assert np.abs(found - expected).max() < 0.02 * np.abs(expected).max()
    saved.integers()
    assert len(asked) == 2  # once a size
    assert types(net(two, [-1, 8, -1, -1]).integers()).count("int8_conv2d") == 2
    assert len(asked) == 2  # open sizes are not measured


@needs_bytes
def test_both_ways_are_measured(measuring):
    for at in (Place(False, False), Place(True, True)):
        assert int8_tuning.conv_gains((1, 8, 6, 6), (8, 8, 3, 3), {}, at) in (True, False)
        assert int8_tuning.linear_gains(3, (64, 32), at) in (True, False)


# -- what is wrong --------------------------------------------------------------------------------


@needs_bytes
@pytest.mark.parametrize("scale", [np.nan, np.inf])
def test_a_scale_that_is_no_number(scale):
    saved = net(lambda x: conv(rounded(x, scale), "w", W), [-1, 8, 8, 8])
    with pytest.raises(ValueError, match=f"scale 'x0_scale_{scale}' of the layer that makes 'conv"):
        saved.integers()


@needs_bytes
def test_a_weight_that_is_no_number():
    wrong = W.copy()
    wrong[1, 0, 0, 0] = np.nan
    with pytest.raises(ValueError, match=r"of the layer that makes 'conv2d_.* has NaN"):
        net(lambda x: conv(rounded(x, 1.0), "w", wrong), [-1, 8, 8, 8]).integers()


@needs_bytes
def test_a_scale_of_0():
    """As the operators of fake quantisation have it: next to nothing."""
    saved = net(lambda x: conv(rounded(x, 0.0), "w", W), [-1, 8, 8, 8])
    [found], [expected] = run(saved.integers(), X), run(saved.prepared(), X)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, expected, atol=1e-5)


@needs_bytes
def test_values_of_nothing_but_zeros():
    saved = net(lambda x: conv(rounded(x, 2.5), "w", W), [-1, 8, 8, 8])
    assert np.abs(run(saved.integers(), X * 0)[0]).max() < 1e-5


PLAIN = net(lambda x: paddle.nn.functional.relu(x) * 2.0, [-1, 8, 8, 8])


@needs_bytes
@pytest.mark.parametrize(
    "shape, word",
    [((2, 8, 8, 7), "expected data of shape"), ((2, 8, 8), "expected data of shape"),
     ((0, 8, 8, 8), "is empty")],
)  # fmt: skip
def test_data_of_another_shape(shape, word):
    with pytest.raises(ValueError, match=word):
        PLAIN.calibrated(np.zeros(shape, "float32"))


@needs_bytes
def test_a_number_that_is_absurd():
    """One element of 1e30 does not turn all others to 0."""

    def build(x):
        from tests.inference.int8_nets import append, stored

        attrs = {"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "groups": 1}
        return append("conv2d", {"Input": x, "Filter": stored("w", W)}, ["Output"], attrs)

    saved = net(build, [-1, 8, 8, 8])
    wrong = X.copy()
    wrong[0, 0, 0, 0] = 1e30
    made = saved.calibrated(wrong, algorithm="max").integers()
    assert types(made) == ["int8_quantize", "int8_conv2d"]
    [found], [expected] = run(made, X), run(saved.prepared(), X)
    assert np.abs(found - expected).max() < 0.05 * np.abs(expected).max()


# -- other machines -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name, value", [("ONEDNN_MAX_CPU_ISA", "AVX2"),
                                         ("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_VNNI"),
                                         ("ATEN_CPU_CAPABILITY", "default")])  # fmt: skip
def test_with_fewer_instructions(name, value):
    folder = Path(__file__).parent
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-m", "not slow", str(folder), str(folder.parent / "test_int8.py")]
    done = subprocess.run(
        command, env={**os.environ, name: value}, capture_output=True, text=True,
        cwd=folder.parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
