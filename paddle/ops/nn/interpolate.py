"""Resizing by nearest, (bi-, tri-)linear and bicubic interpolation.

The operator's name says the method; attribute ``interp_method`` repeats it in saved Programs.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import define
from paddle.ops.manipulation.attribute_tensors import ints
from paddle.ops.nn.window import is_channel_last, spatial_of, to_channel_first, to_channel_last

_nn = torch._C._nn
_RANKS = {"linear": (1,), "bilinear": (2,), "nearest": (2, 3), "bicubic": (2,), "trilinear": (3,)}
_LINEAR = {1: _nn.upsample_linear1d, 2: _nn.upsample_bilinear2d, 3: _nn.upsample_trilinear3d}
_NEAREST = {2: _nn.upsample_nearest2d, 3: _nn.upsample_nearest3d}


def _ratio(size: int, target: int, scale: float, align_corners: bool) -> float:
    """Distance in the input between neighbouring elements of the result."""
    if align_corners:
        return (size - 1) / (target - 1) if target > 1 else 0.0
    return 1.0 / scale if scale > 0 else size / target


def _nearest_aligned(x: torch.Tensor, target: list[int]) -> torch.Tensor:
    """Nearest element with corners on corners, halves upwards."""
    for axis, n in enumerate(target, 2):
        step = _ratio(x.shape[axis], n, 0, True)
        where = torch.arange(n, device=x.device, dtype=torch.float64) * step + 0.5
        x = x.index_select(axis, where.to(torch.int64))
    return x


def _nearest_scaled(x: torch.Tensor, target: list[int], scales: list[float]) -> torch.Tensor:
    """Nearest element at ``floor(i / scale)``."""
    for axis, n in enumerate(target, 2):
        step = _ratio(x.shape[axis], n, scales[axis - 2], False)
        where = torch.arange(n, device=x.device, dtype=torch.float64) * step
        x = x.index_select(axis, where.to(torch.int64).clamp_(max=x.shape[axis] - 1))
    return x


def _takes_shortcut(sizes: tuple[int, ...], target: list[int], scales: list[float]) -> bool:
    """Whether ATen's nearest form goes by the sizes, which are equal or doubled, not by scales."""
    return any(
        s > 0 and n in (size, 2 * size) and n != size * s
        for size, n, s in zip(sizes, target, scales, strict=True)
    )


def _linear_from_corner(x: torch.Tensor, target: list[int], scales: list[float]) -> torch.Tensor:
    """Linear interpolation at ``ratio * i``: the first corners meet, the last need not."""
    for axis, n in enumerate(target, 2):
        size = x.shape[axis]
        step = _ratio(size, n, scales[axis - 2], False)
        where = torch.arange(n, device=x.device, dtype=torch.float64) * step
        low = where.to(torch.int64).clamp_(max=size - 1)
        part = (where - low).to(x.dtype).reshape([-1] + [1] * (x.dim() - 1 - axis))
        high = (low + 1).clamp_(max=size - 1)
        x = torch.lerp(x.index_select(axis, low), x.index_select(axis, high), part)
    return x


def resize(
    x: torch.Tensor, target: list[int], scales: list[float], method: str, align_corners: bool,
    align_mode: int,
) -> torch.Tensor:  # fmt: skip
    """Resizes ``[N, C, ...]`` to sizes ``target``; ``scales`` of 0 follow from the sizes."""
    rank = len(target)
    known: list[Any] = [s if s > 0 else None for s in scales]
    if method == "nearest":
        if align_corners:
            return _nearest_aligned(x, target)
        if _takes_shortcut(x.shape[2:], target, scales):
            return _nearest_scaled(x, target, scales)
        return _NEAREST[rank](x, target, *known)
    if method == "bicubic":
        return _nn.upsample_bicubic2d(x, target, align_corners, *known)
    if align_mode == 1 and not align_corners:
        return _linear_from_corner(x, target, scales)
    return _LINEAR[rank](x, target, align_corners, *known)


def _target(sizes, out_size, size_tensor, scale_tensor, scale, given):
    """Returns the spatial sizes of the result and the scales, 0 where there are none."""
    rank = len(sizes)
    if size_tensor:
        return list(ints([], None, size_tensor)), [0.0] * rank
    if scale_tensor is not None:
        scale = scale_tensor.reshape(-1).tolist()
    scales = [scale] if isinstance(scale, (int, float)) else list(scale)
    if len(scales) == 1:
        scales = scales * rank
    if scales and min(scales) > 0:
        if len(scales) != rank:
            raise InvalidArgumentError(f"expected scale of {rank} numbers, but received {scales}.")
        target = [n if n == -1 else int(n * s) for n, s in zip(sizes, scales)]
    else:
        scales, target = [0.0] * rank, list(given)
    if out_size is not None:
        target = [int(n) for n in ints([], out_size)]
    return target, scales


def _kernel(
    x, out_size, size_tensor, scale_tensor, *, data_layout="NCHW", out_d=0, out_h=0, out_w=0,
    scale: Any = (), align_corners=True, align_mode=1, method="",
):  # fmt: skip
    last = is_channel_last(data_layout)
    if last:
        x = to_channel_first(x)
    rank = x.dim() - 2
    if rank not in _RANKS[method]:
        raise InvalidArgumentError(
            f"expected X of {' or '.join(str(r + 2) for r in _RANKS[method])} dimensions for "
            f"{method} interpolation, but received shape {list(x.shape)}."
        )
    given = [out_d, out_h, out_w][3 - rank :]
    target, scales = _target(x.shape[2:], out_size, size_tensor, scale_tensor, scale, given)
    if min(target) < 1:
        raise InvalidArgumentError(
            f"expected a positive size, but the result would have spatial size {target}.",
            hint="give a size, or a scale that leaves at least one element",
        )
    out = resize(x, target, scales, method, align_corners, align_mode)
    return to_channel_last(out) if last else out


def _rule(inputs, attrs):
    x = inputs[0]
    last = is_channel_last(attrs["data_layout"])
    sizes = spatial_of(x.shape, last)
    if any(i is not None for i in inputs[1:]):
        target = [-1] * len(sizes)
    else:
        given = [attrs["out_d"], attrs["out_h"], attrs["out_w"]][3 - len(sizes) :]
        target = _target(sizes, None, None, None, attrs["scale"], given)[0]
    shape = (x.shape[0], *target, x.shape[-1]) if last else (*x.shape[:2], *target)
    return [Spec(shape, x.dtype)]


def _register(method: str, version: str) -> None:
    """Registers one method in the form of 1.x (one scale) or 2.0 (a scale per dimension)."""
    none: Any = () if version else 0.0

    def kernel(
        x, out_size, size_tensor, scale_tensor, *, data_layout="NCHW", out_d=0, out_h=0, out_w=0,
        scale=none, interp_method="bilinear", align_corners=True, align_mode=1,
    ):  # fmt: skip
        return run(
            x, out_size, size_tensor, scale_tensor, data_layout=data_layout, out_d=out_d,
            out_h=out_h, out_w=out_w, scale=scale, align_corners=align_corners,
            align_mode=align_mode,
        )  # fmt: skip

    run = partial(_kernel, method=method)
    slots = "X OutSize?~ SizeTensor*?~ Scale?~ -> Out"
    define(f"{method}_interp{version}", slots, kernel, infer=_rule)


for _method in _RANKS:
    _register(_method, "")
    _register(_method, "_v2")
