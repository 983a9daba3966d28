"""Marks what depends on stored variables and constants alone, in Programs that write neither."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from paddle.analysis.frozen import frozen_variables
from paddle.analysis.marks import HOISTED
from paddle.core.op import computed
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program
from paddle.ir.randomness import draws

# A result may be this many times larger than what it is made of, or have this many elements:
# larger ones would cost more memory than they save time.
_GROWTH = 4
_SMALL = 1 << 18


def fix_statistics(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Takes away the statistics that a norm hands on as it read them, so that nothing writes them.

    Matches ``batch_norm`` and its kin in test mode or with global statistics, whose ``MeanOut`` and
    ``VarianceOut`` are the variables they read, and operators of quantisation in test mode, which
    hand on their scale.
    """
    for block in program.blocks:
        for op in block.ops:
            known = op.definition
            if known is None:
                continue
            fixed = op.attrs.get("is_test", known.attrs.get("is_test"))
            if not (fixed or op.attrs.get("use_global_stats")):
                continue
            for slot in known.outputs:
                if slot.writes and op.outputs.get(slot.name) == op.inputs.get(slot.writes):
                    op.outputs.pop(slot.name, None)


def freeze(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Marks operators of the global block that give the same in every run.

    Matches what reads nothing but stored variables that the Program never writes, constants, and
    results of such operators. The plan computes it when it is bound, and keeps what is read later.
    Not matched: random numbers, operators without a kernel, with effects, or that write into an
    input; results that are fetched, stored or written twice, or that are much larger than what they
    are made of. Such operators of sub-blocks come into the global block first.
    """
    _lift(program, feeds, fetches)
    for op in Frozen(program, feeds, fetches).operators:
        op.attrs[HOISTED] = True


def _lift(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Moves what is the same in every run out of sub-blocks, before the operator that has them."""
    top = program.global_block()
    for holder in [op for op in top.ops if op.sub_blocks]:
        found = Frozen(program, feeds, fetches)
        lifted = [op for block in _within(holder) for op in found.of(block)]
        for op in lifted:
            for name in op.output_arg_names:
                if name != EMPTY:
                    top.vars[name] = op.block.vars.pop(name)
                    top.vars[name].block = top
            op.block.ops = [other for other in op.block.ops if other is not op]
            op.block = top
        at = next(i for i, op in enumerate(top.ops) if op is holder)
        top.ops[at:at] = lifted


def _within(op: Operator) -> Iterator[Block]:
    """The sub-blocks of an operator, and those within them."""
    for block in op.sub_blocks:
        yield block
        for inner in block.ops:
            yield from _within(inner)


class Frozen:
    """What is the same in every run of a Program for inference.

    Args:
        program (Program): no operator has a gradient.
        feeds (Sequence[str]): variables that are given.
        fetches (Sequence[str]): variables that are asked for.

    Attributes:
        operators (list[Operator]): those of the global block that need to run only once.
        names (set[str]): their results, and the stored variables that nothing writes.
    """

    def __init__(self, program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
        ops = [op for block in program.blocks for op in block.ops]
        self._writers = Counter(n for op in ops for n in op.output_arg_names)
        self._outside = {*feeds, *fetches}
        self.operators: list[Operator] = []
        self.names = frozen_variables(program, feeds)
        for op in program.global_block().ops:
            if self._holds(op):
                self.operators.append(op)
                self.names.update(op.output_arg_names)

    def of(self, block: Block) -> list[Operator]:
        """The operators of a sub-block that give the same in every run; notes their results."""
        found = []
        for op in block.ops:
            made = {n for n in op.output_arg_names if n != EMPTY}
            alone = all(
                n not in b.vars for n in made for b in block.program.blocks if b is not block
            )
            if alone and self._holds(op):
                found.append(op)
                self.names.update(made)
        return found

    def _holds(self, op: Operator) -> bool:
        known = computed(op.type)
        if known is None or draws(op) or known.effects or op.sub_blocks:
            return False
        if any(slot.writes for slot in known.outputs if op.outputs.get(slot.name)):
            return False
        if not all(n in self.names for n in op.input_arg_names if n != EMPTY):
            return False
        made = [n for n in op.output_arg_names if n != EMPTY]
        if not all(self._is_temporary(op, n) for n in made):
            return False
        given = sum(_elements(op, n) or 0 for n in op.input_arg_names if n != EMPTY)
        return all(_fits(_elements(op, n), given) for n in made)

    def _is_temporary(self, op: Operator, name: str) -> bool:
        var = op.block.vars.get(name)
        if var is None or var.persistable or var.is_data or name in self._outside:
            return False
        return self._writers[name] == 1


def _fits(made: int | None, given: int) -> bool:
    return made is None or made <= max(_SMALL, _GROWTH * given)


def _elements(op: Operator, name: str) -> int | None:
    """How many numbers a variable holds; None where that is not known."""
    shape = op.block._var_recursive(name).shape
    return None if -1 in shape else math.prod(shape)
