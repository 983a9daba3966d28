"""Statistics as users call them."""

from __future__ import annotations

import numpy as np
import pytest

import paddle

X = np.array([[[1.0, 9.0, 3.0], [4.0, 5.0, 8.0]], [[7.0, 2.0, 6.0], [0.0, 2.0, 4.0]]], "float32")


def _t(value, dtype=None, grad=False):
    return paddle.to_tensor(value, dtype=dtype, stop_gradient=not grad)


def _is(tensor, expected):
    assert tensor.shape == list(np.shape(expected))
    np.testing.assert_allclose(tensor.numpy(), expected, rtol=1e-5)


def test_mean():
    _is(paddle.mean(_t(X)), [X.mean()])
    _is(paddle.mean(_t(X), axis=[]), [X.mean()])
    _is(paddle.mean(_t(X), axis=[0, -1]), X.mean((0, 2)))
    _is(_t(X).mean(axis=1, keepdim=True), X.mean(1, keepdims=True))
    with pytest.raises(ValueError, match=r"range \[-3, 3\).*received -4"):
        paddle.mean(_t(X), axis=-4)
    with pytest.raises(TypeError, match="reduce_mean"):
        paddle.mean(_t([1, 2]))


@pytest.mark.parametrize("unbiased", [True, False])
@pytest.mark.parametrize("name", ["var", "std"])
def test_spread(name, unbiased):
    function, reference = getattr(paddle, name), getattr(np, name)
    ddof = int(unbiased)
    _is(function(_t(X), unbiased=unbiased), [reference(X, ddof=ddof)])
    _is(function(_t(X), 1, unbiased), reference(X, 1, ddof=ddof))
    _is(function(_t(X), [0, 2], unbiased, True), reference(X, (0, 2), ddof=ddof, keepdims=True))


def test_spread_of_one_element():
    _is(paddle.var(_t([3.0])), [0.0])


def test_gradient_of_the_variance():
    x = _t([1.0, 2.0, 6.0], grad=True)
    paddle.var(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), [-2.0, -1.0, 3.0], rtol=1e-6)


def test_median():
    _is(paddle.median(_t(X)), [np.median(X)])
    _is(paddle.median(_t(X), keepdim=True), [[[np.median(X)]]])
    for axis in (0, 1, -1):
        _is(paddle.median(_t(X), axis), np.median(X, axis))
        _is(paddle.median(_t(X), axis, True), np.median(X, axis, keepdims=True))
    assert paddle.median(_t([1, 2, 3])).dtype == paddle.float32
    assert paddle.median(_t([1.0, 2.0], "float64")).dtype == paddle.float64
    with pytest.raises(ValueError, match=r"\[-3, 3\), but received 3"):
        paddle.median(_t(X), 3)
    with pytest.raises(TypeError, match=r"median\(axis\): expected an int.*str"):
        paddle.median(_t(X), "0")


def test_median_of_special_values():
    x = _t([[1.0, np.nan, 3.0], [1.0, np.inf, 3.0]])
    _is(paddle.median(x, axis=1), [np.nan, 3.0])


def test_gradient_of_the_median():
    x = _t([2.0, 1.0, 3.0, 4.0], grad=True)
    paddle.median(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), [0.5, 0, 0.5, 0])


def test_numel():
    assert paddle.numel(_t(X)).numpy().tolist() == [12]
    assert paddle.numel(_t(X)).dtype == paddle.int64
