"""Batch normalization by the statistics of all processes together."""

from __future__ import annotations

from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.distributed.fleet.meta_optimizers.programs import all_ops
from paddle.ir.program import Program

__all__ = ["SyncBatchNormOptimizer"]


class SyncBatchNormOptimizer(MetaOptimizer):
    """``strategy.sync_batch_norm``: ``batch_norm`` becomes ``sync_batch_norm``.

    2.0 does this when it compiles the Program, so there is no such class there.
    """

    name = "sync_batch_norm"
    may_wrap = frozenset({"graph_execution"})

    def rewrite(self, context: Context) -> None:
        """Replaces batch normalization."""
        synchronize(context.main_program)


def synchronize(program: Program) -> None:
    """Replaces the operators of batch normalization that use the statistics of the batch.

    Args:
        program (Program): changed in place, backward too.
    """
    for _, op in all_ops(program):
        if op.type in ("batch_norm", "batch_norm_grad") and not (
            op.attrs.get("is_test") or op.attrs.get("use_global_stats")
        ):
            op.type = f"sync_{op.type}"
