"""Training in several processes as 1.x dygraph names it."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.rings import rings
from paddle.distributed.parallel import ParallelEnv, init_parallel_env

__all__ = ["Env", "ParallelStrategy", "prepare_context"]

Env = ParallelEnv


class ParallelStrategy:
    """How many processes train together, and where they are.

    Attributes:
        nranks (int): the number of processes.
        local_rank (int): which one this is.
        trainer_endpoints (list[str]): all of them.
        current_endpoint (str): this one.
        nrings (int): rings of communication.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            strategy = fluid.dygraph.parallel.ParallelStrategy()
            print(strategy.nranks, strategy.local_rank)  # 1 0
    """

    def __init__(self) -> None:
        self.nranks, self.local_rank, self.nrings = 1, 0, 1
        self.trainer_endpoints: list[str] = []
        self.current_endpoint = ""


def prepare_context(strategy: Any = None) -> Any:
    """Connects this process to those that it trains with; one process has nothing to connect.

    Args:
        strategy (ParallelStrategy, optional): None: what the environment says.

    Returns:
        ParallelStrategy: the strategy, for :class:`DataParallel`; None, as in 1.x, where there is
        one process.

    Raises:
        ValueError: the strategy has another number of processes than the environment.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                strategy = fluid.dygraph.prepare_context()
                net = fluid.dygraph.DataParallel(fluid.dygraph.Linear(2, 2), strategy)
                print(net.full_name())  # linear_0_data_parallel_0
    """
    env = ParallelEnv()
    if strategy is None and env.nranks > 1:
        strategy = ParallelStrategy()
        strategy.nranks, strategy.local_rank = env.nranks, env.local_rank
        strategy.trainer_endpoints = env.trainer_endpoints
        strategy.current_endpoint = env.current_endpoint
    if strategy is None or strategy.nranks < 2:
        return strategy
    if strategy.nranks != env.nranks:
        raise InvalidArgumentError(
            f"prepare_context(strategy): it says that there are {strategy.nranks} processes, but "
            f"PADDLE_TRAINERS_NUM says {env.nranks}.",
            hint="start them by python -m paddle.distributed.launch",
        )
    if not rings.known(0):
        init_parallel_env()
    return strategy
