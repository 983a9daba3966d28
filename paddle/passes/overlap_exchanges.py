"""Begins exchanges between processes where they stand, and waits for them as late as possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddle.analysis.def_use import made_from
from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ops.collective import OF_1X, REDUCTIONS
from paddle.passes.fuse_all_reduce import (
    AVERAGE,
    MEAN,
    is_backward,
    is_optimizing,
    touched,
    waits,
)


def overlap_exchanges(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Makes a beginning and an end of each exchange; the end comes before the first reader.

    Matches sums and the like over rings, to all and to one, broadcasts and sends, in every block.
    What the optimizer reads is waited for in front of its first operator, so that updates can be
    joined. Operators that wait for a stream go: whoever reads a value waits for it.
    """
    for block in program.blocks:
        if any(_exchange(op) is not None or waits(op) for op in block.ops):
            _overlap(block)
    program.note_change()


def attribute(op: Operator, name: str) -> Any:
    """An attribute of an operator without a kernel, or its declared default."""
    known = op.declared
    assert known is not None
    return op.attrs.get(name, known.attrs.get(name))


def sending(op: Operator) -> dict[str, Any]:
    """What a plan is told of an operator that sends or receives."""
    return {
        "ring_id": attribute(op, "ring_id"), "peer": attribute(op, "peer"),
        "dynamic": bool(op.attrs.get("dynamic_shape")),
        "count": op.attrs.get("num", 1), "part": op.attrs.get("id", 0),
    }  # fmt: skip


def _exchange(op: Operator) -> tuple[str, dict[str, Any]] | None:
    """The kind of an exchange and what a plan is told of it; None for any other operator."""
    name, attrs = op.type, op.attrs
    ring = {"ring_id": attrs.get("ring_id", 0)}
    if name in ("all_reduce_list", "mp_allreduce_sum"):
        return "all_reduce", {**ring, "op": attrs.get("reduction", 0)}
    if attrs.get(MEAN):
        return "all_reduce", {**ring, "op": AVERAGE}
    if name.startswith("c_allreduce_"):
        return "all_reduce", {**ring, "op": REDUCTIONS[name[12:]]}
    if name.startswith("c_reduce_"):
        return "reduce", {**ring, "op": REDUCTIONS[name[9:]], "root": attrs.get("root_id", 0)}
    if name == "allreduce" and 0 <= attrs.get("reduce_type", 0) < len(OF_1X):
        return "all_reduce", {**ring, "op": OF_1X[attrs.get("reduce_type", 0)]}
    if name in ("c_broadcast", "broadcast"):
        return "broadcast", {**ring, "root": attrs.get("root", 0)}
    if name in ("send_v2", "partial_send"):
        return "send", sending(op)
    return None


def _overlap(block: Block) -> None:
    made: list[Operator] = []
    pending: list[tuple[Operator, set[str]]] = []  # ends that have no place yet, and their names

    def end(chosen: list[tuple[Operator, set[str]]]) -> None:
        for one in chosen:
            made.append(one[0])
            pending.remove(one)

    backward = False
    for op in block.ops:
        if waits(op):
            continue
        if not backward and is_backward(op):
            # A converted function is cut here: results of forward are there before.
            backward = True
            end([one for one in pending if one[0].output_arg_names])
        if pending:
            names = touched(op)
            due = [one for one in pending if not names.isdisjoint(one[1])]
            end(list(pending) if due and is_optimizing(op) else due)
        found = _exchange(op)
        if found is None:
            made.append(op)
            continue
        begin, last = _halves(block, op, *found)
        made.append(begin)
        pending.append((last, {*op.input_arg_names, *op.output_arg_names}))
    end(list(pending))
    block.ops = made


def _halves(
    block: Block, op: Operator, kind: str, told: dict[str, Any]
) -> tuple[Operator, Operator]:
    given = op.inputs.get("X") or op.inputs["x"]
    results = op.outputs.get("Out") or op.outputs.get("out") or []
    work = _work(block)
    attrs = {"kind": kind, "told": told, "ends": tuple(results)}
    begin = made_from(op, "exchange_begin", {"X": given}, {"Work": [work]}, attrs)
    last = made_from(op, "exchange_end", {"Work": [work]}, {"Out": results}, {})
    return begin, last


def _work(block: Block) -> str:
    """A variable that stands for an exchange that goes on."""
    return block.create_var(name=block.unused_name("exchange"), type=VarType.RAW).name
