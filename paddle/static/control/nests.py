"""Nests: lists, tuples and dicts of values, as users pass them to control flow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def leaves(nest: Any) -> list[Any]:
    """Returns the values of a nest in order; dicts go by their sorted keys."""
    return [leaf for _, leaf in paths(nest)]


def paths(nest: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Goes over the values of a nest, each with where it is: ``[0]['a']``."""
    if isinstance(nest, dict):
        for key in _keys(nest):
            yield from paths(nest[key], f"{path}[{key!r}]")
    elif isinstance(nest, (list, tuple)):
        for i, item in enumerate(nest):
            yield from paths(item, f"{path}[{i}]")
    else:
        yield path, nest


def _keys(nest: dict) -> list:
    try:
        return sorted(nest)
    except TypeError:  # keys of several types
        return list(nest)


def rebuilt(nest: Any, values: list[Any]) -> Any:
    """Returns a nest of the same form with other values, given in the order of :func:`leaves`."""
    rest = iter(values)
    made = _rebuilt(nest, lambda: next(rest))
    if next(rest, rest) is not rest:
        raise ValueError(f"a nest of {len(leaves(nest))} values was given {len(values)}")
    return made


def _rebuilt(nest: Any, take: Callable[[], Any]) -> Any:
    if isinstance(nest, dict):
        made = {key: _rebuilt(nest[key], take) for key in _keys(nest)}
        return type(nest)((key, made[key]) for key in nest)
    if isinstance(nest, tuple) and hasattr(nest, "_fields"):
        return type(nest)(*[_rebuilt(item, take) for item in nest])
    if isinstance(nest, (list, tuple)):
        return type(nest)([_rebuilt(item, take) for item in nest])
    return take()


def difference(a: Any, b: Any, path: str = "") -> str | None:
    """Returns where and how two nests differ in form, or None if they do not.

    Lists and tuples count as the same.
    """
    where = path or "the result"
    if isinstance(a, dict) or isinstance(b, dict):
        if not (isinstance(a, dict) and isinstance(b, dict)):
            return f"{where} is {_form(a)} and {_form(b)}"
        if set(a) != set(b):
            return f"{where} has keys {_keys(a)} and {_keys(b)}"
        found = [difference(a[k], b[k], f"{path}[{k!r}]") for k in _keys(a)]
        return next((f for f in found if f), None)
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        if not (isinstance(a, (list, tuple)) and isinstance(b, (list, tuple))):
            return f"{where} is {_form(a)} and {_form(b)}"
        if len(a) != len(b):
            return f"{where} has {len(a)} and {len(b)} elements"
        pairs = enumerate(zip(a, b, strict=True))
        found = [difference(x, y, f"{path}[{i}]") for i, (x, y) in pairs]
        return next((f for f in found if f), None)
    if (a is None) != (b is None):
        return f"{where} is {_form(a)} and {_form(b)}"
    return None


def _form(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, dict):
        return f"a dict with keys {_keys(value)}"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    return f"one {type(value).__name__}"
