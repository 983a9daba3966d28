"""Decorators of test methods; found as ``decorator_helper`` by PaddlePaddle's tests."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from paddle.core import unique_name
from paddle.executor.scope import Scope, scope_guard
from paddle.ir.current import program_guard
from paddle.ir.program import Program

__all__ = ["many_times", "prog_scope"]


def prog_scope() -> Callable[[Callable], Callable]:
    """Decorator: the function runs with Programs, a scope and names of its own."""

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            with scope_guard(Scope()), program_guard(Program(), Program()), unique_name.guard():
                return function(*args, **kwargs)

        return run

    return decorate


def many_times(times: int) -> Callable[[Callable], Callable]:
    """Decorator: the function runs several times in a row and returns nothing.

    Args:
        times (int): how often.
    """

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> None:
            for _ in range(times):
                function(*args, **kwargs)

        return run

    return decorate
