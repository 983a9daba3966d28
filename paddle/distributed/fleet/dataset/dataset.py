"""Where 2.0 has the datasets of text files."""

from paddle.distributed.dataset import (
    BoxPSDataset,
    DatasetBase,
    FileInstantDataset,
    InMemoryDataset,
    QueueDataset,
)

__all__ = ["BoxPSDataset", "DatasetBase", "FileInstantDataset", "InMemoryDataset", "QueueDataset"]
