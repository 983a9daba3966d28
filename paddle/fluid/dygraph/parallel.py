"""Training in several processes as 1.x dygraph names it; here for one process."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import UnimplementedError
from paddle.distributed.parallel import ParallelEnv

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
    """Connects the processes that train together; one process has nothing to connect.

    Args:
        strategy (ParallelStrategy, optional): None: what the environment says.

    Returns:
        None, as in 1.x where there is one process.

    Raises:
        NotImplementedError: there are several processes.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                strategy = fluid.dygraph.prepare_context()
                net = fluid.dygraph.DataParallel(fluid.dygraph.Linear(2, 2), strategy)
                print(net.full_name())  # linear_0_data_parallel_0
    """
    count = ParallelEnv().nranks if strategy is None else strategy.nranks
    if count >= 2:
        raise UnimplementedError(
            f"prepare_context: training in {count} processes is not part of this version.",
            hint="run one process (unset PADDLE_TRAINERS_NUM)",
        )
    return strategy
