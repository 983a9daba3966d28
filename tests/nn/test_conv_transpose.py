"""Transposed convolutions as a user calls them."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from tests.op_samples.nn.conv import transpose
from tests.op_samples.sample import f64

X, W, B = f64(2, 4, 3, 4), f64(4, 3, 3, 2), f64(6)


def _t(array):
    return paddle.to_tensor(array)


@pytest.mark.parametrize("padding", [0, [1, 0], [1, 0, 0, 1]])
@pytest.mark.parametrize("stride", [1, [2, 3]])
def test_conv2d_transpose(padding, stride):
    out = F.conv2d_transpose(_t(X), _t(W), _t(B), stride, padding, groups=2)
    strides = [stride] * 2 if isinstance(stride, int) else stride
    pads = [padding] * 2 if isinstance(padding, int) else padding
    expected = transpose(X, W, B, strides=strides, paddings=pads, groups=2)
    np.testing.assert_allclose(out.numpy(), expected)


def test_it_is_the_gradient_of_a_convolution():
    x = _t(f64(1, 2, 7, 7))
    x.stop_gradient = False
    w = _t(f64(3, 2, 3, 3))
    y = F.conv2d(x, w, stride=2, padding=1)
    y.sum().backward()
    again = F.conv2d_transpose(paddle.ones_like(y), w, stride=2, padding=1)
    np.testing.assert_allclose(again.numpy(), x.grad.numpy())


def test_output_size_and_output_padding_say_the_same():
    w = _t(f64(4, 3, 3, 3))
    by_size = F.conv2d_transpose(_t(X), w, stride=2, output_size=[8, 9])
    by_padding = F.conv2d_transpose(_t(X), w, stride=2, output_padding=[1, 0])
    assert by_size.shape == [2, 3, 8, 9]
    np.testing.assert_array_equal(by_size.numpy(), by_padding.numpy())


@pytest.mark.parametrize("data_format", ["NCL", "NLC"])
def test_conv1d_transpose(data_format):
    x, w = f64(2, 3, 5), f64(3, 2, 4)
    given = np.moveaxis(x, 1, 2).copy() if data_format == "NLC" else x
    out = F.conv1d_transpose(
        _t(given), _t(w), stride=3, padding=[1, 0], output_padding=1, data_format=data_format
    )
    got = np.moveaxis(out.numpy(), 2, 1) if data_format == "NLC" else out.numpy()
    expected = transpose(x, w, strides=[3], dilations=[1], paddings=[1, 0], output_padding=[1])
    np.testing.assert_allclose(got, expected)
    assert F.conv1d_transpose(_t(x), _t(w), stride=3, output_size=18).shape == [2, 2, 18]


def test_conv3d_transpose_with_bias_and_channels_last():
    x, w, b = f64(1, 2, 2, 3, 2), f64(2, 2, 2, 2, 2), f64(2)
    expected = transpose(x, w, b, strides=[2], dilations=[1], paddings=[0] * 3)
    out = F.conv3d_transpose(_t(x), _t(w), _t(b), stride=2)
    np.testing.assert_allclose(out.numpy(), expected)
    last = F.conv3d_transpose(
        _t(np.moveaxis(x, 1, -1).copy()), _t(w), _t(b), stride=2, data_format="NDHWC"
    )
    np.testing.assert_allclose(np.moveaxis(last.numpy(), -1, 1), expected)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"output_size": [5, 6], "output_padding": 1, "stride": 2}, "only one of output_size"),
        ({"output_size": [20, 8], "stride": 2}, r"output_size\[0\] in \[7, 9\), but received 20"),
        ({"output_padding": 2, "stride": 2}, r"output_padding\[0\] in \[0, 2\), but received 2"),
        ({"output_size": [7, 8, 9]}, r"conv2d_transpose\(output_size\)"),
        ({"groups": 3}, "groups = 3"),
    ],
)
def test_bad_arguments_are_named(arguments, match):
    with pytest.raises(ValueError, match=match):
        F.conv2d_transpose(_t(X), _t(W), **arguments)


def test_layers():
    up = nn.Conv2DTranspose(4, 6, 3, stride=2, padding=1, groups=2)
    x = _t(X.astype("float32"))
    out = up(x)
    expected = transpose(
        X, up.weight.numpy(), up.bias.numpy(), strides=[2, 2], paddings=[1, 1], groups=2
    )
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-4, atol=1e-5)
    assert up(x, output_size=[6, 8]).shape == [2, 6, 6, 8]
    assert nn.Conv1DTranspose(4, 2, 3, 2)(paddle.ones([1, 4, 5])).shape == [1, 2, 11]
    assert nn.Conv3DTranspose(2, 3, 2, 2)(paddle.ones([1, 2, 2, 2, 2])).shape == [1, 3, 4, 4, 4]


def test_weights_start_by_xavier():
    paddle.seed(3)
    limit = (6 / ((64 + 32) * 9)) ** 0.5
    values = nn.Conv2DTranspose(32, 64, 3).weight.numpy()
    assert np.abs(values).max() <= limit
    assert abs(values.std() - limit / 3**0.5) < 0.02 * limit
