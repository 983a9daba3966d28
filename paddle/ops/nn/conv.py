"""Convolutions and their gradients."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, of_dimensions
from paddle.core.op import op
from paddle.ops.nn import fast_conv
from paddle.ops.nn.window import (
    check_counts,
    check_positive,
    is_channel_last,
    resolve_padding,
    shape_of,
    spatial_of,
    to_channel_first,
    to_channel_last,
    torch_pad,
    window_size,
)

_aten_backward = torch.ops.aten.convolution_backward
_CONV = {2: torch.conv2d, 3: torch.conv3d}


def _geometry(sizes, kernel, strides, paddings, algorithm, dilations):
    """Returns the padding in front, behind, and the dilation, which is 1 for SAME (as in 2.0)."""
    rank = len(kernel)
    check_positive("strides", strides, rank)
    check_positive("dilations", dilations, rank)
    before, after = resolve_padding(paddings, algorithm, sizes, kernel, strides)
    return before, after, [1] * rank if algorithm == "SAME" else list(dilations)


def _is_simple(x, rank, data_format, algorithm, paddings) -> bool:
    """Says whether ATen takes the arguments as they are."""
    return (
        data_format in ("NCHW", "NCDHW", "AnyLayout")
        and algorithm == "EXPLICIT"
        and len(paddings) == rank
        and x.dim() == rank + 2
    )


def _check_channels(x: Any, w: Any, groups: int, rank: int, last: bool = False) -> None:
    """Refuses an input (a buffer, or a Spec whose sizes may be -1) that the filter does not fit."""
    if len(x.shape) != rank + 2 or len(w.shape) != rank + 2:
        raise InvalidArgumentError(
            f"expected Input and Filter of {rank + 2} dimensions, but received Input of shape "
            f"{list(x.shape)} and Filter of shape {list(w.shape)}."
        )
    channels = x.shape[-1 if last else 1]
    if -1 in (channels, *w.shape[:2]):
        return
    if groups < 1 or channels != w.shape[1] * groups or w.shape[0] % groups:
        raise InvalidArgumentError(
            f"expected the channels of Input to be those of Filter times groups, and the filters "
            f"to be a multiple of groups, but received {channels} channels, Filter of shape "
            f"{list(w.shape)} and groups = {groups}."
        )


def _convolve(x, w, bias, residual, strides, paddings, algorithm, dilations, groups, data_format):
    """Convolution of any rank, layout and padding."""
    rank = w.dim() - 2
    if _is_simple(x, rank, data_format, algorithm, paddings) and residual is None:
        try:
            if fast_conv.plain(x, strides, dilations, groups):
                return fast_conv.convolve(x, w, bias, paddings)
            return _CONV[rank](x, w, bias, strides, paddings, dilations, groups)
        except (RuntimeError, KeyError, IndexError):
            pass  # the checks below say what is wrong in terms of the operator
    last = is_channel_last(data_format)
    if last:
        x = to_channel_first(x)
    _check_channels(x, w, groups, rank)
    before, after, dilations = _geometry(
        x.shape[2:], w.shape[2:], strides, paddings, algorithm, dilations
    )
    if before != after:
        x = torch.constant_pad_nd(x, torch_pad(before, after))
        before = [0] * rank
    out = _CONV[rank](x, w, bias, strides, before, dilations, groups)
    if last:
        out = to_channel_last(out)
    return out if residual is None else torch.add(out, residual)


def _gradients(dy, x, w, strides, paddings, algorithm, dilations, groups, data_format, needs_grad):
    """Gradients of input, filter and bias."""
    if _is_simple(x, w.dim() - 2, data_format, algorithm, paddings):
        return even_gradients(dy, x, w, strides, paddings, dilations, groups, needs_grad)
    last = is_channel_last(data_format)
    if last:
        x, dy = to_channel_first(x), to_channel_first(dy)
    sizes = x.shape[2:]
    before, after, dilations = _geometry(
        sizes, w.shape[2:], strides, paddings, algorithm, dilations
    )
    uneven = before != after
    if uneven:
        pads = torch_pad(before, after)
        x = torch.constant_pad_nd(x, pads)
        before = [0] * len(before)
    dx, dw, db = even_gradients(dy, x, w, strides, before, dilations, groups, needs_grad)
    if dx is not None:
        if uneven:
            dx = torch.constant_pad_nd(dx, [-p for p in pads])
        if last:
            dx = to_channel_last(dx)
    return dx, dw, db


def even_gradients(dy, x, w, strides, padding, dilations, groups, needs_grad):
    """Gradients of a channel-first convolution whose padding is the same on both sides."""
    want_x, want_w, want_b = needs_grad[:3]
    dx = dw = None
    if fast_conv.plain(x, strides, dilations, groups):
        dx, dw = fast_conv.gradients(dy, x, w, padding, (want_x, want_w))
        want_x, want_w = want_x and dx is None, want_w and dw is None
    db = None
    if want_x or want_w:
        bias = [w.shape[0]] if want_b and want_w else None
        found = _aten_backward(
            dy, x, w, bias, strides, padding, dilations, False, [0] * len(padding), groups,
            [want_x, want_w, bias is not None],
        )  # fmt: skip
        dx = found[0] if want_x else dx
        dw = found[1] if want_w else dw
        db = found[2] if bias is not None else None
    if want_b and db is None:
        db = dy.sum([0, *range(2, dy.dim())])
    return dx, dw, db


@of_dimensions
def _infer(rank, inputs, attrs):
    x, w = inputs[:2]
    last = is_channel_last(attrs["data_format"])
    _check_channels(x, w, attrs["groups"], rank, last)
    kernel = list(w.shape[2:])
    sizes = spatial_of(x.shape, last)
    known = [0 if n == -1 else n for n in sizes]
    before, after, dilations = _geometry(
        known, kernel, attrs["strides"], attrs["paddings"], attrs["padding_algorithm"],
        attrs["dilations"],
    )  # fmt: skip
    if attrs["padding_algorithm"] == "SAME":
        spatial = [-1 if n == -1 else -(-n // s) for n, s in zip(sizes, attrs["strides"])]
    else:
        spatial = [
            window_size(n, d * (k - 1) + 1, b, a, s, False)
            for n, k, b, a, s, d in zip(sizes, kernel, before, after, attrs["strides"], dilations)
        ]
        check_counts(spatial, kernel, sizes, before, after)
    return [shape_of(Spec(x.shape, x.dtype), w.shape[0], spatial, last)]


@op(
    "conv2d",
    "Input Filter Bias? ResidualData? -> Output",
    lod="Input",
    infer=partial(_infer, 2),
    no_alias="Output",
    amp="white",
    split_bias=True,
)
def conv2d(
    x, w, bias, residual, *, strides=(1, 1), paddings=(0, 0), padding_algorithm="EXPLICIT",
    dilations=(1, 1), groups=1, data_format="NCHW",
):  # fmt: skip
    return _convolve(
        x, w, bias, residual, strides, paddings, padding_algorithm, dilations, groups, data_format
    )


@conv2d.grad("Input Filter", no_alias="Input")
def _(
    dy, x, w, *, strides, paddings, padding_algorithm, dilations, groups, data_format, needs_grad
):  # fmt: skip
    found = _gradients(
        dy, x, w, strides, paddings, padding_algorithm, dilations, groups, data_format, needs_grad
    )
    return (*found, dy if needs_grad[3] else None)


@op(
    "depthwise_conv2d",
    "Input Filter Bias? ResidualData? -> Output",
    lod="Input",
    infer=partial(_infer, 2),
    no_alias="Output",
    amp="white",
    split_bias=True,
)
def depthwise_conv2d(
    x, w, bias, residual, *, strides=(1, 1), paddings=(0, 0), padding_algorithm="EXPLICIT",
    groups=1, dilations=(1, 1), data_format="NCHW",
):  # fmt: skip
    return _convolve(
        x, w, bias, residual, strides, paddings, padding_algorithm, dilations, groups, data_format
    )


@depthwise_conv2d.grad("Input Filter", no_alias="Input")
def _(
    dy, x, w, *, strides, paddings, padding_algorithm, dilations, groups, data_format, needs_grad
):  # fmt: skip
    found = _gradients(
        dy, x, w, strides, paddings, padding_algorithm, dilations, groups, data_format, needs_grad
    )
    return (*found, dy if needs_grad[3] else None)


@op(
    "conv3d",
    "Input Filter ResidualData? -> Output",
    infer=partial(_infer, 3),
    no_alias="Output",
    amp="white",
)
def conv3d(
    x, w, residual, *, strides=(1, 1, 1), paddings=(0, 0, 0), padding_algorithm="EXPLICIT",
    groups=1, dilations=(1, 1, 1), data_format="NCDHW",
):  # fmt: skip
    return _convolve(
        x, w, None, residual, strides, paddings, padding_algorithm, dilations, groups, data_format
    )


@conv3d.grad("Input Filter")
def _(
    dy, x, w, *, strides, paddings, padding_algorithm, dilations, groups, data_format, needs_grad
):  # fmt: skip
    dx, dw, _ = _gradients(
        dy, x, w, strides, paddings, padding_algorithm, dilations, groups, data_format,
        (needs_grad[0], needs_grad[1], False),
    )  # fmt: skip
    return dx, dw, dy if needs_grad[2] else None
