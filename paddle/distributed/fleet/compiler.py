"""Chooses which of the strategies that a user switched on are carried out together."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from paddle.core.user_frame import outside
from paddle.distributed.fleet.meta_optimizers import TABLE
from paddle.distributed.fleet.meta_optimizers.base import Context, MetaOptimizer

_ALWAYS_THERE = "graph_execution"  # nobody asks for it: it counts for nothing in the choice
_told: set[str] = set()


def choose(
    context: Context, table: Sequence[type[MetaOptimizer]] | None = None
) -> list[MetaOptimizer]:
    """Returns the longest chain that 2.0's white lists allow, the outermost first.

    What is left out is switched off in ``context.strategy``; a warning says why, once.

    Args:
        context (Context): the call of ``minimize``.
        table (list, optional): the meta-optimizers; None: all there are.
    """
    possible, reasons = [], {}
    for kind in TABLE if table is None else table:
        meta = kind()
        if not meta.asked(context):
            continue
        obstacle = meta.obstacle(context)
        if obstacle:
            reasons[meta.name] = obstacle
            meta.disable(context.strategy)
        else:
            possible.append(meta)
    chain = longest_chain(possible)
    for meta in possible:
        if meta not in chain:
            if meta.name != _ALWAYS_THERE:
                reasons[meta.name] = _refusal(meta, chain)
            meta.disable(context.strategy)
    _tell(reasons)
    return chain


def longest_chain(possible: Sequence[MetaOptimizer]) -> list[MetaOptimizer]:
    """Returns the longest list of which every member may wrap all that follow.

    Of several the first is taken that the order of the table gives.
    """
    asked = [meta for meta in possible if meta.name != _ALWAYS_THERE]
    best: list[MetaOptimizer] = []
    for i, first in enumerate(asked):
        chain = [first]
        for other in asked[i + 1 :]:
            if _fits(chain, other):
                chain.append(other)
        if len(chain) > len(best):
            best = chain
    last = [meta for meta in possible if meta.name == _ALWAYS_THERE]
    return best + [meta for meta in last if _fits(best, meta)]


def _fits(chain: Sequence[MetaOptimizer], other: MetaOptimizer) -> bool:
    return all(other.name in meta.may_wrap for meta in chain)


def _refusal(meta: MetaOptimizer, chain: Sequence[MetaOptimizer]) -> str:
    """Which member of the chain does not go with one that was left out."""
    for other in chain:
        if meta.name not in other.may_wrap and other.name not in meta.may_wrap:
            return f"it does not go together with {other.name}"
    names = ", ".join(other.name for other in chain)
    return f"it does not go together with {names}"


def _tell(reasons: dict[str, str]) -> None:
    """Warns of what is left out, of each once."""
    new = {name: why for name, why in reasons.items() if f"{name} {why}" not in _told}
    if not new:
        return
    _told.update(f"{name} {why}" for name, why in new.items())
    lines = [f"strategy.{name} is left out, because {why}." for name, why in new.items()]
    warnings.warn("fleet: " + " ".join(lines), stacklevel=outside())
