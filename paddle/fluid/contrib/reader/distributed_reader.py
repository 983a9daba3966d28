"""distributed_batch_reader of 1.x."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["distributed_batch_reader"]


def distributed_batch_reader(batch_reader: Callable) -> Callable:
    """Gives each of several processes its share of the batches.

    The processes are counted by ``PADDLE_TRAINERS_NUM``, this one by ``PADDLE_TRAINER_ID``. What
    does not make up a batch for each at the end is left out.

    Args:
        batch_reader (callable): a reader of batches.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            reader = fluid.contrib.reader.distributed_batch_reader(lambda: iter([[1], [2], [3]]))
            print(list(reader()))  # [[1], [2], [3]]
    """
    count = int(os.getenv("PADDLE_TRAINERS_NUM", 1))
    own = int(os.getenv("PADDLE_TRAINER_ID", 0))
    if not 0 <= own < count:
        raise ValueError(
            "distributed_batch_reader: expected PADDLE_TRAINER_ID below PADDLE_TRAINERS_NUM, "
            f"but they are {own} and {count}."
        )

    def reader() -> Iterator[Any]:
        kept = None
        for number, batch in enumerate(batch_reader()):
            if number % count == own:
                kept = batch
            if number % count == count - 1:
                yield kept

    return reader
