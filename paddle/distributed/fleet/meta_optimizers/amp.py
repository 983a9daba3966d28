"""Mixed precision: operators in 16 bits, a scaled loss, overflows agreed upon by all processes."""

from __future__ import annotations

from paddle.core.dtype import VarType
from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer
from paddle.distributed.fleet.meta_optimizers.programs import all_ops, insert, scratch
from paddle.ir.block import Block
from paddle.ir.operator import Operator, Role
from paddle.static.amp import AutoMixedPrecisionLists, decorate

__all__ = ["AMPOptimizer"]


class AMPOptimizer(MetaOptimizer):
    """``strategy.amp``: what :func:`paddle.static.amp.decorate` does, in several processes."""

    name = "amp"
    may_wrap = frozenset({"recompute", "lars", "lamb", "sync_batch_norm", "graph_execution"})

    def apply(self, context: Context) -> None:
        """Wraps the optimizer: casts and a scaled loss."""
        given = dict(context.strategy.amp_configs)
        names = ("custom_white_list", "custom_black_list", "custom_black_varnames")
        lists = AutoMixedPrecisionLists(*(set(given.pop(name)) for name in names))
        context.optimizer = decorate(context.optimizer, lists, **given)

    def rewrite(self, context: Context) -> None:
        """Lets all processes know of an overflow."""
        if context.worker_num == 1:
            return
        for block, op in all_ops(context.main_program):
            if op.type == "check_finite_and_unscale":
                share_overflow(block, op)


def share_overflow(block: Block, op: Operator, ring: int = 0) -> None:
    """Lets every process of a ring know of an overflow that one of them found.

    Args:
        block (Block): of the operator.
        op (Operator): ``check_finite_and_unscale``.
        ring (int): the number of the group.
    """
    at = op.idx + 1
    found = op.output("FoundInfinite")[0]
    number = scratch(block, block._var_recursive(found), f"{found}@INT", dtype=VarType.INT32)
    kinds = [int(VarType.BOOL), int(VarType.INT32)]
    there = {"in_dtype": kinds[0], "out_dtype": kinds[1]}
    back = {"in_dtype": kinds[1], "out_dtype": kinds[0]}
    role = Role.OPTIMIZE
    insert(block, at, "cast", {"X": found}, {"Out": number}, there, role)
    insert(
        block, at + 1, "c_allreduce_max", {"X": number}, {"Out": number}, {"ring_id": ring}, role
    )
    insert(
        block, at + 2, "c_sync_comm_stream", {"X": number}, {"Out": number}, {"ring_id": ring}, role
    )
    insert(block, at + 3, "cast", {"X": number}, {"Out": found}, back, role)
