"""Pytrees: lists, tuples, dicts and named tuples of values, and functions over all their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.errors import InvalidArgumentError


def leaves(pytree: Any) -> list[Any]:
    """Returns the values of a pytree in order; dicts go by their sorted keys.

    Args:
        pytree: a value, or lists, tuples and dicts of values.
    """
    return [leaf for _, leaf in paths(pytree)]


def paths(pytree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Goes over the values of a pytree, each with where it is: ``[0]['a']``."""
    if isinstance(pytree, dict):
        for key in _keys(pytree):
            yield from paths(pytree[key], f"{path}[{key!r}]")
    elif isinstance(pytree, (list, tuple)):
        for i, item in enumerate(pytree):
            yield from paths(item, f"{path}[{i}]")
    else:
        yield path, pytree


def _keys(pytree: dict) -> list:
    try:
        return sorted(pytree)
    except TypeError:  # keys of several types
        return list(pytree)


def tree_map(function: Callable, pytree: Any, *others: Any) -> Any:
    """Applies a function to values in the same place of several pytrees.

    Args:
        function (callable): takes one value of each pytree.
        pytree: the pytree whose form the result has.
        *others: pytrees of the same form; lists and tuples count as the same.

    Raises:
        ValueError: the pytrees differ in form.
    """
    for other in others:
        found = difference(pytree, other, whole="the pytree", nothing=True)
        if found is not None:
            raise InvalidArgumentError(f"expected pytrees of the same form, but {found}.")
    return _tree_map(function, pytree, others)


def _tree_map(function: Callable, pytree: Any, others: tuple) -> Any:
    if isinstance(pytree, dict):
        made = {
            k: _tree_map(function, pytree[k], tuple(o[k] for o in others)) for k in _keys(pytree)
        }
        return type(pytree)((key, made[key]) for key in pytree)
    if isinstance(pytree, (list, tuple)):
        items = [_tree_map(function, i[0], i[1:]) for i in zip(pytree, *others, strict=True)]
        return type(pytree)(*items) if hasattr(pytree, "_fields") else type(pytree)(items)
    return function(pytree, *others)


def rebuilt(pytree: Any, values: list[Any]) -> Any:
    """Returns a pytree of the same form with other values, given in the order of :func:`leaves`.

    Args:
        pytree: the form.
        values (list): as many as the pytree has.

    Raises:
        ValueError: there are more or fewer.
    """
    count = len(leaves(pytree))
    if count != len(values):
        raise ValueError(f"a pytree of {count} values was given {len(values)}")
    rest = iter(values)
    return _tree_map(lambda _: next(rest), pytree, ())


def difference(
    a: Any, b: Any, path: str = "", *, whole: str = "the result", nothing: bool = False
) -> str | None:
    """Returns where and how two pytrees differ in form, or None if they do not.

    Lists and tuples count as the same.

    Args:
        a: a pytree.
        b: another one.
        path (str): where they are in a larger pytree.
        whole (str): what to call the pytrees where they differ at the top.
        nothing (bool): None may stand where the other pytree has a value.
    """
    told = f"{path or whole} is {_form(a)} and {_form(b)}"
    pairs: list[tuple[str, Any, Any]]
    if isinstance(a, dict) or isinstance(b, dict):
        if not (isinstance(a, dict) and isinstance(b, dict)):
            return told
        if set(a) != set(b):
            return f"{path or whole} has keys {_keys(a)} and {_keys(b)}"
        pairs = [(f"[{key!r}]", a[key], b[key]) for key in _keys(a)]
    elif isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        if not (isinstance(a, (list, tuple)) and isinstance(b, (list, tuple))):
            return told
        if len(a) != len(b):
            return f"{path or whole} has {len(a)} and {len(b)} elements"
        pairs = [(f"[{i}]", x, y) for i, (x, y) in enumerate(zip(a, b, strict=True))]
    else:
        return told if (a is None) != (b is None) and not nothing else None
    for part, x, y in pairs:
        found = difference(x, y, path + part, whole=whole, nothing=nothing)
        if found is not None:
            return found
    return None


def _form(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, dict):
        return f"a dict with keys {_keys(value)}"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    return f"one {type(value).__name__}"
