"""Convolutions of 1.x dygraph: 2.0's, with ``act=`` and the arguments of 1.x."""

from __future__ import annotations

from typing import Any

from paddle.fluid.dygraph.made import activation, applied, parameters_of
from paddle.nn.layer import conv

__all__ = ["Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose"]


class Conv2D(conv.Conv2D):
    """Convolves images, ``[N, C, H, W]``.

    Args:
        num_channels (int): channels of the input.
        num_filters (int): channels of the result.
        filter_size (int|tuple[int]): height and width of the filter.
        stride (int|tuple[int]): Default: 1.
        padding (int|tuple[int]): zeros on both sides. Default: 0.
        dilation (int|tuple[int]): Default: 1.
        groups (int, optional): None means 1.
        param_attr (ParamAttr, optional): of the filter, Normal(0, sqrt(2 / fan in)) by default.
        bias_attr (ParamAttr|bool, optional): of the bias; False means none.
        use_cudnn (bool): changes nothing.
        act (str, optional): the activation.
        dtype (str): of the parameters. Default: float32.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                conv = fluid.dygraph.Conv2D(3, 2, 3, act="relu")
                x = fluid.dygraph.to_variable(np.ones([1, 3, 5, 5], "float32"))
                print(conv(x).shape)  # [1, 2, 3, 3]
    """

    def __init__(
        self, num_channels: int, num_filters: int, filter_size: Any, stride: Any = 1,
        padding: Any = 0, dilation: Any = 1, groups: int | None = None, param_attr: Any = None,
        bias_attr: Any = None, use_cudnn: bool = True, act: Any = None, dtype: Any = "float32",
    ) -> None:  # fmt: skip
        with parameters_of(dtype):
            super().__init__(
                num_channels, num_filters, filter_size, stride, padding, dilation, groups or 1,
                weight_attr=param_attr, bias_attr=bias_attr,
            )  # fmt: skip
        _keep(self, num_channels, num_filters, filter_size, act)

    def forward(self, input: Any) -> Any:
        """Convolves ``input`` and applies the activation."""
        return applied(self._function, super().forward(input))


class Conv3D(conv.Conv3D):
    """Convolves volumes, ``[N, C, D, H, W]``.

    Args:
        num_channels (int): channels of the input.
        num_filters (int): channels of the result.
        filter_size (int|tuple[int]): sizes of the filter.
        stride (int|tuple[int]): Default: 1.
        padding (int|tuple[int]): zeros on both sides. Default: 0.
        dilation (int|tuple[int]): Default: 1.
        groups (int, optional): None means 1.
        param_attr (ParamAttr, optional): of the filter, Normal(0, sqrt(2 / fan in)) by default.
        bias_attr (ParamAttr|bool, optional): of the bias; False means none.
        use_cudnn (bool): changes nothing.
        act (str, optional): the activation.
        dtype (str): of the parameters. Default: float32.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                conv = fluid.dygraph.Conv3D(1, 2, 2)
                x = fluid.dygraph.to_variable(np.ones([1, 1, 3, 3, 3], "float32"))
                print(conv(x).shape)  # [1, 2, 2, 2, 2]
    """

    def __init__(
        self, num_channels: int, num_filters: int, filter_size: Any, stride: Any = 1,
        padding: Any = 0, dilation: Any = 1, groups: int | None = None, param_attr: Any = None,
        bias_attr: Any = None, use_cudnn: bool = True, act: Any = None, dtype: Any = "float32",
    ) -> None:  # fmt: skip
        with parameters_of(dtype):
            super().__init__(
                num_channels, num_filters, filter_size, stride, padding, dilation, groups or 1,
                weight_attr=param_attr, bias_attr=bias_attr,
            )  # fmt: skip
        _keep(self, num_channels, num_filters, filter_size, act)

    def forward(self, input: Any) -> Any:
        """Convolves ``input`` and applies the activation."""
        return applied(self._function, super().forward(input))


class Conv2DTranspose(conv.Conv2DTranspose):
    """The transposed convolution of images; note that ``padding`` comes before ``stride``.

    Args:
        num_channels (int): channels of the input.
        num_filters (int): channels of the result.
        filter_size (int|tuple[int]): height and width of the filter.
        output_size (int|tuple[int], optional): height and width of the result; None: the least.
        padding (int|tuple[int]): taken off on both sides. Default: 0.
        stride (int|tuple[int]): Default: 1.
        dilation (int|tuple[int]): Default: 1.
        groups (int, optional): None means 1.
        param_attr (ParamAttr, optional): of the filter, Xavier by default.
        bias_attr (ParamAttr|bool, optional): of the bias; False means none.
        use_cudnn (bool): changes nothing.
        act (str, optional): the activation.
        dtype (str): of the parameters. Default: float32.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                conv = fluid.dygraph.Conv2DTranspose(3, 2, 3, stride=2)
                x = fluid.dygraph.to_variable(np.ones([1, 3, 2, 2], "float32"))
                print(conv(x).shape)  # [1, 2, 5, 5]
    """

    def __init__(
        self, num_channels: int, num_filters: int, filter_size: Any, output_size: Any = None,
        padding: Any = 0, stride: Any = 1, dilation: Any = 1, groups: int | None = None,
        param_attr: Any = None, bias_attr: Any = None, use_cudnn: bool = True, act: Any = None,
        dtype: Any = "float32",
    ) -> None:  # fmt: skip
        with parameters_of(dtype):
            super().__init__(
                num_channels, num_filters, filter_size, stride=stride, padding=padding,
                dilation=dilation, groups=groups or 1, weight_attr=param_attr, bias_attr=bias_attr,
            )  # fmt: skip
        self._output_size = output_size
        _keep(self, num_channels, num_filters, filter_size, act)

    def forward(self, input: Any) -> Any:  # type: ignore[override]
        """Convolves ``input`` and applies the activation."""
        return applied(self._function, super().forward(input, self._output_size))


class Conv3DTranspose(conv.Conv3DTranspose):
    """The transposed convolution of volumes; note that ``padding`` comes before ``stride``.

    Args:
        num_channels (int): channels of the input.
        num_filters (int): channels of the result.
        filter_size (int|tuple[int]): sizes of the filter.
        padding (int|tuple[int]): taken off on both sides. Default: 0.
        stride (int|tuple[int]): Default: 1.
        dilation (int|tuple[int]): Default: 1.
        groups (int, optional): None means 1.
        param_attr (ParamAttr, optional): of the filter, Xavier by default.
        bias_attr (ParamAttr|bool, optional): of the bias; False means none. As in 1.8.5 a bias is
            made by default but only added where this is given.
        use_cudnn (bool): changes nothing.
        act (str, optional): the activation.
        dtype (str): of the parameters. Default: float32.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                conv = fluid.dygraph.Conv3DTranspose(1, 2, 2)
                x = fluid.dygraph.to_variable(np.ones([1, 1, 2, 2, 2], "float32"))
                print(conv(x).shape)  # [1, 2, 3, 3, 3]
    """

    def __init__(
        self, num_channels: int, num_filters: int, filter_size: Any, padding: Any = 0,
        stride: Any = 1, dilation: Any = 1, groups: int | None = None, param_attr: Any = None,
        bias_attr: Any = None, use_cudnn: bool = True, act: Any = None, dtype: Any = "float32",
    ) -> None:  # fmt: skip
        with parameters_of(dtype):
            super().__init__(
                num_channels, num_filters, filter_size, stride=stride, padding=padding,
                dilation=dilation, groups=groups or 1, weight_attr=param_attr, bias_attr=bias_attr,
            )  # fmt: skip
        self._adds_bias = bool(bias_attr)
        _keep(self, num_channels, num_filters, filter_size, act)

    def forward(self, input: Any) -> Any:  # type: ignore[override]
        """Convolves ``input`` and applies the activation."""
        bias = self.bias
        if not self._adds_bias:
            self._parameters["bias"] = None
        try:
            out = super().forward(input)
        finally:
            self._parameters["bias"] = bias
        return applied(self._function, out)


def _keep(layer: Any, channels: int, filters: int, size: Any, act: Any) -> None:
    """The attributes that 1.x's convolutions have."""
    layer._num_channels, layer._num_filters, layer._filter_size = channels, filters, size
    layer._act, layer._function = act, activation(type(layer).__name__, act)
