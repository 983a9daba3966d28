"""Whole networks: the lite runtime gives what paddle.inference gives."""

import os

import numpy as np
import pytest

import paddle
from paddle.core.errors import UnimplementedError
from paddle.inference.lite_export.command import main
from paddle.vision import models

from .conftest import answers, converted, lite, save

NETS = {
    "lenet": (lambda: models.LeNet(), (2, 1, 28, 28)),
    "mobilenet_v1": (lambda: models.mobilenet_v1(scale=0.25, num_classes=10), (2, 3, 40, 48)),
    "mobilenet_v2": (lambda: models.mobilenet_v2(scale=0.25, num_classes=10), (1, 3, 48, 40)),
    "resnet18": (lambda: models.resnet18(num_classes=10), (1, 3, 40, 40)),
}


def near(got, want, tolerance=1e-5):
    assert got.shape == want.shape and got.dtype == want.dtype
    assert np.abs(got - want).max() <= tolerance * max(1e-6, np.abs(want).max())


@pytest.mark.parametrize("name", NETS)
def test_a_network(name, tmp_path, engines):
    paddle.seed(3)
    make, shape = NETS[name]
    prefix = save(make(), tmp_path / "net", [None, *shape[1:]])
    x = np.random.RandomState(0).randn(*shape).astype("float32")
    (want,) = answers(prefix, x)
    path = converted(prefix)
    for engine in engines:
        near(lite(path, x, engine=engine)[0], want, 3e-5)


class Parts(paddle.nn.Layer):
    """Operators that the networks above do not have."""

    def __init__(self):
        super().__init__()
        nn = paddle.nn
        self.norm, self.first = nn.BatchNorm2D(4), nn.Conv2D(4, 6, 3, padding=1, groups=2)
        self.rows, self.out = nn.LayerNorm(12), nn.Linear(12, 8)

    def forward(self, x):
        f = paddle.nn.functional
        y = f.hardswish(self.norm(x))
        y = f.gelu(self.first(f.max_pool2d(y, 3, 2, 1, ceil_mode=True)))
        y = paddle.concat([y, f.sigmoid(y) * 2 - 1], axis=1)
        small = f.avg_pool2d(y, 3, 2, 1)
        y = y[:, :, :4, :4] + f.interpolate(small, scale_factor=2, mode="nearest")[:, :, :4, :4]
        y = f.interpolate(y, size=[5, 5], mode="bilinear", align_corners=False)
        a, b = paddle.split(y, 2, axis=1)
        y = paddle.concat([a, paddle.exp(-b * b)], axis=1)
        y = paddle.transpose(paddle.reshape(y, [0, 12, -1]), [0, 2, 1])
        y = self.rows(y)
        y = y + paddle.matmul(f.softmax(paddle.matmul(y, y, transpose_y=True) * 0.3), y)
        y = f.leaky_relu(self.out(y), 0.1)
        return paddle.mean(y, axis=[1], keepdim=False), paddle.unsqueeze(paddle.max(y, 2), 1)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    paddle.seed(3)
    return save(Parts(), tmp_path_factory.mktemp("parts") / "net", [None, 4, 10, 9])


def test_other_operators(parts, engines):
    x = np.random.RandomState(0).randn(2, 4, 10, 9).astype("float32")
    path = converted(parts)
    for engine in engines:
        for got, want in zip(lite(path, x, engine=engine), answers(parts, x), strict=True):
            near(got, want)


def test_words(tmp_path, engines):
    class Words(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.table, self.out = paddle.nn.Embedding(20, 6), paddle.nn.Linear(6, 3)

        def forward(self, ids):
            return paddle.tanh(self.out(self.table(ids)))

    prefix = save(Words(), tmp_path / "words", [None, None], dtype="int64")
    ids = np.arange(12).reshape(3, 4)
    path = converted(prefix)
    for engine in engines:
        near(lite(path, ids, engine=engine)[0], answers(prefix, ids)[0])


@pytest.mark.parametrize(
    ("kind", "share", "error"), [("QUANT_INT8", 0.3, 0.05), ("QUANT_INT16", 0.55, 3e-4)]
)
def test_weights_in_fewer_bits(kind, share, error, tmp_path, engines):
    paddle.seed(3)
    prefix = save(models.mobilenet_v1(scale=0.25, num_classes=10), tmp_path / "net", [1, 3, 32, 32])
    x = np.random.RandomState(0).randn(1, 3, 32, 32).astype("float32")
    whole, small = converted(prefix), converted(prefix, kind)
    assert os.path.getsize(small) < share * os.path.getsize(whole)
    for engine in engines:
        near(lite(small, x, engine=engine)[0], lite(whole, x, engine=engine)[0], error)


def test_the_command(parts, tmp_path, capsys):
    assert main(["--model_dir", parts, "--optimize_out", str(tmp_path / "a")]) == 0
    assert (tmp_path / "a.nb").exists() and "a.nb" in capsys.readouterr().out
    assert main(["--print_supported_ops"]) == 0
    assert "conv2d" in capsys.readouterr().out.split()
    assert main(["--model_dir", parts, "--print_model_ops"]) == 0
    assert main(["--model_dir", str(tmp_path / "none"), "--optimize_out", "x"]) == 1


def test_operators_outside_are_listed(tmp_path):
    class Other(paddle.nn.Layer):
        def forward(self, x):
            return paddle.cumsum(x, 1) + paddle.sin(x)

    prefix = save(Other(), tmp_path / "other", [2, 3])
    with pytest.raises(UnimplementedError) as error:
        converted(prefix)
    assert "1 x cumsum" in str(error.value) and "1 x sin" in str(error.value)
