"""distributed_batch_reader: each process takes its share of the batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.errors import InvalidArgumentError

__all__ = ["distributed_batch_reader"]


def distributed_batch_reader(batch_reader: Callable[[], Any]) -> Callable[[], Iterator[Any]]:
    """Gives every process another part of a reader's batches, and all of them equally many.

    How many processes there are and which one this is, ``PADDLE_TRAINERS_NUM`` and
    ``PADDLE_TRAINER_ID`` of the environment say.

    Args:
        batch_reader (Callable): the reader, the same in every process.

    Returns:
        Callable: a reader of every n-th batch; batches in the end that do not suffice for all
        processes are left out.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            reader = fluid.contrib.reader.distributed_batch_reader(lambda: iter([[1], [2]]))
            print(list(reader()))  # [[1], [2]]
    """
    processes = int(os.getenv("PADDLE_TRAINERS_NUM", "1"))
    number = int(os.getenv("PADDLE_TRAINER_ID", "0"))
    if not 0 <= number < processes:
        raise InvalidArgumentError(
            f"distributed_batch_reader: expected PADDLE_TRAINER_ID below {processes}, as "
            f"PADDLE_TRAINERS_NUM says, but it is {number}."
        )

    def read() -> Iterator[Any]:
        mine = None
        for count, batch in enumerate(batch_reader()):
            if count % processes == number:
                mine = batch
            if count % processes == processes - 1:
                yield mine

    return read
