"""Mixed precision in branches and loops: one variable with values of different dtypes."""

from __future__ import annotations

from paddle.core.dtype import VarType
from paddle.core.mode import current_hook

_LOW = (VarType.FP16, VarType.BF16)


def joint_type(one: VarType, other: VarType) -> VarType | None:
    """The type of a variable that is of 16 bits on one way and of 32 bits on another.

    Under ``auto_cast`` the operators decide about the precision of their results, and what the user
    wrote is not wrong. 32 bits hold both values as they are.

    Args:
        one (VarType): the type on one way.
        other (VarType): the type on the other way.

    Returns:
        VarType|None: float32; None where there is no auto_cast, or another difference.
    """
    if VarType.FP32 not in (one, other) or not (one in _LOW or other in _LOW):
        return None
    hook = current_hook()
    while hook is not None:
        if getattr(hook, "key", None) is not None:
            return VarType.FP32
        hook = getattr(hook, "inner", None)
    return None
