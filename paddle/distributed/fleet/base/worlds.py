"""Exchanges between the workers, the servers, or all processes of a job, over gloo.

Where the processes meet is told by variables (``PADDLE_WITH_GLOO``, ``PADDLE_GLOO_RENDEZVOUS``), by
the launcher's store, or by the first worker's address.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from paddle.core.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    PreconditionNotMetError,
    UnimplementedError,
)
from paddle.core.rings import Communicator, rings
from paddle.distributed import check, group, store
from paddle.distributed.fleet.base.job import Job, Role

WORLDS = ("worker", "server", "all")
_WORDS = {"worker": "the workers", "server": "the servers", "all": "the workers and servers"}
_MODES = {"sum": 0, "max": 1, "min": 2}
_HDFS, _FILE, _HTTP = 1, 2, 3
# By place, world and members: a second fleet.init with the same job takes the same connections.
_connections: dict[tuple, Communicator] = {}
_hosted: dict[str, Any] = {}


class Gloo:
    """The groups that a process belongs to; each is connected when it is first used.

    Args:
        job (Job): the process's place in its job.
        collective (bool): whether the job is all trainers, which meet in ring 0.
        path (str, optional): a folder that all processes see, to meet in.
    """

    class RENDEZVOUS:
        """Where processes meet, as ``PADDLE_GLOO_RENDEZVOUS`` numbers it."""

        HDFS, FILE, HTTP = _HDFS, _FILE, _HTTP

    def __init__(self, job: Job, collective: bool, path: str | None = None) -> None:
        self._job, self._collective = job, collective
        self._place = "job"
        self._meeting = self._open(path)

    def _open(self, path: str | None) -> Callable[[str], Any] | None:
        """What gives the store of a world; a store that this process hosts is started here."""
        asked = os.environ.get("PADDLE_WITH_GLOO", "0") in ("1", "2") or path is not None
        if not asked or not self._job.distributed:
            return None
        default = str(_FILE) if path is not None else "0"
        kind = os.environ.get("PADDLE_GLOO_RENDEZVOUS") or default
        if kind == str(_FILE):
            folder = path or os.environ.get("PADDLE_GLOO_FS_PATH")
            if not folder:
                raise _unset("PADDLE_GLOO_FS_PATH", "a folder that all processes see")
            self._place = folder
            return lambda world: self._below(self._file(folder, world))
        if kind == str(_HTTP):
            served = self._served()
            return lambda world: self._below(served())
        if kind == str(_HDFS):
            raise UnimplementedError(
                "PADDLE_GLOO_RENDEZVOUS=1 (HDFS) is not part of this version.",
                hint="take 2 with PADDLE_GLOO_FS_PATH, or 3 with PADDLE_GLOO_HTTP_ENDPOINT",
            )
        raise InvalidArgumentError(
            f"PADDLE_GLOO_RENDEZVOUS: expected 2 (file) or 3 (http), but it is {kind!r}."
        )

    def _below(self, opened: Any) -> Any:
        """The part of a store that belongs to this job and round."""
        return store.below(opened, _job_name(), store.restart_round())

    def _file(self, folder: str, world: str) -> Any:
        os.makedirs(folder, exist_ok=True)
        return store.file_store(
            os.path.join(folder, f"{_job_name()}.{world}"),
            len(self._members(world)),
        )

    def _served(self) -> Callable[[], Any]:
        """A store at the first server's, or in a collective job the first worker's address."""
        name, host = "PADDLE_GLOO_HTTP_ENDPOINT", self._job.role == Role.SERVER
        endpoint = os.environ.get(name, "")
        if self._collective:
            name, host = "PADDLE_TRAINER_ENDPOINTS", True
            endpoint = self._job.worker_endpoints[0]
        if not endpoint:
            raise _unset(name, "the address ip:port of the store that the first server keeps")
        self._place = endpoint
        if host and self._job.index == 0:
            hosted = _kept_here(endpoint, name)
            return lambda: hosted
        return lambda: store.connect(endpoint, name)

    def _members(self, world: str) -> list[int]:
        """The numbers of a world's processes: the workers' come first."""
        workers, servers = self._job.workers, len(self._job.server_endpoints)
        first, last = {"worker": (0, workers), "server": (workers, workers + servers)}.get(
            world, (0, workers + servers)
        )
        return list(range(first, last))

    def communicator(self, world: str) -> Communicator:
        """Returns the group of a world; all of its processes have to ask for it.

        Args:
            world (str): ``"worker"``, ``"server"`` or ``"all"``.

        Raises:
            ValueError: there is no such world.
            RuntimeError: this process is not in it, or nobody said where its processes meet.
        """
        if world not in WORLDS:
            raise InvalidArgumentError(
                f"comm_world: expected one of {list(WORLDS)}, but received {world!r}."
            )
        members = self._members(world)
        me = self._job.index + (self._job.workers if self._job.role == Role.SERVER else 0)
        if me not in members or self._job.role == Role.HETER_WORKER:
            raise PreconditionNotMetError(
                f"comm_world={world!r}: this process is a {_called(self._job.role)}, so it is not "
                f"one of {_WORDS[world]}.",
                hint="take the world that it belongs to, or 'all'",
            )
        if len(members) == 1:
            return rings.alone
        if self._collective and self._meeting is None:
            return rings.get(0)
        key = (self._place, world, me, *members)
        if key not in _connections:
            place = self._store(world)
            if place.add(f"came/{world}/{me}", 1) > 1:
                raise _came_before(world)
            _connections[key] = group.connected(
                f"fleet.{world}", members, members.index(me), self._host(),
                group.timeout_of(None), place,
            )  # fmt: skip
        return _connections[key]

    def _store(self, world: str) -> Any:
        """Where the processes of a world meet."""
        if self._meeting is not None:
            return self._meeting(world)
        if store.known():
            return store.job_store()
        if world == "worker" and self._job.worker_endpoints:
            kept = self._job.worker_endpoints[0]  # at the first worker's own address
            if self._job.index == 0:
                return self._below(_kept_here(kept, "the first worker's address"))
            return self._below(store.connect(kept, "the first worker's address"))
        raise PreconditionNotMetError(
            f"comm_world={world!r}: nobody said where its processes meet.",
            hint="start them by python -m paddle.distributed.launch, or set PADDLE_WITH_GLOO=2 and "
            "PADDLE_GLOO_RENDEZVOUS=2 with PADDLE_GLOO_FS_PATH, a folder that all of them see",
        )

    def _host(self) -> str:
        """The address at which this process is reached by the others."""
        if self._job.own:
            return store.split_endpoint(self._job.own, "the process's own address")[0]
        return _address_towards(self._job.server_endpoints[0])

    # -- what util and role makers ask -----------------------------------------------------------

    def barrier(self, comm_world: str) -> None:
        """Returns when all processes of a world have called it."""
        self.communicator(comm_world).barrier()

    def all_reduce(self, input: Any, mode: str = "sum", comm_world: str = "worker") -> np.ndarray:
        """Returns the sum, the greatest or the least of everybody's array."""
        if mode not in _MODES:
            raise InvalidArgumentError(
                f"all_reduce(mode): expected one of {list(_MODES)}, but received {mode!r}."
            )
        members = self.communicator(comm_world)
        buffer = _buffer("all_reduce", input)
        _compare(members, check.describe("all_reduce", [buffer], mode=mode, world=comm_world))
        return members.all_reduce(buffer, _MODES[mode]).numpy().copy()

    def all_gather(self, input: Any, comm_world: str = "worker") -> list:
        """Returns everybody's number or array, in their order."""
        members = self.communicator(comm_world)
        buffer = _buffer("all_gather", input)
        _compare(members, check.describe("all_gather", [buffer], world=comm_world))
        parts = members.all_gather(buffer.reshape(-1))
        if buffer.dim() == 0:
            return [part.item() for part in parts]
        return [part.reshape(buffer.shape).numpy().copy() for part in parts]


def _came_before(world: str) -> PreconditionNotMetError:
    """What a process is told that was started again, or finds what an earlier job left."""
    return PreconditionNotMetError(
        f"comm_world={world!r}: a process of this number has connected to the others before, and "
        "its connections have gone with it.",
        hint="a job has to be started again as a whole to exchange numbers (fleet.barrier_worker "
        "meets at the servers after init_worker); a folder of an earlier job has to be deleted",
    )


def _kept_here(endpoint: str, name: str) -> Any:
    """The store that this process keeps at an address; started when first asked for."""
    if endpoint not in _hosted:
        listening = store.listening_socket(*store.split_endpoint(endpoint, name))
        _hosted[endpoint] = store.host_store(listening)
    return _hosted[endpoint]


def _job_name() -> str:
    """What tells jobs apart that meet at one place."""
    return f"{os.environ.get('SYS_JOB_ID') or 'job'}.{store.token()}"


def _compare(members: Communicator, text: str) -> None:
    if members.size > 1:
        check.compare(members, text)


def _buffer(api: str, value: Any) -> torch.Tensor:
    """Numbers as a buffer: nothing but numbers is exchanged."""
    array = np.asarray(value)
    if array.dtype.kind in "bu" or array.dtype == np.int16:
        array = array.astype(np.int64)
    if array.dtype.kind not in "if":
        raise ArgumentTypeError(
            f"fleet.util.{api}(input): expected numbers, but received {type(value).__name__} "
            f"of {array.dtype}."
        )
    return torch.from_numpy(np.array(array, order="C"))


def _address_towards(endpoint: str) -> str:
    """The address of this machine's interface towards another one; nothing is sent."""
    host, port = store.split_endpoint(endpoint, "PADDLE_PSERVERS_IP_PORT_LIST")
    family = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0][0]
    with socket.socket(family, socket.SOCK_DGRAM) as asking:
        asking.connect((host, port))
        return asking.getsockname()[0]


def _called(role: int) -> str:
    return {Role.WORKER: "worker", Role.SERVER: "server"}.get(role, "heter worker")


def _unset(name: str, what: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"PADDLE_WITH_GLOO is set, but {name} is not: it names {what}.")
