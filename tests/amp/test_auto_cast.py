"""auto_cast: which operator runs in which precision, training, wrong arguments."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.amp import auto_cast
from paddle.core.dtype import VarType
from paddle.nn import functional as F

LOW, WIDE = VarType.BF16, VarType.FP32

pytestmark = pytest.mark.filterwarnings("ignore:mixed precision on a CPU")


@pytest.fixture
def x():
    return paddle.to_tensor(np.random.RandomState(0).randn(4, 6).astype("float32"))


def test_the_three_kinds_of_operators(x):
    linear = paddle.nn.Linear(6, 3)
    with auto_cast():
        y = linear(x)
        assert y.dtype is LOW and (y + 1.0).dtype is LOW  # white, and all inputs low
        assert F.softmax(y).dtype is WIDE and paddle.mean(y).dtype is WIDE  # black
        assert (y + paddle.ones([3])).dtype is WIDE  # mixed inputs
        assert paddle.concat([y, paddle.ones([1, 3])]).dtype is WIDE
        assert (x * 2.0).dtype is WIDE
    assert linear(x).dtype is WIDE and linear.weight.dtype is WIDE


def test_values_are_those_of_rounded_inputs(x):
    w = paddle.to_tensor(np.random.RandomState(1).randn(6, 5).astype("float32"))
    with auto_cast():
        y = paddle.matmul(x, w)
    rounded = [t.astype("bfloat16").astype("float32").numpy() for t in (x, w)]
    np.testing.assert_allclose(
        y.astype("float32").numpy(), rounded[0] @ rounded[1], rtol=1e-2, atol=1e-2
    )


@pytest.mark.parametrize("level", ["O1", "O2"])
def test_operators_without_16_bits_get_32(level):
    logits = paddle.to_tensor(np.random.RandomState(2).randn(4, 2, 5).astype("float32"))
    labels = paddle.to_tensor(np.array([[1, 2], [3, 3]], "int32"))
    steps, lengths = paddle.to_tensor([4, 4]), paddle.to_tensor([2, 2])
    matrix = paddle.to_tensor(np.float32([[4, 1], [1, 3]]))
    with auto_cast(level=level):
        low = logits.astype("bfloat16")
        loss = F.ctc_loss(low, labels, steps, lengths)
        inverse = paddle.inverse(matrix.astype("bfloat16"))
    assert loss.dtype is WIDE and inverse.dtype is WIDE
    wide = F.ctc_loss(low.astype("float32"), labels, steps, lengths)
    np.testing.assert_allclose(loss.numpy(), wide.numpy(), rtol=0 if level == "O1" else 1e-2)
    np.testing.assert_allclose(inverse.numpy(), np.float32([[3, -1], [-1, 4]]) / 11, rtol=1e-5)


def test_other_dtypes_stay(x):
    double = x.astype("float64")
    with auto_cast():
        assert paddle.matmul(double, double, transpose_y=True).dtype is VarType.FP64
        assert F.embedding(paddle.to_tensor([1, 0]), x).dtype is WIDE
        assert paddle.sum(paddle.to_tensor([1, 2])).dtype is VarType.INT64


def test_custom_lists_and_levels(x):
    with auto_cast(custom_black_list=["matmul_v2"]):
        assert paddle.matmul(x, x, transpose_y=True).dtype is WIDE
    with auto_cast(custom_white_list={"exp"}):
        assert paddle.exp(x).dtype is LOW
    with auto_cast(level="O2"):
        assert (x * 2.0).dtype is LOW and F.softmax(x).dtype is WIDE
    for plain in (auto_cast(enable=False), auto_cast(level="O0")):
        with plain:
            assert paddle.matmul(x, x, transpose_y=True).dtype is WIDE


def test_nested_and_as_a_decorator(x):
    @auto_cast()
    def product():
        with auto_cast(enable=False):
            inner = paddle.matmul(x, x, transpose_y=True)
        return inner, paddle.matmul(x, x, transpose_y=True)

    assert [y.dtype for y in product()] == [WIDE, LOW]
    assert [y.dtype for y in product()] == [WIDE, LOW]


def test_an_error_inside_ends_it(x):
    with pytest.raises(ValueError, match="matmul"), auto_cast():
        paddle.matmul(x, x)
    assert paddle.matmul(x, x, transpose_y=True).dtype is WIDE


def test_gradients_of_parameters_are_wide_and_near(x):
    paddle.seed(3)
    conv, norm = paddle.nn.Conv2D(1, 4, 3), paddle.nn.BatchNorm2D(4)
    image = paddle.rand([8, 1, 8, 8])
    found = []
    for on in (False, True):
        with auto_cast(enable=on):
            out = F.relu(norm(conv(image)))
            loss = paddle.mean(out * out)
        assert out.dtype is (LOW if on else WIDE)
        loss.backward()
        found.append([p.grad.numpy() for p in (conv.weight, norm.weight, norm.bias)])
        assert all(g.dtype == np.float32 for g in found[-1])
        for p in (conv.weight, conv.bias, norm.weight, norm.bias):
            p.clear_gradient()
    for wide, low in zip(*found, strict=True):
        assert np.abs(wide - low).max() < 0.05 * max(1.0, np.abs(wide).max())


def test_a_network_trains():
    paddle.seed(5)
    rng = np.random.RandomState(0)
    data = rng.rand(64, 8).astype("float32")
    label = paddle.to_tensor((data[:, :1] > data[:, 1:2]).astype("int64"))
    net = paddle.nn.Sequential(paddle.nn.Linear(8, 32), paddle.nn.ReLU(), paddle.nn.Linear(32, 2))
    optimizer = paddle.optimizer.Adam(0.02, parameters=net.parameters())
    scaler = paddle.amp.GradScaler()
    losses = []
    for _ in range(40):
        with auto_cast():
            loss = F.cross_entropy(net(paddle.to_tensor(data)), label)
        assert loss.dtype is WIDE
        scaled = scaler.scale(loss)
        scaled.backward()
        scaler.minimize(optimizer, scaled)
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < 0.3 * losses[0]


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"enable": 1}, TypeError, "enable.*bool.*1"),
        ({"level": "O3"}, ValueError, "level.*O0.*O3"),
        ({"custom_white_list": "exp"}, TypeError, "custom_white_list.*set.*str"),
        ({"custom_black_list": [3]}, TypeError, "custom_black_list.*3"),
        ({"custom_white_list": ["no_such"]}, ValueError, "none named 'no_such'"),
        ({"custom_white_list": ["exp"], "custom_black_list": ["exp"]}, ValueError, "exp.*in both"),
    ],
)
def test_wrong_arguments(kwargs, error, text):
    with pytest.raises(error, match=text), auto_cast(**kwargs):
        pass


def test_static_mode_is_told_where_to_go():
    paddle.enable_static()
    try:
        with pytest.raises(RuntimeError, match=r"paddle\.static\.amp\.decorate"), auto_cast():
            pass
    finally:
        paddle.disable_static()
