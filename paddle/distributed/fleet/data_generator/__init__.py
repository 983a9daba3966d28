"""Generators that turn raw lines into the records of datasets, as a ``pipe_command`` does."""

from paddle.distributed.fleet.data_generator.data_generator import (
    DataGenerator,
    MultiSlotDataGenerator,
    MultiSlotStringDataGenerator,
)

__all__ = ["DataGenerator", "MultiSlotDataGenerator", "MultiSlotStringDataGenerator"]
