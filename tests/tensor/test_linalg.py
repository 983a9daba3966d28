"""Products, norms and functions of matrices as users call them."""

from __future__ import annotations

import numpy as np
import pytest

import paddle

RNG = np.random.RandomState(3)
A = RNG.uniform(-1, 1, (3, 4)).astype("float32")
B = RNG.uniform(-1, 1, (4, 2)).astype("float32")
BATCH = RNG.uniform(-1, 1, (2, 3, 4)).astype("float32")
INF = float("inf")


def _t(value, dtype=None, grad=False):
    return paddle.to_tensor(value, dtype=dtype, stop_gradient=not grad)


def _is(tensor, expected):
    assert tensor.shape == list(np.shape(expected))
    np.testing.assert_allclose(tensor.numpy(), expected, rtol=1e-4, atol=1e-6)


def test_matmul():
    _is(paddle.matmul(_t(A), _t(B)), A @ B)
    _is(paddle.matmul(_t(A), _t(A), transpose_y=True), A @ A.T)
    _is(paddle.matmul(_t(A), _t(A), True), A.T @ A)
    _is(paddle.matmul(_t(BATCH), _t(B)), BATCH @ B)
    _is(paddle.matmul(_t(B[:, 0]), _t(B[:, 1])), [B[:, 0] @ B[:, 1]])
    _is(paddle.matmul(_t(A), _t(B[:, 0])), A @ B[:, 0])
    _is(paddle.mm(_t(A), _t(B)), A @ B)
    with pytest.raises(ValueError, match="matmul_v2"):
        paddle.matmul(_t(A), _t(A))


def test_the_weight_of_a_batch_gets_one_gradient():
    x, w = _t(BATCH, grad=True), _t(B, grad=True)
    paddle.matmul(x, w).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), np.tile(BATCH.sum((0, 1))[:, None], 2), rtol=1e-4)
    _is(x.grad, np.broadcast_to(B.sum(1), BATCH.shape))


def test_other_products():
    other = np.swapaxes(BATCH, 1, 2).copy()
    _is(paddle.bmm(_t(BATCH), _t(other)), BATCH @ other)
    _is(paddle.mv(_t(A), _t(B[:, 0])), A @ B[:, 0])
    _is(paddle.dot(_t(A[0]), _t(A[1])), [A[0] @ A[1]])
    _is(paddle.dot(_t(A), _t(A)), np.sum(A * A, 1, keepdims=True))
    _is(paddle.addmm(_t([[1.0, 2.0]]), _t(A), _t(B), 0.5, 2.0), 0.5 * np.array([1, 2]) + 2 * A @ B)
    _is(paddle.kron(_t(A), _t(B)), np.kron(A, B))
    with pytest.raises(ValueError, match="bmm: expected X to have 3 dimensions"):
        paddle.bmm(_t(A), _t(B))
    with pytest.raises(ValueError, match="dot: expected X to have 1 or 2 dimensions"):
        paddle.dot(_t(BATCH), _t(BATCH))


def test_cross():
    x, y = RNG.rand(2, 3, 3), RNG.rand(2, 3, 3)
    _is(paddle.cross(_t(x), _t(y)), np.cross(x, y, axis=1))
    _is(paddle.cross(_t(x), _t(y), axis=-1), np.cross(x, y))
    with pytest.raises(ValueError, match="expected an axis of length 3"):
        paddle.cross(_t(x), _t(y), axis=0)


def test_trace_and_transpose():
    _is(paddle.trace(_t(A)), [np.trace(A)])
    _is(paddle.trace(_t(BATCH), -1, 1, 2), np.trace(BATCH, -1, 1, 2))
    _is(paddle.t(_t(A)), A.T)
    _is(paddle.t(_t(A[0])), A[0])
    with pytest.raises(ValueError, match="at most 2 dimensions"):
        paddle.t(_t(BATCH))


def test_inverse():
    x = np.eye(3, dtype="float32") * 3 + RNG.rand(2, 3, 3).astype("float32")
    _is(paddle.inverse(_t(x)), np.linalg.inv(x))
    with pytest.raises(ValueError, match="singular"):
        paddle.inverse(_t(np.ones((2, 2), "float32")))


def test_cholesky():
    x = (A @ A.T + 3 * np.eye(3)).astype("float64")
    _is(paddle.cholesky(_t(x)), np.linalg.cholesky(x))
    _is(paddle.cholesky(_t(x), upper=True), np.linalg.cholesky(x).T)
    with pytest.raises(ValueError, match="positive-definite"):
        paddle.cholesky(_t(-x))


def test_gradient_of_cholesky():
    a = _t(np.eye(3) * 2 + 0.1 * RNG.rand(3, 3), grad=True)
    weight = RNG.rand(3, 3)

    def value(array):
        return float(np.sum(np.linalg.cholesky(array @ array.T) * weight))

    (paddle.cholesky(paddle.matmul(a, a, transpose_y=True)) * _t(weight)).sum().backward()
    step = RNG.rand(3, 3)
    base = a.numpy()
    numeric = (value(base + 1e-6 * step) - value(base - 1e-6 * step)) / 2e-6
    np.testing.assert_allclose(np.sum(a.grad.numpy() * step), numeric, rtol=1e-5)


@pytest.mark.parametrize("p", [0, 1, 2, 3.5, INF, -INF])
def test_vector_norms(p):
    _is(paddle.norm(_t(A), p, axis=1), np.linalg.norm(A, p, axis=1))
    _is(paddle.norm(_t(A), p, axis=[0], keepdim=True), np.linalg.norm(A, p, 0, keepdims=True))
    _is(paddle.norm(_t(A), p), [np.linalg.norm(A.reshape(-1), p)])
    _is(paddle.dist(_t(A), _t(A[0]), p), [np.linalg.norm((A - A[0]).reshape(-1), p)])


def test_matrix_norms():
    _is(paddle.norm(_t(A)), [np.linalg.norm(A)])
    _is(paddle.norm(_t(BATCH), "fro", [1, 2]), np.linalg.norm(BATCH, "fro", (1, 2)))
    _is(paddle.norm(_t(A), "fro", 1), np.linalg.norm(A, axis=1))
    _is(paddle.norm(_t(A), keepdim=True), [[np.linalg.norm(A)]])
    _is(paddle.norm(_t(BATCH), 3, [0, 2]), np.sum(np.abs(BATCH) ** 3, (0, 2)) ** (1 / 3))
    _is(paddle.norm(_t(BATCH), INF, [0, 2]), np.abs(BATCH).max((0, 2)))
    _is(paddle.norm(_t(BATCH), -INF, (0, 2), True), np.abs(BATCH).min((0, 2), keepdims=True))


def test_the_norm_of_zeros_has_a_gradient():
    x = _t([0.0, 0.0], grad=True)
    paddle.norm(x).backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0.0, 0.0])


def test_wrong_norms():
    with pytest.raises(ValueError, match="expected a number or 'fro', but received 'nuc'"):
        paddle.norm(_t(A), "nuc")
    with pytest.raises(TypeError, match=r"norm\(p\): expected a number or 'fro'.*list"):
        paddle.norm(_t(A), [2])
    with pytest.raises(ValueError, match="list of one or two ints"):
        paddle.norm(_t(BATCH), 2, [0, 1, 2])
    with pytest.raises(ValueError, match="p other than 0"):
        paddle.norm(_t(A), 0, [0, 1])


def test_histogram():
    _is(paddle.histogram(_t([1, 2, 1]), bins=4, min=0, max=3), [0, 2, 1, 0])
    x = RNG.rand(50).astype("float32")
    _is(paddle.histogram(_t(x), 7), np.histogram(x, 7)[0])
    assert paddle.histogram(_t([1.0])).shape == [100]
    with pytest.raises(ValueError, match="bins >= 1"):
        paddle.histogram(_t(x), 0)
