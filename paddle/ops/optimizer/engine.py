"""Updates of lists of parameters by a rule: what eager optimizers and plans of Programs share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from paddle.ops.optimizer.counting import PowerCount, UpdateCount
from paddle.ops.optimizer.row_updates import put_back, rows_of
from paddle.ops.optimizer.rules import UpdateRule

Buffers = list[torch.Tensor]


class FusedUpdate:
    """A rule with its settings and the number of updates, for parameters that agree in them.

    Args:
        rule (UpdateRule): what is computed.
        settings (dict): keyword arguments of its function.
        count (UpdateCount|PowerCount): how many updates there were.
    """

    __slots__ = ("count", "rule", "settings")

    def __init__(
        self, rule: UpdateRule, settings: dict[str, Any], count: UpdateCount | PowerCount
    ) -> None:
        self.rule, self.settings, self.count = rule, settings, count

    def update(self, params: Buffers, grads: Buffers, states: list[Buffers], rate: float) -> None:
        """Writes the new values of parameters and of their accumulators.

        Args:
            params (list): the buffers to update.
            grads (list): their gradients.
            states (list): for each accumulator of the rule a list of buffers.
            rate (float): the learning rate.
        """
        function = self.rule.update
        counted = self.count.advance(params)
        if len(counted) == 1:
            function(params, grads, *states, rate, *counted[0], **self.settings)
            return
        for i, one in enumerate(counted):
            at = slice(i, i + 1)
            held = (slot[at] for slot in states)
            function(params[at], grads[at], *held, rate, *one, **self.settings)

    def update_rows(
        self,
        tables: Buffers,
        gradients: Sequence[tuple[torch.Tensor, torch.Tensor]],
        states: list[Buffers],
        rate: float,
    ) -> None:
        """Writes new values of the rows that have a gradient.

        Args:
            tables (list): the buffers to update.
            gradients (list): for each its row numbers, without repetition, and a value for each.
            states (list): for each accumulator of the rule a list of buffers.
            rate (float): the learning rate.
        """
        rule, settings = self.rule, self.settings
        counted = self.count.advance(tables)
        if rule.over_table is not None:
            settings = rule.over_table(tables, rate, **settings)
        # One table after the other: its rows are still in the cache when they are written back.
        for i, (rows, values) in enumerate(gradients):
            whole = [tables[i], *(slot[i] for slot in states)]
            params, *held = parts = [rows_of(t, rows) for t in whole]
            now = counted[0] if len(counted) == 1 else counted[i]
            if rule.counts == "steps":
                now = (now[0][i : i + 1],)
            rule.update([params], [values], *([h] for h in held), rate, *now, **settings)
            put_back(whole, rows, parts)
