"""Plain data parallel training of a Program: gradients are averaged before they are used."""

from __future__ import annotations

from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.distributed.transpiler.inserting import (
    insert_allreduce,
    insert_broadcast,
    insert_comm_init,
)

__all__ = ["GraphExecutionOptimizer"]


class GraphExecutionOptimizer(MetaOptimizer):
    """Puts ``c_allreduce_sum`` behind every gradient; there without being asked for.

    It carries out ``fuse_all_reduce_ops`` with ``fuse_grad_size_in_MB``.
    """

    name = "graph_execution"
    graph = True

    def asked(self, context: Context) -> bool:
        """Always, where there are no parameter servers."""
        return context.role_maker._is_collective

    def disable(self, strategy: object) -> None:
        """It has no switch."""

    def rewrite(self, context: Context) -> None:
        """Adds the exchange of gradients."""
        if context.worker_num == 1:
            return
        startup, strategy = context.startup_program, context.strategy
        endpoints = context.role_maker._get_trainer_endpoints()
        mine = endpoints[context.worker_index]
        insert_comm_init(startup, 0, context.worker_index, endpoints, mine)
        insert_broadcast(startup, [p.name for p in context.main_program.all_parameters()], 0)
        # Buckets of no size: each gradient goes alone.
        size = float(strategy.fuse_grad_size_in_MB) if strategy.fuse_all_reduce_ops else 0.0
        insert_allreduce(context.main_program, nranks=context.worker_num, bucket_mb=size)
