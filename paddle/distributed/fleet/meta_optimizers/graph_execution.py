"""Plain data parallel training of a Program: gradients are averaged before they are used."""

from __future__ import annotations

from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.distributed.fleet.meta_optimizers.programs import skipped_passes
from paddle.distributed.transpiler.inserting import (
    insert_allreduce,
    insert_broadcast,
    insert_comm_init,
)

__all__ = ["GraphExecutionOptimizer"]


class GraphExecutionOptimizer(MetaOptimizer):
    """Puts ``c_allreduce_sum`` behind every gradient; there without being asked for.

    It carries out ``fuse_all_reduce_ops`` with ``fuse_grad_size_in_MB``, ``build_strategy`` and
    ``execution_strategy``.
    """

    name = "graph_execution"

    def asked(self, context: Context) -> bool:
        """Always, where there are no parameter servers."""
        return context.role_maker._is_collective

    def disable(self, strategy: object) -> None:
        """It has no switch."""

    def rewrite(self, context: Context) -> None:
        """Adds the exchange of gradients, and notes how the Program is to run."""
        self._compile(context)
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

    def _compile(self, context: Context) -> None:
        """Notes what the Executor has to know when it runs the Program."""
        strategy, main = context.strategy, context.main_program
        main.__dict__["_fleet_skipped"] = skipped_passes(strategy.build_strategy)
        main.__dict__["_fleet_iterations"] = strategy.execution_strategy.num_iteration_per_run
