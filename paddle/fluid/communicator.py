"""A 1.x trainer's exchange with parameter servers in the background, and tables of servers."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.errors import NotFoundError, UnimplementedError
from paddle.distributed.ps import jobs
from paddle.distributed.ps.transpiled import trainer_of
from paddle.executor.scope import global_scope
from paddle.ir.program import Program

__all__ = ["Communicator", "LargeScaleKV"]


class Communicator:
    """Sends the gradients of a transpiled Program in the background.

    A Program that fleet made sends by itself; starting this does nothing then.

    Args:
        program (Program): a trainer's, by DistributeTranspiler or fleet.
        mode (int): SYNC 0, ASYNC 1, HALF_ASYNC 2 or GEO 3; the Program says it too.
        kwargs (dict, optional): not needed here.
        envs (dict): not needed here.

    Raises:
        TypeError: ``program`` is none.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            communicator = fluid.communicator.Communicator(fluid.Program(), 1)
            communicator.start()
            print(communicator.is_running())  # True
            communicator.stop()
    """

    def __init__(self, program: Any, mode: Any, kwargs: Any = None, envs: Any = {}) -> None:  # noqa: B006
        if not isinstance(program, Program):
            raise TypeError(
                f"Communicator(program): expected a Program, but received {type(program).__name__}."
            )
        self._program, self._running = program, False
        sends = any(op.type == "send" for op in program.global_block().ops)
        self._trainer: Any = None
        if sends and "_fleet_ps_job" not in program.__dict__:
            self._trainer = trainer_of(program)

    def start(self) -> None:
        """From now on a step does not wait until its gradients have arrived."""
        self._running = True
        if self._trainer is not None:
            self._trainer.running = True

    def stop(self) -> None:
        """Returns when the servers have all gradients; steps wait for theirs again."""
        if self._trainer is not None and self._running:
            self._trainer.running = False
            self._trainer.flush()
        self._running = False

    def init_with_ctx(
        self, send_ctx: Any, recv_ctx: Any, proto_txt: Any, unit64_hosts: Any, scope: Any = None
    ) -> None:
        """Raises: what is sent where follows from the Program.

        Args:
            send_ctx (dict): of PaddlePaddle's own engine, as all others.
            recv_ctx (dict): see there.
            proto_txt (str): see there.
            unit64_hosts (list): see there.
            scope (Scope, optional): see there.
        """
        raise _by_fleet("init_with_ctx")

    def init_params(self, context: Any) -> None:
        """Raises: ``fleet.init_worker`` gives the servers the first values.

        Args:
            context (dict): of PaddlePaddle's own engine.
        """
        raise _by_fleet("init_params")

    def recv(self) -> None:
        """Fetches the servers' values of dense parameters into the global scope."""
        job = self._fleet_job("recv")
        job.pull({m.name: global_scope().var(m.name).get_tensor() for m in job.plan.dense})

    def push_sparse_param(self, var_name: str, table_id: int = -1, scope: Any = None) -> None:
        """Gives the servers the values that a scope holds for a whole table.

        Args:
            var_name (str): the table.
            table_id (int): its number; the name is enough.
            scope (Scope, optional): None means the global one.
        """
        job, table = jobs.with_table(var_name)
        found = (scope or global_scope()).find_var(var_name)
        if found is None or not found.is_initialized():
            raise NotFoundError(f"push_sparse_param: the scope has no value of {var_name!r}.")
        rows = found.get_tensor().numpy()
        job.client.push_sparse(table, np.arange(len(rows)), rows, mode="assign")

    def _fleet_job(self, api: str) -> Any:
        if "_fleet_ps_job" not in self._program.__dict__:
            raise _by_fleet(api)
        return jobs.of(self._program)

    def is_running(self) -> bool:
        """Says whether it was started."""
        return self._running


def _by_fleet(api: str) -> UnimplementedError:
    return UnimplementedError(
        f"Communicator.{api} is for Programs that fleet has made.",
        hint="call fleet.distributed_optimizer(...).minimize(loss) and fleet.init_worker()",
    )


class LargeScaleKV:
    """Tables of the servers that this process trains with, by name.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            tables = fluid.communicator.LargeScaleKV()
            try:
                tables.size("words")
            except RuntimeError as error:
                print("fleet" in str(error))  # True: there is no job here
    """

    def _job(self, varname: str) -> Any:
        return jobs.with_table(varname)

    def save(self, varname: str, dirname: str) -> None:
        """Has the servers write a snapshot, which holds all their tables.

        Args:
            varname (str): one of the tables.
            dirname (str): the folder, as the servers see it.
        """
        job, _ = self._job(varname)
        job.flush()
        job.client.save(dirname)

    def load(self, varname: str, dirname: str) -> None:
        """Has the servers read a snapshot, which holds all their tables.

        Args:
            varname (str): one of the tables.
            dirname (str): the folder, as the servers see it.
        """
        job, _ = self._job(varname)
        job.flush()
        job.client.load(dirname)

    def size(self, varname: str) -> int:
        """Returns how many rows a table has.

        Args:
            varname (str): the table.
        """
        job, table = self._job(varname)
        job.flush()
        return sum(int(told["tables"][str(table)]["rows"]) for told in job.client.stat())
