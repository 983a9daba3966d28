"""Arguments under the names of earlier releases."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable)


def also_named(**old: str) -> Callable[[F], F]:
    """Decorates a function whose arguments may be given by other names, too.

    Args:
        **old: the earlier name, and what it is called now.

    Returns:
        Callable: the decorator; signature and docstring stay those of the function.
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            for name in old.keys() & kwargs.keys():
                if old[name] in kwargs:
                    raise TypeError(
                        f"{function.__name__}() got both {name!r} and {old[name]!r}; they are the "
                        "same argument."
                    )
                kwargs[old[name]] = kwargs.pop(name)
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorate
