"""The names under which 2.0 has training with parameter servers among its meta-optimizers."""

from __future__ import annotations

from paddle.core.errors import PreconditionNotMetError
from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer

__all__ = ["ParameterServerGraphOptimizer", "ParameterServerOptimizer"]


class ParameterServerOptimizer(MetaOptimizer):
    """``strategy.a_sync``: stands in no chain, as a job with servers has a runtime of its own.

    ``fleet.distributed_optimizer(...).minimize(loss)`` rewrites its Programs.
    """

    name = "a_sync"

    def obstacle(self, context: Context) -> str:
        """Says what is missing: the job may be of another kind, the optimizer another one."""
        return "the job has no parameter servers" if context.role_maker._is_collective else ""

    def rewrite(self, context: Context) -> None:
        """Raises: this is done elsewhere."""
        raise PreconditionNotMetError(
            f"{type(self).__name__}: Programs of a job with parameter servers are rewritten by its "
            "runtime.",
            hint="call fleet.distributed_optimizer(optimizer, strategy).minimize(loss)",
        )


class ParameterServerGraphOptimizer(ParameterServerOptimizer):
    """The same for a Program that several threads of a worker run."""

    graph = True
