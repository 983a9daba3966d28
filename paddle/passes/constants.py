"""Marks operators whose results never change, so that a plan computes them once."""

from __future__ import annotations

import math
from collections.abc import Sequence

from paddle.analysis.def_use import DefUse
from paddle.analysis.marks import HOISTED
from paddle.core.op import computed
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.randomness import draws

_LARGEST = 1 << 18  # elements; larger constants would hold memory between runs


def fold_constants(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Marks what depends on constants alone, so that a plan computes it when it meets a scope.

    Matches, in the global block, operators without inputs (``fill_constant``, ``eye``, ...) and
    those all of whose inputs are such results. Not matched: random numbers, operators without a
    kernel, with effects or that write into an input, results of more than 2**18 elements or of
    unknown size, and what is fetched, fed, stored, written twice or used by a sub-block.
    """
    block = program.global_block()
    def_use = DefUse(block, [*fetches, *feeds])
    folded: set[str] = set()
    for op in block.ops:
        if _constant(op, def_use, folded):
            op.attrs[HOISTED] = True
            folded.update(op.output_arg_names)


def _constant(op: Operator, def_use: DefUse, folded: set[str]) -> bool:
    known = computed(op.type)
    if known is None or known.effects or draws(op):
        return False
    if any(slot.writes for slot in known.outputs):
        return False
    if not all(n in folded for n in op.input_arg_names):
        return False
    return all(def_use.is_temporary(n) and _small(op, n) for n in op.output_arg_names)


def _small(op: Operator, name: str) -> bool:
    shape = op.block.vars[name].shape
    return -1 not in shape and math.prod(shape) <= _LARGEST
