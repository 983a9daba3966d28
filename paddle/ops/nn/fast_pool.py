"""Max pooling in the forms that are fast on a CPU, with ATen's results.

ATen's kernel for NCHW looks at one element at a time. Two forms here avoid it: 2x2 windows that do
not overlap are two maxima over strided views, and where there are many channels the kernel for
channels-last order is fast even counting the copies. Which one is fastest is measured where it
runs (:mod:`paddle.core.tuning`).

A window with a NaN gives NaN as in ATen; its gradient goes to the window's first element instead
of to the NaN. Of two equal maxima the first in the window gets the gradient, as in ATen.
"""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.backends import holds
from paddle.core.tuning import Choice, bucket, size_class

_pool = torch._C._nn.max_pool2d_with_indices
_pool_backward = torch.ops.aten.max_pool2d_with_indices_backward
_above = torch.ops.aten.threshold_backward  # (d, x, t): 0 where x <= t, else d
_SHORT = (torch.bfloat16, torch.float16)
_LITTLE = 8192  # elements, below which the number of calls is what counts
_AT_ONCE = 1 << 20  # elements of 16 bits that are widened at a time
# The largest numbers below zero: "above" them means at least zero.
_BELOW_ZERO = {torch.float32: -(2.0**-149), torch.float64: -(2.0**-1074)}


def is_halving(
    x: torch.Tensor, kernel: list[int], strides: list[int], before: list[int], after: list[int]
) -> bool:
    """Says whether :func:`halve` applies: 2x2 windows side by side that cover the input.

    Milliseconds, forward and backward together, ATen -> here, with one thread / two: 64x6x28x28
    1.59 -> 0.49 / 0.82 -> 0.30; 64x16x10x10 0.55 -> 0.22 / 0.25 -> 0.19; 32x128x28x28 17.3 -> 6.6 /
    8.8 -> 5.5. Below some 8,000 elements the number of calls outweighs it.
    """
    return (
        kernel[0] == kernel[1] == strides[0] == strides[1] == 2
        and not (before[0] or before[1] or after[0] or after[1])
        and (x.dtype in _BELOW_ZERO or x.dtype in _SHORT)
        and not (x.shape[2] & 1 or x.shape[3] & 1)
        and x.numel() >= _LITTLE
        and holds.tuned_forms(x)
        and x.is_contiguous()
        and not x.requires_grad  # torch would share a gradient between equal maxima
    )


def halve(x: torch.Tensor) -> torch.Tensor:
    """Max pooling by 2x2 windows."""
    rows = torch.maximum(x[..., 1::2, :], x[..., 0::2, :])
    return torch.maximum(rows[..., 1::2], rows[..., 0::2])


def halve_backward(dy: torch.Tensor, x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Gradient of :func:`halve`: for every window to the first of its largest elements.

    The upper row wins unless its maximum is below that of the window, the left element unless it
    is below the right one; a difference of infinities is NaN, which counts as not below. What the
    winner did not get is left for the other: exactly ``dy`` or 0 where ``dy`` is finite.
    Left and right are interleaved as the two parts of complex numbers, which is the one ATen kernel
    that does it fast (0.06 ms where ``stack`` takes 0.47).
    """
    if x.dtype in _SHORT:  # every result is an element of dy, or 0
        some = max(1, _AT_ONCE // x[0].numel())  # images at a time, or memory is that of 32 bits
        parts = zip(*(t.split(some) for t in (dy, x, out)), strict=True)
        return torch.cat([
            halve_backward(*(t.float() for t in part)).to(x.dtype) for part in parts
        ])  # fmt: skip
    least = _BELOW_ZERO[x.dtype]
    left, right = x[..., 0::2], x[..., 1::2]
    upper = torch.maximum(left[..., 0::2, :], right[..., 0::2, :])
    d_upper = _above(dy, torch.sub(upper, out), least)
    lead = torch.sub(left, right)
    d_rows = torch.stack([d_upper, torch.sub(dy, d_upper)], 3).view(lead.shape)
    d_left = _above(d_rows, lead, least)
    return torch.view_as_real(torch.complex(d_left, d_rows.sub_(d_left))).view(x.shape)


def prefers_channels_last(x: torch.Tensor) -> bool:
    """Says whether copies in channels-last order usually pay for max pooling ``x``.

    Milliseconds with one thread, 3x3 windows of stride 2, forward and backward (which then looks
    for the maxima again): 8x64x112x112 51 -> 35, 16x24x32x32 3.1 -> 2.1; forward alone 48 -> 11
    and 3.0 -> 0.9.
    """
    return x.shape[1] >= 16 and x.numel() >= 8192 and holds.tuned_forms(x)


def largest(x, kernel, strides, before, after):
    """Max pooling of ``x``, padded alike on both sides, without indices."""
    if x.numel() < _LITTLE or _is_channels_last(x):
        return torch.max_pool2d(x, kernel, strides, before)  # which keeps the order
    if is_halving(x, kernel, strides, before, after):
        return _chosen(_halving, "halve", x, kernel, strides, before)(x, kernel, strides, before)
    return max_pool(x, kernel, strides, before)[0]


def _is_channels_last(x: torch.Tensor) -> bool:
    return not x.is_contiguous() and x.is_contiguous(memory_format=torch.channels_last)


def largest_backward(dy, x, out, kernel, strides, before, after):
    """Gradient of :func:`largest`."""
    if dy.requires_grad or not is_halving(x, kernel, strides, before, after):
        return max_pool_backward(dy, x, kernel, strides, before)
    key = x.shape, x.dtype, *kernel, *strides, *before
    form = _halving_gradient.known.get(key) or _halving_gradient.choose(
        key, "halve", dy, x, out, kernel, strides, before
    )
    return form(dy, x, out, kernel, strides, before)


def max_pool(x, kernel, strides, padding):
    """ATen's 2-D max pooling and its indices, in the order that is faster."""
    if _either(x):
        return _chosen(_forward, _usual(x), x, kernel, strides, padding)(
            x, kernel, strides, padding
        )
    return (_last if prefers_channels_last(x) else _pool)(x, kernel, strides, padding)


def max_pool_backward(dy, x, kernel, strides, padding):
    """Gradient of :func:`max_pool`; finds the indices again instead of keeping them."""
    if _either(x) and not dy.requires_grad:
        key = x.shape, x.dtype, *kernel, *strides, *padding
        form = _gradient.known.get(key) or _gradient.choose(
            key, _usual(x), dy, x, kernel, strides, padding
        )
    else:
        form = _last_backward if prefers_channels_last(x) else _plain_backward
    return form(dy, x, kernel, strides, padding)


def _either(x: torch.Tensor) -> bool:
    """Whether either order may be the faster one."""
    return (
        x.numel() >= 8192 and holds.tuned_forms(x) and x.dtype in _BELOW_ZERO and x.shape[1] >= 4
        and x.dim() == 4 and x.is_contiguous() and not x.requires_grad
    )  # fmt: skip


def _usual(x: torch.Tensor) -> str:
    return "channels last" if prefers_channels_last(x) else "channels first"


def _last(x, kernel, strides, padding):
    x = x.contiguous(memory_format=torch.channels_last)
    out, index = _pool(x, kernel, strides, padding)
    return out.contiguous(), index


def _plain_backward(dy, x, kernel, strides, padding):
    index = _pool(x, kernel, strides, padding)[1]
    return _pool_backward(dy, x, kernel, strides, padding, [1, 1], False, index)


def _last_backward(dy, x, kernel, strides, padding):
    x = x.contiguous(memory_format=torch.channels_last)
    dy = dy.contiguous(memory_format=torch.channels_last)
    return _plain_backward(dy, x, kernel, strides, padding).contiguous()


def _chosen(choice: Choice, usual: str, x, kernel, strides, padding) -> Any:
    key = x.shape, x.dtype, *kernel, *strides, *padding
    return choice.known.get(key) or choice.choose(key, usual, x, kernel, strides, padding)


def _sample(x, *window):
    """Some images, so many that the processor cannot learn by heart which elements are largest."""
    channels = bucket(x.shape[1], 64)
    sides = [min(n, 56 if n % 2 == 0 else 55) for n in x.shape[2:]]
    count = bucket(len(x), max(1, _MOST // (channels * sides[0] * sides[1])))
    small = x[:count, :channels, : sides[0], : sides[1]].contiguous()
    size = size_class(small.numel(), _MOST)
    numbers = size, min(channels, 16), x.element_size(), *[n for part in window for n in part]
    return (small, *window), numbers


def _sample_gradient(dy, x, *window):
    (small, *window), numbers = _sample(x, *window)
    return (torch.ones_like(_pool(small, *window)[0]), small, *window), numbers


def _sample_halving(dy, x, out, *window):
    (small, *window), numbers = _sample(x, *window)
    out = halve(small)
    return (torch.ones_like(out), small, out, *window), numbers


_MOST = 1 << 17
_forward = Choice("max pool", {"channels first": _pool, "channels last": _last}, _sample)
_gradient = Choice(
    "gradient of max pool",
    {"channels first": _plain_backward, "channels last": _last_backward},
    _sample_gradient,
)
_halving = Choice(
    "max pool of 2x2",
    {
        "halve": lambda x, *window: halve(x),
        "channels first": lambda *args: _pool(*args)[0],
        "channels last": lambda *args: _last(*args)[0],
    },
    _sample,
)
_halving_gradient = Choice(
    "gradient of max pool of 2x2",
    {
        "halve": lambda dy, x, out, *window: halve_backward(dy, x, out),
        "channels first": lambda dy, x, out, *window: _plain_backward(dy, x, *window),
        "channels last": lambda dy, x, out, *window: _last_backward(dy, x, *window),
    },
    _sample_halving,
)
