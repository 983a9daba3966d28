"""Gives each value of a variable that is written several times a name of its own.

1.x writes reshapes, activations and sums over their inputs, so that one name stands for values of
different shapes, and nothing that asks what made a variable finds an answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from paddle.core.dtype import VarType
from paddle.core.errors import FrameworkError
from paddle.ir.block import Block
from paddle.ir.needs import inner_names
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.recording.shapes import infer_outputs


def assign_once(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Renames all but the last value of variables of the global block that are written again.

    Matches passing tensors that no operator writes in place. Not matched: what is fed or stored,
    what a sub-block mentions, what is read before it is written.
    """
    block = program.global_block()
    last = _rewritten(block, set(feeds))
    if not last:
        return
    current: dict[str, str] = {}
    made: Counter[str] = Counter()
    for op in block.ops:
        op.inputs = {s: [current.get(n, n) for n in names] for s, names in op.inputs.items()}
        earlier = False
        for slot, names in op.outputs.items():
            for i, name in enumerate(names):
                if last.get(name) is op:
                    current.pop(name, None)
                elif name in last:
                    made[name] += 1
                    names[i] = current[name] = _version(block, name, made[name])
                    earlier = True
            op.outputs[slot] = names
        if earlier:
            _look_again(op)


def _rewritten(block: Block, fed: set[str]) -> dict[str, Operator]:
    """The variables to rename, and the operator that writes each last."""
    writers: dict[str, list[Operator]] = {}
    excluded = set(fed)
    for op in block.ops:
        excluded |= inner_names(op)
        excluded |= {n for n in op.input_arg_names if n not in writers}  # read before it is written
        known = op.definition
        if known is None or any(slot.writes for slot in known.outputs):
            excluded.update(op.output_arg_names)
        for name in op.output_arg_names:
            writers.setdefault(name, []).append(op)
    return {
        name: ops[-1]
        for name, ops in writers.items()
        if len(ops) > 1 and name not in excluded and _passes_on(block, name)
    }


def _passes_on(block: Block, name: str) -> bool:
    var = block.vars.get(name)
    tensor = var is not None and var.type == VarType.LOD_TENSOR
    return tensor and var is not None and not var.persistable and not var.is_data


def _version(block: Block, name: str, count: int) -> str:
    """A new variable for an earlier value."""
    text = f"{name}@{count}"
    while text in block.vars:
        text += "_"
    old = block.vars[name]
    block.create_var(name=text, shape=list(old.shape), dtype=old.dtype, lod_level=old.lod_level)
    return text


def _look_again(op: Operator) -> None:
    """Finds the shape of what was stated of a later value."""
    try:
        infer_outputs(op)
    except (FrameworkError, LookupError, TypeError, ValueError):
        return  # it is as little known as before
