"""Deformable convolution: every tap of the kernel looks where a learned offset says."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op


def _size(size: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
    if size == -1:
        return -1
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def _out_shape(x_shape, w_shape, strides, paddings, dilations) -> tuple[int, int]:
    height, width = (
        _size(x_shape[2 + i], w_shape[2 + i], strides[i], paddings[i], dilations[i])
        for i in range(2)
    )
    return height, width


def _rule(x: Spec, w: Spec, attrs: dict) -> list[Spec]:
    size = _out_shape(x.shape, w.shape, attrs["strides"], attrs["paddings"], attrs["dilations"])
    return [Spec((x.shape[0], w.shape[0], *size), x.dtype)]


def _check_ranks(name, x, w) -> None:
    if x.dim() != 4 or w.dim() != 4:
        raise InvalidArgumentError(
            f"{name}: expected Input of shape [N, C, H, W] and Filter of shape [out, C / groups, "
            f"kh, kw], but received {list(x.shape)} and {list(w.shape)}."
        )


def _check(name, x, offset, mask, w, size, groups, deformable_groups, im2col_step) -> None:
    n, channels = x.shape[:2]
    if channels != w.shape[1] * groups or w.shape[0] % groups or channels % deformable_groups:
        raise InvalidArgumentError(
            f"{name}: expected channels divisible by groups {groups} and deformable_groups "
            f"{deformable_groups}, but received Input {list(x.shape)} and Filter {list(w.shape)}."
        )
    if min(size) < 1:
        raise InvalidArgumentError(
            f"{name}: expected the kernel to fit into the padded input, but the output would be "
            f"{list(size)} for Input {list(x.shape)} and Filter {list(w.shape)}."
        )
    taps = deformable_groups * w.shape[2] * w.shape[3]
    for slot, value, depth in (("Offset", offset, 2 * taps), ("Mask", mask, taps)):
        if value is not None and list(value.shape) != [n, depth, *size]:
            raise InvalidArgumentError(
                f"{name}: expected {slot} of shape {[n, depth, *size]}, but received "
                f"{list(value.shape)}."
            )
    if im2col_step < 1 or n % min(im2col_step, max(n, 1)):
        raise InvalidArgumentError(
            f"{name}(im2col_step): expected a number that divides the batch of {n} or exceeds it, "
            f"but received {im2col_step}."
        )


def _positions(offset, kernel, size, strides, paddings, dilations, groups):
    """Where every tap looks: rows and columns, each of shape [N, groups, taps, oh, ow]."""
    kh, kw = kernel
    shift = offset.reshape(offset.shape[0], groups, kh * kw, 2, *size)
    axes = []
    for axis in range(2):
        tap = torch.arange(kernel[axis], device=offset.device) * dilations[axis]
        tap = tap.reshape((-1, 1) if axis == 0 else (1, -1)).expand(kh, kw).reshape(-1, 1, 1)
        start = torch.arange(size[axis], device=offset.device) * strides[axis] - paddings[axis]
        start = start.reshape((-1, 1) if axis == 0 else (1, -1))
        axes.append(shift[:, :, :, axis] + (tap + start))
    return axes


def _sample(planes: torch.Tensor, y: torch.Tensor, x: torch.Tensor, height: int, width: int):
    """Bilinear values of planes [B, C, H * W] at points [B, P]; outside there are zeros."""
    top, left = torch.floor(y.detach()), torch.floor(x.detach())
    down, right = y - top, x - left
    total = None
    for row, y_share in ((top, 1.0 - down), (top + 1.0, down)):
        for column, x_share in ((left, 1.0 - right), (left + 1.0, right)):
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            place = row.clamp(0, height - 1).long() * width + column.clamp(0, width - 1).long()
            corner = torch.gather(planes, 2, place.unsqueeze(1).expand(-1, planes.shape[1], -1))
            term = corner * (y_share * x_share * inside).unsqueeze(1)
            total = term if total is None else total + term
    return total


def _convolve(name, x, offset, mask, w, attrs, groups, deformable_groups, im2col_step):
    """Unfolds the sampled taps and multiplies them with the filter, group by group."""
    _check_ranks(name, x, w)
    strides, paddings, dilations = attrs
    size = _out_shape(x.shape, w.shape, strides, paddings, dilations)
    _check(name, x, offset, mask, w, size, groups, deformable_groups, im2col_step)
    n, channels, height, width = x.shape
    taps = w.shape[2] * w.shape[3]
    points = _positions(offset, w.shape[2:], size, strides, paddings, dilations, deformable_groups)
    batch = n * deformable_groups
    count = taps * size[0] * size[1]
    y, z = (p.reshape(batch, count) for p in points)
    planes = x.reshape(batch, channels // deformable_groups, height * width)
    columns = _sample(planes, y, z, height, width)
    if mask is not None:
        columns = columns * mask.reshape(batch, 1, count)
    columns = columns.reshape(n, groups, channels // groups * taps, size[0] * size[1])
    out = torch.matmul(w.reshape(groups, w.shape[0] // groups, columns.shape[2]), columns)
    return out.reshape(n, w.shape[0], *size)


@op(
    "deformable_conv",
    "Input Offset Mask Filter -> Output",
    infer=lambda inputs, attrs: _rule(inputs[0], inputs[3], attrs),
)
def deformable_conv(
    x, offset, mask, w, *, strides=(1, 1), paddings=(0, 0), dilations=(1, 1), groups=1,
    deformable_groups=1, im2col_step=64,
):  # fmt: skip
    """Second version, with a mask that weighs the taps.

    im2col_step, how many images PaddlePaddle unfolds at a time, is checked as there; here all are
    unfolded at once.
    """
    return _convolve(
        "deformable_conv", x, offset, mask, w, (strides, paddings, dilations), groups,
        deformable_groups, im2col_step,
    )  # fmt: skip


@op(
    "deformable_conv_v1",
    "Input Offset Filter -> Output",
    infer=lambda inputs, attrs: _rule(inputs[0], inputs[2], attrs),
)
def deformable_conv_v1(
    x, offset, w, *, strides=(1, 1), paddings=(0, 0), dilations=(1, 1), groups=1,
    deformable_groups=1, im2col_step=64,
):  # fmt: skip
    """First version, without a mask."""
    return _convolve(
        "deformable_conv_v1", x, offset, None, w, (strides, paddings, dilations), groups,
        deformable_groups, im2col_step,
    )  # fmt: skip
