"""Checks that a Program makes sense; in tests it runs after every pass."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.core.errors import PreconditionNotMetError
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program


def check(program: Program, feeds: Sequence[str], after: str) -> None:
    """Raises where an operator names a variable that is missing, or reads one before it is made.

    Args:
        program (Program): what to check.
        feeds (Sequence[str]): variables that are given.
        after (str): the pass that ran last, for the message.
    """
    for i, block in enumerate(program.blocks):
        if block.idx != i or block.program is not program:
            raise _broken(after, f"block {i} does not know its place")
        if block.idx and not 0 <= block.parent_idx < i:
            raise _broken(after, f"block {i} has parent {block.parent_idx}")
    _check_order(program.global_block(), set(feeds), after)


def _check_order(block: Block, defined: set[str], after: str) -> None:
    made = {n for op in block.ops for n in op.output_arg_names}
    for op in block.ops:
        if op.block is not block:
            raise _broken(after, f"operator {op.type} does not belong to its block")
        for name in [*op.input_arg_names, *op.output_arg_names]:
            if _variable(block, op, name) is None:
                raise _broken(after, f"operator {op.type} names {name!r}, which is no variable")
        for name in op.input_arg_names:
            var = block.vars.get(name)
            late = var is not None and not var.persistable and name in made
            if late and name not in defined and op.type not in ("while", "while_grad"):
                raise _broken(after, f"operator {op.type} reads {name!r} before it is made")
        defined.update(op.output_arg_names)
        for sub in op.sub_blocks:
            defined.update(n for o in sub.ops for n in o.output_arg_names if n not in sub.vars)


def _variable(block: Block, op: Operator, name: str) -> object:
    found = block._find_var_recursive(name)
    if found is None and block.forward_block_idx >= 0:
        found = block.program.blocks[block.forward_block_idx]._find_var_recursive(name)
    return found


def _broken(after: str, what: str) -> Exception:
    return PreconditionNotMetError(f"after pass {after!r} the Program is broken: {what}.")
