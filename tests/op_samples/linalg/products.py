"""Samples of matrix products, functions of one matrix, running sums and picking."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, f64, ints, pos


def _turned(x, turn):
    return np.swapaxes(x, -2, -1) if turn and x.ndim > 1 else x


def _matmul(x, y, trans_x=False, trans_y=False):
    return np.matmul(_turned(x, trans_x), _turned(y, trans_y))


def _matmul_1x(x, y, transpose_X=False, transpose_Y=False, alpha=1.0):
    return alpha * _matmul(x, y, transpose_X, transpose_Y)


def _product(note, x, y, orders=2, **attrs):
    return Sample("matmul_v2", {"X": x, "Y": y}, attrs, _matmul, orders=orders, note=note)


def _running(x, axis=-1, flatten=False, exclusive=False, reverse=False):
    if flatten:
        x, axis = x.reshape(-1), 0
    turned = np.flip(x, axis) if reverse else x
    out = np.cumsum(turned, axis) - (turned if exclusive else 0)
    return np.flip(out, axis) if reverse else out


def _cross(x, y, dim=9):
    axis = x.shape.index(3) if dim == 9 else dim
    return np.cross(x, y, axis=axis)


def _distance(x, y, p=2.0):
    size = np.abs(x - y)
    if p == 0:
        return np.sum(size != 0).astype(x.dtype)
    if np.isinf(p):
        return size.max() if p > 0 else size.min()
    return np.sum(size**p) ** (1 / p)


def _mul(x, y, x_num_col_dims=1, y_num_col_dims=1):
    left = x.reshape(int(np.prod(x.shape[:x_num_col_dims])), -1)
    right = y.reshape(int(np.prod(y.shape[:y_num_col_dims])), -1)
    return (left @ right).reshape(x.shape[:x_num_col_dims] + y.shape[y_num_col_dims:])


def _positive_definite(n):
    a = f64(n, n)
    return a @ a.T + n * np.eye(n)


def _histogram(x, bins=100, min=0, max=0):
    low, high = (x.min(), x.max()) if min == max else (min, max)
    if low == high:
        low, high = low - 1, high + 1
    return np.histogram(x, bins, (low, high))[0]


def _trace(x, offset=0, axis1=0, axis2=1):
    return np.trace(x, offset, axis1, axis2)


ROWS = np.array([[1], [0], [2]])
COMPLEX = np.array([[1 + 2j, -0.5 + 1j], [3 - 1j, 0.25 - 0.5j]])

SAMPLES = [
    _product("plain", f64(3, 4), f64(4, 2), orders=3),
    _product("turned_x", f64(4, 3), f64(4, 2), trans_x=True),
    _product("turned_y", f64(3, 4), f64(2, 4), trans_y=True),
    _product("turned_both", f64(4, 3), f64(2, 4), trans_x=True, trans_y=True),
    _product("vectors", f64(4), f64(4, key=1)),
    _product("matrix_vector", f64(3, 4), f64(4)),
    _product("turned_matrix_vector", f64(4, 3), f64(4), trans_x=True),
    _product("vector_matrix", f64(4), f64(4, 3)),
    _product("vector_batch", f64(4), f64(2, 4, 3)),
    _product("batch_vector", f64(2, 3, 4), f64(4)),
    _product("batch_weight", f64(2, 3, 4), f64(4, 2), orders=3),
    _product("batch_turned_weight", f64(2, 2, 3, 4), f64(2, 4), trans_y=True),
    _product("turned_batch_weight", f64(2, 4, 3), f64(4, 2), trans_x=True),
    _product("batches", f64(2, 3, 4), f64(2, 4, 2), orders=3),
    _product("batches_turned", f64(2, 4, 3), f64(2, 2, 4), trans_x=True, trans_y=True),
    _product("batches_broadcast", f64(2, 1, 3, 4), f64(5, 4, 2)),
    _product("matrix_batch", f64(3, 4), f64(2, 4, 2)),
    Sample("matmul_v2", {"X": COMPLEX, "Y": COMPLEX.T.copy()}, ref=_matmul, note="complex"),
    Sample("matmul_v2", {"X": ints(2, 3), "Y": ints(3, 2)}, ref=_matmul, note="int"),
    Sample("matmul", {"X": f64(3, 4), "Y": f64(4, 2)}, {"alpha": 0.5}, _matmul_1x),
    Sample("matmul", {"X": f64(2, 3, 4), "Y": f64(2, 3, 4)}, {"transpose_Y": True}, _matmul_1x),
    Sample("mul", {"X": f64(3, 4), "Y": f64(4, 2)}, ref=_mul, orders=3),
    Sample(
        "mul",
        {"X": f64(2, 3, 4), "Y": f64(2, 2, 5)},
        {"x_num_col_dims": 2, "y_num_col_dims": 2},
        _mul,
    ),
    Sample("mul", {"X": f64(3, 2, 2), "Y": f64(4, 2, 3)}, ref=_mul, note="joined"),
    Sample("bmm", {"X": f64(2, 3, 4), "Y": f64(2, 4, 2)}, ref=np.matmul, orders=3),
    Sample("dot", {"X": f64(4), "Y": f64(4, key=1)}, ref=np.dot, orders=3),
    Sample(
        "dot",
        {"X": f64(3, 4), "Y": f64(3, 4, key=1)},
        ref=lambda x, y: np.sum(x * y, 1, keepdims=True),
    ),
    Sample(
        "dot", {"X": ints(4, dtype="int32"), "Y": ints(4, dtype="int32")}, ref=np.dot, note="int"
    ),
    Sample("mv", {"X": f64(3, 4), "Vec": f64(4)}, ref=np.dot, orders=3),
    Sample(
        "addmm",
        {"Input": f64(3, 2), "X": f64(3, 4), "Y": f64(4, 2)},
        {"Alpha": 2.0, "Beta": 0.5},
        lambda i, x, y, Alpha, Beta: Beta * i + Alpha * x @ y,
        orders=3,
    ),
    Sample(
        "addmm",
        {"Input": f64(1, 2), "X": f64(3, 4), "Y": f64(4, 2)},
        ref=lambda i, x, y: i + x @ y,
        note="broadcast",
    ),
    Sample("kron", {"X": f64(2, 3), "Y": f64(3, 2)}, ref=np.kron),
    Sample("kron", {"X": f64(3), "Y": f64(2, 2)}, ref=np.kron, note="ranks"),
    Sample("cross", {"X": f64(4, 3), "Y": f64(4, 3, key=1)}, ref=_cross),
    Sample("cross", {"X": f64(3, 3), "Y": f64(3, 3, key=1)}, {"dim": -1}, _cross, note="last"),
    Sample("trace", {"Input": f64(3, 4)}, ref=_trace),
    Sample("trace", {"Input": f64(2, 3, 4)}, {"offset": 1, "axis1": -2, "axis2": -1}, _trace),
    Sample("trace", {"Input": ints(3, 3, dtype="int32")}, {"offset": -1}, _trace, note="int"),
    Sample("inverse", {"Input": _positive_definite(3)}, ref=np.linalg.inv, orders=3),
    Sample("inverse", {"Input": f64(2, 3, 3) + 4 * np.eye(3)}, ref=np.linalg.inv, note="batch"),
    # Its gradient is symmetric: see tests/tensor/test_linalg.py.
    Sample("cholesky", {"X": _positive_definite(3)}, ref=lambda x: np.linalg.cholesky(x), grad=[]),
    Sample(
        "cholesky",
        {"X": _positive_definite(3)},
        {"upper": True},
        lambda x, upper: np.linalg.cholesky(x).T,
        grad=[],
    ),
    Sample("dist", {"X": f64(3, 4), "Y": f64(3, 4, key=1)}, ref=_distance),
    Sample("dist", {"X": f64(3, 4), "Y": f64(4, key=1)}, {"p": 3.0}, _distance, note="broadcast"),
    Sample("dist", {"X": apart(3), "Y": np.zeros(3)}, {"p": np.inf}, _distance, orders=1),
    Sample("dist", {"X": f64(3), "Y": np.zeros(3)}, {"p": 0.0}, _distance, note="zero"),
    Sample("cumsum", {"X": f64(3, 4)}, ref=_running, orders=3),
    Sample("cumsum", {"X": f64(3, 4)}, {"axis": 0, "exclusive": True}, _running, note="exclusive"),
    Sample("cumsum", {"X": f64(3, 4)}, {"axis": 0, "reverse": True}, _running, note="reverse"),
    Sample("cumsum", {"X": f64(3, 4)}, {"flatten": True}, _running, note="flat"),
    Sample("cumsum", {"X": f64(5)}, {"exclusive": True, "reverse": True}, _running, note="both"),
    Sample("cumsum", {"X": ints(3, 4, dtype="int32")}, ref=_running, note="int"),
    Sample("histogram", {"X": ints(20)}, {"bins": 5, "min": 0, "max": 8}, _histogram),
    Sample("histogram", {"X": f64(20)}, {"bins": 4}, _histogram, note="own_ends"),
    Sample("histogram", {"X": np.ones(3)}, {"bins": 4}, _histogram, note="one_value"),
    Sample(
        "multiplex",
        {"X": [f64(3, 2), f64(3, 2, key=1), f64(3, 2, key=2)], "Ids": ROWS},
        ref=lambda x, ids: np.stack(x)[ids[:, 0], np.arange(3)],
    ),
]

ERRORS = [
    ErrorSample(
        "matmul_v2",
        {"X": f64(2, 3), "Y": f64(4, 2)},
        {},
        ValueError,
        "expected the inner sizes 3 and 4 to be equal",
    ),
    ErrorSample("bmm", {"X": f64(2, 3), "Y": f64(3, 2)}, {}, ValueError, "X to have 3 dimensions"),
    ErrorSample("mv", {"X": f64(2, 3), "Vec": f64(3, 1)}, {}, ValueError, "Vec to have 1 dim"),
    ErrorSample("dot", {"X": f64(3), "Y": f64(4)}, {}, ValueError, "operands of one shape"),
    ErrorSample("cross", {"X": f64(4, 2), "Y": f64(4, 2)}, {}, ValueError, "axis of length 3"),
    ErrorSample("cross", {"X": f64(4, 3), "Y": f64(4, 3)}, {"dim": 0}, ValueError, "and axis 0"),
    ErrorSample("trace", {"Input": f64(4)}, {}, ValueError, "at least 2 dimensions"),
    ErrorSample("inverse", {"Input": f64(2, 3)}, {}, ValueError, "expected square matrices"),
    ErrorSample("inverse", {"Input": np.ones((2, 2))}, {}, ValueError, "singular"),
    ErrorSample("cholesky", {"X": -np.eye(2)}, {}, ValueError, "positive-definite"),
    ErrorSample("cumsum", {"X": f64(2, 3)}, {"axis": 2}, ValueError, "but received 2"),
    ErrorSample("histogram", {"X": pos(3)}, {"bins": 0}, ValueError, "expected bins >= 1"),
    ErrorSample("histogram", {"X": pos(3)}, {"min": 3, "max": 1}, ValueError, "max >= min"),
    ErrorSample(
        "multiplex", {"X": [f64(3, 2), f64(3, 2)], "Ids": ROWS}, {}, ValueError, r"in \[0, 2\)"
    ),
]
