"""Layers that rearrange images."""

from __future__ import annotations

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.nn.functional.vision import pixel_shuffle
from paddle.nn.layer.layers import Layer

__all__ = ["PixelShuffle"]


class PixelShuffle(Layer):
    """Makes images larger by turning channels into pixels; see :func:`functional.pixel_shuffle`.

    Args:
        upscale_factor (int): how much larger height and width become.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            shuffle = paddle.nn.PixelShuffle(3)
            print(shuffle(paddle.ones([2, 9, 4, 4])).shape)  # [2, 1, 12, 12]
    """

    def __init__(
        self, upscale_factor: int, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__()
        if type(upscale_factor) is not int:
            raise TypeError(
                f"PixelShuffle(upscale_factor): expected an int, but received {upscale_factor!r}."
            )
        if data_format not in ("NCHW", "NHWC"):
            raise InvalidArgumentError(
                "PixelShuffle(data_format): expected 'NCHW' or 'NHWC', "
                f"but received {data_format!r}."
            )
        self._upscale_factor, self._data_format = upscale_factor, data_format

    def forward(self, x: Tensor) -> Tensor:
        """Shuffles ``x``."""
        return pixel_shuffle(x, self._upscale_factor, self._data_format)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        text = f"upscale_factor={self._upscale_factor}"
        return text if self._data_format == "NCHW" else f"{text}, data_format={self._data_format}"
