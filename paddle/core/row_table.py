"""SelectedRows: what a scope holds under a name for some rows of a table."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.lod import LoDTensor
from paddle.core.selected_rows import Rows


class SelectedRows:
    """Numbers of rows of a table, and a value for each.

    Args:
        rows (list[int], optional): the numbers; one may come several times. Default: none.
        height (int, optional): how many rows the table has. Default: 0.
        tensor (LoDTensor, optional): holds the values. Default: a new one.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            from paddle.framework import core
            gradient = core.SelectedRows([0, 4, 7], 10)
            gradient.get_tensor().set(np.ones([3, 12], "float32"), paddle.CPUPlace())
            print(gradient.rows(), gradient.height(), gradient.numel())  # [0, 4, 7] 10 36
    """

    __slots__ = ("_height", "_rows", "_tensor")

    def __init__(
        self, rows: Iterable[int] = (), height: int = 0, tensor: LoDTensor | None = None
    ) -> None:
        self._tensor = LoDTensor() if tensor is None else tensor
        self.set_rows(rows)
        self.set_height(height)

    def rows(self) -> list[int]:
        """Returns the numbers of the rows."""
        return list(self._rows)

    def set_rows(self, rows: Iterable[int]) -> None:
        """Sets the numbers of the rows.

        Args:
            rows (list[int]): none below 0.
        """
        found = np.asarray(list(rows) if not hasattr(rows, "shape") else rows)
        if found.size and (found.ndim != 1 or found.dtype.kind not in "iu" or found.min() < 0):
            raise InvalidArgumentError(
                "SelectedRows.set_rows(rows): expected a list of numbers from 0 on, but received "
                f"{rows!r}."
            )
        self._rows = [int(n) for n in found]

    def height(self) -> int:
        """Returns how many rows the table has."""
        return self._height

    def set_height(self, height: int) -> None:
        """Sets how many rows the table has.

        Args:
            height (int): the number.
        """
        self._height = int(height)

    def get_tensor(self) -> LoDTensor:
        """Returns what holds the values, a row for each number."""
        return self._tensor

    def numel(self) -> int:
        """Returns how many values there are."""
        return int(np.prod(self._tensor.shape()))

    def sync_index(self) -> None:
        """Makes the rows findable by number, which they always are here."""

    def is_initialized(self) -> bool:
        """Says whether values were set."""
        return self._tensor.tensor is not None

    def buffers(self) -> Rows:
        """Returns what operators compute with.

        Raises:
            PreconditionNotMetError: there are no values.
            InvalidArgumentError: there is not a value for each number, or a number is too large.
        """
        if not self.is_initialized():
            raise PreconditionNotMetError("SelectedRows: expected values, but none were set yet.")
        values = self._tensor.buffer
        if len(values) != len(self._rows):
            raise InvalidArgumentError(
                f"SelectedRows: expected a value for each of {len(self._rows)} rows, but the "
                f"tensor has the shape {list(values.shape)}."
            )
        if max(self._rows, default=-1) >= self._height:
            raise InvalidArgumentError(
                f"SelectedRows: expected numbers of rows below the height {self._height}, but "
                f"received {max(self._rows)}."
            )
        index = torch.tensor(self._rows, dtype=torch.int64, device=values.device)
        return Rows(index, values, torch.Size((self._height, *values.shape[1:])))

    def take(self, rows: Rows) -> None:
        """Takes what an operator computed."""
        self._rows, self._height = rows.index.tolist(), rows.shape[0]
        self._tensor.put(rows.values)

    def __repr__(self) -> str:
        return f"SelectedRows(rows={self._rows}, height={self._height}, {self._tensor!r})"
