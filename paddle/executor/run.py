"""Calls a plan's function while torch itself records nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

_enabled = torch.is_grad_enabled
_enable = torch._C._set_grad_enabled


def without_torch_gradients(function: Callable, args: Sequence[Any]) -> Any:
    """Returns ``function(*args)``, computed without torch's own tape."""
    if not _enabled():
        return function(*args)
    _enable(False)
    try:
        return function(*args)
    finally:
        _enable(True)
