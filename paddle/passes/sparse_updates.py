"""Tables with ``is_sparse`` look-ups: updates and gradients by the rows that occur, none dense."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddle.analysis.def_use import DefUse, made_from, replace, single
from paddle.executor.emitters.updates import MERGED, settings
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program

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
        def_use = DefUse(block, fetches)
        table, grad = single(op, "Param") or "", single(op, "Grad") or ""
        found = _look_ups(def_use, table, grad, op)
        if found:
            _join(block, op, found, def_use.definition(grad))
    program._changed()


def gather_gradients(program: Program, fetches: Sequence[str], tables: dict[str, str]) -> None:
    """Lets the gradients of tables be made as row numbers and values.

    Args:
        program (Program): changed in place.
        fetches (Sequence[str]): what else is asked for.
        tables (dict[str, str]): fetched gradient -> the stored variable it belongs to. Those that
            come from look-ups with ``is_sparse`` alone are replaced.
    """
    block = program.global_block()
    for grad, table in tables.items():
        def_use = DefUse(block, fetches)
        found = _look_ups(def_use, table, grad, None)
        if found and min(block.var(table).shape) > 0:
            total = def_use.definition(grad)
            attrs = {"padding": _padding(found), "shape": list(block.var(table).shape)}
            outputs = {"Out": [grad]}
            last = found[-1] if total is None else total
            replace(
                block, last, made_from(last, "rows_gradient", _looked_up(found), outputs, attrs)
            )
            for gone in [o for o in found if o is not last]:
                replace(block, gone, None)
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


def _look_ups(def_use: DefUse, table: str, grad: str, reader: Operator | None) -> list[Operator]:
    """The gradients of look-ups that alone make up a table's gradient, or none.

    ``reader`` is the one operator that may read the gradient; None where it is a result.
    """
    maker = def_use.definition(grad)
    if maker is None or not _private(def_use, grad, reader):
        return []
    if maker.type == "sum":
        names = maker.inputs["X"]
        makers = [def_use.definition(n) for n in names]
        if len(set(names)) != len(names) or not all(_private(def_use, n, maker) for n in names):
            return []
    else:
        makers = [maker]
    found = [m for m in makers if m is not None and _is_sparse(m, table)]
    if len(found) != len(makers):
        return []
    kept = [(m, [single(m, "Ids") or "", single(m, "Out@GRAD") or ""]) for m in found]
    end = reader or maker
    return found if all(m is end or def_use.unchanged(names, m, end) for m, names in kept) else []


def _private(def_use: DefUse, name: str, reader: Operator | None) -> bool:
    return def_use.is_temporary(name) and def_use.uses.get(name, []) == [o for o in [reader] if o]


def _is_sparse(op: Operator, table: str | None) -> bool:
    return op.type in _LOOK_UPS and bool(op.attrs.get("is_sparse")) and single(op, "W") == table


def _join(block: Block, op: Operator, look_ups: list[Operator], total: Any) -> None:
    slots = MERGED[op.type][1]
    attrs = {"kind": op.type, **settings(op)}
    attrs["epsilon_outside"] = bool(op.attrs.get("_epsilon_outside"))
    attrs["look_ups"] = [len(look_ups)]
    attrs["padding"] = _padding(look_ups)
    inputs = {s: op.inputs[s] for s in (*slots, "LearningRate")} | _looked_up(look_ups)
    outputs = {f"{s}Out": op.inputs[s] for s in slots}
    replace(block, op, made_from(op, "rows_update", inputs, outputs, attrs))
    for gone in {id(o): o for o in [*look_ups, total]}.values():
        replace(block, gone, None)


def _looked_up(look_ups: list[Operator]) -> dict[str, list[str]]:
    return {
        "Ids": [o.inputs["Ids"][0] for o in look_ups],
        "OutGrad": [o.inputs["Out@GRAD"][0] for o in look_ups],
    }


def _padding(look_ups: list[Operator]) -> list[int]:
    return [int(o.attrs.get("padding_idx", -1)) for o in look_ups]
