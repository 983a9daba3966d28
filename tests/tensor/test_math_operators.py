"""Python's operators: a Tensor beside Tensors, numbers and arrays."""

from __future__ import annotations

import operator
import subprocess
import sys

import numpy as np
import pytest

import paddle
from paddle.tensor.operators import OPERATORS

F = np.array([-7.0, 7.0, 5.0], "float32")
G = np.array([2.0, -2.0, 3.0], "float32")
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv]


def _t(value, dtype=None, grad=False):
    return paddle.to_tensor(value, dtype=dtype, stop_gradient=not grad)


def _is(tensor, expected, dtype):
    assert isinstance(tensor, paddle.Tensor)
    assert tensor.dtype == getattr(paddle, dtype)
    np.testing.assert_allclose(tensor.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("apply", ARITHMETIC)
def test_arithmetic(apply):
    _is(apply(_t(F), _t(G)), apply(F, G), "float32")
    for number in (2, 2.5, True, np.float64(1.5), np.int32(3), np.float32(0.5)):
        _is(apply(_t(F), number), apply(F, float(number)), "float32")
        _is(apply(number, _t(F)), apply(float(number), F), "float32")
    _is(apply(_t(F), G), apply(F, G), "float32")
    _is(apply(F, _t(G)), apply(F, G), "float32")


@pytest.mark.parametrize("apply", ARITHMETIC)
def test_gradients_beside_a_number(apply):
    for left in (True, False):
        x = _t([2.0, 4.0], grad=True)
        (apply(x, 8.0) if left else apply(8.0, x)).sum().backward()
        h = 1e-3
        values = np.array([2.0, 4.0])
        call = (lambda v: apply(v, 8.0)) if left else (lambda v: apply(8.0, v))
        expected = (call(values + h) - call(values - h)) / (2 * h)
        np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-4)


def test_integers_beside_numbers():
    i = _t([-7, 7, 5], "int32")
    _is(i + 2, [-5, 9, 7], "int32")
    _is(2 - i, [9, -5, -3], "int32")
    _is(i * 2.5, [-17.5, 17.5, 12.5], "float32")
    _is(i * np.float64(2.5), [-17.5, 17.5, 12.5], "float32")
    _is(i + True, [-6, 8, 6], "int32")
    _is(i / 2, [-3.5, 3.5, 2.5], "float32")
    _is(2 / i, 2 / np.array([-7, 7, 5], "float32"), "float32")
    _is(i / _t([2, -2, 2], "int32"), [-3.5, -3.5, 2.5], "float32")
    _is(i // 2, [-3, 3, 2], "int32")  # toward zero, as in 2.0
    _is(i % 3, [2, 1, 2], "int32")
    _is(7 % _t([4, -4]), [3, -1], "int64")
    _is(9 // _t([4, -4]), [2, -2], "int64")
    _is(i**2, [49, 49, 25], "int32")
    _is(i**2.0, [49, 49, 25], "float32")
    _is(2 ** _t([3, 0]), [8, 1], "int64")
    _is(_t([2**40]) + 1, [2**40 + 1], "int64")


def test_a_float_follows_the_default_type():
    paddle.set_default_dtype("float64")
    try:
        _is(_t([1, 2]) * 0.5, [0.5, 1.0], "float64")
    finally:
        paddle.set_default_dtype("float32")


def test_complex_numbers():
    _is(_t(F) + 1j, F + 1j, "complex64")
    _is(2j * _t([1, 2]), [2j, 4j], "complex64")
    _is(_t(F, "float64") - 1j, F - 1j, "complex128")


def test_division_by_zero():
    _is(_t(F) / 0, [-np.inf, np.inf, np.inf], "float32")
    _is(0 / _t([0.0]), [np.nan], "float32")


def test_signs():
    _is(-_t(F), -F, "float32")
    _is(+_t(F), F, "float32")
    _is(abs(_t(F)), np.abs(F), "float32")
    _is(-_t([1, 2]), [-1, -2], "int64")
    assert np.signbit((_t([1.0]) * -0.0).numpy())[0]
    assert not np.signbit((_t([1.0]) * 0.0).numpy())[0]


def test_powers_and_products():
    _is(_t(F) ** _t(G), F**G, "float32")
    _is(_t(G) ** 3, G**3, "float32")
    _is(2.0 ** _t(G), 2.0**G, "float32")
    _is(_t(F) // 2.0, np.trunc(F / 2), "float32")
    _is(_t(F) % 4.0, np.mod(F, 4), "float32")
    _is(_t(F) @ _t(G), [F @ G], "float32")
    _is(np.eye(3, dtype="float32") @ _t(G), G, "float32")


@pytest.mark.parametrize(
    "apply", [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
)
def test_comparisons(apply):
    _is(apply(_t(F), _t(G)), apply(F, G), "bool")
    _is(apply(_t(F), 5), apply(F, 5), "bool")
    _is(apply(5.0, _t(F)), apply(5.0, F), "bool")
    _is(apply(_t(F), G), apply(F, G), "bool")
    _is(apply(G, _t(F)), apply(G, F), "bool")
    _is(apply(_t([1, 2, 3]), 2.5), apply(np.array([1, 2, 3]), 2.5), "bool")


def test_comparison_with_something_else():
    x = _t(F)
    assert (x == None) is False  # noqa: E711
    assert (x != None) is True  # noqa: E711
    assert (x == "text") is False
    assert x in [None, x]
    with pytest.raises(TypeError, match="'<' not supported"):
        x < None  # noqa: B015
    with pytest.raises(TypeError, match="equal: argument Y expects a Tensor, but received list"):
        x == [1, 2, 3]  # noqa: B015


def test_bits_and_logic():
    b, c = _t([True, True, False]), _t([True, False, False])
    _is(b & c, [True, False, False], "bool")
    _is(b | c, [True, True, False], "bool")
    _is(b ^ c, [False, True, False], "bool")
    _is(~b, [False, False, True], "bool")
    _is(_t([6, 5]) & 3, [2, 1], "int64")
    _is(8 | _t([6, 5]), [14, 13], "int64")
    _is(~_t([6]), [-7], "int64")
    with pytest.raises(TypeError, match="bitwise_and"):
        _t(F) & _t(G)


def test_operands_of_a_wrong_type():
    for wrong in ("a", None, [1.0, 2.0, 3.0], object()):
        with pytest.raises(TypeError, match="elementwise_add: argument Y expects a Tensor"):
            _t(F) + wrong
    with pytest.raises(TypeError, match="expected numbers, but received booleans"):
        _t([True]) + 1


def test_numbers_are_not_mixed_up():
    # The scalar buffers behind these are made once and shared.
    x, i = _t([1.0]), _t([1])
    for _ in range(2):
        _is(x + 1, [2.0], "float32")
        _is(i + 1, [2], "int64")
        _is(x * 1.5, [1.5], "float32")
        _is(_t([1.0], "float64") * 0.1, [0.1], "float64")
        _is(_t([3.0], "float16") * 0.1, [np.float16(3 * 0.1)], "float16")
        assert (_t([1.0], "float64") * 0.1).numpy()[0] == 0.1


def test_results_are_new():
    x = _t([1.0, 2.0])
    for same in (x + 0, x * 1, x / 1, +x, x - 0.0):
        same.fill_(9.0)
    np.testing.assert_array_equal(x.numpy(), [1.0, 2.0])


@pytest.mark.parametrize("apply", [operator.add, operator.sub, operator.mul])
@pytest.mark.parametrize("shapes", [((2, 3), (2, 3)), ((2, 3), (3,)), ((1,), (2, 3))])
def test_the_form_for_two_tensors_equals_the_general_one(apply, shapes):
    state = np.random.RandomState(5)
    arrays = [state.rand(*s).astype("float32") for s in shapes]
    name = f"__{apply.__name__}__"
    general = OPERATORS[name]
    assert apply(_t([1.0]), _t([2.0])).shape == [1]  # the first use puts the other form in place
    assert vars(paddle.Tensor)[name] is not general
    found = []
    for function in (apply, general):
        for wanted in ((True, True), (True, False), (False, True)):
            x, y = (_t(a, grad=w) for a, w in zip(arrays, wanted, strict=True))
            out = function(x, y)
            twice = paddle.grad((out * out).sum(), x if wanted[0] else y, create_graph=True)[0]
            (twice.sum() + out.sum()).backward()
            found.append([out.numpy(), *(v.grad.numpy() for v in (x, y) if v.grad is not None)])
            assert [v.grad is not None for v in (x, y)] == list(wanted)
    for one, other in zip(found[:3], found[3:], strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_the_form_for_two_tensors_heeds_modes_and_types():
    x, y = _t([1.0, 2.0], grad=True), _t([3, 4], "int64")
    x * x
    with pytest.warns(UserWarning, match="dtype of left and right operands differ"):
        _is(x.detach() * y, [3.0, 8.0], "float32")
    with paddle.no_grad():
        assert (x * x).stop_gradient
    parameter = paddle.create_parameter([2], "float32")
    assert not (x.detach() * parameter).stop_gradient
    with pytest.raises(ValueError, match="elementwise_mul"):
        x * _t([1.0, 2.0, 3.0])


def test_an_operator_that_a_user_replaced_stays_replaced():
    code = (
        "import paddle\n"
        "paddle.Tensor.__mul__ = lambda self, other: 'mine'\n"
        "x = paddle.ones([2])\n"
        "assert x * x == 'mine' and (x + x).numpy().tolist() == [2.0, 2.0] and x * 2 == 'mine'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)
