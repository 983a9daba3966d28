"""Which results of operators are gradients of rows (SelectedRows) for PaddlePaddle.

Here they are tensors like others, and plans find out where only rows need be computed; Programs of
1.x say so of their variables, and clipping and penalties of 1.x ask for it.
"""

from __future__ import annotations

from collections.abc import Callable

from paddle.ir.operator import EMPTY, Operator

# Operators whose gradient of a table is one of rows where they say is_sparse, and its slot.
SPARSE = {
    "lookup_table_grad": "W@GRAD", "lookup_table_v2_grad": "W@GRAD", "nce_grad": "Weight@GRAD",
    "hierarchical_sigmoid_grad": "W@GRAD",
}  # fmt: skip
ALONE = ("scale", "cast", "elementwise_mul")
"""Operators that change each row by itself."""
ONCE = ("clip", "clip_by_norm")
"""Such operators for which each row has to be there once."""
KEEPING = ("merge_selected_rows", *ALONE, *ONCE)


def rows_written(op: Operator, known: Callable[[str], bool]) -> list[str]:
    """The results of an operator that are gradients of rows; ``known`` says which operands are."""
    slot = SPARSE.get(op.type)
    if slot is not None:
        own = op.type == "hierarchical_sigmoid_grad" and not op.inputs.get("PathTable")
        found = op.outputs.get(slot, []) if op.attrs.get("is_sparse") and not own else []
        return [name for name in found if name != EMPTY]
    given = op.inputs.get("X", [])
    if op.type in KEEPING or op.type == "sum":
        return list(op.outputs["Out"]) if given and all(map(known, given)) else []
    return []
