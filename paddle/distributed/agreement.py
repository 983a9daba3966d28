"""What all processes of a job have to agree upon before any of them goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.core.errors import ExternalError, PreconditionNotMetError
from paddle.core.rings import rings
from paddle.distributed.env import ParallelEnv


def here(api: str) -> tuple[int, int]:
    """Returns the rank of this process and how many there are.

    Args:
        api (str): what is about to be done, for the error.

    Raises:
        PreconditionNotMetError: there are several, and they cannot talk to each other yet.
    """
    env = ParallelEnv()
    if env.world_size > 1 and not rings.known(0):
        raise PreconditionNotMetError(
            f"{api}: {env.world_size} processes have to agree about it.",
            hint="call paddle.distributed.init_parallel_env() first",
        )
    return env.rank, env.world_size


def numbers(own: int) -> list[int]:
    """Returns everybody's number, by rank.

    Args:
        own (int): this process's; below 2 ** 63.
    """
    return rings.get(0).numbers(own)


def first_number(own: int) -> int:
    """Returns the first process's number to everybody."""
    return numbers(own)[0]


def attempt(action: Callable[[], Any]) -> Exception | None:
    """Does something; returns the error, if it raises one, for :func:`all_well`."""
    try:
        action()
    except Exception as error:  # the others are told before it is raised
        return error
    return None


def all_well(error: Exception | None, what: str, undo: Callable[[], Any] | None = None) -> None:
    """Raises on every process if one has an error.

    Args:
        error (Exception|None): this process's.
        what (str): what was being done.
        undo (callable, optional): called before, where one has an error.
    """
    failed = [rank for rank, bad in enumerate(numbers(error is not None)) if bad]
    if not failed:
        return
    if undo is not None:
        undo()
    if error is not None:
        raise error
    ranks = f"rank{'s' if len(failed) > 1 else ''} {', '.join(map(str, failed))}"
    raise ExternalError(f"{what}: {ranks} could not do it; the log of that process says why.")
