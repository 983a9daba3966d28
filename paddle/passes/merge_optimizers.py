"""Joins the update operators of many parameters into one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddle.analysis.def_use import made_from
from paddle.executor.emitters.updates import ATTRIBUTES, MERGED, settings
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program


def merge_optimizers(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Joins updates of one kind, with the same settings and learning rate, where the last stands.

    Matches ``sgd``, ``momentum``, ``adam`` and ``adamw`` of parameters of one dtype, in the global
    block, and updates of tables by rows. Not matched: updates with master weights or further
    inputs, parameters that are updated twice, and updates between which something reads or writes
    what they write, or writes what they read.
    """
    block = program.global_block()
    groups: dict[Any, list[Operator]] = {}
    for op in block.ops:
        key = _key(block, op)
        if key is not None:
            groups.setdefault(key, []).append(op)
    for members in groups.values():
        if len(members) > 1 and _together(block, members, set(fetches)):
            _merge(block, members)
    program._changed()


def _key(block: Block, op: Operator) -> Any:
    """What updates must have in common; None for an operator that stays by itself."""
    if op.type == "rows_update" and not op.attrs["epsilon_outside"]:
        dtype = block._var_recursive(op.inputs["Param"][0]).dtype
        attrs = [op.attrs.get(a) for a in ATTRIBUTES]
        return op.attrs["kind"], op.type, op.inputs["LearningRate"][0], dtype, repr(attrs)
    if op.type not in MERGED:
        return None
    slots = MERGED[op.type][1]
    known = {*slots, "Grad", "LearningRate"}
    if {s for s, names in op.inputs.items() if names} != known:
        return None
    for slot in slots:
        if op.outputs.get(f"{slot}Out", op.inputs[slot]) != op.inputs[slot]:
            return None
        if not all(block._var_recursive(n).persistable for n in op.inputs[slot]):
            return None
    dtype = block._var_recursive(op.inputs["Param"][0]).dtype
    if block._var_recursive(op.inputs["Grad"][0]).dtype != dtype:
        return None
    return op.type, op.inputs["LearningRate"][0], dtype, repr(settings(op))


def _together(block: Block, members: list[Operator], fetches: set[str]) -> bool:
    """Says whether all may wait for the last: nothing between them looks at what they write."""
    at = {id(op): i for i, op in enumerate(block.ops)}
    inside = {id(op) for op in members}
    written = {n for op in members for n in op.output_arg_names}
    read = {n for op in members for n in op.input_arg_names}
    span = block.ops[at[id(members[0])] : at[id(members[-1])]]
    for op in span:
        if id(op) in inside:
            continue
        if written & {*op.input_arg_names, *op.output_arg_names} or read & set(op.output_arg_names):
            return False
        if op.sub_blocks:
            return False
    return len({op.inputs["Param"][0] for op in members}) == len(members)


def _merge(block: Block, members: list[Operator]) -> None:
    first, last = members[0], members[-1]
    by_rows = first.type == "rows_update"
    kind = first.attrs["kind"] if by_rows else first.type
    slots = MERGED[kind][1]
    given = (*slots, "Ids", "OutGrad") if by_rows else (*slots, "Grad")
    inputs = {s: [n for op in members for n in op.inputs[s]] for s in given}
    inputs["LearningRate"] = first.inputs["LearningRate"]
    outputs = {f"{s}Out": inputs[s] for s in slots}
    if by_rows:
        attrs = dict(first.attrs)
        for name in ("look_ups", "padding"):
            attrs[name] = [count for op in members for count in op.attrs[name]]
        merged = made_from(last, "rows_update", inputs, outputs, attrs)
    else:
        attrs = {"kind": kind, **settings(first)}
        merged = made_from(last, "merged_update", inputs, outputs, attrs)
    inside = {id(op) for op in members[:-1]}
    block.ops = [merged if op is last else op for op in block.ops if id(op) not in inside]
