"""Settings of the process that a guard replaces for its own thread."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, Generic, TypeVar

T = TypeVar("T")


def as_here(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that another thread calls once, as if the caller of this had called it.

    For threads of our own, which do a part of their user's work: they see his mode and his guards.
    """
    return functools.partial(copy_context().run, function)


def in_main_thread() -> bool:
    """Says whether what is set now is set for the process: for the threads to come as well."""
    return threading.current_thread() is threading.main_thread()


class Setting(Generic[T]):
    """A value that every thread finds, until a guard of its own puts another in its place.

    Guards are the thread's own (and the task's, with asyncio). A new thread finds the value of the
    process. Only the main thread changes that one, outside of guards; other threads that switch
    do it for themselves.

    Args:
        name (str): for looking at it in a debugger.
        value: the value of the process.
    """

    __slots__ = ("_own", "_process")

    def __init__(self, name: str, value: T) -> None:
        self._process = value
        self._own: ContextVar[T | None] = ContextVar(name, default=None)

    def get(self) -> T:
        """Returns the value for this thread."""
        own = self._own.get()
        return self._process if own is None else own

    def switch(self, value: T) -> T:
        """Exchanges the value outside of a ``with`` block and returns the one before."""
        before = self.get()
        if self._own.get() is None and in_main_thread():
            self._process = value
        else:
            self._own.set(value)
        return before

    @contextmanager
    def guard(self, value: T) -> Iterator[None]:
        """Puts a value in place for this thread, inside a ``with`` block."""
        before = self._own.get()
        self._own.set(value)
        try:
            yield
        finally:
            self._own.set(before)
