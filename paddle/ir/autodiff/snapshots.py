"""Copies of values that a gradient needs and a later operator overwrites."""

from __future__ import annotations

from typing import Any

from paddle.ir.operator import Operator, Role


def snapshot(op: Operator, name: str, written: bool) -> str:
    """Copies a variable next to an operator; returns the name of the copy.

    A plan makes no copy of it: the copy is another name for the same memory.

    Args:
        op (Operator): reads or writes the variable.
        name (str): the variable.
        written (bool): copy what the operator writes; else what it reads.
    """
    block = op.block
    made: dict[Any, str] = block.__dict__.setdefault("_snapshots", {})
    key = (op, name, written)
    if key not in made:
        var = block._var_recursive(name)
        copy = block.create_var(
            name=block.unused_name(f"{name}.kept"), type=var.type, shape=var._dims,
            dtype=var.dtype, stop_gradient=var.stop_gradient,
        )  # fmt: skip
        slots = {"X": [name]}, {"Out": [copy._name]}
        step = Operator(block, "assign", *slots, {"op_role": op.role & ~Role.LOSS}, op.location)
        at = next(i for i, other in enumerate(block.ops) if other is op)
        block.ops.insert(at + written, step)
        block.note_change()
        made[key] = copy._name
    return made[key]
