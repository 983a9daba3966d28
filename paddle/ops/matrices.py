"""Matrices: tensors read as such, and products by whichever library does them best.

BLAS is best but at the edges: where a result has a few columns it is several times faster with the
operands turned, and large float32 products are a tenth faster in oneDNN (one thread, AVX-512).
"""

from __future__ import annotations

from typing import Any

import torch

_linear_pointwise: Any = getattr(torch.ops.mkldnn, "_linear_pointwise", None)  # where oneDNN is
_FEW = 16  # with that many columns and more BLAS is good; of one column it makes another product


def as_matrix(x: torch.Tensor) -> torch.Tensor:
    """The rows of x in one dimension; of an empty tensor, ``reshape(-1, n)`` could not tell it."""
    return x.flatten(0, -2) if x.dim() > 1 else x.unsqueeze(0)


def affine(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """x @ w + bias of matrices."""
    columns = w.shape[1]
    if columns < _FEW:
        if columns > 1 and x.numel() >= 1 << 13 and x.shape[0] >= 16 and _plain(x, w):
            return _of_few_columns(x, w, bias)
    elif _wide(x, w):
        try:
            return _linear_pointwise(x, w.t(), bias, "none", [], "")
        except RuntimeError:
            pass  # below it says what is wrong
    return torch.mm(x, w) if bias is None else torch.addmm(bias, x, w)


def product_of_rows(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x.T @ y: the gradient of a weight, from a layer's input and its output's gradient.

    x [64, 512], y [64, 10], one thread: 58 -> 20 us.
    """
    if 1 < y.shape[1] < _FEW and x.numel() >= 1 << 12 and _plain(x, y):
        return torch.mm(y.t(), x).t().contiguous()
    return torch.mm(x.t(), y)


def _of_few_columns(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    """x @ w + bias, the result made column by column; x [64, 512] to 10 columns: 47 -> 18 us."""
    if w.shape[1] < 4:
        return torch.nn.functional.linear(x, w.t().contiguous(), bias)
    out = x.new_empty((w.shape[1], x.shape[0])).t()
    made = torch.mm(x, w, out=out) if bias is None else torch.addmm(bias, x, w, out=out)
    return made.contiguous()


def _plain(x: torch.Tensor, y: torch.Tensor) -> bool:
    return x.dtype is y.dtype is torch.float32 and x.is_cpu and not _differentiated(x, y)


def _differentiated(x: torch.Tensor, y: torch.Tensor) -> bool:
    """Whether torch itself records, which has no derivative of the special forms."""
    return x.requires_grad or y.requires_grad


def _wide(x: torch.Tensor, w: torch.Tensor) -> bool:
    """Whether oneDNN's product of two matrices is faster than BLAS's.

    x [64, 784] by w [784, 512], forward: 552 -> 512 us with one thread, 323 -> 270 with two; of 8
    rows by [2048, 1000] 573 -> 341. Slower for one row, and below some 8 million products. It adds
    up in another order; the error was at most 2.5 times that of BLAS.
    """
    return (
        x.shape[0] >= 4
        and w.numel() >= 1 << 15
        and x.shape[0] * w.numel() >= 1 << 23
        and x.dtype is torch.float32
        and x.is_cpu
        and _linear_pointwise is not None
        and not _differentiated(x, w)
    )
