"""Triangular indices, sequence masks, filled diagonals."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType, torch_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.core.place import current_device


def _triangle_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec((2, -1), VarType(attrs["dtype"]))]


@op("tril_indices", "-> out", infer=_triangle_rule, differentiable=False)
def tril_indices(*, rows=0, cols=0, offset=0, dtype=3):
    kind = torch_dtype(dtype)
    return torch.tril_indices(rows, cols, offset, dtype=kind, device=current_device())


@op("triu_indices", "-> out", infer=_triangle_rule, differentiable=False)
def triu_indices(*, row=0, col=0, offset=0, dtype=3):
    kind = torch_dtype(dtype)
    return torch.triu_indices(row, col, offset, dtype=kind, device=current_device())


def _mask_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, whole = inputs
    size = attrs["maxlen"] if whole is None and attrs["maxlen"] > 0 else -1
    return [Spec((*x.shape, size), VarType(attrs["out_dtype"]))]


@op("sequence_mask", "X MaxLenTensor? -> Y", infer=_mask_rule, differentiable=False)
def sequence_mask(x, maxlen_whole=None, *, out_dtype, maxlen=-1):
    if maxlen_whole is not None:
        maxlen = int(maxlen_whole)
    elif maxlen <= 0:
        maxlen = int(x.max())
    places = torch.arange(maxlen, dtype=x.dtype, device=x.device)
    return torch.lt(places, x.unsqueeze(-1)).to(torch_dtype(out_dtype))


def _on_diagonal(shape: tuple, offset: int, wrap: bool, device: torch.device) -> torch.Tensor:
    """A boolean tensor that is true on a diagonal; of equal sides where there are more than two.

    Without ``wrap`` it ends with the square of the last dimension's size, counted in elements:
    also where the offset would lead below it, and in the first layer of a cube.
    """
    columns = shape[-1]
    mask = torch.zeros(shape, dtype=torch.bool, device=device)
    step = sum(columns**i for i in range(len(shape)))
    size = mask.numel() if wrap else min(mask.numel(), columns * columns)
    places = torch.arange(0, size, step, device=device)
    column = places % columns + offset
    inside = torch.logical_and(torch.ge(column, 0), torch.lt(column, columns))
    places = torch.where(inside, places + offset, 0)
    return mask.reshape(-1).index_put((places,), inside, accumulate=True).reshape(shape)


@op("fill_diagonal", "X -> Out", infer="same")
def fill_diagonal(x, *, value=0.0, offset=0, wrap_=False):
    if x.dim() < 2 or (x.dim() > 2 and len(set(x.shape)) > 1):
        raise InvalidArgumentError(
            "fill_diagonal: expected a matrix, or equal sizes in all dimensions, but received "
            f"shape {list(x.shape)}."
        )
    return x.masked_fill(_on_diagonal(tuple(x.shape), offset, wrap_, x.device), value)


@fill_diagonal.grad()
def _(d_out, *, offset, wrap_):
    return d_out.masked_fill(_on_diagonal(tuple(d_out.shape), offset, wrap_, d_out.device), 0)
