"""Who this process is among those it trains with, and the connection to them."""

from __future__ import annotations

import warnings
from typing import Any

from paddle.core.backends import CUDA, told
from paddle.core.errors import InvalidArgumentError
from paddle.core.place import set_device
from paddle.distributed import check
from paddle.distributed import group as groups
from paddle.distributed.env import ParallelEnv

__all__ = ["ParallelEnv", "get_rank", "get_world_size", "init_parallel_env"]


def get_rank(group: Any = None) -> int:
    """Returns the number of this process, from 0.

    Args:
        group (Group, optional): count within this group; -1 says that the process is not in it.
            Not in 2.0.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.distributed.get_rank())  # 0
    """
    return ParallelEnv().rank if group is None else group.rank


def get_world_size(group: Any = None) -> int:
    """Returns how many processes train together.

    Args:
        group (Group, optional): count those of this group. Not in 2.0.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.distributed.get_world_size())  # 1
    """
    return ParallelEnv().world_size if group is None else group.nranks


def init_parallel_env(timeout: Any = None) -> None:
    """Connects this process to the others that the launcher started.

    The other functions of ``paddle.distributed`` need it. A process alone need not call it: it
    gets a warning, and every exchange gives what was there.

    Args:
        timeout (float|timedelta, optional): seconds that an exchange may take before it raises;
            None: ``FLAGS_dist_timeout`` (1800). Not in 2.0.

    Raises:
        ValueError: the variables of the environment contradict each other, or the processes were
            told different things.
        OSError: the others cannot be reached.

    Examples:
        .. code-block:: python

            import paddle
            paddle.distributed.init_parallel_env()
            print(paddle.distributed.get_world_size())  # 1
    """
    env, seconds = ParallelEnv(), groups.timeout_of(timeout)
    if env.world_size == 1:
        warnings.warn(
            "init_parallel_env: training in one process does not support it (it changes nothing). "
            "Start several by `python -m paddle.distributed.launch --nproc_per_node 2 train.py`, "
            "or by paddle.distributed.spawn(train, nprocs=2).",
            stacklevel=2,
        )
        return
    _take_place(env)
    groups.open_world(env, seconds)
    everybody: Any = groups.get_group(0).backend
    if timeout is not None and everybody.timeout != seconds:
        warnings.warn(
            f"init_parallel_env(timeout={seconds:g}): the processes were connected before, with "
            f"{everybody.timeout:g} s, which stays. Call it before fleet.init().",
            stacklevel=2,
        )
    check.always_compare(everybody, f"init_parallel_env(timeout={seconds:g})")


def expect_parallel_env() -> None:
    """Lets :func:`init_parallel_env` happen when something is first exchanged.

    A Program can so be made, looked at and saved by one process for several.

    Raises:
        ValueError: the variables of the environment contradict each other.
    """
    env = ParallelEnv()
    _take_place(env)
    groups.expect_world(env, groups.timeout_of(None))


def _take_place(env: ParallelEnv) -> None:
    """Checks the variables, and takes the device that they name."""
    _check_environment(env)
    devices = told() or (CUDA if CUDA.count() else None)
    if devices is not None:
        set_device(devices.label(env.device_id))


def _check_environment(env: ParallelEnv) -> None:
    """Raises where the variables do not fit together."""
    if not 0 <= env.rank < env.world_size:
        raise InvalidArgumentError(
            f"PADDLE_TRAINER_ID: expected a number from 0 to {env.world_size - 1}, as "
            f"PADDLE_TRAINERS_NUM is {env.world_size}, but it is {env.rank}."
        )
    given = [e for e in env.trainer_endpoints if e]
    if given and len(given) != env.world_size:
        raise InvalidArgumentError(
            f"PADDLE_TRAINER_ENDPOINTS: expected {env.world_size} addresses, as "
            f"PADDLE_TRAINERS_NUM says, but it has {len(given)}: {','.join(given)}."
        )
    own = env.current_endpoint
    if given and own and given[env.rank] != own:
        raise InvalidArgumentError(
            f"PADDLE_CURRENT_ENDPOINT: expected {given[env.rank]!r}, which "
            f"PADDLE_TRAINER_ENDPOINTS has for rank {env.rank}, but it is {own!r}."
        )
