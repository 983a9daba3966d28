"""Patches, pixel shuffle, sampling grids and shifts in time."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.op import C
from paddle.nn.functional.window_args import check_input, integer, integers
from paddle.tensor.dims import is_variable

__all__ = ["affine_grid", "grid_sample", "pixel_shuffle", "temporal_shift", "unfold"]


def unfold(
    x: Any,
    kernel_sizes: Any,
    strides: Any = 1,
    paddings: Any = 0,
    dilations: Any = 1,
    name: str | None = None,
) -> Any:
    """Writes every patch of an image as a column.

    Args:
        x (Tensor): ``[N, C, H, W]``.
        kernel_sizes (int|list[int]): height and width of a patch.
        strides (int|list[int]): step between patches.
        paddings (int|list[int]): zeros around: one number, ``[h, w]`` or
            ``[top, left, bottom, right]``.
        dilations (int|list[int]): distance of the elements of a patch.
        name (str, optional): has no effect.

    Returns:
        Tensor: ``[N, C * patch height * patch width, number of patches]``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.arange(4, dtype="float32").reshape([1, 1, 2, 2])
            print(F.unfold(x, [1, 2]).numpy())  # [[[0. 2.] [1. 3.]]]
    """
    check_input("unfold", "x", x, 4)
    if isinstance(paddings, (list, tuple)) and len(paddings) == 4:
        around = integers("unfold", "paddings", paddings, 4, least=0)
    else:
        around = integers("unfold", "paddings", paddings, 2, least=0) * 2
    return C.unfold(
        x,
        kernel_sizes=integers("unfold", "kernel_sizes", kernel_sizes, 2),
        strides=integers("unfold", "strides", strides, 2),
        paddings=around,
        dilations=integers("unfold", "dilations", dilations, 2),
    )


def pixel_shuffle(
    x: Any, upscale_factor: int, data_format: str = "NCHW", name: str | None = None
) -> Any:
    """Makes an image larger by turning channels into pixels.

    Args:
        x (Tensor): ``[N, C, H, W]`` or ``[N, H, W, C]``; C a multiple of the factor's square.
        upscale_factor (int): how much larger height and width become.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor: ``[N, C / factor ** 2, H * factor, W * factor]`` or with channels last.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.arange(4, dtype="float32").reshape([1, 4, 1, 1])
            print(F.pixel_shuffle(x, 2).numpy())  # [[[[0. 1.] [2. 3.]]]]
    """
    if type(upscale_factor) is not int:
        raise TypeError(
            f"pixel_shuffle(upscale_factor): expected an int, but received {upscale_factor!r}."
        )
    if data_format not in ("NCHW", "NHWC"):
        raise InvalidArgumentError(
            f"pixel_shuffle(data_format): expected 'NCHW' or 'NHWC', but received {data_format!r}."
        )
    return C.pixel_shuffle(x, upscale_factor=upscale_factor, data_format=data_format)


def grid_sample(
    x: Any,
    grid: Any,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = True,
    name: str | None = None,
) -> Any:
    """Samples images at given points.

    Args:
        x (Tensor): ``[N, C, H, W]``.
        grid (Tensor): ``[N, H_out, W_out, 2]``: for each output element x and y in [-1, 1], where
            (-1, -1) is the upper left corner.
        mode (str): ``'bilinear'`` or ``'nearest'``.
        padding_mode (str): what lies outside: ``'zeros'``, ``'border'`` (the nearest pixel) or
            ``'reflection'``.
        align_corners (bool): whether -1 and 1 mean the centres of the corner pixels, or their
            outer edges.
        name (str, optional): has no effect.

    Returns:
        Tensor: ``[N, C, H_out, W_out]``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.to_tensor([[[[1.0, 3.0]]]])
            grid = paddle.to_tensor([[[[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]]])
            print(F.grid_sample(x, grid).numpy())  # [[[[1. 2. 3.]]]]
    """
    if mode not in ("bilinear", "nearest"):
        raise InvalidArgumentError(
            f"grid_sample(mode): expected 'bilinear' or 'nearest', but received {mode!r}."
        )
    if padding_mode not in ("zeros", "border", "reflection"):
        raise InvalidArgumentError(
            "grid_sample(padding_mode): expected 'zeros', 'border' or 'reflection', "
            f"but received {padding_mode!r}."
        )
    if not isinstance(align_corners, bool):
        raise TypeError(
            f"grid_sample(align_corners): expected a bool, but received {align_corners!r}."
        )
    return C.grid_sampler(
        x, grid, mode=mode, padding_mode=padding_mode, align_corners=align_corners
    )


def affine_grid(
    theta: Any, out_shape: Any, align_corners: bool = True, name: str | None = None
) -> Any:
    """Makes the grid for :func:`grid_sample` that applies affine maps.

    Args:
        theta (Tensor): ``[N, 2, 3]``: maps output positions to input positions.
        out_shape (list[int]|tuple[int]|Tensor): ``[N, C, H, W]`` of the wanted image.
        align_corners (bool): as in :func:`grid_sample`.
        name (str, optional): has no effect.

    Returns:
        Tensor: ``[N, H, W, 2]``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            theta = paddle.to_tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
            print(F.affine_grid(theta, [1, 1, 1, 2]).numpy())  # [[[[-1.  0.] [ 1.  0.]]]]
    """
    if not isinstance(out_shape, (list, tuple)) and not hasattr(out_shape, "stop_gradient"):
        raise TypeError(
            "affine_grid(out_shape): expected a list, a tuple or a Tensor, "
            f"but received {out_shape!r}."
        )
    if is_variable(out_shape):
        return C.affine_grid(theta, out_shape, align_corners=bool(align_corners))
    shape = integers("affine_grid", "out_shape", out_shape, 4)
    return C.affine_grid(theta, output_shape=shape, align_corners=bool(align_corners))


def temporal_shift(x: Any, seg_num: int, shift_ratio: float = 0.25, name: str | None = None) -> Any:
    """Shifts some channels of a video by a frame: forward, backward, and the others not.

    Args:
        x (Tensor): ``[N * seg_num, C, H, W]``.
        seg_num (int): number of frames.
        shift_ratio (float): the first ``C * shift_ratio`` channels come from the frame before, as
            many more from the one behind; in (0, 0.5). Beyond the first and last frame are zeros.
        name (str, optional): has no effect.

    Returns:
        Tensor: of ``x``'s shape.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.arange(8, dtype="float32").reshape([2, 4, 1, 1])
            print(F.temporal_shift(x, 2).numpy()[:, :, 0, 0].tolist())
            # [[0.0, 5.0, 2.0, 3.0], [0.0, 0.0, 6.0, 7.0]]
    """
    if not 0 < shift_ratio <= 0.5:
        raise InvalidArgumentError(
            "temporal_shift(shift_ratio): expected a number in (0, 0.5], "
            f"but received {shift_ratio}."
        )
    seg_num = integer("temporal_shift", "seg_num", seg_num)
    return C.temporal_shift(x, seg_num=seg_num, shift_ratio=float(shift_ratio))


guard_module(globals(), checks=False)
