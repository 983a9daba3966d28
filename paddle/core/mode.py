"""The mode of the current thread: gradients on or off, and who intercepts operator calls.

A thread starts in the mode of the process, dynamic or static, with gradients on. It looks when it
first needs to know: until then its mode is FRESH, which to a generated caller looks like a hook.
"""

from __future__ import annotations

import contextvars
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.op import C, py
from paddle.core.setting import in_main_thread

GRAD = 1
HOOKED = 2
FRESH = 4


# 0 (plain), GRAD, or either with HOOKED. Operators read it once per call, and a context variable is
# the cheapest thing that is the thread's (and the task's) own.
_mode: contextvars.ContextVar[int] = contextvars.ContextVar("mode", default=FRESH | HOOKED | GRAD)
_hook: contextvars.ContextVar[Any] = contextvars.ContextVar("hook", default=None)
_process_hook: Any = None  # that of static mode, if the main thread turned it on
get_mode = _mode.get


def settled() -> int:
    """Returns the mode of this thread; a new one takes that of the process now."""
    mode = get_mode()
    if mode < FRESH:
        return mode
    _mode.set(GRAD)
    _install(_process_hook)
    return get_mode()


def call_hook(op: Any, args: tuple, attrs: dict[str, Any]) -> Any:
    """Hands an operator call to the hook of the current thread."""
    if get_mode() & FRESH and not settled() & HOOKED:
        return getattr(C, op.name)(*args, **{py(name): value for name, value in attrs.items()})
    return _hook.get()(op, args, attrs)


def grad_enabled() -> bool:
    """Says whether operators are recorded for backward in this thread."""
    return bool(get_mode() & GRAD)


def set_grad_enabled(on: bool) -> bool:
    """Switches recording on or off for this thread and returns what it was."""
    before = get_mode()
    if before >= FRESH:
        before = settled()
    _mode.set((before | GRAD) if on else (before & ~GRAD))
    return bool(before & GRAD)


def current_hook() -> Any:
    """Who intercepts the operator calls of this thread; None: nobody."""
    if get_mode() >= FRESH:
        settled()
    return _hook.get()


class hooked:
    """Sends operator calls of this thread to ``hook(op, args, attrs)``; None sends them nowhere."""

    __slots__ = ("_before", "_hook")

    def __init__(self, hook: Callable[[Any, tuple, dict[str, Any]], Any] | None) -> None:
        self._hook = hook

    def __enter__(self) -> None:
        self._before = current_hook()
        if self._before is not self._hook:
            _install(self._hook)

    def __exit__(self, *error: Any) -> None:
        if _hook.get() is not self._before:
            _install(self._before)


def recording() -> bool:
    """Says whether static mode is on in this thread: operators are recorded instead of run."""
    return bool(settled() & HOOKED) and getattr(_hook.get(), "records", False)


def set_recording(hook: Callable[[Any, tuple, dict[str, Any]], Any] | None) -> None:
    """Turns static mode on by its hook, or off (None); another hook is left alone.

    It is the thread's own; done by the main thread, new threads start with it.
    """
    global _process_hook
    settled()
    if in_main_thread():
        _process_hook = hook
    if hook is not None or undecided() is not None or recording():
        _install(hook)


def set_open(hook: Callable[[Any, tuple, dict[str, Any]], Any]) -> None:
    """Opens the mode of this thread and, whichever thread does it, of those that start later."""
    global _process_hook
    if _process_hook is None:
        _process_hook = hook
    set_recording(hook)


def undecided() -> Any:
    """The hook that waits for the first thing to be made, while 1.x's mode is open; else None."""
    hook = current_hook()
    return hook if getattr(hook, "undecided", False) else None


def _install(hook: Callable[[Any, tuple, dict[str, Any]], Any] | None) -> None:
    _hook.set(hook)
    _mode.set((get_mode() | HOOKED) if hook else (get_mode() & ~HOOKED))


settled()  # this thread is not to look any more


class no_grad:
    """Switches recording for backward off: as a context, a decorator or around a generator.

    Results have ``stop_gradient`` True and hold nothing of the graph.

    Examples:
        .. code-block:: python

            import paddle
            w = paddle.to_tensor([2.0], stop_gradient=False)
            with paddle.no_grad():
                y = w * w
            print(y.stop_gradient)  # True

            @paddle.no_grad()
            def square(x):
                return x * x

            print(square(w).stop_gradient)  # True
    """

    def __new__(cls, func: Callable | None = None) -> Any:
        """Makes the context, or decorates at once: ``@paddle.no_grad`` without parentheses."""
        made = super().__new__(cls)
        made._before = []
        return made if func is None else made(func)

    _before: list[bool]

    def __enter__(self) -> no_grad:
        self._before.append(set_grad_enabled(False))
        return self

    def __exit__(self, *exc: object) -> None:
        set_grad_enabled(self._before.pop())

    def __call__(self, func: Callable) -> Callable:
        """Decorates a function or a generator function."""
        if not callable(func):
            raise TypeError(f"no_grad: expected a function to decorate, but received {func!r}.")
        if inspect.isgeneratorfunction(func):
            return _without_gradients(func)
        if inspect.iscoroutinefunction(func):

            @functools.wraps(func)
            async def wait(*args: Any, **kwargs: Any) -> Any:
                with no_grad():
                    return await func(*args, **kwargs)

            return wait

        @functools.wraps(func)
        def run(*args: Any, **kwargs: Any) -> Any:
            with no_grad():
                return func(*args, **kwargs)

        return run


def _without_gradients(func: Callable) -> Callable:
    """A generator function whose own code runs without gradients; its consumer's does not."""

    @functools.wraps(func)
    def steps(*args: Any, **kwargs: Any) -> Iterator[Any]:
        generator = func(*args, **kwargs)
        step, value = generator.send, None
        while True:
            try:
                with no_grad():
                    item = step(value)
            except StopIteration as stop:
                return stop.value
            try:
                step, value = generator.send, (yield item)
            except GeneratorExit:
                with no_grad():
                    generator.close()
                raise
            except BaseException as error:
                step, value = generator.throw, error

    return steps
