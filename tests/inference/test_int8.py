"""Quantised Programs compute with bytes, and give what their simulation in floats gives."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

import paddle.nn.functional as F
from paddle.ops.quantization import int8
from paddle.passes.inference.table import GRAPH
from tests.inference.int8_nets import Net as Saved
from tests.inference.int8_nets import append, conv, net, rounded, run, stored, types, weight
from tests.jit.cases.model_cases import INDEX, read_case

ONEDNN_185 = Path(__file__).parents[1] / "data" / "inference" / "1.8.5_onednn_int8.zip"
needs_bytes = pytest.mark.skipif(not int8.usable(), reason="this CPU cannot multiply bytes exactly")
CHAIN = ["int8_quantize", "int8_conv2d", "int8_conv2d", "int8_max_pool2d", "int8_linear", "softmax"]
# Their pool reads a value that is rounded once more, which is left out: another step of that scale.
POOLED = {"aware", "aware_frozen_whole", "aware_linear", "aware_unfrozen", "after_linear"}
MODELS = [f"{release}/{name}" for release in INDEX if "quantized" in release
          for name in INDEX[release]]  # fmt: skip


def values(*shape: int, key: int = 0, spread: float = 1.0) -> np.ndarray:
    return (np.random.RandomState(key).randn(*shape) * spread).astype("float32")


@needs_bytes
@pytest.mark.parametrize("name", [n for n in MODELS if not n.endswith("aware_abs_max")])
def test_models_quantised_by_paddlepaddle(name, tmp_path):
    case = read_case(name)
    made = Saved.read(case.unpack(tmp_path)).integers()
    assert [t for t in types(made) if t != "scale"] == CHAIN
    tolerance = 0.01 if name.partition("/")[2] in POOLED else 1e-5
    for _, inputs, expected in case.runs():
        [out] = run(made, *inputs)
        np.testing.assert_allclose(out, expected[0], atol=tolerance)
        assert (out.argmax(-1) == expected[0].argmax(-1)).all()


def test_scales_of_each_batch_stay_in_floats(tmp_path):
    case = read_case("1.8.5-quantized/aware_abs_max")
    made = Saved.read(case.unpack(tmp_path)).integers()
    assert types(made).count("fake_quantize_abs_max") == 3
    assert not [t for t in types(made) if t.startswith("int8")]
    [(_, inputs, expected), _] = case.runs()
    np.testing.assert_allclose(run(made, *inputs)[0], expected[0], atol=1e-5)


def test_a_machine_that_saturates_keeps_the_plan_of_floats(tmp_path, monkeypatch):
    monkeypatch.setattr("paddle.ops.quantization.int8.usable", lambda: False)
    case = read_case("2.6.2-quantized/aware_linear")
    made = Saved.read(case.unpack(tmp_path)).integers()
    assert "conv2d" in types(made)
    assert {t for t in types(made) if t.startswith("int8")} <= {"int8_round"}
    [(_, inputs, expected), _] = case.runs()
    np.testing.assert_allclose(run(made, *inputs)[0], expected[0], atol=0.01)


def compare(saved, *shapes: tuple[int, ...], step: float = 0.0) -> list[str]:
    """Holds bytes against the simulation; returns the operators that ran."""
    arrays = [values(*shape, key=i) for i, shape in enumerate(shapes)]
    made = saved.integers()
    for found, expected in zip(run(made, *arrays), run(saved.prepared(), *arrays), strict=True):
        size = float(np.abs(expected).max())
        np.testing.assert_allclose(found, expected, atol=1.01 * step + 1e-5 * size)
    return types(made)


W = values(6, 4, 3, 3, key=9, spread=0.2)
WW = values(6, 6, 3, 3, key=8, spread=0.2)
SHAPE = [-1, 4, 8, 8]
GIVEN = (2, 4, 8, 8)


@needs_bytes
@pytest.mark.parametrize(
    "attrs",
    [
        {},
        {"strides": [2, 2], "padding": [1, 0]},
        {"dilations": [2, 2]},
        {"padding": [1, 1, 0, 0]},
        {"padding_algorithm": "VALID"},
        {"kind": "depthwise_conv2d", "groups": 4},
        {"groups": 2},
    ],
    ids=str,
)
def test_a_convolution(attrs):
    w = W[:4, : 4 // attrs.get("groups", 1)]
    saved = net(lambda x: conv(rounded(x, 2.5), "w", w, **attrs), SHAPE)
    assert compare(saved, GIVEN) == ["int8_quantize", "int8_conv2d"]


@needs_bytes
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("shape", [SHAPE, [-1, 4, -1, -1]], ids=str)
@pytest.mark.parametrize(
    "attrs",
    [{"padding_algorithm": "SAME"}, {"padding_algorithm": "SAME", "strides": [2, 2]},
     {"padding": [1, 0, 1, 1]}, {"padding": [0, 2, 0, 1], "dilations": [2, 1]}],
    ids=str,
)  # fmt: skip
def test_padding_that_differs(attrs, shape, positive):
    """Around a picture are bytes for 0, whichever these are."""
    given = F.relu if positive else lambda x: x
    saved = net(lambda x: conv(rounded(given(x), 2.5), "w", W, **attrs), shape)
    assert compare(saved, GIVEN)[-2:] == ["int8_quantize", "int8_conv2d"]
    compare(saved, (1, 4, 7, 10))


@needs_bytes
def test_other_bits_stay_in_floats():
    saved = net(lambda x: conv(rounded(x, 2.5, bits=4), "w", W), SHAPE)
    assert compare(saved, GIVEN)[-1] == "conv2d"


@needs_bytes
def test_a_weight_in_floats_stays_in_floats():
    def build(x):
        attrs = {"strides": [1, 1], "paddings": [1, 1]}
        inputs = {"Input": rounded(x, 2.5), "Filter": stored("w", W)}
        return append("conv2d", inputs, ["Output"], attrs)

    assert compare(net(build, SHAPE), GIVEN) == ["int8_round", "conv2d"]


@needs_bytes
@pytest.mark.parametrize("axis, kind", [(1, "int8_linear"), (0, "matmul_v2")])
def test_the_scales_of_a_matrix_lie_along_its_columns(axis, kind):
    def build(x):
        inputs = {"X": rounded(x, 2.5), "Y": weight("w", values(8, 5, key=3), axis)}
        return append("matmul_v2", inputs, ["Out"], {})

    assert compare(net(build, [-1, 3, 8]), (2, 3, 8))[-1] == kind


@needs_bytes
@pytest.mark.parametrize("turned", ["trans_x", "trans_y"])
def test_a_turned_matrix_stays_in_floats(turned):
    def build(x):
        inputs = {"X": rounded(x, 2.5), "Y": weight("w", values(8, 8, key=3), 1)}
        return append("matmul_v2", inputs, ["Out"], {turned: True})

    assert compare(net(build, [8, 8]), (8, 8))[-1] == "matmul_v2"


@needs_bytes
@pytest.mark.parametrize(
    "activation", [F.relu, F.relu6, F.hardswish, F.swish], ids=lambda f: f.__name__
)
def test_chains_stay_in_bytes(activation):
    """Both clip at the scale; a value that lies near the middle of two steps may be rounded up."""

    def build(x):
        hidden = activation(conv(rounded(x, 2.5), "w", W))
        return conv(rounded(hidden, 1.0), "ww", WW)

    step = 1.0 / 127 * 0.8  # of the second value, by its largest weight
    found = compare(net(build, SHAPE), GIVEN, step=step)
    assert found == ["int8_quantize", "int8_conv2d", "int8_conv2d"]


@needs_bytes
def test_bytes_go_through_pools_and_moves():
    def build(x):
        hidden = F.max_pool2d(F.relu(conv(rounded(x, 2.5), "w", W)), 2, 2)
        inputs = {"X": rounded(hidden.flatten(1), 1.5), "Y": weight("m", values(96, 5), 1)}
        return append("mul", inputs, ["Out"], {"x_num_col_dims": 1})

    found = compare(net(build, SHAPE), GIVEN, step=1.5 / 127 * 3)
    assert found[:3] == ["int8_quantize", "int8_conv2d", "int8_max_pool2d"]
    assert found[-1] == "int8_linear" and found.count("int8_quantize") == 1


@needs_bytes
def test_an_average_of_what_has_no_steps_is_taken_of_floats():
    def build(x):
        hidden = F.avg_pool2d(F.relu(conv(rounded(x, 2.5), "w", W)), 2, 2)
        return conv(rounded(hidden, 1.0), "ww", WW)

    found = compare(net(build, SHAPE), GIVEN, step=1.0 / 127)
    assert found == ["int8_quantize", "int8_conv2d", "pool2d", "int8_quantize", "int8_conv2d"]


@needs_bytes
@pytest.mark.parametrize("shape", [SHAPE, [-1, 4, -1, -1]], ids=str)
@pytest.mark.parametrize(
    "pool, kind",
    [(lambda x: F.avg_pool2d(x, 2, 2), "int8_avg_pool2d"),
     (lambda x: F.avg_pool2d(x, 3, 1, 1, exclusive=False), "int8_avg_pool2d"),
     (lambda x: F.adaptive_avg_pool2d(x, 1), "int8_avg_pool2d"),
     (lambda x: F.avg_pool2d(x, 3, 1, 1), "pool2d"),
     (lambda x: F.avg_pool2d(x, 3, 2, ceil_mode=True), "pool2d")],
    ids=["windows", "padded", "of all", "fewer at the edges", "fewer at the end"],
)  # fmt: skip
def test_averages_of_rounded_values(pool, kind, shape):
    """Where the windows of a pool have as many values each."""

    def build(x):
        hidden = F.relu(conv(rounded(x, 2.5), "w", W))
        return conv(rounded(pool(rounded(hidden, 6.0)), 1.0), "ww", WW)

    saved = net(build, shape)
    found = compare(saved, GIVEN, step=0.1)
    compare(saved, (3, 4, 10, 6), step=0.1)  # a model may be fed other sizes than it states
    chain = ["int8_quantize", "int8_conv2d", kind, "int8_conv2d"]
    assert [k for k in found if k != "int8_quantize"] == chain[1:]
    assert found.count("int8_quantize") == (1 if kind in chain and kind != "pool2d" else 2)


@needs_bytes
def test_calibration_marks_averages():
    def build(x):
        attrs = {"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "groups": 1}
        given = {"Input": x, "Filter": stored("w", W)}
        hidden = F.relu(append("conv2d", given, ["Output"], attrs))
        given = {"Input": F.avg_pool2d(hidden, 2, 2), "Filter": stored("ww", WW)}
        return append("conv2d", given, ["Output"], attrs)

    plain = net(build, SHAPE)
    made = plain.calibrated(values(*GIVEN)).integers()
    assert types(made) == ["int8_quantize", "int8_conv2d", "int8_avg_pool2d", "int8_conv2d"]
    [found], [expected] = run(made, values(*GIVEN)), run(plain.prepared(), values(*GIVEN))
    assert np.abs(found - expected).max() < 0.03 * np.abs(expected).max()


def turned(x, name: str, value: np.ndarray, **attrs):
    """A transposed convolution with a rounded weight."""
    attrs = {"strides": [2, 2], "paddings": [0, 0], "dilations": [1, 1], "groups": 1} | attrs
    made = weight(name, value, axis=1)
    return append("conv2d_transpose", {"Input": x, "Filter": made}, ["Output"], attrs)


@needs_bytes
@pytest.mark.parametrize("shape", [SHAPE, [-1, 4, -1, -1]], ids=str)
@pytest.mark.parametrize(
    "size, attrs", [(2, {}), (4, {"paddings": [1, 1]}), (3, {"output_padding": [1, 1]})], ids=str
)
def test_a_transposed_convolution_between_others(size, attrs, shape):
    def build(x):
        hidden = F.relu(conv(rounded(x, 2.5), "w", W))
        up = turned(rounded(hidden, 1.0), "up", values(6, 6, size, size, spread=0.2), **attrs)
        keys = {"Scale": 1, "Bias": 2, "Mean": 3}
        inputs = {slot: stored(slot, values(6, key=key)) for slot, key in keys.items()}
        inputs["Variance"] = stored("Variance", np.abs(values(6, key=4)) + 0.5)
        outputs = ["Y", "SavedMean", "SavedVariance"]
        up = append("batch_norm", {"X": up, **inputs}, outputs, {"is_test": True})
        return conv(rounded(F.relu(up), 4.0), "ww", WW)

    saved = net(build, shape)
    found = compare(saved, GIVEN, step=8 / 127)
    assert found == [
        "int8_quantize", "int8_conv2d", "int8_conv2d_transpose", "int8_conv2d",
    ]  # fmt: skip
    compare(saved, (1, 4, 5, 6), step=8 / 127)


@needs_bytes
@pytest.mark.parametrize(
    "attrs",
    [{"groups": 2}, {"dilations": [2, 2]}, {"paddings": [1, 0, 0, 1]}, {"output_size": [17, 17]},
     {"paddings": [2, 2]}],
    ids=str,
)  # fmt: skip
def test_transposed_convolutions_that_stay_in_floats(attrs):
    value = values(4, 6 // attrs.get("groups", 1), 2, 2, spread=0.2)
    saved = net(lambda x: turned(rounded(x, 2.5), "up", value, **attrs), SHAPE)
    assert compare(saved, GIVEN)[-1] == "conv2d_transpose"


@needs_bytes
@pytest.mark.parametrize("first", [True, False])
def test_a_picture_of_the_same_size_is_added(first):
    def build(x, y):
        made = conv(rounded(x, 2.5), "w", W)
        return F.relu(made + y if first else y + made)

    found = compare(net(build, SHAPE, [-1, 6, 8, 8]), GIVEN, (2, 6, 8, 8))
    assert found == ["int8_quantize", "int8_conv2d"]


@needs_bytes
def test_what_is_added_is_left_as_it_is():
    def build(x, y):
        hidden = F.relu(y)
        return conv(rounded(x, 2.5), "w", W) + hidden, hidden * 1.5

    compare(net(build, SHAPE, [-1, 6, 8, 8]), GIVEN, (2, 6, 8, 8))


@needs_bytes
def test_something_smaller_is_added_by_itself():
    def build(x, y):
        return conv(rounded(x, 2.5), "w", W) + y

    found = compare(net(build, SHAPE, [1, 6, 8, 1]), GIVEN, (1, 6, 8, 1))
    assert found[-1] == "elementwise_add"


@needs_bytes
def test_a_value_that_is_asked_for_stays():
    def build(x):
        hidden = F.relu(conv(rounded(x, 2.5), "w", W))
        return hidden, conv(rounded(hidden, 1.0), "ww", WW)

    found = compare(net(build, SHAPE), GIVEN, step=1.0 / 127)
    assert found == ["int8_quantize", "int8_conv2d", "int8_quantize", "int8_conv2d"]


@needs_bytes
def test_a_norm_is_folded_into_steps():
    def build(x):
        made = conv(rounded(x, 2.5), "w", W)
        keys = {"Scale": 1, "Bias": 2, "Mean": 3}
        inputs = {slot: stored(slot, values(6, key=key)) for slot, key in keys.items()}
        inputs["Variance"] = stored("Variance", np.abs(values(6, key=4)) + 0.5)
        outputs = ["Y", "SavedMean", "SavedVariance"]
        return F.relu(append("batch_norm", {"X": made, **inputs}, outputs, {"is_test": True}))

    assert compare(net(build, SHAPE), GIVEN) == ["int8_quantize", "int8_conv2d"]


@needs_bytes
def test_one_value_is_quantised_once():
    def build(x):
        return conv(rounded(x, 2.5), "w", W), conv(rounded(x, 2.5), "v", W * 2)

    found = compare(net(build, SHAPE), GIVEN)
    assert sorted(found) == ["int8_conv2d", "int8_conv2d", "int8_quantize"]


@needs_bytes
def test_rounding_without_a_product_is_left_out():
    saved = net(lambda x: F.relu(rounded(x, 2.5) + 0.0), SHAPE)
    assert not [t for t in types(saved.integers()) if "round" in t or "fake" in t]


@needs_bytes
@pytest.mark.parametrize("sizes", [(1, 4, 8, 8), (3, 4, 5, 9), (8, 4, 16, 3)])
def test_other_sizes_than_before(sizes):
    saved = net(lambda x: conv(rounded(x, 2.5), "w", W), [-1, 4, -1, -1])
    compare(saved, sizes)


def test_without_the_switch_nothing_changes():
    saved = net(lambda x: conv(rounded(x, 2.5), "w", W), SHAPE)
    assert types(saved.prepared(GRAPH))[-1] == "conv2d"


@needs_bytes
def test_a_program_for_onednn(tmp_path):
    """What Qat2Int8MkldnnPass of 1.8.5 makes of 'aware': its second scale is of 255 steps."""
    with zipfile.ZipFile(ONEDNN_185) as archive:
        archive.extractall(tmp_path)
    saved = Saved.read(str(tmp_path))
    made = saved.integers()
    assert types(made)[:3] == ["int8_quantize", "int8_conv2d", "int8_conv2d"]
    for _, inputs, expected in read_case("1.8.5-quantized/aware").runs():
        for prepared in (made, saved.prepared(GRAPH), saved.prepared()):
            [out] = run(prepared, *inputs)
            np.testing.assert_allclose(out, expected[0], atol=0.02)
            assert (out.argmax(-1) == expected[0].argmax(-1)).all()


def integers_of(kind: str, attrs: dict, unsigned: bool = False):
    """A net in which an operator reads what quantize gave, and is dequantised."""

    def build(x):
        first = {"Scale": 50.0, "is_negative_input": not unsigned}
        steps = append("quantize", {"Input": x}, ["Output"], first)
        given = {"Input": steps, "Filter": stored("w", W)}
        if kind == "elementwise_add":
            given = {"X": steps, "Y": steps}
        elif kind != "conv2d":
            given = {"X" if kind != "requantize" else "Input": steps}
        slot = "Output" if kind in ("conv2d", "requantize") else "Out"
        made = append(kind, given, [slot], attrs)
        if attrs.get("force_fp32_output"):
            return made
        last = {"Scale": attrs.get("Scale_out", 50.0)}
        return append("dequantize", {"Input": made}, ["Output"], last)

    return net(build, SHAPE)


WINDOW = {"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "groups": 1}


@pytest.mark.parametrize(
    "kind, attrs, expected",
    [
        ("requantize", {"Scale_in": 50.0, "Scale_out": 20.0}, lambda x: np.rint(x * 20) / 20),
        ("elementwise_add", {"Scale_out": 25.0}, lambda x: np.rint(2 * x * 25) / 25),
        ("relu", {}, lambda x: np.maximum(x, 0)),
    ],
)
def test_integers_between_operators(kind, attrs, expected):
    x = np.clip(values(*GIVEN), -2.5, 2.5)
    [out] = run(integers_of(kind, attrs).prepared(), x)
    np.testing.assert_allclose(out, expected(np.rint(x * 50) / 50), atol=0.021, rtol=1e-5)


@pytest.mark.parametrize("activation", ["", "relu", "relu6", "swish"])
def test_what_a_product_of_integers_does_besides(activation):
    attrs = WINDOW | {"Scale_in": 50.0, "fuse_activation": activation, "force_fp32_output": True}
    x = np.clip(values(*GIVEN), -2.5, 2.5)
    [out] = run(integers_of("conv2d", attrs).prepared(), x)
    plain = net(lambda x: append("conv2d", {"Input": x, "Filter": stored("w", W)}, ["Output"],
                                 WINDOW), SHAPE)  # fmt: skip
    [sums] = run(plain.prepared(), np.rint(x * 50) / 50)
    functions = {"relu": lambda v: np.maximum(v, 0), "relu6": lambda v: np.clip(v, 0, 6),
                 "swish": lambda v: v / (1 + np.exp(-v)), "": lambda v: v}  # fmt: skip
    np.testing.assert_allclose(out, functions[activation](sums), atol=1e-4)


def test_an_activation_nobody_knows():
    attrs = WINDOW | {"fuse_activation": "maxout", "force_fp32_output": True}
    with pytest.raises(NotImplementedError, match="the activation 'maxout'"):
        integers_of("conv2d", attrs).prepared()
