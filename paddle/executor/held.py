"""Helpers of generated functions for values that a scope holds, or that are missing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from paddle.core.errors import InvalidArgumentError, MissingValueError
from paddle.ir.operator import Operator


def buffer_or_none(held: Any) -> Any:
    """The value that a scope holds, or None where it holds none yet."""
    return None if held.tensor is None else held.tensor._buf


def without_dimensions(value: Any, name: str) -> Any:
    """The value of a variable that has no dimensions; a scope's Tensors have at least one."""
    if value.numel() != 1:
        raise InvalidArgumentError(
            f"variable {name!r} has no dimensions, but the scope holds a value of shape "
            f"{list(value.shape)} for it."
        )
    return value.reshape(())


def detached(value: Any) -> Any:
    """A tensor of the same memory, where there is a value at all."""
    return None if value is None else value.detach()


def not_fed(name: str, reader: Operator | None, feeds: Iterable[str]) -> MissingValueError:
    """What to say of a variable that should have been fed.

    Args:
        name (str): the variable.
        reader (Operator, optional): what needs it; None: it is fetched.
        feeds (list[str]): what was fed.
    """
    kind = reader.type if reader else "fetch"
    location = f"\n  {reader.location}" if reader and reader.location else ""
    return MissingValueError(
        f"variable {name!r} is needed by operator {kind}, but nothing was fed for it; "
        f"fed were {sorted(feeds)}.{location}",
        hint=f"Executor.run(feed={{{name!r}: array}})",
    )
