"""What the launcher has told this process: its rank, the number of processes, its devices."""

from __future__ import annotations

import os

from paddle.core.backends import told
from paddle.core.errors import InvalidArgumentError

__all__ = ["ParallelEnv"]


def told_number(variable: str, default: int) -> int:
    """Returns the number that the launcher wrote into a variable of the environment.

    Args:
        variable (str): its name.
        default (int): what it is without a launcher.

    Raises:
        ValueError: the variable holds something else.
    """
    text = os.environ.get(variable) or str(default)
    try:
        return int(text.split(",")[0])
    except ValueError:
        raise InvalidArgumentError(
            f"the environment variable {variable}: expected a number, but it is {text!r}."
        ) from None


class ParallelEnv:
    """What the launcher has told this process; without a launcher it is alone.

    It reads the environment when it is made: ``PADDLE_TRAINER_ID``, ``PADDLE_TRAINERS_NUM``,
    ``PADDLE_CURRENT_ENDPOINT``, ``PADDLE_TRAINER_ENDPOINTS``, ``FLAGS_selected_gpus`` (with
    ``xpus`` and the like for other devices).

    Raises:
        ValueError: a variable that is to hold a number holds something else.

    Examples:
        .. code-block:: python

            import paddle
            env = paddle.distributed.ParallelEnv()
            print(env.rank, env.world_size)  # 0 1
    """

    def __init__(self) -> None:
        self._rank = told_number("PADDLE_TRAINER_ID", 0)
        self._world_size = told_number("PADDLE_TRAINERS_NUM", 1)
        devices = told()
        variable = devices.selection if devices is not None else None
        self._device_id = told_number(variable or "FLAGS_selected_gpus", 0)
        self._nrings = told_number("FLAGS_nccl_nrings", 1)
        self._endpoints = os.environ.get("PADDLE_TRAINER_ENDPOINTS", "").split(",")
        self._own_endpoint = os.environ.get("PADDLE_CURRENT_ENDPOINT", "")

    @property
    def rank(self) -> int:
        """The number of this process among all, from 0."""
        return self._rank

    @property
    def world_size(self) -> int:
        """How many processes train together."""
        return self._world_size

    @property
    def device_id(self) -> int:
        """The number of this process's GPU, or other device."""
        return self._device_id

    @property
    def current_endpoint(self) -> str:
        """The address of this process, ``ip:port``; empty where there is no launcher."""
        return self._own_endpoint

    @property
    def trainer_endpoints(self) -> list[str]:
        """The addresses of all processes."""
        return self._endpoints

    @property
    def nrings(self) -> int:
        """How many rings of communication there are."""
        return self._nrings

    local_rank = rank
    nranks = world_size
    dev_id = device_id
