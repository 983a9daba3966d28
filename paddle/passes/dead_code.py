"""Removes operators whose results nobody needs."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.ir.block import Block
from paddle.ir.cloning import reads
from paddle.ir.operator import Operator
from paddle.ir.program import Program

EFFECT = "_effect"  # attribute: keep the operator in any case


def remove_dead_code(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Keeps what leads to a fetched or persistable variable, or has an effect.

    Matches operators of the global block, those with sub-blocks as a whole, and the ``feed`` and
    ``fetch`` of saved Programs. What a needed sub-block or gradient reads is needed.
    """
    block = program.global_block()
    needed = set(fetches)
    kept: list[Operator] = []
    for op in reversed(block.ops):
        if op.type in ("feed", "fetch"):
            continue
        outs = set(op.output_arg_names)
        for sub in op.sub_blocks:
            outs |= outer_writes(sub)
        if outs & needed or has_effect(op) or any(_persists(block, n) for n in outs):
            kept.append(op)
            needed |= reads(op)
    block.ops = kept[::-1]
    program.note_change()


def has_effect(op: Operator) -> bool:
    """Says whether an operator, or one in its sub-blocks, does more than compute."""
    known = op.declared
    if op.attrs.get(EFFECT) or (known is not None and known.effects):
        return True
    return any(has_effect(o) for sub in op.sub_blocks for o in sub.ops)


def outer_writes(block: Block) -> set[str]:
    """Names of outer variables that the operators of a block write."""
    names: set[str] = set()
    for op in block.ops:
        names |= {n for n in op.output_arg_names if n not in block.vars}
        for sub in op.sub_blocks:
            names |= {n for n in outer_writes(sub) if n not in block.vars}
    return names


def _persists(block: Block, name: str) -> bool:
    var = block._find_var_recursive(name)
    return var is not None and var._persistable
