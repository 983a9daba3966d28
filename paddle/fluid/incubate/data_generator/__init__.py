"""Generators that turn raw lines into the records of datasets, as a ``pipe_command`` does."""

from paddle.distributed.dataset.generator import (
    DataGenerator as DataGenerator,  # beside __all__, as in 1.8.5
)
from paddle.distributed.dataset.generator import (
    MultiSlotDataGenerator,
    MultiSlotStringDataGenerator,
)

__all__ = ["MultiSlotDataGenerator", "MultiSlotStringDataGenerator"]
