"""Training in several processes: starting them, exchanging values and gradients, fleet."""

from paddle.distributed import fleet
from paddle.distributed.checkpoint import checkpoint, resume
from paddle.distributed.collective import (
    ReduceOp,
    all_gather,
    all_reduce,
    alltoall,
    barrier,
    broadcast,
    recv,
    reduce,
    scatter,
    send,
    wait,
)
from paddle.distributed.data_parallel import DataParallel
from paddle.distributed.entry_attr import CountFilterEntry, ProbabilityEntry
from paddle.distributed.fleet.dataset import (
    BoxPSDataset,
    DatasetBase,
    FileInstantDataset,
    InMemoryDataset,
    QueueDataset,
)
from paddle.distributed.group import get_group, new_group
from paddle.distributed.parallel import (
    ParallelEnv,
    get_rank,
    get_world_size,
    init_parallel_env,
)
from paddle.distributed.spawn import spawn
from paddle.distributed.split import split

__all__ = [
    "BoxPSDataset", "CountFilterEntry", "DataParallel", "DatasetBase", "FileInstantDataset",
    "InMemoryDataset", "ParallelEnv", "ProbabilityEntry", "QueueDataset", "ReduceOp",
    "all_gather", "all_reduce", "alltoall", "barrier", "broadcast", "checkpoint", "fleet",
    "get_group", "get_rank", "get_world_size", "init_parallel_env", "new_group", "recv",
    "reduce", "resume", "scatter", "send", "spawn", "split", "wait",
]  # fmt: skip
