"""Arithmetic, elementary functions and reductions as users call them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import paddle

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "float32")
Y = np.array([[2.0, 2.0, 2.0], [8.0, 5.0, 3.0]], "float32")


def _t(value, dtype=None, grad=False):
    return paddle.to_tensor(value, dtype=dtype, stop_gradient=not grad)


def _same(tensor, expected, dtype=None):
    expected = np.asarray(expected)
    assert tensor.shape == list(expected.shape)
    np.testing.assert_allclose(tensor.numpy(), expected, rtol=1e-5, atol=1e-6)
    if dtype:
        assert tensor.dtype == getattr(paddle, dtype)


@pytest.mark.parametrize(
    "name, reference",
    [
        ("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply),
        ("divide", np.divide), ("maximum", np.maximum), ("minimum", np.minimum),
        ("mod", np.mod), ("remainder", np.mod),
        ("floor_mod", np.mod), ("floor_divide", lambda a, b: np.trunc(a / b)), ("pow", np.power),
    ],
)  # fmt: skip
def test_two_operands(name, reference):
    function = getattr(paddle, name)
    _same(function(_t(X), _t(Y)), reference(X, Y))
    _same(function(_t(X), _t(Y[0])), reference(X, Y[0]))
    _same(getattr(_t(X), name)(_t(Y)), reference(X, Y))


def test_integers_stay_integers():
    x, y = _t([-7, 7, 5], "int32"), _t([2, -2, 3], "int32")
    _same(paddle.divide(x, y), [-3, -3, 1], "int32")
    _same(paddle.floor_divide(x, y), [-3, -3, 1], "int32")  # toward zero, as in 2.0
    _same(paddle.mod(x, y), [1, -1, 2], "int32")  # the sign of the divisor
    _same(paddle.pow(x, 2), [49, 49, 25], "int32")
    with pytest.raises(ValueError, match="elementwise_floordiv"):
        paddle.floor_divide(x, _t([0], "int32"))


def test_the_right_operand_takes_the_type_of_the_left():
    x, y = _t([1, 2], "int32"), _t([1.5, 2.5])
    with pytest.warns(UserWarning, match="dtype of left and right"):
        _same(paddle.add(x, y), [2, 4], "int32")
    with pytest.warns(UserWarning, match="dtype of left and right"):
        _same(paddle.add(y, x), [2.5, 4.5], "float32")


def test_operands_that_do_not_fit():
    with pytest.raises(ValueError, match="Broadcast dimension mismatch"):
        paddle.add(_t(X), _t([1.0, 2.0]))
    with pytest.raises(TypeError, match=r"elementwise_add: argument Y expects a Tensor.*int 2"):
        paddle.add(_t(X), 2)


def test_equal_elements_send_the_gradient_to_the_second():
    x, y = _t([1.0, 2.0, 3.0], grad=True), _t([2.0, 2.0, 1.0], grad=True)
    paddle.maximum(x, y).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0, 0, 1])
    np.testing.assert_array_equal(y.grad.numpy(), [1, 1, 0])
    x.clear_grad(), y.clear_grad()
    paddle.minimum(x, y).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [1, 0, 0])
    np.testing.assert_array_equal(y.grad.numpy(), [0, 1, 1])


def test_pow():
    _same(paddle.pow(_t(X), 2), X**2)
    _same(paddle.pow(_t(X), np.float32(0.5)), X**0.5)
    _same(paddle.pow(_t(X), _t([2.0])), X**2)
    with pytest.raises(TypeError, match=r"pow\(y\): expected a number or a Tensor.*str"):
        paddle.pow(_t(X), "2")


def test_power_zero_has_finite_gradients():
    x, y = _t([0.0, 2.0], grad=True), _t([2.0, 0.0], grad=True)
    paddle.pow(x, y).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [0, 0])
    np.testing.assert_allclose(y.grad.numpy(), [0, np.log(2)], rtol=1e-6)


ELEMENTARY = {
    "abs": np.abs, "acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "ceil": np.ceil,
    "cos": np.cos, "cosh": np.cosh, "erf": special.erf, "exp": np.exp, "floor": np.floor,
    "log": np.log, "log10": np.log10, "log1p": np.log1p, "log2": np.log2,
    "reciprocal": np.reciprocal, "rsqrt": lambda x: 1 / np.sqrt(x), "sign": np.sign,
    "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt, "square": np.square, "tanh": np.tanh,
    "stanh": lambda x: 1.7159 * np.tanh(0.67 * x),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(ELEMENTARY))
def test_elementary_functions(name):
    value = np.array([0.25, 0.5, 0.75], "float32")
    _same(getattr(paddle, name)(_t(value)), ELEMENTARY[name](value), "float32")
    _same(getattr(_t(value), name)(), ELEMENTARY[name](value))
    with pytest.raises(TypeError, match=f"{name}: argument X expects a Tensor.*list"):
        getattr(paddle, name)([0.5])


def test_integers_become_floats_where_the_result_is_one():
    _same(paddle.exp(_t([0, 1])), np.exp([0, 1]), "float32")
    _same(paddle.square(_t([2, 3])), [4, 9], "int64")


def test_round_takes_halves_away_from_zero():
    _same(paddle.round(_t([0.5, 1.5, 2.5, -0.5, -1.5, 0.49999997])), [1, 2, 3, -1, -2, 0])


def test_tanh_in_place():
    x = _t([0.0, 1.0])
    assert paddle.tanh_(x) is x
    _same(x, np.tanh([0.0, 1.0]))
    with pytest.raises(ValueError, match="cannot be changed in place"):
        paddle.tanh_(_t([1.0], grad=True))


def test_complex_parts():
    value = np.array([1 + 2j, 3 - 1j], "complex64")
    _same(paddle.real(_t(value)), value.real, "float32")
    _same(paddle.imag(_t(value)), value.imag, "float32")
    _same(paddle.conj(_t(value)), value.conj(), "complex64")
    with pytest.raises(TypeError, match="expected complex64 or complex128, got float32"):
        paddle.real(_t(X))


def test_scale():
    _same(paddle.scale(_t(X), 2.0, 1.0), X * 2 + 1)
    _same(paddle.scale(_t(X), 2.0, 1.0, False), (X + 1) * 2)
    _same(paddle.scale(_t(X), _t([3.0]), 1.0), X * 3 + 1)
    _same(paddle.scale(_t(X), -1.0, 2.0, act="relu"), np.maximum(2 - X, 0))
    _same(paddle.scale(_t([1, 2]), 2.7), [2, 4], "int64")
    with pytest.raises(TypeError, match=r"scale\(act\): expected the name of an activation"):
        paddle.scale(_t(X), act="no such thing")


def test_clip():
    _same(paddle.clip(_t(X), 2.0, 4.5), np.clip(X, 2, 4.5))
    _same(paddle.clip(_t(X), min=3), np.maximum(X, 3))
    _same(paddle.clip(_t(X), max=3), np.minimum(X, 3))
    _same(paddle.clip(_t(X)), X)
    _same(paddle.clip(_t(X), _t([2.0]), 4), np.clip(X, 2, 4))
    _same(paddle.clip(_t([0, 3, 9]), 1, 5), [1, 3, 5], "int64")
    x = _t([0.0, 0.5, 1.0, 2.0], grad=True)
    paddle.clip(x, 0.0, 1.0).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0, 1, 0, 0])
    with pytest.raises(TypeError, match=r"clip\(max\): expected a number or a Tensor.*str"):
        paddle.clip(_t(X), 0, "1")


def test_add_n():
    x, y = _t(X, grad=True), _t(Y)
    paddle.add_n([x, y, x]).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full_like(X, 2))
    _same(paddle.add_n([x, y]), X + Y)
    _same(paddle.add_n(y), Y)
    with pytest.raises(TypeError, match=r"sum: argument X expects a non-empty list"):
        paddle.add_n([])


def test_addcmul():
    _same(paddle.tensor.math.addcmul(_t(X), _t(Y), _t(Y), value=0.5), X + 0.5 * Y * Y)


def test_increment():
    x = _t([3])
    assert paddle.increment(x, 2) is x
    _same(x, [5], "int64")
    with pytest.raises(ValueError, match=r"increment\(x\): expected.*one element.*\[2, 3\]"):
        paddle.increment(_t(X))


def test_cast():
    _same(paddle.cast(_t([1.7, -1.7, 0.0]), "int32"), [1, -1, 0], "int32")
    _same(paddle.cast(_t([1.7, 0.0]), paddle.bool), [True, False])
    x = _t([1.5], "float64", grad=True)
    paddle.cast(x, "float32").backward()
    assert x.grad.dtype == paddle.float64
    source = _t(X)
    paddle.tanh_(paddle.cast(source, "float32"))
    _same(source, X)  # the same type still means a new Tensor
    with pytest.raises(ValueError, match=r"expected a data type, one of bool.*'float'"):
        paddle.cast(_t(X), "float")
    with pytest.raises(TypeError, match=r"cast\(x\): expected a Tensor.*list"):
        paddle.cast([1.0], "int32")


def test_multiplex():
    x = _t(X, grad=True)
    out = paddle.multiplex([x, _t(Y)], _t([[1], [0]], "int32"))
    _same(out, [Y[0], X[1]])
    out.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [[0, 0, 0], [1, 1, 1]])
    with pytest.raises(ValueError, match=r"indices in \[0, 2\)"):
        paddle.multiplex([x, x], _t([[2], [0]]))


def test_broadcast_shape():
    assert paddle.broadcast_shape([2, 1, 3], [1, 3, 1]) == [2, 3, 3]
    assert _t(X).broadcast_shape([4, 1, 1]) == [4, 2, 3]
    with pytest.raises(ValueError, match=r"\[2, 2\] and \[3\] differ in dimension 1"):
        paddle.broadcast_shape([2, 2], [3])


@pytest.mark.parametrize("name", ["sum", "max", "min", "prod"])
def test_reductions(name):
    function, reference = getattr(paddle, name), getattr(np, name)
    x = np.arange(1, 13, dtype="float32").reshape(2, 2, 3) / 4
    _same(function(_t(x)), [reference(x)])
    _same(function(_t(x), axis=[]), [reference(x)])
    _same(function(_t(x), axis=-1), reference(x, axis=-1))
    _same(function(_t(x), axis=[0, 2]), reference(x, axis=(0, 2)))
    _same(function(_t(x), axis=(0, -1), keepdim=True), reference(x, axis=(0, 2), keepdims=True))
    _same(function(_t(x), axis=[_t([1])]), reference(x, axis=1))
    _same(function(_t(x), keepdim=True), reference(x, keepdims=True))
    with pytest.raises(ValueError, match=r"range \[-3, 3\).*received 3"):
        function(_t(x), axis=3)
    with pytest.raises(TypeError, match=rf"{name}\(axis\): expected an int.*'last'"):
        function(_t(x), axis="last")


def test_types_of_sums():
    _same(paddle.sum(_t([True, True, False])), [2], "int64")
    _same(paddle.sum(_t([[1, 2], [3, 4]], "int32"), axis=0), [4, 6], "int64")
    _same(paddle.sum(_t([1, 2], "int32"), dtype="float64"), [3.0], "float64")
    _same(paddle.prod(_t([2, 3], "int32")), [6], "int32")
    _same(paddle.prod(_t([2, 3], "int32"), dtype="float32"), [6.0], "float32")
    x = _t(X, grad=True)
    paddle.sum(x, dtype="float64").backward()
    assert x.grad.dtype == paddle.float32
    np.testing.assert_array_equal(x.grad.numpy(), np.ones_like(X))


def test_every_maximum_gets_the_gradient():
    x = _t([1.0, 2.0, 2.0], grad=True)
    paddle.max(x).backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0, 1, 1])


def test_all_and_any():
    x = _t([[True, True], [False, True]])
    _same(paddle.all(x), [False])
    _same(paddle.any(x), [True])
    _same(paddle.all(x, axis=1), [True, False])
    _same(x.any(axis=0, keepdim=True), [[True, True]])


def test_logsumexp():
    x = np.array([[0.0, 1.0], [1000.0, 1001.0]], "float32")
    _same(paddle.logsumexp(_t(x), axis=1), special.logsumexp(x, axis=1))
    _same(paddle.logsumexp(_t(x)), [special.logsumexp(x)])
    _same(paddle.logsumexp(_t(x), [0, 1], True), [[special.logsumexp(x)]])


def test_cumsum():
    _same(paddle.cumsum(_t(X)), np.cumsum(X))
    _same(paddle.cumsum(_t(X), axis=-2), np.cumsum(X, 0))
    _same(paddle.cumsum(_t([1, 2]), dtype="float64"), [1.0, 3.0], "float64")
    with pytest.raises(ValueError, match=r"axis in \[-2, 2\), but received 2"):
        paddle.cumsum(_t(X), axis=2)


def test_special_values():
    x = _t([1.0, np.inf, -np.inf, np.nan])
    _same(paddle.isfinite(x), [True, False, False, False])
    _same(paddle.isinf(x), [False, True, True, False])
    _same(paddle.isnan(x), [False, False, False, True])


def test_attributes():
    _same(paddle.rank(_t(X)), [2], "int32")
    _same(paddle.shape(_t(X)), [2, 3], "int32")
    _same(paddle.numel(_t(X)), [6], "int64")
