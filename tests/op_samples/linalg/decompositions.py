"""Samples of eigenvalues, triangular factors, least squares, ranks and matrix chains."""

from __future__ import annotations

from functools import reduce

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints

SQUARE = f64(3, 3, key="a") + np.diag([1.0, 4.0, 9.0])
BATCH = f64(2, 3, 3, key="b") + np.diag([1.0, 4.0, 9.0])
COMPLEX = f64(3, 3, key="c") + 1j * f64(3, 3, key="d")
WIDE, TALL = f64(2, 4, key="w"), f64(4, 2, key="t")
LOW = np.outer([1.0, 2.0, 3.0], [1.0, -1.0])


def _sorted(values):
    order = np.lexsort((np.round(values.imag, 6), np.round(values.real, 6)), axis=-1)
    return np.take_along_axis(values, order, -1)


def _eigenvalues(outs, inputs, attrs):
    found, expected = outs[0].numpy(), np.linalg.eigvals(inputs["X"]).astype("complex128")
    np.testing.assert_allclose(_sorted(found), _sorted(expected), atol=1e-9)


def _eigenvectors(outs, inputs, attrs):
    _eigenvalues(outs, inputs, attrs)
    values, vectors = (o.numpy() for o in outs)
    np.testing.assert_allclose(inputs["X"] @ vectors, vectors * values[..., None, :], atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=-2), 1.0)


def _symmetric(x, upper):
    part = np.triu(x, 1) if upper else np.tril(x, -1)
    return part + part.swapaxes(-1, -2) + x * np.eye(x.shape[-1])


def _eigvalsh(outs, inputs, attrs):
    full = _symmetric(inputs["X"], attrs.get("UPLO") == "U")
    values = outs[0].numpy()
    np.testing.assert_allclose(values, np.linalg.eigvalsh(full), atol=1e-9)
    if attrs.get("is_test"):
        assert outs[1] is None
        return
    vectors = outs[1].numpy()
    np.testing.assert_allclose(full @ vectors, vectors * values[..., None, :], atol=1e-9)


def lu(x, pivots=True):
    """Gaussian elimination, each column by its largest element."""
    out, rows = x.reshape(-1, *x.shape[-2:]).copy(), []
    for matrix in out:
        chosen = []
        for k in range(min(matrix.shape)):
            best = k + int(np.abs(matrix[k:, k]).argmax())
            chosen.append(best + 1)
            matrix[[k, best]] = matrix[[best, k]]
            matrix[k + 1 :, k] /= matrix[k, k]
            matrix[k + 1 :, k + 1 :] -= np.outer(matrix[k + 1 :, k], matrix[k, k + 1 :])
        rows.append(chosen)
    batch = x.shape[:-2]
    least = min(x.shape[-2:])
    return (out.reshape(x.shape), np.array(rows, "int32").reshape(*batch, least),
            np.zeros(batch or (1,), "int32"))  # fmt: skip


def lu_unpack(x, pivots, unpack_ludata=True, unpack_pivots=True):
    rows, columns = x.shape[-2:]
    least = min(rows, columns)
    lower = (np.tril(x, -1) + np.eye(rows, columns))[..., :least]
    upper = np.triu(x)[..., :least, :]
    orders = np.zeros((*x.shape[:-2], rows, rows))
    for at in np.ndindex(*x.shape[:-2]):
        order = np.eye(rows)
        for i, n in enumerate(pivots[at]):
            order[[i, n - 1]] = order[[n - 1, i]]
        orders[at] = order.T
    return (orders if unpack_pivots else None, *((lower, upper) if unpack_ludata else (None,) * 2))


def lstsq(x, y, rcond=0.0, driver="gels"):
    solution = np.linalg.pinv(x) @ y
    distance = np.sum((x @ solution - y) ** 2, -2)
    values = np.linalg.svd(x, compute_uv=False)
    rank = np.sum(values > rcond * values[..., :1], -1).astype("int32")
    return (
        solution,
        distance if x.shape[-2] > x.shape[-1] else np.zeros(0),
        np.zeros(0, "int32") if driver == "gels" else rank,
        values if driver in ("gelsd", "gelss") else np.zeros(0),
    )


def matrix_rank(x, tolerance, tol=0.0, hermitian=False, use_default_tol=True):
    values = np.linalg.svd(_symmetric(x, False) if hermitian else x, compute_uv=False)
    if tolerance is not None:
        least = tolerance
    elif use_default_tol:
        least = values.max(-1) * max(x.shape[-2:]) * np.finfo(x.dtype).eps
    else:
        least = np.full(x.shape[:-2], tol)
    return np.sum(values > least[..., None], -1).astype("int32")


def multi_dot(x):
    return reduce(np.matmul, x)


def _least(note, x, y, driver, rcond=1e-9, **options):
    return Sample("lstsq", {"X": x, "Y": y}, {"driver": driver, "rcond": rcond}, lstsq, note=note,
                  **options)  # fmt: skip


def _rank(note, x, tolerance=None, **attrs):
    return Sample("matrix_rank", {"X": x, "TolTensor": tolerance}, attrs, matrix_rank, note=note)


def _chain(note, *matrices):
    return Sample("multi_dot", {"X": list(matrices)}, {}, multi_dot, note=note)


FACTORS, PIVOTS, _ = lu(BATCH)
SAMPLES = [
    Sample("eig", {"X": SQUARE}, check=_eigenvectors, grad=[]),
    Sample("eig", {"X": BATCH}, check=_eigenvectors, grad=[], note="batch"),
    Sample("eig", {"X": COMPLEX}, check=_eigenvectors, grad=[], note="complex"),
    Sample("eigvals", {"X": SQUARE}, check=_eigenvalues),
    Sample("eigvals", {"X": BATCH}, check=_eigenvalues, orders=1, note="batch"),
    Sample("eigvals", {"X": COMPLEX}, check=_eigenvalues, note="complex"),
    Sample("eigvalsh", {"X": SQUARE}, check=_eigvalsh, grad=[]),
    Sample("eigvalsh", {"X": BATCH}, {"UPLO": "U"}, check=_eigvalsh, grad=[], note="upper"),
    Sample("eigvalsh", {"X": _symmetric(BATCH, False)}, {"is_test": True}, check=_eigvalsh, grad=[],
           note="test"),
    Sample("lu", {"X": SQUARE}, ref=lu),
    Sample("lu", {"X": BATCH}, ref=lu, note="batch"),
    Sample("lu", {"X": TALL}, ref=lu, note="tall", orders=1),
    Sample("lu_unpack", {"X": FACTORS, "Pivots": PIVOTS}, ref=lu_unpack, orders=3),
    Sample("lu_unpack", {"X": lu(WIDE)[0], "Pivots": lu(WIDE)[1]}, ref=lu_unpack, note="wide"),
    Sample("lu_unpack", {"X": lu(TALL)[0], "Pivots": lu(TALL)[1]}, {"unpack_pivots": False},
           lu_unpack, note="factors"),
    Sample("lu_unpack", {"X": FACTORS, "Pivots": PIVOTS}, {"unpack_ludata": False}, lu_unpack,
           grad=[], note="order"),
    _least("tall", TALL, f64(4, 3), "gels"),
    _least("batch", BATCH, f64(2, 3, 1), "gelsy"),
    _least("wide", WIDE, f64(2, 1), "gelsd"),
    _least("tall_values", TALL, f64(4, 3), "gelss", orders=1),
    _least("low", LOW, f64(3, 1), "gelsd", grad=[]),
    _rank("full", SQUARE),
    _rank("low", LOW),
    _rank("bound", BATCH, tol=2.0, use_default_tol=False),
    _rank("hermitian", BATCH, hermitian=True),
    _rank("tensor", BATCH, np.array([[0.5, 3.0], [1.0, 20.0], [0.0, 6.0]]), use_default_tol=False),
    _chain("two", f64(2, 3), f64(3, 4)),
    _chain("four", f64(2, 5), f64(5, 1), f64(1, 4), f64(4, 3)),
    _chain("vectors", f64(3), f64(3, 4), f64(4)),
    _chain("vector", f64(3, 4), f64(4, 2), f64(2)),
]  # fmt: skip


def _bad(op, match, raises=ValueError, attrs=None, **inputs):
    return ErrorSample(op, inputs, attrs or {}, raises, match)


ERRORS = [
    *[_bad(op, "expected square matrices", X=WIDE) for op in ("eig", "eigvals", "eigvalsh")],
    _bad("eigvalsh", "L or U, but received M", attrs={"UPLO": "M"}, X=SQUARE),
    _bad("eig", "float32, float64, complex64, complex128", TypeError, X=ints(2, 2)),
    _bad("lu", "expected matrices", X=f64(3)),
    _bad("lu_unpack", r"int32 and shape \[2, 3\]", X=BATCH, Pivots=PIVOTS[0]),
    _bad("lstsq", "one of .*gelss.*received 'qr'", attrs={"driver": "qr"}, X=TALL, Y=TALL),
    _bad("lstsq", r"X \[..., m, n\] and Y \[..., m, k\]", X=TALL, Y=WIDE),
    _bad("matrix_rank", "expected matrices", X=f64(3)),
    _bad("matrix_rank", "expected square", attrs={"hermitian": True}, X=WIDE),
    _bad("multi_dot", "at least 2 tensors, received 1", X=[SQUARE]),
    _bad("multi_dot", "as many as the rows of the next", X=[WIDE, WIDE]),
    _bad("multi_dot", "perhaps vectors", X=[WIDE, f64(4), f64(4, 2)]),
    _bad("multi_dot", "one data type", TypeError, X=[WIDE, TALL.astype("float32")]),
]  # fmt: skip
