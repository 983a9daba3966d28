"""Determinants, eigh, QR, SVD, linear systems and einsum."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, broadcast_shapes
from paddle.core.op import op

_REAL = {VarType.COMPLEX64: VarType.FP32, VarType.COMPLEX128: VarType.FP64}


def _expect_square(name: str, x: torch.Tensor) -> None:
    if x.dim() < 2 or x.shape[-1] != x.shape[-2]:
        raise InvalidArgumentError(
            f"{name}: expected square matrices [..., n, n], but received shape {list(x.shape)}."
        )


def _expect_matrix(name: str, x: torch.Tensor) -> None:
    if x.dim() < 2:
        raise InvalidArgumentError(
            f"{name}: expected matrices [..., m, n], but received shape {list(x.shape)}."
        )


# -- of one square matrix -----------------------------------------------------------------------


@op("determinant", "Input -> Out", dtypes="full and complex",
    infer=lambda i, a: [Spec(i[0].shape[:-2] or (1,), i[0].dtype)])  # fmt: skip
def determinant(x):
    _expect_square("determinant", x)
    return torch.linalg.det(x)


@op("slogdeterminant", "Input -> Out", dtypes="full and complex",
    infer=lambda i, a: [Spec((2, *i[0].shape[:-2]), i[0].dtype)])  # fmt: skip
def slogdeterminant(x):
    _expect_square("slogdeterminant", x)
    return torch.stack(list(torch.linalg.slogdet(x)))


@op("matrix_power", "X -> Out", infer="same", dtypes="full and complex")
def matrix_power(x, *, n):
    _expect_square("matrix_power", x)
    out = torch.linalg.matrix_power(x, n)
    return out.clone() if out is x else out


def _eigh_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    return [Spec(x.shape[:-1], _REAL.get(x.dtype, x.dtype)), x]


@op("eigh", "X -> Eigenvalues Eigenvectors", infer=_eigh_rule, dtypes="full and complex")
def eigh(x, *, UPLO="L"):
    _expect_square("eigh", x)
    return tuple(torch.linalg.eigh(x, UPLO))


# -- factorisations -----------------------------------------------------------------------------


def _qr_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    *batch, rows, columns = x.shape
    inner = rows if attrs["mode"] == "complete" else _least(rows, columns)
    q = None if attrs["mode"] == "r" else Spec((*batch, rows, inner), x.dtype)
    return [q, Spec((*batch, inner, columns), x.dtype)]


def _least(rows: int, columns: int) -> int:
    return -1 if -1 in (rows, columns) else min(rows, columns)


@op("qr", "X -> Q? R", infer=_qr_rule, dtypes="full and complex")
def qr(x, *, mode="reduced"):
    _expect_matrix("qr", x)
    if mode not in ("reduced", "complete", "r"):
        raise InvalidArgumentError(
            f"qr: mode is expected to be reduced, complete or r, but received {mode!r}."
        )
    if mode == "r":
        return None, torch.linalg.qr(x, "reduced")[1]
    return tuple(torch.linalg.qr(x, mode))


def _svd_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    *batch, rows, columns = x.shape
    inner = _least(rows, columns)
    left, right = (rows, columns) if attrs["full_matrices"] else (inner, inner)
    return [
        Spec((*batch, rows, left), x.dtype),
        Spec((*batch, inner), _REAL.get(x.dtype, x.dtype)),
        Spec((*batch, right, columns), x.dtype),
    ]


@op("svd", "X -> U S VH", infer=_svd_rule, dtypes="full and complex")
def svd(x, *, full_matrices=False):
    _expect_matrix("svd", x)
    return tuple(torch.linalg.svd(x, full_matrices))


# -- linear systems -----------------------------------------------------------------------------


def _solve_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y = inputs
    if len(y.shape) == 1 or (len(y.shape) == len(x.shape) - 1 and y.shape == x.shape[:-1]):
        return [Spec((*x.shape[:-2], x.shape[-1]), y.dtype)]
    return [_system_rule([x, y], attrs)[0]]


def _system_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y = inputs
    batch = broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return [Spec((*batch, x.shape[-1], y.shape[-1]), y.dtype)]


@op("solve", "X Y -> Out", infer=_solve_rule, dtypes="full and complex")
def solve(x, y):
    _expect_square("solve", x)
    return torch.linalg.solve(x, y)


@op("triangular_solve", "X Y -> Out", infer=_system_rule, dtypes="full and complex")
def triangular_solve(x, y, *, upper=True, transpose=False, unitriangular=False):
    _expect_square("triangular_solve", x)
    _expect_matrix("triangular_solve", y)
    if transpose:
        x, upper = x.transpose(-2, -1), not upper
    return torch.linalg.solve_triangular(x, y, upper=upper, unitriangular=unitriangular)


@op(
    "cholesky_solve",
    "X Y -> Out",
    infer=lambda i, a: _system_rule(i[::-1], a),
    dtypes="full",
)
def cholesky_solve(x, y, *, upper=False):
    """Solves for the product of the factor ``y`` with its transpose."""
    _expect_square("cholesky_solve", y)
    _expect_matrix("cholesky_solve", x)
    y = torch.triu(y) if upper else torch.tril(y)  # for the gradient; the other half is not read
    return torch.cholesky_solve(x, y, upper=upper)


# -- einsum -------------------------------------------------------------------------------------


@op("einsum", "Operands* -> Out InnerCache*?~ XShape*?~")
def einsum(operands, *, equation):
    out = torch.einsum(equation.replace(" ", ""), *operands)
    return (out.clone() if any(out is x for x in operands) else out), None, None
