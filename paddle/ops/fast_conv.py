"""Convolutions and their gradients in the form that is fastest for their size on a CPU.

Every form gives ATen's result up to rounding. Which one is fastest is measured where it runs
(:mod:`paddle.core.tuning`); what it usually is, and figures of one machine, stand next to each.
"""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.tuning import Choice, fewer

_by_columns = torch.ops.aten._slow_conv2d_forward.default
_backward = torch.ops.aten.convolution_backward
_NOT_TRANSPOSED = (False, [0, 0], 1)


def plain(x: torch.Tensor, stride: list[int], dilation: list[int], groups: int) -> bool:
    """Says whether the forms below may apply: a 2-D convolution with nothing special, on a CPU."""
    return (
        groups == 1
        and x.dim() == 4
        and x.dtype is torch.float32
        and x.is_cpu
        and not x.requires_grad
        and stride[0] == stride[1] == dilation[0] == dilation[1] == 1
    )


def by_columns(x: torch.Tensor, w: torch.Tensor, padding: list[int]) -> bool:
    """Says whether the forward may be faster as one matrix product on windows laid out as columns.

    So it is for one input channel and 3x3 windows, unless the filters fill vectors: oneDNN has no
    form for these. 64x1x28x28 by 6 filters 404 -> 257 us with one thread and 226 -> 159 with two;
    16 filters 289 -> 357. The columns take nine times the memory of the image, hence the limit.
    """
    if x.shape[1] != 1 or w.shape[1:] != (1, 3, 3):
        return False
    if min(padding) < 0:  # for conv2d to refuse
        return False
    places = (x.shape[2] + 2 * padding[0] - 2) * (x.shape[3] + 2 * padding[1] - 2)
    return x.shape[0] > 1 and x.shape[0] * places <= 1 << 18


def forward(x: torch.Tensor, w: torch.Tensor, bias: Any, padding: list[int]) -> torch.Tensor:
    """The convolution where :func:`by_columns` holds."""
    key = x.shape, w.shape, *padding
    form = _forward.known.get(key)
    if form is None:
        usual = "columns" if w.shape[0] % 16 else "direct"
        form = _forward.choose(key, usual, x, w, bias, padding)
    return form(x, w, bias, padding)


def gradients(
    dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, padding: list[int], wants: tuple[bool, bool]
) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """The gradients of input and weight that ATen's combined call is not the fastest way to.

    What is not returned is left to that call.
    """
    dx = dw = None
    if wants[0] and w.shape[1] <= 8 and padding[0] < w.shape[2] and padding[1] < w.shape[3]:
        key = x.shape, w.shape, *padding
        form = _input.known.get(key)
        if form is None:
            usual = "forward" if input_by_forward(w, padding) else "direct"
            form = _input.choose(key, usual, dy, x, w, padding)
        dx = form(dy, x, w, padding) if form is not _direct_input else None
    if wants[1] and w.shape[2] * w.shape[3] >= 9 and (w.shape[1] % 16 or w.shape[0] % 16):
        key = x.shape, w.shape, *padding
        form = _weight.known.get(key)
        if form is None:
            usual = "channels last" if weight_by_channels_last(x, w) else "direct"
            form = _weight.choose(key, usual, dy, x, w, padding)
        dw = form(dy, x, w, padding) if form is not _direct_weight else None
    return dx, dw


def weight_by_channels_last(x: torch.Tensor, w: torch.Tensor) -> bool:
    """Says whether the weight gradient is usually faster on copies in channels-last order.

    Where channels do not fill vectors, oneDNN reorders large windows badly. Milliseconds with one
    thread / two, x of 64 images, ATen -> here: 6x14x14 by 16x6x5x5 0.57 -> 0.45 / 0.36 -> 0.36;
    20x12x12 by 50x20x5x5 4.5 -> 2.9 / 2.7 -> 1.6. Slower for 3x3 windows and for 1 to 3 channels.
    """
    out, channels, height, width = w.shape
    return height * width >= 25 and channels >= 4 and bool(channels % 16 or out % 16)


def weight_gradient(
    dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, padding: list[int]
) -> torch.Tensor:
    """Gradient of the weight through copies in channels-last order."""
    last = torch.channels_last
    return _backward(
        dy.contiguous(memory_format=last), x.contiguous(memory_format=last), w, None,
        [1, 1], padding, [1, 1], *_NOT_TRANSPOSED, [False, True, False],
    )[1]  # fmt: skip


def input_by_forward(w: torch.Tensor, padding: list[int]) -> bool:
    """Says whether the input gradient usually is faster as a convolution with the turned weight.

    For 1 to 3 input channels (images): 64 images, 3x32x32 by 6x3x5x5 6.2 -> 2.5 ms with one
    thread. No difference from 6 channels on.
    """
    return w.shape[1] <= 3 and padding[0] < w.shape[2] and padding[1] < w.shape[3]


def input_gradient(dy: torch.Tensor, w: torch.Tensor, padding: list[int]) -> torch.Tensor:
    """Gradient of the input as a forward convolution."""
    around = [w.shape[2] - 1 - padding[0], w.shape[3] - 1 - padding[1]]
    return torch.conv2d(dy, w.flip(2, 3).transpose(0, 1), None, 1, around)


def _direct_input(dy, x, w, padding):
    return _backward(dy, x, w, None, [1, 1], padding, [1, 1], *_NOT_TRANSPOSED,
                     [True, False, False])[0]  # fmt: skip


def _direct_weight(dy, x, w, padding):
    return _backward(dy, x, w, None, [1, 1], padding, [1, 1], *_NOT_TRANSPOSED,
                     [False, True, False])[1]  # fmt: skip


_MOST = 1 << 24  # multiplications that a measurement takes


def _images(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return fewer(x, _MOST * x.shape[1] // w.numel())


def _sample(x, w, bias, padding):
    small = _images(x, w)
    return (small, w, bias, padding), (*small.shape, *w.shape, *padding)


def _sample_gradient(dy, x, w, padding):
    small = _images(x, w)
    return (dy[: len(small)], small, w, padding), (*small.shape, *w.shape, *padding)


_forward = Choice(
    "convolution of one channel",
    {
        "columns": lambda x, w, bias, padding: _by_columns(
            x, w, w.shape[2:], bias, (1, 1), padding
        ),
        "direct": lambda x, w, bias, padding: torch.conv2d(x, w, bias, 1, padding),
    },
    _sample,
)
_input = Choice(
    "gradient of a convolution's input",
    {
        "forward": lambda dy, x, w, padding: input_gradient(dy, w, padding),
        "direct": _direct_input,
    },
    _sample_gradient,
)
_weight = Choice(
    "gradient of a convolution's weight",
    {"channels last": weight_gradient, "direct": _direct_weight},
    _sample_gradient,
)
