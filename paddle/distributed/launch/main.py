"""The launcher from beginning to end: a plan, its processes, their end, the exit status."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import Any, NoReturn

from paddle.distributed.launch import arguments, plan
from paddle.distributed.launch.job import Import, Job, Stopped, watch_alone
from paddle.distributed.launch.logs import say
from paddle.distributed.launch.ps import Watch

_USAGE_STATUS = 2


def launch(argv: list[str] | None = None, servers: bool = False) -> int:
    """Starts a script in several processes and waits for them.

    Args:
        argv (list[str], optional): the command line; None: this process's.
        servers (bool): the command line is of ``launch_ps``: a job with parameter servers.

    Returns:
        int: 0, or the exit status of the process that failed first; 128 + n where signal n ended
        it, or the launcher.

    Raises:
        SystemExit: the command line is wrong.
    """
    given = arguments.parse(argv, servers)
    try:
        made = plan.make(given)
    except plan.PlanError as error:
        say(f"error: {error}")
        return _USAGE_STATUS
    if given.print_config:
        _tell(made)
    return _run(Job(made))


def _run(job: Job) -> int:
    """Runs a job; whatever happens, none of its processes is left."""
    try:
        try:
            job.start()
        except OSError as error:
            say(f"error: cannot start the processes: {error}.")
            return _USAGE_STATUS
        _watch(job)
    except Stopped as stopped:
        say(f"signal {stopped.number}: the processes are ended.")
        return 128 + stopped.number
    except Exception as error:  # such as a store that cannot be reached
        job.stop()
        say(f"error: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
        return job.result() or 1
    finally:
        job.close()
    return job.result()


def _watch(job: Job) -> None:
    """Watches the processes until they have ended."""
    name = "rendezvous" if job.plan.servers else "agent"
    module = Import(lambda: importlib.import_module(f"paddle.distributed.launch.{name}"))
    if job.plan.servers:
        watch = Watch(job, module)
        try:
            watch.run()
        except Stopped:
            job.stop()
            with contextlib.suppress(Exception):  # the other machines are not there
                watch.give_up()
            raise
        return
    alone = len(job.plan.machines) == 1
    try:
        ended = watch_alone(job, module.ready)
    except Stopped:
        job.stop()
        if not alone:
            with contextlib.suppress(Exception):  # the other machines are not there
                module.get().give_up(job)
        raise
    if ended and alone and (job.failure is None or not job.plan.max_restarts):
        return  # before torch was there: nobody is left who could be told anything
    module.get().run(job)


def _tell(made: plan.Plan) -> None:
    """Says what each process is given; not the token."""
    for member in made.members:
        say(f"{member.name}: log {made.folder / member.log}")
        for name, value in member.variables.items():
            say(f"    {name}={'...' if name == 'PADDLE_JOB_TOKEN' else value}")


def main(servers: bool = False) -> NoReturn:
    """Runs the command line of this process and ends it, without waiting for torch's threads."""
    status: Any = 1
    try:
        status = launch(servers=servers)
    except SystemExit as asked:
        status = asked.code if isinstance(asked.code, int) else int(asked.code is not None)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass
    os._exit(status)


def main_ps() -> NoReturn:
    """The same for ``python -m paddle.distributed.launch_ps``."""
    main(servers=True)
