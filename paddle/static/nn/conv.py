"""Convolutions of paddle.static.nn: conv2d, conv3d and their transposes."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.guards import guard_module
from paddle.ir.variable import Variable
from paddle.nn.functional.window_args import both_sides, channel_last, integers, padding_of
from paddle.nn.initializer import Normal
from paddle.static.nn.helper import FLOATS, StaticLayer

__all__ = ["conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose"]


def conv2d(
    input: Any,
    num_filters: int,
    filter_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Variable:
    r"""Adds a convolution of images: each output element is the sum of a window times a filter.

    :math:`H_{out} = \lfloor (H + p_{top} + p_{bottom} - d (k - 1) - 1) / s \rfloor + 1`

    Args:
        input (Variable): ``[N, C, H, W]`` or ``[N, H, W, C]``, floating; C has to be known.
        num_filters (int): the number of filters, which is the number of output channels.
        filter_size (int|list[int]): height and width of the filters.
        stride (int|list[int]): step of the window. Default: 1.
        padding (int|str|list): zeros around the image: one number, ``[h, w]``,
            ``[top, bottom, left, right]``, a pair for each of the four dimensions, ``'SAME'`` or
            ``'VALID'``. Default: 0.
        dilation (int|list[int]): distance of the elements of a window. Default: 1.
        groups (int, optional): the channels are split into as many groups. None means 1.
        param_attr (ParamAttr, optional): the filters, ``[num_filters, C / groups, kh, kw]``; by
            default drawn from a normal distribution of variance :math:`2 / (kh \cdot kw \cdot C)`.
        bias_attr (ParamAttr|bool, optional): the bias, ``[num_filters]``; False means none.
        use_cudnn (bool): False records ``depthwise_conv2d`` where groups equals C and num_filters
            is a multiple of it; the numbers are the same. Default: True.
        act (str, optional): name of an activation.
        name (str, optional): the layer's name.
        data_format (str): ``'NCHW'`` or ``'NHWC'``. Default: NCHW.

    Returns:
        Variable: ``[N, num_filters, H_out, W_out]`` or ``[N, H_out, W_out, num_filters]``.

    Raises:
        ValueError: shapes, groups, padding or data_format do not fit.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 3, 32, 32])
                print(paddle.static.nn.conv2d(x, 8, 3, padding=1, act="relu").shape)
                # (-1, 8, 32, 32)
            paddle.disable_static()
    """
    options = (stride, padding, dilation, groups, data_format, use_cudnn)
    return _convolve("conv2d", 2, input, num_filters, filter_size, options,
                     param_attr, bias_attr, act, name)  # fmt: skip


def conv3d(
    input: Any,
    num_filters: int,
    filter_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCDHW",
) -> Variable:
    r"""Adds a convolution of volumes; see :func:`conv2d`.

    Args:
        input (Variable): ``[N, C, D, H, W]`` or ``[N, D, H, W, C]``, floating; C has to be known.
        num_filters (int): the number of filters.
        filter_size (int|list[int]): depth, height and width of the filters.
        stride (int|list[int]): step of the window. Default: 1.
        padding (int|str|list): one number, ``[d, h, w]``, two for each of depth, height and width,
            a pair for each of the five dimensions, ``'SAME'`` or ``'VALID'``. Default: 0.
        dilation (int|list[int]): distance of the elements of a window. Default: 1.
        groups (int, optional): number of groups of channels. None means 1.
        param_attr (ParamAttr, optional): the filters, ``[num_filters, C / groups, kd, kh, kw]``; by
            default normal of variance :math:`2 / (kd \cdot kh \cdot kw \cdot C)`.
        bias_attr (ParamAttr|bool, optional): the bias, ``[num_filters]``; False means none.
        use_cudnn (bool): changes nothing; there is one kernel.
        act (str, optional): name of an activation.
        name (str, optional): the layer's name.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``. Default: NCDHW.

    Returns:
        Variable: of the input's layout, with ``num_filters`` channels.

    Raises:
        ValueError: shapes, groups, padding or data_format do not fit.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 3, 8, 16, 16])
                print(paddle.static.nn.conv3d(x, 4, 3).shape)  # (-1, 4, 6, 14, 14)
            paddle.disable_static()
    """
    options = (stride, padding, dilation, groups, data_format, use_cudnn)
    return _convolve("conv3d", 3, input, num_filters, filter_size, options,
                     param_attr, bias_attr, act, name)  # fmt: skip


def conv2d_transpose(
    input: Any,
    num_filters: int,
    output_size: Any = None,
    filter_size: Any = None,
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Variable:
    r"""Adds a transposed convolution: each element of the input adds a scaled filter to the output.

    :math:`H_{out} = (H - 1) s - p_{top} - p_{bottom} + d (k - 1) + 1`, or up to a stride more where
    ``output_size`` says so.

    Args:
        input (Variable): ``[N, C, H, W]`` or ``[N, H, W, C]``, floating; C has to be known.
        num_filters (int): the number of output channels.
        output_size (int|list[int], optional): height and width of the output.
        filter_size (int|list[int], optional): height and width of the filters; None computes them
            from ``output_size``, one of both is needed.
        padding (int|str|list): what is cut off around the output, in the forms of :func:`conv2d`.
        stride (int|list[int]): step in the output. Default: 1.
        dilation (int|list[int]): distance of the elements of a filter. Default: 1.
        groups (int, optional): number of groups of channels. None means 1.
        param_attr (ParamAttr, optional): the filters, ``[C, num_filters / groups, kh, kw]``;
            Xavier by default.
        bias_attr (ParamAttr|bool, optional): the bias, ``[num_filters]``; False means none.
        use_cudnn (bool): False records ``depthwise_conv2d_transpose`` where groups, C and
            num_filters are equal; the numbers are the same. Default: True.
        act (str, optional): name of an activation.
        name (str, optional): the layer's name.
        data_format (str): ``'NCHW'`` or ``'NHWC'``. Default: NCHW.

    Returns:
        Variable: ``[N, num_filters, H_out, W_out]`` or ``[N, H_out, W_out, num_filters]``.

    Raises:
        ValueError: sizes do not fit, or both output_size and filter_size are missing.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 3, 8, 8])
                y = paddle.static.nn.conv2d_transpose(x, 4, output_size=[16, 16], stride=2)
                print(y.shape)  # (-1, 4, 16, 16)
            paddle.disable_static()
    """
    options = (stride, padding, dilation, groups, data_format, use_cudnn)
    return _transpose("conv2d_transpose", 2, input, num_filters, output_size, filter_size,
                      options, param_attr, bias_attr, act, name)  # fmt: skip


def conv3d_transpose(
    input: Any,
    num_filters: int,
    output_size: Any = None,
    filter_size: Any = None,
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCDHW",
) -> Variable:
    """Adds a transposed convolution of volumes; see :func:`conv2d_transpose`.

    Args:
        input (Variable): ``[N, C, D, H, W]`` or ``[N, D, H, W, C]``, floating; C has to be known.
        num_filters (int): the number of output channels.
        output_size (int|list[int], optional): depth, height and width of the output.
        filter_size (int|list[int], optional): depth, height and width of the filters; None
            computes them from ``output_size``, one of both is needed.
        padding (int|str|list): what is cut off around the output, in the forms of :func:`conv3d`.
        stride (int|list[int]): step in the output. Default: 1.
        dilation (int|list[int]): distance of the elements of a filter. Default: 1.
        groups (int, optional): number of groups of channels. None means 1.
        param_attr (ParamAttr, optional): the filters, ``[C, num_filters / groups, kd, kh, kw]``;
            Xavier by default.
        bias_attr (ParamAttr|bool, optional): the bias, ``[num_filters]``; False means none.
        use_cudnn (bool): changes nothing; there is one kernel.
        act (str, optional): name of an activation.
        name (str, optional): the layer's name.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``. Default: NCDHW.

    Returns:
        Variable: of the input's layout, with ``num_filters`` channels.

    Raises:
        ValueError: sizes do not fit, or both output_size and filter_size are missing.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 3, 4, 8, 8])
                y = paddle.static.nn.conv3d_transpose(x, 2, filter_size=3)
                print(y.shape)  # (-1, 2, 6, 10, 10)
            paddle.disable_static()
    """
    options = (stride, padding, dilation, groups, data_format, use_cudnn)
    return _transpose("conv3d_transpose", 3, input, num_filters, output_size, filter_size,
                      options, param_attr, bias_attr, act, name)  # fmt: skip


def _window(layer: StaticLayer, rank: int, options: tuple, last: bool) -> dict[str, Any]:
    """The attributes that all convolutions have."""
    stride, padding, dilation, groups, _, _ = options
    paddings, algorithm = padding_of(layer.api, padding, rank, last)
    return {
        "strides": integers(layer.api, "stride", stride, rank),
        "paddings": paddings,
        "padding_algorithm": algorithm,
        "dilations": integers(layer.api, "dilation", dilation, rank),
        "groups": 1 if groups is None else layer.count("groups", groups),
    }


def _entry(
    kind: str, rank: int, input: Any, filters: Any, options: tuple, name: str | None
) -> tuple[StaticLayer, int, dict[str, Any]]:
    """Checks what all convolutions share; returns the layer, the input channels, attributes."""
    api = f"static.nn.{kind}"
    last = channel_last(api, options[4], rank)
    channels = tuple(getattr(input, "shape", ()))[-1 if last else 1 :][:1]
    groups, use_cudnn = options[3], options[5]
    transposed = kind.endswith("transpose")
    depthwise = (
        rank == 2
        and use_cudnn is False
        and channels == (groups,)
        and (filters == groups if transposed else not filters % groups)
    )
    layer = StaticLayer(kind, name, prefix="depthwise_" + kind if depthwise else kind)
    layer.check("input", input, [rank + 2], FLOATS)
    layer.count("num_filters", filters)
    layer.flag("use_cudnn", use_cudnn)
    count = layer.size(input, -1 if last else 1, "input")
    attrs = _window(layer, rank, options, last)
    if count % attrs["groups"] or filters % attrs["groups"]:
        raise layer.wrong(
            "groups", f"a divisor of {count} channels and num_filters {filters}", attrs["groups"]
        )
    layer.kind = "depthwise_" + kind if depthwise else kind
    return layer, count, attrs


def _convolve(kind, rank, input, filters, filter_size, options, param_attr, bias_attr, act, name):
    """Convolution of any rank, with bias and activation."""
    layer, channels, attrs = _entry(kind, rank, input, filters, options, name)
    size = integers(layer.api, "filter_size", filter_size, rank)
    default = Normal(0.0, math.sqrt(2.0 / (math.prod(size) * channels)))
    shape = [filters, channels // attrs["groups"], *size]
    weight = layer.weight("param_attr", param_attr, shape, input.dtype, default)
    out = layer.fresh(input.dtype)
    layer.append(
        layer.kind,
        {"Input": input, "Filter": weight},
        {"Output": out},
        **attrs,
        data_format=options[4],
    )
    axis = rank + 1 if options[4].endswith("C") else 1
    return layer.activate(layer.bias(out, bias_attr, filters, axis), act)


def _transpose(kind, rank, input, filters, output_size, filter_size, options, param_attr,
               bias_attr, act, name):  # fmt: skip
    """Transposed convolution of any rank, with bias and activation."""
    layer, channels, attrs = _entry(kind, rank, input, filters, options, name)
    last = options[4].endswith("C")
    wanted = [] if output_size is None else integers(layer.api, "output_size", output_size, rank)
    if filter_size is not None:
        size = integers(layer.api, "filter_size", filter_size, rank)
    elif wanted:
        size = _filter_size(layer, input, wanted, attrs, last)
    else:
        raise layer.wrong("filter_size", "filter_size or output_size", None)
    shape = [channels, filters // attrs["groups"], *size]
    weight = layer.weight("param_attr", param_attr, shape, input.dtype)
    out = layer.fresh(input.dtype)
    # PaddlePaddle writes the two-dimensional names here for volumes too.
    layer.append(
        layer.kind,
        {"Input": input, "Filter": weight},
        {"Output": out},
        **attrs,
        output_size=wanted,
        data_format="NHWC" if last else "NCHW",
    )
    axis = rank + 1 if last else 1
    return layer.activate(layer.bias(out, bias_attr, filters, axis), act)


def _filter_size(
    layer: StaticLayer, input: Any, wanted: list[int], attrs: dict[str, Any], last: bool
):
    """The filter's size that gives the wanted output."""
    rank = len(wanted)
    around = both_sides(attrs["paddings"], rank)
    found = []
    for i, size in enumerate(wanted):
        n = layer.size(input, i + (1 if last else 2), "input")
        reach = size - (n - 1) * attrs["strides"][i] + around[2 * i] + around[2 * i + 1] - 1
        found.append(reach // attrs["dilations"][i] + 1)
    if min(found) < 1:
        raise layer.wrong(
            "output_size",
            f"at least {[(s - f + 1) for s, f in zip(wanted, found, strict=True)]} "
            f"for an input of shape {list(input.shape)}",
            wanted,
        )
    return found


guard_module(globals())
