"""Checks of what a DataLoader is given."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.io.dataloader.dataset import Dataset
from paddle.io.dataloader.sampler import is_count


def check_dataset(dataset: Any) -> None:
    """Raises unless samples can be read from it, by number or in turn."""
    if isinstance(dataset, Dataset):
        return
    if not (hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__")):
        raise TypeError(
            "DataLoader(dataset): expected a paddle.io.Dataset, or an object with __getitem__ and "
            f"__len__, but received {type(dataset).__name__}."
        )


_MOST_WORKERS = 1024  # each is a process


def check_workers(num_workers: Any, timeout: Any, prefetch_factor: Any) -> None:
    """Raises unless the numbers that concern workers make sense."""
    is_int = isinstance(num_workers, int) and not isinstance(num_workers, bool)
    if not is_int or not 0 <= num_workers <= _MOST_WORKERS:
        raise InvalidArgumentError(
            f"DataLoader(num_workers): expected an int from 0 to {_MOST_WORKERS}, "
            f"but received {num_workers!r}."
        )
    if not is_count(prefetch_factor):
        raise InvalidArgumentError(
            f"DataLoader(prefetch_factor): expected a positive int, but received "
            f"{prefetch_factor!r}."
        )
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(
            f"DataLoader(timeout): expected a number, but received {type(timeout).__name__}."
        )
    if not timeout >= 0:
        raise InvalidArgumentError(
            f"DataLoader(timeout): expected a number of at least 0, but received {timeout}."
        )


def check_callables(collate_fn: Any, worker_init_fn: Any) -> None:
    """Raises where one is neither a function nor None."""
    for name, value in (("collate_fn", collate_fn), ("worker_init_fn", worker_init_fn)):
        if value is not None and not callable(value):
            raise TypeError(
                f"DataLoader({name}): expected a function or None, "
                f"but received {type(value).__name__}."
            )


def check_flags(**flags: Any) -> None:
    """Raises where a flag is no bool (or int, as older scripts give)."""
    for name, value in flags.items():
        if not isinstance(value, (bool, int)):
            raise TypeError(
                f"DataLoader({name}): expected a bool, but received {type(value).__name__}."
            )


def checked_task(task: Any) -> Any:
    """Returns what a batch sampler yielded, as something with a length and numbers.

    Raises:
        TypeError: it is no list of numbers.
    """
    if type(task) is list:
        return task
    if isinstance(task, (str, bytes)) or not hasattr(task, "__iter__"):
        raise TypeError(
            "DataLoader(batch_sampler): expected it to yield lists of sample numbers, but it "
            f"yielded {type(task).__name__}: {task!r:.60}. A sampler of single numbers goes into "
            "paddle.io.BatchSampler(sampler=..., batch_size=...)."
        )
    return task if isinstance(task, (tuple, range)) else list(task)
