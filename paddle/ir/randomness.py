"""Which operators draw random numbers, so that running them again gives something else."""

from __future__ import annotations

from paddle.ir.operator import Operator
from paddle.ir.program import Program

_WORDS = (
    "rand",
    "dropout",
    "bernoulli",
    "multinomial",
    "exponential",
    "sampling",
    "nce",
    "gumbel",
    "poisson",
    "rrelu",
    "gaussian_inplace",
    "shuffle_batch",
)


def draws(op: Operator) -> bool:
    """Says whether an operator draws random numbers, going by its type."""
    return any(word in op.type for word in _WORDS)


def random_in(program: Program) -> bool:
    """Says whether any operator of a Program draws random numbers."""
    return any(draws(op) for block in program.blocks for op in block.ops)
