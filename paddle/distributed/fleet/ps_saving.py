"""Saving in jobs with parameter servers: parameters, tables, and models for inference."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
import torch

from paddle.core import flags
from paddle.core.user_frame import outside
from paddle.distributed.ps.plan import Sparse
from paddle.distributed.ps.rewriting import look_up_here
from paddle.distributed.ps.trainer import TrainerJob
from paddle.executor.scope import Scope, global_scope, scope_guard
from paddle.ir.cloning import clone
from paddle.ir.current import default_main_program
from paddle.ir.program import Program
from paddle.static import io_folder
from paddle.static.io_vars import save_vars

_ROWS = 1 << 17  # that are fetched at a time


def save_persistables(
    job: TrainerJob, executor: Any, dirname: str, program: Program | None
) -> None:
    """Saves all that outlives a step.

    Dense parameters, and what else the trainer keeps, become files in PaddlePaddle's stream; each
    server writes its tables, with what optimizers keep, to a file in a folder ``version-N``.

    Args:
        job (TrainerJob): a connected trainer's.
        executor (Executor): as for ``static.save_vars``.
        dirname (str): the folder; the servers have to see it too.
        program (Program, optional): the trainer's; None means the default one.
    """
    program = default_main_program() if program is None else program
    os.makedirs(dirname, exist_ok=True)
    job.flush()
    with scope_guard(_values(job, program)):
        names = global_scope().local_var_names()
        block = program.global_block()
        saved = [block.var(n) for n in names if block.has_var(n)]
        if saved:
            save_vars(executor, dirname, program, saved)
    job.client.save(dirname)


def _values(job: TrainerJob, program: Program) -> Scope:
    """A scope with the servers' values of dense parameters, and the trainer's own others."""
    here, made = global_scope(), Scope()
    tables = {one.name for one in job.plan.sparse}
    used = {n for b in program.blocks for op in b.ops for n in op.input_arg_names}
    for var in program.list_vars():
        found = here.find_var(var.name) if var.persistable and var.name not in tables else None
        if found is not None and found.held.tensor is not None and var.name in used:
            made.var(var.name).held.put(found.held.tensor._buf)
    job.pull({m.name: made.var(m.name).held for m in job.plan.dense})
    return made


def save_inference_model(
    job: TrainerJob, executor: Any, dirname: str, feeds: list[str], targets: list,
    program: Program | None, export: bool,
) -> None:  # fmt: skip
    """Saves a model that the predictor runs alone, where no table is too large for that.

    A table of more than ``FLAGS_ps_join_limit`` MB stays in parts, as the servers write them, which
    :class:`paddle.distributed.fleet.utils.DistributedInfer` serves.

    Args:
        job (TrainerJob): a connected trainer's.
        executor (Executor): as for ``static.save_inference_model`` of 1.x.
        dirname (str): the folder.
        feeds (list[str]): names of the inputs.
        targets (list[Variable]): the outputs.
        program (Program, optional): the trainer's; None means the default one.
        export (bool): False saves the whole Program, to train on.
    """
    program = default_main_program() if program is None else program
    job.flush()
    whole = clone(program)
    whole.__dict__.pop("_fleet_ps_job", None)
    talk = ("send", "recv", "send_barrier", "fetch_barrier")
    for block in whole.blocks:
        block.ops = [op for op in block.ops if op.type not in talk]
    look_up_here(whole)
    scope, parts = _values(job, program), []
    limit = int(flags.get("FLAGS_ps_join_limit")) << 20
    for one in job.plan.sparse:
        if one.height * one.spec.width * np.dtype(one.spec.dtype).itemsize > limit:
            parts.append(one.name)
        else:
            scope.var(one.name).held.put(joined(job, one))
    if parts:
        _save_parts(job, executor, dirname, feeds, targets, program, whole, scope, parts)
        return
    with scope_guard(scope):
        outputs = [whole.global_block().var(v.name) for v in targets]
        io_folder.save_inference_model(dirname, feeds, outputs, executor, whole, None, None, export)


def _save_parts(
    job: TrainerJob, executor: Any, dirname: str, feeds: list[str], targets: list,
    program: Program, whole: Program, scope: Scope, parts: list[str],
) -> None:  # fmt: skip
    warnings.warn(
        f"fleet.save_inference_model: tables {parts} are larger than FLAGS_ps_join_limit, so they "
        "are kept in parts; fleet.utils.DistributedInfer serves them.",
        stacklevel=outside(),
    )
    os.makedirs(dirname, exist_ok=True)
    block = whole.global_block()
    with scope_guard(scope):
        outputs = [block.var(v.name) for v in targets]
        io_folder.save_inference_model(
            dirname, feeds, outputs, executor, whole, None, None, True, program_only=True
        )
        names = [n for n in scope.local_var_names() if block.has_var(n) and n not in parts]
        save_vars(executor, dirname, whole, [block.var(n) for n in names])
    job.client.save(dirname)


def joined(job: TrainerJob, one: Sparse) -> torch.Tensor:
    """Returns all rows of a table; those that nobody touched are as they would begin.

    Args:
        job (TrainerJob): a connected trainer's.
        one (Sparse): the table.
    """
    found = np.empty((one.height, one.spec.width), one.spec.dtype)
    for start in range(0, one.height, _ROWS):
        ids = np.arange(start, min(start + _ROWS, one.height))
        found[start : start + len(ids)] = job.client.pull_sparse(one.table, ids, make=False)
    return torch.from_numpy(found)
