"""Which values are never negative."""

from __future__ import annotations

from paddle.analysis.def_use import DefUse
from paddle.ir.operator import EMPTY

_NEVER_NEGATIVE = frozenset({"relu", "relu6", "sigmoid", "softmax", "hard_sigmoid", "abs"})
# Operators of whose results none is negative if none of what they read is.
_SIGN_KEPT = frozenset({
    "pool2d", "reshape", "reshape2", "transpose", "transpose2", "flatten", "flatten2",
    "flatten_contiguous_range", "squeeze", "squeeze2", "unsqueeze", "unsqueeze2", "concat",
    "dropout", "int8_round", "elementwise_add", "elementwise_mul", "assign",
})  # fmt: skip


def never_negative(name: str, def_use: DefUse, depth: int = 16) -> bool:
    """Says whether the operators that make a variable show that it is never negative.

    Args:
        name (str): the variable.
        def_use (DefUse): the chains of its block.
        depth (int): how many operators are looked at, one behind the other.
    """
    op = def_use.definition(name)
    if op is None or not depth:
        return False
    if op.type in _NEVER_NEGATIVE:
        return True
    if op.type not in _SIGN_KEPT:
        return False
    read = [n for slot in ("X", "Y") for n in op.inputs.get(slot, []) if n != EMPTY]
    return bool(read) and all(never_negative(n, def_use, depth - 1) for n in read)
