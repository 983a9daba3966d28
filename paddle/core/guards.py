"""Wraps public classes and functions so that what fails inside is explained.

The words come from :mod:`paddle.core.failed_call`. Three forms: :class:`Guarded` is a base of
public classes, :func:`guard_module` the last line of a module of public functions,
:func:`guarded` a decorator of one.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from paddle.core.failed_call import NoNumber, explained_call

_NO_NUMBERS = frozenset([str, bytes, dict, set, type, object])  # what nobody means by a number
_LOOKED_AT = _NO_NUMBERS | {float}
_NONE: tuple[frozenset, frozenset] = (frozenset(), frozenset())
_LISTS = frozenset(["list[int]", "tuple[int, ...]", "Sequence[int]", "list[float]"])
_NUMBERS = frozenset(["int", "float", "bool", "None"]) | _LISTS


def _number_arguments(function: Callable) -> tuple[frozenset[str], frozenset[str]]:
    """The arguments that are annotated as numbers, and those of them that are no floats."""
    found = {
        name: {part.strip() for part in text.split("|")}
        for name, text in getattr(function, "__annotations__", {}).items()
        if isinstance(text, str) and name != "return"
    }
    plain = {"int", "float"} | _LISTS
    numbers = {n: t for n, t in found.items() if t <= _NUMBERS and t & plain}
    whole = (n for n, t in numbers.items() if not t & {"float", "list[float]"})
    return frozenset(numbers), frozenset(whole)


def _check_number(value: Any, whole: bool) -> None:
    if type(value) in _NO_NUMBERS or (whole and not math.isfinite(value)):
        raise NoNumber  # the words are found where other failures get theirs


def guarded(function: Callable, owner: type | None = None, checks: bool = True) -> Callable:
    """A function that does the same, and explains what failed.

    For what is called now and then: constructors, methods of models, readers of files. The frame
    between costs a fifth of a microsecond, which calls on small tensors must not pay.

    Args:
        function (callable): a public function or method.
        owner (type): the class of a method.
        checks (bool): whether texts and the like are refused where the annotation says numbers;
            they would often go unnoticed until the first use. This comes after the call, whose
            own checks have better words.
    """
    code = function.__code__  # type: ignore[attr-defined]
    if code.co_flags & inspect.CO_GENERATOR:
        made: Any = _generating(function, owner)
    else:
        made = _calling(function, owner, *(_number_arguments(function) if checks else _NONE))
    functools.update_wrapper(made, function)
    made.guards = True
    return made


def _calling(function: Callable, owner: type | None, numbers: frozenset, whole: frozenset) -> Any:
    code = function.__code__  # type: ignore[attr-defined]
    order = code.co_varnames[: code.co_argcount]

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            made = function(*args, **kwargs)
            if numbers:
                for name, value in zip(order, args):
                    if name in numbers and type(value) in _LOOKED_AT:
                        _check_number(value, name in whole)
                for name, value in kwargs.items():
                    if name in numbers and type(value) in _LOOKED_AT:
                        _check_number(value, name in whole)
            return made
        except Exception as error:
            raised = explained_call(function, owner, args, kwargs, error)
            if raised is None:
                raise
            raise raised from error

    return call


def _generating(function: Callable, owner: type | None) -> Any:
    def generate(*args: Any, **kwargs: Any) -> Any:
        try:
            yield from function(*args, **kwargs)
        except Exception as error:
            raised = explained_call(function, owner, args, kwargs, error)
            if raised is None:
                raise
            raise raised from error

    return generate


class Guarded:
    """Base of public classes: constructors and methods of those in ``paddle`` explain failures.

    Classes of users that derive from them stay as they are; ``forward`` is left to
    ``Layer.__call__``.
    """

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("paddle."):
            guard_methods(cls)


def guard_methods(cls: type) -> type:
    """Makes the constructor and the public methods that a class defines explain what failed."""
    names = ("__init__",) if hasattr(cls, "forward") else ("__init__", "__call__")
    known: dict[Any, Any] = {}  # a method may have two names
    for name, member in list(vars(cls).items()):
        if name == "forward" or (name.startswith("_") and name not in names):
            continue
        wrap: Any = type(member) if isinstance(member, (staticmethod, classmethod)) else None
        function = member.__func__ if wrap else member
        if not isinstance(function, FunctionType) or hasattr(function, "guards"):
            continue
        made = known.get(function)
        if made is None:
            made = known[function] = guarded(function, cls, name == "__init__")
        setattr(cls, name, wrap(made) if wrap else made)
    return cls


def guard_module(
    namespace: dict[str, Any],
    leave: Iterable[str] = (),
    checks: bool = True,
    more: Iterable[str] = (),
) -> None:
    """Makes a module's public functions explain failures: the module's last line.

    Args:
        namespace (dict): the module's ``globals()``; public is what ``__all__`` lists, or where
            that is empty what begins with a letter.
        leave (Iterable[str]): names that are left as they are, for their speed.
        checks (bool): as for :func:`guarded`.
        more (Iterable[str]): functions that are public without being listed.
    """
    known: dict[Any, Any] = {}  # a function may have two names
    public = namespace["__all__"] or [n for n in namespace if not n.startswith("_")]
    for name in [*public, *more]:
        member = namespace[name]
        if name in leave or getattr(member, "__module__", None) != namespace["__name__"]:
            continue
        if isinstance(member, FunctionType) and not hasattr(member, "guards"):
            if member not in known:
                known[member] = guarded(member, None, checks)
            namespace[name] = known[member]
