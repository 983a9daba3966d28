"""Arithmetic over lists of buffers that updates of parameters share."""

from __future__ import annotations

import torch

from paddle.core.backends import holds

Buffers = list[torch.Tensor]

_updates = [0]  # calls of drop_tiny, in this process and in those whose state was loaded
_DROP_EVERY = 61  # prime: operators that update one parameter each take turns in being looked at
_TINY = 1e-30  # smallest normal float32: 1.2e-38


def decay_l2(params: Buffers, grads: Buffers, coeff: float) -> Buffers:
    """Returns ``grad + coeff * param`` for each parameter."""
    return list(torch._foreach_add(grads, params, alpha=coeff))


def decay_l1(params: Buffers, grads: Buffers, coeff: float) -> Buffers:
    """Returns ``grad + coeff * sign(param)`` for each parameter."""
    return list(torch._foreach_add(grads, torch._foreach_sign(params), alpha=coeff))


def shrink_all(params: Buffers, factor: float) -> None:
    """``p *= factor``."""
    torch._foreach_mul_(params, factor)


def scale_all(grads: Buffers, factor: float) -> Buffers:
    """Multiplies every gradient by a number."""
    return list(torch._foreach_mul(grads, factor))


def copy_all(targets: Buffers, sources: Buffers) -> None:
    """Copies each source into its target, converting the precision."""
    torch._foreach_copy_(targets, sources)


def converted(grads: Buffers, dtype: torch.dtype) -> Buffers:
    """Converts gradients to the precision of what they update."""
    return [g.to(dtype) for g in grads]


def in_order(grads: Buffers) -> Buffers:
    """The fused kernels walk over memory: a transposed gradient would meet other elements."""
    return [g if g.is_contiguous() else g.contiguous() for g in grads]


def filled_like(param: torch.Tensor, value: float, master: bool) -> torch.Tensor:
    """Makes an accumulator filled with ``value``; float32 where the parameter has a master copy."""
    dtype = torch.float32 if master else param.dtype
    return torch.full(param.shape, value, dtype=dtype, device=param.device)


def follow(master: torch.Tensor, param: torch.Tensor) -> None:
    """Sets a master copy to its parameter, except where it already rounds to that value."""
    agrees = torch.eq(master.to(param.dtype), param)
    master.copy_(torch.where(agrees, master, param.to(master.dtype)))


# -- moments that fade away ------------------------------------------------------------------------


def updates() -> int:
    """Returns the number that says which update drops what is tiny."""
    return _updates[0]


def set_updates(count: int) -> None:
    """Goes on from a number of :func:`updates`."""
    _updates[0] = count


def drop_tiny(moments: Buffers) -> None:
    """Sets to zero, once in a while, what is too small to move a parameter.

    Where gradients stay zero, as behind a dead ReLU, a running mean decays until it is denormal,
    and stays that: ``beta * m`` rounds to ``m``. Processors compute with such numbers several times
    slower, so that every later update would pay.
    """
    _updates[0] += 1
    if _updates[0] % _DROP_EVERY == 0:
        for moment in moments:
            if holds.slow_denormals(moment) and moment.dtype is torch.float32:
                torch.hardshrink(moment, _TINY, out=moment)
