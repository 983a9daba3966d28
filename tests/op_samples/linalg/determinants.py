"""Samples of determinants, factorisations, linear systems and einsum."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64

SQUARE = f64(3, 3, key="a") + 3 * np.eye(3)
BATCH = f64(2, 3, 3, key="b") + 3 * np.eye(3)
WIDE, TALL = f64(2, 4, key="w"), f64(4, 2, key="t")
LOWER = np.tril(f64(3, 3, key="l")) + 3 * np.eye(3)


def _slogdet(x):
    return np.stack(np.linalg.slogdet(x))


def _rebuilt(parts, whole):
    """Factors are unique up to signs: they must give the matrix and be orthogonal."""

    def check(outs, inputs, attrs):
        values = [o if o is None else o.numpy() for o in outs]
        for q in parts(values):
            product = q @ _turn(q)
            unit = np.broadcast_to(np.eye(q.shape[-2]), product.shape)
            np.testing.assert_allclose(product, unit, atol=1e-9)
        np.testing.assert_allclose(whole(values), inputs["X"], atol=1e-9)

    return check


def _turn(q):
    return q.swapaxes(-1, -2)


def _eigen_check(outs, inputs, attrs):
    values, vectors = (o.numpy() for o in outs)
    low = attrs.get("UPLO", "L") == "L"
    x = inputs["X"]
    part = np.tril(x, -1) if low else np.triu(x, 1)
    full = part + _turn(part) + x * np.eye(x.shape[-1])
    np.testing.assert_allclose(values, np.linalg.eigvalsh(full), atol=1e-9)
    np.testing.assert_allclose((vectors * values[..., None, :]) @ _turn(vectors), full, atol=1e-9)


_QR = _rebuilt(lambda v: [_turn(v[0])], lambda v: v[0] @ v[1])
_SVD = _rebuilt(lambda v: [_turn(v[0]), v[2]], lambda v: (v[0] * v[1][..., None, :]) @ v[2])


def _full_svd(outs, inputs, attrs):
    u, s, vh = (o.numpy() for o in outs)
    assert u.shape == (4, 4) and vh.shape == (2, 2)
    np.testing.assert_allclose((u[:, :2] * s) @ vh, inputs["X"], atol=1e-9)
    np.testing.assert_allclose(s, np.linalg.svd(inputs["X"], compute_uv=False), atol=1e-9)


def _only_r(outs, inputs, attrs):
    assert outs[0] is None
    r = outs[1].numpy()
    np.testing.assert_allclose(r.T @ r, inputs["X"].T @ inputs["X"], atol=1e-9)


def _triangular(x, y, upper=True, transpose=False, unitriangular=False):
    x = np.triu(x) if upper else np.tril(x)
    x = x - np.diag(np.diag(x)) + np.eye(len(x)) if unitriangular else x
    return np.linalg.solve(x.T if transpose else x, y)


def _cholesky_solve(x, y, upper=False):
    return np.linalg.solve(y.T @ y if upper else y @ y.T, x)


def _einsum(operands, equation):
    return np.einsum(equation, *operands), None, None


def _sum(equation, *operands, **options):
    return Sample("einsum", {"Operands": list(operands)}, {"equation": equation}, _einsum,
                  note=equation.replace(" ", ""), **options)  # fmt: skip


SAMPLES = [
    Sample("determinant", {"Input": SQUARE}, ref=np.linalg.det),
    Sample("determinant", {"Input": BATCH}, ref=np.linalg.det, note="batch"),
    Sample("slogdeterminant", {"Input": SQUARE}, ref=_slogdet),
    Sample("slogdeterminant", {"Input": -BATCH}, ref=_slogdet, note="batch"),
    Sample("matrix_power", {"X": SQUARE}, {"n": 3}, lambda x, n: np.linalg.matrix_power(x, n)),
    Sample("matrix_power", {"X": BATCH}, {"n": -2}, lambda x, n: np.linalg.matrix_power(x, n),
           note="inverse"),
    Sample("matrix_power", {"X": SQUARE}, {"n": 1}, lambda x, n: x, note="one"),
    Sample("matrix_power", {"X": SQUARE}, {"n": 0}, lambda x, n: np.eye(3), note="zero"),
    Sample("eigh", {"X": SQUARE}, {}, check=_eigen_check, grad=[]),
    Sample("eigh", {"X": BATCH}, {"UPLO": "U"}, check=_eigen_check, grad=[], note="upper"),
    Sample("qr", {"X": TALL}, {}, check=_QR),
    Sample("qr", {"X": np.stack([WIDE[:, :2], WIDE[:, 2:]])}, {}, check=_QR, note="batch"),
    Sample("qr", {"X": TALL}, {"mode": "complete"}, check=_QR, note="complete", grad=[]),
    Sample("qr", {"X": TALL}, {"mode": "r"}, check=_only_r, note="r"),
    Sample("svd", {"X": WIDE}, {}, check=_SVD, orders=1),
    Sample("svd", {"X": TALL}, {}, check=_SVD, orders=1, note="tall"),
    Sample("svd", {"X": TALL}, {"full_matrices": True}, check=_full_svd, note="full", grad=[]),
    Sample("solve", {"X": SQUARE, "Y": f64(3, 2)}, ref=np.linalg.solve),
    Sample("solve", {"X": SQUARE, "Y": f64(3)}, ref=np.linalg.solve, note="vector"),
    Sample("solve", {"X": BATCH, "Y": f64(2, 3, 4)}, ref=np.linalg.solve, note="batch"),
    Sample("triangular_solve", {"X": LOWER.T.copy(), "Y": f64(3, 2)}, {}, _triangular),
    Sample("triangular_solve", {"X": LOWER, "Y": f64(3, 2)}, {"upper": False}, _triangular,
           note="lower"),
    Sample("triangular_solve", {"X": SQUARE, "Y": f64(3, 2)}, {"transpose": True}, _triangular,
           note="transpose"),
    Sample("triangular_solve", {"X": SQUARE, "Y": f64(3, 2)},
           {"upper": False, "unitriangular": True}, _triangular, note="ones"),
    Sample("cholesky_solve", {"X": f64(3, 2), "Y": LOWER}, {}, _cholesky_solve),
    Sample("cholesky_solve", {"X": f64(3, 2), "Y": LOWER.T.copy()}, {"upper": True},
           _cholesky_solve, note="upper"),
    _sum("ij,jk->ik", f64(2, 3), f64(3, 4), orders=3),
    _sum("bij, bjk", f64(2, 3, 4), f64(2, 4, 2)),
    _sum("ii->i", f64(3, 3)),
    _sum("ij->", f64(2, 3)),
    _sum("...ij->...ji", f64(2, 3, 4)),
    _sum("i,j,k->ijk", f64(2), f64(3), f64(4)),
    _sum("ij->ij", f64(2, 3)),
]  # fmt: skip

ERRORS = [
    ErrorSample("determinant", {"Input": WIDE}, {}, ValueError, r"expected square matrices"),
    ErrorSample("eigh", {"X": WIDE}, {}, ValueError, r"expected square matrices"),
    ErrorSample("qr", {"X": f64(3)}, {}, ValueError, r"expected matrices"),
    ErrorSample("qr", {"X": WIDE}, {"mode": "raw"}, ValueError, r"mode is expected"),
    ErrorSample("solve", {"X": WIDE, "Y": f64(2)}, {}, ValueError, r"expected square matrices"),
    ErrorSample("solve", {"X": np.zeros((2, 2)), "Y": f64(2)}, {}, ValueError, r"singular"),
    ErrorSample("einsum", {"Operands": [f64(2, 3), f64(4, 2)]}, {"equation": "ij,jk"}, ValueError,
                "einsum"),
]  # fmt: skip
