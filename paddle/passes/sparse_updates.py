"""Updates tables with ``is_sparse`` look-ups by the rows that occur, without a dense gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddle.executor.updates import MERGED, settings
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.graph import Uses, made_from, replace, single, unchanged

_LOOK_UPS = ("lookup_table_v2_grad", "lookup_table_grad")


def update_rows(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Replaces the gradients of look-ups and the update of their table by one operator.

    Matches ``sgd``, and ``adam`` with ``lazy_mode``, of a table whose gradient comes from look-ups
    with ``is_sparse`` alone: one, or several whose gradients are summed. Not matched: a gradient
    that something else reads (clipping, a penalty, a fetch), and tables whose row numbers are
    overwritten before the update. Such gradients are dense, with the same numbers but for
    ``lazy_mode``, which then has no effect, as in PaddlePaddle.
    """
    block = program.global_block()
    for op in [o for o in block.ops if _may_update_rows(block, o)]:
        uses = Uses(block, fetches)
        found = _look_ups(block, uses, op)
        if found:
            _join(block, op, found, uses.maker(op.inputs["Grad"][0]))
    program._changed()


def _may_update_rows(block: Block, op: Operator) -> bool:
    if op.type != "sgd" and not (op.type == "adam" and op.attrs.get("lazy_mode")):
        return False
    slots = MERGED[op.type][1]
    given = {s for s, names in op.inputs.items() if names}
    if op.attrs.get("_epsilon_outside"):
        given.discard("EpsilonTensor")
    if given != {*slots, "Grad", "LearningRate"}:
        return False
    held = all(block._var_recursive(n).persistable for s in slots for n in op.inputs[s])
    return held and all(op.outputs.get(f"{s}Out", op.inputs[s]) == op.inputs[s] for s in slots)


def _look_ups(block: Block, uses: Uses, op: Operator) -> list[Operator]:
    """The gradients of look-ups that alone make up the gradient of an update, or none."""
    table, grad = single(op, "Param"), single(op, "Grad") or ""
    maker = uses.maker(grad)
    if maker is None or not _private(uses, grad, op):
        return []
    if maker.type == "sum":
        names = maker.inputs["X"]
        makers = [uses.maker(n) for n in names]
        if len(set(names)) != len(names) or not all(_private(uses, n, maker) for n in names):
            return []
    else:
        makers = [maker]
    found = [m for m in makers if m is not None and _is_sparse(m, table)]
    if len(found) != len(makers):
        return []
    kept = [(m, [single(m, "Ids") or "", single(m, "Out@GRAD") or ""]) for m in found]
    return found if all(unchanged(block, names, m, op) for m, names in kept) else []


def _private(uses: Uses, name: str, reader: Operator) -> bool:
    return uses.passing(name) and uses.mentions.get(name) == [reader]


def _is_sparse(op: Operator, table: str | None) -> bool:
    return op.type in _LOOK_UPS and bool(op.attrs.get("is_sparse")) and single(op, "W") == table


def _join(block: Block, op: Operator, look_ups: list[Operator], total: Any) -> None:
    slots = MERGED[op.type][1]
    attrs = {"kind": op.type, **settings(op)}
    attrs["epsilon_outside"] = bool(op.attrs.get("_epsilon_outside"))
    attrs["look_ups"] = [len(look_ups)]
    attrs["padding"] = [int(o.attrs.get("padding_idx", -1)) for o in look_ups]
    inputs = {s: op.inputs[s] for s in (*slots, "LearningRate")}
    inputs["Ids"] = [o.inputs["Ids"][0] for o in look_ups]
    inputs["OutGrad"] = [o.inputs["Out@GRAD"][0] for o in look_ups]
    outputs = {f"{s}Out": op.inputs[s] for s in slots}
    replace(block, op, made_from(op, "rows_update", inputs, outputs, attrs))
    for gone in {id(o): o for o in [*look_ups, total]}.values():
        replace(block, gone, None)
