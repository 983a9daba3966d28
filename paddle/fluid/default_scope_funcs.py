"""A stack of scopes of 1.x: local ones inside the global one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from paddle.executor.scope import Scope

__all__ = [
    "enter_local_scope", "find_var", "get_cur_scope", "leave_local_scope", "scoped_function", "var",
]  # fmt: skip

_stacks = threading.local()


def _stack() -> list[Any]:
    found = getattr(_stacks, "scopes", None)
    if not found:
        found = _stacks.scopes = [Scope()]
    return found


def get_cur_scope() -> Any:
    """Returns the innermost scope.

    Examples:
        .. code-block:: python

            from paddle.fluid import default_scope_funcs as scopes
            scopes.var("x")
            print(scopes.get_cur_scope().find_var("x") is not None)  # True
    """
    return _stack()[-1]


def enter_local_scope() -> None:
    """Makes a scope inside the current one, and that the current one.

    Examples:
        .. code-block:: python

            from paddle.fluid import default_scope_funcs as scopes
            scopes.enter_local_scope()
            scopes.var("inner")
            scopes.leave_local_scope()
            print(scopes.find_var("inner"))  # None
    """
    _stack().append(get_cur_scope().new_scope())


def leave_local_scope() -> None:
    """Goes back to the scope around the current one, whose variables end.

    Raises:
        RuntimeError: the current scope is the outermost one.

    Examples:
        .. code-block:: python

            from paddle.fluid import default_scope_funcs as scopes
            scopes.enter_local_scope()
            scopes.leave_local_scope()
    """
    if len(_stack()) == 1:
        raise RuntimeError("leave_local_scope: there is no local scope to leave.")
    _stack().pop()
    get_cur_scope().drop_kids()


def var(name: str) -> Any:
    """Returns a variable of the current scope, made if need be.

    Args:
        name (str): its name.

    Examples:
        .. code-block:: python

            from paddle.fluid import default_scope_funcs as scopes
            print(scopes.var("x") is scopes.find_var("x"))
    """
    return get_cur_scope().var(name)


def find_var(name: str) -> Any:
    """Returns a variable of the current scope or one around it; None where there is none.

    Args:
        name (str): its name.

    Examples:
        .. code-block:: python

            from paddle.fluid import default_scope_funcs as scopes
            print(scopes.find_var("nobody"))  # None
    """
    return get_cur_scope().find_var(name)


def scoped_function(func: Callable) -> None:
    """Calls a function inside a local scope.

    Args:
        func (callable): the function.

    Examples:
        .. code-block:: python

            from paddle.fluid import default_scope_funcs as scopes
            scopes.scoped_function(lambda: scopes.var("x"))
            print(scopes.find_var("x"))  # None
    """
    enter_local_scope()
    try:
        func()
    finally:
        leave_local_scope()
