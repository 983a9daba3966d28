"""Marks functions and classes as deprecated."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

__all__ = ["deprecated"]


def deprecated(update_to: str = "", since: str = "", reason: str = "") -> Callable[[Any], Any]:
    """Makes a decorator that warns when a function is called, and says so in its docstring.

    Args:
        update_to (str, optional): what to use instead. Default: "".
        since (str, optional): the version that deprecated it. Default: "".
        reason (str, optional): why. Default: "".

    Returns:
        Callable: the decorator. A call of what it decorates gives a DeprecationWarning.

    Examples:
        .. code-block:: python

            import paddle

            @paddle.utils.deprecated(update_to="paddle.add", since="2.0.0")
            def plus(x, y):
                return x + y

            print(plus(1, 2))  # 3, and a warning
    """
    for name, value in (("update_to", update_to), ("since", since), ("reason", reason)):
        if not isinstance(value, str):
            raise TypeError(
                f"deprecated({name}): expected a str, but received {type(value).__name__}."
            )

    def decorate(func: Any) -> Any:
        message = f"{func.__module__}.{func.__qualname__} is deprecated"
        if since.strip():
            message += f" since {since.strip()}"
        if update_to.strip():
            message += f"; use {update_to.strip()} instead"
        if reason.strip():
            message += f". Reason: {reason.strip()}"
        note = f".. warning::\n    {message}.\n\n{inspect.cleandoc(func.__doc__ or '')}".rstrip()

        if inspect.isclass(func):
            made = func.__init__

            @functools.wraps(made)
            def construct(self: Any, *args: Any, **kwargs: Any) -> None:
                if type(self) is func:
                    warnings.warn(message, DeprecationWarning, stacklevel=2)
                made(self, *args, **kwargs)

            func.__init__ = construct  # type: ignore[method-assign]  # func is a class here
            func.__doc__ = note
            return func

        @functools.wraps(func)
        def call(*args: Any, **kwargs: Any) -> Any:
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            return func(*args, **kwargs)

        call.__doc__ = note
        return call

    return decorate
