"""Switching between static and dynamic mode, as tests and libraries of 1.x and 2.0 do it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from paddle.core.mode import hooked
from paddle.core.place import name_of, set_device
from paddle.framework.dygraph import guard
from paddle.ir.recording.static_mode import record

__all__ = ["switch_to_static_graph"]


def switch_to_static_graph(func: Callable) -> Callable:
    """Decorates a function that builds or runs Programs, whatever the mode around a call is.

    Args:
        func (callable): the function.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.fluid.dygraph.base import switch_to_static_graph

            @switch_to_static_graph
            def mode():
                return paddle.in_dynamic_mode()

            print(mode())  # False
    """

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        with hooked(record):
            return func(*args, **kwargs)

    return call


def _dygraph_guard(tracer: Any) -> AbstractContextManager:
    """Dynamic mode with a tracer, static mode with None."""
    return hooked(record) if tracer is None else guard()


def _set_expected_place(place: Any) -> None:
    set_device(name_of(place))
