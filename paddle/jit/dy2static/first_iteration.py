"""Loop peeling: the first iteration by itself, for variables that are None before the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from paddle.ir.variable import Variable
from paddle.jit.dy2static.container_copies import is_pytree, items_of, like
from paddle.jit.dy2static.ifelse import recorded_choice
from paddle.jit.dy2static.loop_vars import LoopVar, as_values
from paddle.jit.dy2static.symbols import line
from paddle.jit.dy2static.undefined import is_undefined, partial_value, undefined
from paddle.static.print_op import noted_assert


def first_iteration(
    first: Variable,
    body: Callable,
    variables: Sequence[LoopVar],
    names: Sequence[str],
    used: Sequence[bool],
) -> tuple:
    """Records one iteration under the condition of the loop; returns the variables after it.

    ``h = None`` before a loop means that ``h`` gets its first value in the first iteration, and a
    Program has no None. If there is no iteration at all, a variable that is read after the loop has
    no value: then the run fails.

    Args:
        first (Variable): the condition before the loop.
        body (callable): the body.
        variables (Sequence[LoopVar]): what the loop carries, with the values before it.
        names (Sequence[str]): what they are called.
        used (Sequence[bool]): whether they may be read after the loop.
    """

    def run(*args: Any) -> Any:
        return _one_or_all(as_values(body(*args), len(args)))

    def keep(*args: Any) -> Any:
        return _one_or_all(tuple(map(_without_none, variables, args)))

    run.carried_names = list(names)  # type: ignore[attr-defined]
    start = [v.start for v in variables]
    found = as_values(recorded_choice(first, run, keep, start, start), len(start))
    missing = [
        name for name, v, needed in zip(names, variables, used, strict=True)
        if needed and v.begins_with_none()
    ]  # fmt: skip
    if missing:
        noted_assert(first, [], _message(missing))
    return tuple(_with_value(v, value) for v, value in zip(variables, found, strict=True))


def _message(names: Sequence[str]) -> str:
    which = " and ".join(repr(name) for name in names)
    return (
        f"the loop of {line()} ran no iteration, so {which} would be None after it, which a "
        "converted function cannot have: give it a Tensor before the loop"
    )


def _one_or_all(values: tuple) -> Any:
    return values[0] if len(values) == 1 else values


def _without_none(variable: LoopVar, value: Any) -> Any:
    """The value where the iteration does not run: nothing in the place of None."""
    if value is None:
        return undefined(variable.path)
    if variable.kind == "pytree" and is_pytree(value):
        parts = dict(variable.parts)
        return like(value, [(k, _without_none(parts[k], v)) for k, v in items_of(value)])
    return value


def _with_value(variable: LoopVar, value: Any) -> Any:
    """The value where the iteration ran, for what began with None."""
    if is_undefined(value) and not is_undefined(variable.start):
        held = partial_value(value)
        return value if held is None else held
    if variable.kind == "pytree" and is_pytree(value):
        parts = dict(variable.parts)
        return like(value, [
            (k, _with_value(parts[k], v) if k in parts else v) for k, v in items_of(value)
        ])  # fmt: skip
    return value
