"""Decorators of 1.x that keep the signature of what they decorate."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

__all__ = ["signature_safe_contextmanager", "wrap_decorator"]


def wrap_decorator(decorator_func: Callable) -> Callable:
    """Makes a decorator keep name, docstring and signature.

    Args:
        decorator_func (callable): a decorator.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid

            @fluid.wrapped_decorator.wrap_decorator
            def twice(function):
                return lambda *args: 2 * function(*args)

            @twice
            def one():
                return 1
            print(one(), one.__name__)  # 2 one
    """

    @functools.wraps(decorator_func)
    def decorated(func: Callable) -> Callable:
        inner = decorator_func(func)

        @functools.wraps(func)
        def called(*args: Any, **kwargs: Any) -> Any:
            return inner(*args, **kwargs)

        return called

    return decorated


def signature_safe_contextmanager(func: Callable) -> Callable:
    """``contextlib.contextmanager``, which keeps the signature.

    Args:
        func (callable): a generator function.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid

            @fluid.wrapped_decorator.signature_safe_contextmanager
            def block():
                yield 1
            with block() as value:
                print(value)  # 1
    """
    return contextlib.contextmanager(func)
