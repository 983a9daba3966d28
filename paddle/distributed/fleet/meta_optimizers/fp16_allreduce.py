"""Gradients exchanged in 16 bits: half of what goes over the network."""

from __future__ import annotations

from paddle.core.dtype import VarType
from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.distributed.fleet.meta_optimizers.gradient_merge import merged_name
from paddle.distributed.fleet.meta_optimizers.programs import (
    all_ops,
    insert,
    scratch,
    sparse_gradient,
)
from paddle.distributed.transpiler.inserting import grads_of
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ops.collective import WAITS

__all__ = ["FP16AllReduceOptimizer"]


class FP16AllReduceOptimizer(MetaOptimizer):
    """``strategy.fp16_allreduce``: casts around each exchange of float32 gradients."""

    name = "fp16_allreduce"
    may_wrap = frozenset({
        "gradient_merge", "localsgd", "adaptive_localsgd", "recompute", "lars", "lamb",
        "sync_batch_norm", "graph_execution",
    })  # fmt: skip

    def rewrite(self, context: Context) -> None:
        """Adds casts around exchanges of gradients, not around sums that the user wrote."""
        grads = {g for _, g in grads_of(context.main_program)}
        grads |= {merged_name(g) for g in grads}
        for block, op in all_ops(context.main_program):
            if op.type == "c_allreduce_sum" and op.input("X")[0] in grads:
                (name,) = op.input("X")
                wide = block._var_recursive(name).dtype == VarType.FP32
                if wide and [name] == op.output("Out") and not sparse_gradient(block, name):
                    _in_16_bits(block, op, name)


def _in_16_bits(block: Block, op: Operator, name: str) -> None:
    wide = block._var_recursive(name)
    narrow = scratch(block, wide, f"{name}@FP16", dtype=VarType.FP16)
    kinds = int(VarType.FP32), int(VarType.FP16)
    there = {"in_dtype": kinds[0], "out_dtype": kinds[1]}
    back = {"in_dtype": kinds[1], "out_dtype": kinds[0]}
    op._rename_input(name, narrow.name)
    op._rename_output(name, narrow.name)
    at = op.idx
    insert(block, at, "cast", {"X": name}, {"Out": narrow}, there, op.role)
    end = at + 2  # as late as possible: the exchange goes on until somebody reads
    while end < len(block.ops) and not _touches(block.ops[end], name):
        if block.ops[end].type in WAITS:
            block.ops[end]._rename_input(name, narrow.name)
            block.ops[end]._rename_output(name, narrow.name)
        end += 1
    insert(block, end, "cast", {"X": narrow}, {"Out": name}, back, op.role)


def _touches(op: Operator, name: str) -> bool:
    """Whether an operator needs the value, and does not only wait for it."""
    if op.type in WAITS:
        return False
    return name in op.input_arg_names or name in op.output_arg_names
