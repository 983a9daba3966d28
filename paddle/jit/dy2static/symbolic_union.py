"""Symbolic unions: results of different form, of which a run's condition takes one.

A Program computes Tensors of fixed kinds. Where a converted function returns one kind under a
condition and another kind otherwise, both are results of the Program, and so is the condition: by
its value the function's result is picked after the run.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, NamedTuple

from paddle.core.errors import InvalidArgumentError


class SymbolicUnion(NamedTuple):
    """A result that is one pytree or another."""

    condition: Any
    yes: Any
    no: Any


_codes: contextvars.ContextVar[frozenset[CodeType]] = contextvars.ContextVar(
    "outermost", default=frozenset()
)


@contextlib.contextmanager
def outermost(function: Callable) -> Iterator[None]:
    """Says whose results need not be used by other converted code: they go to the caller."""
    code = getattr(function, "__code__", None)
    token = _codes.set(frozenset() if code is None else frozenset(_inner(code)))
    try:
        yield
    finally:
        _codes.reset(token)


def _inner(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inner(constant)


def may_differ(branch: Callable) -> bool:
    """Whether what a branch returns may be of another form than what the other one does."""
    return getattr(branch, "__code__", None) in _codes.get()


def holds_alternatives(pytree: Any) -> bool:
    """Says whether a result has parts that a run picks."""
    if isinstance(pytree, SymbolicUnion):
        return True
    if isinstance(pytree, dict):
        return any(map(holds_alternatives, pytree.values()))
    return isinstance(pytree, (list, tuple)) and any(map(holds_alternatives, pytree))


def picked(pytree: Any) -> Any:
    """Returns a result with the parts that the run's conditions say."""
    if isinstance(pytree, SymbolicUnion):
        return picked(pytree.yes if bool(pytree.condition) else pytree.no)
    if not holds_alternatives(pytree):
        return pytree
    if isinstance(pytree, dict):
        made = pytree.copy()
        made.update({k: picked(v) for k, v in pytree.items()})
        return made
    parts = [picked(v) for v in pytree]
    return type(pytree)(*parts) if hasattr(pytree, "_fields") else type(pytree)(parts)


def refuse_alternatives(pytree: Any, api: str) -> None:
    """Raises where results of one form are needed."""
    if holds_alternatives(pytree):
        raise InvalidArgumentError(
            f"{api}: the function returns results of different number or type, depending on a "
            "Tensor; a saved model has one kind of result.",
            hint="return the same number of Tensors of the same dtypes on all paths",
        )
