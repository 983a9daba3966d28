"""Whole nets stay in bytes, with the result of the simulation in floats."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.static import InputSpec
from tests.inference.int8_nets import Net, append, conv, net, rounded, run, types, weight
from tests.inference.test_int8 import needs_bytes

pytestmark = needs_bytes
W = (np.random.RandomState(0).randn(8, 8, 3, 3) * 0.1).astype("float32")
SHAPE, GIVEN = [-1, 8, 8, 8], (2, 8, 8, 8)


def values(*shape: int, key: int = 1) -> np.ndarray:
    return np.random.RandomState(key).randn(*shape).astype("float32")


def compare(saved: Net, *arrays: np.ndarray, share: float = 0.02) -> list[str]:
    """Holds bytes against the simulation, by the largest value; returns what runs."""
    made = saved.integers()
    for found, expected in zip(run(made, *arrays), run(saved.prepared(), *arrays), strict=True):
        assert np.abs(found - expected).max() <= share * np.abs(expected).max()
    return types(made)


def test_sums_of_a_trained_net_are_of_bytes():
    """The value before a sum has steps of its own there, which are left out."""

    def build(x):
        hidden = F.relu(conv(rounded(x, 2.5), "first", W))
        for i in range(2):
            inner = F.relu(conv(rounded(hidden, 1.5), f"a{i}", W))
            inner = conv(rounded(inner, 1.0), f"b{i}", W)
            hidden = F.relu(rounded(inner, 1.01) + rounded(hidden, 1.53))
        return conv(rounded(hidden, 2.0), "last", W)

    found = compare(net(build, SHAPE), values(*GIVEN), share=0.04)
    assert found == ["int8_quantize", *["int8_conv2d"] * 6]


ENLARGED = {"scale": [2.0, 2.0], "align_corners": False, "interp_method": "nearest",
            "out_h": -1, "out_w": -1, "data_layout": "NCHW"}  # fmt: skip


def test_bytes_are_joined_and_enlarged():
    def build(x):
        given = rounded(x, 2.5)
        both = [F.relu(conv(given, "a", W)), F.max_pool2d(F.relu(conv(given, "b", W)), 3, 1, 1)]
        joined = append("concat", {"X": both}, ["Out"], {"axis": 1})
        large = append("nearest_interp_v2", {"X": joined}, ["Out"], ENLARGED)
        return conv(rounded(large, 1.5), "last", np.concatenate([W, W], 1))

    found = compare(net(build, SHAPE), values(*GIVEN), share=1e-5)
    assert sorted(found) == sorted([
        "int8_quantize", "int8_conv2d", "int8_conv2d", "int8_max_pool2d", "concat",
        "nearest_interp_v2", "int8_conv2d",
    ])  # fmt: skip


def test_a_part_of_bytes():
    def build(x):
        hidden = F.relu(conv(rounded(x, 2.5), "a", W))
        attrs = {"axes": [1], "starts": [2], "ends": [6]}
        part = append("slice", {"Input": hidden}, ["Out"], attrs)
        return conv(rounded(part, 1.5), "last", W[:, :4])

    found = compare(net(build, SHAPE), values(*GIVEN), share=1e-5)
    assert found == ["int8_quantize", "int8_conv2d", "slice", "int8_conv2d"]


def test_one_part_that_no_product_makes_is_quantised_by_itself():
    def build(x, y):
        hidden = F.relu(conv(rounded(x, 2.5), "a", W))
        joined = append("concat", {"X": [hidden, y]}, ["Out"], {"axis": 1})
        return conv(rounded(joined, 2.0), "last", np.concatenate([W, W], 1))

    found = compare(net(build, SHAPE, SHAPE), values(*GIVEN), values(*GIVEN, key=2), share=1e-5)
    assert sorted(found) == [
        "concat", "int8_conv2d", "int8_conv2d", "int8_quantize", "int8_quantize",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["gelu", "tanh", "relu"])
def test_rows_stay_in_bytes(kind):
    def build(x):
        first = {"X": rounded(x, 2.5), "Y": weight("m", values(16, 24, key=3), 1)}
        hidden = append(kind, {"X": append("matmul_v2", first, ["Out"], {})}, ["Out"], {})
        second = {"X": rounded(hidden, 8.0), "Y": weight("n", values(24, 16, key=4), 1)}
        return append("matmul_v2", second, ["Out"], {}) + x

    found = compare(net(build, [-1, 5, 16]), values(2, 5, 16))
    assert found == ["int8_quantize", "int8_linear", "int8_linear"]


class Mobile(nn.Layer):
    """Two blocks of a MobileNet, with the activations of its third release."""

    def __init__(self, activation) -> None:
        super().__init__()
        sizes = [(3, 8, 3, 1), (8, 16, 1, 1), (16, 16, 3, 16), (16, 8, 1, 1), (8, 16, 1, 1)]
        self.convs = nn.LayerList(
            [nn.Conv2D(i, o, k, padding=k // 2, groups=g, bias_attr=False) for i, o, k, g in sizes]
        )
        self.norms = nn.LayerList([nn.BatchNorm2D(o) for _, o, _, _ in sizes])
        self.head = nn.Linear(16, 5)
        self.activation = activation

    def forward(self, x):
        parts = list(zip(self.convs, self.norms, strict=True))
        (first, a), (wide, b), (deep, c), (narrow, d), (last, e) = parts
        x = self.activation(a(first(x)))
        inner = self.activation(c(deep(self.activation(b(wide(x))))))
        x = x + d(narrow(inner))
        x = self.activation(e(last(x)))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Block(nn.Layer):
    """A layer of a transformer with a head."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, activation="gelu")
        self.head = nn.Linear(32, 7)

    def forward(self, x):
        return self.head(self.layer(x))


def saved(model: nn.Layer, shape: list, folder) -> Net:
    model.eval()
    paddle.jit.save(model, str(folder / "net"), input_spec=[InputSpec(shape, "float32", "x")])
    return Net.read(str(folder / "net"))


@pytest.mark.parametrize("activation", [F.relu6, F.hardswish], ids=["v2", "v3"])
def test_a_small_mobilenet(activation, tmp_path):
    paddle.seed(2)
    model = saved(Mobile(activation), [None, 3, 16, 16], tmp_path)
    data = values(8, 3, 16, 16)
    made = model.calibrated(data, algorithm="max").integers()
    kinds = types(made)
    assert kinds.count("int8_conv2d") == 5 and kinds.count("int8_linear") == 1
    assert kinds.count("int8_quantize") <= 2
    [found], [expected] = run(made, data), run(model.prepared(), data)
    assert np.abs(found - expected).max() < 0.04 * np.abs(expected).max()


def test_what_lies_little_below_0_gets_most_steps(tmp_path):
    paddle.seed(2)
    model = saved(Mobile(F.hardswish), [None, 3, 16, 16], tmp_path)
    made = model.calibrated(values(8, 3, 16, 16), algorithm="max").integers()
    zeros = [
        op.attrs.get("zero", 128)
        for op in made.optimised.global_block().ops
        if op.type == "int8_conv2d"
    ]
    assert zeros[0] == 128 and any(0 < zero < 128 for zero in zeros)


def test_a_small_transformer(tmp_path):
    paddle.seed(2)
    model = saved(Block(), [None, 6, 32], tmp_path)
    data = values(8, 6, 32)
    made = model.calibrated(data, algorithm="max").integers()
    kinds = types(made)
    assert kinds.count("int8_linear") == 7 and "gelu" not in kinds
    [found], [expected] = run(made, data), run(model.prepared(), data)
    assert np.abs(found - expected).max() < 0.05 * np.abs(expected).max()
