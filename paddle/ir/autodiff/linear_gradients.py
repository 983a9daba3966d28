"""Whether a gradient that the user wrote is linear, so that parts may go through it one by one."""

from __future__ import annotations

from paddle.ir.autodiff.custom_operators import CUSTOM, GIVEN, HOOK, MADE
from paddle.ir.block import Block
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program

# Operators that are linear in all that they read, and those that are so in one of two operands.
_LINEAR = frozenset([
    "assign", "cast", "concat", "elementwise_add", "elementwise_sub", "expand_as_v2", "expand_v2",
    "flatten_contiguous_range", "flip", "gather", "gather_nd", "index_select", "pad3d",
    "reduce_mean", "reduce_sum", "reshape2", "roll", "scale", "slice", "split", "squeeze2", "stack",
    "strided_slice", "sum", "tile", "transpose2", "unbind", "unsqueeze2", "unstack",
])  # fmt: skip
_BILINEAR = frozenset(["bmm", "dot", "elementwise_mul", "matmul", "matmul_v2", "mul"])
_QUOTIENT = "elementwise_div"


def not_linear(program: Program) -> Operator | None:
    """Returns a custom gradient or hook that may make something else of a sum than of its parts."""
    for block in program.blocks:
        for op in block.ops:
            if op.type in (CUSTOM, HOOK) and not _is_linear(op):
                return op
    return None


def _is_linear(op: Operator) -> bool:
    block: Block = op.attrs["sub_block"]
    found = set(op.attrs[GIVEN])
    for inner in block.ops:
        taken = [n in found for n in inner.input_arg_names]
        if not any(taken):
            continue
        if inner.type in _LINEAR:
            tensors = inner.inputs.get("X", []) + inner.inputs.get("Y", [])
            adds = inner.type in ("sum", "concat", "stack", "elementwise_add", "elementwise_sub")
            fits = not adds or all(n in found for n in tensors)
            fits = fits and not (inner.type == "scale" and inner.attrs.get("bias"))
        elif inner.type in _BILINEAR:
            fits = taken.count(True) == 1
        else:
            fits = inner.type == _QUOTIENT and not any(n in found for n in inner.inputs["Y"])
        if not fits:
            return False
        found.update(inner.output_arg_names)
    return all(n == EMPTY or n in found for n in op.attrs[MADE])
