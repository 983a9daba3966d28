"""Arithmetic of float16 and bfloat16 in float32, where kernels lack them or lose too much."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch

from paddle.core.backends import holds

HALF = (torch.float16, torch.bfloat16)


def in_float32(function: Callable, *, anywhere: bool = False) -> Callable:
    """Returns ``function`` so that 16-bit tensors are computed as float32 and the result cast back.

    Args:
        function (callable): takes tensors, the first of which decides, and other arguments; gives
            one tensor.
        anywhere (bool): on every device, because 16 bits are too few; else only where kernels are
            missing, on CPUs.
    """

    @wraps(function)
    def run(x: torch.Tensor, *rest: Any) -> torch.Tensor:
        if x.dtype not in HALF or not (anywhere or holds.lacks_16_bits(x)):
            return function(x, *rest)
        wide = [r.float() if isinstance(r, torch.Tensor) and r.dtype in HALF else r for r in rest]
        return function(x.float(), *wide).to(x.dtype)

    return run
