"""GEMM and GEMV: products of matrices by whichever library does them best.

Where a result has a few columns, BLAS may be several times slower than with the operands turned.
Large float32 products are a tenth faster in oneDNN on one AMD processor with AVX-512, twice as
fast on a later one, and slower on an Intel processor ([128, 768] by [768, 3072]: 8.4 ms, 5.1 in
BLAS). So it is measured where it runs (:mod:`paddle.core.tuning`); figures here are of the first.
"""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.backends import holds
from paddle.core.tuning import Choice, bucket, size_class

_linear_pointwise: Any = getattr(torch.ops.mkldnn, "_linear_pointwise", None)  # where oneDNN is
_FEW = 16  # with that many columns and more BLAS is good; of one column it makes another product
_LARGE = 1 << 20  # multiplications from which oneDNN may be worth its call


def as_matrix(x: torch.Tensor) -> torch.Tensor:
    """The rows of x in one dimension; of an empty tensor, ``reshape(-1, n)`` could not tell it."""
    return x.flatten(0, -2) if x.dim() > 1 else x.unsqueeze(0)


def affine(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """x @ w + bias of matrices, either of which may be a transposed one."""
    columns = w.shape[1]
    if columns < _FEW:
        if columns > 1 and x.numel() >= 1 << 13 and x.shape[0] >= 16 and _plain(x, w, bias):
            key = x.shape, w.shape, x.stride(), w.stride(), bias is None
            form = _narrow.known.get(key) or _narrow.choose(key, "columns", x, w, bias)
            return form(x, w, bias)
    elif x.shape[0] * w.numel() >= _LARGE and _linear_pointwise and _plain(x, w, bias):
        key = x.shape, w.shape, x.stride(), w.stride(), bias is None
        form = _broad.known.get(key) or _broad_form(key, x, w, bias)
        return form(x, w, bias)
    return _blas(x, w, bias)


def product_of_rows(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x.T @ y: the gradient of a weight, from a layer's input and its output's gradient.

    x [64, 512], y [64, 10], one thread: 58 -> 20 us.
    """
    if 1 < y.shape[1] < _FEW and x.numel() >= 1 << 12 and _plain(x.t(), y):
        key = x.shape, y.shape
        form = _narrow_gradient.known.get(key) or _narrow_gradient.choose(key, "turned", x, y)
        return form(x, y)
    return affine(x.t(), y)


def add_product(total: torch.Tensor, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Adds x @ w to a matrix in place: the step of a recurrent layer."""
    if x.shape[0] * w.numel() >= _LARGE and _linear_pointwise and _plain(x, w):
        key = x.shape, w.shape, x.stride(), w.stride()
        form = _added.known.get(key) or _added.choose(key, "blas", total, x, w)
        return form(total, x, w)
    return total.addmm_(x, w)


def _blas(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    return torch.mm(x, w) if bias is None else torch.addmm(bias, x, w)


def _onednn(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    return _linear_pointwise(x, w.t(), bias, "none", [], "")


def _broad_form(key: Any, x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None) -> Any:
    """The form of a large product that is met for the first time."""
    if _repeated(x) or _repeated(w):
        return _broad.known.setdefault(key, _of_copies)
    return _broad.choose(key, _usual(x, w), x, w, bias)


def _repeated(x: torch.Tensor) -> bool:
    """Whether several elements lie in one place, as in the gradient of a mean."""
    return any(stride == 0 and n > 1 for n, stride in zip(x.shape, x.stride(), strict=True))


def _of_copies(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    """oneDNN has no fast form for repeated elements: 25 times slower on [200, 96] by [200, 64]."""
    return affine(x.contiguous(), w.contiguous(), bias)


def _usual(x: torch.Tensor, w: torch.Tensor) -> str:
    """The library for a large product where nothing was measured.

    x [64, 784] by w [784, 512], forward: 552 -> 512 us with one thread, 323 -> 270 with two; of 8
    rows by [2048, 1000] 573 -> 341. Slower for one row, and below some 8 million products. It adds
    up in another order; the error was at most 2.5 times that of BLAS.
    """
    turned = x.dim() == 2 and x.stride(0) == 1 < x.stride(1)
    enough = x.shape[0] >= 4 and w.numel() >= 1 << 15 and x.shape[0] * w.numel() >= 1 << 23
    return "onednn" if enough and not turned else "blas"


def _of_few_columns(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    """x @ w + bias, the result made column by column; x [64, 512] to 10 columns: 47 -> 18 us."""
    if w.shape[1] < 4:
        return torch.nn.functional.linear(x, w.t().contiguous(), bias)
    out = x.new_empty((w.shape[1], x.shape[0])).t()
    made = torch.mm(x, w, out=out) if bias is None else torch.addmm(bias, x, w, out=out)
    return made.contiguous()


def _sample(
    x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None
) -> tuple[tuple, tuple[int, ...]]:
    """A product like the one at hand of 16 million multiplications at most, for measuring."""
    depth, columns = (n if n < _FEW else bucket(n, 512) for n in w.shape)
    rows = bucket(x.shape[0], 64)
    small = _part(x, rows, depth), _part(w, depth, columns)
    cut = None if bias is None else bias[:columns].contiguous()
    turned = [int(m.stride(1) != 1) for m in small]
    few = columns if columns < _FEW else 0
    size = size_class(rows * depth * columns, 1 << 24)
    return (*small, cut), (size_class(rows, 64), size, few, *turned)


def _part(matrix: torch.Tensor, rows: int, columns: int) -> torch.Tensor:
    """A copy of the first rows and columns in the same order of memory."""
    if matrix.stride(1) != 1 and matrix.stride(0) == 1:
        return matrix.t()[:columns, :rows].contiguous().t()
    return matrix[:rows, :columns].contiguous()


def _sample_of_rows(x: torch.Tensor, y: torch.Tensor) -> tuple[tuple, tuple[int, ...]]:
    rows, width = bucket(x.shape[0], 256), bucket(x.shape[1], 512)
    return (_part(x, rows, width), _part(y, rows, y.shape[1])), (
        size_class(rows * width, 1 << 16),
        y.shape[1],
    )


def _sample_added(
    total: torch.Tensor, x: torch.Tensor, w: torch.Tensor
) -> tuple[tuple, tuple[int, ...]]:
    (x, w, _), numbers = _sample(x, w, None)
    return (torch.zeros((x.shape[0], w.shape[1])), x, w), numbers


_broad = Choice("product", {"onednn": _onednn, "blas": _blas}, _sample)
_added = Choice(
    "product added",
    {
        "onednn": lambda total, x, w: total.add_(_onednn(x, w, None)),
        "blas": lambda total, x, w: total.addmm_(x, w),
    },
    _sample_added,
)
_narrow = Choice("product of few columns", {"columns": _of_few_columns, "blas": _blas}, _sample)
_narrow_gradient = Choice(
    "gradient of few columns",
    {
        "turned": lambda x, y: torch.mm(y.t(), x).t().contiguous(),
        "blas": lambda x, y: torch.mm(x.t(), y),
    },
    _sample_of_rows,
)


def _plain(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None = None) -> bool:
    """Whether these fit, are float32 on a CPU, and torch itself does not record them."""
    return (
        x.dtype is w.dtype is torch.float32
        and holds.tuned_forms(x)
        and x.shape[1] == w.shape[0]
        and not x.requires_grad
        and not w.requires_grad
        and (bias is None or bias.shape == w.shape[1:])
    )
