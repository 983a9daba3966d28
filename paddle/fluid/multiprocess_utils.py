"""Functions that are called when a process ends or is stopped by a signal."""

from __future__ import annotations

import atexit
import signal
from collections.abc import Callable
from typing import Any

__all__ = ["CleanupFuncRegistrar"]


class CleanupFuncRegistrar:
    """Registers functions that free what a process holds: shared memory, files, children.

    Examples:
        .. code-block:: python

            from paddle.fluid.multiprocess_utils import CleanupFuncRegistrar
            CleanupFuncRegistrar.register(lambda: None)
    """

    _executed: set[int] = set()
    _registered: set[int] = set()

    @classmethod
    def register(cls, function: Callable[[], Any], signals: Any = []) -> None:  # noqa: B006
        """Has a function called once, when the process ends.

        Args:
            function (callable): takes no arguments.
            signals (list[int]): signals on which it is called too; ``SIGKILL`` cannot be caught.
                A handler that was there before is called afterwards.

        Raises:
            TypeError: ``function`` cannot be called.
        """
        if not callable(function):
            raise TypeError(f"expected a function, but received {type(function).__name__}.")
        if id(function) in cls._registered:
            return
        cls._registered.add(id(function))

        def once() -> None:
            if id(function) not in cls._executed:
                cls._executed.add(id(function))
                function()

        atexit.register(once)
        for number in signals:
            cls._on_signal(once, number)

    @classmethod
    def _on_signal(cls, once: Callable[[], None], number: int) -> None:
        before = signal.getsignal(number)

        def handle(received: int, frame: Any) -> None:
            once()
            if callable(before):
                before(received, frame)
            elif before == signal.SIG_DFL:
                signal.signal(received, signal.SIG_DFL)
                signal.raise_signal(received)

        signal.signal(number, handle)
