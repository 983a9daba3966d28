"""Groups of processes that exchange values among themselves."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from paddle.core.errors import InvalidArgumentError, NotFoundError
from paddle.distributed.backend import Alone, Communicator
from paddle.distributed.parallel import ParallelEnv, check_alone

_numbers = itertools.count(1)
_groups: dict[int, Group] = {}


class Group:
    """Some of the processes that train together; made by :func:`new_group`.

    Attributes:
        id (int): its number; 0 is the group of all processes.
        ranks (list[int]): its processes, by their number among all.
        rank (int): the number of this process within the group; -1: it is not in it.
        nranks (int): how many processes it has.
    """

    def __init__(self, id: int, ranks: Sequence[int], rank: int, backend: Communicator) -> None:
        self.id = id
        self.ranks = list(ranks)
        self.rank = rank
        self.nranks = len(self.ranks)
        self.backend = backend

    world_size = property(lambda self: self.nranks)

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


def _made(id: int, ranks: Sequence[int]) -> Group:
    env = ParallelEnv()
    check_alone("paddle.distributed", env.world_size)
    made = Group(id, ranks, 0, Alone())
    _groups[id] = made
    return made


def new_group(ranks: Sequence[int] | None = None, backend: str | None = None) -> Group:
    """Makes a group of some processes; all processes have to call it. Not in 2.0.

    Args:
        ranks (list[int], optional): the processes; None: all.
        backend (str, optional): what exchanges the values; only None, the usual one, is taken.

    Raises:
        ValueError: there is no such process, or one is named twice.
        NotImplementedError: there are several processes, or a backend is named.

    Examples:
        .. code-block:: python

            import paddle
            group = paddle.distributed.new_group([0])
            print(group.nranks, group.rank)  # 1 0
    """
    count = ParallelEnv().world_size
    check_alone("new_group", count)
    if backend is not None:
        raise NotImplementedError(
            f"new_group(backend={backend!r}): there is one process and nothing to choose from; "
            "leave backend out."
        )
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
    return _made(next(_numbers), sorted(chosen))


def get_group(id: int = 0) -> Group:
    """Returns the group of a number; 0 is that of all processes. Not in 2.0.

    Args:
        id (int): the number.

    Raises:
        NotFoundError: there is no such group.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.distributed.get_group(0).ranks)  # [0]
    """
    if id == 0 and id not in _groups:
        return _made(0, range(ParallelEnv().world_size))
    if id not in _groups:
        raise NotFoundError(
            f"paddle.distributed: there is no group {id!r}.",
            hint="0 is the group of all processes; new_group makes others",
        )
    return _groups[id]
