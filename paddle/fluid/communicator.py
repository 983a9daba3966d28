"""A 1.x trainer's exchange with parameter servers in the background, and tables of servers."""

from __future__ import annotations

from typing import Any

from paddle.distributed.ps import jobs
from paddle.distributed.ps.transpiled import trainer_of
from paddle.ir.program import Program

__all__ = ["Communicator", "LargeScaleKV"]


class Communicator:
    """Sends the gradients of a transpiled Program in the background.

    A Program that fleet made sends by itself; starting this does nothing then.

    Args:
        program (Program): a trainer's, by DistributeTranspiler or fleet.
        mode (int, optional): SYNC 0, ASYNC 1, HALF_ASYNC 2 or GEO 3; the Program says it too.
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

    def __init__(self, program: Any, mode: Any = None, kwargs: Any = None, envs: Any = {}) -> None:  # noqa: B006
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

    def is_running(self) -> bool:
        """Says whether it was started."""
        return self._running


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
