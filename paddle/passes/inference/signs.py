"""How far below 0 values lie."""

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


# Activations with a smallest result, a little below it.
_LEAST = {"gelu": -0.171, "swish": -0.279, "silu": -0.279, "hard_swish": -0.376}
_USUAL = {"hard_swish": {"threshold": 6.0, "scale": 6.0, "offset": 3.0}, "swish": {"beta": 1.0}}


def least_value(name: str, def_use: DefUse, depth: int = 16) -> float | None:
    """Returns a number that no value of a variable is below, where what makes it shows one.

    Args:
        name (str): the variable.
        def_use (DefUse): the chains of its block.
        depth (int): how many operators are looked at, one behind the other.
    """
    if never_negative(name, def_use, depth):
        return 0.0
    op = def_use.definition(name)
    if op is None or not depth:
        return None
    if op.type in _LEAST:
        usual = _USUAL.get(op.type, {})
        return _LEAST[op.type] if all(op.attrs.get(k, v) == v for k, v in usual.items()) else None
    if op.type not in _SIGN_KEPT or op.type.startswith("elementwise"):
        return None
    read = [n for n in op.inputs.get("X", []) if n != EMPTY]
    found = [least_value(n, def_use, depth - 1) for n in read]
    known = [v for v in found if v is not None]
    return min(known) if known and len(known) == len(found) else None
