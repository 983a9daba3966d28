"""Fleet of 1.x: role makers, under their public names; the answers are 2.0's."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.errors import ArgumentTypeError, UnimplementedError
from paddle.distributed.fleet.base import role_maker as new
from paddle.distributed.fleet.base.job import Job, Role, collective_job, job_by_hand, server_job

__all__ = [
    "GeneralRoleMaker",
    "MPISymetricRoleMaker",
    "PaddleCloudRoleMaker",
    "Role",
    "RoleMakerBase",
    "UserDefinedCollectiveRoleMaker",
    "UserDefinedRoleMaker",
]


class RoleMakerBase(new.RoleMakerBase):
    """Says which role a process has. Those below say it; 2.0's ``fleet.init`` takes them too."""

    def generate_role(self) -> None:
        """Finds out the role."""
        self._generate_role()

    def is_worker(self) -> bool:
        """Says whether this process trains."""
        return self._is_worker()

    def is_server(self) -> bool:
        """Says whether this process holds parameters."""
        return self._is_server()

    def is_first_worker(self) -> bool:
        """Says whether this process is worker 0."""
        return self._is_first_worker()

    def worker_num(self) -> int:
        """Returns how many workers there are."""
        return self._worker_num()

    def server_num(self) -> int:
        """Returns how many servers there are."""
        return self._server_num()

    def worker_index(self) -> int:
        """Returns the number of this worker."""
        return self._worker_index()

    def server_index(self) -> int:
        """Returns the number of this server."""
        return self._server_index()

    def role_id(self) -> int:
        """Returns the number of this process among those of its role."""
        return self._role_id()

    def get_trainer_endpoints(self) -> list[str]:
        """Returns the addresses of the workers."""
        return self._get_trainer_endpoints()

    def get_pserver_endpoints(self) -> list[str]:
        """Returns the addresses of the servers."""
        return self._get_pserver_endpoints()

    def all_gather(self, input: Any) -> list:
        """Returns the numbers of all workers and servers.

        Args:
            input (int|float): this process's.
        """
        return self._all_gather(input, "all")

    def all_reduce_worker(self, input: Any, output: Any, mode: str = "sum") -> None:
        """Puts the sum, the greatest or the least of all workers' numbers into ``output``.

        Args:
            input (list|numpy.ndarray): this worker's.
            output (list|numpy.ndarray): of the same length.
            mode (str): ``"sum"``, ``"max"`` or ``"min"``.
        """
        put(output, self._all_reduce(np.asarray(input), mode, "worker"))

    def barrier_worker(self) -> None:
        """Returns when all workers have called it; a server does not wait."""
        if self._is_worker():
            self._barrier("worker")

    def barrier_all(self) -> None:
        """Returns when all workers and servers have called it."""
        self._barrier("all")


def put(output: Any, values: np.ndarray) -> None:
    """Writes numbers into a list or an array of the same length."""
    if not isinstance(output, (list, np.ndarray)) or len(output) != len(values):
        raise ArgumentTypeError(
            "all_reduce_worker(output): expected a list or an array as long as the input, "
            f"{len(values)}, but received {output!r}."
        )
    output[:] = values


class PaddleCloudRoleMaker(RoleMakerBase):
    """Takes the role from the environment, as the launcher and clouds set it.

    Args:
        is_collective (bool): whether the job is all trainers; else it has parameter servers.

    Examples:
        .. code-block:: python

            from paddle.fluid.incubate.fleet.base import role_maker
            role = role_maker.PaddleCloudRoleMaker(is_collective=True)
            role.generate_role()
            print(role.worker_num())  # 1
    """

    def __init__(self, is_collective: bool = False) -> None:
        super().__init__()
        self._is_collective = is_collective

    def _find_job(self) -> Job:
        return collective_job() if self._is_collective else server_job()


class UserDefinedRoleMaker(RoleMakerBase):
    """Takes the role in a job with parameter servers from its arguments.

    Args:
        current_id (int): the number of this process among those of its role.
        role (Role): ``Role.WORKER`` or ``Role.SERVER``.
        worker_num (int): how many workers there are.
        server_endpoints (list[str]): the addresses of the servers.

    Raises:
        ValueError: an argument is missing or contradicts another one.
        TypeError: an argument of a wrong type.

    Examples:
        .. code-block:: python

            from paddle.fluid.incubate.fleet.base import role_maker
            role = role_maker.UserDefinedRoleMaker(
                current_id=1, role=role_maker.Role.WORKER, worker_num=2,
                server_endpoints=["127.0.0.1:36011"])
            print(role.worker_index(), role.is_server())  # 1 False
    """

    def __init__(
        self,
        current_id: int = 0,
        role: int = Role.WORKER,
        worker_num: int = 0,
        server_endpoints: Any = None,
    ) -> None:
        super().__init__()
        self._given = {
            "current_id": current_id, "role": role, "worker_num": worker_num,
            "server_endpoints": server_endpoints,
        }  # fmt: skip
        self._generate_role()  # 1.x checks what it is given here

    def _find_job(self) -> Job:
        return job_by_hand(False, self._given)


class UserDefinedCollectiveRoleMaker(RoleMakerBase):
    """Takes the role in a job of trainers from its arguments.

    Args:
        current_id (int): the number of this process.
        worker_endpoints (list[str]): the addresses of all.

    Raises:
        ValueError: an argument is missing or contradicts the other.
        TypeError: an argument of a wrong type.

    Examples:
        .. code-block:: python

            from paddle.fluid.incubate.fleet.base import role_maker
            role = role_maker.UserDefinedCollectiveRoleMaker(0, ["127.0.0.1:36011"])
            print(role.worker_num())  # 1
    """

    _is_collective = True

    def __init__(self, current_id: int = 0, worker_endpoints: Any = None) -> None:
        super().__init__()
        self._given = {"current_id": current_id, "worker_endpoints": worker_endpoints}
        self._generate_role()

    def _find_job(self) -> Job:
        return job_by_hand(True, self._given)


_MEETING = ("path", "http_ip_port", "hdfs_name", "hdfs_ugi")
_LIMITS = ("init_timeout_seconds", "run_timeout_seconds")


class GeneralRoleMaker(RoleMakerBase):
    """Takes the role from the environment, and exchanges numbers with all processes.

    Args:
        **kwargs: ``path`` (str): a folder that all processes see, in which they meet; without it
            the launcher's store is taken. ``init_timeout_seconds``, ``run_timeout_seconds``: have
            no effect, ``FLAGS_dist_timeout`` is the limit. ``hdfs_name``, ``hdfs_ugi`` and
            ``http_ip_port`` are refused.

    Raises:
        NotImplementedError: the processes are to meet in HDFS or at a server of HTTP.
        TypeError: an argument that is not known.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        for name in kwargs:
            if name not in (*_MEETING, *_LIMITS):
                raise TypeError(
                    f"GeneralRoleMaker: there is no argument {name!r}; it has "
                    f"{[*_MEETING, *_LIMITS]}."
                )
        for name in ("hdfs_name", "hdfs_ugi", "http_ip_port"):
            if kwargs.get(name):
                raise UnimplementedError(
                    f"GeneralRoleMaker({name}): processes cannot meet there.",
                    hint="give path=, a folder that all of them see, or start them by "
                    "python -m paddle.distributed.launch",
                )
        self._meeting_path = kwargs.get("path") or None

    def _find_job(self) -> Job:
        return server_job()

    def get_local_endpoint(self) -> str:
        """Returns the address of this process."""
        return self._cur_endpoint


class MPISymetricRoleMaker(RoleMakerBase):
    """Takes the role from MPI, which this version does not use.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self) -> None:
        raise UnimplementedError(
            "MPISymetricRoleMaker needs MPI (mpi4py) and PaddlePaddle's pslib, which are not part "
            "of this version.",
            hint="start the processes by python -m paddle.distributed.launch and take "
            "PaddleCloudRoleMaker",
        )

    def get_local_ip(self) -> str:
        """Returns the address of this machine."""
        raise NotImplementedError
