"""Gradient clipping over lists of gradients, without waiting for the device."""

from __future__ import annotations

import torch

Buffers = list[torch.Tensor]


def by_value(grads: Buffers, low: float, high: float) -> Buffers:
    """Clamps every element into [low, high]."""
    return [torch.clamp(g, low, high) for g in grads]


def by_norm(grads: Buffers, limit: float) -> Buffers:
    """Scales each gradient whose own L2 norm exceeds ``limit`` down to it."""
    norms = torch._foreach_norm(grads)
    factors = [torch.clamp(limit / n, max=1.0) for n in norms]
    return list(torch._foreach_mul(grads, factors))


def by_global_norm(grads: Buffers, limit: float) -> Buffers:
    """Scales all gradients by ``limit / max(norm of all, limit)``."""
    norms = torch._foreach_norm(grads)
    if any(n.device != norms[0].device or n.dtype is not norms[0].dtype for n in norms):
        norms = [n.to(norms[0].device, torch.float32) for n in norms]
    total = torch.linalg.vector_norm(torch.stack(list(norms)))
    factor = limit / torch.clamp(total, min=limit)
    return [torch.mul(g, factor.to(g.device, g.dtype)) for g in grads]
