"""Many runs of all forms, weights of one scale, and numbers that are none."""

from __future__ import annotations

import numpy as np
import pytest

import paddle.nn.functional as F
from paddle.core import allocator
from tests.inference.int8_nets import append, conv, net, rounded, run, stored, types
from tests.inference.test_int8 import needs_bytes, turned

pytestmark = needs_bytes
W = (np.random.RandomState(0).randn(8, 8, 3, 3) * 0.1).astype("float32")
UP = (np.random.RandomState(1).randn(8, 8, 2, 2) * 0.3).astype("float32")
M = (np.random.RandomState(2).randn(8, 8) * 0.3).astype("float32")
X = np.random.RandomState(3).randn(2, 8, 8, 8).astype("float32")


def one_scale(name: str, value: np.ndarray):
    """A weight that is rounded to the steps of one scale."""
    kind = "fake_quantize_dequantize_abs_max"
    return append(kind, {"X": stored(name, value)}, ["Out", "OutScale"], {"bit_length": 8})


def all_forms(x):
    first = F.relu(conv(rounded(x, 2.5), "a", W))
    summed = F.relu(conv(rounded(first, 2.0), "b", W, [2, 0, 0, 2]) + rounded(first, 2.0))
    up = F.hardswish(turned(rounded(summed, 3.0), "up", UP))
    pooled = F.avg_pool2d(rounded(F.max_pool2d(up, 3, 1, 1), 3.0), 2, 2)
    last = conv(rounded(pooled, 2.0), "depth", W[:, :1], groups=8, kind="depthwise_conv2d")
    rows = F.adaptive_avg_pool2d(rounded(last, 1.0), 1).flatten(1)
    inputs = {"X": rounded(rows, 1.0), "Y": one_scale("m", M)}
    return F.gelu(append("matmul_v2", inputs, ["Out"], {}))


FORMS = [
    "int8_quantize", "int8_conv2d", "int8_conv2d", "int8_conv2d_transpose", "int8_max_pool2d",
    "int8_avg_pool2d", "int8_conv2d", "int8_avg_pool2d", "int8_linear",
]  # fmt: skip


def test_all_forms_at_once():
    saved = net(all_forms, [-1, 8, -1, -1])
    made = saved.integers()
    assert [k for k in types(made) if k.startswith("int8")] == FORMS
    for sizes in ((2, 8, 8, 8), (1, 8, 6, 10), (3, 8, 12, 4)):
        x = np.random.RandomState(4).randn(*sizes).astype("float32")
        [found], [expected] = run(made, x), run(saved.prepared(), x)
        assert np.abs(found - expected).max() < 0.05 * np.abs(expected).max()


@pytest.mark.parametrize("runs", [600, pytest.param(10_000, marks=pytest.mark.slow)])
def test_memory_does_not_grow(runs):
    made = net(all_forms, [-1, 8, -1, -1]).integers()
    given = [np.random.RandomState(n).randn(1, 8, 8, n).astype("float32") for n in range(4, 12)]

    def many(times: int) -> None:
        for n in range(times):
            run(made, given[n % len(given)])

    many(200)
    allocator.trim()
    before = allocator.resident()
    many(runs)
    allocator.trim()
    assert allocator.resident() - before < 1 << 22


@pytest.mark.parametrize("kind", ["conv2d", "conv2d_transpose", "matmul_v2"])
def test_weights_of_one_scale(kind):
    """Their result is that of the simulation, but for the order of sums."""

    def build(x):
        given = rounded(x, 2.5)
        if kind == "matmul_v2":
            return append(kind, {"X": given, "Y": one_scale("m", M)}, ["Out"], {})
        attrs = {"strides": [2, 2], "paddings": [0, 0], "dilations": [1, 1], "groups": 1}
        inputs = {"Input": given, "Filter": one_scale("w", UP)}
        return append(kind, inputs, ["Output"], attrs)

    saved = net(build, [-1, 8, 8, 8])
    made = saved.integers()
    assert [t for t in types(made) if t.startswith("int8")][-1] != "int8_quantize"
    [found], [expected] = run(made, X), run(saved.prepared(), X)
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("form", ["average", "transposed"])
def test_scales_that_are_no_numbers(form):
    def build(x):
        if form == "average":
            return F.avg_pool2d(rounded(x, np.nan), 2, 2)
        return turned(rounded(x, np.inf), "up", UP)

    with pytest.raises(ValueError, match=r"int8: the scale 'x0_scale_.* has NaN or infinities"):
        net(build, [-1, 8, 8, 8]).integers()


@pytest.mark.parametrize("form", ["average", "transposed", "convolution"])
@pytest.mark.parametrize("scale", [0.0, 2.5])
def test_nothing_but_zeros(form, scale):
    """Weights, values or scales of 0 give 0."""

    def build(x):
        given = rounded(x, scale)
        if form == "average":
            return F.avg_pool2d(given, 2, 2)
        return turned(given, "up", UP * 0) if form == "transposed" else conv(given, "w", W * 0)

    [found] = run(net(build, [-1, 8, 8, 8]).integers(), X * (form != "average"))
    assert np.abs(found).max() < 1e-5
