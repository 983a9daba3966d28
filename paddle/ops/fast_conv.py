"""Convolutions and their gradients in the form that is fastest for their size on a CPU.

Every choice gives ATen's result up to rounding; a measurement stands next to each.
"""

from __future__ import annotations

from typing import Any

import torch

_by_columns = torch.ops.aten._slow_conv2d_forward.default
_backward = torch.ops.aten.convolution_backward
_NOT_TRANSPOSED = (False, [0, 0], 1)


def plain(x: torch.Tensor, stride: list[int], dilation: list[int], groups: int) -> bool:
    """Says whether the forms below may apply: a 2-D convolution with nothing special, on a CPU."""
    return (
        groups == 1
        and x.dim() == 4
        and x.dtype is torch.float32
        and not x.is_cuda
        and stride[0] == stride[1] == dilation[0] == dilation[1] == 1
        and not x.is_meta
    )


def by_columns(x: torch.Tensor, w: torch.Tensor, padding: list[int]) -> bool:
    """Says whether the forward is faster as one matrix product on windows laid out as columns.

    So it is for one input channel and 3x3 windows, unless the filters fill vectors: oneDNN has no
    form for these. 64x1x28x28 by 6 filters 404 -> 257 us with one thread and 226 -> 159 with two;
    16 filters 289 -> 357. The columns take nine times the memory of the image, hence the limit.
    """
    if x.shape[1] != 1 or w.shape[1:] != (1, 3, 3) or not w.shape[0] % 16:
        return False
    if min(padding) < 0:  # for conv2d to refuse
        return False
    places = (x.shape[2] + 2 * padding[0] - 2) * (x.shape[3] + 2 * padding[1] - 2)
    return x.shape[0] > 1 and x.shape[0] * places <= 1 << 18


def forward(x: torch.Tensor, w: torch.Tensor, bias: Any, padding: list[int]) -> torch.Tensor:
    """The convolution as a matrix product."""
    return _by_columns(x, w, w.shape[2:], bias, (1, 1), padding)


def weight_by_channels_last(x: torch.Tensor, w: torch.Tensor) -> bool:
    """Says whether the weight gradient is faster on copies in channels-last order.

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
    """Says whether the input gradient is faster as a convolution of ``dy`` with the turned weight.

    For 1 to 3 input channels (images): 64 images, 3x32x32 by 6x3x5x5 6.2 -> 2.5 ms with one
    thread. No difference from 6 channels on.
    """
    return w.shape[1] <= 3 and padding[0] < w.shape[2] and padding[1] < w.shape[3]


def input_gradient(dy: torch.Tensor, w: torch.Tensor, padding: list[int]) -> torch.Tensor:
    """Gradient of the input as a forward convolution."""
    around = [w.shape[2] - 1 - padding[0], w.shape[3] - 1 - padding[1]]
    return torch.conv2d(dy, w.flip(2, 3).transpose(0, 1), None, 1, around)
