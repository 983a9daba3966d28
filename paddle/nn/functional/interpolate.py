"""Resizing of sequences, images and volumes."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError, UnimplementedError, check_tensors
from paddle.core.guards import guard_module
from paddle.core.op import C
from paddle.nn.functional.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
)
from paddle.nn.functional.window_args import integer, integers
from paddle.tensor.dims import is_variable, read_dims

__all__ = ["interpolate", "upsample"]

_RANKS = {
    "linear": (1,),
    "bilinear": (2,),
    "bicubic": (2,),
    "trilinear": (3,),
    "nearest": (2, 3),
    "area": (1, 2, 3),
}
_FIRST = frozenset(["NCW", "NCL", "NCHW", "NCDHW"])
_LAST = frozenset(["NWC", "NLC", "NHWC", "NDHWC"])


def interpolate(
    x: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Resizes the spatial dimensions to ``size``, or by ``scale_factor``.

    Position :math:`i` of the result is computed at :math:`i (n - 1) / (m - 1)` of the input with
    ``align_corners``, else at :math:`(i + 0.5) n / m - 0.5` with ``align_mode`` 0 and at
    :math:`i n / m` with 1, for :math:`n` elements that become :math:`m`.

    Args:
        x (Tensor): ``[N, C, W]``, ``[N, C, H, W]``, ``[N, C, D, H, W]`` or with channels last.
        size (list[int|Tensor]|tuple|Tensor|None): the spatial sizes of the result.
        scale_factor (float|int|list|tuple|Tensor|None): one factor, or one for each spatial
            dimension. Just one of size and scale_factor is to be given.
        mode (str): ``'nearest'`` (4 or 5 dimensions), ``'linear'`` (3), ``'bilinear'`` and
            ``'bicubic'`` (4), ``'trilinear'`` (5), ``'area'`` (3 to 5: the mean of what falls on an
            element).
        align_corners (bool): whether the corners' centres meet; not with ``'nearest'``.
        align_mode (int): 0 or 1, for the linear modes without ``align_corners``.
        data_format (str): says whether channels come first (``'NCW'``, ``'NCHW'``, ``'NCDHW'``) or
            last (``'NWC'``, ``'NHWC'``, ``'NDHWC'``).
        name (str, optional): has no effect.

    Returns:
        Tensor: the resized ``x``.

    Raises:
        ValueError: mode, data_format, size or scale_factor do not fit.
        TypeError: size is no list, tuple or Tensor.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.to_tensor([[[[1.0, 3.0]]]])
            print(F.interpolate(x, scale_factor=2).numpy())  # [[[[1. 1. 3. 3.] [1. 1. 3. 3.]]]]
            print(F.interpolate(x, [1, 3], mode="bilinear", align_corners=True).numpy())
            # [[[[1. 2. 3.]]]]
    """
    mode = mode.lower() if isinstance(mode, str) else mode
    _check(x, mode, align_corners, align_mode, data_format)
    if (size is None) == (scale_factor is None):
        raise InvalidArgumentError(
            "interpolate: expected one of size and scale_factor, but received "
            f"size = {size!r} and scale_factor = {scale_factor!r}."
        )
    rank = len(x.shape) - 2
    last = data_format in _LAST
    if mode == "area":
        given = list(size) if isinstance(size, (list, tuple)) else [size]
        if any(is_variable(v) for v in (*given, scale_factor)):
            raise UnimplementedError(
                "interpolate(mode='area'): size and scale_factor cannot be Variables, since the "
                "pooling that does it takes numbers only.",
                hint="give numbers, or use another mode",
            )
        return _area(x, size, scale_factor, rank, last)
    attrs: dict[str, Any] = {}
    tensors: list[Any] = [None, None, None]  # sizes as one Variable, as a list of them, scales
    if is_variable(scale_factor):
        tensors[2] = scale_factor
    elif is_variable(size) or (isinstance(size, (list, tuple)) and any(map(is_variable, size))):
        _, tensors[0], tensors[1] = read_dims(size, "interpolate", "size")
    elif size is not None:
        names = ["out_d", "out_h", "out_w"][3 - rank :]
        attrs.update(zip(names, _sizes(size, rank)))
    else:
        attrs["scale"] = _scales(scale_factor, rank)
    return getattr(C, f"{mode}_interp_v2")(
        x,
        *tensors,
        **attrs,
        interp_method=mode,
        align_corners=bool(align_corners),
        align_mode=align_mode,
        data_layout="NHWC" if last else "NCHW",
    )


def _check(x: Any, mode: Any, align_corners: bool, align_mode: int, data_format: str) -> None:
    if mode not in _RANKS:
        raise InvalidArgumentError(
            f"interpolate(mode): expected one of {list(_RANKS)}, but received {mode!r}."
        )
    check_tensors("interpolate", x=x)
    if len(x.shape) - 2 not in _RANKS[mode]:
        ranks = " or ".join(str(r + 2) for r in _RANKS[mode])
        raise InvalidArgumentError(
            f"interpolate(x): expected {ranks} dimensions for mode {mode!r}, "
            f"but received shape {x.shape}."
        )
    if data_format not in _FIRST and data_format not in _LAST:
        raise InvalidArgumentError(
            f"interpolate(data_format): expected one of {sorted(_FIRST | _LAST)}, "
            f"but received {data_format!r}."
        )
    if align_corners and mode in ("nearest", "area"):
        raise InvalidArgumentError(
            f"interpolate(align_corners): expected False for mode {mode!r}, but received True."
        )
    if align_mode not in (0, 1):
        raise InvalidArgumentError(
            f"interpolate(align_mode): expected 0 or 1, but received {align_mode!r}."
        )


def _sizes(size: Any, rank: int) -> list[int]:
    if not isinstance(size, (list, tuple)) and not hasattr(size, "stop_gradient"):
        raise TypeError(
            f"interpolate(size): expected a list, a tuple or a Tensor, but received {size!r}."
        )
    given = size.tolist() if hasattr(size, "stop_gradient") else size
    listed = [integer("interpolate", "size", n) for n in given]
    if len(listed) != rank:
        raise InvalidArgumentError(
            f"interpolate(size): expected {rank} integers, but received {listed}."
        )
    return integers("interpolate", "size", listed, rank)


def _scales(scale: Any, rank: int) -> list[float]:
    if hasattr(scale, "stop_gradient"):
        scale = scale.tolist()
    listed = list(scale) if isinstance(scale, (list, tuple)) else [scale]
    try:
        numbers = [float(s) for s in listed]
    except (TypeError, ValueError):
        raise TypeError(
            "interpolate(scale_factor): expected a number, a list of them or a Tensor, "
            f"but received {type(scale).__name__} {scale!r}."
        ) from None
    if len(numbers) == 1:
        numbers = numbers * rank
    if len(numbers) != rank or min(numbers) <= 0:
        raise InvalidArgumentError(
            f"interpolate(scale_factor): expected one or {rank} positive numbers, "
            f"but received {scale!r}."
        )
    return numbers


def _area(x: Any, size: Any, scale_factor: Any, rank: int, last: bool) -> Any:
    """Means of the parts of the input that fall on each element."""
    if size is not None:
        target = _sizes(size, rank)
    else:
        spatial = x.shape[1:-1] if last else x.shape[2:]
        target = [int(n * s) for n, s in zip(spatial, _scales(scale_factor, rank))]
    if rank == 1:
        if last:
            moved = adaptive_avg_pool1d(C.transpose2(x, axis=[0, 2, 1])[0], target)
            return C.transpose2(moved, axis=[0, 2, 1])[0]
        return adaptive_avg_pool1d(x, target)
    if rank == 2:
        return adaptive_avg_pool2d(x, target, "NHWC" if last else "NCHW")
    return adaptive_avg_pool3d(x, target, "NDHWC" if last else "NCDHW")


def upsample(
    x: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Resizes the spatial dimensions; another name of :func:`interpolate`.

    Args:
        x (Tensor): ``[N, C, W]``, ``[N, C, H, W]``, ``[N, C, D, H, W]`` or with channels last.
        size (list[int]|tuple|Tensor|None): the spatial sizes of the result.
        scale_factor (float|list|Tensor|None): factors, instead of ``size``.
        mode (str): see :func:`interpolate`.
        align_corners (bool): see :func:`interpolate`.
        align_mode (int): see :func:`interpolate`.
        data_format (str): see :func:`interpolate`.
        name (str, optional): has no effect.

    Returns:
        Tensor: the resized ``x``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            print(F.upsample(paddle.ones([1, 2, 3, 4]), scale_factor=2).shape)  # [1, 2, 6, 8]
    """
    return interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format)


guard_module(globals(), checks=False)
