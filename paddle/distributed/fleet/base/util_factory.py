"""fleet.util: small exchanges of numbers between the processes of a job, and files for each."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import PreconditionNotMetError
from paddle.distributed.fleet.base.role_maker import RoleMakerBase

__all__ = ["UtilBase"]


class UtilBase:
    """Exchanges between ``"worker"``, ``"server"`` or ``"all"`` processes, on the CPU.

    ``fleet.util`` is the one of this process. All processes of the world that is named have to make
    the same call.

    Examples:
        .. code-block:: python

            import paddle.distributed.fleet as fleet
            fleet.init(is_collective=True)
            print(fleet.util.all_gather(fleet.worker_index()))  # [0]
    """

    def __init__(self) -> None:
        self.role_maker: RoleMakerBase | None = None
        self.dist_strategy: Any = None
        self.fs_client: Any = None

    def _set_strategy(self, dist_strategy: Any) -> None:
        self.dist_strategy = dist_strategy

    def _set_role_maker(self, role_maker: RoleMakerBase) -> None:
        self.role_maker = role_maker

    def _set_file_system(self, fs_client: Any) -> None:
        self.fs_client = fs_client

    def _role(self, api: str) -> RoleMakerBase:
        if self.role_maker is None:
            raise PreconditionNotMetError(
                f"fleet.util.{api}: fleet does not know yet which role this process has.",
                hint="call fleet.init() first",
            )
        return self.role_maker

    def all_reduce(self, input: Any, mode: str = "sum", comm_world: str = "worker") -> Any:
        """Returns the sum, the greatest or the least of everybody's numbers, to everybody.

        Args:
            input (list|tuple|numpy.ndarray): numbers; of one shape and type on all processes.
            mode (str): ``"sum"``, ``"max"`` or ``"min"``.
            comm_world (str): ``"worker"``, ``"server"`` or ``"all"``.

        Returns:
            numpy.ndarray: of the shape of ``input``.

        Raises:
            ValueError: another mode or world, or processes gave different shapes.
            TypeError: no numbers.
            RuntimeError: before ``fleet.init``, or from a process outside of the world.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                print(fleet.util.all_reduce([1, 2], "sum"))  # [1 2]
        """
        return self._role("all_reduce")._all_reduce(input, mode, comm_world)

    def barrier(self, comm_world: str = "worker") -> None:
        """Returns when all processes of a world have called it.

        Args:
            comm_world (str): ``"worker"``, ``"server"`` or ``"all"``.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                fleet.util.barrier()
        """
        self._role("barrier")._barrier(comm_world)

    def all_gather(self, input: Any, comm_world: str = "worker") -> list:
        """Returns everybody's number, to everybody.

        Args:
            input (int|float|numpy.ndarray): a number, or an array of one shape on all processes.
            comm_world (str): ``"worker"``, ``"server"`` or ``"all"``; of all, workers come first.

        Returns:
            list: one for each process.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                print(fleet.util.all_gather(2.5))  # [2.5]
        """
        return self._role("all_gather")._all_gather(input, comm_world)

    def get_file_shard(self, files: list[str]) -> list[str]:
        """Returns which of the files this worker reads: neighbours, one more or less than others.

        Args:
            files (list[str]): all files; the same list on all workers.

        Raises:
            TypeError: it is no list.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(fleet.UserDefinedRoleMaker(
                    current_id=1, role=fleet.Role.WORKER, worker_num=2,
                    server_endpoints=["127.0.0.1:36011"]))
                print(fleet.util.get_file_shard(["a", "b", "c"]))  # ['c']
        """
        if not isinstance(files, list):
            raise TypeError(
                "fleet.util.get_file_shard(files): expected a list of files to be read, but "
                f"received {type(files).__name__}."
            )
        role = self._role("get_file_shard")
        if not (role._is_worker() or role._is_heter_worker()):
            raise PreconditionNotMetError(
                "fleet.util.get_file_shard: this process is a server, which reads no files."
            )
        count = role._worker_num()
        return file_shard(files, role._worker_index() % count, count)

    def print_on_rank(self, message: Any, rank_id: int) -> None:
        """Prints on one worker.

        Args:
            message (str): what is printed.
            rank_id (int): the number of the worker.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                fleet.util.print_on_rank("I am worker 0", 0)  # I am worker 0
        """
        role = self._role("print_on_rank")
        if role._is_worker() and role._worker_index() == rank_id:
            print(message)


def file_shard(files: list, index: int, count: int) -> list:
    """The part of a list for one of several workers; the first ones get the files that are over."""
    each, over = divmod(len(files), count)
    first = index * each + min(index, over)
    return files[first : first + each + (index < over)]
