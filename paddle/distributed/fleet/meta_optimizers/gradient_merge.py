"""Gradients of several steps added up before parameters are updated once."""

from __future__ import annotations

from paddle.core.op import C
from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.distributed.fleet.meta_optimizers.programs import append, kept, refuse_sparse
from paddle.ir.block import Block
from paddle.ir.control.conditional import ConditionalBlock
from paddle.ir.current import program_guard
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.ops.collective import WAITS

__all__ = ["GradientMergeOptimizer", "merge_gradients"]

_EXCHANGES = ("c_allreduce_sum", *WAITS)


class GradientMergeOptimizer(MetaOptimizer):
    """``strategy.gradient_merge``: updates under a condition that holds every k-th step.

    The exchange between processes goes under the condition too: it happens once for k steps.
    """

    name = "gradient_merge"
    may_wrap = frozenset({"amp", "recompute", "lars", "lamb", "sync_batch_norm", "graph_execution"})

    def obstacle(self, context: Context) -> str:
        """Says what is missing: the job may be of another kind, the optimizer another one."""
        steps = context.strategy.gradient_merge_configs["k_steps"]
        if steps <= 1:
            return f'gradient_merge_configs["k_steps"] is {steps}, and merging begins with 2'
        return super().obstacle(context)

    def rewrite(self, context: Context) -> None:
        """Puts updates under a condition."""
        given = context.strategy.gradient_merge_configs
        merge_gradients(
            context.main_program, context.startup_program, context.params_grads,
            given["k_steps"], given["avg"],
        )  # fmt: skip


def merged_name(grad: str) -> str:
    """The variable in which a gradient is summed over the steps."""
    return f"{grad}@GradientMerge"


def merge_gradients(
    main: Program, startup: Program, params_grads: list, steps: int, average: bool
) -> None:
    """Moves what follows the gradients under a condition, and adds gradients up before.

    Args:
        main (Program): has all operators of a step.
        startup (Program): gets what fills the sums.
        params_grads (list): pairs (parameter, gradient).
        steps (int): how many steps lie between updates.
        average (bool): divide the sums by that.
    """
    block = main.global_block()
    pairs = [(p, g) for p, g in params_grads if g is not None]
    names = [(p.name, g.name) for p, g in pairs]
    refuse_sparse(block, names, "gradient_merge", "sums over steps are dense")
    moved = _taken_out(block, {g.name for _, g in pairs})
    sums = {
        g.name: kept(main, startup, merged_name(g.name), p.shape, g.dtype, 0.0) for p, g in pairs
    }
    with program_guard(main, startup), main._optimized_guard([]):
        due = _every(main, startup, steps)
        for _, grad in pairs:
            total = sums[grad.name]
            append(block, "elementwise_add", {"X": grad, "Y": total}, {"Out": total})
        with ConditionalBlock([due], is_scalar_condition=True).block() as inner:
            _fill(inner, moved, sums, steps if average else 1)


def _every(main: Program, startup: Program, steps: int) -> Variable:
    """A condition that holds in every k-th run."""
    count = kept(main, startup, "gradient_merge_step", [1], "int32", 0)
    period = kept(main, startup, "gradient_merge_k", [1], "int32", steps)
    zero = kept(main, startup, "gradient_merge_zero", [1], "int32", 0)
    block = main.global_block()
    append(block, "increment", {"X": count}, {"Out": count}, {"step": 1.0})
    append(block, "elementwise_mod", {"X": count, "Y": period}, {"Out": count}, {"axis": -1})
    return C.equal(count, zero, axis=-1)


def _taken_out(block: Block, grads: set[str]) -> list[Operator]:
    """Takes the operators out of a block that belong under the condition."""

    def belongs(op: Operator) -> bool:
        if op.role & Role.OPTIMIZE:
            return True
        read = op.input_arg_names
        return op.type in _EXCHANGES and bool(read) and set(read) <= grads

    moved = [op for op in block.ops if belongs(op)]
    block.ops = [op for op in block.ops if not belongs(op)]
    return moved


def _fill(inner: Block, moved: list[Operator], sums: dict[str, Variable], divisor: int) -> None:
    """Puts the updates into the conditional block, on sums in place of gradients."""
    if divisor > 1:
        for total in sums.values():
            append(inner, "scale", {"X": total}, {"Out": total}, {"scale": 1.0 / divisor})
    outer = inner.parent_block
    assert outer is not None
    for op in moved:
        op.block = inner
        for name, total in sums.items():
            op._rename_input(name, total.name)
            op._rename_output(name, total.name)
        inner.ops.append(op)
    _move_temporaries(inner, outer, moved)
    for total in sums.values():
        attrs = {"shape": list(total.shape), "dtype": int(total.dtype), "value": 0.0}
        append(inner, "fill_constant", {}, {"Out": total}, attrs)


def _move_temporaries(inner: Block, outer: Block, moved: list[Operator]) -> None:
    """Variables that only the moved operators use go with them."""
    used = {n for op in outer.ops for n in [*op.input_arg_names, *op.output_arg_names]}
    for op in moved:
        for name in op.output_arg_names:
            var = outer.vars.get(name)
            if var is None or var.persistable or var.is_data or name in used:
                continue
            inner.vars[name] = outer.vars.pop(name)
            inner.vars[name].block = inner
