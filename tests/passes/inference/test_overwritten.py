"""Sums are written over a residual only where nothing reads its memory afterwards."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle.ops.quantization import int8
from paddle.passes.inference.table import GRAPH, INT8
from tests.inference.int8_nets import append, conv, net, rounded, run, stored

W = (np.random.RandomState(0).randn(8, 8, 3, 3) * 0.1).astype("float32")
X = np.random.RandomState(1).randn(2, 8, 8, 8).astype("float32")
WINDOW = {"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "groups": 1}


def plain(x, name):
    return append("conv2d", {"Input": x, "Filter": stored(name, W)}, ["Output"], WINDOW)


def in_bytes(x, name):
    return conv(rounded(x, 2.0), name, W)


def overwritten(build) -> list[bool]:
    """Which sums are; what comes out is held against the Program without passes."""
    saved = net(build, [-1, 8, 8, 8])
    made = saved.prepared(GRAPH, INT8)
    for found, expected in zip(run(made, X), run(saved.prepared(), X), strict=True):
        assert np.abs(found - expected).max() < 0.05 * np.abs(expected).max()
    again = run(made, X)
    for found, first in zip(again, run(made, X), strict=True):
        np.testing.assert_array_equal(found, first)
    slots = {"packed_conv2d": "ResidualData", "int8_conv2d": "Residual"}
    sums = [op for op in made.optimised.global_block().ops if op.inputs.get(slots.get(op.type, ""))]
    return [bool(op.attrs.get("overwrite")) for op in sums]


both = pytest.mark.parametrize(
    "layer",
    [
        plain,
        pytest.param(in_bytes, marks=pytest.mark.skipif(not int8.usable(), reason="no bytes")),
    ],
)


@both
def test_a_residual_that_was_read_before(layer):
    def build(x):
        hidden = F.relu(layer(x, "a"))
        for i in range(3):
            inner = F.relu(layer(hidden, f"b{i}"))
            hidden = F.relu(layer(inner, f"c{i}") + hidden)
        return layer(hidden, "d")

    assert overwritten(build) == [True] * 3


@both
def test_a_residual_that_is_read_later(layer):
    def build(x):
        hidden = F.relu(layer(x, "a"))
        total = layer(F.relu(layer(hidden, "b")), "c") + hidden
        return layer(total, "d"), layer(hidden, "e")

    # In bytes it is read as bytes that were made before.
    assert overwritten(build) == [layer is in_bytes]


def test_a_residual_of_which_there_is_a_view():
    """What reshape makes is the same memory, and is read later."""

    def build(x):
        hidden = F.relu(plain(x, "a"))
        flat = paddle.reshape(hidden, [-1, 512])
        total = plain(F.relu(plain(hidden, "b")), "c") + hidden
        return F.relu(total), flat * 1.5

    assert overwritten(build) == [False]


def test_a_residual_that_is_asked_for_or_given():
    def build(x):
        hidden = F.relu(plain(x, "a"))
        return plain(F.relu(plain(hidden, "b")), "c") + hidden, hidden, plain(x, "d") + x

    assert overwritten(build) == [False, False]
