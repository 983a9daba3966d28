"""What plans ask for when they meet an operator that talks to servers."""

from __future__ import annotations

import importlib
from typing import Any

from paddle.distributed.ps import jobs
from paddle.ir.operator import Operator


def job_of(op: Operator) -> Any:
    """Returns what stands for the servers of an operator's Program.

    Args:
        op (Operator): one that talks to servers, of fleet or of a transpiled Program.
    """
    program = op.block.program
    if "_fleet_ps_job" in program.__dict__:
        return jobs.of(program)
    return importlib.import_module("paddle.distributed.ps.transpiled").trainer_of(program)


def server_of(op: Operator) -> Any:
    """Returns what serves for an operator ``listen_and_serv``.

    Args:
        op (Operator): of a transpiled Program.
    """
    return importlib.import_module("paddle.distributed.ps.transpiled").server_of(op)
