"""Data loading: datasets, samplers and the DataLoader."""

from typing import Any

from paddle.io.dataloader.batch_sampler import BatchSampler, DistributedBatchSampler
from paddle.io.dataloader.dataset import (
    ChainDataset,
    ComposeDataset,
    ConcatDataset,  # of later releases: __all__ is 2.0's
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from paddle.io.dataloader.sampler import (
    RandomSampler,
    Sampler,
    SequenceSampler,
    SubsetRandomSampler,  # the same
    WeightedRandomSampler,
)
from paddle.io.dataloader.worker_info import get_worker_info
from paddle.io.reader import DataLoader

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ComposeDataset",
    "DataLoader",
    "Dataset",
    "DistributedBatchSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequenceSampler",
    "Subset",
    "TensorDataset",
    "WeightedRandomSampler",
    "get_worker_info",
    "random_split",
]


def __getattr__(name: str) -> Any:
    if name == "load_program_state":  # where the 2.0 guide looks for it; static graphs load late
        from paddle.static import load_program_state

        return load_program_state
    raise AttributeError(f"module 'paddle.io' has no attribute {name!r}")
