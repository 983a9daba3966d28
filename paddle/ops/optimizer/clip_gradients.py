"""Gradient clipping over lists of gradients, without waiting for the device."""

from __future__ import annotations

import torch

Buffers = list[torch.Tensor]


def by_value(grads: Buffers, low: float, high: float) -> Buffers:
    """Clamps every element into [low, high]."""
    return [torch.clamp(g, low, high) for g in grads]


def by_norm(grads: Buffers, limit: float) -> Buffers:
    """Scales each gradient whose own L2 norm exceeds ``limit`` down to it."""
    factors = [torch.clamp(limit / n, max=1.0) for n in _norms(grads)]
    return [torch.mul(g, f.to(g.dtype)) for g, f in zip(grads, factors)]


def by_global_norm(grads: Buffers, limit: float) -> Buffers:
    """Scales all gradients by ``limit / max(norm of all, limit)``."""
    norms = _norms(grads)
    first = norms[0]
    if any(n.device != first.device or n.dtype is not first.dtype for n in norms):
        norms = [n.to(first.device, torch.float32) for n in norms]
    total = torch.linalg.vector_norm(torch.stack(norms))
    factor = limit / torch.clamp(total, min=limit)
    if all(g.dtype is grads[0].dtype and g.device == first.device for g in grads):
        return list(torch._foreach_mul(grads, factor.to(grads[0].dtype)))
    return [torch.mul(g, factor.to(g.device, g.dtype)) for g in grads]


def _norms(grads: Buffers) -> Buffers:
    """The L2 norm of each gradient; of half precision in float32, where squares do not overflow."""
    if not any(g.dtype in (torch.float16, torch.bfloat16) for g in grads):
        return list(torch._foreach_norm(grads))
    return [
        torch.linalg.vector_norm(g, dtype=None if g.dtype is torch.float64 else torch.float32)
        for g in grads
    ]
