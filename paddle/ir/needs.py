"""What one operator really reads: a gradient needs some values, and of others the shape alone."""

from __future__ import annotations

from paddle.core.derive import gradient_of
from paddle.ir.operator import EMPTY, Operator


def gradient_needs(op: Operator) -> tuple[list[str], list[str]]:
    """Splits the inputs of a gradient operator into those read and those whose shape is enough."""
    known = op.definition
    assert known is not None and known.base is not None
    gradient = gradient_of(known.base)
    shapes = {t.split(".")[0] for t in [*gradient.saves, *gradient.attrs] if "." in t}
    values = {t for t in gradient.saves if "." not in t}
    values |= {s.name for s in known.inputs if s.name not in shapes}
    read = [n for s in op.inputs for n in op.inputs[s] if s in values and n != EMPTY]
    return read, [n for s in op.inputs for n in op.inputs[s] if s in shapes and n != EMPTY]


def inner_names(op: Operator) -> set[str]:
    """Names of outer variables that the sub-blocks of an operator read or write."""
    names: set[str] = set()
    for sub in op.sub_blocks:
        for inner in sub.ops:
            found = {*inner.input_arg_names, *inner.output_arg_names} | inner_names(inner)
            names |= {n for n in found if n not in sub.vars}
    return names


def is_gradient(op: Operator) -> bool:
    """Says whether an operator is derived from a forward one."""
    known = op.definition
    return known is not None and known.base is not None


def shape_needs(op: Operator) -> list[str]:
    """Variables of which an operator reads the shape at most."""
    if is_gradient(op):
        return gradient_needs(op)[1]
    if op.type == "py_func":  # a backward function may return None, which means zeros
        return [n.partition("@GRAD")[0] for n in op.output_arg_names if "@GRAD" in n]
    return []
