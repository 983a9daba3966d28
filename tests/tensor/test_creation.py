"""Tensors made from shapes, ranges and numbers."""

from __future__ import annotations

import numpy as np
import pytest

import paddle


def _is(tensor, expected, dtype):
    expected = np.asarray(expected)
    assert paddle.core.dtype.dtype_name(tensor.dtype) == dtype
    assert tensor.shape == list(expected.shape)
    assert tensor.stop_gradient
    np.testing.assert_allclose(tensor.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "expected", "dtype"),
    [
        (lambda: paddle.full([2], 1), [1, 1], "float32"),
        (lambda: paddle.full([2], True), [1, 1], "float32"),
        (lambda: paddle.full((1, 2), 2.7, "int64"), [[2, 2]], "int64"),
        (lambda: paddle.full([2], -1.5, "bool"), [True, True], "bool"),
        (lambda: paddle.full([1], 2**40 + 1, "int64"), [2**40 + 1], "int64"),
        (lambda: paddle.full([1], np.float32(0.5)), [0.5], "float32"),
        (lambda: paddle.full([2], float("inf")), [np.inf, np.inf], "float32"),
        (lambda: paddle.full([2], paddle.to_tensor(3.5)), [3.5, 3.5], "float32"),
        (lambda: paddle.full([paddle.to_tensor(2), 1], 1), [[1], [1]], "float32"),
        (lambda: paddle.full(paddle.to_tensor([1, 2]), 1), [[1, 1]], "float32"),
        (lambda: paddle.full([], 2.5), [2.5], "float32"),
        (lambda: paddle.full(2, 2.5), [2.5, 2.5], "float32"),
        (lambda: paddle.zeros([2, 0]), np.zeros([2, 0]), "float32"),
        (lambda: paddle.zeros(np.array([2, 1]), "int32"), [[0], [0]], "int32"),
        (lambda: paddle.ones([2], dtype="bool"), [True, True], "bool"),
        (lambda: paddle.full_like(paddle.to_tensor([1, 2]), 2.7), [2, 2], "int64"),
        (lambda: paddle.full_like(paddle.to_tensor([1, 2]), 2.5, "float64"), [2.5] * 2, "float64"),
        (lambda: paddle.ones_like(paddle.to_tensor([True])), [True], "bool"),
        (lambda: paddle.zeros_like(paddle.ones([2]), "int64"), [0, 0], "int64"),
        (lambda: paddle.arange(5), [0, 1, 2, 3, 4], "int64"),
        (lambda: paddle.arange(5.0), [0, 1, 2, 3, 4], "float32"),
        (lambda: paddle.arange(1, 5, 2.5), [1, 3.5], "float32"),
        (lambda: paddle.arange(5, 1, -2), [5, 3], "int64"),
        (lambda: paddle.arange(5, 5), np.zeros([0]), "int64"),
        (lambda: paddle.arange(3, dtype="float64"), [0, 1, 2], "float64"),
        (lambda: paddle.arange(paddle.to_tensor(3)), [0, 1, 2], "int64"),
        (lambda: paddle.arange(paddle.to_tensor([1.5]), 4), [1.5, 2.5, 3.5], "float32"),
        (lambda: paddle.arange(0, 1, 0.1), np.arange(10) / 10, "float32"),
        (lambda: paddle.linspace(0, 10, 5), [0, 2.5, 5, 7.5, 10], "float32"),
        (lambda: paddle.linspace(0, 10, 5, "int32"), [0, 2, 5, 7, 10], "int32"),
        (lambda: paddle.linspace(10, 0, 4, "int64"), [10, 6, 3, 0], "int64"),
        (lambda: paddle.linspace(1, 5, 1), [1], "float32"),
        (
            lambda: paddle.linspace(
                paddle.to_tensor(1.0), paddle.to_tensor(5.0), paddle.to_tensor(3)
            ),
            [1, 3, 5],
            "float32",
        ),
        (lambda: paddle.eye(2), [[1, 0], [0, 1]], "float32"),
        (lambda: paddle.eye(3, 2, "int32"), [[1, 0], [0, 1], [0, 0]], "int32"),
        (
            lambda: paddle.diag(paddle.to_tensor([1, 2]), 1, 9),
            [[9, 1, 9], [9, 9, 2], [9, 9, 9]],
            "int64",
        ),
        (lambda: paddle.diag(paddle.ones([2, 3]), 1), [1, 1], "float32"),
        (lambda: paddle.tril(paddle.ones([2, 3]), -1), [[0, 0, 0], [1, 0, 0]], "float32"),
        (lambda: paddle.triu(paddle.ones([2, 3]), 1), [[0, 1, 1], [0, 0, 1]], "float32"),
        (lambda: paddle.assign(3), [3], "int64"),
        (lambda: paddle.assign([1.5, 2]), [1.5, 2], "float32"),
        (lambda: paddle.assign((True, False)), [True, False], "bool"),
        (lambda: paddle.assign(np.float64([1, 2])), [1, 2], "float32"),
    ],
)
def test_values_and_types(call, expected, dtype):
    _is(call(), expected, dtype)


def test_default_type_decides():
    paddle.set_default_dtype("float64")
    try:
        _is(paddle.ones([1]), [1], "float64")
        _is(paddle.arange(0.5), [0], "float64")
        _is(paddle.linspace(0, 1, 2), [0, 1], "float64")
        assert paddle.rand([1]).dtype == paddle.float64
    finally:
        paddle.set_default_dtype("float32")


def test_empty_has_shape_and_type():
    x = paddle.empty([2, 3], "int32")
    assert (x.shape, x.dtype) == ([2, 3], paddle.int32)
    assert paddle.empty_like(x, "float64").dtype == paddle.float64
    assert paddle.empty_like(x).shape == [2, 3]


def test_meshgrid_of_separate_vectors_and_of_a_list():
    a, b = paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4, 5])
    for rows, columns in (paddle.meshgrid(a, b), paddle.meshgrid([a, b], name="g")):
        assert rows.tolist() == [[1, 1, 1], [2, 2, 2]]
        assert columns.tolist() == [[3, 4, 5], [3, 4, 5]]


def test_writing_into_a_grid_leaves_the_vector_alone():
    a = paddle.to_tensor([1.0, 2.0])
    rows, _ = paddle.meshgrid(a, a)
    rows[0, 0] = 9.0
    assert a.tolist() == [1.0, 2.0]
    assert rows.tolist() == [[9.0, 1.0], [2.0, 2.0]]


def test_assign_copies_and_lets_gradients_through():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = paddle.assign(x)
    (y * y).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    out = paddle.zeros([1])
    assert paddle.assign([3, 4], output=out) is out
    assert out.tolist() == [3, 4]


def test_diag_gradient():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (paddle.diag(x, offset=-1, padding_value=5.0) ** 2).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: paddle.full([-2], 1), ValueError, r"no negative size, but received \[-2\]"),
        (
            lambda: paddle.full([2], "a"),
            TypeError,
            r"full\(fill_value\): expected a number.*str 'a'",
        ),
        (lambda: paddle.full(["a"], 1), TypeError, r"full\(shape\)"),
        (lambda: paddle.full([2.0], 1), TypeError, r"full\(shape\): expected a list of ints"),
        (lambda: paddle.full([2], 1, "float31"), ValueError, "expected a data type"),
        (
            lambda: paddle.full([2], float("nan"), "int32"),
            ValueError,
            "int32 cannot hold the value nan",
        ),
        (lambda: paddle.zeros(paddle.ones([2])), TypeError, "Tensor of integers"),
        (lambda: paddle.zeros_like([1]), TypeError, "argument X expects a Tensor"),
        (lambda: paddle.arange(1, 5, 0), ValueError, "step is expected to differ from 0"),
        (lambda: paddle.arange(5, 1), ValueError, "start=5, end=1, step=1"),
        (lambda: paddle.arange("a"), TypeError, r"arange\(end\): expected a number"),
        (lambda: paddle.linspace(0, 1, 0), ValueError, "num is expected to be positive"),
        (lambda: paddle.linspace(0, 1, 2.5), TypeError, r"linspace\(num\)"),
        (lambda: paddle.linspace(0, 1, 2, "bool"), TypeError, r"linspace\(dtype\).*bool"),
        (lambda: paddle.eye(-1), TypeError, r"eye\(num_rows\): expected a non-negative int"),
        (lambda: paddle.eye(2.5), TypeError, "float 2.5"),
        (lambda: paddle.diag(paddle.ones([1, 1, 1])), ValueError, "1 or 2 dimensions"),
        (lambda: paddle.diag(paddle.ones([1]), offset="1"), TypeError, r"diag\(offset\)"),
        (lambda: paddle.tril(paddle.ones([1])), ValueError, "at least 2 dimensions"),
        (lambda: paddle.tril(paddle.ones([1, 1]), 0.5), TypeError, r"tril\(diagonal\)"),
        (lambda: paddle.meshgrid(paddle.ones([1, 1])), ValueError, r"number 0 has shape \[1, 1\]"),
        (lambda: paddle.meshgrid(paddle.ones([1]), axis=1), TypeError, r"\['axis'\]"),
        (lambda: paddle.assign("a"), TypeError, r"assign\(x\).*str 'a'"),
        (lambda: paddle.assign([1], output=[2]), TypeError, r"assign\(output\): expected a Tensor"),
    ],
)
def test_bad_input(call, error, match):
    with pytest.raises(error, match=match):
        call()
