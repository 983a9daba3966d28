"""Eigenvalues, LU, least squares, matrix rank and chains of matrix products."""

from __future__ import annotations

import itertools

import torch

from paddle.core.backends import holds
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from paddle.core.infer import Spec, broadcast_shapes
from paddle.core.op import op

_COMPLEX = {VarType.FP32: VarType.COMPLEX64, VarType.FP64: VarType.COMPLEX128}
_REAL = {VarType.COMPLEX64: VarType.FP32, VarType.COMPLEX128: VarType.FP64}


def _expect_square(name: str, x) -> None:
    if len(x.shape) < 2 or x.shape[-1] != x.shape[-2]:
        raise InvalidArgumentError(
            f"{name}: expected square matrices [..., n, n], but received shape {list(x.shape)}."
        )


def _expect_matrix(name: str, x) -> None:
    if len(x.shape) < 2:
        raise InvalidArgumentError(
            f"{name}: expected matrices [..., m, n], but received shape {list(x.shape)}."
        )


def _least(rows: int, columns: int) -> int:
    return -1 if -1 in (rows, columns) else min(rows, columns)


# -- eigenvalues --------------------------------------------------------------------------------


def _eig_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    dtype = _COMPLEX.get(x.dtype, x.dtype)
    return [Spec(x.shape[:-1], dtype), Spec(x.shape, dtype)]


@op("eig", "X -> Eigenvalues Eigenvectors", infer=_eig_rule, dtypes="full and complex")
def eig(x):
    _expect_square("eig", x)
    return tuple(torch.linalg.eig(x))


@op("eigvals", "X -> Out", infer=lambda i, a: _eig_rule(i, a)[:1], dtypes="full and complex")
def eigvals(x):
    _expect_square("eigvals", x)
    return torch.linalg.eigvals(x)


def _eigvalsh_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    return [Spec(x.shape[:-1], _REAL.get(x.dtype, x.dtype)), None if attrs["is_test"] else x]


@op("eigvalsh", "X -> Eigenvalues Eigenvectors?~", infer=_eigvalsh_rule, dtypes="full and complex")
def eigvalsh(x, *, UPLO="L", is_test=False):
    """Of matrices that equal their conjugate transpose; vectors are left out in a test."""
    _expect_square("eigvalsh", x)
    if UPLO not in ("L", "U"):
        raise InvalidArgumentError(f"eigvalsh: UPLO is expected to be L or U, but received {UPLO}.")
    values, vectors = torch.linalg.eigh(x, UPLO)
    return values, None if is_test else vectors


# -- triangular factors -------------------------------------------------------------------------


def _lu_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    _expect_matrix("lu", x)
    *batch, rows, columns = x.shape
    return [
        x,
        Spec((*batch, _least(rows, columns)), VarType.INT32),
        Spec(tuple(batch) or (1,), VarType.INT32),
    ]


@op("lu", "X -> Out Pivots~ Infos~", infer=_lu_rule, dtypes="full")
def lu(x, *, pivots=True):
    """Both factors in one matrix; Pivots: the row, from 1, that each row was exchanged with."""
    _expect_matrix("lu", x)
    if not pivots and not holds.lu_without_pivots(x):
        raise UnimplementedError("lu: expected pivots=True; without them it runs on GPUs only.")
    found = torch.linalg.lu_factor_ex(x, pivot=pivots)
    return found.LU, found.pivots, found.info


def _lu_unpack_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    _expect_matrix("lu_unpack", x)
    *batch, rows, columns = x.shape
    inner = _least(rows, columns)
    order = Spec((*batch, rows, rows), x.dtype) if attrs["unpack_pivots"] else None
    if not attrs["unpack_ludata"]:
        return [order, None, None]
    return [order, Spec((*batch, rows, inner), x.dtype), Spec((*batch, inner, columns), x.dtype)]


@op("lu_unpack", "X Pivots~ -> Pmat?~ L? U?", infer=_lu_unpack_rule, dtypes="full")
def lu_unpack(x, pivots, *, unpack_ludata=True, unpack_pivots=True):
    """What ``lu`` gave as separate matrices: the order of the rows, and both factors."""
    _expect_matrix("lu_unpack", x)
    least = min(x.shape[-2:])
    if pivots.dtype is not torch.int32 or pivots.shape != (*x.shape[:-2], least):
        raise InvalidArgumentError(
            f"lu_unpack: expected Pivots of int32 and shape {[*x.shape[:-2], least]}, but received "
            f"{str(pivots.dtype)[6:]} and {list(pivots.shape)}."
        )
    order, lower, upper = torch.lu_unpack(
        x, pivots, unpack_data=unpack_ludata, unpack_pivots=unpack_pivots
    )
    factors = (lower, upper) if unpack_ludata else (None, None)
    return (order if unpack_pivots else None, *factors)


# -- least squares and ranks --------------------------------------------------------------------


_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def _lstsq_sizes(x: tuple, y: tuple, driver: str) -> list[tuple]:
    """The shapes of what lstsq gives, by the shapes of X and Y."""
    *batch, rows, columns = x
    if rows == -1 and not batch:
        apart: tuple = (-1,)
    else:
        apart = (*batch, y[-1]) if rows > columns or rows == -1 else (0,)
    values = (*batch, _least(rows, columns)) if driver in ("gelsd", "gelss") else (0,)
    rank = (0,) if driver == "gels" else tuple(batch) or (1,)
    return [(*batch, columns, y[-1]), apart, rank, values]


def _lstsq_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y = inputs
    _expect_matrix("lstsq", x)
    _expect_matrix("lstsq", y)
    sizes = _lstsq_sizes(x.shape, y.shape, attrs["driver"])
    return [Spec(s, VarType.INT32 if i == 2 else x.dtype) for i, s in enumerate(sizes)]


@op("lstsq", "X Y -> Solution Residuals?~ Rank~ SingularValues~", infer=_lstsq_rule, dtypes="full")
def lstsq(x, y, *, rcond=0.0, driver="gels"):
    """The matrices S whose products X S are nearest to Y, column by column.

    Residuals: the squared distances, where there are more rows than columns. Rank and
    SingularValues are there for drivers that find them.
    """
    _expect_matrix("lstsq", x)
    _expect_matrix("lstsq", y)
    if driver not in _DRIVERS:
        raise InvalidArgumentError(
            f"lstsq: driver is expected to be one of {_DRIVERS}, but received {driver!r}."
        )
    if x.shape[:-1] != y.shape[:-1]:
        raise InvalidArgumentError(
            "lstsq: expected X [..., m, n] and Y [..., m, k], but received shapes "
            f"{list(x.shape)} and {list(y.shape)}."
        )
    if x.is_meta:
        sizes = _lstsq_sizes(x.shape, y.shape, driver)
        kinds = [x.dtype, x.dtype, torch.int32, x.dtype]
        return tuple(x.new_empty(s, dtype=k) for s, k in zip(sizes, kinds, strict=True))
    if holds.gels_only(x):
        driver = "gels"
    found = torch.linalg.lstsq(x, y, rcond=rcond if driver != "gels" else None, driver=driver)
    if x.shape[-2] > x.shape[-1]:
        residuals = torch.sum(torch.square(x @ found.solution - y), -2)
    else:
        residuals = x.new_empty(0)
    return found.solution, residuals, found.rank.to(torch.int32), found.singular_values


def _rank_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, tolerance = inputs
    _expect_matrix("matrix_rank", x)
    batch = x.shape[:-2]
    if tolerance is not None:
        batch = broadcast_shapes(batch, tolerance.shape)
    return [Spec(batch or (1,), VarType.INT32)]


@op("matrix_rank", "X TolTensor? -> Out", infer=_rank_rule, differentiable=False, dtypes="full")
def matrix_rank(x, tolerance, *, tol=0.0, hermitian=False, use_default_tol=True):
    """How many singular values (of ``hermitian`` matrices: eigenvalues) exceed a tolerance.

    By default that is the largest one, times the larger size, times the rounding error of 1.
    """
    _expect_matrix("matrix_rank", x)
    if hermitian:
        _expect_square("matrix_rank", x)
        values = torch.linalg.eigvalsh(x).abs()
    else:
        values = torch.linalg.svdvals(x)
    if tolerance is not None:
        least = tolerance
    elif not use_default_tol:
        least = torch.full(x.shape[:-2], tol, dtype=x.dtype, device=x.device)
    elif values.shape[-1]:
        least = values.amax(-1) * (max(x.shape[-2:]) * torch.finfo(x.dtype).eps)
    else:
        least = values.sum(-1)
    return torch.gt(values, least.unsqueeze(-1)).sum(-1, dtype=torch.int32)


# -- products -----------------------------------------------------------------------------------


def _multi_dot_rule(inputs: list, attrs: dict) -> list[Spec]:
    first, last = inputs[0][0], inputs[0][-1]
    shape = (*first.shape[:-1], *last.shape[1:])
    return [Spec(shape or (1,), first.dtype)]


@op("multi_dot", "X* -> Out", infer=_multi_dot_rule, dtypes="floats")
def multi_dot(x):
    """The product of matrices in the cheapest order; the first and the last may be vectors."""
    if len(x) < 2:
        raise InvalidArgumentError(f"multi_dot: expected at least 2 tensors, received {len(x)}.")
    ranks = [m.dim() for m in x]
    if set(ranks[1:-1]) - {2} or not {ranks[0], ranks[-1]} <= {1, 2}:
        raise InvalidArgumentError(
            "multi_dot: expected matrices, the first and the last of them perhaps vectors, but "
            f"received shapes {[list(m.shape) for m in x]}."
        )
    if any(a.shape[-1] != b.shape[0] for a, b in itertools.pairwise(x)):
        raise InvalidArgumentError(
            "multi_dot: expected the columns of each matrix to be as many as the rows of the next "
            f"one, but received shapes {[list(m.shape) for m in x]}."
        )
    if any(m.dtype is not x[0].dtype for m in x):
        raise InvalidTypeError(
            "multi_dot: no kernel for these data types: expected tensors of one data type, but "
            f"received {[str(m.dtype)[6:] for m in x]}."
        )
    return torch.linalg.multi_dot(x)
