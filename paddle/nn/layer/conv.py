"""Convolution layers and their transposed forms."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.nn.functional.conv import (
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
)
from paddle.nn.functional.pad import pad
from paddle.nn.functional.window_args import both_sides, channel_last, integers, padding_of
from paddle.nn.initializer import Normal
from paddle.nn.layer.layers import Layer

__all__ = ["Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose"]

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Layer):
    """What all convolution layers have in common: arguments, parameters, printing."""

    def __init__(
        self,
        rank: int,
        transposed: bool,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        padding_mode: str,
        output_padding: Any,
        dilation: Any,
        groups: int,
        weight_attr: Any,
        bias_attr: Any,
        data_format: str,
    ) -> None:
        super().__init__()
        api = type(self).__name__
        last = channel_last(api, data_format, rank)
        _check_channels(api, in_channels, out_channels, groups)
        if padding_mode not in _PADDING_MODES:
            raise InvalidArgumentError(
                f"{api}(padding_mode): expected one of {list(_PADDING_MODES)}, "
                f"but received {padding_mode!r}."
            )
        self._in_channels, self._out_channels = in_channels, out_channels
        self._groups, self._data_format = groups, data_format
        self._param_attr, self._bias_attr = weight_attr, bias_attr
        self._kernel_size = integers(api, "kernel_size", kernel_size, rank)
        self._stride = integers(api, "stride", stride, rank)
        self._dilation = integers(api, "dilation", dilation, rank)
        self._padding, self._padding_mode = padding, padding_mode
        integers(api, "output_padding", output_padding, rank, least=0)
        self.output_padding = output_padding
        paddings, algorithm = padding_of(api, padding, rank, last)
        self._margins: list[int] | None = None
        if padding_mode != "zeros":
            if algorithm != "EXPLICIT":
                raise TypeError(
                    f"{api}(padding): expected integers for padding_mode {padding_mode!r}, "
                    f"but received {padding!r}."
                )
            pairs = both_sides(paddings, rank)
            # functional.pad takes the last dimension first
            self._margins = [n for i in reversed(range(rank)) for n in pairs[2 * i : 2 * i + 2]]
        if transposed:
            shape = [in_channels, out_channels // groups, *self._kernel_size]
            first = None
        else:
            shape = [out_channels, in_channels // groups, *self._kernel_size]
            elements = in_channels
            for k in self._kernel_size:
                elements *= k
            first = Normal(0.0, (2.0 / elements) ** 0.5)
        self.weight = self.create_parameter(
            shape=shape, attr=weight_attr, default_initializer=first
        )
        self.bias = self.create_parameter(shape=[out_channels], attr=bias_attr, is_bias=True)

    def _padded(self, x: Tensor) -> tuple[Tensor, Any]:
        """Returns the input after padding that is not by zeros, and what is left to pad."""
        if self._margins is None:
            return x, self._padding
        return pad(x, self._margins, mode=self._padding_mode, data_format=self._data_format), 0

    def extra_repr(self) -> str:
        """The settings that differ from the usual ones, for printing."""
        rank = len(self._kernel_size)
        text = f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"
        if self._stride != [1] * rank:
            text += f", stride={self._stride}"
        if self._padding != 0:
            text += f", padding={self._padding}"
        if self._padding_mode != "zeros":
            text += f", padding_mode={self._padding_mode}"
        if self.output_padding != 0:
            text += f", output_padding={self.output_padding}"
        if self._dilation != [1] * rank:
            text += f", dilation={self._dilation}"
        if self._groups != 1:
            text += f", groups={self._groups}"
        return text + f", data_format={self._data_format}"


def _check_channels(api: str, in_channels: Any, out_channels: Any, groups: Any) -> None:
    for name, value in (
        ("in_channels", in_channels),
        ("out_channels", out_channels),
        ("groups", groups),
    ):
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"{api}({name}): expected an int, but received {value!r}.")
        if value < 1:
            raise InvalidArgumentError(
                f"{api}({name}): expected a positive int, but received {value}."
            )
    if in_channels % groups or out_channels % groups:
        raise InvalidArgumentError(
            f"{api}: expected in_channels and out_channels to be multiples of groups = {groups}, "
            f"but received {in_channels} and {out_channels}."
        )


class Conv1D(_ConvNd):
    """Convolution of sequences with filters that are learned; see :func:`functional.conv1d`.

    Args:
        in_channels (int): channels of the input.
        out_channels (int): number of filters.
        kernel_size (int|list[int]): size of the filters.
        stride (int|list[int]): step of the window.
        padding (int|str|list): in the forms of :func:`functional.conv1d`.
        dilation (int|list[int]): distance of the elements of a window.
        groups (int): number of groups of channels.
        padding_mode (str): what is added around: ``'zeros'``, ``'reflect'``, ``'replicate'`` or
            ``'circular'``.
        weight_attr (ParamAttr|None): of the filters; first drawn from a normal distribution with
            variance ``2 / (in_channels * elements of the kernel)``.
        bias_attr (ParamAttr|bool|None): of the bias, first 0; False means none.
        data_format (str): ``'NCL'`` or ``'NLC'``.

    Attributes:
        weight (Parameter): ``[out_channels, in_channels / groups, kernel]``.
        bias (Parameter|None): ``[out_channels]``.

    Examples:
        .. code-block:: python

            import paddle
            conv = paddle.nn.Conv1D(3, 6, 3, padding=1)
            print(conv(paddle.ones([1, 3, 8])).shape)  # [1, 6, 8]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCL",
    ) -> None:
        super().__init__(
            1, False, in_channels, out_channels, kernel_size, stride, padding, padding_mode, 0,
            dilation, groups, weight_attr, bias_attr, data_format,
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        """Convolves ``x``, ``[N, C, L]`` or with channels last."""
        x, padding = self._padded(x)
        return conv1d(
            x, self.weight, self.bias, self._stride, padding, self._dilation, self._groups,
            self._data_format,
        )  # fmt: skip


class Conv2D(_ConvNd):
    """Convolution of images with filters that are learned; see :func:`functional.conv2d`.

    Args:
        in_channels (int): channels of the input.
        out_channels (int): number of filters.
        kernel_size (int|list[int]): size of the filters.
        stride (int|list[int]): step of the window.
        padding (int|str|list): in the forms of :func:`functional.conv2d`.
        dilation (int|list[int]): distance of the elements of a window.
        groups (int): number of groups of channels.
        padding_mode (str): what is added around: ``'zeros'``, ``'reflect'``, ``'replicate'`` or
            ``'circular'``.
        weight_attr (ParamAttr|None): of the filters; first drawn from a normal distribution with
            variance ``2 / (in_channels * elements of the kernel)``.
        bias_attr (ParamAttr|bool|None): of the bias, first 0; False means none.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.

    Attributes:
        weight (Parameter): ``[out_channels, in_channels / groups, kernel height, kernel width]``.
        bias (Parameter|None): ``[out_channels]``.

    Examples:
        .. code-block:: python

            import paddle
            conv = paddle.nn.Conv2D(3, 6, 3, padding=1)
            print(conv(paddle.ones([1, 3, 8, 8])).shape)  # [1, 6, 8, 8]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(
            2, False, in_channels, out_channels, kernel_size, stride, padding, padding_mode, 0,
            dilation, groups, weight_attr, bias_attr, data_format,
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        """Convolves ``x``, ``[N, C, H, W]`` or with channels last."""
        x, padding = self._padded(x)
        return conv2d(
            x, self.weight, self.bias, self._stride, padding, self._dilation, self._groups,
            self._data_format,
        )  # fmt: skip


class Conv3D(_ConvNd):
    """Convolution of volumes with filters that are learned; see :func:`functional.conv3d`.

    Args:
        in_channels (int): channels of the input.
        out_channels (int): number of filters.
        kernel_size (int|list[int]): size of the filters.
        stride (int|list[int]): step of the window.
        padding (int|str|list): in the forms of :func:`functional.conv3d`.
        dilation (int|list[int]): distance of the elements of a window.
        groups (int): number of groups of channels.
        padding_mode (str): what is added around: ``'zeros'``, ``'reflect'``, ``'replicate'`` or
            ``'circular'``.
        weight_attr (ParamAttr|None): of the filters; first drawn from a normal distribution with
            variance ``2 / (in_channels * elements of the kernel)``.
        bias_attr (ParamAttr|bool|None): of the bias, first 0; False means none.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``.

    Attributes:
        weight (Parameter): ``[out_channels, in_channels / groups, kernel depth, height, width]``.
        bias (Parameter|None): ``[out_channels]``.

    Examples:
        .. code-block:: python

            import paddle
            conv = paddle.nn.Conv3D(3, 6, 3, padding=1)
            print(conv(paddle.ones([1, 3, 8, 8, 8])).shape)  # [1, 6, 8, 8, 8]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCDHW",
    ) -> None:
        super().__init__(
            3, False, in_channels, out_channels, kernel_size, stride, padding, padding_mode, 0,
            dilation, groups, weight_attr, bias_attr, data_format,
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        """Convolves ``x``, ``[N, C, D, H, W]`` or with channels last."""
        x, padding = self._padded(x)
        return conv3d(
            x, self.weight, self.bias, self._stride, padding, self._dilation, self._groups,
            self._data_format,
        )  # fmt: skip


class Conv1DTranspose(_ConvNd):
    """Transposed convolution of sequences; see :func:`functional.conv1d_transpose`.

    Args:
        in_channels (int): channels of the input.
        out_channels (int): channels of the output.
        kernel_size (int|list[int]): size of the filters.
        stride (int|list[int]): step in the output.
        padding (int|str|list): what is cut off, in the forms of :func:`functional.conv1d`.
        output_padding (int|list[int]): elements added behind.
        groups (int): number of groups of channels.
        dilation (int|list[int]): distance of the elements of a filter.
        weight_attr (ParamAttr|None): of the filters; first drawn by XavierUniform.
        bias_attr (ParamAttr|bool|None): of the bias, first 0; False means none.
        data_format (str): ``'NCL'`` or ``'NLC'``.

    Attributes:
        weight (Parameter): ``[in_channels, out_channels / groups, kernel]``.
        bias (Parameter|None): ``[out_channels]``.

    Examples:
        .. code-block:: python

            import paddle
            conv = paddle.nn.Conv1DTranspose(3, 2, 2, stride=2)
            print(conv(paddle.ones([1, 3, 4])).shape)  # [1, 2, 8]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCL",
    ) -> None:
        super().__init__(
            1, True, in_channels, out_channels, kernel_size, stride, padding, "zeros",
            output_padding, dilation, groups, weight_attr, bias_attr, data_format,
        )  # fmt: skip

    def forward(self, x: Tensor, output_size: Any = None) -> Tensor:
        """Convolves ``x``; ``output_size`` says the spatial size instead of output_padding."""
        return conv1d_transpose(
            x, self.weight, self.bias, self._stride, self._padding,
            0 if output_size is not None else self.output_padding,
            dilation=self._dilation, groups=self._groups, output_size=output_size,
            data_format=self._data_format,
        )  # fmt: skip


class Conv2DTranspose(_ConvNd):
    """Transposed convolution of images; see :func:`functional.conv2d_transpose`.

    Args:
        in_channels (int): channels of the input.
        out_channels (int): channels of the output.
        kernel_size (int|list[int]): size of the filters.
        stride (int|list[int]): step in the output.
        padding (int|str|list): what is cut off, in the forms of :func:`functional.conv2d`.
        output_padding (int|list[int]): elements added behind.
        dilation (int|list[int]): distance of the elements of a filter.
        groups (int): number of groups of channels.
        weight_attr (ParamAttr|None): of the filters; first drawn by XavierUniform.
        bias_attr (ParamAttr|bool|None): of the bias, first 0; False means none.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.

    Attributes:
        weight (Parameter): ``[in_channels, out_channels / groups, kernel height, kernel width]``.
        bias (Parameter|None): ``[out_channels]``.

    Examples:
        .. code-block:: python

            import paddle
            conv = paddle.nn.Conv2DTranspose(3, 2, 2, stride=2)
            print(conv(paddle.ones([1, 3, 4, 4])).shape)  # [1, 2, 8, 8]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(
            2, True, in_channels, out_channels, kernel_size, stride, padding, "zeros",
            output_padding, dilation, groups, weight_attr, bias_attr, data_format,
        )  # fmt: skip

    def forward(self, x: Tensor, output_size: Any = None) -> Tensor:
        """Convolves ``x``; ``output_size`` says the spatial size instead of output_padding."""
        return conv2d_transpose(
            x, self.weight, self.bias, self._stride, self._padding,
            0 if output_size is not None else self.output_padding,
            dilation=self._dilation, groups=self._groups, output_size=output_size,
            data_format=self._data_format,
        )  # fmt: skip


class Conv3DTranspose(_ConvNd):
    """Transposed convolution of volumes; see :func:`functional.conv3d_transpose`.

    Args:
        in_channels (int): channels of the input.
        out_channels (int): channels of the output.
        kernel_size (int|list[int]): size of the filters.
        stride (int|list[int]): step in the output.
        padding (int|str|list): what is cut off, in the forms of :func:`functional.conv3d`.
        output_padding (int|list[int]): elements added behind.
        dilation (int|list[int]): distance of the elements of a filter.
        groups (int): number of groups of channels.
        weight_attr (ParamAttr|None): of the filters; first drawn by XavierUniform.
        bias_attr (ParamAttr|bool|None): of the bias, first 0; False means none.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``.

    Attributes:
        weight (Parameter): ``[in_channels, out_channels / groups, kernel depth, height, width]``.
        bias (Parameter|None): ``[out_channels]``.

    Examples:
        .. code-block:: python

            import paddle
            conv = paddle.nn.Conv3DTranspose(3, 2, 2, stride=2)
            print(conv(paddle.ones([1, 3, 4, 4, 4])).shape)  # [1, 2, 8, 8, 8]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCDHW",
    ) -> None:
        super().__init__(
            3, True, in_channels, out_channels, kernel_size, stride, padding, "zeros",
            output_padding, dilation, groups, weight_attr, bias_attr, data_format,
        )  # fmt: skip

    def forward(self, x: Tensor, output_size: Any = None) -> Tensor:
        """Convolves ``x``; ``output_size`` says the spatial size instead of output_padding."""
        return conv3d_transpose(
            x, self.weight, self.bias, self._stride, self._padding,
            0 if output_size is not None else self.output_padding,
            dilation=self._dilation, groups=self._groups, output_size=output_size,
            data_format=self._data_format,
        )  # fmt: skip
