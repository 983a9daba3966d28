"""Nests of Tensors (lists, tuples, dicts, named tuples), and functions over all of their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.core.errors import InvalidArgumentError


def flat(nest: Any) -> list[Any]:
    """Returns the values of a nest in order.

    Args:
        nest: a value, or lists, tuples and dicts of values.
    """
    if isinstance(nest, dict):
        return [leaf for key in nest for leaf in flat(nest[key])]
    if isinstance(nest, (list, tuple)):
        return [leaf for item in nest for leaf in flat(item)]
    return [nest]


def mapped(function: Callable, nest: Any, *others: Any) -> Any:
    """Applies a function to values in the same place of several nests.

    Args:
        function (callable): takes one value of each nest.
        nest: the nest whose form the result has.
        *others: nests of the same form; lists and tuples count as the same.

    Raises:
        ValueError: the nests differ in form.
    """
    if isinstance(nest, dict):
        if any(not isinstance(o, dict) or set(o) != set(nest) for o in others):
            raise _different(nest, others)
        return type(nest)((k, mapped(function, nest[k], *[o[k] for o in others])) for k in nest)
    if isinstance(nest, (list, tuple)):
        if any(not isinstance(o, (list, tuple)) or len(o) != len(nest) for o in others):
            raise _different(nest, others)
        made = [mapped(function, *items) for items in zip(nest, *others, strict=True)]
        return type(nest)(*made) if hasattr(nest, "_fields") else type(nest)(made)
    if any(isinstance(o, (list, tuple, dict)) for o in others):
        raise _different(nest, others)
    return function(nest, *others)


def rebuilt(nest: Any, values: list[Any]) -> Any:
    """Returns a nest of the same form with other values, given in the order of :func:`flat`.

    Args:
        nest: the form.
        values (list): as many as the nest has.
    """
    rest = iter(values)
    return mapped(lambda _: next(rest), nest)


def _different(nest: Any, others: tuple) -> Exception:
    shown = " and ".join(_form(n) for n in [nest, *others])
    return InvalidArgumentError(f"expected nests of the same form, but received {shown}.")


def _form(nest: Any) -> str:
    if isinstance(nest, dict):
        return "{" + ", ".join(f"{k!r}: {_form(v)}" for k, v in nest.items()) + "}"
    if isinstance(nest, (list, tuple)):
        return "[" + ", ".join(_form(v) for v in nest) + "]"
    return "*"
