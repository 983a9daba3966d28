"""Saving what a trainer of DistributeTranspiler has, with the tables whose rows servers keep."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch

from paddle.distributed.ps.rewriting import look_up_here
from paddle.distributed.ps.transpiled import trainer_of
from paddle.executor.scope import Scope, global_scope, scope_guard
from paddle.ir.cloning import clone
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program


def look_ups_of(program: Program) -> list[Operator]:
    """Returns what looks up in tables of servers that a transpiled Program names.

    Args:
        program (Program): any.
    """
    if "_fleet_ps_job" in program.__dict__:
        return []  # fleet saves its own
    return [op for block in program.blocks for op in block.ops
            if op.type == "distributed_lookup_table"]  # fmt: skip


def without_servers(program: Program) -> Program:
    """Returns a copy of a trainer's Program that looks up in tables of its own and sends nothing.

    Args:
        program (Program): a trainer's.
    """
    made = clone(program)
    for block in made.blocks:
        block.ops = [op for op in block.ops if not op.role & (Role.RPC | Role.DIST)]
    look_up_here(made)
    return made


@contextlib.contextmanager
def tables_at_hand(program: Program) -> Iterator[Program]:
    """A context in which a Program and the global scope have whole tables, to be saved.

    Args:
        program (Program): any; one without tables on servers stays as it is.
    """
    look_ups = look_ups_of(program)
    if not look_ups:
        yield program
        return
    trainer = trainer_of(program)
    trainer.flush()
    made = Scope(global_scope())
    whole = without_servers(program)
    for op in look_ups:
        (table,) = op.inputs["W"]
        parts = zip(op.attrs["endpoints"], op.attrs["table_names"], strict=True)
        width = whole.global_block().var(table).shape[-1]
        rows = [torch.from_numpy(trainer.pull(str(e), str(n))).reshape(-1, width) for e, n in parts]
        made.var(table).held.put(torch.cat(rows))
    with scope_guard(made):
        yield whole
