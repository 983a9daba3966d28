"""What a recorded gradient operator of higher order leaves unsaid, found by its slots.

The gradient operator of a gradient operator runs that one's kernel again, which wants to know which
of its results are needed. Those are the ones that a gradient has come in for.
"""

from __future__ import annotations

from paddle.core.derive import needs_grad_name
from paddle.core.op import OpDef
from paddle.ir.operator import EMPTY, Operator


def inherited_flags(op: Operator) -> dict[str, tuple]:
    """Returns the flags ``needs_grad_1``, ... of the gradient operators that ``op`` differentiates.

    Args:
        op (Operator): a gradient operator; for one of first order the result is empty.
    """
    above = op.definition
    found: dict[str, tuple] = {}
    while above is not None and above.base is not None and above.base.base is not None:
        inner = above.base
        assert inner.base is not None
        found[needs_grad_name(inner.base)] = _flags(op, above, inner, inner.base)
        above = inner
    return found


def _flags(op: Operator, above: OpDef, inner: OpDef, forward: OpDef) -> tuple:
    flags: list[bool | tuple] = []
    for slot, source in zip(above.inputs[: len(inner.outputs)], forward.inputs, strict=True):
        names = op.inputs.get(slot.name, [])
        if source.many:
            length = len(op.inputs.get(source.name, names))
            came = [n != EMPTY for n in names]
            flags.append(tuple(came or [False] * length))
        else:
            flags.append(any(n != EMPTY for n in names))
    return tuple(flags)
