"""Lists and dicts that a function changes for its caller, where a Program cannot follow it."""

from __future__ import annotations

import contextlib
import contextvars
import sys
from collections import deque
from collections.abc import Callable, Iterator
from types import BuiltinMethodType
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.jit.dy2static.container_copies import is_pytree, items_of
from paddle.jit.dy2static.symbols import called_inside, location

_METHODS = frozenset(
    ["add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem"]
    + ["popleft", "remove", "reverse", "setdefault", "sort", "update"]
)
_KINDS = (list, dict, set, deque)

# What the innermost branch or loop body has changed: number of the object -> object, place.
_changed: contextvars.ContextVar[dict[int, tuple[Any, str]] | None] = contextvars.ContextVar(
    "changed", default=None
)


@contextlib.contextmanager
def watched(allowed: Callable[[Any], bool]) -> Iterator[list]:
    """Records a branch or a loop's body; gives a list to which its result is to be added.

    Both branches are recorded, and a body once, whatever a run does. So what they change in place
    is right only where it is handed on: as a variable that the statement itself assigns. That a
    list is none of those, and still there afterwards, means that it is somebody else's.

    Args:
        allowed (callable): ``allowed(container)`` says whether it is a copy for this branch.

    Raises:
        ValueError: such a container was changed.
    """
    changed: dict[int, tuple[Any, str]] = {}
    results: list = []
    token = _changed.set(changed)
    try:
        yield results
    finally:
        _changed.reset(token)
    if not changed:
        return
    known = set(_containers(results))
    for key in list(changed):
        container, where = changed.pop(key)
        if sys.getrefcount(container) <= _ALONE or key in known or allowed(container):
            continue
        raise InvalidArgumentError(
            f"a {type(container).__name__} is changed by a function that is called under a "
            f"condition or in a loop that a Tensor decides about, but it belongs to the code "
            f"around.{where}",
            hint="change it in the branch or loop itself, or let the function return a new one",
        )


def _references() -> int:
    container, _ = [], ""  # type: ignore[var-annotated]
    return sys.getrefcount(container)


_ALONE = _references()


def _containers(value: Any) -> Iterator[int]:
    if is_pytree(value):
        yield id(value)
        for _, part in items_of(value):
            yield from _containers(part)


def note_change(container: Any) -> None:
    """Notes that a container is about to be changed, if that may be of interest."""
    changed = _changed.get()
    if changed is not None and called_inside() and isinstance(container, _KINDS):
        changed.setdefault(id(container), (container, location()))


def note_method(method: BuiltinMethodType) -> None:
    """Notes that a method that is about to be called may change its list or dict."""
    changed = _changed.get()
    if changed is None or method.__name__ not in _METHODS:
        return
    container = getattr(method, "__self__", None)
    if isinstance(container, _KINDS):
        changed.setdefault(id(container), (container, location()))
