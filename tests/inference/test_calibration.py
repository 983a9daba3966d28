"""A Program of floats is calibrated over data and then computes with bytes."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle.executor.calibration import BINS, Histogram
from paddle.inference import Config, create_predictor
from paddle.inference.legacy import PaddleTensor
from paddle.ops.quantization import int8
from paddle.static import InputSpec
from tests.inference.int8_nets import Net, run, types
from tests.inference.test_int8 import needs_bytes
from tests.jit.cases.model_cases import read_case

GLYPHS = """
01110 00100 01110 11111 00010 11111 00110 11111 01110 01110
10001 01100 10001 00010 00110 10000 01000 00001 10001 10001
10011 00100 00001 00100 01010 11110 10000 00010 10001 10001
10101 00100 00010 00010 10010 00001 11110 00100 01110 01111
11001 00100 00100 00001 11111 00001 10001 01000 10001 00001
10001 00100 01000 10001 00010 10001 10001 01000 10001 00010
01110 01110 11111 01110 00010 01110 01110 01000 01110 01100
"""
DIGITS = np.array(
    [
        [[int(c) for c in GLYPHS.split()[row * 10 + digit]] for row in range(7)]
        for digit in range(10)
    ]
)


def drawn(count: int, key: int) -> tuple[np.ndarray, np.ndarray]:
    """Pictures of digits of 28 x 28, moved about, with noise; and which they are."""
    random = np.random.RandomState(key)
    labels = random.randint(0, 10, count)
    pictures = random.uniform(-1.0, -0.6, (count, 1, 28, 28))
    for picture, label in zip(pictures, labels, strict=True):
        large = np.kron(DIGITS[label], np.ones((3, 3))) * random.uniform(1.2, 1.8)
        top, left = random.randint(0, 8), random.randint(0, 14)
        picture[0, top : top + 21, left : left + 15] += large
    return pictures.astype("float32"), labels.astype("int64")


@pytest.fixture(scope="session")
def lenet(tmp_path_factory):
    """A LeNet that has learned drawn digits."""
    paddle.seed(5)
    model = paddle.vision.models.LeNet()
    optimizer = paddle.optimizer.Adam(2e-3, parameters=model.parameters())
    for i in range(60):
        pictures, labels = drawn(64, i)
        loss = F.cross_entropy(model(paddle.to_tensor(pictures)), paddle.to_tensor(labels))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    model.eval()
    prefix = str(tmp_path_factory.mktemp("lenet") / "net")
    paddle.jit.save(model, prefix, input_spec=[InputSpec([None, 1, 28, 28])])
    return Net.read(prefix)


@needs_bytes
@pytest.mark.parametrize("algorithm", ["KL", "max"])
def test_a_trained_net_sees_the_same_digits(lenet, algorithm):
    made = lenet.calibrated(drawn(32, 1000)[0], algorithm=algorithm).integers()
    assert [t for t in types(made) if t != "scale"] == [
        "int8_quantize", "int8_conv2d", "int8_max_pool2d", "int8_conv2d", "int8_max_pool2d",
        "flatten_contiguous_range", "int8_linear", "int8_linear", "int8_linear",
    ]  # fmt: skip
    pictures, labels = drawn(200, 2000)
    [found], [expected] = run(made, pictures), run(lenet.prepared(), pictures)
    assert (expected.argmax(-1) == labels).mean() > 0.95
    assert (found.argmax(-1) == expected.argmax(-1)).mean() >= 0.99
    assert np.abs(found - expected).max() < 0.05 * np.abs(expected).max()


@needs_bytes
@pytest.mark.parametrize(
    "chosen, bytes_", [({"fc"}, {"int8_linear"}), ({"conv2d"}, {"int8_conv2d"})]
)
def test_types_can_be_chosen(lenet, chosen, bytes_):
    made = lenet.calibrated(drawn(4, 0)[0], op_types=chosen).integers()
    assert {t for t in types(made) if t in ("int8_linear", "int8_conv2d")} == bytes_


@needs_bytes
def test_a_type_there_is_not_leaves_floats(lenet):
    with pytest.warns(UserWarning, match="no convolution or product .* of types"):
        made = lenet.calibrated(drawn(4, 0)[0], op_types={"conv3d"})
    assert made.program is lenet.program


@needs_bytes
def test_small_products_stay_in_floats(lenet):
    with pytest.warns(UserWarning, match="large enough to gain"):
        made = lenet.calibrated(drawn(4, 0)[0], least=1 << 18)
    assert made.program is lenet.program
    made = lenet.calibrated(drawn(4, 0)[0], least=200_000).integers()
    assert types(made).count("int8_conv2d") == 1 and "int8_linear" not in types(made)


def test_a_machine_that_saturates_keeps_floats(lenet, monkeypatch):
    monkeypatch.setattr("paddle.inference.calibrating.usable", lambda: False)
    with pytest.warns(UserWarning, match="stays in floats, for this CPU"):
        made = lenet.calibrated(drawn(4, 0)[0])
    assert made.program is lenet.program


def test_bad_data(lenet):
    pictures = drawn(4, 0)[0]
    with pytest.raises(ValueError, match="an array for each of the inputs"):
        lenet.calibrated(pictures, pictures)
    with pytest.raises(ValueError, match="algorithm to be one of"):
        lenet.calibrated(pictures, algorithm="mean")


@needs_bytes
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_data_that_are_no_numbers(lenet, wrong):
    pictures = drawn(4, 0)[0]
    pictures[1, 0, 3, 3] = wrong
    with pytest.raises(ValueError, match="has values that are infinite or not a number"):
        lenet.calibrated(pictures)


@needs_bytes
def test_data_of_nothing_but_zeros(lenet):
    made = lenet.calibrated(np.zeros([2, 1, 28, 28], "float32")).integers()
    [out] = run(made, drawn(2, 0)[0])
    assert np.isfinite(out).all()


@needs_bytes
def test_one_outlier_does_not_take_all_steps():
    values = paddle.to_tensor(np.random.RandomState(0).randn(100000).astype("float32"))._buf
    counted = Histogram()
    counted.add(values)
    counted.add(values[:1] * 0 + 50.0)
    assert counted.most == 50.0
    assert 3.0 < counted.by_divergence(127) < 15.0


def test_a_range_that_grows_keeps_its_counts():
    buffer = paddle.to_tensor(np.linspace(0.1, 1.0, 500).astype("float32"))._buf
    counted = Histogram()
    counted.add(buffer)
    counted.add(buffer * 4)
    counted.add(buffer * 0)
    assert counted.most == 4.0
    assert float(counted.counts.sum()) == 1000
    assert float(counted.counts[: BINS // 4 + 1].sum()) == pytest.approx(500 + 83, abs=5)


@pytest.mark.slow
def test_a_cpu_without_vnni_is_found_out():
    """oneDNN as on a CPU with AVX2: sums of two products of bytes saturate."""
    code = "from paddle.ops.quantization.int8 import usable; print(usable())"
    for isa in ("AVX2", "AVX512_CORE"):
        env = {"ONEDNN_MAX_CPU_ISA": isa, "PATH": ""}
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
        assert done.stdout.strip() == "False", done.stderr


def test_the_probe_is_made_once():
    int8.usable()
    assert int8.usable.cache_info().currsize == 1


def quantizing(prefix: str) -> Config:
    config = Config(f"{prefix}.pdmodel", f"{prefix}.pdiparams")
    config.enable_quantizer()
    return config


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    paddle.seed(5)
    wide = 1 << 15
    layers = paddle.nn.Linear(16, wide), paddle.nn.ReLU(), paddle.nn.Linear(wide, 4)
    model = paddle.nn.Sequential(*layers)
    model.eval()
    prefix = str(tmp_path_factory.mktemp("small") / "net")
    paddle.jit.save(model, prefix, input_spec=[InputSpec([None, 16], name="x")])
    return prefix


DATA = np.random.RandomState(0).randn(40, 16).astype("float32")


@needs_bytes
@pytest.mark.parametrize("wrap", [np.asarray, lambda a: PaddleTensor(a, "x")], ids=["array", "1.8"])
def test_the_quantizer_of_a_config(small, wrap):
    config = quantizing(small)
    config.quantizer_config().set_quant_data([wrap(DATA)])
    config.quantizer_config().set_quant_batch_size(40)
    predictor = create_predictor(config)
    plain = create_predictor(Config(f"{small}.pdmodel", f"{small}.pdiparams"))
    [found], [expected] = predictor.run([DATA]), plain.run([DATA])
    size = np.abs(expected).max()
    assert 0 < np.abs(found - expected).max() < 0.05 * size
    assert np.array_equal(predictor.clone().run([DATA])[0], found)


def test_the_quantizer_asks_for_data(small):
    with pytest.raises(RuntimeError, match="needs data to calibrate with"):
        create_predictor(quantizing(small))


def test_without_passes_there_is_no_quantizer(small):
    config = quantizing(small)
    config.switch_ir_optim(False)
    assert create_predictor(config).run([DATA])[0].shape == (40, 4)


@needs_bytes
def test_a_quantised_model_in_a_predictor(tmp_path):
    case = read_case("2.6.2-quantized/aware_linear")
    prefix = case.unpack(tmp_path)
    [(_, inputs, expected), _] = case.runs()
    for chosen in (set(), {"conv3d"}):
        config = Config(f"{prefix}.pdmodel", f"{prefix}.pdiparams")
        config.enable_mkldnn_int8(chosen)
        [found] = create_predictor(config).run(inputs)
        np.testing.assert_allclose(found, expected[0], atol=0.01)


class Blocks(paddle.nn.Layer):
    """Two blocks whose input is added to their result, the first one beside a convolution."""

    def __init__(self, activation) -> None:
        super().__init__()
        conv, norm = paddle.nn.Conv2D, paddle.nn.BatchNorm2D
        self.stem = conv(3, 8, 3, padding=1)
        self.convs = paddle.nn.LayerList([conv(8, 8, 3, padding=1) for _ in range(3)])
        self.norms = paddle.nn.LayerList([norm(8) for _ in range(3)])
        self.last = conv(8, 4, 1)
        self.activation = activation

    def forward(self, x):
        a, b, c = (lambda x, i=i: self.norms[i](self.convs[i](x)) for i in range(3))
        hidden = F.relu(self.stem(x))
        hidden = self.activation(a(hidden) + b(hidden))
        hidden = self.activation(hidden + c(hidden))
        return self.last(hidden)


@needs_bytes
@pytest.mark.parametrize("activation", [F.relu, lambda x: x], ids=["relu", "none"])
def test_residuals_are_added_as_bytes(activation, tmp_path):
    paddle.seed(3)
    model = Blocks(activation)
    model.eval()
    paddle.jit.save(model, str(tmp_path / "net"), input_spec=[InputSpec([None, 3, 8, 8])])
    saved = Net.read(str(tmp_path / "net"))
    pictures = np.random.RandomState(1).randn(16, 3, 8, 8).astype("float32")
    made = saved.calibrated(pictures, algorithm="max").integers()
    assert types(made) == ["int8_quantize", *["int8_conv2d"] * 5]
    [found], [expected] = run(made, pictures), run(saved.prepared(), pictures)
    assert np.abs(found - expected).max() < 0.03 * np.abs(expected).max()
    again = run(made, pictures)[0]
    assert np.array_equal(found, again)
