"""Checks of what the functions that save and load Programs are given."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import ArgumentTypeError, InvalidArgumentError
from paddle.executor.executor import Executor
from paddle.ir.current import default_main_program
from paddle.ir.program import Program
from paddle.ir.variable import Variable


def options(given: dict[str, Any], known: tuple[str, ...], where: str) -> list[Any]:
    """Returns the values of keyword arguments in the order of their names; None where left out."""
    for name in given:
        if name not in known:
            raise InvalidArgumentError(
                f"{where}: there is no option {name!r}; the options are {', '.join(known)}."
            )
    return [given.get(name) for name in known]


def program_of(program: Any, where: str) -> Program:
    """Returns a Program; None means the default one, a CompiledProgram that which it runs."""
    if program is None:
        return default_main_program()
    inner = getattr(program, "_program", program)
    if not isinstance(inner, Program):
        raise ArgumentTypeError(
            f"{where}(program): expected a Program or CompiledProgram, "
            f"but received {type(program).__name__}."
        )
    return inner


def variables_of(given: Any, name: str, where: str) -> list[Variable]:
    """Returns a list of Variables that was given as one, or as a single Variable."""
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    for i, item in enumerate(listed):
        if not isinstance(item, Variable):
            at = f"{name}[{i}]" if isinstance(given, (list, tuple)) else name
            hint = f"; use program.global_block().var({item!r})" if isinstance(item, str) else ""
            raise TypeError(
                f"{where}: expected {at} to be a Variable, "
                f"but received {type(item).__name__}{hint}."
            )
    return listed


def ends_of(feed_vars: Any, fetch_vars: Any, where: str) -> tuple[list[Variable], list[Variable]]:
    """Returns inputs and outputs as lists."""
    feeds = variables_of(feed_vars, "feed_vars", where)
    fetches = variables_of(fetch_vars, "fetch_vars", where)
    if not fetches:
        raise InvalidArgumentError(f"{where}(fetch_vars): expected at least one Variable.")
    return feeds, fetches


def device_of(executor: Any, where: str) -> Any:
    """Returns the device on which an Executor runs."""
    if not isinstance(executor, Executor):
        raise TypeError(
            f"{where}(executor): expected a paddle.static.Executor, "
            f"but received {type(executor).__name__}."
        )
    return executor._device
