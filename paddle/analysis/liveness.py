"""Liveness: after which operator of a block a variable is used no more."""

from __future__ import annotations

from collections.abc import Iterable

from paddle.ir.block import Block
from paddle.ir.needs import gradient_needs, inner_names, is_gradient


def last_uses(block: Block, kept: Iterable[str]) -> list[list[str]]:
    """For each operator the variables that nothing after it needs.

    Args:
        block (Block): its own variables are looked at, not those of blocks around it.
        kept: names to keep to the end.
    """
    keep = set(kept)
    last: dict[str, int] = {}
    for i, op in enumerate(block.ops):
        names = gradient_needs(op)[0] if is_gradient(op) else op.input_arg_names
        for name in [*names, *op.output_arg_names, *inner_names(op)]:
            if name in block.vars and name not in keep:
                last[name] = i
    ends: list[list[str]] = [[] for _ in block.ops]
    for name, i in last.items():
        ends[i].append(name)
    return ends
