"""Rings that Programs ask for: connects the processes whose addresses an operator names."""

from __future__ import annotations

import os
from collections.abc import Sequence

from paddle.core.errors import InvalidArgumentError
from paddle.core.rings import Communicator, rings
from paddle.distributed import group
from paddle.distributed.env import ParallelEnv
from paddle.distributed.spawn import environment

_made: dict[str, Communicator] = {}  # by the number of a ring and its members


def connect(number: int, endpoints: Sequence[str], rank: int) -> None:
    """Lets the number of a ring mean the processes at these addresses; each has to call it.

    A ring of all processes shares the connections of ring 0. Where nobody connected the processes
    of the job yet, this does; without a launcher's variables they are those of this ring.

    Args:
        number (int): of the ring.
        endpoints (list[str]): the addresses of the members, in their order; empty: all processes.
        rank (int): which of them this process is.

    Raises:
        ValueError: an address is not one of the job's, the rank is not this process's, or
            ``new_group`` gave the number to other processes.
    """
    listed = list(endpoints)
    env = ParallelEnv()
    if env.world_size == 1 and len(listed) > 1:
        os.environ.update(environment(rank, len(listed), listed))  # as a launcher would have
        env = ParallelEnv()
    if not rings.connected(0):
        group.open_world(env, group.timeout_of(None))
    ranks = _ranks(number, listed, env, rank)
    if not 0 <= rank < len(ranks) or ranks[rank] != env.rank:
        raise InvalidArgumentError(
            f"ring {number}: expected this process, number {env.rank} of the job, to be member "
            f"{rank} of the processes {ranks}."
        )
    group.check_number(number, ranks)
    if ranks == list(range(env.world_size)):
        if number:
            rings.register(number, rings.get(0))
        return
    name = f"ring{number}-{'-'.join(map(str, ranks))}"
    if name not in _made:  # else by a Program that ran before, or by this one
        seconds = group.timeout_of(None)
        _made[name] = group.connected(name, ranks, rank, group.host_of(env), seconds)
    rings.register(number, _made[name])


def _ranks(number: int, endpoints: list[str], env: ParallelEnv, rank: int) -> list[int]:
    """The numbers of the members among all processes.

    Addresses are for finding each other: a Program that was made for others of as many processes
    means all that are there.
    """
    everybody = [e for e in env.trainer_endpoints if e]
    unknown = [e for e in endpoints if e not in everybody]
    elsewhere = len(unknown) == env.world_size and rank == env.rank
    if not endpoints or elsewhere:
        return list(range(env.world_size))
    if unknown:
        raise InvalidArgumentError(
            f"ring {number}: expected addresses of this job's processes, {everybody}, but "
            f"received {unknown}."
        )
    return [everybody.index(e) for e in endpoints]
