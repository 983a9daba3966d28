"""Says after which operator every value can be dropped."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.liveness import last_uses
from paddle.analysis.marks import DROPS
from paddle.ir.program import Program


def mark_lifetimes(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Marks the last use of each variable, in every block.

    Matches variables that are not stored, fed or fetched. Uses by gradients count where the
    gradient needs the value; where the shape is enough, the plan keeps just that. Sub-blocks count
    as uses of the operator they belong to. The attribute ``_drops`` lists what ends there.
    """
    for block in program.blocks:
        kept = {n for n, var in block.vars.items() if var._persistable}
        if block.idx == 0:
            kept.update(fetches)
            kept.update(feeds)
        for op, names in zip(block.ops, last_uses(block, kept), strict=True):
            if names:
                op.attrs[DROPS] = names
