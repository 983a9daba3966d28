"""Gradients that a Program keeps in one flat tensor to exchange them: exchanged one by one again.

``coalesce_tensor`` lets variables be parts of the memory of another one. Here a variable has its
own buffer, and buckets are made by ``fuse_all_reduce``.
"""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.def_use import made_from
from paddle.core.errors import UnimplementedError
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.fuse_all_reduce import waits

_EXCHANGES = ("c_", "allreduce", "broadcast")
_ELEMENTWISE = ("c_allreduce_", "c_reduce_", "c_broadcast", "scale")


def part_flat_gradients(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Replaces what is done to a flat tensor by the same for each of its parts.

    Matches sums and other exchanges, and ``scale``, of the FusedOutput of a ``coalesce_tensor``, in
    every block. Not matched: a FusedOutput that nothing exchanges, such as the weights of a
    recurrent layer. Other operators that read or write an exchanged one raise, for they would see,
    or leave, other values than they should.
    """
    for block in program.blocks:
        for op in [o for o in block.ops if o.type == "coalesce_tensor"]:
            flat = op.outputs["FusedOutput"][0]
            names = [(o, (*o.input_arg_names, *o.output_arg_names)) for o in block.ops]
            users = [o for o, told in names if o is not op and flat in told]
            if any(o.type.startswith(_EXCHANGES) for o in users):
                _part(block, op, flat, users)
    program.note_change()


def _part(block: Block, flat_op: Operator, flat: str, users: list[Operator]) -> None:
    parts = flat_op.outputs["Output"]
    made: list[Operator] = []
    for op in block.ops:
        if op is flat_op:
            if not _overwritten(block, op):
                op.outputs = {**op.outputs, "FusedOutput": [_unused(block, flat)]}
                made.append(op)
        elif not any(op is user for user in users):
            made.append(op)
        elif op.type == "depend" and flat not in op.output_arg_names:
            made.append(made_from(op, "assign", {"X": op.inputs["X"]}, op.outputs, {}))
        elif waits(op):
            continue
        elif op.inputs.get("X") == [flat] == op.outputs.get("Out") and _elementwise(op):
            attrs = {k: v for k, v in op.attrs.items() if not k.startswith("op_")}
            made += [made_from(op, op.type, {"X": [n]}, {"Out": [n]}, attrs) for n in parts]
        else:
            raise UnimplementedError(
                f"operator {op.type} works on {flat!r}, flat memory of other variables, which "
                "have memory of their own here." + (f"\n  {op.location}" if op.location else ""),
                hint="make the Program without flat gradients (fuse_all_reduce_ops=False, "
                "fuse_grad_merge=False); exchanges are joined here anyway",
            )
    block.ops = made


def _elementwise(op: Operator) -> bool:
    return op.type.startswith(_ELEMENTWISE)


def _overwritten(block: Block, flat_op: Operator) -> bool:
    """Whether every part is written anew before something reads it."""
    if flat_op.attrs.get("copy_data") and flat_op.inputs["Input"] == flat_op.outputs["Output"]:
        return True  # its values stay what they are
    waiting = set(flat_op.outputs["Output"])
    at = next(i for i, op in enumerate(block.ops) if op is flat_op)
    for op in block.ops[at + 1 :]:
        if op.sub_blocks or not waiting.isdisjoint(op.input_arg_names):
            return False
        waiting -= set(op.output_arg_names)
        if not waiting:
            return True
    return False


def _unused(block: Block, flat: str) -> str:
    var = block._var_recursive(flat)
    return block.create_var(name=f"{flat}@WHOLE", shape=[-1], dtype=var.dtype).name
