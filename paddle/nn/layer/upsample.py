"""Layers that resize their input."""

from __future__ import annotations

from typing import Any

from paddle.core.tensor import Tensor
from paddle.nn.functional.interpolate import interpolate
from paddle.nn.layer.layers import Layer

__all__ = ["Upsample", "UpsamplingBilinear2D", "UpsamplingNearest2D"]


class Upsample(Layer):
    """Resizes the spatial dimensions; see :func:`functional.interpolate`.

    Args:
        size (list[int]|tuple|Tensor|None): the spatial sizes of the result.
        scale_factor (float|list|tuple|Tensor|None): factors, instead of ``size``.
        mode (str): ``'nearest'``, ``'linear'``, ``'bilinear'``, ``'bicubic'``, ``'trilinear'`` or
            ``'area'``.
        align_corners (bool): whether the corners' centres meet.
        align_mode (int): 0 or 1, for the linear modes without ``align_corners``.
        data_format (str): says whether channels come first or last.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            up = paddle.nn.Upsample(size=[6, 8], mode="bilinear")
            print(up(paddle.ones([1, 2, 3, 4])).shape)  # [1, 2, 6, 8]
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool = False,
        align_mode: int = 0,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.size, self.scale_factor = size, scale_factor
        self.mode, self.align_corners, self.align_mode = mode.lower(), align_corners, align_mode
        self.data_format = data_format

    def forward(self, x: Tensor) -> Tensor:
        """Resizes ``x``."""
        return interpolate(
            x, self.size, self.scale_factor, self.mode, self.align_corners, self.align_mode,
            self.data_format,
        )  # fmt: skip

    def _amount(self) -> str:
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor}"
        return f"size={self.size}"

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return (
            f"{self._amount()}, mode={self.mode}, align_corners={self.align_corners}, "
            f"align_mode={self.align_mode}, data_format={self.data_format}"
        )


class _Upsampling2D(Upsample):
    """Resizes images in one mode."""

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"{self._amount()}, data_format={self.data_format}"


class UpsamplingNearest2D(_Upsampling2D):
    """Resizes images by taking the nearest pixel.

    Args:
        size (list[int]|tuple|Tensor|None): height and width of the result.
        scale_factor (float|list|tuple|Tensor|None): factors, instead of ``size``.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            up = paddle.nn.UpsamplingNearest2D(scale_factor=2)
            print(up(paddle.to_tensor([[[[1.0, 2.0]]]])).numpy())
            # [[[[1. 1. 2. 2.] [1. 1. 2. 2.]]]]
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__(size, scale_factor, "nearest", False, 0, data_format)


class UpsamplingBilinear2D(_Upsampling2D):
    """Resizes images by bilinear interpolation with the corners aligned.

    Args:
        size (list[int]|tuple|Tensor|None): height and width of the result.
        scale_factor (float|list|tuple|Tensor|None): factors, instead of ``size``.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            up = paddle.nn.UpsamplingBilinear2D(size=[1, 3])
            print(up(paddle.to_tensor([[[[1.0, 3.0]]]])).numpy())  # [[[[1. 2. 3.]]]]
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__(size, scale_factor, "bilinear", True, 0, data_format)
