"""The exchange of gradients that are rows of tables: row numbers and values, never whole tables."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core import selected_rows
from paddle.core.rings import Communicator
from paddle.core.selected_rows import Rows, RowsGradient
from paddle.core.tape import CLEARED
from paddle.core.tensor import Tensor, wrap
from paddle.distributed.joint import swapped

_NONE, _DENSE = -1, -2  # instead of a number of rows


class RowExchange:
    """Averages gradients of tables over processes.

    Everybody's rows stand one behind the other afterwards, equal ones not summed up: the optimizer
    does that for all tables at once.

    Args:
        leaves (list[Tensor]): the tables.
        group (Communicator): the processes.
    """

    def __init__(self, leaves: list[Tensor], group: Communicator) -> None:
        self.leaves, self._group = leaves, group
        self._new: dict[Tensor, Any] = {}
        # What was handed out and averaged already: what comes later is added to it.
        self._given: dict[Tensor, Tensor] = {}

    def begin(self) -> None:
        """Forgets what came in an earlier walk."""
        self._new.clear()

    def put(self, leaf: Tensor, grad: Any) -> None:
        """Takes a gradient: rows, or a buffer where the table was used in other ways too."""
        self._new[leaf] = grad

    def exchange(self, factor: float) -> None:
        """Exchanges what came and gives it to the tables, times a factor."""
        if not self.leaves:
            return
        states = [self._state(leaf) for leaf in self.leaves]
        told = [part.tolist() for part in self._group.all_gather(torch.tensor(states))]
        own: list[Any] = []
        everybody: list[list[int]] = []  # how many rows each process sends of each table
        for i, leaf in enumerate(self.leaves):
            keeps = all(part[i][0] for part in told)
            own.append(self._taken(leaf, keeps))
            everybody.append([part[i][1 if keeps else 2] for part in told])
        by_rows = [i for i, n in enumerate(everybody) if max(n) >= 0 and _DENSE not in n]
        for i, grad in zip(by_rows, self._gathered(own, by_rows, everybody, factor), strict=True):
            self._add(self.leaves[i], grad)
        for i, found in enumerate(everybody):
            if _DENSE in found:
                self._add(self.leaves[i], self._whole(self.leaves[i], own[i], factor))

    def _state(self, leaf: Tensor) -> tuple[int, int, int]:
        """Whether a table has just what was handed out, and how much there is to be sent.

        First without and then with what it had before. Only where all processes have what was
        handed out is it left in peace.
        """
        new, before = self._new.get(leaf), leaf._grad
        count = _NONE if new is None else len(new.index) if new.is_sparse else _DENSE
        if before is None or before is CLEARED:
            return 0, count, count
        if type(before) is not RowsGradient or not before.is_rows or count == _DENSE:
            return 0, count, _DENSE
        return int(before is self._given.get(leaf)), count, len(before.rows.index) + max(count, 0)

    def _taken(self, leaf: Tensor, keeps: bool) -> Any:
        """What this process sends of a table's gradient."""
        new, before = self._new.pop(leaf, None), leaf._grad
        if keeps or before is None or before is CLEARED:
            return new
        leaf._grad = None
        old = before.rows if type(before) is RowsGradient and before.is_rows else before._buf
        return old if new is None else selected_rows.add(old, new)

    def _add(self, leaf: Tensor, grad: Any) -> None:
        before = leaf._grad
        if before is not None and before is not CLEARED:
            leaf._grad = selected_rows.summed(before, grad)
        else:
            leaf._grad = selected_rows.of_rows(grad) if grad.is_sparse else wrap(grad)
        if type(leaf._grad) is RowsGradient:
            self._given[leaf] = leaf._grad

    def _whole(self, leaf: Tensor, grad: Any, factor: float) -> torch.Tensor:
        """The average of gradients of which not all are rows."""
        if grad is None:
            whole = torch.zeros_like(leaf._buf)
        else:
            whole = grad.to_dense() if grad.is_sparse else grad.clone()
        work = self._group.all_reduce_async(whole.mul_(factor))
        work.wait()
        return whole

    def _gathered(
        self, own: list[Any], chosen: list[int], everybody: list[list[int]], factor: float
    ) -> list[Rows]:
        """Everybody's rows of some tables; all that one process sends goes at once, as bytes."""
        if not chosen:
            return []
        kinds: dict[Any, list[int]] = {}
        for i in chosen:
            buffer = self.leaves[i]._buf
            kinds.setdefault((buffer.dtype, tuple(buffer.shape[1:])), []).append(i)
        parts = [own[i].index for i in chosen if own[i] is not None]
        device = self.leaves[chosen[0]]._buf.device
        mine = [torch.cat(parts) if parts else torch.empty(0, dtype=torch.int64, device=device)]
        for (dtype, width), members in kinds.items():
            held = [
                own[i].values.to(dtype).reshape(-1, *width) for i in members if own[i] is not None
            ]
            values = torch.cat(held) if held else torch.empty(0, *width, dtype=dtype, device=device)
            mine.append(values.mul_(factor))
        found = swapped(
            self._group,
            mine,
            [
                [sum(max(everybody[i][rank], 0) for i in at) for at in (chosen, *kinds.values())]
                for rank in range(self._group.size)
            ],
        )
        indices: dict[int, list[torch.Tensor]] = {i: [] for i in chosen}
        values_of: dict[int, list[torch.Tensor]] = {i: [] for i in chosen}
        for rank, (index, *rest) in enumerate(found):
            _deal(index, chosen, rank, everybody, indices)
            for part, members in zip(rest, kinds.values(), strict=True):
                _deal(part, members, rank, everybody, values_of)
        return [
            Rows(torch.cat(indices[i]), torch.cat(values_of[i]), self.leaves[i]._buf.shape)
            for i in chosen
        ]


def _deal(
    part: torch.Tensor, members: list[int], rank: int, everybody: list[list[int]], to: dict
) -> None:
    """Cuts what one process has of several tables up, a piece for each."""
    counts = [max(everybody[i][rank], 0) for i in members]
    for i, piece in zip(members, part.split(counts), strict=True):
        to[i].append(piece)
