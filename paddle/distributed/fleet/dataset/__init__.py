"""Datasets of text files; the same classes as in ``paddle.distributed``."""

from paddle.distributed.fleet.dataset.dataset import (
    BoxPSDataset,
    DatasetBase,
    FileInstantDataset,
    InMemoryDataset,
    QueueDataset,
)

__all__ = ["BoxPSDataset", "DatasetBase", "FileInstantDataset", "InMemoryDataset", "QueueDataset"]
