"""LAMB: layer-wise adaptive moments for large batches, in place of Adam."""

from __future__ import annotations

from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.distributed.fleet.meta_optimizers.programs import replace, rule_of, updates
from paddle.ops.optimizer import updates as rules

__all__ = ["LambOptimizer"]

_SLOTS = ("Param", "Grad", "LearningRate", "Moment1", "Moment2", "Beta1Pow", "Beta2Pow")


class LambOptimizer(MetaOptimizer):
    """``strategy.lamb``: the operators ``adam`` become ``lamb``.

    Accumulators and learning rate stay those of the user's Adam.
    """

    name = "lamb"
    may_wrap = frozenset({"sync_batch_norm", "graph_execution"})

    def obstacle(self, context: Context) -> str:
        """Says what is missing: the job may be of another kind, the optimizer another one."""
        if rule_of(context.user_optimizer) is not rules.adam:
            return f"the optimizer is {type(context.user_optimizer).__name__}, not Adam"
        return super().obstacle(context)

    def rewrite(self, context: Context) -> None:
        """Replaces the updates."""
        given = context.strategy.lamb_configs
        block = context.main_program.global_block()
        for op in [op for op in updates(block) if op.type == "adam"]:
            (param,) = op.input("Param")
            spared = any(text in param for text in given["exclude_from_weight_decay"])
            attrs = {name: op.attr(name) for name in ("beta1", "beta2", "epsilon")}
            attrs["weight_decay"] = 0.0 if spared else given["lamb_weight_decay"]
            replace(op, "lamb", {slot: op.input(slot) for slot in _SLOTS}, attrs)
