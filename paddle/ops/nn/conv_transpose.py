"""Transposed convolutions; their gradients are convolutions."""

from __future__ import annotations

from functools import partial

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import op
from paddle.ops.nn.window import (
    check_positive,
    is_channel_last,
    resolve_padding,
    shape_of,
    spatial_of,
    to_channel_first,
    to_channel_last,
    torch_pad,
)

_TRANSPOSED = {2: torch.conv_transpose2d, 3: torch.conv_transpose3d}
_aten_backward = torch.ops.aten.convolution_backward


def _extra(sizes, kernel, before, after, attrs):
    """Returns what is added behind every dimension: from output_padding or from output_size."""
    strides, dilations = attrs["strides"], attrs["dilations"]
    needs_grad, given = list(attrs["output_size"] or []), list(attrs["output_padding"] or [])
    if not needs_grad and not given:
        return [0] * len(kernel)
    extra = []
    for i, n in enumerate(sizes):
        if needs_grad:
            base = (n - 1) * strides[i] - before[i] - after[i] + dilations[i] * (kernel[i] - 1) + 1
            more = needs_grad[i] - base
            if not 0 <= more < strides[i]:
                raise InvalidArgumentError(
                    f"expected output_size[{i}] in [{base}, {base + strides[i]}), "
                    f"but received {needs_grad[i]}."
                )
        else:
            more, limit = given[i], max(strides[i], dilations[i])
            if not 0 <= more < limit:
                raise InvalidArgumentError(
                    f"expected output_padding[{i}] in [0, {limit}), but received {more}."
                )
        extra.append(more)
    return extra


def _geometry(sizes, kernel, attrs):
    """Returns padding in front, behind, what is added behind, and the dilation."""
    rank = len(kernel)
    check_positive("strides", attrs["strides"], rank)
    check_positive("dilations", attrs["dilations"], rank)
    algorithm = attrs["padding_algorithm"]
    before, after = resolve_padding(attrs["paddings"], algorithm, sizes, kernel, attrs["strides"])
    if algorithm == "SAME":
        attrs = {**attrs, "dilations": [1] * rank}
    extra = _extra(sizes, kernel, before, after, attrs)
    return before, after, extra, list(attrs["dilations"])


def _transpose(x, w, bias, groups, data_format, **attrs):
    """Transposed convolution of any rank, layout and padding."""
    rank = w.dim() - 2
    last = is_channel_last(data_format)
    if last:
        x = to_channel_first(x)
    if x.dim() != rank + 2 or groups < 1 or x.shape[1] != w.shape[0] or w.shape[0] % groups:
        raise InvalidArgumentError(
            f"expected Input and Filter of {rank + 2} dimensions with as many filters as channels, "
            f"a multiple of groups, but received Input of shape {list(x.shape)}, Filter of shape "
            f"{list(w.shape)} and groups = {groups}."
        )
    before, after, extra, dilations = _geometry(x.shape[2:], w.shape[2:], attrs)
    strides = attrs["strides"]
    # ATen adds behind no more than one stride or dilation; it crops the same on both sides.
    low = [min(b, a) for b, a in zip(before, after)]
    out = _TRANSPOSED[rank](x, w, bias, strides, low, extra, groups, dilations)
    if before != after:
        crop = torch_pad([m - b for m, b in zip(low, before)], [m - a for m, a in zip(low, after)])
        out = torch.constant_pad_nd(out, crop)
    return to_channel_last(out) if last else out


def _gradients(dy, x, w, needs_grad, groups, data_format, **attrs):
    """Gradients of input, filter and bias."""
    last = is_channel_last(data_format)
    if last:
        x, dy = to_channel_first(x), to_channel_first(dy)
    before, after, extra, dilations = _geometry(x.shape[2:], w.shape[2:], attrs)
    low = [min(b, a) for b, a in zip(before, after)]
    db = dy.sum([0, *range(2, dy.dim())]) if needs_grad[2] else None
    if before != after:
        dy = torch.constant_pad_nd(
            dy, torch_pad([b - m for m, b in zip(low, before)], [a - m for m, a in zip(low, after)])
        )
    dx = dw = None
    if needs_grad[0] or needs_grad[1]:
        dx, dw, _ = _aten_backward(
            dy, x, w, None, attrs["strides"], low, dilations, True, extra, groups,
            [needs_grad[0], needs_grad[1], False],
        )  # fmt: skip
    if dx is not None and last:
        dx = to_channel_last(dx)
    return dx, dw, db


def _infer(rank, inputs, attrs):
    x, w = inputs[:2]
    last = is_channel_last(attrs["data_format"])
    kernel, sizes = list(w.shape[2:]), spatial_of(x.shape, last)
    known = [1 if n == -1 else n for n in sizes]
    given = attrs if -1 not in sizes else {**attrs, "output_size": []}
    before, after, extra, dilations = _geometry(known, kernel, given)
    spatial = [
        (attrs["output_size"][i] if attrs["output_size"] else -1) if n == -1 else
        (n - 1) * attrs["strides"][i] - before[i] - after[i]
        + dilations[i] * (kernel[i] - 1) + 1 + extra[i]
        for i, n in enumerate(sizes)
    ]  # fmt: skip
    return [shape_of(x, w.shape[1] * attrs["groups"], spatial, last)]


@op(
    "conv2d_transpose",
    "Input Filter Bias? -> Output",
    infer=partial(_infer, 2),
    no_alias="Output",
    amp="white",
    split_bias=True,
)
def conv2d_transpose(
    x, w, bias, *, strides=(1, 1), paddings=(0, 0), output_padding=(), output_size=(),
    padding_algorithm="EXPLICIT", groups=1, dilations=(1, 1), data_format="NCHW",
):  # fmt: skip
    return _transpose(
        x, w, bias, groups, data_format, strides=strides, paddings=paddings,
        output_padding=output_padding, output_size=output_size,
        padding_algorithm=padding_algorithm, dilations=dilations,
    )  # fmt: skip


@conv2d_transpose.grad("Input Filter")
def _(
    dy, x, w, *, strides, paddings, output_padding, output_size, padding_algorithm, groups,
    dilations, data_format, needs_grad,
):  # fmt: skip
    return _gradients(
        dy, x, w, needs_grad, groups, data_format, strides=strides, paddings=paddings,
        output_padding=output_padding, output_size=output_size,
        padding_algorithm=padding_algorithm, dilations=dilations,
    )  # fmt: skip


@op(
    "depthwise_conv2d_transpose",
    "Input Filter Bias? -> Output",
    infer=partial(_infer, 2),
    split_bias=True,
)
def depthwise_conv2d_transpose(
    x, w, bias, *, strides=(1, 1), paddings=(0, 0), output_padding=(), output_size=(),
    padding_algorithm="EXPLICIT", groups=1, dilations=(1, 1), data_format="NCHW",
):  # fmt: skip
    return conv2d_transpose(
        x, w, bias, strides=strides, paddings=paddings, output_padding=output_padding,
        output_size=output_size, padding_algorithm=padding_algorithm, groups=groups,
        dilations=dilations, data_format=data_format,
    )  # fmt: skip


@op("conv3d_transpose", "Input Filter -> Output", infer=partial(_infer, 3), amp="white")
def conv3d_transpose(
    x, w, *, strides=(1, 1, 1), paddings=(0, 0, 0), output_padding=(), output_size=(),
    padding_algorithm="EXPLICIT", groups=1, dilations=(1, 1, 1), data_format="NCHW",
):  # fmt: skip
    return _transpose(
        x, w, None, groups, data_format, strides=strides, paddings=paddings,
        output_padding=output_padding, output_size=output_size,
        padding_algorithm=padding_algorithm, dilations=dilations,
    )  # fmt: skip


@conv3d_transpose.grad("Input Filter")
def _(
    dy, x, w, *, strides, paddings, output_padding, output_size, padding_algorithm, groups,
    dilations, data_format, needs_grad,
):  # fmt: skip
    return _gradients(
        dy, x, w, (*needs_grad, False), groups, data_format, strides=strides, paddings=paddings,
        output_padding=output_padding, output_size=output_size,
        padding_algorithm=padding_algorithm, dilations=dilations,
    )[:2]  # fmt: skip
