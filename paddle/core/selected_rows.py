"""Gradients of tables of which only some rows were used: row numbers and values."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.tensor import Tensor, wrap


class Rows:
    """Values for some rows of a table and zeros for the others, where else a buffer would be.

    The tape asks a gradient for what the attributes and methods here say. A sparse tensor of torch
    could stand here; with 26 tables, making and reading them took a fiftieth of a training step.

    Attributes:
        index (torch.Tensor): int64 row numbers, one of them maybe several times.
        values (torch.Tensor): what belongs to each, [len(index), width].
        shape (torch.Size): of the table.
    """

    __slots__ = ("index", "shape", "values")
    is_sparse = True

    def __init__(self, index: torch.Tensor, values: torch.Tensor, shape: torch.Size) -> None:
        self.index, self.values, self.shape = index, values, shape

    @property
    def dtype(self) -> torch.dtype:
        """That of the values."""
        return self.values.dtype

    def to(self, dtype: torch.dtype) -> Rows:
        """The same in another data type."""
        return Rows(self.index, self.values.to(dtype), self.shape)

    def to_dense(self) -> torch.Tensor:
        """The table; values of equal rows are summed up."""
        values = self.values
        table = torch.zeros(self.shape, dtype=values.dtype, device=values.device)
        # A part of what a concat took is strided: adding it up would take four times as long.
        return table.index_add_(0, self.index, values.contiguous())


class RowsGradient(Tensor):
    """A gradient that is zero but for some rows.

    An optimizer reads :attr:`rows`. To everybody else it is an ordinary Tensor: the first use of
    its buffer makes it dense.

    Attributes:
        rows (Rows): the gradient.
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
        return wrap(self.rows.values)

    def with_values(self, values: Tensor) -> RowsGradient:
        """A gradient of the same rows that holds other values."""
        return of_rows(Rows(self.rows.index, values._buf, self.rows.shape))


def of_rows(rows: Rows) -> RowsGradient:
    """Returns rows as the Tensor that users see."""
    made = RowsGradient.__new__(RowsGradient)
    made._buf = None
    made.rows = rows
    made._dt = rows.dtype
    made._edge = None
    made.stop_gradient = True
    return made


def rows_of(index: Tensor, values: Tensor, table: Tensor) -> RowsGradient:
    """Returns the gradient of a table that has ``values`` in the rows ``index``."""
    buffer = table._buf
    return of_rows(Rows(index._buf.to(buffer.device), values._buf, buffer.shape))


def summed(before: Tensor, grad: torch.Tensor | Rows) -> Tensor:
    """The sum of a gradient so far and of what is added; at least one of them is of rows."""
    sparse = type(before) is RowsGradient and before.is_rows
    total = add(before.rows if sparse else before._buf, grad)  # type: ignore[attr-defined]
    return of_rows(total) if total.is_sparse else wrap(total)


def add(a: Any, b: Any) -> Any:
    """The sum of two buffers, either of which may be :class:`Rows`."""
    if not a.is_sparse:
        return _dense_sum(a, b) if b.is_sparse else torch.add(a, b)
    if not b.is_sparse:
        return _dense_sum(b, a)
    return Rows(torch.cat((a.index, b.index)), torch.cat((a.values, b.values)), a.shape)


def _dense_sum(dense: torch.Tensor, rows: Rows) -> torch.Tensor:
    return dense.index_add(0, rows.index, rows.values.to(dense.dtype))
