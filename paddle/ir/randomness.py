"""Which operators draw random numbers, so that running them again gives something else."""

from __future__ import annotations

from paddle.ir.operator import Operator
from paddle.ir.program import Program


def draws(op: Operator) -> bool:
    """Says whether an operator draws random numbers, as its definition declares."""
    known = op.definition
    return known is not None and known.random


def random_in(program: Program) -> bool:
    """Says whether any operator of a Program draws random numbers."""
    return any(draws(op) for block in program.blocks for op in block.ops)
