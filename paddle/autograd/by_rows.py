"""Looking rows of a table up so that its gradient is kept as rows."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import FROM_TORCH
from paddle.core.mode import grad_enabled
from paddle.core.op import C
from paddle.core.selected_rows import of_rows
from paddle.core.tape import Node
from paddle.core.tensor import Tensor, wrap
from paddle.ops.optimizer.row_updates import gradient_of_rows


def look_up(ids: Tensor, table: Tensor, padding_idx: int) -> Tensor:
    """Rows of a table that wants a gradient and was not computed itself.

    Args:
        ids (Tensor): the row numbers.
        table (Tensor): a leaf.
        padding_idx (int): this row gives zeros and gets no gradient; -1 for none.
    """
    out = C.lookup_table_v2(ids, table, padding_idx=padding_idx)
    # A PyLayer does the same; a model with many tables would feel its general way of doing it.
    node = out._edge
    node.backward = _Step(table._buf.shape, table._buf.dtype, padding_idx)
    node.edges = (table,)
    node.saved = (ids._buf,)
    return out


class _Step:
    """The backward step of one look-up."""

    __slots__ = ("dtype", "padding_idx", "size")
    name = "embedding"

    def __init__(self, size: Any, dtype: Any, padding_idx: int) -> None:
        self.size, self.dtype, self.padding_idx = size, dtype, padding_idx

    @property
    def op(self) -> _Step:
        """What the tape names in its errors."""
        return self

    def __call__(self, node: Node, d_out: Any) -> tuple:
        if d_out.dtype is not self.dtype:  # mixed precision looked up a copy of 16 bits
            d_out = d_out.to(self.dtype)
        return (gradient_of_rows(d_out, node.saved[0], self.size, self.padding_idx),)

    def on_tensors(self, node: Node, d_out: Tensor) -> tuple:
        """The gradient as a Tensor; with create_graph it is differentiated in turn."""
        if not grad_enabled():
            return (of_rows(self(node, d_out._buf)[0]),)
        ids, d_out = wrap(node.saved[0]), d_out.astype(FROM_TORCH[self.dtype])
        if self.padding_idx != -1:
            d_out = d_out * (ids != self.padding_idx).unsqueeze(-1).astype(d_out.dtype)
        zeros = C.fill_constant(shape=list(self.size), value=0.0, dtype=d_out.dtype)
        index, width = ids.reshape([-1, 1]), self.size[1]
        return (C.scatter_nd_add(zeros, index, d_out.reshape([-1, width])),)
