"""Text files of records with slots (``MultiSlotDataFeed``): parsing, reading, training."""

from paddle.distributed.dataset.base import DatasetBase
from paddle.distributed.dataset.box import BoxPSDataset
from paddle.distributed.dataset.memory import InMemoryDataset
from paddle.distributed.dataset.queue import FileInstantDataset, QueueDataset

__all__ = ["BoxPSDataset", "DatasetBase", "FileInstantDataset", "InMemoryDataset", "QueueDataset"]
