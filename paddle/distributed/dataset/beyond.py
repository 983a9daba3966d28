"""Explains a look-up that failed: which id of which file and line the table does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.ir.operator import Operator

_LOOKUPS = ("lookup_table", "lookup_table_v2")


def _has_height(op: Operator) -> bool:
    """Whether an operator looks up in a table of so many rows; fleet's take any ids."""
    if op.type == "distributed_lookup_table":
        return any(op.attrs.get("table_names") or ())
    return op.type in _LOOKUPS


def told(
    program: Any, feed: dict[str, Any], place_of: Callable[[str, Any], str] | None
) -> str | None:
    """What is wrong with the ids of a batch; None: nothing that this can tell.

    Args:
        program (Program): what ran over the batch.
        feed (dict): the batch.
        place_of (callable|None): finds file and line of a value by its slot and a condition.
    """
    for block in program.blocks:
        for op in block.ops:
            if not _has_height(op):
                continue
            (table,) = op.input("W")
            height = block.var(table).shape[0]
            for slot in (name for name in op.input("Ids") if name in feed):
                value = feed[slot]
                ids = np.ravel(value[0] if isinstance(value, tuple) else value)
                wrong = np.flatnonzero((ids < 0) | (ids >= height))
                if len(wrong):
                    return _explained(op.type, slot, table, height, int(ids[wrong[0]]), place_of)
    return None


def _explained(
    kind: str, slot: str, table: str, height: int, id: int, place_of: Callable | None
) -> str:
    place = place_of(slot, lambda values: values == id) if place_of is not None else ""
    where = f" ({place})" if place else ""
    return (
        f"{kind}: expected ids from 0 to {height - 1}, the rows of {table!r}, but slot {slot!r} "
        f"has {id}{where}."
    )
