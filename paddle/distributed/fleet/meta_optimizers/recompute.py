"""Recomputation: values between checkpoints are computed again for backward."""

from __future__ import annotations

import warnings
from typing import Any

from paddle.core.user_frame import outside
from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.ir.autodiff.backward import append_backward
from paddle.ir.current import default_startup_program, program_guard

__all__ = ["RecomputeOptimizer"]


class RecomputeOptimizer(MetaOptimizer):
    """``strategy.recompute``: gradients made with ``recompute_configs["checkpoints"]``."""

    name = "recompute"
    may_wrap = frozenset({"dgc", "lars", "lamb", "sync_batch_norm", "graph_execution"})

    def obstacle(self, context: Context) -> str:
        """Says what is missing: the job may be of another kind, the optimizer another one."""
        if not context.strategy.recompute_configs["checkpoints"]:
            return 'recompute_configs["checkpoints"] is empty'
        return super().obstacle(context)

    def apply(self, context: Context) -> None:
        """Wraps the optimizer: gradients are made with checkpoints."""
        given = context.strategy.recompute_configs
        if given.get("enable_offload"):
            warnings.warn(
                'fleet: recompute_configs["enable_offload"] has no effect: checkpoints stay where '
                "they are computed.",
                stacklevel=outside(),
            )
        context.optimizer = _Recomputing(context.optimizer, list(given["checkpoints"]))


class _Recomputing:
    """An optimizer whose gradients are made with checkpoints.

    Args:
        optimizer (Any): does the rest.
        checkpoints (list[str]): the values that are kept.
    """

    def __init__(self, optimizer: Any, checkpoints: list[str]) -> None:
        self._optimizer, self._checkpoints = optimizer, checkpoints

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_optimizer"], name)

    def backward(
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> list:
        """Adds the gradient operators, and those that compute values again."""
        listed = parameter_list or getattr(self._optimizer, "_parameter_list", None) or None
        with program_guard(loss.block.program, startup_program or default_startup_program()):
            return append_backward(
                loss, listed, no_grad_set, callbacks, checkpoints=self._checkpoints
            )

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
    ) -> tuple[list, list]:
        """Adds gradients and updates."""
        startup = startup_program or default_startup_program()
        with program_guard(loss.block.program, startup):
            pairs = self.backward(loss, startup, parameter_list, no_grad_set)
            return self._optimizer.apply_gradients(pairs), pairs
