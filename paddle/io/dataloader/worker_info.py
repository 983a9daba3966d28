"""What a worker process knows about itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class WorkerInfo:
    """Describes the worker process that asks.

    Attributes:
        id (int): number of the worker, from 0.
        num_workers (int): how many there are.
        dataset (Dataset): this worker's copy of the dataset.
        seed (int): what the worker's random generators were seeded with.
    """

    id: int
    num_workers: int
    dataset: Any
    seed: int


_current: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Tells a worker process of a DataLoader who it is.

    Returns:
        WorkerInfo|None: ``id``, ``num_workers``, ``dataset`` and ``seed`` of the worker; None
        outside of worker processes.

    Examples:
        .. code-block:: python

            import math
            import numpy as np
            from paddle.io import DataLoader, IterableDataset, get_worker_info

            class Range(IterableDataset):
                def __iter__(self):
                    info = get_worker_info()
                    first, step = (0, 1) if info is None else (info.id, info.num_workers)
                    return (np.array([i]) for i in range(first, 6, step))

            loader = DataLoader(Range(), num_workers=2, batch_size=None)
            print(sorted(int(x) for x in loader))  # [0, 1, 2, 3, 4, 5]
    """
    return _current


def set_worker_info(info: WorkerInfo) -> None:
    """Tells this process that it is a worker."""
    global _current
    _current = info
