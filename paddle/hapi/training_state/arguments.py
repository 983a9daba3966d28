"""What TrainingState takes: lists of things of the right kind, and paths."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.ir.program import Program


def several(name: str, value: Any, kind: str, right: Callable[[Any], bool]) -> list[Any]:
    """A list of one thing, of several, or of nothing, each of the right kind."""
    if value is None:
        return []
    listed = list(value) if isinstance(value, (list, tuple)) else [value]
    for one in listed:
        if not right(one):
            raise TypeError(
                f"TrainingState({name}): expected {kind} or a list of them, but received "
                f"{type(one).__name__}."
            )
    return listed


def is_optimizer(value: Any) -> bool:
    """Says whether something is an optimizer; refuses those of static parameters."""
    if not hasattr(value, "_parameter_list") or not hasattr(value, "_accumulators"):
        return False
    if getattr(value, "_recorded", None) is not None:
        raise InvalidArgumentError(
            "TrainingState(optimizers): expected an optimizer of eager parameters, but this "
            f"{type(value).__name__} belongs to a Program.",
            hint="pass programs=..., which saves the variables of its optimizer too",
        )
    return True


def has_state(value: Any) -> bool:
    """Says whether something tells its state and takes it back."""
    return hasattr(value, "state_dict") and (
        hasattr(value, "set_state_dict") or hasattr(value, "load_state_dict")
    )


def is_program(value: Any) -> bool:
    """Says whether something is a Program, or made of one."""
    return isinstance(getattr(value, "_program", value), Program)


def a_model(value: Any) -> Any:
    """Returns a Model, or refuses what is none."""
    if not hasattr(value, "network") or not hasattr(value, "_adapter"):  # importing it: a circle
        raise TypeError(
            f"TrainingState(model): expected a paddle.Model, but received {type(value).__name__}."
        )
    return value


def checked_path(where: str, path: Any) -> str:
    """Returns a path as text."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{where}(path): expected a str, but received {type(path).__name__}.")
    return os.fspath(path)
