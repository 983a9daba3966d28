"""Reads the types of arguments off docstrings and annotations, and says whether a value fits.

What a docstring promises (``axis (int|list[int], optional): ...``) is the contract of an argument;
so that is what a value is compared with when a call has failed. Nothing here runs in a call that
works.
"""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from paddle.core.lazy_pattern import LazyPattern

_LINE = LazyPattern(r"^\s+((?:\*{0,2}\w+)(?:, \*{0,2}\w+)*) \((.+?)\):", re.M)


def of_docstring(doc: str | None) -> dict[str, str]:
    """The types of arguments that a docstring names: ``{"axis": "int|list[int]"}``."""
    found: dict[str, str] = {}
    for names, text in _LINE.findall(doc or ""):
        for name in names.split(", "):
            found.setdefault(name.lstrip("*"), text)
    return found


def of_callable(function: Any, owner: Any = None) -> dict[str, str]:
    """The types of a function's arguments: of its docstring, of annotations where it is silent.

    Args:
        function (callable): the function or method.
        owner (type): for a constructor the class, whose docstring has its arguments.
    """
    inner = inspect.unwrap(function)
    found = {
        name: text if isinstance(text, str) else getattr(text, "__name__", "Any")
        for name, text in getattr(inner, "__annotations__", {}).items()
    }
    found.pop("return", None)
    found = {name: text for name, text in found.items() if "Any" not in re.split(r"\W+", text)}
    for place in (owner, inner):
        found.update(of_docstring(getattr(place, "__doc__", None)))
    return found


def fits(text: str, value: Any) -> bool:
    """Whether a value is of a documented type; what cannot be told fits.

    Args:
        text (str): such as ``"int|list[int]|None"`` or ``"float, optional"``; that means that it
            may be left out, not that None may be given.
        value: the argument.
    """
    return any(_fits_one(part, value) for part in _split(_split(text, ",")[0], "|"))


def _split(text: str, mark: str) -> list[str]:
    """Cuts at a mark that stands outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "[(") - (letter in "])")
        if letter == mark and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]


def _fits_one(name: str, value: Any) -> bool:
    head, _, inner = name.partition("[")
    head = head.rpartition(".")[2]
    check = _TYPES.get(head)
    if check is not None:
        if not check(value):
            return False
        # Parts of a list are looked at, those of a dict are not.
        if inner and isinstance(value, (list, tuple)) and head in _LISTS:
            items = [p for p in _split(inner[:-1], ",") if p != "..."]
            return all(any(fits(i, v) for i in items) for v in value)
        return True
    if not head[:1].isupper():
        return True  # a word that is no type
    return _is_a(head, value)


def _is_a(name: str, value: Any) -> bool:
    """Whether a value's class, or one it derives from, has this name."""
    if name == "Any":
        return True
    kind = type(value)
    if value is None or kind.__module__ == "builtins":
        return False
    return any(c.__name__ == name for c in kind.__mro__)


def _integer(value: Any) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    try:
        return -(2**63) <= operator.index(value) < 2**63
    except (TypeError, ValueError):
        return False


def _number(value: Any) -> bool:
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    if isinstance(value, (float, np.floating, np.integer)):
        return True
    return (_tensor(value) or isinstance(value, np.ndarray)) and _single(value)


def _single(value: Any) -> bool:
    return all(n in (1, -1) for n in value.shape) and "complex" not in str(value.dtype).lower()


def _tensor(value: Any) -> bool:
    return hasattr(value, "stop_gradient")


def _data_type(value: Any) -> bool:
    from paddle.core.dtype import to_vartype

    try:
        to_vartype(value)
    except Exception:
        return False
    return True


def _listed(value: Any) -> bool:
    return isinstance(value, (list, tuple, range))


def _parameter_settings(value: Any) -> bool:
    """What is taken for a ParamAttr: that, a name, False or True, an initializer."""
    return value is None or isinstance(value, (str, bool)) or hasattr(value, "__dict__")


_LISTS = frozenset(["list", "tuple", "List", "Tuple", "Sequence", "sequence", "Iterable"])
_TYPES: dict[str, Callable[[Any], bool]] = {
    "int": _integer,
    "float": _number,
    "number": _number,
    "bool": lambda v: isinstance(v, (bool, np.bool_, int)) or (_tensor(v) and _single(v)),
    "str": lambda v: isinstance(v, str),
    "bytes": lambda v: isinstance(v, bytes),
    "None": lambda v: v is None,
    "list": _listed,
    "tuple": _listed,
    "List": _listed,
    "Tuple": _listed,
    "Sequence": _listed,
    "sequence": lambda v: hasattr(v, "__getitem__") and not isinstance(v, (str, bytes, dict)),
    "iterable": lambda v: isinstance(v, Iterable) and not isinstance(v, (str, bytes)),
    "Iterable": lambda v: isinstance(v, Iterable) and not isinstance(v, (str, bytes)),
    "set": lambda v: isinstance(v, (set, frozenset)),
    "dict": lambda v: isinstance(v, dict),
    "callable": callable,
    "Callable": callable,
    "type": lambda v: isinstance(v, type),
    "Tensor": _tensor,
    "Variable": _tensor,
    "ndarray": lambda v: isinstance(v, np.ndarray) and v.dtype.kind in "biufc",
    "dtype": _data_type,
    "VarType": _data_type,
    "ParamAttr": _parameter_settings,
    "object": lambda v: True,
}
