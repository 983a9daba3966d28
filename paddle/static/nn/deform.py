"""paddle.static.nn.deform_conv2d: convolution whose windows follow learned offsets."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.dtype import dtype_name
from paddle.core.guards import guard_module
from paddle.ir.variable import Variable
from paddle.nn.functional.window_args import integers
from paddle.nn.initializer import Normal
from paddle.static.nn.helper import StaticLayer

__all__ = ["deform_conv2d"]


def deform_conv2d(
    x: Any,
    offset: Any,
    mask: Any,
    num_filters: int,
    filter_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    deformable_groups: int = 1,
    im2col_step: int = 1,
    weight_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Variable:
    r"""Adds a deformable convolution: each tap k of a window at p looks where an offset says.

    :math:`y(p) = \sum_k w_k \, x(p + p_k + \Delta p_k) \, \Delta m_k`, between pixels by bilinear
    interpolation, zeros outside.

    Args:
        x (Variable): ``[N, C, H, W]``, float32 or float64; C has to be known.
        offset (Variable): rows and columns by turns,
            ``[N, 2 * deformable_groups * kh * kw, H_out, W_out]``.
        mask (Variable|None): weights of the taps, ``[N, deformable_groups * kh * kw, H_out,
            W_out]``; None leaves them out (the first version of the method).
        num_filters (int): the number of filters.
        filter_size (int|list[int]): height and width of the filters.
        stride (int|list[int]): step of the window. Default: 1.
        padding (int|list[int]): zeros around the image. Default: 0.
        dilation (int|list[int]): distance of the taps. Default: 1.
        groups (int): number of groups of channels. Default: 1.
        deformable_groups (int): number of groups of channels with offsets of their own. Default: 1.
        im2col_step (int): how many images PaddlePaddle unfolds at a time; checked to divide the
            batch. Default: 1.
        weight_attr (ParamAttr, optional): the filters, ``[num_filters, C / groups, kh, kw]``; by
            default normal of variance :math:`2 / (kh \cdot kw \cdot C)`.
        bias_attr (ParamAttr|bool, optional): the bias, ``[num_filters]``; False means none.
        name (str, optional): the layer's name.

    Returns:
        Variable: ``[N, num_filters, H_out, W_out]``.

    Raises:
        ValueError: shapes, groups or dtype do not fit.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 4, 8, 8])
                offset = paddle.static.data("offset", [None, 18, 8, 8])
                mask = paddle.static.data("mask", [None, 9, 8, 8])
                print(paddle.static.nn.deform_conv2d(x, offset, mask, 6, 3, padding=1).shape)
                # (-1, 6, 8, 8)
            paddle.disable_static()
    """
    layer = StaticLayer("deform_conv2d", name, prefix="deformable_conv")
    layer.check("x", x, [4], ("float32", "float64"))
    kind = (dtype_name(x.dtype),)
    layer.check("offset", offset, [4], kind)
    if mask is not None:
        layer.check("mask", mask, [4], kind)
    layer.count("num_filters", num_filters)
    layer.count("groups", groups)
    layer.count("deformable_groups", deformable_groups)
    channels = layer.size(x, 1, "x")
    for count in (groups, deformable_groups):
        if channels % count or num_filters % groups:
            raise layer.wrong(
                "groups",
                f"numbers that divide {channels} channels and num_filters {num_filters}",
                [groups, deformable_groups],
            )
    size = integers(layer.api, "filter_size", filter_size, 2)
    default = Normal(0.0, math.sqrt(2.0 / (math.prod(size) * channels)))
    shape = [num_filters, channels // groups, *size]
    weight = layer.weight("weight_attr", weight_attr, shape, x.dtype, default)
    out = layer.fresh(x.dtype)
    inputs = {"Input": x, "Offset": offset, "Mask": mask, "Filter": weight}
    layer.append(
        "deformable_conv_v1" if mask is None else "deformable_conv",
        inputs,
        {"Output": out},
        strides=integers(layer.api, "stride", stride, 2),
        paddings=integers(layer.api, "padding", padding, 2, least=0),
        dilations=integers(layer.api, "dilation", dilation, 2),
        groups=int(groups),
        deformable_groups=int(deformable_groups),
        im2col_step=layer.count("im2col_step", im2col_step),
    )
    return layer.bias(out, bias_attr, num_filters, axis=1)


guard_module(globals())
