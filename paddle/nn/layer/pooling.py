"""Pooling layers: thin wrappers of the functions that remember their settings."""

from __future__ import annotations

from typing import Any

from paddle.core.tensor import Tensor
from paddle.nn.functional.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)
from paddle.nn.functional.window_args import integers, padding_of
from paddle.nn.layer.layers import Layer

__all__ = [
    "AdaptiveAvgPool1D",
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D",
    "AdaptiveMaxPool1D",
    "AdaptiveMaxPool2D",
    "AdaptiveMaxPool3D",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
]


class _Window(Layer):
    """Base of the pools over windows: settings and printing."""

    def __init__(self, rank: int, kernel_size: Any, stride: Any, padding: Any) -> None:
        super().__init__()
        api = type(self).__name__
        integers(api, "kernel_size", kernel_size, rank)
        if stride is not None:
            integers(api, "stride", stride, rank)
        if not (isinstance(padding, (list, tuple)) and padding and isinstance(padding[0], list)):
            padding_of(api, padding, rank, False)  # pairs depend on the layout: checked when used
        self.ksize, self.stride, self.padding = kernel_size, stride, padding

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


def _check_output_size(api: str, size: Any, rank: int) -> None:
    """Raises unless it is one number of windows or ``rank`` of them; None keeps a size."""
    if isinstance(size, (list, tuple)):
        size = [1 if n is None else n for n in size]
    if size is not None:
        integers(api, "output_size", size, rank)


class AvgPool1D(_Window):
    """Takes the mean of every window of sequences; see :func:`functional.avg_pool1d`.

    Args:
        kernel_size (int|list[int]): size of the window.
        stride (int|list[int]|None): step of the window; None means ``kernel_size``.
        padding (int|str|list): in the forms of :func:`functional.avg_pool1d`.
        exclusive (bool): padding does not count as elements.
        ceil_mode (bool): also windows that begin inside and end outside.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pool = paddle.nn.AvgPool1D(2, stride=2)
            print(pool(paddle.ones([2, 3, 8])).shape)  # [2, 3, 4]
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        exclusive: bool = True,
        ceil_mode: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(1, kernel_size, stride, padding)
        self.exclusive, self.ceil_mode = exclusive, ceil_mode

    def forward(self, x: Tensor) -> Tensor:
        """Pools ``x``, ``[N, C, L]``."""
        return avg_pool1d(x, self.ksize, self.stride, self.padding, self.exclusive, self.ceil_mode)


class MaxPool1D(_Window):
    """Takes the maximum of every window of sequences; see :func:`functional.max_pool1d`.

    Args:
        kernel_size (int|list[int]): size of the window.
        stride (int|list[int]|None): step of the window; None means ``kernel_size``.
        padding (int|str|list): in the forms of :func:`functional.max_pool1d`.
        return_mask (bool): also return where the maxima are.
        ceil_mode (bool): also windows that begin inside and end outside.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pool = paddle.nn.MaxPool1D(2, stride=2)
            print(pool(paddle.ones([2, 3, 8])).shape)  # [2, 3, 4]
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(1, kernel_size, stride, padding)
        self.return_mask, self.ceil_mode = return_mask, ceil_mode

    def forward(self, input: Tensor) -> Any:
        """Pools ``[N, C, L]``."""
        return max_pool1d(
            input, self.ksize, self.stride, self.padding, self.return_mask, self.ceil_mode
        )


class AvgPool2D(_Window):
    """Takes the mean of every window of images; see :func:`functional.avg_pool2d`.

    Args:
        kernel_size (int|list[int]): size of the window.
        stride (int|list[int]|None): step of the window; None means ``kernel_size``.
        padding (int|str|list): in the forms of :func:`functional.avg_pool2d`.
        ceil_mode (bool): also windows that begin inside and end outside.
        exclusive (bool): padding does not count as elements.
        divisor_override (int|float|None): divide by this instead of the size of the window.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pool = paddle.nn.AvgPool2D(2, stride=2)
            print(pool(paddle.ones([2, 3, 8, 8])).shape)  # [2, 3, 4, 4]
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        exclusive: bool = True,
        divisor_override: int | float | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__(2, kernel_size, stride, padding)
        self.ceil_mode, self.exclusive = ceil_mode, exclusive
        self.divisor, self.data_format = divisor_override, data_format

    def forward(self, x: Tensor) -> Tensor:
        """Pools ``x``, ``[N, C, H, W]`` or with channels last."""
        return avg_pool2d(
            x,
            self.ksize,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.exclusive,
            self.divisor,
            self.data_format,
        )


class MaxPool2D(_Window):
    """Takes the maximum of every window of images; see :func:`functional.max_pool2d`.

    Args:
        kernel_size (int|list[int]): size of the window.
        stride (int|list[int]|None): step of the window; None means ``kernel_size``.
        padding (int|str|list): in the forms of :func:`functional.max_pool2d`.
        return_mask (bool): also return where the maxima are.
        ceil_mode (bool): also windows that begin inside and end outside.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pool = paddle.nn.MaxPool2D(2, stride=2)
            print(pool(paddle.ones([2, 3, 8, 8])).shape)  # [2, 3, 4, 4]
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__(2, kernel_size, stride, padding)
        self.return_mask, self.ceil_mode = return_mask, ceil_mode
        self.data_format = data_format

    def forward(self, x: Tensor) -> Any:
        """Pools ``[N, C, H, W]`` or channels last."""
        return max_pool2d(
            x,
            self.ksize,
            self.stride,
            self.padding,
            self.return_mask,
            self.ceil_mode,
            self.data_format,
        )


class AvgPool3D(_Window):
    """Takes the mean of every window of volumes; see :func:`functional.avg_pool3d`.

    Args:
        kernel_size (int|list[int]): size of the window.
        stride (int|list[int]|None): step of the window; None means ``kernel_size``.
        padding (int|str|list): in the forms of :func:`functional.avg_pool3d`.
        ceil_mode (bool): also windows that begin inside and end outside.
        exclusive (bool): padding does not count as elements.
        divisor_override (int|float|None): divide by this instead of the size of the window.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pool = paddle.nn.AvgPool3D(2, stride=2)
            print(pool(paddle.ones([2, 3, 8, 8, 8])).shape)  # [2, 3, 4, 4, 4]
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        exclusive: bool = True,
        divisor_override: int | float | None = None,
        data_format: str = "NCDHW",
        name: str | None = None,
    ) -> None:
        super().__init__(3, kernel_size, stride, padding)
        self.ceil_mode, self.exclusive = ceil_mode, exclusive
        self.divisor, self.data_format = divisor_override, data_format

    def forward(self, x: Tensor) -> Tensor:
        """Pools ``x``, ``[N, C, D, H, W]`` or with channels last."""
        return avg_pool3d(
            x,
            self.ksize,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.exclusive,
            self.divisor,
            self.data_format,
        )


class MaxPool3D(_Window):
    """Takes the maximum of every window of volumes; see :func:`functional.max_pool3d`.

    Args:
        kernel_size (int|list[int]): size of the window.
        stride (int|list[int]|None): step of the window; None means ``kernel_size``.
        padding (int|str|list): in the forms of :func:`functional.max_pool3d`.
        return_mask (bool): also return where the maxima are.
        ceil_mode (bool): also windows that begin inside and end outside.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pool = paddle.nn.MaxPool3D(2, stride=2, padding=0)
            print(pool(paddle.ones([2, 3, 8, 8, 8])).shape)  # [2, 3, 4, 4, 4]
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCDHW",
        name: str | None = None,
    ) -> None:
        super().__init__(3, kernel_size, stride, padding)
        self.return_mask, self.ceil_mode = return_mask, ceil_mode
        self.data_format = data_format

    def forward(self, x: Tensor) -> Any:
        """Pools ``[N, C, D, H, W]`` or channels last."""
        return max_pool3d(
            x,
            self.ksize,
            self.stride,
            self.padding,
            self.return_mask,
            self.ceil_mode,
            self.data_format,
        )


class AdaptiveAvgPool1D(Layer):
    """Takes means over as many windows as asked for; see :func:`functional.adaptive_avg_pool1d`.

    Args:
        output_size (int|list[int]): number of windows.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pool = paddle.nn.AdaptiveAvgPool1D(4)
            print(pool(paddle.ones([2, 3, 8])).shape)  # [2, 3, 4]
    """

    def __init__(self, output_size: Any, name: str | None = None) -> None:
        super().__init__()
        _check_output_size(type(self).__name__, output_size, 1)
        self._output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Pools ``[N, C, L]``."""
        return adaptive_avg_pool1d(input, self._output_size)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"output_size={self._output_size}"


class AdaptiveMaxPool1D(Layer):
    """Takes maxima over as many windows as asked for; see :func:`functional.adaptive_max_pool1d`.

    Args:
        output_size (int|list[int]): number of windows.
        return_mask (bool): also return where the maxima are.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pool = paddle.nn.AdaptiveMaxPool1D(4)
            print(pool(paddle.ones([2, 3, 8])).shape)  # [2, 3, 4]
    """

    def __init__(
        self, output_size: Any, return_mask: bool = False, name: str | None = None
    ) -> None:
        super().__init__()
        _check_output_size(type(self).__name__, output_size, 1)
        self._output_size, self._return_mask = output_size, return_mask

    def forward(self, input: Tensor) -> Any:
        """Pools ``[N, C, L]``."""
        return adaptive_max_pool1d(input, self._output_size, self._return_mask)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


class AdaptiveAvgPool2D(Layer):
    """Takes means over as many windows as asked for; see :func:`functional.adaptive_avg_pool2d`.

    Args:
        output_size (int|list[int|None]): number of windows; None keeps the size.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pool = paddle.nn.AdaptiveAvgPool2D(4)
            print(pool(paddle.ones([2, 3, 8, 8])).shape)  # [2, 3, 4, 4]
    """

    def __init__(
        self, output_size: Any, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__()
        _check_output_size(type(self).__name__, output_size, 2)
        self._output_size = output_size
        self._data_format = data_format

    def forward(self, x: Tensor) -> Tensor:
        """Pools ``[N, C, H, W]`` or channels last."""
        return adaptive_avg_pool2d(x, self._output_size, self._data_format)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"output_size={self._output_size}"


class AdaptiveMaxPool2D(Layer):
    """Takes maxima over as many windows as asked for; see :func:`functional.adaptive_max_pool2d`.

    Args:
        output_size (int|list[int|None]): number of windows; None keeps the size.
        return_mask (bool): also return where the maxima are.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pool = paddle.nn.AdaptiveMaxPool2D(4)
            print(pool(paddle.ones([2, 3, 8, 8])).shape)  # [2, 3, 4, 4]
    """

    def __init__(
        self, output_size: Any, return_mask: bool = False, name: str | None = None
    ) -> None:
        super().__init__()
        _check_output_size(type(self).__name__, output_size, 2)
        self._output_size, self._return_mask = output_size, return_mask

    def forward(self, x: Tensor) -> Any:
        """Pools ``[N, C, H, W]``."""
        return adaptive_max_pool2d(x, self._output_size, self._return_mask)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


class AdaptiveAvgPool3D(Layer):
    """Takes means over as many windows as asked for; see :func:`functional.adaptive_avg_pool3d`.

    Args:
        output_size (int|list[int|None]): number of windows; None keeps the size.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pool = paddle.nn.AdaptiveAvgPool3D(4)
            print(pool(paddle.ones([2, 3, 8, 8, 8])).shape)  # [2, 3, 4, 4, 4]
    """

    def __init__(
        self, output_size: Any, data_format: str = "NCDHW", name: str | None = None
    ) -> None:
        super().__init__()
        _check_output_size(type(self).__name__, output_size, 3)
        self._output_size = output_size
        self._data_format = data_format

    def forward(self, x: Tensor) -> Tensor:
        """Pools ``[N, C, D, H, W]`` or channels last."""
        return adaptive_avg_pool3d(x, self._output_size, self._data_format)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"output_size={self._output_size}"


class AdaptiveMaxPool3D(Layer):
    """Takes maxima over as many windows as asked for; see :func:`functional.adaptive_max_pool3d`.

    Args:
        output_size (int|list[int|None]): number of windows; None keeps the size.
        return_mask (bool): also return where the maxima are.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            pool = paddle.nn.AdaptiveMaxPool3D(4)
            print(pool(paddle.ones([2, 3, 8, 8, 8])).shape)  # [2, 3, 4, 4, 4]
    """

    def __init__(
        self, output_size: Any, return_mask: bool = False, name: str | None = None
    ) -> None:
        super().__init__()
        _check_output_size(type(self).__name__, output_size, 3)
        self._output_size, self._return_mask = output_size, return_mask

    def forward(self, x: Tensor) -> Any:
        """Pools ``[N, C, D, H, W]``."""
        return adaptive_max_pool3d(x, self._output_size, self._return_mask)

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return f"output_size={self._output_size}, return_mask={self._return_mask}"
