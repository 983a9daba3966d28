"""Tables with ``is_sparse`` look-ups: updates and gradients by the rows that occur, none dense."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddle.analysis.def_use import DefUse, made_from, single
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ops.optimizer.rules import RULES, UpdateRule
from paddle.ops.optimizer.updates import rule_of
from paddle.passes.merge_optimizers import (
    assigned_by,
    updated_by,
    updated_outputs,
    updates_in_place,
)

ROWS = "@ROWS"  # behind the name of a gradient, of its rows
_LOOK_UPS = ("lookup_table_v2_grad", "lookup_table_grad")
# The slots of the rows of a gradient and of the gradient, and what leaves a gradient of rows one.
_NUMBERS = {
    "lookup_table_v2_grad": ("Ids", "W@GRAD"), "lookup_table_grad": ("Ids", "W@GRAD"),
    "nce_grad": ("SampleLabels", "Weight@GRAD"),
    "hierarchical_sigmoid_grad": ("PathTable", "W@GRAD"),
}  # fmt: skip
_ROW_WISE = ("clip", "clip_by_norm", "scale", "elementwise_mul", "elementwise_div", "cast")
_READERS = (
    "merge_selected_rows", "get_tensor_from_selected_rows", "split_selected_rows", "send",
)  # fmt: skip


def update_rows(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Replaces the gradients of look-ups and the update of their table by one operator.

    Matches operators whose rule leaves the other rows alone (``sgd``, ``adagrad``, and ``adam``
    with ``lazy_mode``), of a table whose gradient comes from look-ups with ``is_sparse`` alone:
    one, or several whose gradients are summed. Not matched: a gradient that something else reads
    (clipping, a penalty, a fetch), tables and accumulators that something assigns before, and row
    numbers that are overwritten before the update. Such gradients are dense, with the same numbers
    but for ``adam``: where what is done to the gradient leaves it one of rows, as clipping does,
    the rows are found all the same, for ``lazy_mode`` and for how the bias is corrected.
    """
    block = program.global_block()
    _gather_for_readers(block, fetches)
    def_use = DefUse(block, fetches)
    for op, rule in [(o, r) for o in block.ops if (r := _rule_by_rows(block, o)) is not None]:
        table, grad = single(op, "Param") or "", single(op, "Grad") or ""
        found = _look_ups(def_use, table, grad, op)
        if found and not _assigned_before(def_use, op, rule):
            _join(def_use, op, rule, found, def_use.definition(grad))
    def_use.commit()
    for op in [o for o in block.ops if o.type in RULES and RULES[o.type].rows_ahead]:
        _update_found_rows(def_use, op, RULES[op.type])
    def_use.commit()


def _assigned_before(def_use: DefUse, op: Operator, rule: UpdateRule) -> bool:
    """Whether something assigns what an update finds in the scope, before it."""
    return any(
        def_use.precedes(other, op) and name in assigned_by(other)
        for name in updated_by(op, rule)
        for other in def_use.definitions.get(name, ())
    )


def _update_found_rows(def_use: DefUse, op: Operator, rule: UpdateRule) -> None:
    """An update whose dense gradient is one of rows for PaddlePaddle."""
    leaving = ("EpsilonTensor",) if op.attrs.get("_epsilon_outside") else ()
    if not updates_in_place(def_use.block, op, rule, leaving):
        return
    grad = single(op, "Grad") or ""
    found = _row_numbers(def_use, grad, op)
    if not found or _assigned_before(def_use, op, rule):
        return
    attrs = {"kind": op.type, **rule.settings_of(op.attrs)}
    attrs["epsilon_outside"] = bool(op.attrs.get("_epsilon_outside"))
    inputs = {s: op.inputs[s] for s in (*rule.updated, "LearningRate")}
    if rule.by_rows(op.attrs):
        inputs |= {"Ids": [name for name, _ in found], "OutGrad": [grad]}
        attrs |= {"look_ups": [len(found)], "padding": [skip for _, skip in found], "whole": True}
        kind = "rows_update"
    else:
        inputs |= {"Grad": [grad]}
        kind, attrs["ahead"] = "merged_update", True
    def_use.substitute(op, [made_from(op, kind, inputs, updated_outputs(rule, inputs), attrs)])


def _row_numbers(def_use: DefUse, grad: str, reader: Operator) -> list[tuple[str, int]] | None:
    """The variables with the numbers of a gradient's rows, and which row of each has none.

    None where the gradient is not one of rows.
    """
    writer = def_use.definition(grad)
    if writer is None or any(grad in names for names in writer.inputs.values()):
        return None  # what changes it in place may have had any gradient before
    if writer.type in _ROW_WISE:
        names = [single(writer, "X") or ""]
    elif writer.type == "sum":
        names = writer.inputs["X"]
    else:
        numbers, made = _NUMBERS.get(writer.type, ("", ""))
        ids = single(writer, numbers)
        if not ids or not writer.attrs.get("is_sparse") or writer.outputs.get(made) != [grad]:
            return None
        if not def_use.unchanged([ids], writer, reader):
            return None
        return [(ids, int(writer.attrs.get("padding_idx", -1)))]
    found = [_row_numbers(def_use, name, reader) for name in names]
    if any(one is None for one in found):
        return None
    return [pair for one in found for pair in one or ()]


def gather_gradients(program: Program, fetches: Sequence[str], tables: dict[str, str]) -> None:
    """Lets the gradients of tables be made as row numbers and values.

    Args:
        program (Program): changed in place.
        fetches (Sequence[str]): what else is asked for.
        tables (dict[str, str]): fetched gradient -> the stored variable it belongs to. Those that
            come from look-ups with ``is_sparse`` alone are replaced.
    """
    block = program.global_block()
    def_use = DefUse(block, fetches)
    for grad, table in tables.items():
        found = _look_ups(def_use, table, grad, None)
        if found and min(block.var(table).shape) > 0:
            _gather(def_use, table, grad, found)
    def_use.commit()


def _gather(def_use: DefUse, table: str, grad: str, found: list[Operator]) -> None:
    total = def_use.definition(grad)
    attrs = {"padding": _padding(found), "shape": list(def_use.block.var(table).shape)}
    last = found[-1] if total is None else total
    made = made_from(last, "rows_gradient", _looked_up(found), {"Out": [grad]}, attrs)
    def_use.substitute(last, [made])
    for gone in [o for o in found if o is not last]:
        def_use.substitute(gone)


def _gather_for_readers(block: Block, fetches: Sequence[str]) -> None:
    """Makes gradients row numbers and values where an operator on such reads them."""
    for op in [o for o in block.ops if o.type in _READERS]:
        def_use = DefUse(block, fetches)
        grad = single(op, "X") or ""
        writer = def_use.definition(grad)
        first = def_use.definition(writer.inputs["X"][0]) if _is_sum(writer) else writer  # type: ignore
        table = single(first, "W") if first is not None and first.type in _LOOK_UPS else None
        found = _look_ups(def_use, table, grad, op) if table else []
        if table and found:
            _gather(def_use, table, grad, found)
            def_use.commit()
            continue
        numbers = _row_numbers(def_use, grad, op)
        if numbers:
            var = block._var_recursive(grad)
            taken = block.create_var(
                name=block.unused_name(grad + ROWS), shape=var.shape, dtype=var.dtype
            )
            attrs = {"padding": [skip for _, skip in numbers]}
            inputs = {"Ids": [name for name, _ in numbers], "X": [grad]}
            made = made_from(op, "rows_of_table", inputs, {"Out": [taken.name]}, attrs)
            block.ops.insert(block.ops.index(op), made)
            op.inputs["X"] = [taken.name]


def _is_sum(op: Operator | None) -> bool:
    return op is not None and op.type == "sum"


def _rule_by_rows(block: Block, op: Operator) -> UpdateRule | None:
    """The rule of an operator that may change only the rows of a table that have a gradient."""
    rule = rule_of(op.type)
    if rule is None or not rule.by_rows(op.attrs):
        return None
    leaving = ("EpsilonTensor",) if op.attrs.get("_epsilon_outside") else ()
    return rule if updates_in_place(block, op, rule, leaving) else None


def _look_ups(def_use: DefUse, table: str, grad: str, reader: Operator | None) -> list[Operator]:
    """The gradients of look-ups that alone make up a table's gradient, or none.

    ``reader`` is the one operator that may read the gradient; None where it is a result.
    """
    writer = def_use.definition(grad)
    if writer is None or not _private(def_use, grad, reader):
        return []
    if writer.type == "sum":
        names = writer.inputs["X"]
        writers = [def_use.definition(n) for n in names]
        if len(set(names)) != len(names) or not all(_private(def_use, n, writer) for n in names):
            return []
    else:
        writers = [writer]
    found = [m for m in writers if m is not None and _is_sparse(m, table)]
    if len(found) != len(writers):
        return []
    kept = [(m, [single(m, "Ids") or "", single(m, "Out@GRAD") or ""]) for m in found]
    end = reader or writer
    return found if all(m is end or def_use.unchanged(names, m, end) for m, names in kept) else []


def _private(def_use: DefUse, name: str, reader: Operator | None) -> bool:
    return def_use.is_temporary(name) and def_use.uses.get(name, []) == [o for o in [reader] if o]


def _is_sparse(op: Operator, table: str | None) -> bool:
    return op.type in _LOOK_UPS and bool(op.attrs.get("is_sparse")) and single(op, "W") == table


def _join(
    def_use: DefUse, op: Operator, rule: UpdateRule, look_ups: list[Operator], total: Any
) -> None:
    attrs = {"kind": op.type, **rule.settings_of(op.attrs)}
    attrs["epsilon_outside"] = bool(op.attrs.get("_epsilon_outside"))
    attrs["look_ups"] = [len(look_ups)]
    attrs["padding"] = _padding(look_ups)
    inputs = {s: op.inputs[s] for s in (*rule.updated, "LearningRate")} | _looked_up(look_ups)
    outputs = updated_outputs(rule, inputs)
    def_use.substitute(op, [made_from(op, "rows_update", inputs, outputs, attrs)])
    for gone in {id(o): o for o in [*look_ups, total]}.values():
        def_use.substitute(gone)


def _looked_up(look_ups: list[Operator]) -> dict[str, list[str]]:
    return {
        "Ids": [o.inputs["Ids"][0] for o in look_ups],
        "OutGrad": [o.inputs["Out@GRAD"][0] for o in look_ups],
    }


def _padding(look_ups: list[Operator]) -> list[int]:
    return [int(o.attrs.get("padding_idx", -1)) for o in look_ups]
