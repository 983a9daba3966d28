"""Which stored variables of a Program keep their values whatever is run."""

from __future__ import annotations

from collections.abc import Iterable

from paddle.ir.program import Program


def frozen_variables(program: Program, feeds: Iterable[str] = ()) -> set[str]:
    """Returns the stored variables that no operator of a Program writes.

    Args:
        program (Program): all of its blocks are looked at.
        feeds (Iterable[str]): variables that are given from outside in each run.
    """
    stored = {n for block in program.blocks for n, v in block.vars.items() if v.persistable}
    for block in program.blocks:
        for op in block.ops:
            if op.type != "fetch":
                stored.difference_update(op.output_arg_names)
    return stored.difference(feeds)
