"""What PaddlePaddle 2.6.2 and 1.8.5 have quantised computes with bytes here, layer by layer."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest

from paddle.inference import Config, create_predictor
from tests.inference.int8_nets import Net, run, types
from tests.inference.test_int8 import needs_bytes
from tests.quantization.nets import DATA

LAYERS = {
    "conv2d": ["int8_quantize", "int8_conv2d"],
    "depthwise_conv2d": ["int8_quantize", "int8_conv2d"],
    "matmul": ["int8_quantize", "int8_linear", "scale"],
    "matmul_v2": ["int8_quantize", "int8_linear", "scale"],
    "mul": ["int8_quantize", "int8_linear"],
    "conv2d_transpose": ["int8_quantize", "int8_conv2d_transpose"],
}  # fmt: skip
NETS = ["ptq-262/KL", "262-moving_average_abs_max"]


def inputs_of(saved: Net) -> list[np.ndarray]:
    block = saved.program.global_block()
    shapes = [[max(size, 1) for size in block.var(name).shape] for name in saved.feeds]
    random = np.random.RandomState(0)
    return [random.rand(*shape).astype("float32") for shape in shapes]


@needs_bytes
@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_that_2_6_2_quantised(layer, tmp_path):
    with zipfile.ZipFile(DATA / "layers-262.zip") as archive:
        archive.extractall(tmp_path, [n for n in archive.namelist() if n.startswith(f"{layer}/")])
    saved = Net.read(str(tmp_path / layer / "there" / "model"))
    made, arrays = saved.integers(), inputs_of(saved)
    assert types(made) == LAYERS[layer]
    [found], [expected] = run(made, *arrays), run(saved.prepared(), *arrays)
    np.testing.assert_allclose(found, expected, atol=2e-6)


@needs_bytes
@pytest.mark.parametrize("name", NETS)
def test_a_net_that_2_6_2_quantised(name):
    """Its sum is of bytes and its pool of floats; one step of the last value is 0.01."""
    saved = Net.read(str(DATA / name / "model"))
    made, arrays = saved.integers(), inputs_of(saved)
    kinds = types(made)
    assert kinds.count("int8_conv2d") == 2 and kinds.count("int8_linear") == 2
    [found], [expected] = run(made, *arrays), run(saved.prepared(), *arrays)
    np.testing.assert_allclose(found, expected, atol=0.01)


@pytest.mark.filterwarnings("ignore:.*runs in floats")
def test_a_net_that_1_8_5_quantised():
    folder = DATA / "185-moving_average_abs_max"
    found = []
    for by_bytes in (False, True):
        config = Config(str(folder / "__model__"), str(folder / "params"))
        if by_bytes:
            config.enable_mkldnn_int8()
        with np.load(folder / "seen.npz") as seen:
            found.append(create_predictor(config).run([seen["x"][3]])[0])
            np.testing.assert_allclose(found[-1], seen["frozen"], atol=0.02 if by_bytes else 1e-5)
