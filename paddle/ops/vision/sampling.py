"""Unfold (im2col), pixel and channel shuffle, grid sampling, temporal shift."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.manipulation.attribute_tensors import ints
from paddle.ops.nn.window import is_channel_last, to_channel_first, to_channel_last

_MODES = {"bilinear": 0, "nearest": 1}
_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


def _unfold_rule(inputs, attrs):
    x = inputs[0]
    if -1 in x.shape[1:]:
        return [Spec((x.shape[0], -1, -1), x.dtype)]
    high, wide = _patches(x.shape, **{k: attrs[k] for k in _UNFOLD})
    kernel = attrs["kernel_sizes"]
    return [Spec((x.shape[0], x.shape[1] * kernel[0] * kernel[1], high * wide), x.dtype)]


_UNFOLD = ("kernel_sizes", "strides", "paddings", "dilations")


def _patches(shape, kernel_sizes, strides, paddings, dilations):
    """Number of patches downwards and across."""
    return [
        (shape[2 + i] + paddings[i] + paddings[i + 2] - dilations[i] * (kernel_sizes[i] - 1) - 1)
        // strides[i]
        + 1
        for i in range(2)
    ]


@op("unfold", "X -> Y", infer=_unfold_rule)
def unfold(x, *, kernel_sizes, strides, paddings, dilations):
    """Paddings are top, left, bottom, right."""
    if x.dim() != 4:
        raise InvalidArgumentError(
            f"expected X of 4 dimensions, but received shape {list(x.shape)}."
        )
    counts = _patches(x.shape, kernel_sizes, strides, paddings, dilations)
    if min(counts) < 1:
        raise InvalidArgumentError(
            f"expected at least one patch of {list(kernel_sizes)} in X of shape {list(x.shape)}, "
            f"but there are {counts[0]} x {counts[1]}."
        )
    top, left, bottom, right = paddings
    if (top, left) != (bottom, right):
        x = torch.constant_pad_nd(x, [left, right, top, bottom])
        top = left = 0
    return torch._C._nn.im2col(x, list(kernel_sizes), list(dilations), [top, left], list(strides))


def _shuffle_rule(inputs, attrs):
    x, r = inputs[0], attrs["upscale_factor"]
    scaled = lambda n: n if n == -1 else n * r
    if is_channel_last(attrs["data_format"]):
        n, h, w, c = x.shape
        return [Spec((n, scaled(h), scaled(w), c // (r * r)), x.dtype)]
    n, c, h, w = x.shape
    return [Spec((n, c // (r * r), scaled(h), scaled(w)), x.dtype)]


def _shuffled(x: torch.Tensor, r: int) -> torch.Tensor:
    """Channels become pixels. torch gives an empty tensor back in the shape it had."""
    n, c, h, w = x.shape
    return torch.pixel_shuffle(x, r) if x.numel() else x.reshape(n, c // (r * r), h * r, w * r)


def _unshuffled(x: torch.Tensor, r: int) -> torch.Tensor:
    """Pixels become channels."""
    n, c, h, w = x.shape
    return torch.pixel_unshuffle(x, r) if x.numel() else x.reshape(n, c * r * r, h // r, w // r)


@op("pixel_shuffle", "X -> Out", infer=_shuffle_rule)
def pixel_shuffle(x, *, upscale_factor=1, data_format="NCHW"):
    last = is_channel_last(data_format)
    channels = x.shape[-1 if last else 1] if x.dim() == 4 else 0
    if x.dim() != 4 or upscale_factor < 1 or channels % (upscale_factor**2):
        raise InvalidArgumentError(
            "expected X of 4 dimensions with a number of channels divisible by the square of "
            f"upscale_factor, but received shape {list(x.shape)} and {upscale_factor}."
        )
    out = _shuffled(to_channel_first(x) if last else x, upscale_factor)
    return to_channel_last(out) if last else out


@pixel_shuffle.grad()
def _(dy, *, upscale_factor, data_format):
    last = is_channel_last(data_format)
    dx = _unshuffled(to_channel_first(dy) if last else dy, upscale_factor)
    return to_channel_last(dx) if last else dx


def _unshuffle_rule(inputs, attrs):
    x, r = inputs[0], attrs["downscale_factor"]
    scaled = lambda n: n if n == -1 else n // r
    if is_channel_last(attrs["data_format"]):
        n, h, w, c = x.shape
        return [Spec((n, scaled(h), scaled(w), c if c == -1 else c * r * r), x.dtype)]
    n, c, h, w = x.shape
    return [Spec((n, c if c == -1 else c * r * r, scaled(h), scaled(w)), x.dtype)]


@op("pixel_unshuffle", "X -> Out", infer=_unshuffle_rule)
def pixel_unshuffle(x, *, downscale_factor=1, data_format="NCHW"):
    last = is_channel_last(data_format)
    sizes = (x.shape[1:3] if last else x.shape[2:]) if x.dim() == 4 else (1,)
    if x.dim() != 4 or downscale_factor < 1 or any(n % downscale_factor for n in sizes):
        raise InvalidArgumentError(
            "expected X of 4 dimensions with a height and a width divisible by downscale_factor, "
            f"but received shape {list(x.shape)} and {downscale_factor}."
        )
    out = _unshuffled(to_channel_first(x) if last else x, downscale_factor)
    return to_channel_last(out) if last else out


@pixel_unshuffle.grad()
def _(dy, *, downscale_factor, data_format):
    last = is_channel_last(data_format)
    dx = _shuffled(to_channel_first(dy) if last else dy, downscale_factor)
    return to_channel_last(dx) if last else dx


def _regrouped(x, rows, data_format):
    """Reads the channels, written in rows, column by column."""
    axis = x.dim() - 1 if is_channel_last(data_format) else 1
    if not x.shape[axis]:
        return x.clone()
    split = x.unflatten(axis, (rows, x.shape[axis] // rows))
    return split.transpose(axis, axis + 1).flatten(axis, axis + 1)


@op("channel_shuffle", "X -> Out", infer="same")
def channel_shuffle(x, *, groups, data_format="NCHW"):
    axis = -1 if is_channel_last(data_format) else 1
    if x.dim() != 4 or groups < 1 or x.shape[axis] % groups:
        raise InvalidArgumentError(
            "expected X of 4 dimensions with a number of channels divisible by groups, but "
            f"received shape {list(x.shape)} and {groups}."
        )
    return _regrouped(x, groups, data_format)


@channel_shuffle.grad("X.shape")
def _(dy, x_shape, *, groups, data_format):
    channels = x_shape[-1 if is_channel_last(data_format) else 1]
    return _regrouped(dy, channels // groups, data_format)


def _sampler_rule(inputs, attrs):
    x, grid = inputs
    return [Spec((*x.shape[:2], *grid.shape[1:-1]), x.dtype)]


@op("grid_sampler", "X Grid -> Output", infer=_sampler_rule)
def grid_sampler(x, grid, *, mode="bilinear", padding_mode="zeros", align_corners=True):
    if mode not in _MODES or padding_mode not in _PADDING_MODES:
        raise InvalidArgumentError(
            f"expected mode in {sorted(_MODES)} and padding_mode in {sorted(_PADDING_MODES)}, "
            f"but received {mode!r} and {padding_mode!r}."
        )
    return torch.grid_sampler(
        x, grid.to(x.dtype), _MODES[mode], _PADDING_MODES[padding_mode], align_corners
    )


def _grid_rule(inputs, attrs):
    theta = inputs[0]
    shape = attrs["output_shape"]
    if inputs[1] is not None or not shape:
        return [Spec((theta.shape[0], -1, -1, 2), theta.dtype)]
    return [Spec((theta.shape[0], *shape[2:], len(shape) - 2), theta.dtype)]


@op("affine_grid", "Theta OutputShape? -> Output", lod="Theta", infer=_grid_rule, dtypes="floats")
def affine_grid(theta, shape_tensor, *, output_shape=(), align_corners=True):
    shape = [int(n) for n in ints(output_shape, shape_tensor)]
    if len(shape) != 4 or tuple(theta.shape[1:]) != (2, 3):
        raise InvalidArgumentError(
            "expected Theta of shape [N, 2, 3] and output_shape [N, C, H, W], but received "
            f"{list(theta.shape)} and {shape}."
        )
    return torch.affine_grid_generator(theta, [theta.shape[0], *shape[1:]], align_corners)


@op("temporal_shift", "X -> Out", infer="same")
def temporal_shift(x, *, seg_num, shift_ratio=0.25, data_format="NCHW"):
    last = is_channel_last(data_format)
    if last:
        x = to_channel_first(x)
    if x.dim() != 4 or seg_num < 1 or x.shape[0] % seg_num:
        raise InvalidArgumentError(
            f"expected X of shape [N * seg_num, C, H, W], but received {list(x.shape)} and "
            f"seg_num = {seg_num}."
        )
    frames = x.reshape(x.shape[0] // seg_num, seg_num, *x.shape[1:])
    low, high = int(x.shape[1] * shift_ratio), int(x.shape[1] * 2 * shift_ratio)
    padded = torch.constant_pad_nd(frames, [0, 0] * 3 + [1, 1])
    out = torch.cat(
        [padded[:, :-2, :low], padded[:, 2:, low:high], frames[:, :, high:]], 2
    ).reshape(x.shape)
    return to_channel_last(out) if last else out
