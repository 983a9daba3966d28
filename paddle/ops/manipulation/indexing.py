"""Reading and writing by index; static graphs express the same by slice, gather and set_value."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.op import op

_WHY = "one call for every form of index; a Program holds slice, strided_slice, gather_nd instead"


def _fill(pattern: tuple, tensors: Any) -> tuple:
    """Puts the index tensors back where ``pattern`` has Ellipsis-like holes (see HOLE)."""
    if not tensors:
        return pattern
    rest = iter(tensors)
    return tuple(next(rest) if item is HOLE else item for item in pattern)


class _Hole:
    """Marks the place of a tensor in an index pattern."""

    def __repr__(self) -> str:
        return "Tensor"

    def __deepcopy__(self, memo: dict) -> _Hole:
        return self


HOLE = _Hole()


@op("getitem", "X Index*?~ -> Out", proto=_WHY)
def getitem(x, index, *, pattern, flips=()):
    if index is None and not flips:
        return x[pattern]
    out = x[_fill(pattern, index)]
    return torch.flip(out, flips) if flips else out


@getitem.grad("X.shape Index")
def _(d_out, x_shape, index, *, pattern, flips):
    if flips:
        d_out = torch.flip(d_out, flips)
    grad = torch.zeros(x_shape, dtype=d_out.dtype, device=d_out.device)
    if index:
        filled = _fill(pattern, index)
        part = grad[filled]
        grad = _scatter_add(grad, filled, d_out.reshape(part.shape))
    else:
        part = grad[pattern]
        part.copy_(d_out.reshape(part.shape))
    return grad, None


def _scatter_add(grad: torch.Tensor, index: tuple, value: torch.Tensor) -> torch.Tensor:
    """Adds ``value`` at an index with tensors in it, counting repeated positions."""
    flat = torch.arange(grad.numel(), device=grad.device).reshape(grad.shape)[index]
    return grad.reshape(-1).index_add(0, flat.reshape(-1), value.reshape(-1)).reshape(grad.shape)


@op("setitem", "X Value Index*?~ -> Out", infer=lambda inputs, attrs: [inputs[0]], proto=_WHY)
def setitem(x, value, index, *, pattern, flips=()):
    out = x.clone()
    assign_at(out, pattern, index, value, flips)
    return out


@setitem.grad("Value.shape Index")
def _(d_out, value_shape, index, *, pattern, flips, needs_grad):
    filled = _fill(pattern, index)
    d_x = d_value = None
    if needs_grad[0]:
        d_x = d_out.clone()
        d_x[filled] = 0
    if needs_grad[1]:
        part = d_out[filled]
        if flips:
            part = torch.flip(part, flips)
        lead = len(value_shape) - part.dim()
        if lead > 0:  # a value of shape [1] written to a single element
            part = part.reshape([1] * lead + list(part.shape))
        d_value = part.sum_to_size(value_shape)
    return d_x, d_value, None


def assign_at(out: torch.Tensor, pattern: tuple, index: Any, value: Any, flips: tuple = ()) -> None:
    """Writes ``value`` into ``out`` in place."""
    if isinstance(value, torch.Tensor):
        if flips:
            part = out[_fill(pattern, index)]
            value = torch.flip(value.expand(part.shape), flips)
        if value.dtype is not out.dtype:
            value = value.to(out.dtype)
    out[_fill(pattern, index)] = value
