"""Gradients of tables of which only some rows were used: row numbers and values."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.tensor import Tensor, wrap


class RowsGradient(Tensor):
    """A gradient that is zero but for some rows.

    An optimizer reads :attr:`rows`. To everybody else it is an ordinary Tensor: the first use of
    its buffer makes it dense.

    Attributes:
        rows (torch.Tensor): the gradient as a sparse tensor with one sparse dimension.
    """

    __slots__ = ("_dense", "rows")
    _dense: Any
    rows: Any

    @property
    def _buf(self) -> Any:  # type: ignore[override]
        if self._dense is None:
            self._dense = self.rows.to_dense()
        return self._dense

    @_buf.setter
    def _buf(self, value: Any) -> None:
        self._dense = value
        self.rows = None

    @property
    def is_rows(self) -> bool:
        """Whether nobody wrote to it as to a dense Tensor."""
        return self.rows is not None and self._dense is None

    @property
    def shape(self) -> list[int]:
        """The shape of the table; asking for it makes nothing dense."""
        return list(self.rows.shape if self.is_rows else self._buf.shape)

    def values(self) -> Tensor:
        """What the rows hold, one after the other."""
        return wrap(self.rows._values())

    def with_values(self, values: Tensor) -> RowsGradient:
        """A gradient of the same rows that holds other values."""
        index, size = self.rows._indices(), self.rows.shape
        made = torch.sparse_coo_tensor(index, values._buf, size, check_invariants=False)
        return of_rows(made)


def of_rows(sparse: torch.Tensor) -> RowsGradient:
    """Returns the gradient that a sparse buffer holds."""
    made = RowsGradient.__new__(RowsGradient)
    made._buf = None
    made.rows = sparse
    made._dt = sparse.dtype
    made._edge = None
    made.stop_gradient = True
    return made


def summed(before: Tensor, grad: torch.Tensor) -> Tensor:
    """The sum of a gradient so far and a buffer; at least one of them is sparse.

    Args:
        before (Tensor): the gradient so far.
        grad (torch.Tensor): what is added.
    """
    sparse = type(before) is RowsGradient and before.is_rows
    held: torch.Tensor = before.rows if sparse else before._buf  # type: ignore[attr-defined]
    total = add(held, grad)
    return of_rows(total) if total.is_sparse else wrap(total)


def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The sum of two buffers, either of which may be sparse."""
    return torch.add(b, a) if a.is_sparse and not b.is_sparse else torch.add(a, b)
