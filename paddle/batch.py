"""Groups what a reader yields into lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module

__all__ = ["batch"]


def batch(
    reader: Callable[[], Any], batch_size: int, drop_last: bool = False
) -> Callable[[], Iterator[list[Any]]]:
    """Makes a reader of lists from a reader of samples.

    Args:
        reader (Callable): called without arguments, gives an iterable of samples.
        batch_size (int): how many samples make a list.
        drop_last (bool, optional): whether a shorter last list is left out. Default: False.

    Returns:
        Callable: a reader that yields lists.

    Raises:
        ValueError: batch_size is not positive.

    Examples:
        .. code-block:: python

            import paddle

            def reader():
                yield from range(5)

            print(list(paddle.batch(reader, batch_size=2)()))  # [[0, 1], [2, 3], [4]]
    """
    size = int(batch_size)
    if size <= 0:
        raise InvalidArgumentError(
            f"batch(batch_size): expected a positive integer, but received {batch_size}."
        )

    def batches() -> Iterator[list[Any]]:
        waiting: list[Any] = []
        for sample in reader():
            waiting.append(sample)
            if len(waiting) == size:
                yield waiting
                waiting = []
        if waiting and not drop_last:
            yield waiting

    return batches


guard_module(globals())
