"""Convolutions and their gradients in the form that is fastest for their size on a CPU.

Every form gives ATen's result up to rounding. Which one is fastest is measured where it runs
(:mod:`paddle.core.tuning`); what it usually is, and figures of one machine, stand next to each.
"""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.backends import holds
from paddle.core.tuning import Choice, bucket, size_class
from paddle.ops.linalg.matrices import affine as product

_by_columns = torch.ops.aten._slow_conv2d_forward.default
_backward = torch.ops.aten.convolution_backward
_onednn: Any = (
    getattr(torch, "mkldnn_convolution", None) if torch.backends.mkldnn.is_available() else None
)
_FIRST = torch.contiguous_format
_NOT_TRANSPOSED = (False, [0, 0], 1)


def plain(x: torch.Tensor, stride: list[int], dilation: list[int], groups: int) -> bool:
    """Says whether the forms below may apply: a 2-D convolution with nothing special, on a CPU."""
    return (
        groups == 1
        and x.dim() == 4
        and x.dtype is torch.float32
        and holds.tuned_forms(x)
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


def convolve(x: torch.Tensor, w: torch.Tensor, bias: Any, padding: list[int]) -> torch.Tensor:
    """The convolution where :func:`plain` holds."""
    if _pointwise(x, w, bias, padding):
        choice, usual = _point, "aten"
    elif by_columns(x, w, padding):
        choice, usual = _forward, "columns" if w.shape[0] % 16 else "aten"
    else:
        return torch.conv2d(x, w, bias, 1, padding)
    key = x.shape, x.stride(), w.shape, *padding
    form = choice.known.get(key) or choice.choose(key, usual, x, w, bias, padding)
    return form(x, w, bias, padding)


def _pointwise(x: torch.Tensor, w: torch.Tensor, bias: Any, padding: list[int]) -> bool:
    """Says whether these fit and the windows are single points, so that it is a matrix product.

    ATen takes BLAS for that. 8x512x28x28 by 128 filters on a processor where oneDNN is the faster
    one: 9.9 -> 5.7 ms, the gradient of the input 10.3 -> 5.7, that of the weight 9.6 -> 5.3.
    """
    return (
        w.shape[2:] == (1, 1)
        and max(padding) == min(padding) == 0
        and x.numel() * w.shape[0] >= 1 << 20
        and x.shape[1] == w.shape[1]
        and (bias is None or bias.shape == w.shape[:1])
        and _onednn is not None
    )


def gradients(
    dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, padding: list[int], wants: tuple[bool, bool]
) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """The gradients of input and weight that ATen's combined call is not the fastest way to.

    What is not returned is left to that call.
    """
    dx = dw = None
    key: Any
    form: Any
    if _pointwise(x, w, None, padding):
        key = x.shape, x.stride(), dy.stride(), w.shape
        if wants[0]:
            form = _point_input.known.get(key) or _point_input.choose(
                key, "aten", dy, x, w, padding
            )
            dx = form(dy, x, w, padding) if form is not _direct_input else None
        if wants[1]:
            form = _point_weight.known.get(key)
            form = form or _point_weight.choose(key, "aten", dy, x, w, padding)
            dw = form(dy, x, w, padding) if form is not _direct_weight else None
        return dx, dw
    if wants[0] and w.shape[1] <= 8 and padding[0] < w.shape[2] and padding[1] < w.shape[3]:
        key = x.shape, w.shape, *padding
        form = _input.known.get(key)
        if form is None:
            usual = "forward" if input_by_forward(w, padding) else "aten"
            form = _input.choose(key, usual, dy, x, w, padding)
        dx = form(dy, x, w, padding) if form is not _direct_input else None
    if wants[1] and w.shape[2] * w.shape[3] >= 9 and (w.shape[1] % 16 or w.shape[0] % 16):
        key = x.shape, w.shape, *padding
        form = _weight.known.get(key)
        if form is None:
            usual = "channels last" if weight_by_channels_last(x, w) else "aten"
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


def _by_aten(x, w, bias, padding):
    return torch.conv2d(x, w, bias, 1, padding)


def _direct_input(dy, x, w, padding):
    return _backward(dy, x, w, None, [1, 1], padding, [1, 1], *_NOT_TRANSPOSED,
                     [True, False, False])[0]  # fmt: skip


def _direct_weight(dy, x, w, padding):
    return _backward(dy, x, w, None, [1, 1], padding, [1, 1], *_NOT_TRANSPOSED,
                     [False, True, False])[1]  # fmt: skip


def _point_by_onednn(x, w, bias, padding):
    return _onednn(x, w, bias, [0, 0], [1, 1], [1, 1], 1)


def _weight_by_images(dy, x, w, padding):
    """The gradient of a 1x1 weight as the sum of a product for each image."""
    total: Any = None
    for d, image in zip(dy.flatten(2).unbind(0), x.flatten(2).unbind(0), strict=True):
        part = product(d, image.t())
        total = part if total is None else total.add_(part)
    return total.view(w.shape)


def _weight_by_product(dy, x, w, padding):
    """The gradient of a 1x1 weight as one product over all points of all images."""
    d, images = (t.transpose(0, 1).reshape(t.shape[1], -1) for t in (dy, x))
    return product(d, images.t()).view(w.shape)


def _sample(x, w, bias, padding):
    """A convolution like the one at hand of 33 million multiplications at most, for measuring."""
    filters, channels = (bucket(n, 256) for n in w.shape[:2])
    windows = filters * channels * w.shape[2] * w.shape[3]
    sides = [min(n, 56) for n in x.shape[2:]]
    while windows * sides[0] * sides[1] > _MOST and min(sides) > 7:
        sides = [n // 2 for n in sides]
    count = bucket(len(x), max(1, _MOST // (windows * sides[0] * sides[1])))
    cut = x[:count, :channels, : sides[0], : sides[1]]
    small = cut.contiguous(memory_format=torch.channels_last if _is_last(x) else _FIRST)
    weight = w[:filters, :channels].contiguous()
    args = small, weight, None if bias is None else bias[:filters], padding
    size = size_class(count * windows * sides[0] * sides[1], _MOST)
    return args, (size, *w.shape[2:], int(w.shape[0] % 16 > 0), min(channels, 16), _is_last(x))


def _sample_gradient(dy, x, w, padding):
    (small, weight, _, _), numbers = _sample(x, w, None, padding)
    like = torch.ones_like(torch.conv2d(small, weight, None, 1, padding))
    if _is_last(dy):
        like = like.contiguous(memory_format=torch.channels_last)
    return (like, small, weight, padding), (*numbers, _is_last(dy))


_MOST = 1 << 25


def _is_last(x):
    return int(not x.is_contiguous())


_forward = Choice(
    "convolution of one channel",
    {
        "columns": lambda x, w, bias, padding: _by_columns(
            x, w, w.shape[2:], bias, (1, 1), padding
        ),
        "aten": _by_aten,
    },
    _sample,
)
_point = Choice("convolution of points", {"aten": _by_aten, "onednn": _point_by_onednn}, _sample)
_point_input = Choice(
    "gradient of a convolution of points",
    {
        "aten": _direct_input,
        "onednn": lambda dy, x, w, padding: _point_by_onednn(dy, w.transpose(0, 1), None, padding),
    },
    _sample_gradient,
)
_point_weight = Choice(
    "gradient of the weight of points",
    {"aten": _direct_weight, "images": _weight_by_images, "product": _weight_by_product},
    _sample_gradient,
)
_input = Choice(
    "gradient of a convolution's input",
    {
        "forward": lambda dy, x, w, padding: input_gradient(dy, w, padding),
        "aten": _direct_input,
    },
    _sample_gradient,
)
_weight = Choice(
    "gradient of a convolution's weight",
    {"channels last": weight_gradient, "aten": _direct_weight},
    _sample_gradient,
)
