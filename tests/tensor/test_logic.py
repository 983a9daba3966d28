"""Comparisons and logic as users call them."""

from __future__ import annotations

import numpy as np
import pytest

import paddle

COMPARISONS = {
    "equal": np.equal, "not_equal": np.not_equal, "less_than": np.less,
    "less_equal": np.less_equal, "greater_than": np.greater, "greater_equal": np.greater_equal,
}  # fmt: skip


def _t(value, dtype=None):
    return paddle.to_tensor(value, dtype=dtype)


def _is(tensor, expected):
    assert tensor.dtype == paddle.bool
    assert tensor.shape == list(np.shape(expected))
    np.testing.assert_array_equal(tensor.numpy(), expected)


@pytest.mark.parametrize("name", sorted(COMPARISONS))
def test_comparisons(name):
    function, reference = getattr(paddle, name), COMPARISONS[name]
    x, y = np.array([[1, 2, 3]]), np.array([[2], [3]])
    _is(function(_t(x), _t(y)), reference(x, y))
    _is(function(_t(x), 2), reference(x, 2))
    _is(function(_t(x), 2.5), reference(x, 2.5))
    _is(function(_t(x.astype("float32")), 2.0), reference(x, 2.0))
    _is(getattr(_t(x), name)(_t(x)), reference(x, x))
    assert function(_t(x), _t(y)).stop_gradient
    with pytest.raises(TypeError, match=f"{name}: argument Y expects a Tensor.*str"):
        function(_t(x), "2")
    with pytest.raises(ValueError, match="Broadcast dimension mismatch"):
        function(_t(x), _t([1, 2]))


@pytest.mark.parametrize("name", ["and", "or", "xor"])
def test_logic(name):
    function, reference = getattr(paddle, f"logical_{name}"), getattr(np, f"logical_{name}")
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    _is(function(_t(x), _t(y)), reference(x, y))
    _is(function(_t(x), _t([[True], [False]])), reference(x, [[True], [False]]))
    _is(function(_t([0, 2]), _t([1, 1])), reference([0, 2], [1, 1]))
    out = _t([False] * 4)
    assert function(_t(x), _t(y), out=out) is out
    _is(out, reference(x, y))


def test_logical_not():
    _is(paddle.logical_not(_t([True, False])), [False, True])
    out = _t([False, False])
    paddle.logical_not(_t([True, False]), out=out)
    _is(out, [False, True])


def test_equal_all():
    x = _t([1, 2, 3])
    _is(paddle.equal_all(x, _t([1, 2, 3])), [True])
    _is(paddle.equal_all(x, _t([1, 2, 4])), [False])
    _is(paddle.equal_all(x, _t([1, 2])), [False])


def test_allclose():
    x, y = _t([10000.0, 1e-7]), _t([10000.1, 1e-8])
    _is(paddle.allclose(x, y), [False])
    _is(paddle.allclose(x, y, rtol=1e-4, atol=1e-6), [True])
    nan = _t([1.0, np.nan])
    _is(paddle.allclose(nan, nan), [False])
    _is(paddle.allclose(nan, nan, equal_nan=True), [True])
    inf = _t([np.inf, -np.inf])
    _is(paddle.allclose(inf, inf), [True])
    _is(paddle.allclose(inf, -inf), [False])


def test_is_empty_and_is_tensor():
    _is(paddle.is_empty(_t(np.zeros([0, 2]))), [True])
    _is(paddle.is_empty(_t([1])), [False])
    assert paddle.is_tensor(_t([1])) is True
    assert paddle.is_tensor(np.ones(2)) is False
