"""LARS: momentum with a learning rate for each layer, in place of Momentum."""

from __future__ import annotations

import warnings
from typing import Any

from paddle.core.user_frame import outside
from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.distributed.fleet.meta_optimizers.programs import (
    add_decay,
    replace,
    rule_of,
    updates,
)
from paddle.ops.optimizer import updates as rules

__all__ = ["LarsOptimizer"]


def is_momentum(optimizer: Any) -> bool:
    """Whether an optimizer is Momentum, of 2.0 or 1.x."""
    return rule_of(optimizer) is rules.momentum


class LarsOptimizer(MetaOptimizer):
    """``strategy.lars``: the operators ``momentum`` become ``lars_momentum``.

    Accumulators and learning rate stay those of the user's Momentum, so its ``set_lr`` and
    ``state_dict`` go on working.
    """

    name = "lars"
    may_wrap = frozenset({"sync_batch_norm", "graph_execution"})

    def obstacle(self, context: Context) -> str:
        """Says what is missing: the job may be of another kind, the optimizer another one."""
        if not is_momentum(context.user_optimizer):
            return f"the optimizer is {type(context.user_optimizer).__name__}, not Momentum"
        return super().obstacle(context)

    def rewrite(self, context: Context) -> None:
        """Replaces the updates."""
        given = context.strategy.lars_configs
        block = context.main_program.global_block()
        nesterov = False
        for op in [op for op in updates(block) if op.type == "momentum"]:
            (param,), (grad,) = op.input("Param"), op.input("Grad")
            if op.attr("regularization_method") == "l2_decay":
                add_decay(op, grad, param, op.attr("regularization_coeff"))
            nesterov = nesterov or bool(op.attr("use_nesterov"))
            spared = any(text in param for text in given["exclude_from_weight_decay"])
            attrs = {
                "mu": op.attr("mu"),
                "lars_coeff": given["lars_coeff"],
                "lars_weight_decay": 0.0 if spared else given["lars_weight_decay"],
                "epsilon": given["epsilon"],
            }
            slots = ("Param", "Grad", "Velocity", "LearningRate")
            replace(op, "lars_momentum", {slot: op.input(slot) for slot in slots}, attrs)
        if nesterov:
            warnings.warn(
                "fleet: lars has no Nesterov's form; use_nesterov=True has no effect.",
                stacklevel=outside(),
            )
