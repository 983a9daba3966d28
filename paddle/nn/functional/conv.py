"""Convolutions and transposed convolutions in one, two and three dimensions."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.nn.functional.window_args import (
    both_sides,
    channel_last,
    check_input,
    integer,
    integers,
    padding_of,
)

__all__ = [
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
]


def _add_bias(out: Any, bias: Any, last: bool) -> Any:
    """Adds one number to every channel."""
    return C.elementwise_add(out, bias, axis=len(out.shape) - 1 if last else 1)


def conv2d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    r"""Slides filters over images: each output element is the sum of a window times a filter.

    With :math:`s` the stride, :math:`p` the padding on both sides, :math:`d` the dilation and
    :math:`k` the kernel: :math:`H_{out} = \lfloor (H + 2p - d(k - 1) - 1) / s \rfloor + 1`.

    Args:
        x (Tensor): ``[N, C, H, W]`` or ``[N, H, W, C]``, floating.
        weight (Tensor): ``[filters, C / groups, kernel height, kernel width]`` in either layout.
        bias (Tensor|None): ``[filters]``.
        stride (int|list[int]): step of the window.
        padding (int|str|list): zeros around the image: one number, ``[h, w]``,
            ``[top, bottom, left, right]``, a pair for each of the four dimensions, ``'VALID'`` for
            none, or ``'SAME'`` for an output of ``ceil(size / stride)`` (it sets dilation to 1).
        dilation (int|list[int]): distance of the elements of a window.
        groups (int): the channels are split into as many groups, each with its own filters.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor: ``[N, filters, H_out, W_out]`` or ``[N, H_out, W_out, filters]``.

    Raises:
        ValueError: shapes, groups, padding or data_format do not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.ones([1, 3, 8, 8])
            weight = paddle.ones([6, 3, 3, 3])
            print(F.conv2d(x, weight).shape)  # [1, 6, 6, 6]
            print(F.conv2d(x, weight, stride=2, padding="SAME").shape)  # [1, 6, 4, 4]
    """
    last = channel_last("conv2d", data_format, 2)
    check_input("conv2d", "x", x, 4)
    paddings, algorithm = padding_of("conv2d", padding, 2, last)
    groups = integer("conv2d", "groups", groups)
    channels = x.shape[3 if last else 1]
    depthwise = groups == channels != 1 and weight.shape[0] % channels == 0
    run = C.depthwise_conv2d if depthwise else C.conv2d
    return run(
        x,
        weight,
        bias,
        strides=integers("conv2d", "stride", stride, 2),
        paddings=paddings,
        padding_algorithm=algorithm,
        dilations=integers("conv2d", "dilation", dilation, 2),
        groups=groups,
        data_format=data_format,
    )


def conv1d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_format: str = "NCL",
    name: str | None = None,
) -> Any:
    """Slides filters over sequences; see :func:`conv2d`.

    Args:
        x (Tensor): ``[N, C, L]`` or ``[N, L, C]``.
        weight (Tensor): ``[filters, C / groups, kernel]``.
        bias (Tensor|None): ``[filters]``.
        stride (int|list[int]): step of the window.
        padding (int|str|list): one number, ``[before, after]``, a pair for each of the three
            dimensions, ``'SAME'`` or ``'VALID'``.
        dilation (int|list[int]): distance of the elements of a window.
        groups (int): number of groups of channels.
        data_format (str): ``'NCL'`` or ``'NLC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor: ``[N, filters, L_out]`` or ``[N, L_out, filters]``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.to_tensor([[[1.0, 2.0, 3.0, 4.0]]])
            weight = paddle.to_tensor([[[1.0, -1.0]]])
            print(F.conv1d(x, weight).numpy())  # [[[-1. -1. -1.]]]
    """
    last = channel_last("conv1d", data_format, 1)
    check_input("conv1d", "x", x, 3)
    check_input("conv1d", "weight", weight, 3)
    paddings, algorithm = padding_of("conv1d", padding, 1, last)
    axis = 1 if last else 2
    out = conv2d(
        C.unsqueeze2(x, axes=[axis])[0],
        C.unsqueeze2(weight, axes=[2])[0],
        bias,
        [1, *integers("conv1d", "stride", stride, 1)],
        [0, 0, *both_sides(paddings, 1)] if algorithm == "EXPLICIT" else algorithm,
        [1, *integers("conv1d", "dilation", dilation, 1)],
        groups,
        "NHWC" if last else "NCHW",
    )
    return C.squeeze2(out, axes=[axis])[0]


def conv3d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Any:
    """Slides filters over volumes; see :func:`conv2d`.

    Args:
        x (Tensor): ``[N, C, D, H, W]`` or ``[N, D, H, W, C]``.
        weight (Tensor): ``[filters, C / groups, kernel depth, height, width]``.
        bias (Tensor|None): ``[filters]``.
        stride (int|list[int]): step of the window.
        padding (int|str|list): one number, ``[d, h, w]``, two for each of depth, height and width,
            a pair for each of the five dimensions, ``'SAME'`` or ``'VALID'``.
        dilation (int|list[int]): distance of the elements of a window.
        groups (int): number of groups of channels.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of ``x``'s layout, with ``filters`` channels.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.ones([1, 2, 4, 8, 8])
            print(F.conv3d(x, paddle.ones([3, 2, 3, 3, 3])).shape)  # [1, 3, 2, 6, 6]
    """
    last = channel_last("conv3d", data_format, 3)
    check_input("conv3d", "x", x, 5)
    paddings, algorithm = padding_of("conv3d", padding, 3, last)
    out = C.conv3d(
        x,
        weight,
        strides=integers("conv3d", "stride", stride, 3),
        paddings=paddings,
        padding_algorithm=algorithm,
        dilations=integers("conv3d", "dilation", dilation, 3),
        groups=integer("conv3d", "groups", groups),
        data_format=data_format,
    )
    return out if bias is None else _add_bias(out, bias, last)


def _extra(api: str, output_size: Any, output_padding: Any, rank: int) -> dict[str, list[int]]:
    """Turns output_size and output_padding into attributes; at most one may be given."""
    more = integers(api, "output_padding", output_padding, rank, least=0)
    if output_size is None:
        return {"output_padding": more if any(more) else []}
    if any(more):
        raise InvalidArgumentError(
            f"{api}: expected only one of output_size and output_padding, "
            f"but received {output_size!r} and {output_padding!r}."
        )
    return {"output_size": integers(api, "output_size", output_size, rank)}


def conv2d_transpose(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    output_size: Any = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    r"""Transposed convolution: each element of ``x`` adds a scaled filter to the output.

    It is the gradient of :func:`conv2d` by its input, with
    :math:`H_{out} = (H - 1) s - 2p + d(k - 1) + 1 + output\_padding`.

    Args:
        x (Tensor): ``[N, C, H, W]`` or ``[N, H, W, C]``.
        weight (Tensor): ``[C, filters / groups, kernel height, kernel width]``.
        bias (Tensor|None): ``[filters]``.
        stride (int|list[int]): step in the output.
        padding (int|str|list): what is cut off around the output, in the forms of :func:`conv2d`.
        output_padding (int|list[int]): rows and columns added below and right.
        dilation (int|list[int]): distance of the elements of a filter.
        groups (int): number of groups of channels.
        output_size (int|list[int]|None): height and width of the output, instead of
            ``output_padding``; less than a stride above the smallest possible.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor: ``[N, filters, H_out, W_out]`` or ``[N, H_out, W_out, filters]``.

    Raises:
        ValueError: sizes do not fit, or both output_size and output_padding are given.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.ones([1, 2, 4, 4])
            weight = paddle.ones([2, 3, 3, 3])
            print(F.conv2d_transpose(x, weight, stride=2).shape)  # [1, 3, 9, 9]
            print(F.conv2d_transpose(x, weight, stride=2, output_size=10).shape)  # [1, 3, 10, 10]
    """
    api = "conv2d_transpose"
    last = channel_last(api, data_format, 2)
    check_input(api, "x", x, 4)
    paddings, algorithm = padding_of(api, padding, 2, last)
    groups = integer(api, "groups", groups)
    depthwise = groups == x.shape[3 if last else 1] != 1 and weight.shape[1] == 1
    run = C.depthwise_conv2d_transpose if depthwise else C.conv2d_transpose
    return run(
        x,
        weight,
        bias,
        strides=integers(api, "stride", stride, 2),
        paddings=paddings,
        padding_algorithm=algorithm,
        dilations=integers(api, "dilation", dilation, 2),
        groups=groups,
        data_format=data_format,
        **_extra(api, output_size, output_padding, 2),
    )


def conv1d_transpose(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
    output_size: Any = None,
    data_format: str = "NCL",
    name: str | None = None,
) -> Any:
    """Transposed convolution of sequences; see :func:`conv2d_transpose`.

    Args:
        x (Tensor): ``[N, C, L]`` or ``[N, L, C]``.
        weight (Tensor): ``[C, filters / groups, kernel]``.
        bias (Tensor|None): ``[filters]``.
        stride (int|list[int]): step in the output.
        padding (int|str|list): what is cut off, in the forms of :func:`conv1d`.
        output_padding (int|list[int]): elements added behind.
        groups (int): number of groups of channels.
        dilation (int|list[int]): distance of the elements of a filter.
        output_size (int|list[int]|None): length of the output, instead of ``output_padding``.
        data_format (str): ``'NCL'`` or ``'NLC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor: ``[N, filters, L_out]`` or ``[N, L_out, filters]``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.to_tensor([[[1.0, 2.0]]])
            weight = paddle.to_tensor([[[1.0, 10.0]]])
            print(F.conv1d_transpose(x, weight).numpy())  # [[[ 1. 12. 20.]]]
    """
    api = "conv1d_transpose"
    last = channel_last(api, data_format, 1)
    check_input(api, "x", x, 3)
    check_input(api, "weight", weight, 3)
    paddings, algorithm = padding_of(api, padding, 1, last)
    axis = 1 if last else 2
    size = None
    if output_size is not None:
        size = [1, *integers(api, "output_size", output_size, 1)]
    out = conv2d_transpose(
        C.unsqueeze2(x, axes=[axis])[0],
        C.unsqueeze2(weight, axes=[2])[0],
        bias,
        [1, *integers(api, "stride", stride, 1)],
        [0, 0, *both_sides(paddings, 1)] if algorithm == "EXPLICIT" else algorithm,
        [0, *integers(api, "output_padding", output_padding, 1, least=0)],
        [1, *integers(api, "dilation", dilation, 1)],
        groups,
        size,
        "NHWC" if last else "NCHW",
    )
    return C.squeeze2(out, axes=[axis])[0]


def conv3d_transpose(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
    output_size: Any = None,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Any:
    """Transposed convolution of volumes; see :func:`conv2d_transpose`.

    Args:
        x (Tensor): ``[N, C, D, H, W]`` or ``[N, D, H, W, C]``.
        weight (Tensor): ``[C, filters / groups, kernel depth, height, width]``.
        bias (Tensor|None): ``[filters]``.
        stride (int|list[int]): step in the output.
        padding (int|str|list): what is cut off, in the forms of :func:`conv3d`.
        output_padding (int|list[int]): elements added behind.
        groups (int): number of groups of channels.
        dilation (int|list[int]): distance of the elements of a filter.
        output_size (int|list[int]|None): spatial size of the output.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of ``x``'s layout, with ``filters`` channels.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.ones([1, 2, 2, 2, 2])
            print(F.conv3d_transpose(x, paddle.ones([2, 1, 3, 3, 3])).shape)  # [1, 1, 4, 4, 4]
    """
    api = "conv3d_transpose"
    last = channel_last(api, data_format, 3)
    check_input(api, "x", x, 5)
    paddings, algorithm = padding_of(api, padding, 3, last)
    out = C.conv3d_transpose(
        x,
        weight,
        strides=integers(api, "stride", stride, 3),
        paddings=paddings,
        padding_algorithm=algorithm,
        dilations=integers(api, "dilation", dilation, 3),
        groups=integer(api, "groups", groups),
        data_format=data_format,
        **_extra(api, output_size, output_padding, 3),
    )
    return out if bias is None else _add_bias(out, bias, last)
