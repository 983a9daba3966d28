"""Lets operators write into the memory of an input that nothing else needs."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.aliasing import IN_PLACE, Memory
from paddle.ir.program import Program


def mark_in_place(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Marks activations, sums, differences and products that can run in place.

    Matches an operator with an in-place form (``inplace=``) whose first operand is memory of its
    own (the result of a product, a convolution, a norm, another sum ...), is read by this
    operator alone, gradients and sub-blocks included, and is not fetched, fed or stored. So
    ``elementwise_add`` + ``relu``, or what follows a convolution, is one pass over new memory and
    one over memory that is still in the cache.

    The attribute ``_in_place`` then lists the arguments.
    """
    memory = Memory(program, fetches)
    for block in program.blocks:
        for op in block.ops:
            args = memory.arguments(op)
            if args is not None:
                op.attrs[IN_PLACE] = args
