"""Joins the update operators of many parameters into one."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.analysis.def_use import made_from
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ops.optimizer.rules import UpdateRule
from paddle.ops.optimizer.updates import rule_of
from paddle.passes.dead_code import outer_writes


def merge_optimizers(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Joins updates of one kind, with the same settings and learning rate, where the last stands.

    Matches operators that have an update rule, of parameters of one dtype, in the global block, and
    updates of tables by rows. Not matched: updates with master weights or further inputs,
    parameters that are updated twice, and updates between which something reads or writes what they
    write, or writes what they read. Nor what an operator before assigns: the merged update finds
    its values in the scope, which gets what was assigned when the run ends.
    """
    block = program.global_block()
    groups: dict[tuple, list[Operator]] = {}
    assigned: set[str] = set()
    for op in block.ops:
        rule = _rule(block, op)
        if rule is None:
            assigned |= assigned_by(op)
        elif assigned.isdisjoint(updated_by(op, rule)):
            groups.setdefault(_key(block, op, rule), []).append(op)
    for members in groups.values():
        if len(members) > 1 and _together(block, members, set(fetches)):
            _merge(block, members)
    program.note_change()


def _rule(block: Block, op: Operator) -> UpdateRule | None:
    """The rule of an operator that others may join; None for one that stays by itself."""
    if op.type == "rows_update":
        alone = op.attrs["epsilon_outside"] or op.attrs.get("whole")
        return None if alone else rule_of(op.attrs["kind"])
    rule = rule_of(op.type)
    if rule is None or not updates_in_place(block, op, rule):
        return None
    param, grad = (block._var_recursive(op.inputs[s][0]) for s in ("Param", "Grad"))
    return rule if param.dtype == grad.dtype else None


def updated_by(op: Operator, rule: UpdateRule) -> list[str]:
    """The variables that an update finds in the scope."""
    return [n for slot in rule.updated for n in op.inputs[slot]]


def assigned_by(op: Operator) -> set[str]:
    """The variables that an operator and its blocks assign."""
    return {*op.output_arg_names, *(n for sub in op.sub_blocks for n in outer_writes(sub))}


def _key(block: Block, op: Operator, rule: UpdateRule) -> tuple:
    """What updates that are joined must have in common."""
    dtype = block._var_recursive(op.inputs["Param"][0]).dtype
    settings = repr(rule.settings_of(op.attrs))
    outside = bool(op.attrs.get("_epsilon_outside"))
    return op.type, rule.op.name, op.inputs["LearningRate"][0], dtype, settings, outside


def updates_in_place(
    block: Block, op: Operator, rule: UpdateRule, leaving: Sequence[str] = ()
) -> bool:
    """Whether an operator has just the inputs of its rule, and updates stored variables in place.

    Args:
        block (Block): where it stands.
        op (Operator): the operator.
        rule (UpdateRule): its rule.
        leaving (Sequence[str]): further slots that it may have.
    """
    given = {s for s, names in op.inputs.items() if names}
    if given - set(leaving) != {*rule.updated, "Grad", "LearningRate"}:
        return False
    written = [(op.outputs.get(s.name), s.writes) for s in rule.op.outputs if s.writes in given]
    if any(names is not None and names != op.inputs[str(slot)] for names, slot in written):
        return False
    return all(block._var_recursive(n).persistable for n in updated_by(op, rule))


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
    rule = rule_of(first.attrs["kind"] if by_rows else first.type)
    assert rule is not None  # as _key asked for
    given = (*rule.updated, "Ids", "OutGrad") if by_rows else (*rule.updated, "Grad")
    inputs = {s: [n for op in members for n in op.inputs[s]] for s in given}
    inputs["LearningRate"] = first.inputs["LearningRate"]
    attrs = dict(first.attrs) if by_rows else {"kind": first.type, **rule.settings_of(first.attrs)}
    for name in ("look_ups", "padding") if by_rows else ():
        attrs[name] = [count for op in members for count in op.attrs[name]]
    if not by_rows:
        attrs["epsilon_outside"] = bool(first.attrs.get("_epsilon_outside"))
    kind = "rows_update" if by_rows else "merged_update"
    merged = made_from(last, kind, inputs, updated_outputs(rule, inputs), attrs)
    inside = {id(op) for op in members[:-1]}
    block.ops = [merged if op is last else op for op in block.ops if id(op) not in inside]


def updated_outputs(rule: UpdateRule, inputs: dict[str, list[str]]) -> dict[str, list[str]]:
    """The outputs of an operator that updates these inputs in place."""
    return {s.name: inputs[s.writes] for s in rule.op.outputs if s.writes in inputs}
