"""Scalars of a Program that is written to a file: shape [1] also where a later release has []."""

from __future__ import annotations

from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program

_REDUCTIONS = frozenset(
    ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_all"]
    + ["reduce_any", "logsumexp", "frobenius_norm"]
)


def keep_one_dimension(program: Program) -> None:
    """Adds a ``reshape2`` to [1] behind operators that later releases let make a rank-0 tensor.

    Such a tensor cannot be stacked, concatenated or put into a tensor array beside others as one of
    shape [1] can. Where the value only goes into arithmetic nothing is added.

    Args:
        program (Program): is changed.
    """
    minded = {
        name for block in program.blocks for op in block.ops if not _easy(op)
        for name in op.input_arg_names
    }  # fmt: skip
    easy = [op for block in program.blocks for op in block.ops if _easy(op)]
    while True:
        more = {n for op in easy if _goes_on(op, minded) for n in op.input_arg_names}
        if more <= minded:
            break
        minded |= more
    for block in program.blocks:
        block.ops = [made for op in block.ops for made in _reshaped(block, op, minded)]
    program.note_change()


def _easy(op: Operator) -> bool:
    """Whether it gives the same numbers for either shape; those with blocks hand the shape on.

    Axes are counted from the end, for [] has no first one.
    """
    known = op.declared
    if known is None or not known.rank0 or op.sub_blocks:
        return False
    return all(op.attrs.get(name, -1) in (-1, None) for name in ("axis", "dim", "axes", "dims"))


def _goes_on(op: Operator, minded: set[str]) -> bool:
    """Whether the result of easy arithmetic is a scalar that somebody minds the shape of."""
    out = op.output_arg_names[0] if op.output_arg_names else ""
    var = op.block._find_var_recursive(out)
    return out in minded and var is not None and tuple(var.shape) == (1,)


def _reshaped(block: Block, op: Operator, minded: set[str]) -> list[Operator]:
    name = (op.outputs.get("Out") or [""])[0]
    var = block._find_var_recursive(name) if name in minded and _drops_all(block, op) else None
    if var is None or var.type != VarType.LOD_TENSOR or tuple(var.shape) != (1,):
        return [op]
    plain = {"dtype": var.dtype, "stop_gradient": True}
    raw = block.create_var(name=f"{name}.any_rank", shape=[1], **plain)
    shape = block.create_var(name=f"{name}.any_rank.shape", shape=[0, 1], **plain)
    op._rename_output(name, raw.name)
    outputs = {"Out": [name], "XShape": [shape.name]}
    attrs = {"shape": [1], "op_role": op.attrs.get("op_role", 0)}
    return [op, Operator(block, "reshape2", {"X": [raw.name]}, outputs, attrs, op.location)]


def _drops_all(block: Block, op: Operator) -> bool:
    """Whether an operator takes away every dimension of its input."""
    source = (op.inputs.get("X") or op.inputs.get("Input") or [""])[0]
    found = block._find_var_recursive(source)
    if found is None:
        return False
    rank = len(found.shape)
    if op.type in _REDUCTIONS:
        gone = op.attr("dim") if op.type != "logsumexp" else op.attr("axis")
        return not op.attr("keep_dim" if op.type != "logsumexp" else "keepdim") and (
            bool(op.attr("reduce_all")) or len(gone or ()) >= rank
        )
    if op.type in ("slice", "strided_slice"):
        return len(op.attr("decrease_axis") or ()) >= rank
    if op.type in ("arg_max", "arg_min"):
        return not op.attr("keepdims") and (bool(op.attr("flatten")) or rank == 1)
    return op.type in ("mean", "size", "squeeze2", "dot", "matmul_v2", "p_norm")
