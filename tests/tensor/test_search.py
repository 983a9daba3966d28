"""Functions that find, order and pick, as users call them."""

from __future__ import annotations

import numpy as np
import pytest

import paddle

T = paddle.to_tensor
A = np.float32([[3.0, 1.0, 2.0], [1.0, 5.0, 4.0]])


def test_sort_and_argsort():
    x = T(A)
    assert paddle.sort(x, 0, True).tolist() == [[3.0, 5.0, 4.0], [1.0, 1.0, 2.0]]
    assert paddle.argsort(x, descending=True).tolist() == [[0, 2, 1], [1, 2, 0]]
    assert paddle.argsort(x).dtype == paddle.int64


@pytest.mark.parametrize("descending", [False, True])
def test_equal_elements_keep_their_order(descending):
    order = paddle.argsort(T([1.0, 1.0, 0.0, 1.0]), descending=descending).tolist()
    assert order == ([0, 1, 3, 2] if descending else [2, 0, 1, 3])


def test_sort_gradient_goes_to_where_values_came_from():
    x = T([3.0, 1.0, 2.0], stop_gradient=False)
    (paddle.sort(x) * T([10.0, 20.0, 30.0])).sum().backward()
    assert x.grad.tolist() == [30.0, 10.0, 20.0]


@pytest.mark.parametrize(
    ("call", "values", "indices"),
    [
        (lambda: paddle.topk(T(A), 2), [[3, 2], [5, 4]], [[0, 2], [1, 2]]),
        (lambda: paddle.topk(T(A), 1, axis=0), [[3, 5, 4]], [[0, 1, 1]]),
        (lambda: paddle.topk(T(A), 2, largest=False), [[1, 2], [1, 4]], [[1, 2], [0, 2]]),
        (lambda: paddle.topk(T(A), T(1)), [[3], [5]], [[0], [1]]),
        (lambda: paddle.topk(T([3, 1, 2]), 2), [3, 2], [0, 2]),
    ],
)
def test_topk(call, values, indices):
    found, where = call()
    assert (found.tolist(), where.tolist()) == (values, indices)


def test_topk_gradient():
    x = T([1.0, 4.0, 3.0], stop_gradient=False)
    values, indices = paddle.topk(x, 2)
    assert indices.stop_gradient
    (values * T([10.0, 20.0])).sum().backward()
    assert x.grad.tolist() == [0.0, 10.0, 20.0]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: paddle.argmax(T(A)), [4]),
        (lambda: paddle.argmax(T(A), 1), [0, 1]),
        (lambda: paddle.argmax(T(A), -2, keepdim=True), [[0, 1, 1]]),
        (lambda: paddle.argmax(T(A), keepdim=True), [[4]]),
        (lambda: paddle.argmin(T(A), 0), [1, 0, 0]),
        (lambda: paddle.argmin(T([1.0, 0.0, 0.0])), [1]),
        (lambda: paddle.nonzero(T(A) > 2), [[0, 0], [1, 1], [1, 2]]),
        (lambda: paddle.nonzero(T([0, 3])), [[1]]),
        (lambda: paddle.index_select(T(A), T([2, 0]), 1), [[2, 3], [4, 1]]),
        (lambda: paddle.index_select(T(A), T([1, 1], "int32")), [[1, 5, 4], [1, 5, 4]]),
        (lambda: paddle.index_sample(T(A), T([[0, 2], [1, 1]])), [[3, 2], [5, 5]]),
        (lambda: paddle.masked_select(T(A), T(A) > 2), [3, 5, 4]),
        (lambda: paddle.masked_select(T(A), T([True, False, False])), [3, 1]),
        (lambda: paddle.where(T(A) > 2, T(A), T([0.0])), [[3, 0, 0], [0, 5, 4]]),
        (lambda: paddle.where(T(A) > 2, T(A), 0.0), [[3, 0, 0], [0, 5, 4]]),
        (lambda: paddle.where(T([True, False]), 1, 2), [1, 2]),
    ],
)
def test_values(call, expected):
    assert call().tolist() == expected


def test_types_of_positions():
    assert paddle.argmax(T(A)).dtype == paddle.int64
    assert paddle.argmax(T(A), dtype="int32").dtype == paddle.int32
    assert paddle.where(T([True]), 1, 2).dtype == paddle.int64
    assert paddle.where(T([True]), 1.0, 2).dtype == paddle.float32


def test_nonzero_as_tuple():
    rows, columns = paddle.nonzero(T(A) > 2, as_tuple=True)
    assert rows.tolist() == [[0], [1], [1]]
    assert columns.tolist() == [[0], [1], [2]]
    (places,) = paddle.nonzero(T([0, 1]), as_tuple=True)
    assert places.tolist() == [[1]]
    assert paddle.nonzero(T([0, 0])).shape == [0, 1]
    assert paddle.masked_select(T(A), T(A) > 9).shape == [0]


def test_where_of_a_condition_alone():
    condition = paddle.to_tensor([[True, False], [True, True]])
    for found in (paddle.where(condition), condition.where()):
        assert type(found) is tuple
        assert [f.numpy().tolist() for f in found] == [[[0], [1], [1]], [[0], [0], [1]]]
    (none,) = paddle.where(paddle.to_tensor([0, 0]))
    assert none.shape == [0, 1] and none.dtype == paddle.int64


@pytest.mark.parametrize("given", ["x", "y"])
def test_where_takes_both_values_or_none(given):
    condition = paddle.to_tensor([True])
    missing = "y" if given == "x" else "x"
    with pytest.raises(ValueError, match=rf"where\({missing}\): expected both x and y or neither"):
        paddle.where(condition, **{given: condition})


def test_where_gradients():
    x, y = T([1.0, 2.0], stop_gradient=False), T([3.0], stop_gradient=False)
    paddle.where(T([[True, False], [False, False]]), x, y).sum().backward()
    assert x.grad.tolist() == [1.0, 0.0]
    assert y.grad.tolist() == [3.0]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: paddle.sort(T(A), 2), ValueError, r"range of \[-2, 1\], but received 2"),
        (lambda: paddle.argsort(T(A), 1.5), TypeError, r"argsort\(axis\)"),
        (lambda: paddle.topk(T(A), 4), ValueError, r"range of \[1, 3\].*received 4"),
        (lambda: paddle.topk(T(A), 0), ValueError, "received 0"),
        (lambda: paddle.topk(T(A), 1.5), TypeError, r"topk\(k\)"),
        (lambda: paddle.topk(T(A), 1, axis=2), ValueError, "axis is expected"),
        (lambda: paddle.argmax(T(A), 2), ValueError, "axis is expected"),
        (lambda: paddle.argmax(T(A), 1.5), TypeError, r"argmax\(axis\).*float 1.5"),
        (lambda: paddle.argmax(T(A), dtype="float32"), TypeError, r"argmax\(dtype\)"),
        (lambda: paddle.argmin(T(A), dtype=None), TypeError, r"argmin\(dtype\)"),
        (lambda: paddle.where(T(A), T(A), T(A)), ValueError, "condition is expected to be bool"),
        (
            lambda: paddle.where([True], T(A), T(A)),
            TypeError,
            "argument Condition expects a Tensor",
        ),
        (lambda: paddle.where(T(A) > 1, T(A), T([1])), ValueError, "float32 and int64"),
        (lambda: paddle.index_select(T(A), T([3]), 1), IndexError, r"range of \[0, 2\]"),
        (lambda: paddle.index_select(T(A), T([1.0])), ValueError, "int32 or int64"),
        (lambda: paddle.index_sample(T(A), T([[0]])), ValueError, "as many rows"),
        (lambda: paddle.index_sample(T(A), T([[0], [3]])), IndexError, "out of bounds"),
        (
            lambda: paddle.masked_select(T(A), T([1, 0, 1])),
            ValueError,
            "mask is expected to be bool",
        ),
    ],
)
def test_bad_input(call, error, match):
    with pytest.raises(error, match=match):
        call()
