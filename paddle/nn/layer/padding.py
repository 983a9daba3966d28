"""Padding layers."""

from __future__ import annotations

from typing import Any

from paddle.core.tensor import Tensor
from paddle.nn.functional.pad import pad
from paddle.nn.functional.window_args import integers
from paddle.nn.layer.layers import Layer

__all__ = ["Pad1D", "Pad2D", "Pad3D"]


class _PadNd(Layer):
    """What the padding layers have in common."""

    def __init__(self, rank: int, padding: Any, mode: str, value: float, data_format: str) -> None:
        super().__init__()
        if not isinstance(padding, (list, tuple)) and not hasattr(padding, "stop_gradient"):
            padding = integers(type(self).__name__, "padding", padding, 2 * rank, least=-(2**31))
        self._pad, self._mode, self._value = padding, mode, value
        self._data_format = data_format

    def forward(self, x: Tensor) -> Tensor:
        """Pads ``x``."""
        return pad(x, self._pad, self._mode, self._value, self._data_format)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return (
            f"padding={self._pad}, mode={self._mode}, value={self._value}, "
            f"data_format={self._data_format}"
        )


class Pad1D(_PadNd):
    """Adds elements around sequences; see :func:`functional.pad`.

    Args:
        padding (int|list[int]|Tensor): one number for all sides, or ``[left, right]``.
        mode (str): ``'constant'``, ``'reflect'``, ``'replicate'`` or ``'circular'``.
        value (float): what ``'constant'`` adds.
        data_format (str): ``'NCL'`` or ``'NLC'``.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pad = paddle.nn.Pad1D(1, mode="reflect")
            print(pad(paddle.ones([1, 2, 3])).shape)  # [1, 2, 5]
    """

    def __init__(
        self,
        padding: Any,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str = "NCL",
        name: str | None = None,
    ) -> None:
        super().__init__(1, padding, mode, value, data_format)


class Pad2D(_PadNd):
    """Adds elements around images; see :func:`functional.pad`.

    Args:
        padding (int|list[int]|Tensor): one number for all sides, or ``[left, right, top, bottom]``.
        mode (str): ``'constant'``, ``'reflect'``, ``'replicate'`` or ``'circular'``.
        value (float): what ``'constant'`` adds.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pad = paddle.nn.Pad2D(1, mode="reflect")
            print(pad(paddle.ones([1, 2, 3, 3])).shape)  # [1, 2, 5, 5]
    """

    def __init__(
        self,
        padding: Any,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__(2, padding, mode, value, data_format)


class Pad3D(_PadNd):
    """Adds elements around volumes; see :func:`functional.pad`.

    Args:
        padding (int|list[int]|Tensor): one number for all sides, or
            ``[left, right, top, bottom, front, back]``.
        mode (str): ``'constant'``, ``'reflect'``, ``'replicate'`` or ``'circular'``.
        value (float): what ``'constant'`` adds.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pad = paddle.nn.Pad3D(1, mode="reflect")
            print(pad(paddle.ones([1, 2, 3, 3, 3])).shape)  # [1, 2, 5, 5, 5]
    """

    def __init__(
        self,
        padding: Any,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str = "NCDHW",
        name: str | None = None,
    ) -> None:
        super().__init__(3, padding, mode, value, data_format)
