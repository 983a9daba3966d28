"""What a table is: its number, size, data type, optimizer, first values."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.distributed.ps.initial import CountFilter, Initial, Probability
from paddle.distributed.ps.messages import FRAME_LIMIT, HEADER
from paddle.distributed.ps.rules import Rule

_DTYPES = ("float32", "float64")


@dataclass(frozen=True)
class TableSpec:
    """A table of a parameter server.

    Args:
        id (int): its number on the wire, 0 to 2**32 - 1.
        name (str): for error texts and snapshots.
        kind (str): ``sparse``, rows of any 64-bit ids, divided over all servers by
            ``id % servers``; or ``dense``, one block of ``width`` numbers on one server.
        width (int): numbers in a row, or in the block.
        dtype (str): ``float32`` or ``float64``.
        rule (Rule): the optimizer.
        initial (Initial): what a row (or the block) holds at first.
        entry (CountFilter|Probability, optional): which rows are let in.
        server (int): of a dense table, the server that has it. Default: 0.
        whole (bool): each update is of all rows there are, by zeros where a row has no gradient, as
            optimizers do that are not made for rows. Default: False.

    Examples:
        .. code-block:: python

            from paddle.distributed.ps.initial import Initial
            from paddle.distributed.ps.rules import Rule
            from paddle.distributed.ps.spec import TableSpec
            table = TableSpec(0, "words", "sparse", 16, rule=Rule("sgd", 0.1),
                              initial=Initial("uniform", low=-0.1, high=0.1))
    """

    id: int
    name: str
    kind: str
    width: int
    dtype: str = "float32"
    rule: Rule = field(default_factory=Rule)
    initial: Initial = field(default_factory=Initial)
    entry: CountFilter | Probability | None = None
    server: int = 0
    whole: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.id < 1 << 32:
            raise InvalidArgumentError(
                f"TableSpec(id): expected a number from 0 to 2**32 - 1, but received {self.id}."
            )
        if self.kind not in ("sparse", "dense"):
            raise InvalidArgumentError(
                f"TableSpec(kind): expected 'sparse' or 'dense', but received {self.kind!r}."
            )
        if self.dtype not in _DTYPES:
            raise InvalidArgumentError(
                f"TableSpec(dtype): expected one of {list(_DTYPES)}, but received {self.dtype!r}."
            )
        most = (FRAME_LIMIT - HEADER.size - 8) // np.dtype(self.dtype).itemsize
        if not 1 <= self.width <= most:
            raise InvalidArgumentError(
                f"TableSpec(width) of {self.name!r}: expected 1 to {most}, but received "
                f"{self.width}; divide a larger parameter into blocks."
            )

    @property
    def is_sparse(self) -> bool:
        """Whether the table has rows by id."""
        return self.kind == "sparse"

    @property
    def counts_rows(self) -> bool:
        """Whether updates are by rows; a penalty on all of a table makes its gradient whole."""
        return self.is_sparse and not (self.whole and (self.rule.l1 or self.rule.l2))

    @property
    def row_limit(self) -> int:
        """How many rows, with their ids, fit into one message."""
        row = 8 + self.width * np.dtype(self.dtype).itemsize
        return max(1, (FRAME_LIMIT - HEADER.size) // row)
