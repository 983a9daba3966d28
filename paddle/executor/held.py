"""Run-time helpers of generated functions for values that a scope holds, or lacks."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError


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
