"""The meta-optimizers, each a file; TABLE has them in the order in which they wrap one another."""

from __future__ import annotations

from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.distributed.fleet.meta_optimizers.graph_execution import GraphExecution

__all__ = ["Context", "MetaOptimizer", "TABLE"]

# From the outermost to the innermost: whoever may wrap another one stands before it.
TABLE: tuple[type[MetaOptimizer], ...] = (GraphExecution,)
