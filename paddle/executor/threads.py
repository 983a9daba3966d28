"""How many threads compute one operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

number = torch.get_num_threads  # of the calling thread
_set = torch.set_num_threads


def with_threads(count: int, function: Callable, *args: Any) -> Any:
    """Returns ``function(*args)``, computed by a number of threads.

    Args:
        count (int): how many.
        function (callable): what to call.
        *args: its arguments.
    """
    before = number()
    if before == count:
        return function(*args)
    _set(count)
    try:
        return function(*args)
    finally:
        _set(before)
