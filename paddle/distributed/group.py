"""Groups of processes that exchange values among themselves."""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from typing import Any

import torch

from paddle.core import flags
from paddle.core.backends import CUDA, Backend, present, told
from paddle.core.errors import InvalidArgumentError, NotFoundError, PreconditionNotMetError
from paddle.core.place import current_backend
from paddle.core.rings import Communicator, rings
from paddle.distributed import c10d, check, store
from paddle.distributed.env import ParallelEnv, told_number
from paddle.distributed.staged import StagedGroup

_groups: dict[int, Group] = {}
_connected: list[c10d.C10dGroup] = []


class Group:
    """Some of the processes that train together; made by :func:`new_group`.

    Attributes:
        id (int): its number; 0 is the group of all processes.
        ranks (list[int]): its processes, by their number among all.
        rank (int): the number of this process within the group; -1: it is not in it.
        nranks (int): how many processes it has.
    """

    def __init__(
        self, id: int, ranks: Sequence[int], rank: int, backend: Communicator | None
    ) -> None:
        self.id = id
        self.ranks = list(ranks)
        self.rank = rank
        self.nranks = len(self.ranks)
        self._backend = backend

    world_size = property(lambda self: self.nranks)

    @property
    def backend(self) -> Communicator:
        """What exchanges buffers."""
        if self._backend is None:
            raise PreconditionNotMetError(f"paddle.distributed: this process is not in {self}.")
        return self._backend

    def is_member(self) -> bool:
        """Says whether this process is in the group."""
        return self.rank >= 0

    def get_group_rank(self, rank: int) -> int:
        """Returns the number within the group of a process; -1: it is not in it.

        Args:
            rank (int): its number among all.
        """
        return self.ranks.index(rank) if rank in self.ranks else -1

    def __repr__(self) -> str:
        return f"Group(id={self.id}, ranks={self.ranks}, rank={self.rank})"


_alone = Group(0, [0], 0, rings.alone)


def host_of(env: ParallelEnv) -> str:
    """The address at which this process listens: its endpoint's, else the loopback's.

    Args:
        env (ParallelEnv): what the launcher told it.
    """
    if not env.current_endpoint:
        return "127.0.0.1"
    return store.split_endpoint(env.current_endpoint, "PADDLE_CURRENT_ENDPOINT")[0]


def connected(
    name: str, ranks: Sequence[int], me: int, host: str, timeout: float, part: Any = None
) -> Communicator:
    """Connects some processes; each of them has to call it.

    Args:
        name (str): the same for all, and no other group's.
        ranks (list[int]): their numbers, for messages.
        me (int): which of them this process is.
        host (str): the address at which it listens.
        timeout (float): seconds that an exchange may take.
        part (Store, optional): where they meet; None: in the store of the job.
    """
    if len(ranks) == 1:
        return rings.alone
    meeting = store.below(store.job_store(timeout) if part is None else part, "group", name)
    check.meet(meeting, list(ranks), me, timeout)
    gloo = c10d.gloo(store.below(meeting, "gloo"), me, len(ranks), timeout, host)
    there = [b for b in present() if not b.host]
    own = None
    if there:
        own = _chosen(there).process_group(store.below(meeting, "device"), me, len(ranks), timeout)
    if not _connected:
        atexit.register(close_world)
    kind = c10d.C10dGroup if own is not None or not there else StagedGroup
    made = kind(name, ranks, me, gloo, own, timeout)
    _connected.append(made)
    return made


def _chosen(there: list[Backend]) -> Backend:
    """The devices that processes exchange buffers of: those that are current, told, or first."""
    current = current_backend()
    return current if not current.host else (told() or there[0])


def open_world(env: ParallelEnv, timeout: float) -> None:
    """Connects all processes of the job, once; see ``init_parallel_env``.

    Args:
        env (ParallelEnv): which of them this one is.
        timeout (float): seconds that an exchange may take.
    """
    if rings.connected(0) or env.world_size == 1:
        return
    rings.world_size = env.world_size
    everybody = range(env.world_size)
    communicator = connected("0", everybody, env.rank, host_of(env), timeout)
    rings.register(0, communicator)
    _groups[0] = Group(0, everybody, env.rank, communicator)
    _settings["timeout"] = timeout


def expect_world(env: ParallelEnv, timeout: float) -> None:
    """Lets all processes of the job be connected when something is first exchanged.

    Args:
        env (ParallelEnv): which of them this one is.
        timeout (float): seconds that an exchange may take.
    """
    if not rings.known(0) and env.world_size > 1:
        rings.expect(env.world_size, lambda: open_world(env, timeout))


def close_world() -> None:
    """Closes all groups and the store, as when a job is over.

    It is called when the interpreter ends: the threads of a connection that is still open then
    may abort the process.
    """
    for communicator in [*_connected]:
        communicator.close()
    _connected.clear()
    rings.forget()
    _groups.clear()
    store.left(ParallelEnv().rank)
    store.close()


_settings: dict[str, float] = {}


def new_group(ranks: Sequence[int] | None = None, backend: str | None = None) -> Group:
    """Makes a group of some processes; all processes have to call it. Not in 2.0.

    Args:
        ranks (list[int], optional): the processes; None: all.
        backend (str, optional): ``'gloo'`` or ``'nccl'``; None takes what fits a Tensor's place.

    Raises:
        ValueError: there is no such process, one is named twice, or the processes ask for
            different groups.
        RuntimeError: there are several processes and ``init_parallel_env`` was not called.

    Examples:
        .. code-block:: python

            import paddle
            group = paddle.distributed.new_group([0])
            print(group.nranks, group.rank)  # 1 0
    """
    env = ParallelEnv()
    count = env.world_size
    if backend not in (None, "gloo", "nccl"):
        raise InvalidArgumentError(
            f"new_group(backend): expected 'gloo', 'nccl' or None, but received {backend!r}."
        )
    if backend == "nccl" and not (CUDA.compiled() and CUDA.count()):
        raise NotImplementedError("new_group(backend='nccl'): no GPU is here; leave backend out.")
    chosen = list(range(count)) if ranks is None else list(ranks)
    for rank in chosen:
        if isinstance(rank, bool) or not isinstance(rank, int) or not 0 <= rank < count:
            raise InvalidArgumentError(
                f"new_group(ranks): expected numbers of processes from 0 to {count - 1}, but "
                f"received {rank!r}."
            )
    if not chosen or len(set(chosen)) < len(chosen):
        raise InvalidArgumentError(
            f"new_group(ranks): expected each process once, but received {chosen}."
        )
    chosen.sort()
    number = _free_number(f"new_group(ranks={chosen})")
    me = chosen.index(env.rank) if env.rank in chosen else -1
    communicator = None
    if me >= 0:
        seconds = _settings.get("timeout", timeout_of(None))
        communicator = connected(str(number), chosen, me, host_of(env), seconds)
        rings.register(number, communicator)
    _groups[number] = Group(number, chosen, me, communicator)
    return _groups[number]


def _free_number(call: str) -> int:
    """A number that no group and no ring of a Program has, on any process; all have to ask."""
    everybody = get_group(0).backend
    check.always_compare(everybody, call)
    taken = torch.tensor([max([0, *_groups, *rings.numbers()])])
    return int(everybody.all_reduce(taken, 1)) + 1


def check_number(number: int, ranks: Sequence[int]) -> None:
    """Raises if a number means a group of other processes; 0 may mean any, as in old Programs.

    Args:
        number (int): of a ring.
        ranks (list[int]): the members of the ring.
    """
    held = _groups.get(number) if number else None
    if held is not None and held.ranks != list(ranks):
        raise InvalidArgumentError(
            f"ring {number}: expected a number that is free, but it is that of {held}.",
            hint="run Programs that have rings of their own before you call new_group",
        )


def timeout_of(given: Any) -> float:
    """Returns how many seconds an exchange may take.

    Args:
        given (float|timedelta, optional): what the user said; None: ``FLAGS_dist_timeout``.
    """
    if given is None:
        return float(flags.get("FLAGS_dist_timeout"))
    seconds = given.total_seconds() if hasattr(given, "total_seconds") else given
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or seconds <= 0:
        raise InvalidArgumentError(
            f"init_parallel_env(timeout): expected a positive number of seconds, but received "
            f"{given!r}."
        )
    return float(seconds)


def get_group(id: int = 0) -> Group:
    """Returns the group of a number; 0 is that of all processes. Not in 2.0.

    Args:
        id (int): the number.

    Raises:
        NotFoundError: there is no such group.
        RuntimeError: there are several processes and ``init_parallel_env`` was not called.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.distributed.get_group(0).ranks)  # [0]
    """
    if id in _groups:
        return _groups[id]
    if id == 0 and rings.known(0):
        rings.get(0)  # connects
        return _groups[0]
    if id == 0:
        count = told_number("PADDLE_TRAINERS_NUM", 1)
        if count == 1:
            return _alone
        raise PreconditionNotMetError(
            f"paddle.distributed: this is one of {count} processes, but it is not "
            "connected to the others.",
            hint="call paddle.distributed.init_parallel_env() or fleet.init() first",
        )
    raise NotFoundError(
        f"paddle.distributed: there is no group {id!r}.",
        hint="0 is the group of all processes; new_group makes others",
    )
