"""Convolutions of images and volumes, transposed and deformable ones."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.guards import guard_module
from paddle.fluid.layers.common import both_modes
from paddle.nn.functional.window_args import integers
from paddle.nn.initializer import Normal
from paddle.static.nn import conv
from paddle.static.nn.helper import FLOATS, StaticLayer

__all__ = ["conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose", "deformable_conv"]


@both_modes
def conv2d(
    input: Any, num_filters: int, filter_size: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int | None = None, param_attr: Any = None, bias_attr: Any = None,
    use_cudnn: bool = True, act: Any = None, name: str | None = None, data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """A convolution of images, with its filters and bias.

    Args:
        input (Variable): of the layout ``data_format``; the channels have to be known.
        num_filters (int): the number of output channels.
        filter_size (int|list[int]): size of a filter in each direction.
        stride (int|list[int]): step of the window. Default: 1.
        padding (int|str|list): zeros around the image: one number, one or two for each direction,
            ``'SAME'`` or ``'VALID'``. Default: 0.
        dilation (int|list[int]): distance of the elements of a window. Default: 1.
        groups (int, optional): the channels are split into as many groups; None means 1.
        param_attr (ParamAttr, optional): the filters.
        bias_attr (ParamAttr|bool, optional): the bias, ``[num_filters]``; False means none.
        use_cudnn (bool): the numbers are the same either way. Default: True.
        act (str, optional): name of an activation.
        name (str, optional): what parameters and results are named after.
        data_format (str): the layout. Default: NCHW.

    Returns:
        Variable: of ``num_filters`` channels.

    Raises:
        ValueError: shapes, groups, padding or data_format do not fit.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                out = fluid.layers.conv2d(image, num_filters=4, filter_size=3, act="relu")
                print(out.shape)  # (2, 4, 4, 4)
    """
    return conv.conv2d(input, num_filters, filter_size, stride, padding, dilation, groups,
                       param_attr, bias_attr, use_cudnn, act, name, data_format)  # fmt: skip


@both_modes
def conv2d_transpose(
    input: Any, num_filters: int, output_size: Any = None, filter_size: Any = None,
    padding: Any = 0, stride: Any = 1, dilation: Any = 1, groups: int | None = None,
    param_attr: Any = None, bias_attr: Any = None, use_cudnn: bool = True, act: Any = None,
    name: str | None = None, data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """A transposed convolution of images, with its filters and bias.

    Args:
        input (Variable): of the layout ``data_format``; the channels have to be known.
        num_filters (int): the number of output channels.
        output_size (int|list[int], optional): size of the result in each direction.
        filter_size (int|list[int], optional): size of a filter in each direction; None computes it
            from ``output_size``.
        padding (int|str|list): what is cut off around the result. Default: 0.
        stride (int|list[int]): step in the result. Default: 1.
        dilation (int|list[int]): distance of the elements of a filter. Default: 1.
        groups (int, optional): number of groups of channels; None means 1.
        param_attr (ParamAttr, optional): the filters.
        bias_attr (ParamAttr|bool, optional): the bias, ``[num_filters]``; False means none.
        use_cudnn (bool): the numbers are the same either way. Default: True.
        act (str, optional): name of an activation.
        name (str, optional): what parameters and results are named after.
        data_format (str): the layout. Default: NCHW.

    Returns:
        Variable: of ``num_filters`` channels.

    Raises:
        ValueError: sizes do not fit, or both output_size and filter_size are missing.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                out = fluid.layers.conv2d_transpose(image, num_filters=4, filter_size=3, stride=2)
                print(out.shape)  # (2, 4, 13, 13)
    """
    return conv.conv2d_transpose(
        input, num_filters, output_size, filter_size, padding, stride, dilation, groups,
        param_attr, bias_attr, use_cudnn, act, name, data_format,
    )  # fmt: skip


@both_modes
def conv3d(
    input: Any, num_filters: int, filter_size: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int | None = None, param_attr: Any = None, bias_attr: Any = None,
    use_cudnn: bool = True, act: Any = None, name: str | None = None, data_format: str = "NCDHW",
) -> Any:  # fmt: skip
    """A convolution of volumes, with its filters and bias.

    Args:
        input (Variable): of the layout ``data_format``; the channels have to be known.
        num_filters (int): the number of output channels.
        filter_size (int|list[int]): size of a filter in each direction.
        stride (int|list[int]): step of the window. Default: 1.
        padding (int|str|list): zeros around the volume: one number, one or two for each direction,
            ``'SAME'`` or ``'VALID'``. Default: 0.
        dilation (int|list[int]): distance of the elements of a window. Default: 1.
        groups (int, optional): the channels are split into as many groups; None means 1.
        param_attr (ParamAttr, optional): the filters.
        bias_attr (ParamAttr|bool, optional): the bias, ``[num_filters]``; False means none.
        use_cudnn (bool): the numbers are the same either way. Default: True.
        act (str, optional): name of an activation.
        name (str, optional): what parameters and results are named after.
        data_format (str): the layout. Default: NCDHW.

    Returns:
        Variable: of ``num_filters`` channels.

    Raises:
        ValueError: shapes, groups, padding or data_format do not fit.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                volume = fluid.data("volume", [2, 3, 4, 4, 4])
                out = fluid.layers.conv3d(volume, num_filters=2, filter_size=3)
                print(out.shape)  # (2, 2, 2, 2, 2)
    """
    return conv.conv3d(input, num_filters, filter_size, stride, padding, dilation, groups,
                       param_attr, bias_attr, use_cudnn, act, name, data_format)  # fmt: skip


@both_modes
def conv3d_transpose(
    input: Any, num_filters: int, output_size: Any = None, filter_size: Any = None,
    padding: Any = 0, stride: Any = 1, dilation: Any = 1, groups: int | None = None,
    param_attr: Any = None, bias_attr: Any = None, use_cudnn: bool = True, act: Any = None,
    name: str | None = None, data_format: str = "NCDHW",
) -> Any:  # fmt: skip
    """A transposed convolution of volumes, with its filters and bias.

    Args:
        input (Variable): of the layout ``data_format``; the channels have to be known.
        num_filters (int): the number of output channels.
        output_size (int|list[int], optional): size of the result in each direction.
        filter_size (int|list[int], optional): size of a filter in each direction; None computes it
            from ``output_size``.
        padding (int|str|list): what is cut off around the result. Default: 0.
        stride (int|list[int]): step in the result. Default: 1.
        dilation (int|list[int]): distance of the elements of a filter. Default: 1.
        groups (int, optional): number of groups of channels; None means 1.
        param_attr (ParamAttr, optional): the filters.
        bias_attr (ParamAttr|bool, optional): the bias, ``[num_filters]``; False means none.
        use_cudnn (bool): the numbers are the same either way. Default: True.
        act (str, optional): name of an activation.
        name (str, optional): what parameters and results are named after.
        data_format (str): the layout. Default: NCDHW.

    Returns:
        Variable: of ``num_filters`` channels.

    Raises:
        ValueError: sizes do not fit, or both output_size and filter_size are missing.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                volume = fluid.data("volume", [2, 3, 4, 4, 4])
                out = fluid.layers.conv3d_transpose(volume, num_filters=2, filter_size=3)
                print(out.shape)  # (2, 2, 6, 6, 6)
    """
    return conv.conv3d_transpose(
        input, num_filters, output_size, filter_size, padding, stride, dilation, groups,
        param_attr, bias_attr, use_cudnn, act, name, data_format,
    )  # fmt: skip


@both_modes
def deformable_conv(
    input: Any, offset: Any, mask: Any, num_filters: int, filter_size: Any, stride: Any = 1,
    padding: Any = 0, dilation: Any = 1, groups: int | None = None,
    deformable_groups: int | None = None, im2col_step: int | None = None, param_attr: Any = None,
    bias_attr: Any = None, modulated: bool = True, name: str | None = None,
) -> Any:  # fmt: skip
    """A convolution whose taps look where learned offsets say.

    Args:
        input (Variable): ``[N, C, H, W]``; C has to be known.
        offset (Variable): rows and columns by turns, ``[N, 2 * deformable_groups * kh * kw, H_out,
            W_out]``.
        mask (Variable|None): weights of the taps; None where ``modulated`` is False.
        num_filters (int): the number of output channels.
        filter_size (int|list[int]): height and width of the filters.
        stride (int|list[int]): step of the window. Default: 1.
        padding (int|list[int]): zeros around the image. Default: 0.
        dilation (int|list[int]): distance of the taps. Default: 1.
        groups (int, optional): number of groups of channels; None means 1.
        deformable_groups (int, optional): number of groups with offsets of their own; None means 1.
        im2col_step (int, optional): how many images are unfolded at a time; None means 64.
        param_attr (ParamAttr, optional): the filters.
        bias_attr (ParamAttr|bool, optional): the bias, ``[num_filters]``; False means none.
        modulated (bool): whether there is a mask: the second version. Default: True.
        name (str, optional): what parameters and results are named after.

    Returns:
        Variable: ``[N, num_filters, H_out, W_out]``.

    Raises:
        ValueError: shapes or groups do not fit.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                offset = fluid.data("offset", [2, 18, 6, 6])
                mask = fluid.data("mask", [2, 9, 6, 6])
                out = fluid.layers.deformable_conv(
                    image, offset, mask, num_filters=4, filter_size=3, padding=1)
                print(out.shape)  # (2, 4, 6, 6)
    """
    layer = StaticLayer("deformable_conv", name)
    layer.check("input", input, [4], FLOATS)
    layer.check("offset", offset, [4], FLOATS)
    if modulated:
        layer.check("mask", mask, [4], FLOATS)
    channels = layer.size(input, 1, "input")
    groups = 1 if groups is None else layer.count("groups", groups)
    if channels % groups or num_filters % groups:
        raise layer.wrong("groups", f"a divisor of {channels} and {num_filters}", groups)
    size = integers(layer.api, "filter_size", filter_size, 2)
    shape = [layer.count("num_filters", num_filters), channels // groups, *size]
    default = Normal(0.0, math.sqrt(2.0 / (math.prod(size) * channels)))
    weight = layer.weight("param_attr", param_attr, shape, input.dtype, default)
    attrs = {
        "strides": integers(layer.api, "stride", stride, 2),
        "paddings": integers(layer.api, "padding", padding, 2, least=0),
        "dilations": integers(layer.api, "dilation", dilation, 2),
        "groups": groups,
        "deformable_groups": 1 if deformable_groups is None else deformable_groups,
        "im2col_step": 64 if im2col_step is None else im2col_step,
    }
    if modulated:
        out = layer.call("deformable_conv", input, offset, mask, weight, **attrs)
    else:
        out = layer.call("deformable_conv_v1", input, offset, weight, **attrs)
    return layer.bias(out, bias_attr, num_filters, axis=1)


guard_module(globals())
