"""Plain data parallel training of a Program: gradients are averaged before they are used."""

from __future__ import annotations

import importlib.util

from paddle.core.errors import UnimplementedError
from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer

_TRANSPILER = "paddle.distributed.transpiler.collective"


class GraphExecution(MetaOptimizer):
    """Puts ``c_allreduce_sum`` behind every gradient; there without being asked for."""

    name = "graph_execution"

    def asked(self, context: Context) -> bool:
        return context.role_maker._is_collective

    def disable(self, strategy: object) -> None:
        """It has no switch."""

    def rewrite(self, context: Context) -> None:
        if context.worker_num == 1:
            return
        if importlib.util.find_spec(_TRANSPILER) is None:
            raise UnimplementedError(
                "fleet.minimize: static Programs in several processes are not part of this version."
            )
        transpiler = importlib.import_module(_TRANSPILER).GradAllReduce()
        endpoints = context.role_maker._get_trainer_endpoints()
        transpiler.transpile(
            context.startup_program,
            context.main_program,
            context.worker_index,
            endpoints,
            endpoints[context.worker_index],
            False,
        )
