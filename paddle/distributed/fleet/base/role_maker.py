"""Role makers: who tells a process whether it is a worker or a server, and which one."""

from __future__ import annotations

import difflib
import os
from typing import Any

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.distributed.fleet.base.job import Job, Role, collective_job, job_by_hand, server_job
from paddle.distributed.fleet.base.worlds import Gloo

__all__ = ["Gloo", "PaddleCloudRoleMaker", "Role", "RoleMakerBase", "UserDefinedRoleMaker"]


class RoleMakerBase:
    """What fleet asks of a role maker; one's own derives from it and gives a :class:`Job`."""

    _is_collective = False

    def __init__(self) -> None:
        self._job: Job | None = None
        self._gloo: Gloo | None = None
        self._meeting_path: str | None = None

    def _find_job(self) -> Job:
        """Returns this process's place in its job; asked once."""
        raise NotImplementedError(f"{type(self).__name__} does not say which role there is.")

    def _generate_role(self) -> None:
        """Finds out the role, and opens the place where processes meet, if one was named."""
        if self._job is None:
            self._job = self._find_job()
            self._gloo = Gloo(self._job, self._is_collective, self._meeting_path)

    @property
    def _place(self) -> Job:
        """The process's place in its job."""
        if self._job is None:
            self._generate_role()
        assert self._job is not None
        return self._job

    @property
    def _worlds(self) -> Gloo:
        """The groups that this process belongs to."""
        if self._gloo is None:
            self._generate_role()
        assert self._gloo is not None
        return self._gloo

    @property
    def doubt(self) -> str:
        """What the environment contradicts itself in, where 2.0 let it pass; else empty."""
        return self._place.doubt

    # What 2.0's own code, and programs that look inside, call these.
    _role_is_generated = property(lambda self: self._job is not None)
    _role = property(lambda self: self._place.role)
    _current_id = property(lambda self: self._place.index)
    _worker_endpoints = property(lambda self: self._place.worker_endpoints)
    _server_endpoints = property(lambda self: self._place.server_endpoints)
    _cur_endpoint = property(lambda self: self._place.own)
    _trainers_num = property(lambda self: self._place.workers)

    def _is_worker(self) -> bool:
        """Whether this process trains."""
        return self._place.role == Role.WORKER

    def _is_server(self) -> bool:
        """Whether this process holds parameters."""
        return self._place.role == Role.SERVER

    def _is_heter_worker(self) -> bool:
        """Whether this process trains beside the workers, on another kind of device."""
        return self._place.role == Role.HETER_WORKER

    def _is_first_worker(self) -> bool:
        """Whether this process is worker 0."""
        return self._is_worker() and self._place.index == 0

    def _is_non_distributed(self) -> bool:
        """Whether nobody told this process its place."""
        return not self._place.distributed

    def _worker_index(self) -> int:
        """The number of this worker."""
        return self._place.index

    def _server_index(self) -> int:
        """The number of this server."""
        return self._place.index

    def _role_id(self) -> int:
        """The number of this process among those of its role."""
        return self._place.index

    def _worker_num(self) -> int:
        """How many workers there are."""
        return self._place.workers

    def _server_num(self) -> int:
        """How many servers there are."""
        return len(self._place.server_endpoints)

    def _heter_worker_num(self) -> int:
        """How many heter workers there are."""
        return len(self._place.heter_endpoints)

    def _node_num(self) -> int:
        """How many machines train."""
        return self._place.nodes

    _get_node_num = _node_num

    def _get_trainer_endpoints(self) -> list[str]:
        """The addresses of the workers."""
        return self._place.worker_endpoints

    def _get_pserver_endpoints(self) -> list[str]:
        """The addresses of the servers."""
        return self._place.server_endpoints

    def _get_heter_worker_endpoints(self) -> list[str]:
        """The addresses of the heter workers."""
        if not self._place.heter_endpoints:
            raise PreconditionNotMetError("there are no heter workers in this job.")
        return self._place.heter_endpoints

    def _get_heter_worker_endpoint(self) -> str:
        """The address of the heter worker that this worker sends to."""
        listed = self._get_heter_worker_endpoints()
        return listed[self._place.index % len(listed)]

    def _get_trainer_endpoint(self) -> str:
        """The address of this worker."""
        if not self._is_worker():
            raise PreconditionNotMetError("_get_trainer_endpoint: this process is no worker.")
        return self._place.own

    def _get_local_rank(self) -> str | None:
        """The number of this process on its machine, as the launcher says."""
        return os.environ.get("PADDLE_RANK_IN_NODE")

    def _get_local_device_ids(self) -> str | None:
        """The devices of this process, as the launcher says."""
        return os.environ.get("PADDLE_LOCAL_DEVICE_IDS")

    def _get_world_device_ids(self) -> str | None:
        """The devices of all processes, as the launcher says."""
        return os.environ.get("PADDLE_WORLD_DEVICE_IDS")

    def _barrier(self, comm_world: str = "worker") -> None:
        """Returns when all processes of a world have called it."""
        self._worlds.barrier(comm_world)

    def _all_reduce(self, input: Any, mode: str = "sum", comm_world: str = "worker") -> Any:
        """Returns the sum, the greatest or the least of everybody's array."""
        return self._worlds.all_reduce(input, mode, comm_world)

    def _all_gather(self, input: Any, comm_world: str = "worker") -> list:
        """Returns everybody's number or array."""
        return self._worlds.all_gather(input, comm_world)

    def to_string(self) -> str:
        """Returns the role, the number and all addresses in a line.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                print(fleet.PaddleCloudRoleMaker().to_string())
        """
        job = self._place
        return (
            f"role: {job.role}, current_id: {job.index}, worker_endpoints: {job.worker_endpoints}, "
            f"server_endpoints: {job.server_endpoints}"
        )


class PaddleCloudRoleMaker(RoleMakerBase):
    """Takes the role from the environment, as the launcher and clouds set it.

    The variables are read when the role is first asked for.

    Args:
        is_collective (bool): whether the job is all trainers; else it has parameter servers.
        **kwargs: ``init_gloo`` (bool) and ``path`` (str): a folder that all processes see, in which
            they meet for ``fleet.util``; without them the launcher's store is taken.

    Raises:
        ValueError: a variable is missing, no number, or contradicts another one.
        TypeError: an argument that is not known.

    Examples:
        .. code-block:: python

            import paddle.distributed.fleet as fleet
            role = fleet.PaddleCloudRoleMaker(is_collective=True)
            fleet.init(role)
            print(fleet.worker_index(), fleet.worker_num())  # 0 1
    """

    _known: tuple[str, ...] = ("init_gloo", "path")

    def __init__(self, is_collective: bool = False, **kwargs: Any) -> None:
        super().__init__()
        name = type(self).__name__
        if not isinstance(is_collective, bool):
            raise InvalidArgumentError(
                f"{name}(is_collective): expected a bool, but received {is_collective!r}."
            )
        for key in kwargs:
            if key not in self._known:
                near = difflib.get_close_matches(key, self._known, n=1)
                meant = f"; did you mean {near[0]!r}?" if near else f"; it has {list(self._known)}."
                raise TypeError(f"{name}: there is no argument {key!r}{meant}")
        self._is_collective = is_collective
        self._kwargs = kwargs
        if kwargs.get("init_gloo"):
            self._meeting_path = kwargs.get("path")

    def _find_job(self) -> Job:
        return collective_job() if self._is_collective else server_job()


class UserDefinedRoleMaker(PaddleCloudRoleMaker):
    """Takes the role from its arguments.

    Args:
        is_collective (bool): whether the job is all trainers; else it has parameter servers.
        init_gloo (bool): whether processes meet in ``path`` for ``fleet.util``.
        **kwargs: ``current_id`` (int), ``role`` (Role), ``worker_num`` (int), ``worker_endpoints``
            and ``server_endpoints`` (lists of ``"ip:port"``), ``path`` (str).

    Raises:
        ValueError: an argument is missing or contradicts another one.
        TypeError: an argument that is not known, or of a wrong type.

    Examples:
        .. code-block:: python

            import paddle.distributed.fleet as fleet
            role = fleet.UserDefinedRoleMaker(
                current_id=0, role=fleet.Role.SERVER, worker_num=2,
                server_endpoints=["127.0.0.1:36011", "127.0.0.1:36012"])
            print(role.to_string())
    """

    _known = (
        "current_id", "heter_trainer_endpoints", "path", "role", "server_endpoints",
        "worker_endpoints", "worker_num",
    )  # fmt: skip

    def __init__(self, is_collective: bool = False, init_gloo: bool = False, **kwargs: Any) -> None:
        super().__init__(is_collective, **kwargs)
        if init_gloo:
            self._meeting_path = kwargs.get("path")

    def _find_job(self) -> Job:
        return job_by_hand(self._is_collective, self._kwargs)
