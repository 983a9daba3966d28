"""The jobs that this process trains in, by the numbers that Programs have (``_fleet_ps_job``)."""

from __future__ import annotations

import itertools
from typing import Any

from paddle.core.errors import PreconditionNotMetError

_numbers = itertools.count(1)
_jobs: dict[int, Any] = {}


def add(job: Any) -> int:
    """Keeps a job and returns its number."""
    number = next(_numbers)
    _jobs[number] = job
    return number


def of(program: Any) -> Any:
    """Returns the job of a Program.

    Args:
        program (Program): one that was rewritten for a trainer in this process.

    Raises:
        PreconditionNotMetError: there is none.
    """
    found = _jobs.get(program.__dict__.get("_fleet_ps_job", 0))
    if found is None:
        raise PreconditionNotMetError(
            "the Program talks to parameter servers, but this process is not connected to any for "
            "it.",
            hint="minimize it by fleet.distributed_optimizer, or transpile it, in this process",
        )
    return found


def with_table(name: str) -> tuple[Any, int]:
    """Returns the connected job that has a table, and the table's number.

    Args:
        name (str): of the table.

    Raises:
        PreconditionNotMetError: no job of this process has it.
    """
    for job in reversed(list(_jobs.values())):
        if job.client is not None:
            for one in job.plan.sparse:
                if one.name == name:
                    return job, one.table
    raise PreconditionNotMetError(
        f"this process is not connected to parameter servers that have a table {name!r}.",
        hint="tables are made by fleet's minimize, and fleet.init_worker() connects",
    )
