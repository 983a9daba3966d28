"""Calls a plan's function while torch itself records nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

gradients_enabled = torch.is_grad_enabled  # whether torch's own tape records in this thread
enable_gradients = torch._C._set_grad_enabled


def without_torch_gradients(function: Callable, args: Sequence[Any]) -> Any:
    """Returns ``function(*args)``, computed without torch's own tape."""
    if not gradients_enabled():
        return function(*args)
    enable_gradients(False)
    try:
        return function(*args)
    finally:
        enable_gradients(True)
