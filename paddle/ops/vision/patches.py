"""Fold (col2im), im2sequence and spatial pyramid pooling."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op

# -- fold ---------------------------------------------------------------------------------------


def _pairs(name: str, **given: list[int]) -> None:
    for what, values in given.items():
        if len(values) != 2 or min(values) < 1:
            raise InvalidArgumentError(
                f"{name}: {what} is expected to be 2 positive integers, but received "
                f"{list(values)}."
            )


def _sides(name: str, paddings: list[int]) -> tuple[int, int, int, int]:
    """Top, left, bottom, right."""
    if len(paddings) not in (2, 4) or min(paddings) < 0:
        raise InvalidArgumentError(
            f"{name}: paddings is expected to be 2 or 4 integers, none of them negative, but "
            f"received {list(paddings)}."
        )
    return tuple(list(paddings) * (4 // len(paddings)))  # type: ignore[return-value]


def _fold_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, kernel = inputs[0], attrs["kernel_sizes"]
    _pairs("fold", output_sizes=attrs["output_sizes"], kernel_sizes=kernel)
    channels = -1 if x.shape[1] == -1 else x.shape[1] // (kernel[0] * kernel[1])
    return [Spec((x.shape[0], channels, *attrs["output_sizes"]), x.dtype)]


@op("fold", "X -> Y", infer=_fold_rule, dtypes="floats and complex")
def fold(x, *, output_sizes, kernel_sizes, strides, paddings, dilations):
    """Adds patches [N, C * kernel, count] up to images of ``output_sizes``; undoes ``unfold``."""
    _pairs("fold", output_sizes=output_sizes, kernel_sizes=kernel_sizes, strides=strides,
           dilations=dilations)  # fmt: skip
    top, left, bottom, right = _sides("fold", paddings)
    high, wide = output_sizes[0] + top + bottom, output_sizes[1] + left + right
    counts = [
        (size - dilations[i] * (kernel_sizes[i] - 1) - 1) // strides[i] + 1
        for i, size in enumerate((high, wide))
    ]
    taken = kernel_sizes[0] * kernel_sizes[1]
    if x.dim() != 3 or x.shape[1] % taken or x.shape[2] != counts[0] * counts[1]:
        raise InvalidArgumentError(
            f"fold: expected X of shape [N, C * {taken}, {counts[0]} * {counts[1]}], but received "
            f"{list(x.shape)}."
        )
    whole = torch._C._nn.col2im(
        x, [high, wide], list(kernel_sizes), list(dilations), [0, 0], list(strides)
    )
    return whole[:, :, top : top + output_sizes[0], left : left + output_sizes[1]]


# -- sequences ----------------------------------------------------------------------------------


def _im2sequence_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, sizes = inputs
    kernel, strides = attrs["kernels"], attrs["strides"]
    width = -1 if x.shape[1] == -1 else x.shape[1] * kernel[0] * kernel[1]
    if (sizes is not None and x.shape[0] > 1) or -1 in (x.shape[0], *x.shape[2:]):
        return [Spec((-1, width), x.dtype)]
    high, wide = _grid(x.shape[2:], attrs["paddings"], kernel, strides)
    return [Spec((x.shape[0] * high * wide, width), x.dtype)]


def _grid(sizes, paddings, kernel, strides) -> list[int]:
    """Patches downwards and across."""
    return [
        (n + paddings[i] + paddings[i + 2] - kernel[i]) // strides[i] + 1
        for i, n in enumerate(sizes)
    ]


def _real_grids(sizes, paddings, kernel, strides, out_stride) -> list[list[int]]:
    """The patches of each image by its size before the layers in front, which shrink it."""
    shrunk = [[-(-int(n) // s) for n, s in zip(row, out_stride, strict=True)] for row in sizes]
    return [_grid(row, paddings, kernel, strides) for row in shrunk]


@op("im2sequence", "X Y?~ -> Out", lod="own", infer=_im2sequence_rule, dtypes="floats")
def im2sequence(x, sizes, *, kernels, strides=(1, 1), paddings=(0, 0, 0, 0), out_stride=(1, 1)):
    """Patches, left to right and downwards, as the rows of a sequence for each image.

    Y [N, 2]: the sizes of the images that X was made of by layers that shrink by ``out_stride``.
    """
    _pairs("im2sequence", kernels=kernels, strides=strides, out_stride=out_stride)
    _sides("im2sequence", paddings)
    if x.dim() != 4 or len(paddings) != 4 or (sizes is not None and sizes.shape != (len(x), 2)):
        came = "" if sizes is None else f", Y of shape {list(sizes.shape)}"
        raise InvalidArgumentError(
            "im2sequence: expected X [N, C, H, W], Y, if any, [N, 2], and 4 paddings, but received "
            f"X of shape {list(x.shape)}{came} and paddings {list(paddings)}."
        )
    if len(x) < 2:
        sizes = None  # PaddlePaddle does not look at it then
    if sizes is None:
        grids = [_grid(x.shape[2:], paddings, kernels, strides)] * len(x)
    else:
        grids = _real_grids(sizes.tolist(), paddings, kernels, strides, out_stride)
    if not grids:
        return x.new_zeros(0, x.shape[1] * kernels[0] * kernels[1])
    if min(min(grid) for grid in grids) < 1:
        raise InvalidArgumentError(
            f"im2sequence: expected at least one patch of {list(kernels)} in every image, but "
            f"there are {grids}."
        )
    most = [max(grid[i] for grid in grids) for i in range(2)]
    patches = _all_patches(x, most, kernels, strides, paddings)
    if sizes is None:
        out = patches.flatten(0, 2)
    else:
        parts = [p[:h, :w].flatten(0, 1) for p, (h, w) in zip(patches, grids, strict=True)]
        out = torch.cat(parts)
    ends = [0]
    for high, wide in grids:
        ends.append(ends[-1] + high * wide)
    out._lod = [ends]  # type: ignore[attr-defined]
    return out


def _all_patches(x, counts, kernel, strides, paddings) -> torch.Tensor:
    """[N, downwards, across, C * kernel], zeros beyond the edges."""
    top, left = paddings[:2]
    need = [(counts[i] - 1) * strides[i] + kernel[i] for i in range(2)]
    bottom, right = need[0] - top - x.shape[2], need[1] - left - x.shape[3]
    padded = torch.constant_pad_nd(x, [left, right, top, bottom])  # negative ones cut off
    flat = torch._C._nn.im2col(padded, list(kernel), [1, 1], [0, 0], list(strides))
    return flat.transpose(1, 2).unflatten(1, counts)


# -- pyramids -----------------------------------------------------------------------------------


def _spp_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    cells = sum(4**level for level in range(attrs["pyramid_height"]))
    return [Spec((x.shape[0], x.shape[1] if x.shape[1] == -1 else x.shape[1] * cells), x.dtype)]


def _cells(size: int, bins: int) -> tuple[int, int, int]:
    """The window along one axis, and the padding in front of and behind it."""
    window = -(-size // bins)
    front = (window * bins - size + 1) // 2
    return window, front, window * bins - size - front


def _level(x: torch.Tensor, bins: int, kind: str) -> torch.Tensor:
    (high, top, bottom), (wide, left, right) = (_cells(n, bins) for n in x.shape[2:])
    edges = [left, right, top, bottom]

    def windows(value: torch.Tensor, fill: float) -> torch.Tensor:
        padded = torch.constant_pad_nd(value, edges, fill)
        return padded.unflatten(3, (bins, wide)).unflatten(2, (bins, high))

    if kind == "max":
        return torch.amax(windows(x, torch.finfo(x.dtype).min), (3, 5)).flatten(1)
    counted = windows(torch.ones_like(x[:1, :1]), 0.0).sum((3, 5))
    return (windows(x, 0.0).sum((3, 5)) / counted).flatten(1)


@op("spp", "X -> Out", infer=_spp_rule, dtypes="floats")
def spp(x, *, pyramid_height, pooling_type):
    """Pools to 1, 4, 16, ... cells and joins them, https://arxiv.org/abs/1406.4729."""
    if pooling_type not in ("max", "avg") or pyramid_height < 1:
        raise InvalidArgumentError(
            "spp: pooling_type is expected to be max or avg and pyramid_height to be positive, but "
            f"received {pooling_type} and {pyramid_height}."
        )
    if x.dim() != 4 or 0 in x.shape[1:]:
        raise InvalidArgumentError(
            f"spp: expected X [N, C, H, W] with elements, but received shape {list(x.shape)}."
        )
    return torch.cat([_level(x, 2**level, pooling_type) for level in range(pyramid_height)], 1)
