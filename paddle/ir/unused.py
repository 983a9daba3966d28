"""Removes variables and blocks of a Program that no operator uses."""

from __future__ import annotations

from paddle.ir.program import Program
from paddle.ir.variable import Parameter


def drop_unused_variables(program: Program) -> None:
    """Removes the variables that no operator mentions; what is fed or persistable in use stays."""
    used = {n for b in program.blocks for op in b.ops
            for n in (*op.input_arg_names, *op.output_arg_names)}  # fmt: skip
    for block in program.blocks:
        kept = {n: v for n, v in block.vars.items() if n in used or v.is_data}
        kept |= {n: v for n, v in block.vars.items() if isinstance(v, Parameter)}
        block.vars = {n: block.vars[n] for n in block.vars if n in kept}
    program.note_change()


def drop_unused_blocks(program: Program) -> None:
    """Empties blocks that no operator refers to any more; positions of the others stay."""
    used = {0}
    queue = [program.global_block()]
    while queue:
        for op in queue.pop().ops:
            for sub in op.sub_blocks:
                if sub.idx not in used:
                    used.add(sub.idx)
                    queue.append(sub)
    numbers = {old: new for new, old in enumerate(sorted(used))}
    program.blocks = [b for b in program.blocks if b.idx in used]
    for block in program.blocks:
        block.idx = numbers[block.idx]
        block.parent_idx = numbers.get(block.parent_idx, -1)
        block.forward_block_idx = numbers.get(block.forward_block_idx, -1)
    program.current_block_idx = 0
