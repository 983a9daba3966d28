"""Gradients of tables with ``is_sparse`` look-ups over processes: rows are gathered, none dense."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from paddle.analysis.def_use import made_from
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.fuse_all_reduce import MEAN, waits

_LOOK_UPS = ("lookup_table_v2_grad", "lookup_table_grad")


class _Table(NamedTuple):
    """What makes the gradient of one table."""

    exchange: Operator
    look_ups: list[Operator]
    total: Operator | None  # adds the gradients of several look-ups up


def gather_rows(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Exchanges what was looked up and its gradients, in place of gradients of whole tables.

    Matches ``c_allreduce_sum`` of a gradient that comes from look-ups with ``is_sparse`` alone, in
    the global block: their row numbers and the gradients of what they gave are gathered from all
    processes before, and the look-ups' gradients computed of these. Not matched: a gradient that
    something else reads or writes before all are exchanged.
    """
    block = program.global_block()
    if not any(op.type in _LOOK_UPS and op.attrs.get("is_sparse") for op in block.ops):
        return
    groups: dict[int, list[_Table]] = {}
    for op in block.ops:
        if op.type == "c_allreduce_sum" and op.inputs["X"] == op.outputs["Out"]:
            table = _table(block, op)
            if table is not None:
                groups.setdefault(op.attr("ring_id"), []).append(table)
    for ring, tables in groups.items():
        at = max(_position(block, t.exchange) for t in tables)
        _gather(block, ring, [t for t in tables if _may_wait(block, t, at)], at)
    program.note_change()


def _position(block: Block, op: Operator) -> int:
    return next(i for i, other in enumerate(block.ops) if other is op)


def _table(block: Block, exchange: Operator) -> _Table | None:
    """What leads to the gradient that is exchanged, if it is look-ups alone."""
    before = block.ops[: _position(block, exchange)]

    def writer(name: str) -> Operator | None:
        found = [o for o in before if name in o.output_arg_names and not waits(o)]
        return found[0] if len(found) == 1 else None

    if exchange.attrs.get(MEAN) or exchange.attrs.get("use_model_parallel"):
        return None
    made = writer(exchange.inputs["X"][0])
    if made is None:
        return None
    names = made.inputs["X"] if made.type == "sum" else list(exchange.inputs["X"])
    writers = [writer(n) for n in names] if made.type == "sum" else [made]
    look_ups = [w for w in writers if w is not None and _by_rows(w)]
    if len(look_ups) != len(names) or len(set(names)) != len(names):
        return None
    return _Table(exchange, look_ups, made if made.type == "sum" else None)


def _by_rows(op: Operator) -> bool:
    return op.type in _LOOK_UPS and bool(op.attrs.get("is_sparse"))


def _may_wait(block: Block, table: _Table, at: int) -> bool:
    """Whether nothing looks at the gradients, or changes what makes them, before a place."""
    own = [*table.look_ups, table.exchange, *([table.total] if table.total else [])]
    made = {n for op in own for n in op.output_arg_names}
    given = {n for op in table.look_ups for s in ("Ids", "Out@GRAD") for n in op.inputs[s]}
    first = min(_position(block, op) for op in table.look_ups)
    for op in block.ops[first : at + 1]:
        if any(op is other for other in own) or waits(op):
            continue
        if not made.isdisjoint({*op.input_arg_names, *op.output_arg_names}):
            return False
        if not given.isdisjoint(op.output_arg_names) or op.sub_blocks:
            return False
    return True


def _gather(block: Block, ring: int, tables: list[_Table], at: int) -> None:
    if not tables:
        return
    look_ups = [op for table in tables for op in table.look_ups]
    moved = [*look_ups, *(t.total for t in tables if t.total is not None)]
    gone = {id(op) for op in [*moved, *(t.exchange for t in tables)]}
    gone |= {id(op) for op in block.ops if waits(op)}
    inputs: dict[str, list[str]] = {"Ids": [], "Values": []}
    outputs: dict[str, list[str]] = {"AllIds": [], "AllValues": []}
    columns = []
    for op in look_ups:
        (ids,), (values,) = op.inputs["Ids"], op.inputs["Out@GRAD"]
        column = op.type == "lookup_table_grad"
        columns.append(column)
        width = block._var_recursive(values).shape[-1]
        for slot, target, name, dims in (
            ("Ids", "AllIds", ids, (-1, 1) if column else (-1,)),
            ("Values", "AllValues", values, (-1, width)),
        ):
            var = block._var_recursive(name)
            everybody = block.create_var(
                name=block.unused_name(f"{name}@ALL"), shape=list(dims), dtype=var.dtype
            ).name
            inputs[slot].append(name)
            outputs[target].append(everybody)
        op.inputs = {**op.inputs, "Ids": outputs["AllIds"][-1:]}
        op.inputs["Out@GRAD"] = outputs["AllValues"][-1:]
    attrs = {"ring_id": ring, "columns": columns}
    made = made_from(tables[-1].exchange, "gather_rows", inputs, outputs, attrs)
    tail = [op for op in block.ops[at + 1 :] if id(op) not in gone]
    head = [op for op in block.ops[: at + 1] if id(op) not in gone]
    block.ops = [*head, made, *moved, *tail]
