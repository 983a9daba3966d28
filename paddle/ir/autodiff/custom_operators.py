"""``custom_gradient`` and ``gradient_hook``: operators for gradients of the user's; their removal.

``custom_gradient`` passes its values on, ``gradient_hook`` has no result. The sub-block of either
computes gradients of gradients, and runs nowhere itself.
"""

from __future__ import annotations

from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.unused import drop_unused_blocks

CUSTOM, HOOK = "custom_gradient", "gradient_hook"
# Attributes: the names of what the block takes and gives, in the block itself.
GIVEN, MADE = "given", "made"


def remove_custom_gradients(program: Program) -> None:
    """Replaces the operators by what they compute, once all gradients have been added."""
    changed = False
    for block in program.blocks:
        kept: list[Operator] = []
        for op in block.ops:
            if op.type not in (CUSTOM, HOOK):
                kept.append(op)
                continue
            changed = True
            if op.type == CUSTOM:
                role = {"op_role": op.role}
                for value, out in zip(op.inputs["Value"], op.outputs["Out"], strict=True):
                    slots = {"X": [value]}, {"Out": [out]}
                    kept.append(Operator(block, "assign", *slots, dict(role), op.location))
        if len(kept) != len(block.ops) or changed:
            block.ops = kept
    if changed:
        drop_unused_blocks(program)
        program.note_change()
