"""Attributes that a Program may also give as tensors: a shape, an axis, the start of a slice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError


def ints(
    attr: Sequence[int], whole: torch.Tensor | None = None, parts: list[torch.Tensor] | None = None
) -> Sequence[int]:
    """Returns a list attribute, read from tensors where they were given.

    Args:
        attr (list[int]): the attribute itself.
        whole (Tensor|None): one tensor that holds all of it.
        parts (list[Tensor]|None): one tensor of one element per entry.
    """
    if parts:
        return [int(part) for part in parts]
    if whole is not None:
        return whole.reshape(-1).tolist()
    return attr


def known(attr: Sequence[int], whole: Any = None, parts: Any = None) -> list[int]:
    """Returns what shape rules may know of such a shape: -1 where a tensor will say it."""
    if parts:
        entries = list(attr) if len(attr) == len(parts) else [-1] * len(parts)
        return [n if n >= 0 else -1 for n in entries]
    if whole is not None:
        if len(whole.shape) != 1 or whole.shape[0] < 0:
            raise InvalidArgumentError(
                "a shape given as a tensor is expected to have one dimension of known size, the "
                f"rank of the result, but it has shape {list(whole.shape)}."
            )
        entries = list(attr) if len(attr) == whole.shape[0] else [-1] * whole.shape[0]
        return [n if n >= 0 else -1 for n in entries]
    return list(attr)
