"""Convolutions as a user calls them: functions and layers, all forms of padding and layout."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from tests.op_samples.nn.conv import convolve
from tests.op_samples.sample import f64


def _t(array):
    return paddle.to_tensor(array)


X, W, B = f64(2, 4, 7, 6), f64(6, 4, 3, 2), f64(6)
PADDINGS = [
    (1, [1, 1]),
    ([1, 0], [1, 0]),
    ([1, 0, 2, 1], [1, 0, 2, 1]),
    ([[0, 0], [0, 0], [1, 2], [0, 1]], [1, 2, 0, 1]),
    ((2,), [2, 2]),
]


@pytest.mark.parametrize(("given", "numbers"), PADDINGS)
def test_conv2d_takes_every_form_of_padding(given, numbers):
    out = F.conv2d(_t(X), _t(W), _t(B), stride=[2, 1], padding=given)
    np.testing.assert_allclose(out.numpy(), convolve(X, W, B, None, [2, 1], numbers))


@pytest.mark.parametrize("algorithm", ["SAME", "VALID", "same"])
def test_conv2d_takes_padding_by_name(algorithm):
    out = F.conv2d(_t(X), _t(W), stride=2, padding=algorithm)
    expected = convolve(X, W, strides=[2, 2], padding_algorithm=algorithm.upper())
    np.testing.assert_allclose(out.numpy(), expected)
    if algorithm != "VALID":
        assert out.shape == [2, 6, 4, 3]


def test_conv2d_with_channels_last_and_pairs():
    x = np.moveaxis(X, 1, -1).copy()
    pairs = [[0, 0], [1, 2], [0, 1], [0, 0]]
    out = F.conv2d(_t(x), _t(W), _t(B), padding=pairs, data_format="NHWC")
    expected = convolve(X, W, B, paddings=[1, 2, 0, 1])
    np.testing.assert_allclose(np.moveaxis(out.numpy(), -1, 1), expected)


def test_same_padding_ignores_dilation_as_paddle_does():
    out = F.conv2d(_t(X), _t(W), padding="SAME", dilation=2)
    np.testing.assert_allclose(out.numpy(), convolve(X, W, padding_algorithm="SAME"))


@pytest.mark.parametrize("data_format", ["NCL", "NLC"])
@pytest.mark.parametrize(
    ("padding", "pads"),
    [(1, (1, 1)), ([2, 0], (2, 0)), ([[0, 0], [0, 0], [0, 1]], (0, 1)), ("SAME", None)],
)
def test_conv1d(data_format, padding, pads):
    x, w, b = f64(2, 4, 9), f64(6, 2, 3), f64(6)
    last = data_format == "NLC"
    if last and isinstance(padding, list) and isinstance(padding[0], list):
        padding = [padding[0], padding[2], padding[1]]
    given = np.moveaxis(x, 1, 2).copy() if last else x
    out = F.conv1d(
        _t(given), _t(w), _t(b), stride=2, padding=padding, groups=2, data_format=data_format
    )
    how = {"padding_algorithm": "SAME"} if pads is None else {"paddings": list(pads)}
    expected = convolve(x, w, b, strides=[2], groups=2, dilations=[1], **how)
    got = np.moveaxis(out.numpy(), 2, 1) if last else out.numpy()
    np.testing.assert_allclose(got, expected)


def test_conv3d_adds_its_bias_to_channels_in_both_layouts():
    x, w, b = f64(1, 2, 4, 4, 4), f64(3, 2, 2, 2, 2), f64(3)
    first = F.conv3d(_t(x), _t(w), _t(b), padding=1)
    last = F.conv3d(_t(np.moveaxis(x, 1, -1).copy()), _t(w), _t(b), padding=1, data_format="NDHWC")
    expected = convolve(x, w, b, paddings=[1] * 3, strides=[1], dilations=[1])
    np.testing.assert_allclose(first.numpy(), expected)
    np.testing.assert_allclose(np.moveaxis(last.numpy(), -1, 1), expected)


def test_gradients_reach_only_what_wants_them():
    x, w, b = _t(X), _t(W), _t(B)
    w.stop_gradient = b.stop_gradient = False
    F.conv2d(x, w, b).sum().backward()
    assert x.grad is None
    np.testing.assert_allclose(b.grad.numpy(), [2 * 5 * 5] * 6)
    assert w.grad.shape == [6, 4, 3, 2]


def test_a_depthwise_convolution_is_one():
    x, w = f64(1, 3, 5, 5), f64(6, 1, 3, 3)
    out = F.conv2d(_t(x), _t(w), groups=3)
    np.testing.assert_allclose(out.numpy(), convolve(x, w, groups=3))


BAD = [
    ({"x": X[0]}, ValueError, r"conv2d\(x\): expected a Tensor of 4 dimensions"),
    ({"weight": f64(6, 3, 3, 2)}, ValueError, "channels of Input"),
    ({"padding": -1}, ValueError, r"conv2d\(padding\): expected integers of at least 0"),
    ({"padding": [1, 1, 1]}, ValueError, r"conv2d\(padding\)"),
    ({"padding": "FULL"}, ValueError, "expected 'SAME', 'VALID' or numbers, but received 'FULL'"),
    ({"padding": [[1, 0], [0, 0], [0, 0], [0, 0]]}, ValueError, "no padding of batch and channels"),
    ({"padding": [[0, 0], [0, 0], [0, 0]]}, ValueError, "expected 4 pairs"),
    ({"padding": 1.5}, TypeError, r"conv2d\(padding\): expected an integer, but received 1.5"),
    ({"stride": 0}, ValueError, r"conv2d\(stride\): expected integers of at least 1"),
    ({"stride": [1, 2, 3]}, ValueError, r"conv2d\(stride\): expected one integer or 2"),
    ({"dilation": "2"}, TypeError, r"conv2d\(dilation\)"),
    ({"groups": 3}, ValueError, "channels of Input"),
    ({"data_format": "CHW"}, ValueError, "expected 'NCHW' or 'NHWC', but received 'CHW'"),
    ({"weight": f64(6, 4, 9, 9)}, ValueError, "operator < conv2d > error"),
]


@pytest.mark.parametrize(("change", "error", "match"), BAD)
def test_bad_arguments_are_named(change, error, match):
    arguments = {"x": X, "weight": W, **change}
    for key in ("x", "weight"):
        arguments[key] = _t(arguments[key])
    with pytest.raises(error, match=match):
        F.conv2d(**arguments)


def test_an_array_is_no_tensor():
    with pytest.raises(TypeError, match=r"conv2d\(x\): expected a Tensor, but received ndarray"):
        F.conv2d(X, _t(W))


# -- layers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layer", "fan_in"),
    [
        (lambda: nn.Conv1D(32, 64, 3), 32 * 3),
        (lambda: nn.Conv2D(32, 64, 3), 32 * 9),
        (lambda: nn.Conv2D(32, 64, 3, groups=4), 32 * 9),
        (lambda: nn.Conv3D(16, 32, 3), 16 * 27),
    ],
)
def test_weights_start_normal_and_biases_zero(layer, fan_in):
    paddle.seed(1)
    made = layer()
    values = made.weight.numpy()
    assert abs(values.std() - (2 / fan_in) ** 0.5) < 0.05 * (2 / fan_in) ** 0.5
    assert abs(values.mean()) < 0.1 * values.std()
    np.testing.assert_array_equal(made.bias.numpy(), 0)


@pytest.mark.parametrize(
    ("mode", "numpy_mode"), [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")]
)
def test_padding_modes(mode, numpy_mode):
    conv = nn.Conv2D(2, 3, 3, padding=[1, 2], padding_mode=mode)
    x = f64(1, 2, 5, 6).astype("float32")
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (2, 2)], numpy_mode)
    expected = convolve(padded, conv.weight.numpy(), conv.bias.numpy())
    np.testing.assert_allclose(conv(_t(x)).numpy(), expected, rtol=1e-4, atol=1e-5)


def test_padding_modes_with_channels_last():
    conv = nn.Conv1D(2, 3, 3, padding=[2, 1], padding_mode="circular", data_format="NLC")
    x = f64(1, 6, 2).astype("float32")
    padded = np.moveaxis(np.pad(x, [(0, 0), (2, 1), (0, 0)], "wrap"), 2, 1)
    expected = convolve(padded, conv.weight.numpy(), strides=[1], dilations=[1])
    np.testing.assert_allclose(
        np.moveaxis(conv(_t(x)).numpy(), 2, 1), expected, rtol=1e-4, atol=1e-5
    )


def test_layers_print_their_settings():
    assert repr(nn.Conv2D(4, 6, (3, 2), 2, "SAME", groups=2)) == (
        "Conv2D(4, 6, kernel_size=[3, 2], stride=[2, 2], padding=SAME, groups=2, data_format=NCHW)"
    )
    assert repr(nn.Conv2D(4, 6, 3, padding=1, padding_mode="reflect", dilation=2)) == (
        "Conv2D(4, 6, kernel_size=[3, 3], padding=1, padding_mode=reflect, dilation=[2, 2], "
        "data_format=NCHW)"
    )
    assert repr(nn.Conv2DTranspose(4, 6, 3, 2, output_padding=1)) == (
        "Conv2DTranspose(4, 6, kernel_size=[3, 3], stride=[2, 2], output_padding=1, "
        "data_format=NCHW)"
    )


def test_a_layer_without_bias_has_none():
    conv = nn.Conv2D(1, 2, 3, bias_attr=False)
    assert conv.bias is None
    assert list(conv.state_dict()) == ["weight"]
    assert nn.Conv2D(4, 8, [3, 2], groups=2).weight.shape == [8, 2, 3, 2]
    assert nn.Conv2DTranspose(4, 8, [3, 2], groups=2).weight.shape == [4, 4, 3, 2]


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: nn.Conv2D(3, 4, 3, groups=2), ValueError, "multiples of groups = 2"),
        (lambda: nn.Conv2D(0, 4, 3), ValueError, r"Conv2D\(in_channels\)"),
        (lambda: nn.Conv2D(3, 4.0, 3), TypeError, r"Conv2D\(out_channels\)"),
        (lambda: nn.Conv2D(3, 4, 3, padding_mode="mirror"), ValueError, "padding_mode"),
        (lambda: nn.Conv2D(3, 4, 3, padding="SAME", padding_mode="reflect"), TypeError, "padding"),
        (lambda: nn.Conv3D(3, 4, 3, data_format="NCHW"), ValueError, "'NCDHW' or 'NDHWC'"),
        (lambda: nn.Conv1D(3, 4, [3, 3]), ValueError, r"Conv1D\(kernel_size\)"),
    ],
)
def test_bad_layers_are_refused_when_made(make, error, match):
    with pytest.raises(error, match=match):
        make()
