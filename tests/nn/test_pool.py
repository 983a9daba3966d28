"""Pools as a user calls them."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from tests.op_samples.nn.pool import pool, pool_with_index
from tests.op_samples.sample import apart, f64

X = apart(2, 3, 6, 7)
IMAGE = np.arange(1.0, 17.0).reshape(1, 1, 4, 4)


def _t(array):
    return paddle.to_tensor(array)


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        (1, [1, 1]),
        ([1, 0], [1, 0]),
        ([1, 0, 0, 1], [1, 0, 0, 1]),
        ([[0, 0], [0, 0], [0, 1], [1, 0]], [0, 1, 1, 0]),
    ],
)
def test_every_form_of_padding(given, numbers):
    expected = pool(X, [3, 2], [2, 2], numbers, pooling_type="max")
    np.testing.assert_array_equal(F.max_pool2d(_t(X), [3, 2], 2, given).numpy(), expected)
    expected = pool(X, [3, 2], [2, 2], numbers, pooling_type="avg")
    np.testing.assert_allclose(F.avg_pool2d(_t(X), [3, 2], 2, given).numpy(), expected)


def test_stride_is_the_window_unless_given():
    assert F.max_pool2d(_t(X), 2).shape == [2, 3, 3, 3]
    assert F.max_pool2d(_t(X), 2, 1).shape == [2, 3, 5, 6]
    assert F.max_pool2d(_t(X), 2, ceil_mode=True).shape == [2, 3, 3, 4]


def test_border_windows_of_a_mean():
    x = _t(IMAGE)
    exclusive = F.avg_pool2d(x, 3, 2, 1).numpy()[0, 0]
    np.testing.assert_allclose(exclusive, [[3.5, 5.0], [9.5, 11.0]])
    inclusive = F.avg_pool2d(x, 3, 2, 1, exclusive=False).numpy()[0, 0]
    np.testing.assert_allclose(inclusive, [[14 / 9, 30 / 9], [57 / 9, 11.0]])
    divided = F.avg_pool2d(x, 3, 2, 1, exclusive=False, divisor_override=5).numpy()[0, 0]
    np.testing.assert_allclose(divided, [[14 / 5, 30 / 5], [57 / 5, 99 / 5]])


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("padding", [0, 1, [0, 1, 1, 0], "SAME"])
def test_masks_point_at_the_maxima(padding, ceil_mode):
    out, mask = F.max_pool2d(_t(X), 3, 2, padding, return_mask=True, ceil_mode=ceil_mode)
    plain = F.max_pool2d(_t(X), 3, 2, padding, ceil_mode=ceil_mode)
    assert str(mask.dtype) == "VarType.INT32"
    np.testing.assert_array_equal(out.numpy(), plain.numpy())
    flat = np.take_along_axis(X.reshape(2, 3, -1), mask.numpy().reshape(2, 3, -1), -1)
    np.testing.assert_array_equal(flat.reshape(out.shape), out.numpy())


def test_the_first_of_equal_maxima_gets_the_gradient():
    for shape in ([1, 1, 4, 4], [4, 4, 32, 32]):  # a small and a fast form
        x = paddle.zeros(shape)
        x.stop_gradient = False
        F.max_pool2d(x, 2).sum().backward()
        grad = x.grad.numpy()
        assert (grad[..., 0::2, 0::2] == 1).all()
        assert grad.sum() == grad.size / 4


def test_max_pool_gradient_of_an_odd_image():
    x = paddle.arange(25, dtype="float32").reshape([1, 1, 5, 5])
    x.stop_gradient = False
    F.max_pool2d(x, 2).sum().backward()
    expected = np.zeros((5, 5))
    expected[1::2, 1::2][:2, :2] = 1
    np.testing.assert_array_equal(x.grad.numpy()[0, 0], expected)


def test_second_derivative_through_a_large_pool():
    x = paddle.to_tensor(apart(2, 8, 32, 32).astype("float32"), stop_gradient=False)
    (first,) = paddle.grad((F.max_pool2d(x, 2) ** 3).sum(), [x], create_graph=True)
    first.sum().backward()
    mask = first.numpy() != 0
    np.testing.assert_allclose(x.grad.numpy(), np.where(mask, 6 * x.numpy(), 0), rtol=1e-5)


def test_sequences_and_volumes():
    x = apart(2, 3, 9)
    out, mask = F.max_pool1d(_t(x), 3, 2, [1, 0], return_mask=True)
    expected = pool_with_index(x[:, :, None], [1, 3], [1, 2], [0, 0, 1, 0])
    np.testing.assert_array_equal(out.numpy(), expected[0][:, :, 0])
    np.testing.assert_array_equal(mask.numpy(), expected[1][:, :, 0])
    expected = pool(x[:, :, None], [1, 3], [1, 2], [0, 1], exclusive=False, pooling_type="avg")
    got = F.avg_pool1d(_t(x), 3, 2, 1, exclusive=False)
    np.testing.assert_allclose(got.numpy(), expected[:, :, 0])
    assert F.max_pool1d(_t(x), 2, padding="SAME").shape == [2, 3, 5]
    x = apart(1, 2, 4, 5, 6)
    np.testing.assert_array_equal(
        F.max_pool3d(_t(x), 2, ceil_mode=True).numpy(),
        pool(x, [2] * 3, [2] * 3, ceil_mode=True, pooling_type="max"),
    )
    last = F.avg_pool3d(_t(np.moveaxis(x, 1, -1).copy()), 2, data_format="NDHWC")
    expected = pool(x, [2] * 3, [2] * 3, pooling_type="avg")
    np.testing.assert_allclose(np.moveaxis(last.numpy(), -1, 1), expected)


def test_adaptive_pools():
    x = _t(X)
    np.testing.assert_allclose(
        F.adaptive_avg_pool2d(x, [4, None]).numpy(),
        pool(X, [4, 7], adaptive=True, pooling_type="avg"),
    )
    np.testing.assert_allclose(F.adaptive_avg_pool2d(x, 1).numpy()[..., 0, 0], X.mean((2, 3)))
    out, mask = F.adaptive_max_pool2d(x, (4, 3), return_mask=True)
    expected = pool_with_index(X, [4, 3], adaptive=True)
    np.testing.assert_array_equal(out.numpy(), expected[0])
    np.testing.assert_array_equal(mask.numpy(), expected[1])
    rows = f64(2, 3, 8)
    halves = rows.reshape(2, 3, 2, 4)
    np.testing.assert_allclose(F.adaptive_avg_pool1d(_t(rows), 2).numpy(), halves.mean(-1))
    np.testing.assert_allclose(F.adaptive_max_pool1d(_t(rows), [2]).numpy(), halves.max(-1))
    assert F.adaptive_max_pool3d(paddle.rand([1, 2, 4, 5, 6]), 2)[0].shape == [2, 2, 2, 2]


BAD = [
    (lambda x: F.max_pool2d(x[0], 2), ValueError, r"max_pool2d\(x\): expected a Tensor of 4"),
    (lambda x: F.max_pool2d(x, 0), ValueError, r"max_pool2d\(kernel_size\)"),
    (lambda x: F.max_pool2d(x, [2, 2, 2]), ValueError, r"max_pool2d\(kernel_size\)"),
    (lambda x: F.max_pool2d(x, 9, 1), ValueError, "to fit into the padded input"),
    (lambda x: F.max_pool2d(x, 2, padding="HALF"), ValueError, "received 'HALF'"),
    (lambda x: F.max_pool2d(x, 2, padding="VALID", ceil_mode=True), ValueError, "ceil_mode=False"),
    (lambda x: F.max_pool2d(x, 2, data_format="NCL"), ValueError, "'NCHW' or 'NHWC'"),
    (
        lambda x: F.max_pool2d(x, 2, return_mask=True, data_format="NHWC"),
        ValueError,
        "channels first for return_mask",
    ),
    (lambda x: F.avg_pool2d(x, 2, divisor_override=0), ValueError, "positive number"),
    (lambda x: F.adaptive_avg_pool2d(x, [1, 2, 3]), ValueError, r"\(output_size\)"),
    (lambda x: F.adaptive_max_pool2d(x, 0), ValueError, r"\(output_size\)"),
    (lambda x: F.avg_pool1d(x, 2), ValueError, r"avg_pool1d\(x\): expected a Tensor of 3"),
    (lambda x: F.max_pool2d(x.numpy(), 2), TypeError, "expected a Tensor, but received ndarray"),
    (lambda x: F.max_pool2d(x, "2"), TypeError, r"max_pool2d\(kernel_size\)"),
]


@pytest.mark.parametrize(("run", "error", "match"), BAD)
def test_bad_arguments_are_named(run, error, match):
    with pytest.raises(error, match=match):
        run(_t(X))


LAYERS = [
    (lambda: nn.MaxPool1D(2), (2, 3, 8), lambda x: F.max_pool1d(x, 2)),
    (lambda: nn.MaxPool2D(3, 2, 1), (2, 3, 8, 8), lambda x: F.max_pool2d(x, 3, 2, 1)),
    (lambda: nn.MaxPool3D(2), (1, 2, 4, 4, 4), lambda x: F.max_pool3d(x, 2, 2, 0)),
    (lambda: nn.AvgPool3D(2), (1, 2, 4, 4, 4), lambda x: F.avg_pool3d(x, 2, 2, 0)),
    (lambda: nn.MaxPool3D(2, 2, 0), (1, 2, 4, 4, 4), lambda x: F.max_pool3d(x, 2)),
    (lambda: nn.AvgPool1D(3, 2, 1, False), (2, 3, 8), lambda x: F.avg_pool1d(x, 3, 2, 1, False)),
    (
        lambda: nn.AvgPool2D(3, 2, 1, divisor_override=4),
        (2, 3, 8, 8),
        lambda x: F.avg_pool2d(x, 3, 2, 1, divisor_override=4),
    ),
    (lambda: nn.AvgPool3D(2, 2), (1, 2, 4, 4, 4), lambda x: F.avg_pool3d(x, 2)),
    (lambda: nn.AdaptiveAvgPool1D(3), (2, 3, 8), lambda x: F.adaptive_avg_pool1d(x, 3)),
    (
        lambda: nn.AdaptiveAvgPool2D([2, None]),
        (2, 3, 8, 8),
        lambda x: F.adaptive_avg_pool2d(x, [2, None]),
    ),
    (lambda: nn.AdaptiveAvgPool3D(2), (1, 2, 4, 4, 4), lambda x: F.adaptive_avg_pool3d(x, 2)),
    (lambda: nn.AdaptiveMaxPool1D(3), (2, 3, 8), lambda x: F.adaptive_max_pool1d(x, 3)),
    (lambda: nn.AdaptiveMaxPool2D(3), (2, 3, 8, 8), lambda x: F.adaptive_max_pool2d(x, 3)),
    (lambda: nn.AdaptiveMaxPool3D(2), (1, 2, 4, 4, 4), lambda x: F.adaptive_max_pool3d(x, 2)),
]


@pytest.mark.parametrize(("make", "shape", "function"), LAYERS)
def test_layers_do_what_the_functions_do(make, shape, function):
    x = _t(f64(*shape))
    np.testing.assert_array_equal(make()(x).numpy(), function(x).numpy())


def test_layers_print_their_settings():
    assert repr(nn.MaxPool2D(2)) == "MaxPool2D(kernel_size=2, stride=None, padding=0)"
    assert repr(nn.AdaptiveAvgPool2D(3)) == "AdaptiveAvgPool2D(output_size=3)"
    assert repr(nn.AdaptiveMaxPool3D(2)) == "AdaptiveMaxPool3D(output_size=2, return_mask=False)"
