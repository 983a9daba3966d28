"""Python functions that Programs call: operators of type ``py_func`` know them by number."""

from __future__ import annotations

import threading
from collections.abc import Callable

from paddle.core.errors import NotFoundError

_registered: list[Callable] = []
_registering = threading.Lock()


def number_of(function: Callable) -> int:
    """Returns the number of a function, which gets one when first seen."""
    with _registering:
        for number, known in enumerate(_registered):
            if known is function:
                return number
        _registered.append(function)
        return len(_registered) - 1


def function_of(number: int) -> Callable:
    """Returns the function of a number.

    Raises:
        RuntimeError: nothing was registered under it in this process.
    """
    if not 0 <= number < len(_registered):
        raise NotFoundError(
            f"py_func: there is no Python function number {number}; {len(_registered)} were "
            "registered in this process.",
            hint="a Program with py_func cannot be loaded: build it anew where it runs",
        )
    return _registered[number]
