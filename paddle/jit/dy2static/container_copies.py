"""Containers that converted code carries: lists, tuples and dicts, and copies of them."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterable
from typing import Any

from paddle.jit.dy2static.undefined import is_undefined

# What else a branch or a loop may change in place; a Program cannot, so a change is an error.
CHANGING = (set, deque, bytearray)


def is_pytree(value: Any) -> bool:
    """Says whether a value is a list, tuple or dict, subclasses included."""
    return not is_undefined(value) and isinstance(value, (list, tuple, dict))


def items_of(pytree: Any) -> list[tuple[Any, Any]]:
    """The pairs of key or position and value of a pytree."""
    return list(pytree.items()) if isinstance(pytree, dict) else list(enumerate(pytree))


def like(pytree: Any, pairs: Iterable[tuple[Any, Any]]) -> Any:
    """Returns a pytree of the kind of another one with other contents."""
    pairs = list(pairs)
    if isinstance(pytree, dict):
        if type(pytree) is dict:
            return dict(pairs)
        made = pytree.copy()
        made.clear()
        made.update(pairs)
        return made
    values = [value for _, value in pairs]
    if type(pytree) in (list, tuple):
        return type(pytree)(values)
    if hasattr(pytree, "_fields"):
        return type(pytree)(*values)
    try:
        return type(pytree)(values)
    except Exception:  # a class of the user's with a constructor of its own
        return list(values) if isinstance(pytree, list) else tuple(values)


class Copies:
    """Copies of containers for one branch, and which container each is a copy of."""

    def __init__(self) -> None:
        self._made: dict[int, Any] = {}
        self._origins: dict[int, Any] = {}
        self._alive: list[Any] = []

    def of(self, value: Any) -> Any:
        """Returns a copy of a pytree with the same leaves; the same pytree twice gives one copy."""
        if not is_undefined(value) and isinstance(value, CHANGING):
            value = self._of_other(value)
        if not is_pytree(value):
            return value
        found = self._made.get(id(value))
        if found is not None:
            return found
        parts = [(key, self.of(part)) for key, part in items_of(value)]
        if isinstance(value, tuple):
            changed = any(p is not q for (_, p), q in zip(parts, value, strict=True))
            return like(value, parts) if changed else value
        made = like(value, parts)
        self.note(made, value)
        self._made[id(value)] = made
        return made

    def _of_other(self, value: Any) -> Any:
        made = self._made.get(id(value))
        if made is None:
            made = self._made[id(value)] = copy.copy(value)
            self.note(made, value)
        return made

    def note(self, made: Any, origin: Any) -> None:
        """Notes that one container stands for another."""
        self._origins[id(made)] = origin
        self._alive += [made, origin]

    def is_copy(self, value: Any) -> bool:
        """Says whether a container is a copy that was made here."""
        return id(value) in self._origins

    def origin(self, value: Any) -> Any:
        """The container that a value is a copy of, else None."""
        return self._origins.get(id(value))


def refilled(origin: Any, made: Any) -> Any:
    """Gives a list or dict that was changed in place its new contents, and returns it."""
    if isinstance(origin, list) and isinstance(made, list):
        if len(origin) != len(made) or any(a is not b for a, b in zip(origin, made, strict=True)):
            origin[:] = made
        return origin
    if isinstance(origin, dict) and isinstance(made, dict):
        same = list(origin) == list(made) and all(origin[k] is made[k] for k in made)
        if not same:
            origin.clear()
            origin.update(made)
        return origin
    return made
