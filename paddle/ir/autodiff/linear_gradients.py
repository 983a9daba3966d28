"""Whether a gradient that the user wrote is linear, so that parts may go through it one by one."""

from __future__ import annotations

from paddle.ir.autodiff.custom_operators import CUSTOM, GIVEN, HOOK, MADE
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program


def not_linear(program: Program) -> Operator | None:
    """Returns a custom gradient or hook that may make something else of a sum than of its parts."""
    for block in program.blocks:
        for op in block.ops:
            if op.type in (CUSTOM, HOOK) and not _is_linear(op):
                return op
    return None


def _is_linear(op: Operator) -> bool:
    block: Block = op.attrs["sub_block"]
    found = set(op.attrs[GIVEN])
    for inner in block.ops:
        if not any(n in found for n in inner.input_arg_names):
            continue
        if not _keeps_sums(inner, found):
            return False
        found.update(inner.output_arg_names)
    return all(n == EMPTY or n in found for n in op.attrs[MADE])


def _keeps_sums(op: Operator, given: set[str]) -> bool:
    """Whether the results are linear in those inputs that are given, the others being constant."""
    known = op.definition
    for slots in [] if known is None else known.linear_in(op.inputs, op.attrs):
        inside = {n for slot in slots for n in op.inputs.get(slot, [])}
        if inside <= given and not given & (set(op.input_arg_names) - inside):
            return True
    return False
