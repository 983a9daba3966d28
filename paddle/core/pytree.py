"""Nests: lists, tuples, dicts and named tuples of values, and functions over all their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.errors import InvalidArgumentError


def leaves(nest: Any) -> list[Any]:
    """Returns the values of a nest in order; dicts go by their sorted keys.

    Args:
        nest: a value, or lists, tuples and dicts of values.
    """
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


def mapped(function: Callable, nest: Any, *others: Any) -> Any:
    """Applies a function to values in the same place of several nests.

    Args:
        function (callable): takes one value of each nest.
        nest: the nest whose form the result has.
        *others: nests of the same form; lists and tuples count as the same.

    Raises:
        ValueError: the nests differ in form.
    """
    for other in others:
        found = difference(nest, other, whole="the nest", nothing=True)
        if found is not None:
            raise InvalidArgumentError(f"expected nests of the same form, but {found}.")
    return _mapped(function, nest, others)


def _mapped(function: Callable, nest: Any, others: tuple) -> Any:
    if isinstance(nest, dict):
        made = {k: _mapped(function, nest[k], tuple(o[k] for o in others)) for k in _keys(nest)}
        return type(nest)((key, made[key]) for key in nest)
    if isinstance(nest, (list, tuple)):
        items = [_mapped(function, i[0], i[1:]) for i in zip(nest, *others, strict=True)]
        return type(nest)(*items) if hasattr(nest, "_fields") else type(nest)(items)
    return function(nest, *others)


def rebuilt(nest: Any, values: list[Any]) -> Any:
    """Returns a nest of the same form with other values, given in the order of :func:`leaves`.

    Args:
        nest: the form.
        values (list): as many as the nest has.

    Raises:
        ValueError: there are more or fewer.
    """
    count = len(leaves(nest))
    if count != len(values):
        raise ValueError(f"a nest of {count} values was given {len(values)}")
    rest = iter(values)
    return _mapped(lambda _: next(rest), nest, ())


def difference(
    a: Any, b: Any, path: str = "", *, whole: str = "the result", nothing: bool = False
) -> str | None:
    """Returns where and how two nests differ in form, or None if they do not.

    Lists and tuples count as the same.

    Args:
        a: a nest.
        b: another one.
        path (str): where they are in a larger nest.
        whole (str): what to call the nests where they differ at the top.
        nothing (bool): None may stand where the other nest has a value.
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
