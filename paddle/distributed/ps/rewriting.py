"""Programs of trainers: look-ups and updates of parameters become talk with servers.

The operators are those of PaddlePaddle 2.0; the Program knows its job by number
(``program._fleet_ps_job``), under which :mod:`paddle.distributed.ps.jobs` has the connection.
"""

from __future__ import annotations

from typing import Any

from paddle.distributed.ps.plan import LOOK_UPS, JobPlan, Sparse, remote_tables
from paddle.ir.block import Block
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program

_RPC = {"op_role": int(Role.RPC)}


def rewrite_trainer(main: Program, startup: Program, plan: JobPlan, job: int) -> None:
    """Changes the Programs of a trainer in place.

    Args:
        main (Program): minimised; loses its updates, except in mode ``geo``, where trainers keep
            those of dense parameters.
        startup (Program): loses what only servers need.
        plan (JobPlan): the tables.
        job (int): the number of the job in this process.
    """
    block = main.global_block()
    tables = {one.name: one for one in plan.sparse}
    local = plan.mode == "geo"
    _drop_updates(block, set(tables) if local else None)
    look_up_remotely(block, {name: {"table_id": one.table} for name, one in tables.items()})
    for one in plan.sparse:
        _send(block, [one.grad], one.name, one.table, True)
    if not local:
        for number, group in enumerate(plan.groups):
            _send(block, [m.grad for m in group.members], f"dense_{number}",
                  group.blocks[0].table, False)  # fmt: skip
    names = [m.name for m in plan.dense]
    if plan.mode in ("sync", "half_async"):
        _append(block, "send_barrier", {}, {}, {"half_async": plan.mode == "half_async"})
    _append(block, "recv", {}, {}, {"recv_varnames": names})
    main.__dict__["_fleet_ps_job"] = startup.__dict__["_fleet_ps_job"] = job
    _rewrite_startup(startup, main, plan, local)
    main.note_change()
    startup.note_change()


def _drop_updates(block: Block, tables: set[str] | None) -> None:
    """Takes updates out; with ``tables``, only those of these."""

    def goes(op: Operator) -> bool:
        if not op.role & (Role.OPTIMIZE | Role.LR_SCHED):
            return False
        if tables is None:
            return True
        about = op.attrs.get("op_role_var") or op.inputs.get("Param") or [None]
        return about[0] in tables

    block.ops = [op for op in block.ops if not goes(op)]
    if tables is None:
        block.program.__dict__.pop("_lr_schedulers", None)


def _rewrite_startup(startup: Program, main: Program, plan: JobPlan, local: bool) -> None:
    block = startup.global_block()
    used = {n for b in main.blocks for op in b.ops for n in (*op.input_arg_names,
                                                             *op.output_arg_names)}  # fmt: skip
    tables = {one.name: one for one in plan.sparse}
    kept: list[Operator] = []
    for op in block.ops:
        outputs = op.output_arg_names
        one = tables.get(outputs[0]) if outputs else None
        if one is not None and not one.given:
            shape = [int(n) for n in block.var(one.name).shape]
            kept.append(Operator(block, "fake_init", {}, {"Out": [one.name]}, {"shape": shape}))
        elif one is not None or not outputs or not _only_servers(op, used, main):
            kept.append(op)
    block.ops = kept
    names = [m.name for m in plan.dense] + [one.name for one in plan.sparse if one.given]
    _append(block, "recv", {"X": names}, {"Out": names}, {"recv_varnames": names})


def _only_servers(op: Operator, used: set[str], main: Program) -> bool:
    """Whether what an operator sets belongs to an optimizer and to nothing else."""
    names = op.output_arg_names
    known = [main.global_block().vars[n] for n in names if main.global_block().has_var(n)]
    return not used.intersection(names) and not any(var.is_parameter for var in known)


def look_up_remotely(block: Block, tables: dict[str, dict[str, Any]]) -> None:
    """Replaces the look-ups of tables; those of one table whose ids are there become one.

    Args:
        block (Block): changed.
        tables (dict[str, dict]): tables, with the attributes that say where their rows are.
    """
    found = {name: ops for name, ops in remote_tables(block).items() if name in tables}
    for name, ops in found.items():
        first = block.ops.index(ops[0])
        made = {n for op in block.ops[first:] for n in op.output_arg_names}
        early = [op for op in ops if op.input("Ids")[0] not in made]
        by_kind: dict[Any, list[Operator]] = {}
        for op in early:
            by_kind.setdefault((op.type, op.attrs.get("padding_idx", -1)), []).append(op)
        groups = [*by_kind.values(), *([op] for op in ops if op not in early)]
        for members in groups:
            _replace(block, name, members, tables[name])


def _replace(block: Block, name: str, members: list[Operator], where: dict[str, Any]) -> None:
    lead = members[0]
    attrs = {
        **where, "padding_idx": int(lead.attrs.get("padding_idx", -1)),
        "is_distributed": bool(lead.attrs.get("is_distributed")),
        "lookup_table_version": lead.type, "is_test": bool(lead.attrs.get("is_test", False)),
        "dtype": int(block.var(name).dtype), "op_role": lead.role,
    }  # fmt: skip
    inputs = {"Ids": [op.input("Ids")[0] for op in members], "W": [name]}
    outputs = {"Outputs": [op.output("Out")[0] for op in members]}
    at = min(block.ops.index(op) for op in members)
    made = Operator(block, "distributed_lookup_table", inputs, outputs, attrs)
    made.location = lead.location
    gone = {id(op) for op in members}
    before = [op for op in block.ops[:at] if id(op) not in gone]
    block.ops = [*before, made, *(op for op in block.ops[at:] if id(op) not in gone)]


def look_up_here(program: Program) -> None:
    """Turns look-ups on servers back into those of a table that is here.

    Args:
        program (Program): changed.
    """
    for block in program.blocks:
        ops: list[Operator] = []
        for op in block.ops:
            if op.type != "distributed_lookup_table":
                ops.append(op)
                continue
            kind = op.attrs.get("lookup_table_version") or "lookup_table"
            attrs = {"padding_idx": int(op.attrs.get("padding_idx", -1)), "op_role": op.role}
            for ids, out in zip(op.input("Ids"), op.output("Outputs"), strict=True):
                inputs = {"W": list(op.input("W")), "Ids": [ids]}
                ops.append(Operator(block, kind, inputs, {"Out": [out]}, attrs))
        block.ops = ops
    program.note_change()


def _send(block: Block, given: list[str], name: str, table: int, sparse: bool) -> None:
    attrs = {"send_varnames": [name], "merge_add": not sparse, "use_send_handler": False,
             "is_sparse": int(sparse), "table_id": table}  # fmt: skip
    _append(block, "send", {"X": given}, {}, attrs)


def _append(block: Block, type: str, inputs: dict, outputs: dict, attrs: dict) -> None:
    block.ops.append(Operator(block, type, inputs, outputs, {**attrs, **_RPC}))


__all__ = ["LOOK_UPS", "Sparse", "look_up_here", "look_up_remotely", "rewrite_trainer"]
